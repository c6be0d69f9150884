//! Why this machine could not identify itself to a server that wants to know its clients.

/// Each is one sentence, and is shown to people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdentityError {
    #[error("the server wants a client certificate ({0}), and no \"identity\" is named for this upstream")]
    Wanted(String),
    #[error("the client identity {0} is not on this machine; add it with \"sotto upstream identities add\"")]
    Missing(String),
    #[error("the client identity {name} can't be used ({words}); add it anew")]
    Unusable { name: String, words: String },
    #[error(
        "the certificate of the client identity {name} expired on {day}; add its successor under this name"
    )]
    Expired { name: String, day: String },
    #[error("the server does not accept the client identity {name} ({words})")]
    Refused { name: String, words: String },
}

impl IdentityError {
    /// A stable word for logs, health issues and tests.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Wanted(_) => "identity-wanted",
            Self::Missing(_) => "identity-missing",
            Self::Unusable { .. } => "identity-unusable",
            Self::Expired { .. } => "identity-expired",
            Self::Refused { .. } => "identity-refused",
        }
    }
}
