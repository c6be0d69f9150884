//! Why a server behind gave no response.

use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("no response over {0}")]
    Silent(&'static str),
    /// no connection, or no way to send
    #[error("{0}")]
    NotReached(Arc<str>),
    #[error("the connection ended before the response")]
    Ended,
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Failure::NotReached(error.to_string().into())
    }
}
