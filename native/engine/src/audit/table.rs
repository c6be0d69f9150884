//! The connections that were seen, and those that are listed. Each is judged once, when it is seen first.

use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, SocketAddr};
use std::time::Instant;

use sotto_attribution::{Holder, Protocol, Socket, Sockets};

use super::given::Memory;
use super::judge::{Kind, Waiting, kind};
use super::listed::{Listed, Place};
use super::report::{AuditProgram, AuditSeen, Standing};

/// More than one look brings. Beyond it, where sockets are so many that not all are read, what is known begins anew.
const MOST_KNOWN: usize = 65_536;

pub struct Table {
    beginning: u64,
    /// what is seen now is older than the audit
    is_first: bool,
    looks: u64,
    known: HashMap<Connection, Known>,
    listed: Listed,
}

/// What the kernel told at one moment.
pub struct Looked<'a> {
    /// of the audit
    pub beginning: u64,
    pub sockets: &'a Sockets,
    /// the inodes of our own sockets
    pub own: &'a HashSet<u32>,
    /// unix milliseconds
    pub now: u64,
}

#[derive(PartialEq, Eq, Hash)]
struct Connection {
    protocol: Protocol,
    local: SocketAddr,
    remote: SocketAddr,
    inode: u32,
}

struct Known {
    /// the number of the look
    last_seen: u64,
    is: Is,
}

enum Is {
    Named,
    Accepted,
    Listed(Place),
}

impl Table {
    pub fn new(now: Instant) -> Self {
        Self { beginning: 0, is_first: true, looks: 0, known: HashMap::new(), listed: Listed::new(now) }
    }

    pub fn beginning(&self) -> u64 {
        self.beginning
    }

    pub fn programs(&self) -> Vec<AuditProgram> {
        self.listed.programs()
    }

    /// Addresses that had to make room for others.
    pub fn left_out(&self) -> u64 {
        self.listed.left_out
    }

    /// `memory`: what is known of an address; `None`: the audit began anew, and so this ends.
    pub fn look(
        &mut self,
        looked: &Looked<'_>,
        memory: impl Fn(IpAddr) -> Option<Memory>,
    ) -> Option<AuditSeen> {
        self.begin(looked.beginning);
        self.looks += 1;
        self.listed.all_closed();
        let mut seen = AuditSeen { is_whole: looked.sockets.is_whole, ..AuditSeen::default() };
        let waiting = Waiting::among(&looked.sockets.all);
        for socket in &looked.sockets.all {
            match kind(socket, &waiting) {
                Kind::Waits => {}
                Kind::Nearby => seen.nearby += 1,
                _ if looked.own.contains(&socket.holder.inode) => seen.own += 1,
                kind => match self.judged(socket, kind, looked.now, &memory)? {
                    Is::Named => seen.named += 1,
                    Is::Accepted => seen.accepted += 1,
                    Is::Listed(_) => seen.listed += 1,
                },
            }
        }
        self.is_first = false;
        self.forget_closed(looked.sockets.is_whole);
        Some(seen)
    }

    fn begin(&mut self, beginning: u64) {
        if self.beginning != beginning {
            (self.beginning, self.is_first) = (beginning, true);
            self.known = HashMap::new();
            self.listed.clear();
        }
    }

    fn judged(
        &mut self,
        socket: &Socket,
        kind: Kind,
        now: u64,
        memory: impl Fn(IpAddr) -> Option<Memory>,
    ) -> Option<&Is> {
        let Socket { protocol, local, remote, holder, .. } = *socket;
        let connection = Connection { protocol, local, remote, inode: holder.inode };
        if let Some(known) = self.known.get_mut(&connection) {
            known.last_seen = self.looks;
            if let Is::Listed(place) = &known.is {
                self.listed.still_open(place, now);
            }
        } else {
            let is = self.judge(kind, remote, protocol, holder, now, memory)?;
            self.known.insert(
                Connection { protocol, local, remote, inode: holder.inode },
                Known { last_seen: self.looks, is },
            );
        }
        self.known.get(&connection).map(|known| &known.is)
    }

    fn judge(
        &mut self,
        kind: Kind,
        remote: SocketAddr,
        protocol: Protocol,
        holder: Holder,
        now: u64,
        memory: impl Fn(IpAddr) -> Option<Memory>,
    ) -> Option<Is> {
        let standing = match memory(remote.ip())? {
            _ if kind == Kind::Accepted => return Some(Is::Accepted),
            Memory::Given => return Some(Is::Named),
            _ if self.is_first => Standing::Older,
            Memory::Forgotten => Standing::Forgotten,
            Memory::NotGiven => Standing::Nameless,
        };
        Some(Is::Listed(self.listed.open(holder, remote, protocol, standing, now)))
    }

    /// Where not all sockets were read, one that was not seen may still be open.
    fn forget_closed(&mut self, is_whole: bool) {
        let looks = self.looks;
        if is_whole {
            self.known.retain(|_, known| known.last_seen == looks);
        } else if self.known.len() > MOST_KNOWN {
            self.known.clear();
            self.is_first = true;
        }
    }
}
