//! The loop: wait, take in, send what is due.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::mem::zeroed;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::json;

use super::Direction;
use super::control::{Controls, Order, event};
use super::end::{Batch, End, Received};
use super::line::{Fate, Line, Shape};
use super::middlebox::Middlebox;
use super::packet::Packet;
use super::stats::{Stats, Told};
use crate::output;

/// One cable in use.
pub struct Relay {
    /// A, B
    ends: [End; 2],
    /// A to B, B to A
    lines: [Line; 2],
    stats: [Stats; 2],
    middlebox: Middlebox,
    on_their_way: BinaryHeap<Reverse<Travelling>>,
    /// keeps packets due at the same time in order
    count: u64,
}

struct Travelling {
    due: Instant,
    number: u64,
    direction: Direction,
    packet: Packet,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StatsTold<'a> {
    a_to_b: Told,
    b_to_a: Told,
    /// packets that each rule matched
    hits: &'a [u64],
    on_their_way: usize,
}

impl Relay {
    pub fn new(ends: [End; 2], shape: Shape, seed: u64) -> Self {
        Relay {
            ends,
            lines: Direction::BOTH.map(|direction| Line::new(shape, seed, direction)),
            stats: Default::default(),
            middlebox: Middlebox::default(),
            on_their_way: BinaryHeap::new(),
            count: 0,
        }
    }

    /// Until SIGINT or SIGTERM, or until an interface is taken away.
    pub fn run(mut self, mut controls: Controls) -> Result<(), String> {
        let signals = signals().map_err(|error| format!("can't wait for signals: {error}"))?;
        let precise = be_precise();
        let [a, b] = &self.ends;
        let ready = json!({ "a": a.name.to_string(), "b": b.name.to_string(), "priority": precise });
        output::print(&event("ready", None, ready))?;
        let mut batch = Batch::default();
        loop {
            let now = Instant::now();
            self.send_due(now);
            let timeout =
                self.on_their_way.peek().map(|Reverse(next)| next.due.saturating_duration_since(now));
            let ours = [self.ends[0].as_fd(), self.ends[1].as_fd(), signals.as_fd()];
            let descriptors: Vec<_> = ours.into_iter().chain(controls.descriptors()).collect();
            let ready = wait(&descriptors, timeout).map_err(|error| format!("can't wait: {error}"))?;
            for direction in Direction::BOTH {
                if ready[direction.index()] {
                    self.take_in(direction, &mut batch)?;
                }
            }
            controls.attend(&ready[3..], |line| self.carry_out(line));
            if ready[2] {
                return output::print(&self.tell_stats(None));
            }
        }
    }

    fn send_due(&mut self, now: Instant) {
        while let Some(Reverse(next)) = self.on_their_way.peek()
            && next.due <= now
            && let Some(Reverse(next)) = self.on_their_way.pop()
        {
            let frame = next.packet.frame();
            let sent = self.ends[next.direction.back().index()].send(frame);
            let stats = &mut self.stats[next.direction.index()];
            stats.lateness.record(Instant::now().saturating_duration_since(next.due));
            match sent {
                Ok(()) => {
                    stats.counts.delivered += 1;
                    stats.counts.octets += frame.len() as u64;
                }
                Err(_) => stats.counts.undelivered += 1,
            }
        }
    }

    fn take_in(&mut self, direction: Direction, batch: &mut Batch) -> Result<(), String> {
        let mut arrived = Vec::new();
        let read = batch.receive(&self.ends[direction.index()], |Received { frame, whole, at }| {
            arrived.push((Packet::new(frame.to_vec()), whole, at));
        });
        let end = &self.ends[direction.index()];
        if read.is_err() && end.is_gone() {
            return Err(format!("{} was taken away", end.name));
        }
        for (packet, whole, at) in arrived {
            self.pass(direction, packet, whole, at);
        }
        Ok(())
    }

    fn pass(&mut self, direction: Direction, packet: Packet, whole: bool, at: Instant) {
        let counts = &mut self.stats[direction.index()].counts;
        counts.received += 1;
        if !whole || !self.ends[direction.back().index()].takes(packet.frame().len()) {
            counts.oversize += 1;
            if counts.oversize == 1 {
                let from = &self.ends[direction.index()].name;
                eprintln!(
                    "sotto-lab: packets from {from} are longer than the other end takes, and are dropped: name the \
                     sender's interface with --plain, so that its kernel cuts them to size"
                );
            }
            return;
        }
        let outcome = self.middlebox.pass(direction, packet);
        self.send_forged(at, outcome.forged);
        let counts = &mut self.stats[direction.index()].counts;
        let Some(packet) = outcome.through else {
            counts.stopped += 1;
            return;
        };
        match self.lines[direction.index()].take(at, packet.kind(), packet.frame().len()) {
            Fate::Lost => counts.lost += 1,
            Fate::Overflowed => counts.overflowed += 1,
            Fate::Arrives { at, held_back } => {
                counts.held_back += u64::from(held_back);
                self.depart(at + outcome.later, direction, packet);
            }
        }
    }

