//! The watch on Linux: one thread that sleeps until routing netlink, a timer or its owner wakes it.

mod clocks;
mod interface_kind;
mod read;
mod routing;

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

use crate::debounce::Debounce;
use crate::snapshot::Snapshot;
use crate::{Deliver, Event};
use clocks::Clocks;
use routing::{Heard, Inquiry, News};

/// The pause before a watch that broke down starts again. It doubles with each failure, up to the longest.
const FIRST_REST: Duration = Duration::from_millis(100);
const LONGEST_REST: Duration = Duration::from_secs(5);

pub struct Watch {
    current: Arc<Mutex<Snapshot>>,
    stop: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Subscribes to events before it first reads the network, so that no change is missed.
    pub fn start(deliver: Deliver) -> io::Result<Self> {
        let mut senses = Senses::open()?;
        let stop = Arc::new(eventfd(0, EventfdFlags::CLOEXEC)?);
        let current = Arc::new(Mutex::new(senses.snapshot()?));
        let vigil =
            Vigil { senses, stop: stop.clone(), current: current.clone(), network_changes: 0, deliver };
        let thread = thread::Builder::new().name("network-watch".into()).spawn(move || vigil.keep())?;
        Ok(Self { current, stop, thread: Some(thread) })
    }

    pub fn current(&self) -> Snapshot {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// After it has returned, no event is delivered.
    pub fn close(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        // An eventfd takes any eight octets but the largest number. With 1 in it, it is never full.
        let _ = rustix::io::write(&self.stop, &1u64.to_ne_bytes());
        let _ = thread.join();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.close();
    }
}

struct Vigil {
    senses: Senses,
    stop: Arc<OwnedFd>,
    current: Arc<Mutex<Snapshot>>,
    /// so far
    network_changes: u64,
    deliver: Deliver,
}

/// What the thread waits for.
struct Senses {
    news: News,
    /// `None`: the last one failed
    inquiry: Option<Inquiry>,
    clocks: Clocks,
}

impl Senses {
    fn open() -> io::Result<Self> {
        Ok(Self { news: News::subscribe()?, inquiry: Some(Inquiry::open()?), clocks: Clocks::watch()? })
    }

    /// After a failure, the socket may still hold a part of the old response, which would be taken for the next one. A new socket
    /// is opened.
    fn snapshot(&mut self) -> io::Result<Snapshot> {
        let inquiry = self.inquiry.take().map_or_else(Inquiry::open, Ok)?;
        let snapshot = inquiry.snapshot()?;
        self.inquiry = Some(inquiry);
        Ok(snapshot)
    }
}

struct Ready {
    stop: bool,
    clock: bool,
    news: bool,
}

impl Vigil {
    /// Runs until the owner ends it. If the watch breaks down, it starts again; until then the machine may be on any network.
    fn keep(mut self) {
        let mut debounce = Debounce::default();
        loop {
            let watched = catch_unwind(AssertUnwindSafe(|| self.watch(&mut debounce)));
            let why = match watched {
                Ok(Ok(())) => return,
                Ok(Err(error)) => error.to_string(),
                Err(_) => "a defect".into(),
            };
            self.tell(Heard { network_changed: true, ..Heard::default() });
            (self.deliver)(Event::Blind { why });
            let Some(senses) = self.begin_again() else { return };
            self.senses = senses;
            debounce.note(Instant::now());
        }
    }

    /// `Ok`: the owner has ended it.
    fn watch(&mut self, debounce: &mut Debounce) -> io::Result<()> {
        loop {
            let ready = match self.wait(debounce.wait(Instant::now())) {
                Ok(ready) => ready,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if ready.stop {
                return Ok(());
            }
            if ready.clock {
                let jumps = self.senses.clocks.read();
                // What links reported while the machine slept may have been lost.
                if jumps.iter().any(|jump| matches!(jump, Event::Woke { .. })) {
                    self.tell(Heard { network_changed: true, ..Heard::default() });
                    debounce.note(Instant::now());
                }
                jumps.into_iter().for_each(&self.deliver);
            }
            if ready.news
                && let Some(heard) = self.senses.news.take(&self.known())?
            {
                self.tell(heard);
                debounce.note(Instant::now());
            }
            if debounce.take(Instant::now()) && self.look().is_err() {
                debounce.note(Instant::now());
            }
        }
    }

    fn tell(&mut self, Heard { gone, network_changed }: Heard) {
        self.network_changes += u64::from(network_changed);
        (self.deliver)(Event::Stirred { gone, network_changes: self.network_changes });
    }

    /// `None`: the owner has ended it.
    fn begin_again(&self) -> Option<Senses> {
        let mut rest = FIRST_REST;
        loop {
            if self.is_ended_within(rest) {
                return None;
            }
            match Senses::open() {
                Ok(senses) => return Some(senses),
                Err(_) => rest = (rest * 2).min(LONGEST_REST),
            }
        }
    }

    fn is_ended_within(&self, rest: Duration) -> bool {
        let mut stop = [PollFd::from_borrowed_fd(self.stop.as_fd(), PollFlags::IN)];
        let _ = poll(&mut stop, Some(&timespec(rest)));
        !stop[0].revents().is_empty()
    }

    fn wait(&self, timeout: Option<Duration>) -> io::Result<Ready> {
        let timeout = timeout.map(timespec);
        let mut descriptors = [self.stop.as_fd(), self.senses.clocks.as_fd(), self.senses.news.as_fd()]
            .map(|descriptor| PollFd::from_borrowed_fd(descriptor, PollFlags::IN));
        poll(&mut descriptors, timeout.as_ref())?;
        let [stop, clock, news] = descriptors.map(|descriptor| !descriptor.revents().is_empty());
        Ok(Ready { stop, clock, news })
    }

    fn look(&mut self) -> io::Result<()> {
        let snapshot = Snapshot { network_changes: self.network_changes, ..self.senses.snapshot()? };
        if snapshot == self.known() {
            return Ok(());
        }
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = snapshot.clone();
        (self.deliver)(Event::Changed { snapshot });
        Ok(())
    }

    fn known(&self) -> Snapshot {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn timespec(duration: Duration) -> Timespec {
    Timespec { tv_sec: duration.as_secs().cast_signed(), tv_nsec: i64::from(duration.subsec_nanos()) as _ }
}
