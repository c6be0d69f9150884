//! Places where nobody listens.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::sync::atomic::{AtomicU16, Ordering};

/// The system gives sockets that name no port a higher one, so that none of them comes here, whatever address it has.
const FIRST_PORT: u16 = 10_000;
const PORTS: u16 = 20_000;

/// Nobody listens there, over UDP or TCP, and no other test will: the address is this process's, and the port this call's.
pub fn nobody() -> SocketAddr {
    // a number of a process has 22 bits
    let [_, high, middle, low] = std::process::id().to_be_bytes();
    nobody_at(Ipv4Addr::new(127, 64 | (high & 63), middle, low).into())
}

/// The same of this address, which other processes may have, too: they begin with other ports.
pub fn nobody_at(ip: IpAddr) -> SocketAddr {
    static TAKEN: AtomicU16 = AtomicU16::new(0);
    let of_process = (std::process::id() % 997) * 20;
    loop {
        let offset = of_process + u32::from(TAKEN.fetch_add(1, Ordering::Relaxed));
        let place = SocketAddr::new(ip, FIRST_PORT + (offset % u32::from(PORTS)) as u16);
        if UdpSocket::bind(place).is_ok() && TcpListener::bind(place).is_ok() {
            return place;
        }
    }
}
