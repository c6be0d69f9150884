//! `recvmmsg` and `sendmmsg`. What the kernel is shown stays in place from one call to the next: only what changed is written.

use std::io::{Error, Result};
use std::mem::zeroed;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::os::fd::AsRawFd;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use libc::{
    AF_INET, AF_INET6, MSG_DONTWAIT, SCM_TIMESTAMPNS, SO_TIMESTAMPNS, SOL_SOCKET, c_int, cmsghdr, in_addr,
    in6_addr, iovec, mmsghdr, sa_family_t, sockaddr_in, sockaddr_in6, socklen_t, timespec,
};
use tokio::net::UdpSocket;

use super::{BATCH, Datagram, LARGEST_QUERY};

pub struct Receiving {
    octets: Vec<[u8; LARGEST_QUERY]>,
    notes: Vec<Note>,
    slots: Slots,
}

pub struct Sending(Slots);

/// One of each for every datagram of a batch; the headers lead to names and vectors.
struct Slots {
    headers: Vec<mmsghdr>,
    vectors: Vec<iovec>,
    names: Vec<SocketName>,
}

/// What the kernel says beside a datagram: one message with the time at which it received it, if asked to (socket(7)).
#[derive(Clone, Copy)]
#[repr(C)]
struct Note {
    header: cmsghdr,
    time: timespec,
}

/// Begins with its family, whichever it is.
#[derive(Clone, Copy)]
union SocketName {
    family: sa_family_t,
    v4: sockaddr_in,
    v6: sockaddr_in6,
}

// SAFETY: its pointers lead to memory that belongs to it, or are written anew before they are used
unsafe impl Send for Slots {}
// SAFETY: nothing is read through a shared reference
unsafe impl Sync for Slots {}

impl Slots {
    fn new() -> Self {
        // SAFETY: all-zero is a valid value of these C structures
        let (header, vector, name): (mmsghdr, iovec, SocketName) = unsafe { zeroed() };
        let mut slots =
            Self { headers: vec![header; BATCH], vectors: vec![vector; BATCH], names: vec![name; BATCH] };
        let (vectors, names) = (slots.vectors.as_mut_ptr(), slots.names.as_mut_ptr());
        for (index, header) in slots.headers.iter_mut().enumerate() {
            header.msg_hdr.msg_iov = vectors.wrapping_add(index);
            header.msg_hdr.msg_iovlen = 1;
            header.msg_hdr.msg_name = names.wrapping_add(index).cast();
            header.msg_hdr.msg_namelen = size_of::<SocketName>() as socklen_t;
        }
        slots
    }
}

impl Receiving {
    pub fn new() -> Self {
        // SAFETY: all-zero is a valid value of these C structures
        let note: Note = unsafe { zeroed() };
        let octets = vec![[0; LARGEST_QUERY]; BATCH];
        let mut receiving = Self { octets, notes: vec![note; BATCH], slots: Slots::new() };
        for (vector, octets) in receiving.slots.vectors.iter_mut().zip(&mut receiving.octets) {
            *vector = iovec { iov_base: octets.as_mut_ptr().cast(), iov_len: LARGEST_QUERY };
        }
        for (header, note) in receiving.slots.headers.iter_mut().zip(&mut receiving.notes) {
            header.msg_hdr.msg_control = std::ptr::from_mut(note).cast();
            header.msg_hdr.msg_controllen = size_of::<Note>();
        }
        receiving
    }

    pub fn octets(&self, index: usize, length: usize) -> &[u8] {
        &self.octets[index][..length]
    }

    /// Adds each datagram that waits.
    pub fn receive(&mut self, socket: &UdpSocket, received: &mut Vec<Datagram>) -> Result<()> {
        let headers = self.slots.headers.as_mut_ptr();
        // SAFETY: every pointer in the headers leads to memory of ours, which the kernel may write to until it returns
        let count = unsafe {
            libc::recvmmsg(socket.as_raw_fd(), headers, BATCH as u32, MSG_DONTWAIT as _, std::ptr::null_mut())
        };
        let filled = &mut self.slots.headers[..count_or_error(count)?];
        for ((header, name), note) in filled.iter_mut().zip(&self.slots.names).zip(&self.notes) {
            // the kernel wrote how long they are
            header.msg_hdr.msg_namelen = size_of::<SocketName>() as socklen_t;
            let noted = std::mem::replace(&mut header.msg_hdr.msg_controllen, size_of::<Note>());
            let received_at = if noted == 0 { None } else { note.time() };
            received.push(Datagram {
                length: header.msg_len as usize,
                from: read_name(name),
                received: received_at,
            });
        }
        Ok(())
    }
}

