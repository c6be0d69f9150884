//! The OPT of a response. It belongs to one hop, so it is written anew for the client (RFC 6891 section 6.1.1).

use sotto_wire::edns::{DO, ExtendedError, OptWriter, option};
use sotto_wire::starttls::TO;

use crate::cookies::ResponseCookie;

/// The length of a padded response is a multiple of this (RFC 8467 section 4.1).
const PADDING_BLOCK: usize = 468;

#[derive(Debug, Default, Clone, Copy)]
pub struct ResponseOpt<'a> {
    pub udp_size: u16,
    /// The upper eight of the twelve bits of an extended RCODE.
    pub extended_rcode: u8,
    pub dnssec_ok: bool,
    pub tls_ok: bool,
    pub cookie: Option<ResponseCookie>,
    /// Units of 100 ms.
    pub keepalive: Option<u16>,
    pub extended_errors: &'a [ExtendedError],
    pub padded: bool,
}

impl ResponseOpt<'_> {
    /// Where a response would be longer than its query with it: over TCP the client gets one.
    pub fn without_cookie(self) -> Self {
        ResponseOpt { cookie: None, ..self }
    }

    /// Appends the record to the message that starts at `message`, and counts it there.
    pub fn write(&self, out: &mut Vec<u8>, message: usize) {
        let flags = if self.dnssec_ok { DO } else { 0 } | if self.tls_ok { TO } else { 0 };
        let mut opt = OptWriter::start_behind(out, message, self.udp_size, self.extended_rcode, flags);
        if let Some(cookie) = self.cookie {
            opt.option(option::COOKIE, &cookie);
        }
        if let Some(timeout) = self.keepalive {
            opt.option(option::KEEPALIVE, &timeout.to_be_bytes());
        }
        for error in self.extended_errors {
            opt.extended_error(error);
        }
        if self.padded {
            opt.pad_to(PADDING_BLOCK);
        }
        opt.finish();
    }
}
