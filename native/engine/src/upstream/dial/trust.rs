//! How a server proves that it may answer: CA, authentication names, pins (RFC 7858 section 4.2, RFC 8310 sections 6 and 8).
//!
//! | given | accepted |
//! |---|---|
//! | names | a chain to a root that holds one of the names |
//! | names and pins | the same, and one key of the validated chain is pinned |
//! | pins | the server's own key is pinned; nothing else is asked of its certificate |
//! | neither | a chain to a root that holds the address |
//!
//! Pinned certificates come on top of each row: one certificate of the chain that was proved must be among them. A certificate
//! that is only presented beside that chain proves nothing, because anybody has a copy of it
//! (docs/decisions/0127-certificate-pins.md).
//!
//! No issuer dates a certificate in the future: one that is not valid yet shows that our clock is behind. It is then judged at the
//! first moment at which its whole chain is valid, and never at an earlier one than the clock's
//! (docs/decisions/0025-over-a-boot.md). Otherwise a machine that boots in the past could look up no time server.

use std::sync::Arc;
use std::time::Duration;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::{CertificateError, DigitallySignedStruct, OtherError, SignatureScheme};
use rustls_pki_types::{CertificateDer, ServerName, TrustAnchor, UnixTime, pem::PemObject};
use webpki::{EndEntityCert, KeyUsage, anchor_from_trusted_cert};

use crate::upstream::dial::certificate::{self, Certificate, Pin};
use crate::upstream::failure::trust_error::TrustError;

/// Checks a server's certificate for one upstream.
#[derive(Debug)]
pub struct Trust {
    names: Vec<ServerName<'static>>,
    pins: Pins,
    roots: Roots,
    algorithms: WebPkiSupportedAlgorithms,
}

/// One of each list that is not empty must match.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pins {
    /// of public keys
    pub keys: Vec<Pin>,
    /// of certificates
    pub certificates: Vec<Pin>,
}

/// Whether both prove the same.
impl PartialEq for Trust {
    fn eq(&self, other: &Self) -> bool {
        self.names == other.names && self.pins == other.pins && self.roots == other.roots
    }
}

