//! One end of the cable: a raw socket on a network interface.

use std::fmt;
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::str::FromStr;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::namespace;
use super::offload;
use super::packet::ETHERNET;

const BATCH: usize = 64;
/// A frame longer than this is too long for the other end anyway.
const LONGEST: usize = 9216 + ETHERNET;
const CONTROL: usize = 64;
/// Bursts wait here while the processor is busy elsewhere.
const RECEIVE_BUFFER: libc::c_int = 32 << 20;
/// A packet that seems to have waited longer than this arrived before the system's clock was set.
const LONGEST_WAIT: Duration = Duration::from_millis(100);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndName {
    namespace: Option<String>,
    interface: String,
}

impl FromStr for EndName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (namespace, interface) = match text.split_once(':') {
            Some((namespace, interface)) => (Some(namespace), interface),
            None => (None, text),
        };
        let is_name = |name: &str| !name.is_empty() && !name.contains(['/', ':']);
        if !is_name(interface) || interface.len() > 15 || !namespace.is_none_or(is_name) {
            return Err(
                "not an interface: write IFACE, or NETNS:IFACE with the name that ip netns shows".into()
            );
        }
        Ok(EndName { namespace: namespace.map(str::to_owned), interface: interface.to_owned() })
    }
}

impl fmt::Display for EndName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(out, "{namespace}:{}", self.interface),
            None => out.write_str(&self.interface),
        }
    }
}

impl EndName {
    /// Makes packets leave this interface as they look on a real link. For the stations that the cable connects; the cable's own
    /// ends are treated so when they are opened.
    pub fn make_plain(&self) -> Result<(), String> {
        self.inside(|| {
            let socket = packet_socket()?;
            offload::switch_off(socket.as_fd(), &self.interface)
        })
    }

    fn inside<T: Send>(&self, open: impl FnOnce() -> io::Result<T> + Send) -> Result<T, String> {
        namespace::inside(self.namespace.as_deref(), || {
            open().map_err(|error| match error.raw_os_error() {
                Some(libc::EPERM) => format!("{self}: raw sockets need root (CAP_NET_RAW and CAP_NET_ADMIN)"),
                Some(libc::ENODEV) => format!("{self}: there is no such interface (ip link)"),
                Some(libc::ENETDOWN) => {
                    format!("{self} is down: ip link set {} up", self.interface)
                }
                _ => format!("{self}: {error}"),
            })
        })
    }
}

#[derive(Debug)]
pub struct End {
    pub name: EndName,
    socket: OwnedFd,
    /// the longest frame it takes
    longest: usize,
}

impl End {
    pub fn open(name: &EndName) -> Result<Self, String> {
        let (socket, mtu) = name.inside(|| open(&name.interface))?;
        Ok(End { name: name.clone(), socket, longest: mtu + ETHERNET })
    }

    pub fn takes(&self, octets: usize) -> bool {
        octets <= self.longest
    }

