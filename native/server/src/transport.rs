//! What a response may contain on the transport that carries it.

use std::time::Duration;

use sotto_wire::edns::{Edns, ExtendedError, UDP_SIZE};

use crate::cookies::ResponseCookie;
use crate::edns::ResponseOpt;
use crate::query::Query;

const STREAM: u16 = 4096;

/// What one client may get on this transport.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    transport: Transport,
    /// Content of the cookie option for the response (RFC 7873).
    cookie: Option<ResponseCookie>,
    /// The most octets a message may have.
    most: usize,
}

impl From<Transport> for Terms {
    fn from(transport: Transport) -> Self {
        Terms { transport, cookie: None, most: usize::from(u16::MAX) }
    }
}

impl Terms {
    pub fn with(self, cookie: Option<ResponseCookie>) -> Self {
        Terms { cookie, ..self }
    }

    pub fn at_most(self, octets: usize) -> Self {
        Terms { most: octets, ..self }
    }

    pub fn limit(self, query: &Query) -> usize {
        self.transport.limit(query).min(self.most)
    }

    /// A client over UDP can ask again over TCP.
    pub fn may_be_truncated(self) -> bool {
        self.transport == Transport::Udp
    }

    pub fn allows(self, octets: usize) -> bool {
        octets <= self.most
    }

    /// `edns`: the client's.
    pub fn response_opt<'a>(self, edns: &Edns, extended_errors: &'a [ExtendedError]) -> ResponseOpt<'a> {
        ResponseOpt { cookie: self.cookie, ..self.transport.response_opt(edns, extended_errors) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    Udp,
    Tcp { idle: Duration },
    Tls { idle: Duration },
}

impl Transport {
    /// The largest message the client can take.
    fn limit(self, query: &Query) -> usize {
        match self {
            Transport::Udp => {
                query.edns.as_ref().map_or(512, |edns| edns.udp_size.clamp(512, UDP_SIZE)).into()
            }
            Transport::Tcp { .. } | Transport::Tls { .. } => usize::from(u16::MAX),
        }
    }

    /// Keepalive where the client asked for it on a stream (RFC 7828 section 3.3); padding where the query was padded, and only
    /// inside TLS (RFC 7830 section 4).
    fn response_opt<'a>(self, edns: &Edns, extended_errors: &'a [ExtendedError]) -> ResponseOpt<'a> {
        ResponseOpt {
            udp_size: if self == Transport::Udp { UDP_SIZE } else { STREAM },
            extended_rcode: 0,
            cookie: None,
            dnssec_ok: edns.dnssec_ok,
            tls_ok: false,
            keepalive: self.idle().filter(|_| edns.keepalive.is_some()).map(tenths),
            extended_errors,
            padded: edns.padded && matches!(self, Transport::Tls { .. }),
        }
    }

    fn idle(self) -> Option<Duration> {
        match self {
            Transport::Udp => None,
            Transport::Tcp { idle } | Transport::Tls { idle } => Some(idle),
        }
    }
}

fn tenths(duration: Duration) -> u16 {
    u16::try_from(duration.as_millis() / 100).unwrap_or(u16::MAX)
}
