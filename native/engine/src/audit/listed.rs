//! The addresses that are listed, by program. Programs and addresses are bounded, so that no user's programs push out another's.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use sotto_attribution::{Holder, Protocol, Socket};

use super::report::{AuditAddress, AuditProgram, Standing};
use crate::attribution::Asker;
use crate::events::names::{Names, Naming};

const MOST_PROGRAMS: usize = 100;
/// The tree of control groups may have been read only just now. The thread that audits is one of its own, and waits for nobody else.
const PATIENCE: Duration = Duration::from_secs(1);
/// Of one program.
const MOST_ADDRESSES: usize = 20;

pub struct Listed {
    programs: HashMap<ProgramKey, Program>,
    naming: Naming,
    /// how long this look may still wait for names
    patience: Duration,
    pub left_out: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ProgramKey {
    user: u32,
    cgroup: Option<u64>,
    executable: Arc<str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct RowKey {
    remote: SocketAddr,
    protocol: Protocol,
    standing: Standing,
}

/// Where a connection is listed, unless it had to make room meanwhile.
pub struct Place(ProgramKey, RowKey);

struct Program {
    names: Names,
    rows: HashMap<RowKey, Row>,
}

struct Row {
    first_seen: u64,
    last_seen: u64,
    connections: u64,
    open: usize,
}

impl Listed {
    pub fn new(now: Instant) -> Self {
        Self { programs: HashMap::new(), naming: Naming::new(now), patience: PATIENCE, left_out: 0 }
    }

    pub fn clear(&mut self) {
        self.programs = HashMap::new();
        self.left_out = 0;
    }

    /// Whatever is still open is told next.
    pub fn all_closed(&mut self) {
        self.programs.values_mut().flat_map(|program| program.rows.values_mut()).for_each(|row| row.open = 0);
        self.patience = PATIENCE;
    }

    pub fn still_open(&mut self, Place(program, row): &Place, now: u64) {
        if let Some(row) = self.programs.get_mut(program).and_then(|program| program.rows.get_mut(row)) {
            row.open += 1;
            row.last_seen = now;
        }
    }

    /// A connection was seen for the first time.
    pub fn open(&mut self, socket: &Socket, standing: Standing, now: u64) -> Place {
        let Socket { protocol, remote, holder, .. } = *socket;
        let asker = Asker::Known(holder);
        if self.naming.is_urgent(asker)
            && let Some(readable) = self.naming.look()
        {
            self.wait_until(readable);
            self.naming.look();
        }
        let names = self.naming.of(Some(asker));
        let Holder { user, cgroup, .. } = holder;
        let key = ProgramKey { user, cgroup, executable: names.executable.clone() };
        if !self.programs.contains_key(&key) && self.programs.len() >= MOST_PROGRAMS {
            self.make_room();
        }
        let program =
            self.programs.entry(key.clone()).or_insert_with(|| Program { names, rows: HashMap::new() });
        let place = RowKey { remote, protocol, standing };
        if !program.rows.contains_key(&place) && program.rows.len() >= MOST_ADDRESSES {
            program.make_room();
            self.left_out += 1;
        }
        let new = Row { first_seen: now, last_seen: now, connections: 0, open: 0 };
        let row = program.rows.entry(place).or_insert(new);
        row.connections += 1;
        row.open += 1;
        row.last_seen = now;
        Place(key, place)
    }

    fn wait_until(&mut self, readable: Instant) {
        let wait = readable.saturating_duration_since(Instant::now()).min(self.patience);
        self.patience -= wait;
        sleep(wait);
    }

    /// Of the user with the most programs, the one seen least recently goes.
    fn make_room(&mut self) {
        let mut counts: HashMap<u32, usize> = HashMap::new();
        self.programs.keys().for_each(|key| *counts.entry(key.user).or_default() += 1);
        let oldest = self
            .programs
            .iter()
            .max_by_key(|(key, program)| (counts[&key.user], u64::MAX - program.last_seen()))
            .map(|(key, _)| key.clone());
        if let Some(program) = oldest.and_then(|key| self.programs.remove(&key)) {
            self.left_out += program.rows.len() as u64;
        }
    }

    /// The one seen most recently first, and its addresses likewise.
    pub fn programs(&self) -> Vec<AuditProgram> {
        let mut programs: Vec<_> = self.programs.values().collect();
        programs.sort_by_key(|program| u64::MAX - program.last_seen());
        programs.into_iter().map(Program::shown).collect()
    }
}

impl Program {
    fn last_seen(&self) -> u64 {
        self.rows.values().map(|row| row.last_seen).max().unwrap_or_default()
    }

    /// What nobody is accused of goes first.
    fn make_room(&mut self) {
        let oldest = self
            .rows
            .iter()
            .min_by_key(|(key, row)| (key.standing == Standing::Nameless, row.last_seen))
            .map(|(key, _)| *key);
        oldest.and_then(|key| self.rows.remove(&key));
    }

    fn shown(&self) -> AuditProgram {
        let mut addresses: Vec<_> = self.rows.iter().map(|(key, row)| row.shown(*key)).collect();
        addresses.sort_by_key(|row| (u64::MAX - row.last_seen, row.address, row.port));
        let Names { program, executable, user } = &self.names;
        AuditProgram {
            program: program.name.clone(),
            unit: program.unit.clone(),
            container: program.container.clone(),
            executable: executable.to_string(),
            user: user.to_string(),
            addresses,
        }
    }
}

impl Row {
    fn shown(&self, RowKey { remote, protocol, standing }: RowKey) -> AuditAddress {
        let Row { first_seen, last_seen, connections, open } = *self;
        let protocol = match protocol {
            Protocol::Tcp => "tcp",
            Protocol::Udp => "udp",
        };
        let (address, port) = (remote.ip(), remote.port());
        AuditAddress { address, port, protocol, standing, first_seen, last_seen, connections, open }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn open(listed: &mut Listed, user: u32, cgroup: u64, address: u32, standing: Standing, now: u64) {
        let holder = Holder { user, inode: 1, cgroup: Some(u64::MAX - cgroup) };
        let remote = SocketAddr::new(Ipv4Addr::from(address).into(), 443);
        let local = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 1);
        let socket = Socket { protocol: Protocol::Tcp, local, remote, waits: false, holder };
        listed.open(&socket, standing, now);
    }

    #[test]
    fn a_program_keeps_its_newest_addresses_and_those_without_a_name_longest() {
        let mut listed = Listed::new(Instant::now());
        open(&mut listed, 1000, 1, 1, Standing::Nameless, 1);
        for address in 2..50 {
            open(&mut listed, 1000, 1, address, Standing::Older, u64::from(address));
        }
        let [program] = &listed.programs()[..] else { panic!("there is one program") };
        assert_eq!((program.addresses.len(), listed.left_out), (MOST_ADDRESSES, 49 - MOST_ADDRESSES as u64));
        assert_eq!(program.addresses[0].last_seen, 49);
        assert_eq!(program.addresses[MOST_ADDRESSES - 1].standing, Standing::Nameless);
    }

    #[test]
    fn programs_of_one_user_push_out_none_of_another() {
        let mut listed = Listed::new(Instant::now());
        open(&mut listed, 1000, 1, 1, Standing::Nameless, 0);
        for program in 0..10 * MOST_PROGRAMS as u64 {
            open(&mut listed, 64_001, 100 + program, 2, Standing::Nameless, program + 1);
        }
        let programs = listed.programs();
        assert_eq!(programs.len(), MOST_PROGRAMS);
        assert_eq!(listed.left_out, 9 * MOST_PROGRAMS as u64 + 1);
        assert_eq!(programs.iter().filter(|program| program.user == "64001").count(), MOST_PROGRAMS - 1);
        assert_eq!(programs[0].addresses[0].last_seen, 10 * MOST_PROGRAMS as u64, "the newest is there");
    }
}
