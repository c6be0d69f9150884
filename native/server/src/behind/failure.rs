//! Why a server behind gave no response.

use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("no response over {0}")]
    Silent(&'static str),
    /// nobody is there, or not who should be
    #[error("{0}")]
    NotReached(Arc<str>),
    /// something that says little about the server
    #[error("{0}")]
    Broken(Arc<str>),
    #[error("the connection ended before the response")]
    Ended,
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind::{ConnectionRefused, HostUnreachable, NetworkUnreachable};

        let text = error.to_string().into();
        match error.kind() {
            ConnectionRefused | HostUnreachable | NetworkUnreachable => Failure::NotReached(text),
            _ => Failure::Broken(text),
        }
    }
}
