//! What a certificate fails to prove.

/// Each is one sentence, and is shown to people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrustError {
    #[error("the certificate is for {presented}, not for {wanted}")]
    Name { presented: String, wanted: String },
    #[error("the certificate's key is not pinned (its pin is {0})")]
    Pin(String),
    #[error("no certificate of the chain is pinned (the hash of the server's own is {0})")]
    CertificatePin(String),
    #[error("the certificate expired on {0}")]
    Expired(String),
    #[error("the certificate's issuer is not trusted ({0})")]
    Issuer(String),
    #[error("the certificate can't be used here ({0})")]
    Unusable(String),
}

impl TrustError {
    /// A stable word for logs, health issues and tests.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Name { .. } => "certificate-name",
            Self::Pin(_) => "certificate-pin",
            Self::CertificatePin(_) => "certificate-unpinned",
            Self::Expired(_) => "certificate-expired",
            Self::Issuer(_) => "certificate-issuer",
            Self::Unusable(_) => "certificate-unusable",
        }
    }
}