    pub fn send(&self, frame: &[u8]) -> io::Result<()> {
        // SAFETY: the frame is valid for its length
        let sent = unsafe { libc::send(self.socket.as_raw_fd(), frame.as_ptr().cast(), frame.len(), 0) };
        if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Whether the interface was removed; false if it is only down.
    pub fn is_gone(&self) -> bool {
        let mut request = offload::named(&self.name.interface);
        // SAFETY: the kernel reads the name and writes an integer into the request
        unsafe { libc::ioctl(self.socket.as_raw_fd(), libc::SIOCGIFINDEX as _, &raw mut request) != 0 }
    }

    /// Packets that came while the buffer was full, since the last call.
    pub fn missed(&self) -> u64 {
        // SAFETY: zero is a value of each of its integers
        let mut statistics: libc::tpacket_stats = unsafe { zeroed() };
        let mut length = size_of::<libc::tpacket_stats>() as libc::socklen_t;
        // SAFETY: the kernel writes at most `length` octets there
        unsafe {
            libc::getsockopt(
                self.socket.as_raw_fd(),
                libc::SOL_PACKET,
                libc::PACKET_STATISTICS,
                (&raw mut statistics).cast(),
                &raw mut length,
            );
        }
        u64::from(statistics.tp_drops)
    }
}

impl AsFd for End {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn packet_socket() -> io::Result<OwnedFd> {
    let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: plain integers; protocol 0 receives nothing before it is bound
    let socket = unsafe { libc::socket(libc::AF_PACKET, kind, 0) };
    if socket < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: just opened, and ours alone
    Ok(unsafe { OwnedFd::from_raw_fd(socket) })
}

fn open(interface: &str) -> io::Result<(OwnedFd, usize)> {
    let socket = packet_socket()?;
    let about = |request: libc::c_ulong| {
        let mut answer = offload::named(interface);
        // SAFETY: the kernel reads the name and writes its answer into the same request
        match unsafe { libc::ioctl(socket.as_raw_fd(), request as _, &raw mut answer) } {
            0 => Ok(answer.ifr_ifru),
            _ => Err(io::Error::last_os_error()),
        }
    };
    // SAFETY: each request fills the field that is read
    let (index, flags, mtu) = unsafe {
        let index = about(libc::SIOCGIFINDEX as _)?.ifru_ifindex;
        let flags = about(libc::SIOCGIFFLAGS as _)?.ifru_flags;
        (index, flags, about(libc::SIOCGIFMTU as _)?.ifru_mtu)
    };
    if i32::from(flags) & libc::IFF_UP == 0 {
        return Err(io::Error::from_raw_os_error(libc::ENETDOWN));
    }
    offload::switch_off(socket.as_fd(), interface)?;
    let on: libc::c_int = 1;
    set(&socket, libc::SOL_PACKET, libc::PACKET_IGNORE_OUTGOING, &on)?;
    set(&socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, &on)?;
    set(&socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &RECEIVE_BUFFER)?;
    let everything = libc::packet_mreq {
        mr_ifindex: index,
        mr_type: libc::PACKET_MR_PROMISC as _,
        mr_alen: 0,
        mr_address: [0; 8],
    };
    set(&socket, libc::SOL_PACKET, libc::PACKET_ADD_MEMBERSHIP, &everything)?;
    bind(&socket, index)?;
    Ok((socket, mtu as usize))
}

fn bind(socket: &OwnedFd, index: i32) -> io::Result<()> {
    // SAFETY: zero is a value of each of its integers
    let mut address: libc::sockaddr_ll = unsafe { zeroed() };
    address.sll_family = libc::AF_PACKET as _;
    address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
    address.sll_ifindex = index;
    let length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
    // SAFETY: the kernel reads `length` octets of the address
    match unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn set<T>(socket: &OwnedFd, level: libc::c_int, option: libc::c_int, value: &T) -> io::Result<()> {
    let length = size_of::<T>() as libc::socklen_t;
    // SAFETY: the kernel reads `length` octets of the value
    match unsafe {
        libc::setsockopt(socket.as_raw_fd(), level, option, std::ptr::from_ref(value).cast(), length)
    } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Room for what one call reads.
pub struct Batch {
    frames: Vec<[u8; LONGEST]>,
    controls: Vec<[u64; CONTROL / 8]>,
}

impl Default for Batch {
    fn default() -> Self {
        Batch { frames: vec![[0; LONGEST]; BATCH], controls: vec![[0; CONTROL / 8]; BATCH] }
    }
}

/// A frame that `Batch::receive` has read.
pub struct Received<'a> {
    /// cut where it is longer than any cable carries
    pub frame: &'a [u8],
    pub whole: bool,
    /// when it reached the interface
    pub at: Instant,
}

impl Batch {
    /// Reads what is there and hands it on frame by frame; returns whether there may be more.
    pub fn receive(&mut self, end: &End, mut take: impl FnMut(Received<'_>)) -> io::Result<bool> {
        let mut vectors: Vec<libc::iovec> = self
            .frames
            .iter_mut()
            .map(|frame| libc::iovec { iov_base: frame.as_mut_ptr().cast(), iov_len: LONGEST })
            .collect();
        let mut headers: Vec<libc::mmsghdr> = vectors
            .iter_mut()
            .zip(&mut self.controls)
            .map(|(vector, control)| {
                // SAFETY: zero is a value of each of its fields
                let mut header: libc::mmsghdr = unsafe { zeroed() };
                header.msg_hdr.msg_iov = vector;
                header.msg_hdr.msg_iovlen = 1;
                header.msg_hdr.msg_control = control.as_mut_ptr().cast();
                header.msg_hdr.msg_controllen = CONTROL as _;
                header
            })
            .collect();
        let flags = libc::MSG_DONTWAIT | libc::MSG_TRUNC;
        // SAFETY: every header points to a frame and a control buffer of the lengths it states, which live until the end
        let count = unsafe {
            let socket = end.socket.as_raw_fd();
            libc::recvmmsg(socket, headers.as_mut_ptr(), BATCH as _, flags as _, std::ptr::null_mut())
        };
        if count < 0 {
            let error = io::Error::last_os_error();
            return if error.kind() == io::ErrorKind::WouldBlock { Ok(false) } else { Err(error) };
        }
        let (now, clock) = (Instant::now(), SystemTime::now());
        for (header, frame) in headers[..count as usize].iter().zip(&self.frames) {
            let length = header.msg_len as usize;
            let waited = arrival(&header.msg_hdr).and_then(|at| clock.duration_since(at).ok());
            let waited = waited.filter(|waited| *waited <= LONGEST_WAIT).unwrap_or_default();
            let frame = &frame[..length.min(LONGEST)];
            take(Received { frame, whole: length <= LONGEST, at: now.checked_sub(waited).unwrap_or(now) });
        }
        Ok(count as usize == BATCH)
    }
}

fn arrival(header: &libc::msghdr) -> Option<SystemTime> {
    // SAFETY: the kernel filled the control buffer; the timestamp is copied from where the macros say it is
    let stamp = unsafe {
        let control = libc::CMSG_FIRSTHDR(header).as_ref()?;
        if (control.cmsg_level, control.cmsg_type) != (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS) {
            return None;
        }
        libc::CMSG_DATA(control).cast::<libc::timespec>().read_unaligned()
    };
    Some(UNIX_EPOCH + Duration::new(stamp.tv_sec.try_into().ok()?, stamp.tv_nsec.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_named_with_or_without_a_namespace() {
        for text in ["eth0", "lab:eth0"] {
            assert_eq!(text.parse::<EndName>().unwrap().to_string(), text);
        }
        for text in ["", ":eth0", "lab:", "a:b:c", "../x:eth0", "a-name-far-too-long"] {
            assert!(text.parse::<EndName>().unwrap_err().contains("NETNS:IFACE"), "{text}");
        }
    }

    #[test]
    fn a_namespace_that_is_not_there_is_named() {
        let error = End::open(&"no-such-lab:eth0".parse().unwrap()).unwrap_err();
        assert!(error.contains("no-such-lab") && error.contains("ip netns list"), "{error}");
    }
}
