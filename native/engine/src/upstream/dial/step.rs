//! The steps of a dial, reported as they happen.

use rustls_pki_types::CertificateDer;

use crate::upstream::dial::protection::TlsFacts;

/// Called after each step.
pub type Watch<'a> = dyn Fn(Step<'_>) + Send + Sync + 'a;

pub enum Step<'a> {
    Connected,
    /// nothing has left yet: the first octets leave with the SYN
    Deferred,
    /// the server agreed to start TLS; a sentence about it
    Agreed(&'static str),
    /// nothing came to the usual hello: it is dialled anew with a smaller one
    Smaller,
    Secured(&'a TlsFacts, &'a [CertificateDer<'static>]),
}