impl Sending {
    pub fn new() -> Self {
        Self(Slots::new())
    }

    /// Returns how many were sent.
    pub fn send(&mut self, socket: &UdpSocket, responses: &[Vec<u8>], to: &[SocketAddr]) -> Result<usize> {
        let Slots { headers, vectors, names } = &mut self.0;
        for (index, (response, to)) in responses.iter().zip(to).enumerate() {
            vectors[index] = iovec { iov_base: response.as_ptr().cast_mut().cast(), iov_len: response.len() };
            headers[index].msg_hdr.msg_namelen = write_name(&mut names[index], *to);
        }
        // SAFETY: every pointer leads to memory that lives until the call returns; the kernel only reads what it leads to
        let count = unsafe {
            libc::sendmmsg(
                socket.as_raw_fd(),
                headers.as_mut_ptr(),
                responses.len() as u32,
                MSG_DONTWAIT as _,
            )
        };
        count_or_error(count)
    }
}

impl Note {
    fn time(&self) -> Option<SystemTime> {
        if (self.header.cmsg_level, self.header.cmsg_type) != (SOL_SOCKET, SCM_TIMESTAMPNS) {
            return None;
        }
        let seconds = u64::try_from(self.time.tv_sec).ok()?;
        let nanoseconds = u32::try_from(self.time.tv_nsec).ok()?;
        UNIX_EPOCH.checked_add(Duration::new(seconds, nanoseconds))
    }
}

/// Where it is refused, no datagram has a time.
pub fn tell_times(socket: &UdpSocket) {
    let yes: c_int = 1;
    let (value, length) = (std::ptr::from_ref(&yes).cast(), size_of::<c_int>() as socklen_t);
    // SAFETY: pointer and length are of one number, which is only read
    unsafe {
        libc::setsockopt(socket.as_raw_fd(), SOL_SOCKET, SO_TIMESTAMPNS, value, length);
    }
}

fn read_name(name: &SocketName) -> SocketAddr {
    // SAFETY: every name is written before it is read, by the kernel or as zeros, and is as its family says
    unsafe {
        match c_int::from(name.family) {
            AF_INET => {
                let address = Ipv4Addr::from(name.v4.sin_addr.s_addr.to_ne_bytes());
                SocketAddrV4::new(address, u16::from_be(name.v4.sin_port)).into()
            }
            AF_INET6 => {
                let (address, port) = (Ipv6Addr::from(name.v6.sin6_addr.s6_addr), name.v6.sin6_port);
                let (flow, scope) = (name.v6.sin6_flowinfo, name.v6.sin6_scope_id);
                SocketAddrV6::new(address, u16::from_be(port), flow, scope).into()
            }
            // an address that is none can't be answered; port 0 takes no response
            _ => ([0, 0, 0, 0], 0).into(),
        }
    }
}

fn write_name(name: &mut SocketName, address: SocketAddr) -> socklen_t {
    match address {
        SocketAddr::V4(address) => {
            name.v4 = sockaddr_in {
                sin_family: AF_INET as sa_family_t,
                sin_port: address.port().to_be(),
                sin_addr: in_addr { s_addr: u32::from_ne_bytes(address.ip().octets()) },
                sin_zero: [0; 8],
            };
            size_of::<sockaddr_in>() as socklen_t
        }
        SocketAddr::V6(address) => {
            name.v6 = sockaddr_in6 {
                sin6_family: AF_INET6 as sa_family_t,
                sin6_port: address.port().to_be(),
                sin6_flowinfo: address.flowinfo(),
                sin6_addr: in6_addr { s6_addr: address.ip().octets() },
                sin6_scope_id: address.scope_id(),
            };
            size_of::<sockaddr_in6>() as socklen_t
        }
    }
}

fn count_or_error(count: c_int) -> Result<usize> {
    usize::try_from(count).map_err(|_| Error::last_os_error())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_comes_back_as_it_was_written() {
        // SAFETY: all-zero is a valid value of these C structures
        let mut name: SocketName = unsafe { zeroed() };
        for text in ["192.0.2.1:53", "[2001:db8::1]:853", "[fe80::1%7]:5353"] {
            let address: SocketAddr = text.parse().unwrap();
            write_name(&mut name, address);
            assert_eq!(read_name(&name), address);
        }
    }
}
