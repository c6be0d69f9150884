//! Whether an address is one of this machine now. IPv6 may be switched off, and a bridge may come up after we start.

use std::io::{Error, ErrorKind};
use std::net::SocketAddr;

use socket2::{Domain, Protocol, Socket, Type};

/// The kernel decides it, by binding the address at a port of its choice.
pub fn is_here(mut address: SocketAddr) -> bool {
    address.set_port(0);
    let bound = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))
        .and_then(|socket| socket.bind(&address.into()));
    !bound.is_err_and(|error| is_elsewhere(&error))
}

/// The address is none of this machine, or its whole family is missing (`ipv6.disable=1`), or the link of its zone.
pub fn is_elsewhere(error: &Error) -> bool {
    error.kind() == ErrorKind::AddrNotAvailable || is_without_family(error)
}

#[cfg(unix)]
fn is_without_family(error: &Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EAFNOSUPPORT | libc::ENODEV))
}

#[cfg(not(unix))]
fn is_without_family(_: &Error) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_says_which_addresses_are_here() {
        for (address, here) in [
            ("127.0.0.1:53", true),
            ("0.0.0.0:53", true),
            ("192.0.2.77:53", false),
            ("[2001:db8::77]:53", false),
            ("[fe80::1%4294967295]:53", false),
        ] {
            assert_eq!(is_here(address.parse().unwrap()), here, "{address}");
        }
    }
}
