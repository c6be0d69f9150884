//! The server's identity: a certificate chain, its key, and the pin that clients may compare.

use std::fmt::{self, Debug};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use data_encoding::BASE64;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose,
};
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::{self, PemObject};
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use sotto_files::regular;
use time::{Duration, OffsetDateTime};
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::x509::X509Version;

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

#[derive(Clone)]
pub struct Identity {
    /// Leaf first.
    pub chain: Vec<CertificateDer<'static>>,
    pub key: Arc<PrivateKeyDer<'static>>,
    /// Where the chain was read.
    pub file: Option<PathBuf>,
    /// What a client of a self-signed server trusts; PEM.
    pub authority: Option<String>,
    /// Base64 of the SHA-256 of the leaf's SubjectPublicKeyInfo.
    pub pin: String,
    /// The leaf's DNS names in lower case. A common name is none (RFC 9525 section 2).
    pub names: Vec<String>,
    /// From when until when the leaf is good. `None`: it is not understood.
    pub validity: Option<(OffsetDateTime, OffsetDateTime)>,
    pub(crate) certified: Arc<CertifiedKey>,
}

impl Identity {
    /// Says what is wrong with each of the two files.
    pub fn from_files(certificate: &Path, key: &Path) -> Result<Self, Vec<IdentityError>> {
        let bad_key = |reason| IdentityError::Key { file: key.to_owned(), reason };
        let private = open(key).and_then(PrivateKeyDer::from_pem_reader).map_err(|error| {
            let error = not_pem(&error);
            bad_key(format!("{error}; an unencrypted PEM key (PKCS#8, SEC1 or PKCS#1) is needed"))
        });
        match (chain(certificate), private) {
            (Ok((chain, pin)), Ok(private)) => match Self::new(chain, private, pin) {
                Ok(identity) => Ok(Identity { file: Some(certificate.to_owned()), ..identity }),
                Err(error) => {
                    Err(vec![bad_key(format!("{error}; is it the key of {}?", certificate.display()))])
                }
            },
            (chain, private) => Err([chain.err(), private.err()].into_iter().flatten().collect()),
        }
    }

    fn new(
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
        pin: String,
    ) -> Result<Self, rustls::Error> {
        let certified = CertifiedKey::from_der(chain.clone(), key.clone_key(), &default_provider())?;
        let leaf = x509_parser::parse_x509_certificate(&chain[0]).ok().map(|(_, leaf)| leaf);
        Ok(Identity {
            names: leaf.as_ref().map(dns_names).unwrap_or_default(),
            validity: leaf.as_ref().map(|leaf| {
                let validity = leaf.validity();
                (validity.not_before.to_datetime(), validity.not_after.to_datetime())
            }),
            chain,
            key: Arc::new(key),
            file: None,
            authority: None,
            pin,
            certified: Arc::new(certified),
        })
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
        let pin = pin(leaf.der())?;
        let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
        let identity = Self::new(vec![leaf.der().clone()], key, pin)?;
        Ok(Identity { authority: Some(authority.pem()), ..identity })
    }
}

/// With the pin of its leaf.
fn chain(file: &Path) -> Result<(Vec<CertificateDer<'static>>, String), IdentityError> {
    let bad = |reason| IdentityError::Certificate { file: file.to_owned(), reason };
    let chain: Vec<_> = open(file)
        .and_then(|text| CertificateDer::pem_reader_iter(text).collect())
        .map_err(|error| bad(format!("{}; a PEM file with the leaf first is needed", not_pem(&error))))?;
    let leaf = chain
        .first()
        .ok_or_else(|| bad("holds no certificate; a PEM file with the leaf first is needed".into()))?;
    let version = x509_parser::parse_x509_certificate(leaf).ok().map(|(_, leaf)| leaf.version());
    if version.is_some_and(|version| version != X509Version::V3) {
        return Err(bad(
            "is one of X.509 version 1, which clients refuse: make one with a subjectAltName (--help shows how)".into(),
        ));
    }
    let pin = pin(leaf).map_err(|error| bad(error.to_string()))?;
    Ok((chain, pin))
}

fn open(file: &Path) -> Result<BufReader<File>, pem::Error> {
    regular::open(file).map(BufReader::new).map_err(pem::Error::Io)
}

fn not_pem(error: &pem::Error) -> String {
    match error {
        pem::Error::MissingSectionEnd { .. } => "it ends before its last END line".into(),
        error => error.to_string(),
    }
}

fn dns_names(leaf: &X509Certificate) -> Vec<String> {
    let Ok(Some(alternative)) = leaf.subject_alternative_name() else { return Vec::new() };
    let names = alternative.value.general_names.iter().filter_map(|name| match name {
        GeneralName::DNSName(name) => Some(name.trim_end_matches('.').to_ascii_lowercase()),
        _ => None,
    });
    names.collect()
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

/// Without the key.
impl Debug for Identity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Identity").field("pin", &self.pin).finish_non_exhaustive()
    }
}
