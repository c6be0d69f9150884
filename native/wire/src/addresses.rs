//! The addresses that a record gives: of A and AAAA, and the hints of service bindings (RFC 9460 section 7.3).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::record::Record;
use crate::service::{IPV4_HINT, IPV6_HINT};
use crate::{name, service, types};

const IPV4: usize = 4;
const IPV6: usize = 16;

/// Ends silently at whatever is malformed.
pub struct Addresses<'a> {
    /// addresses of `width` octets each
    list: &'a [u8],
    width: usize,
    /// what follows it: keys of a service binding, each with its value
    parameters: &'a [u8],
}

impl<'a> Addresses<'a> {
    #[inline]
    pub fn of(message: &'a [u8], record: &Record) -> Self {
        let data = message.get(record.data.clone()).unwrap_or_default();
        let (list, width, parameters) = match record.kind {
            types::A if data.len() == IPV4 => (data, IPV4, &[][..]),
            types::AAAA if data.len() == IPV6 => (data, IPV6, &[][..]),
            types::SVCB | types::HTTPS => (&[][..], IPV4, parameters(message, record)),
            _ => (&[][..], IPV4, &[][..]),
        };
        Self { list, width, parameters }
    }
}

/// RFC 9460 section 2.2: priority, target, then the parameters.
fn parameters<'a>(message: &'a [u8], record: &Record) -> &'a [u8] {
    let start = name::skip(message, record.data.start + 2).unwrap_or(record.data.end);
    message.get(start..record.data.end).unwrap_or_default()
}

impl Iterator for Addresses<'_> {
    type Item = IpAddr;

    #[inline]
    fn next(&mut self) -> Option<IpAddr> {
        loop {
            if let Some((address, rest)) = self.list.split_at_checked(self.width) {
                self.list = rest;
                return match address.len() {
                    IPV4 => address.first_chunk().map(|octets: &[u8; IPV4]| Ipv4Addr::from(*octets).into()),
                    _ => address.first_chunk().map(|octets: &[u8; IPV6]| Ipv6Addr::from(*octets).into()),
                };
            }
            let (key, value, rest) = service::first(self.parameters)?;
            self.parameters = rest;
            (self.list, self.width) = match key {
                IPV4_HINT => (value, IPV4),
                IPV6_HINT => (value, IPV6),
                _ => (&[][..], IPV4),
            };
        }
    }
}
