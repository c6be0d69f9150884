//! The connections that were seen, and those that are listed. Each is judged once, when it is seen first.

use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, SocketAddr};
use std::time::Instant;

use sotto_attribution::{Protocol, Socket, Sockets};

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

#[derive(Clone, PartialEq, Eq, Hash)]
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
        match self.known.get_mut(&connection) {
            Some(known) => {
                known.last_seen = self.looks;
                if let Is::Listed(place) = &known.is {
                    self.listed.still_open(place, now);
                }
            }
            None => {
                let is = self.judge(socket, kind, now, memory)?;
                self.known.insert(connection.clone(), Known { last_seen: self.looks, is });
            }
        }
        self.known.get(&connection).map(|known| &known.is)
    }

    fn judge(
        &mut self,
        socket: &Socket,
        kind: Kind,
        now: u64,
        memory: impl Fn(IpAddr) -> Option<Memory>,
    ) -> Option<Is> {
        let standing = match memory(socket.remote.ip())? {
            _ if kind == Kind::Accepted => return Some(Is::Accepted),
            Memory::Given => return Some(Is::Named),
            _ if self.is_first => Standing::Older,
            Memory::Forgotten => Standing::Forgotten,
            Memory::NotGiven => Standing::Nameless,
        };
        Some(Is::Listed(self.listed.open(socket, standing, now)))
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

#[cfg(test)]
mod tests {
    use super::*;
    use sotto_attribution::Holder;

    const SSH: &str = "203.0.113.5:22";

    fn holder(user: u32, inode: u32) -> Holder {
        Holder { user, inode, cgroup: None }
    }

    fn socket(inode: u32, remote: &str) -> Socket {
        let local = format!("192.168.1.5:{}", 40_000 + inode).parse().unwrap();
        let remote = remote.parse().unwrap();
        Socket { protocol: Protocol::Tcp, local, remote, waits: false, holder: holder(64_001, inode) }
    }

    fn accepted(inode: u32) -> Socket {
        Socket { local: SSH.parse().unwrap(), ..socket(inode, "198.51.100.9:50000") }
    }

    fn waiting() -> Socket {
        let remote = "0.0.0.0:0".parse().unwrap();
        Socket { local: SSH.parse().unwrap(), remote, waits: true, ..socket(900, SSH) }
    }

    /// Addresses of 203.0.113.0/24 were given.
    fn memory(address: IpAddr) -> Option<Memory> {
        Some(if address.to_string().starts_with("203.0.113.") { Memory::Given } else { Memory::NotGiven })
    }

    struct Stage {
        table: Table,
        now: u64,
        beginning: u64,
    }

    impl Stage {
        /// After the first look, at which there was nothing.
        fn open() -> Self {
            let mut stage = Self { table: Table::new(Instant::now()), now: 0, beginning: 1 };
            stage.look(&[]);
            stage
        }

        fn look(&mut self, all: &[Socket]) -> AuditSeen {
            self.look_with(all, true, memory).unwrap()
        }

        fn look_with(
            &mut self,
            all: &[Socket],
            is_whole: bool,
            memory: impl Fn(IpAddr) -> Option<Memory>,
        ) -> Option<AuditSeen> {
            self.now += 1;
            let sockets = Sockets { all: all.to_vec(), is_whole };
            let (own, beginning) = (HashSet::from([777]), self.beginning);
            self.table.look(&Looked { beginning, sockets: &sockets, own: &own, now: self.now }, memory)
        }

        /// Address, standing, connections, open ones, first and last seen.
        fn rows(&self) -> Vec<(String, Standing, u64, usize, u64, u64)> {
            let programs = self.table.programs();
            let rows = programs.iter().flat_map(|program| &program.addresses).map(|row| {
                let address = format!("{}:{}", row.address, row.port);
                (address, row.standing, row.connections, row.open, row.first_seen, row.last_seen)
            });
            rows.collect()
        }
    }

    #[test]
    fn what_no_response_gave_is_listed() {
        let mut stage = Stage::open();
        let sockets = [
            socket(1, "203.0.113.7:443"),
            socket(2, "198.51.100.1:443"),
            socket(3, "198.51.100.1:443"),
            socket(777, "198.51.100.2:853"),
            socket(4, "192.168.1.1:53"),
            accepted(5),
            waiting(),
        ];
        let seen = AuditSeen { named: 1, listed: 2, accepted: 1, nearby: 1, own: 1, is_whole: true };
        assert_eq!(stage.look(&sockets), seen);
        let row =
            |open, last_seen| [("198.51.100.1:443".to_owned(), Standing::Nameless, 2, open, 2, last_seen)];
        assert_eq!(stage.rows(), row(2, 2));
        stage.look(&sockets[..2]);
        assert_eq!(stage.rows(), row(1, 3));
        stage.look(&[]);
        assert_eq!(stage.rows(), row(0, 3));
    }

    #[test]
    fn what_was_open_before_is_older_and_stays_so() {
        let mut stage = Stage { table: Table::new(Instant::now()), now: 0, beginning: 1 };
        stage.look(&[socket(1, "198.51.100.1:443")]);
        stage.look(&[socket(1, "198.51.100.1:443"), socket(2, "198.51.100.1:443")]);
        let mut standings: Vec<_> = stage.rows().into_iter().map(|(_, standing, ..)| standing).collect();
        standings.sort();
        assert_eq!(standings, [Standing::Nameless, Standing::Older]);
    }

    #[test]
    fn a_connection_is_judged_once() {
        let mut stage = Stage::open();
        let [named, nameless] = [socket(1, "203.0.113.7:443"), socket(2, "198.51.100.1:443")];
        stage.look(&[named, nameless, accepted(3), waiting()]);
        let turned = |address: IpAddr| {
            Some(if memory(address)? == Memory::Given { Memory::NotGiven } else { Memory::Given })
        };
        let seen = stage.look_with(&[named, nameless, accepted(3)], true, turned).unwrap();
        assert_eq!((seen.named, seen.listed, seen.accepted), (1, 1, 1), "also where nobody listens any more");
        let again = [socket(4, "203.0.113.7:443"), socket(5, "198.51.100.1:443")];
        let seen = stage.look_with(&again, true, turned).unwrap();
        assert_eq!((seen.named, seen.listed), (1, 1));
        assert_eq!(stage.rows().len(), 2);
    }

    #[test]
    fn while_addresses_were_forgotten_nobody_is_accused() {
        let mut stage = Stage::open();
        stage.look_with(&[socket(1, "198.51.100.1:443")], true, |_| Some(Memory::Forgotten));
        assert_eq!(stage.rows()[0].1, Standing::Forgotten);
    }

    #[test]
    fn erased_is_gone_and_what_is_still_open_is_older() {
        let mut stage = Stage::open();
        stage.look(&[socket(1, "198.51.100.1:443"), socket(2, "198.51.100.2:443")]);
        stage.beginning += 1;
        stage.look(&[socket(1, "198.51.100.1:443")]);
        assert_eq!(stage.rows(), [("198.51.100.1:443".to_owned(), Standing::Older, 1, 1, 3, 3)]);
    }

    #[test]
    fn an_audit_that_begins_anew_during_a_look_lists_nothing_of_it() {
        let mut stage = Stage::open();
        assert_eq!(stage.look_with(&[socket(1, "198.51.100.1:443")], true, |_| None), None);
        assert_eq!(stage.rows(), []);
    }

    #[test]
    fn what_was_not_read_may_still_be_open() {
        let mut stage = Stage::open();
        stage.look(&[socket(1, "203.0.113.7:443")]);
        stage.look_with(&[], false, memory);
        let seen =
            stage.look_with(&[socket(1, "203.0.113.7:443")], true, |_| Some(Memory::NotGiven)).unwrap();
        assert_eq!((seen.named, seen.listed), (1, 0));
    }

    #[test]
    fn connections_that_are_never_all_read_take_a_bounded_place() {
        let mut stage = Stage::open();
        for first in (0..2 * MOST_KNOWN as u32).step_by(16_384) {
            let many: Vec<_> = (first..first + 16_384)
                .map(|inode| Socket {
                    local: "192.168.1.5:40000".parse().unwrap(),
                    holder: holder(64_001, inode),
                    ..socket(1, "198.51.100.1:443")
                })
                .collect();
            stage.look_with(&many, false, memory);
            assert!(stage.table.known.len() <= MOST_KNOWN + 16_384);
        }
        assert!(stage.rows().iter().any(|(_, standing, ..)| *standing == Standing::Older));
    }
}