/// Certificates at which chains may end. A server's own certificate among them is trusted as it is, with or without the CA flag:
/// `openssl req -x509` makes such certificates, and a person who configures one means this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots {
    anchors: Arc<[TrustAnchor<'static>]>,
    given: Arc<[CertificateDer<'static>]>,
}

impl Roots {
    /// The operating system's certificates; one that can't be read is left out.
    pub fn of(certificates: &[CertificateDer<'_>]) -> Result<Self, String> {
        let anchors: Vec<_> = certificates
            .iter()
            .filter_map(|der| anchor_from_trusted_cert(der).ok().map(|a| a.to_owned()))
            .collect();
        if anchors.is_empty() {
            return Err("this system holds no CA certificates".into());
        }
        Ok(Self { anchors: anchors.into(), given: Arc::new([]) })
    }

    /// For servers that are known by their key alone.
    pub fn none() -> Self {
        Self { anchors: Arc::new([]), given: Arc::new([]) }
    }

    /// Every certificate in a PEM text.
    pub fn from_pem(text: &str) -> Result<Self, String> {
        let given = CertificateDer::pem_slice_iter(text.as_bytes())
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| format!("it is not valid PEM: {error}"))?;
        if given.is_empty() {
            return Err("it holds no certificate".into());
        }
        let anchors = given
            .iter()
            .map(|der| anchor_from_trusted_cert(der).map(|anchor| anchor.to_owned()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| format!("a certificate in it can't be read: {error}"))?;
        Ok(Self { anchors: anchors.into(), given: given.into() })
    }
}

impl Trust {
    /// `names` must not be empty unless there are pins of keys.
    pub fn new(names: Vec<ServerName<'static>>, pins: Pins, roots: Roots) -> Self {
        let algorithms = rustls::crypto::aws_lc_rs::default_provider().signature_verification_algorithms;
        Self { names, pins, roots, algorithms }
    }

    /// Checks a chain as presented, leaf first.
    pub fn judge(&self, chain: &[CertificateDer<'_>], now: UnixTime) -> Result<(), TrustError> {
        let unusable = |error: webpki::Error| TrustError::Unusable(error.to_string());
        let Some((leaf, intermediates)) = chain.split_first() else {
            return Err(TrustError::Unusable("none was presented".into()));
        };
        let leaf_facts = Certificate::read(leaf).map_err(TrustError::Unusable)?;
        if self.names.is_empty() {
            self.key_pinned(&[leaf_facts.pin])?;
            return self.certificate_pinned(chain, &[leaf_facts.pin]);
        }
        let end_entity = EndEntityCert::try_from(leaf).map_err(unusable)?;
        let now = not_before_it_began(&leaf_facts, intermediates, now);
        let keys = self.validated_keys(&end_entity, leaf, &leaf_facts, intermediates, now)?;
        if !self.names.iter().any(|name| end_entity.verify_is_valid_for_subject_name(name).is_ok()) {
            let wanted: Vec<_> = self.names.iter().map(|name| name.to_str().into_owned()).collect();
            return Err(TrustError::Name {
                presented: leaf_facts.presented_names(),
                wanted: wanted.join(" or "),
            });
        }
        if !self.pins.keys.is_empty() {
            self.key_pinned(&keys)?;
        }
        self.certificate_pinned(chain, &keys)
    }

    /// The first of our names that is in the certificate.
    pub fn matched_name(&self, leaf: &CertificateDer<'_>) -> Option<String> {
        let end_entity = EndEntityCert::try_from(leaf).ok()?;
        let name =
            self.names.iter().find(|name| end_entity.verify_is_valid_for_subject_name(name).is_ok())?;
        Some(name.to_str().into_owned())
    }

    pub fn has_pins(&self) -> bool {
        self.pins != Pins::default()
    }

    fn key_pinned(&self, keys: &[Pin]) -> Result<(), TrustError> {
        match keys.iter().any(|key| self.pins.keys.contains(key)) {
            true => Ok(()),
            false => Err(TrustError::Pin(keys[0].to_string())),
        }
    }

    /// A certificate counts if its key is one of `keys`, which are those of the validated chain.
    fn certificate_pinned(&self, chain: &[CertificateDer<'_>], keys: &[Pin]) -> Result<(), TrustError> {
        let wanted = &self.pins.certificates;
        if wanted.is_empty() {
            return Ok(());
        }
        let presented: Vec<_> = chain.iter().filter_map(|der| Certificate::read(der).ok()).collect();
        let is_pinned = |one: &Certificate| keys.contains(&one.pin) && wanted.contains(&one.certificate_pin);
        match presented.iter().any(is_pinned) {
            true => Ok(()),
            false => Err(TrustError::CertificatePin(presented[0].certificate_pin.to_string())),
        }
    }

    /// Keys of the validated chain, the server's own first.
    fn validated_keys(
        &self,
        end_entity: &EndEntityCert<'_>,
        leaf: &CertificateDer<'_>,
        facts: &Certificate,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<Vec<Pin>, TrustError> {
        if self.roots.given.iter().any(|given| given.as_ref() == leaf.as_ref()) {
            facts.not_expired_at(now)?;
            return Ok(vec![facts.pin]);
        }
        let path = end_entity
            .verify_for_usage(
                self.algorithms.all,
                &self.roots.anchors,
                intermediates,
                now,
                KeyUsage::server_auth(),
                None,
                None,
            )
            .map_err(|error| match error {
                webpki::Error::CertExpired { .. } => {
                    facts.not_expired_at(now).err().unwrap_or_else(|| TrustError::Unusable(error.to_string()))
                }
                // an issuer with the same name and another key is another issuer
                webpki::Error::UnknownIssuer | webpki::Error::InvalidSignatureForPublicKey => {
                    facts.unknown_issuer()
                }
                webpki::Error::CaUsedAsEndEntity if facts.is_self_signed() => facts.unknown_issuer(),
                other => TrustError::Unusable(other.to_string()),
            })?;
        let mut keys = vec![facts.pin];
        keys.extend(path.intermediate_certificates().map(|cert| Pin::of(&cert.subject_public_key_info())));
        keys.push(Pin::of(&certificate::anchor_spki(path.anchor())));
        Ok(keys)
    }
}

/// The latest moment at which a certificate of the chain becomes valid, if the clock is behind it; else the clock's time.
fn not_before_it_began(leaf: &Certificate, intermediates: &[CertificateDer<'_>], now: UnixTime) -> UnixTime {
    let others = intermediates.iter().filter_map(|each| Certificate::read(each).ok());
    let began = others.map(|each| each.valid_from()).fold(leaf.valid_from(), u64::max);
    UnixTime::since_unix_epoch(Duration::from_secs(now.as_secs().max(began)))
}

impl ServerCertVerifier for Trust {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        // the time of the clock by which tickets age
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let chain: Vec<_> = std::iter::once(end_entity).chain(intermediates).cloned().collect();
        match self.judge(&chain, UnixTime::now()) {
            Ok(()) => Ok(ServerCertVerified::assertion()),
            Err(error) => Err(CertificateError::Other(OtherError(Arc::new(error))).into()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

/// The trust error inside the error of a failed handshake, if that is why it failed.
pub fn trust_error(error: &std::io::Error) -> Option<TrustError> {
    let rustls = error.get_ref()?.downcast_ref::<rustls::Error>()?;
    match rustls {
        rustls::Error::InvalidCertificate(CertificateError::Other(OtherError(inner))) => {
            inner.downcast_ref::<TrustError>().cloned()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{
        BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose, date_time_ymd,
    };

    use super::*;

    /// Valid from the first day of one year until the first day of another.
    fn params(names: &[&str], (from, until): (i32, i32)) -> CertificateParams {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.not_before = date_time_ymd(from, 1, 1);
        params.not_after = date_time_ymd(until, 1, 1);
        params
    }

    fn issuer(valid: (i32, i32), name: &str) -> CertificateParams {
        let mut params = params(&[], valid);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        params.distinguished_name.push(rcgen::DnType::CommonName, name);
        params
    }

    #[test]
    fn a_clock_that_is_behind_is_moved_by_a_trusted_chain_and_never_back() {
        let root =
            CertifiedIssuer::self_signed(issuer((2010, 2050), "root"), KeyPair::generate().unwrap()).unwrap();
        let stranger =
            CertifiedIssuer::self_signed(issuer((2010, 2050), "root"), KeyPair::generate().unwrap()).unwrap();
        let trust = |root: &CertifiedIssuer<'_, KeyPair>| {
            let name = ServerName::try_from("dns.example").unwrap();
            Trust::new(vec![name], Pins::default(), Roots::from_pem(&root.pem()).unwrap())
        };
        // a year, the years in which leaf and intermediate are valid, and the result
        let rows = [
            (2026, (2025, 2027), (2020, 2030), "valid"),
            (1970, (2025, 2027), (2020, 2030), "valid"),
            (2024, (2025, 2027), (2020, 2030), "valid"),
            (2019, (2018, 2023), (2021, 2030), "valid"),
            (2028, (2025, 2027), (2020, 2030), "certificate-expired"),
            (2026, (2025, 2027), (2020, 2025), "certificate-unusable"),
            // judged at the moment at which the one becomes valid, when the other has expired
            (1970, (2018, 2020), (2021, 2030), "certificate-expired"),
            (1970, (2025, 2027), (2018, 2020), "certificate-unusable"),
        ];
        for (year, leaf, between, expected) in rows {
            let key = KeyPair::generate().unwrap();
            let middle = CertifiedIssuer::signed_by(issuer(between, "between"), key, &root).unwrap();
            let key = KeyPair::generate().unwrap();
            let leaf = params(&["dns.example"], leaf).signed_by(&key, &middle).unwrap();
            let chain = [leaf.der().clone(), middle.der().clone()];
            let now = UnixTime::since_unix_epoch(Duration::from_secs(
                date_time_ymd(year, 6, 1).unix_timestamp().unsigned_abs(),
            ));
            let code =
                |judged: Result<(), TrustError>| judged.map_or_else(|error| error.code(), |()| "valid");
            assert_eq!(code(trust(&root).judge(&chain, now)), expected, "{year} {leaf:?}");
            assert_ne!(code(trust(&stranger).judge(&chain, now)), "valid", "{year}: of another issuer");
        }
    }

    #[test]
    fn a_pinned_certificate_counts_only_on_the_validated_chain() {
        let pair = || KeyPair::generate().unwrap();
        let years = (2020, 2050);
        let [root, other] =
            ["root", "other"].map(|name| CertifiedIssuer::self_signed(issuer(years, name), pair()).unwrap());
        let middle = CertifiedIssuer::signed_by(issuer(years, "middle"), pair(), &root).unwrap();
        let key = pair();
        let leaf = params(&["dns.example"], years).signed_by(&key, &middle).unwrap();
        let of_other = params(&["dns.example"], years).signed_by(&key, &other).unwrap();
        let [leaf, of_other, middle, root_der] =
            [leaf.der(), of_other.der(), middle.der(), root.der()].map(CertificateDer::clone);
        let pinned = |der: &CertificateDer<'_>| Certificate::read(der).unwrap().certificate_pin;
        let roots = Roots::from_pem(&format!("{}{}", root.pem(), other.pem())).unwrap();
        let judged =
            |chain: &[&CertificateDer<'static>], pins: &[Pin], keys: Vec<Pin>, name: Option<&str>| {
                let names = name.map(|name| ServerName::try_from(name.to_owned()).unwrap());
                let pins = Pins { keys, certificates: pins.to_vec() };
                let chain: Vec<_> = chain.iter().map(|der| (*der).clone()).collect();
                let judged = Trust::new(names.into_iter().collect(), pins, roots.clone())
                    .judge(&chain, UnixTime::now());
                judged.map_or_else(|error| error.code(), |()| "valid")
            };
        let stranger = pinned(&other.der().clone());
        let key_pin = Certificate::read(&leaf).unwrap().pin;
        let named = Some("dns.example");
        let whole: &[_] = &[&leaf, &middle, &root_der];
        let rows: [(&[&CertificateDer<'static>], &[Pin], _, _, _); 9] = [
            (whole, &[pinned(&leaf)], vec![], named, "valid"),
            (whole, &[stranger, pinned(&middle)], vec![], named, "valid"),
            (whole, &[pinned(&root_der)], vec![], named, "valid"),
            (&[&leaf, &middle], &[pinned(&root_der)], vec![], named, "certificate-unpinned"),
            (whole, &[stranger], vec![], named, "certificate-unpinned"),
            // another authority that is trusted vouches, and the pinned certificate only stands beside
            (&[&of_other, &middle, &root_der], &[pinned(&middle)], vec![], named, "certificate-unpinned"),
            // both are wanted where both are given
            (whole, &[pinned(&middle)], vec![stranger], named, "certificate-pin"),
            // where the key alone is known, nothing of the rest is proved
            (whole, &[pinned(&leaf)], vec![key_pin], None, "valid"),
            (whole, &[pinned(&middle)], vec![key_pin], None, "certificate-unpinned"),
        ];
        for (row, (chain, pins, keys, name, expected)) in rows.into_iter().enumerate() {
            assert_eq!(judged(chain, pins, keys, name), expected, "row {row}");
        }
    }
}
