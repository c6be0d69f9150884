//! Why a server behind gave no response.

use std::io;
use std::sync::Arc;

use sotto_engine::upstream::dial::open::plain_words;
use sotto_engine::upstream::failure::dial_error::DialReason;
use sotto_wire::edns::ExtendedError;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("no response over {0}")]
    Silent(&'static str),
    /// nobody is there
    #[error("{0}")]
    NotReached(Arc<str>),
    /// somebody is there who does not prove to be the right one
    #[error("{0}")]
    NotAuthenticated(Arc<str>),
    /// something that says little about the server
    #[error("{0}")]
    Broken(Arc<str>),
    /// its response cannot be handed on
    #[error("a response that cannot be used: {0}")]
    Unsound(&'static str),
    /// it has this, which a client over UDP may have, and the rest could not be had
    #[error("a truncated response, and none over TCP")]
    OnlyTruncated(Arc<[u8]>),
    #[error("the connection ended before the response")]
    Ended,
    /// the query did not leave, and this says nothing about the server
    #[error("this machine has no room: {0}")]
    NoRoomHere(Arc<str>),
    /// likewise: too many others were in flight
    #[error("its turn did not come in time")]
    NoTurn,
}

/// What this machine lacks when it says so: descriptors of the process and of all, ports, buffers, memory.
const OWN: [i32; 6] =
    [libc::EMFILE, libc::ENFILE, libc::EADDRINUSE, libc::EADDRNOTAVAIL, libc::ENOBUFS, libc::ENOMEM];

impl Failure {
    /// Whether another try is in vain.
    pub fn is_final(&self) -> bool {
        matches!(self, Failure::NotReached(_) | Failure::NotAuthenticated(_))
    }

    /// Whether it responded, and would respond so again.
    pub fn is_all_it_has(&self) -> bool {
        matches!(self, Failure::Unsound(_) | Failure::OnlyTruncated(_))
    }

    pub fn is_the_servers(&self) -> bool {
        !matches!(self, Failure::NoRoomHere(_) | Failure::NoTurn)
    }

    /// For clients, who are strangers: no address, and nothing of what this machine or the server is.
    pub fn in_general(&self) -> ExtendedError {
        let (code, text) = match self {
            Failure::NoRoomHere(_) | Failure::NoTurn => {
                (ExtendedError::OTHER, "too many queries are in flight")
            }
            Failure::NotAuthenticated(_) => {
                (ExtendedError::NETWORK_ERROR, "the server behind could not be authenticated")
            }
            Failure::Unsound(_) | Failure::OnlyTruncated(_) => {
                (ExtendedError::NETWORK_ERROR, "the server behind sent a malformed response")
            }
            Failure::Silent(_) | Failure::NotReached(_) | Failure::Broken(_) | Failure::Ended => {
                (ExtendedError::NETWORK_ERROR, "the server behind does not respond")
            }
        };
        ExtendedError::new(code, text)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        use io::ErrorKind::{ConnectionRefused, HostUnreachable, NetworkUnreachable};

        let text = error.to_string().into();
        match error.kind() {
            _ if error.raw_os_error().is_some_and(|code| OWN.contains(&code)) => Failure::NoRoomHere(text),
            ConnectionRefused | HostUnreachable | NetworkUnreachable => Failure::NotReached(text),
            _ => Failure::Broken(text),
        }
    }
}

impl From<DialReason> for Failure {
    fn from(reason: DialReason) -> Self {
        let text = reason.to_string().into();
        match reason {
            // the engine keeps the system's words, and not its number
            DialReason::Connect(words) | DialReason::NoRoute(words)
                if OWN.iter().any(|code| words == plain_words(&io::Error::from_raw_os_error(*code))) =>
            {
                Failure::NoRoomHere(text)
            }
            DialReason::Trust(_) => Failure::NotAuthenticated(text),
            _ => Failure::NotReached(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_this_machine_lacks_is_no_failure_of_the_server() {
        for code in OWN {
            let error = || io::Error::from_raw_os_error(code);
            let words = plain_words(&error());
            for failure in [
                Failure::from(error()),
                DialReason::Connect(words.clone()).into(),
                DialReason::NoRoute(words.clone()).into(),
            ] {
                assert!(!failure.is_the_servers(), "{failure}");
                assert!(failure.to_string().to_lowercase().contains(&words), "{failure}");
            }
        }
        for code in [libc::ECONNREFUSED, libc::EHOSTUNREACH, libc::ENETUNREACH] {
            let error = io::Error::from_raw_os_error(code);
            let dialled = Failure::from(DialReason::Connect(plain_words(&error)));
            assert!(Failure::from(error).is_final() && dialled.is_final());
        }
    }
}
