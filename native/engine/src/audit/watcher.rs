//! Looks at this computer's connections again and again, on a thread of its own. Its priority is not lowered, because look-ups of single
//! sockets stop while it reads.

use std::collections::HashSet;
use std::fs::{read_dir, read_link};
use std::io::Result;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use sotto_attribution::Sockets;
use tokio::sync::oneshot;

use super::given::{Given, Memory, SharedGiven};
use super::report::{AuditReport, AuditSeen};
use super::table::{Looked, Table};

const BETWEEN_LOOKS: Duration = Duration::from_secs(20);
/// A report is of a look that is no older than this, or than so many times what a look takes.
const FRESH: Duration = Duration::from_secs(1);
const SHARE_OF_REPORTS: u32 = 20;
/// Of the processor, by itself.
const SHARE: u32 = 100;
/// Of each protocol and family; one socket takes a hundred octets.
const MOST_SOCKETS: usize = 16_384;

pub enum Word {
    Look,
    Report(oneshot::Sender<AuditReport>),
}

pub struct Watcher {
    given: SharedGiven,
    lists_are_read: Arc<AtomicBool>,
    table: Table,
    last: Last,
}

struct Last {
    begun: Instant,
    took: Duration,
    at: u64,
    seen: Option<AuditSeen>,
    trouble: String,
}

impl Watcher {
    pub fn new(given: SharedGiven, lists_are_read: Arc<AtomicBool>) -> Self {
        let (begun, took) = (Instant::now(), Duration::ZERO);
        let last = Last { begun, took, at: 0, seen: None, trouble: String::new() };
        Self { given, lists_are_read, table: Table::new(begun), last }
    }

    /// Ends when nobody is left who could send a word.
    pub fn watch(mut self, words: &Receiver<Word>) {
        self.look();
        loop {
            let pause = BETWEEN_LOOKS.max(self.last.took * SHARE);
            match words.recv_timeout(pause.saturating_sub(self.last.begun.elapsed())) {
                Ok(Word::Look) | Err(RecvTimeoutError::Timeout) => self.look(),
                Ok(Word::Report(reply)) => {
                    if self.last.begun.elapsed() >= FRESH.max(self.last.took * SHARE_OF_REPORTS)
                        || self.is_outdated()
                    {
                        self.look();
                    }
                    if let Some(report) = self.report() {
                        let _ = reply.send(report);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn look(&mut self) {
        self.last.begun = Instant::now();
        match self.try_to_look() {
            Ok(seen) => (self.last.seen, self.last.trouble) = (seen, String::new()),
            Err(error) => (self.last.seen, self.last.trouble) = (None, error.to_string()),
        }
        self.last.at = unix_milliseconds(SystemTime::now());
        self.last.took = self.last.begun.elapsed();
    }

    /// `None`: the audit began anew meanwhile, or has ended.
    fn try_to_look(&mut self) -> Result<Option<AuditSeen>> {
        let Some(beginning) = self.of_given(Given::beginning) else { return Ok(None) };
        let now = SystemTime::now();
        // A connection that the service opens or closes meanwhile is in one of the two.
        let mut own = own_sockets();
        self.lists_are_read.store(true, Ordering::Relaxed);
        let sockets = Sockets::of_system(MOST_SOCKETS);
        self.lists_are_read.store(false, Ordering::Relaxed);
        let sockets = sockets?;
        own.extend(own_sockets());
        let given = self.given.clone();
        let memory = |address: IpAddr| -> Option<Memory> {
            let given = given.lock().ok()?;
            given
                .as_ref()
                .filter(|given| given.beginning() == beginning)
                .map(|given| given.look(address, now))
        };
        let now = unix_milliseconds(now);
        Ok(self.table.look(&Looked { beginning, sockets: &sockets, own: &own, now }, memory))
    }

    fn is_outdated(&self) -> bool {
        self.of_given(Given::beginning) != Some(self.table.beginning())
    }

    fn report(&self) -> Option<AuditReport> {
        let report = self.of_given(|given| AuditReport {
            since: unix_milliseconds(given.since()),
            looked_at: self.last.at,
            between_looks: BETWEEN_LOOKS.as_millis() as u64,
            remembers_since: unix_milliseconds(given.remembers_since()),
            addresses: given.count(),
            seen: self.last.seen,
            trouble: self.last.trouble.clone(),
            programs: Vec::new(),
            left_out: self.table.left_out(),
        })?;
        Some(AuditReport { programs: self.table.programs(), ..report })
    }

    fn of_given<T>(&self, read: impl FnOnce(&Given) -> T) -> Option<T> {
        self.given.lock().ok()?.as_ref().map(read)
    }
}

/// The inodes of this process's sockets. Empty where the system does not tell.
fn own_sockets() -> HashSet<u32> {
    let Ok(descriptors) = read_dir("/proc/self/fd") else { return HashSet::new() };
    let inode = |link: &str| link.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok();
    let links = descriptors.flatten().filter_map(|descriptor| read_link(descriptor.path()).ok());
    links.filter_map(|link| inode(link.to_str()?)).collect()
}

fn unix_milliseconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}
