//! Switches off what a network driver does in the kernel's place. Otherwise a veth hands over packets of 64 kB, which no real link
//! carries, and checksums that were never computed.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

const SIOCETHTOOL: libc::c_ulong = 0x8946;
/// ETHTOOL_STXCSUM, STSO, SGSO, SGRO of linux/ethtool.h.
const SWITCHES: [u32; 4] = [0x17, 0x1f, 0x24, 0x2c];

#[repr(C)]
struct EthtoolValue {
    command: u32,
    data: u32,
}

/// `socket` decides the network namespace. What a driver does not have counts as off.
pub fn switch_off(socket: BorrowedFd<'_>, interface: &str) -> io::Result<()> {
    for command in SWITCHES {
        let mut value = EthtoolValue { command, data: 0 };
        let mut request = named(interface);
        request.ifr_ifru.ifru_data = (&raw mut value).cast();
        // SAFETY: the kernel reads the name and the value, both of which outlive the call
        if unsafe { libc::ioctl(socket.as_raw_fd(), SIOCETHTOOL as _, &raw mut request) } != 0 {
            let error = io::Error::last_os_error();
            if error.raw_os_error() != Some(libc::EOPNOTSUPP) {
                return Err(error);
            }
        }
    }
    Ok(())
}

/// A request about this interface; a name too long is cut, and then known to nobody.
pub fn named(interface: &str) -> libc::ifreq {
    // SAFETY: an ifreq is octets and integers, for which zero is a value
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    let room = request.ifr_name.len() - 1;
    for (to, from) in request.ifr_name[..room].iter_mut().zip(interface.bytes()) {
        *to = from as libc::c_char;
    }
    request
}