    fn send_forged(&mut self, now: Instant, forged: Vec<(Direction, Packet)>) {
        for (direction, packet) in forged {
            self.stats[direction.index()].counts.forged += 1;
            let due = self.lines[direction.index()].carry(now);
            self.depart(due, direction, packet);
        }
    }

    fn depart(&mut self, due: Instant, direction: Direction, packet: Packet) {
        self.count += 1;
        self.on_their_way.push(Reverse(Travelling { due, number: self.count, direction, packet }));
    }

    fn carry_out(&mut self, line: &str) -> Vec<String> {
        let order = match Order::read(line) {
            Ok(order) => order,
            Err(error) => return vec![event("refused", None, json!({ "error": error }))],
        };
        for direction in Direction::BOTH {
            let line = &mut self.lines[direction.index()];
            if let Some(change) = order.set.filter(|change| change.is_for(direction))
                && let Ok(shape) = change.apply(line.shape())
            {
                line.reshape(shape);
            }
            if let Some(seed) = order.seed {
                line.reseed(seed, direction);
            }
        }
        if let Some(rules) = order.rules {
            self.middlebox.set_rules(rules);
        }
        if let Some(wanted) = order.cut {
            let resets = self.middlebox.cut(&wanted);
            self.send_forged(Instant::now(), resets);
        }
        match order.stats {
            true => vec![self.tell_stats(order.id.as_ref())],
            false => vec![event("applied", order.id.as_ref(), json!({}))],
        }
    }

    fn tell_stats(&mut self, id: Option<&serde_json::Value>) -> String {
        for (stats, end) in self.stats.iter_mut().zip(&self.ends) {
            stats.counts.missed += end.missed();
        }
        let [a_to_b, b_to_a] = self.stats.each_ref().map(Stats::told);
        let hits = self.middlebox.hits();
        event("stats", id, StatsTold { a_to_b, b_to_a, hits, on_their_way: self.on_their_way.len() })
    }
}

impl PartialEq for Travelling {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Travelling {}

impl PartialOrd for Travelling {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Travelling {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.due, self.number).cmp(&(other.due, other.number))
    }
}

/// Which descriptors can be read, or have failed.
fn wait(descriptors: &[BorrowedFd<'_>], timeout: Option<Duration>) -> io::Result<Vec<bool>> {
    let mut polled: Vec<_> = descriptors
        .iter()
        .map(|fd| libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 })
        .collect();
    let timeout = timeout.map(|timeout| libc::timespec {
        tv_sec: timeout.as_secs() as _,
        tv_nsec: timeout.subsec_nanos() as _,
    });
    let timeout = timeout.as_ref().map_or(ptr::null(), ptr::from_ref);
    // SAFETY: the list has as many entries as stated; the timeout outlives the call
    let count = unsafe { libc::ppoll(polled.as_mut_ptr(), polled.len() as _, timeout, ptr::null()) };
    if count < 0 {
        let error = io::Error::last_os_error();
        return match error.kind() {
            io::ErrorKind::Interrupted => Ok(vec![false; descriptors.len()]),
            _ => Err(error),
        };
    }
    Ok(polled.iter().map(|entry| entry.revents != 0).collect())
}

/// A descriptor that can be read once SIGINT or SIGTERM has come.
fn signals() -> io::Result<OwnedFd> {
    // SAFETY: the set is emptied before it is used, the descriptor is ours alone
    unsafe {
        let mut set: libc::sigset_t = zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGINT);
        libc::sigaddset(&raw mut set, libc::SIGTERM);
        if libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error());
        }
        match libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC) {
            -1 => Err(io::Error::last_os_error()),
            descriptor => Ok(OwnedFd::from_raw_fd(descriptor)),
        }
    }
}

/// Wakes this thread on time and before the programs under test: one nanosecond of timer slack, the lowest real-time
/// priority. Says whether the latter was allowed.
fn be_precise() -> bool {
    let lowest = libc::sched_param { sched_priority: 1 };
    // SAFETY: plain integers, and a structure that outlives the call
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1);
        libc::sched_setscheduler(0, libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, &raw const lowest) == 0
    }
}
