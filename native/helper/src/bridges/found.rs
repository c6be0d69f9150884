//! Docker's bridges, and the address at which containers of all of them ask.

use std::ffi::CStr;
use std::fs;
use std::net::Ipv4Addr;
use std::os::fd::AsRawFd;
use std::path::Path;

use rustix::net::{AddressFamily, SocketType, socket};

const LINKS: &str = "/sys/class/net";
/// Docker's default network; the bridges of others are called "br-" and twelve hexadecimal digits.
const DOCKER: &str = "docker0";
const OTHER: &str = "br-";
const OTHER_DIGITS: usize = 12;
const MOST: usize = 64;

const VIRTUAL_CABLE: &str = "veth";
/// ETHTOOL_GDRVINFO, and the octets of its struct: the number of the request, then the driver's name in 32 octets
const GET_DRIVER: u32 = 3;
const DRIVER_INFORMATION: usize = 196;

#[derive(Debug, PartialEq, Eq, Hash, Clone)]
pub struct Bridge {
    pub name: String,
    /// a bridge that was made anew has another one
    pub index: u32,
    pub address: Ipv4Addr,
}

pub fn bridges() -> Vec<Bridge> {
    let Some(address) = docker_address() else { return vec![] };
    let Ok(links) = fs::read_dir(LINKS) else { return vec![] };
    let names = links.filter_map(Result::ok).filter_map(|link| link.file_name().into_string().ok());
    names
        .filter(|name| is_dockers(name) && has_containers_alone(&Path::new(LINKS).join(name)))
        .take(MOST)
        .filter_map(|name| {
            let index = fs::read_to_string(Path::new(LINKS).join(&name).join("ifindex")).ok()?;
            Some(Bridge { index: index.trim().parse().ok()?, name, address })
        })
        .collect()
}

pub fn docker_address() -> Option<Ipv4Addr> {
    if !has_containers_alone(&Path::new(LINKS).join(DOCKER)) {
        return None;
    }
    let mut first: *mut libc::ifaddrs = std::ptr::null_mut();
    // SAFETY: the list is written to `first`, and freed below
    if unsafe { libc::getifaddrs(&raw mut first) } != 0 {
        return None;
    }
    // SAFETY: each entry is the list's, or null at its end
    let all = std::iter::successors(unsafe { first.as_ref() }, |one| unsafe { one.ifa_next.as_ref() });
    let found = all.filter(|one| is_named(one, DOCKER)).find_map(ipv4_of);
    // SAFETY: nothing of the list is used any more
    unsafe { libc::freeifaddrs(first) };
    found
}

fn is_named(one: &libc::ifaddrs, name: &str) -> bool {
    // SAFETY: each entry has a name
    unsafe { CStr::from_ptr(one.ifa_name) }.to_bytes() == name.as_bytes()
}

fn ipv4_of(one: &libc::ifaddrs) -> Option<Ipv4Addr> {
    // SAFETY: null, or an address of the family that its first field names
    let family = unsafe { one.ifa_addr.as_ref() }?.sa_family;
    if i32::from(family) != libc::AF_INET {
        return None;
    }
    // SAFETY: an address of IPv4, as was just seen
    let address = unsafe { one.ifa_addr.cast::<libc::sockaddr_in>().read_unaligned() };
    Some(Ipv4Addr::from(u32::from_be(address.sin_addr.s_addr)))
}

fn is_dockers(name: &str) -> bool {
    let is_other =
        |digits: &str| digits.len() == OTHER_DIGITS && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    name == DOCKER || name.strip_prefix(OTHER).is_some_and(is_other)
}

/// A bridge with any other link in it leads to other computers. Docker puts ends of virtual cables into its bridges.
fn has_containers_alone(link: &Path) -> bool {
    let Ok(ports) = fs::read_dir(link.join("brif")) else { return false };
    ports
        .filter_map(Result::ok)
        .all(|port| port.file_name().to_str().and_then(driver).is_some_and(|driver| driver == VIRTUAL_CABLE))
}

/// As ethtool(8) names it; no file says whether a link is the end of a virtual cable.
fn driver(link: &str) -> Option<String> {
    let mut information = [0_u8; DRIVER_INFORMATION];
    information[..4].copy_from_slice(&GET_DRIVER.to_ne_bytes());
    let mut request = Request::about(link)?;
    request.0.ifr_ifru.ifru_data = information.as_mut_ptr().cast();
    request.send(libc::SIOCETHTOOL as _)?;
    let name: Vec<u8> = information[4..36].iter().copied().take_while(|octet| *octet != 0).collect();
    String::from_utf8(name).ok()
}

/// To the kernel, about one link.
struct Request(libc::ifreq);

impl Request {
    fn about(link: &str) -> Option<Self> {
        // SAFETY: all zeros are a valid request
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        if link.len() >= request.ifr_name.len() {
            return None;
        }
        for (to, from) in request.ifr_name.iter_mut().zip(link.bytes()) {
            *to = from as libc::c_char;
        }
        Some(Self(request))
    }

    fn send(&mut self, what: libc::Ioctl) -> Option<()> {
        // of a family that also the helper's sandbox allows
        let socket = socket(AddressFamily::UNIX, SocketType::DGRAM, None).ok()?;
        // SAFETY: what the kernel reads and writes is in the request, or in what it points to, and both live until after the call
        let answered = unsafe { libc::ioctl(socket.as_raw_fd(), what, &raw mut self.0) };
        (answered == 0).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dockers_names_count() {
        for name in ["docker0", "br-0123456789ab", "br-abcdefabcdef"] {
            assert!(is_dockers(name), "{name}");
        }
        for name in
            ["docker1", "br-lan", "br-0123456789a", "br-0123456789abc", "br-0123456789ag", "eth0", "lo"]
        {
            assert!(!is_dockers(name), "{name}");
        }
    }
}
