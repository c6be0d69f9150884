//! Which user and which control group hold a local socket. The kernel says so for one exact socket in a few microseconds, to anybody
//! (sock_diag(7)); nothing is searched for. A socket that is gone, or that may be another's, has no holder.

#[cfg(target_os = "linux")]
mod control_groups;
#[cfg(target_os = "linux")]
mod conversation;
#[cfg(target_os = "linux")]
mod executables;
#[cfg(target_os = "linux")]
mod kernel;
#[cfg(target_os = "linux")]
mod message;
#[cfg(target_os = "linux")]
mod sockets;
#[cfg(target_os = "linux")]
mod system_units;

#[cfg(not(target_os = "linux"))]
mod elsewhere;

pub mod accounts;
pub mod program;

use std::net::SocketAddr;
use std::sync::Arc;

#[cfg(target_os = "linux")]
pub use {
    control_groups::ControlGroups, conversation::Conversation, executables::Executables, kernel::Kernel,
    system_units::SystemUnits,
};

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{ControlGroups, Executables, Kernel, SystemUnits};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protocol {
    Udp,
    Tcp,
}

/// A socket as the one that received from it sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    pub protocol: Protocol,
    /// where it sent from
    pub address: SocketAddr,
    /// where it sent to
    pub to: SocketAddr,
}

/// What the kernel says of a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Holder {
    pub user: u32,
    /// of the socket; `/proc/PID/fd` of a process that has it open shows `socket:[inode]`
    pub inode: u32,
    /// its number in the unified hierarchy, which is the inode of its folder; `None`: the kernel has none
    pub cgroup: Option<u64>,
}

/// Whether a control group is of one of some units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnitFound {
    Named(Arc<str>),
    /// of none of them
    Other,
    Unknown,
}

/// One of this network namespace. Addresses of IPv4 inside IPv6 are shown as what they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Socket {
    pub protocol: Protocol,
    pub local: SocketAddr,
    /// unspecified where it waits for others
    pub remote: SocketAddr,
    /// it listens, or is a datagram socket that is connected to none
    pub waits: bool,
    pub holder: Holder,
}

#[derive(Debug, Clone)]
pub struct Sockets {
    pub all: Vec<Socket>,
    /// false: there were more
    pub is_whole: bool,
}
