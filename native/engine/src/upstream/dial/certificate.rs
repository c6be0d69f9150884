//! What is read from a certificate: for pins, and for people.

use std::fmt;

use aws_lc_rs::digest::{SHA256, digest};
use data_encoding::BASE64;
use rustls_pki_types::{CertificateDer, SubjectPublicKeyInfoDer, TrustAnchor, UnixTime};
use serde::Serialize;
use x509_parser::prelude::{FromDer, GeneralName, X509Certificate};
use x509_parser::time::ASN1Time;

use crate::upstream::failure::trust_error::TrustError;

/// SHA-256 of a SubjectPublicKeyInfo (RFC 7858 section 4.2, RFC 7469 section 2.4), or of a certificate's TBSCertificate, by which
/// DNS stamps name it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pin([u8; 32]);

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Certificate {
    pub subject: String,
    pub issuer: String,
    pub names: Vec<String>,
    pub not_before: String,
    pub not_after: String,
    /// below zero once it has expired
    pub days_left: i64,
    #[cfg_attr(test, ts(type = "string"))]
    #[serde(rename = "spki", serialize_with = "as_text")]
    pub pin: Pin,
    /// of its TBSCertificate
    #[serde(skip)]
    pub certificate_pin: Pin,
    #[serde(skip)]
    valid: (i64, i64),
}

impl Pin {
    pub fn of(spki: &SubjectPublicKeyInfoDer<'_>) -> Self {
        Self::of_octets(spki.as_ref())
    }

    fn of_octets(der: &[u8]) -> Self {
        let mut octets = [0; 32];
        octets.copy_from_slice(digest(&SHA256, der).as_ref());
        Self(octets)
    }

    /// Base64 of 32 octets; `sha256/` may stand in front, as curl and stamps write it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.strip_prefix("sha256/").unwrap_or(text);
        let octets = BASE64.decode(text.as_bytes()).map_err(|_| "it is not base64")?;
        let octets = octets.try_into().map_err(|_| "it is not the base64 of 32 octets")?;
        Ok(Self(octets))
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE64.encode(&self.0))
    }
}

impl fmt::Debug for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pin({self})")
    }
}

fn as_text<S: serde::Serializer>(pin: &Pin, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(pin)
}

impl Certificate {
    pub fn read(der: &CertificateDer<'_>) -> Result<Self, String> {
        let (_, parsed) =
            X509Certificate::from_der(der).map_err(|error| format!("it can't be read: {error}"))?;
        let alternative = parsed.subject_alternative_name().ok().flatten();
        let names = alternative.map_or_else(Vec::new, |names| {
            names.value.general_names.iter().filter_map(presented_name).collect()
        });
        let validity = parsed.validity();
        Ok(Self {
            subject: parsed.subject().to_string(),
            issuer: parsed.issuer().to_string(),
            names,
            not_before: day(validity.not_before),
            not_after: day(validity.not_after),
            days_left: days_until(validity.not_after),
            pin: Pin::of_octets(parsed.public_key().raw),
            certificate_pin: Pin::of_octets(parsed.tbs_certificate.as_ref()),
            valid: (validity.not_before.timestamp(), validity.not_after.timestamp()),
        })
    }

    /// Unix seconds.
    pub fn valid_from(&self) -> u64 {
        self.valid.0.try_into().unwrap_or(0)
    }

    pub fn not_expired_at(&self, now: UnixTime) -> Result<(), TrustError> {
        match now.as_secs() as i64 > self.valid.1 {
            true => Err(TrustError::Expired(self.not_after.clone())),
            false => Ok(()),
        }
    }

    pub fn is_self_signed(&self) -> bool {
        self.subject == self.issuer
    }

    pub fn unknown_issuer(&self) -> TrustError {
        TrustError::Issuer(match self.is_self_signed() {
            true => format!("it is self-signed; give it as ca, or pin {}", self.pin),
            false => self.issuer.clone(),
        })
    }

    pub fn presented_names(&self) -> String {
        match self.names.as_slice() {
            [] => "no name".into(),
            names => names.iter().take(4).cloned().collect::<Vec<_>>().join(", "),
        }
    }
}

/// DER of the anchor's SubjectPublicKeyInfo: webpki keeps its content, pins are made of the whole.
pub fn anchor_spki(anchor: &TrustAnchor<'_>) -> SubjectPublicKeyInfoDer<'static> {
    let content = anchor.subject_public_key_info.as_ref();
    let length = content.len();
    let mut der = vec![0x30];
    match length {
        0..=0x7f => der.push(length as u8),
        0x80..=0xff => der.extend_from_slice(&[0x81, length as u8]),
        _ => der.extend_from_slice(&[0x82, (length >> 8) as u8, length as u8]),
    }
    der.extend_from_slice(content);
    der.into()
}

fn presented_name(name: &GeneralName<'_>) -> Option<String> {
    match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        GeneralName::IPAddress([a, b, c, d]) => Some(format!("{a}.{b}.{c}.{d}")),
        GeneralName::IPAddress(octets) => {
            <[u8; 16]>::try_from(*octets).ok().map(|octets| std::net::Ipv6Addr::from(octets).to_string())
        }
        _ => None,
    }
}

fn days_until(time: ASN1Time) -> i64 {
    (time.timestamp() - UnixTime::now().as_secs() as i64).div_euclid(24 * 3600)
}

fn day(time: ASN1Time) -> String {
    let time = time.to_datetime();
    format!("{:04}-{:02}-{:02}", time.year(), u8::from(time.month()), time.day())
}
