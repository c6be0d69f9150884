//! The server's identity: a certificate chain, its key, and the pin that clients may compare.

use std::fmt::{self, Debug};
use std::path::{Path, PathBuf};

use data_encoding::BASE64;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose,
};
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use time::{Duration, OffsetDateTime};

#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    #[error("certificate {}: {reason}", .file.display())]
    Certificate { file: PathBuf, reason: String },
    #[error("key {}: {reason}", .file.display())]
    Key { file: PathBuf, reason: String },
    #[error("cannot make a certificate for {names}: {reason}")]
    SelfSigned { names: String, reason: String },
    #[error("TLS: {0}")]
    Tls(#[from] rustls::Error),
}

pub struct Identity {
    pub chain: Vec<CertificateDer<'static>>,
    pub key: PrivateKeyDer<'static>,
    /// What a client of a self-signed server trusts; PEM.
    pub authority: Option<String>,
    /// Base64 of the SHA-256 of the leaf's SubjectPublicKeyInfo.
    pub pin: String,
}

impl Identity {
    pub fn from_files(certificate: &Path, key: &Path) -> Result<Self, IdentityError> {
        let bad_certificate = |reason| IdentityError::Certificate { file: certificate.to_owned(), reason };
        let bad_key = |reason| IdentityError::Key { file: key.to_owned(), reason };
        let chain: Vec<_> = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect)
            .map_err(|error| bad_certificate(format!("{error}; a PEM file with the leaf first is needed")))?;
        if chain.is_empty() {
            return Err(bad_certificate(
                "holds no certificate; a PEM file with the leaf first is needed".into(),
            ));
        }
        let pin = pin(&chain[0]).map_err(|error| bad_certificate(error.to_string()))?;
        let private = PrivateKeyDer::from_pem_file(key).map_err(|error| {
            bad_key(format!("{error}; an unencrypted PEM key (PKCS#8, SEC1 or PKCS#1) is needed"))
        })?;
        match CertifiedKey::from_der(chain.clone(), private.clone_key(), &default_provider()) {
            Ok(_) => Ok(Identity { chain, key: private, authority: None, pin }),
            Err(error) => Err(bad_key(format!("{error}; is it the key of {}?", certificate.display()))),
        }
    }

    /// From when until when the leaf is good. `None`: it is not understood.
    pub fn validity(&self) -> Option<(OffsetDateTime, OffsetDateTime)> {
        let (_, leaf) = x509_parser::parse_x509_certificate(self.chain.first()?).ok()?;
        let validity = leaf.validity();
        Some((validity.not_before.to_datetime(), validity.not_after.to_datetime()))
    }

    /// A leaf for these names and addresses, signed by an authority whose key is dropped at once. Every TLS library accepts an
    /// authority's certificate as a trust anchor; not every one accepts a leaf.
    pub fn self_signed(names: &[String]) -> Result<Self, IdentityError> {
        let failed = |error: rcgen::Error| IdentityError::SelfSigned {
            names: names.join(","),
            reason: error.to_string(),
        };
        let authority =
            CertifiedIssuer::self_signed(authority_params(), KeyPair::generate().map_err(failed)?)
                .map_err(failed)?;
        let key = KeyPair::generate().map_err(failed)?;
        let leaf =
            leaf_params(names).and_then(|params| params.signed_by(&key, &authority)).map_err(failed)?;
        let pin = pin(leaf.der()).map_err(IdentityError::Tls)?;
        Ok(Identity {
            chain: vec![leaf.der().clone()],
            key: PrivateKeyDer::Pkcs8(key.serialize_der().into()),
            authority: Some(authority.pem()),
            pin,
        })
    }
}

fn authority_params() -> CertificateParams {
    let mut params = valid_for_a_year(CertificateParams::default());
    params.distinguished_name.push(DnType::CommonName, "sotto-server, an authority of one certificate");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params
}

fn leaf_params(names: &[String]) -> Result<CertificateParams, rcgen::Error> {
    let mut params = valid_for_a_year(CertificateParams::new(names)?);
    if let Some(name) = names.iter().find(|name| name.len() <= 64) {
        params.distinguished_name.push(DnType::CommonName, name);
    }
    params.is_ca = IsCa::ExplicitNoCa;
    params.use_authority_key_identifier_extension = true;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    Ok(params)
}

fn valid_for_a_year(mut params: CertificateParams) -> CertificateParams {
    let now = OffsetDateTime::now_utc();
    params.not_before = now - Duration::days(1);
    params.not_after = now + Duration::days(365);
    params.distinguished_name = rcgen::DistinguishedName::new();
    params
}

fn pin(leaf: &CertificateDer) -> Result<String, rustls::Error> {
    let spki = rustls::server::ParsedCertificate::try_from(leaf)?.subject_public_key_info();
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, spki.as_ref());
    Ok(BASE64.encode(digest.as_ref()))
}

impl Clone for Identity {
    fn clone(&self) -> Self {
        Identity {
            chain: self.chain.clone(),
            key: self.key.clone_key(),
            authority: self.authority.clone(),
            pin: self.pin.clone(),
        }
    }
}

/// Without the key.
impl Debug for Identity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Identity").field("pin", &self.pin).finish_non_exhaustive()
    }
}
