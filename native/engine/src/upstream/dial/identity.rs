//! Who this machine is to one upstream: a client certificate and its key (RFC 8446 section 4.3.2, RFC 5246 section 7.4.4).
//!
//! rustls asks for it only after the server's own certificate was accepted, so nobody else is shown it. What is wrong with an
//! identity is found before a connection is opened: no server is ever asked without the identity that its upstream names.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use rustls::client::ResolvesClientCert;
use rustls::crypto::aws_lc_rs::sign::any_supported_type;
use rustls::sign::CertifiedKey;
use rustls::{AlertDescription, SignatureScheme};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, UnixTime, pem::PemObject};

use crate::client_identity::IdentityConfig;
use crate::upstream::dial::certificate::Certificate;
use crate::upstream::failure::identity_error::IdentityError;

#[derive(Debug, Clone)]
pub struct Identity {
    name: String,
    key: Result<Arc<CertifiedKey>, IdentityError>,
}

/// Whether a server would see the same. Of two keys with one certificate at least one does not fit and can't be used.
impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        let shown = |identity: &Self| identity.key.clone().map(|key| key.cert.clone());
        self.name == other.name && shown(self) == shown(other)
    }
}

impl Identity {
    pub fn of(IdentityConfig { name, pem, trouble }: &IdentityConfig) -> Self {
        let unusable = |words: String| IdentityError::Unusable { name: name.clone(), words };
        let key = match pem {
            Some(pem) => read(pem).map_err(unusable),
            None if trouble.is_empty() => Err(IdentityError::Missing(name.clone())),
            None => Err(unusable(trouble.clone())),
        };
        Self { name: name.clone(), key: key.map(Arc::new) }
    }

    fn usable(&self, now: UnixTime) -> Result<(), IdentityError> {
        let key = self.key.as_ref().map_err(Clone::clone)?;
        let unusable = |words| IdentityError::Unusable { name: self.name.clone(), words };
        let certificate = Certificate::read(&key.cert[0]).map_err(unusable)?;
        // As with servers, a clock that is behind is no reason to stay away: see trust.rs.
        match certificate.not_expired_at(now) {
            Ok(()) => Ok(()),
            Err(_) => Err(IdentityError::Expired { name: self.name.clone(), day: certificate.not_after }),
        }
    }
}

fn read(pem: &str) -> Result<CertifiedKey, String> {
    let chain = CertificateDer::pem_slice_iter(pem.as_bytes()).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(|error| format!("its certificates are not valid PEM: {error}"))?;
    if chain.is_empty() {
        return Err("it has no certificate".into());
    }
    let key = PrivateKeyDer::from_pem_slice(pem.as_bytes())
        .map_err(|error| format!("its private key is not valid PEM: {error}"))?;
    let key = any_supported_type(&key).map_err(|error| format!("its private key: {error}"))?;
    let certified = CertifiedKey::new(chain, key);
    certified.keys_match().map_err(|_| "its private key does not belong to its certificate")?;
    Ok(certified)
}

/// What a server is shown that asks who we are, and what became of that.
#[derive(Debug)]
pub struct Introduction {
    identity: Option<Identity>,
    asked: AtomicU8,
}

const NEVER: u8 = 0;
const ASKED: u8 = 1;
/// the server takes no signature that our key can make
const UNFIT: u8 = 2;

impl Introduction {
    pub fn new(identity: Option<Identity>) -> Self {
        Self { identity, asked: AtomicU8::new(NEVER) }
    }

    pub fn identity(&self) -> Option<&Identity> {
        self.identity.as_ref()
    }

    /// To be asked before a connection is opened.
    pub fn possible(&self) -> Result<(), IdentityError> {
        self.identity.as_ref().map_or(Ok(()), |identity| identity.usable(UnixTime::now()))
    }

    /// Whether the server asks its clients who they are.
    pub fn is_wanted(&self) -> bool {
        self.asked.load(Ordering::Relaxed) != NEVER
    }

    /// It was asked for, and could not be given in a form that the server reads.
    pub fn withheld(&self) -> Option<IdentityError> {
        let unfit = self.asked.load(Ordering::Relaxed) == UNFIT;
        self.identity.as_ref().filter(|_| unfit).map(|identity| IdentityError::Refused {
            name: identity.name.clone(),
            words: "it takes no signature that the identity's key can make".into(),
        })
    }

    /// What an alert means, if it may be about who we are.
    pub fn refusal(&self, error: &std::io::Error) -> Option<IdentityError> {
        let error = error.get_ref()?.downcast_ref::<rustls::Error>()?;
        let rustls::Error::AlertReceived(alert) = error else { return None };
        if !self.is_wanted() || !is_about_clients(*alert) {
            return None;
        }
        let words = format!("alert {alert:?}");
        Some(match &self.identity {
            Some(identity) => IdentityError::Refused { name: identity.name.clone(), words },
            None => IdentityError::Wanted(words),
        })
    }
}

/// `HandshakeFailure` is what TLS 1.2 has for a certificate that is missing.
fn is_about_clients(alert: AlertDescription) -> bool {
    use AlertDescription as Alert;

    matches!(
        alert,
        Alert::HandshakeFailure
            | Alert::NoCertificate
            | Alert::BadCertificate
            | Alert::UnsupportedCertificate
            | Alert::CertificateRevoked
            | Alert::CertificateExpired
            | Alert::CertificateUnknown
            | Alert::UnknownCA
            | Alert::AccessDenied
            | Alert::DecryptError
            | Alert::CertificateRequired
    )
}

impl ResolvesClientCert for Introduction {
    fn resolve(&self, _: &[&[u8]], schemes: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        let key = self.identity.as_ref().and_then(|identity| identity.key.as_ref().ok());
        let fits = key.is_none_or(|key| key.key.choose_scheme(schemes).is_some());
        self.asked.store(if fits { ASKED } else { UNFIT }, Ordering::Relaxed);
        key.cloned()
    }

    fn has_certs(&self) -> bool {
        self.identity.is_some()
    }
}
