//! Why a TLS handshake failed, as far as the server can tell.

use std::io::{self, ErrorKind};

use rustls::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsFailure {
    /// It was not finished in time.
    TimedOut,
    /// The client closed or reset the connection.
    Gone,
    /// These octets are not TLS.
    NotTls,
    /// No version, suite, group or protocol that both know.
    NothingInCommon,
    /// The client said why it does not go on, which is mostly that it does not trust the certificate.
    Refused,
    Other,
}

impl From<&io::Error> for TlsFailure {
    fn from(error: &io::Error) -> Self {
        let of_tls = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
        match (error.kind(), of_tls) {
            (_, Some(Error::AlertReceived(_))) => TlsFailure::Refused,
            (_, Some(Error::InvalidMessage(_) | Error::InappropriateMessage { .. })) => TlsFailure::NotTls,
            (_, Some(Error::PeerIncompatible(_) | Error::NoApplicationProtocol)) => {
                TlsFailure::NothingInCommon
            }
            (ErrorKind::TimedOut, None) => TlsFailure::TimedOut,
            (ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe, None) => {
                TlsFailure::Gone
            }
            _ => TlsFailure::Other,
        }
    }
}
