//! The watch on Linux: one thread that sleeps until routing netlink, a timer or its owner has something to say.

mod clocks;
mod interface_kind;
mod read;
mod routing;

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

use crate::debounce::Debounce;
use crate::snapshot::Snapshot;
use crate::{Deliver, Event};
use clocks::Clocks;
use routing::{Inquiry, News};

pub struct Watch {
    current: Arc<Mutex<Snapshot>>,
    stop: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Events of the network are asked for before it is first read, so that no change falls between.
    pub fn start(deliver: Deliver) -> io::Result<Self> {
        let news = News::subscribe()?;
        let inquiry = Inquiry::open()?;
        let clocks = Clocks::watch()?;
        let stop = Arc::new(eventfd(0, EventfdFlags::CLOEXEC)?);
        let current = Arc::new(Mutex::new(inquiry.snapshot()?));
        let vigil = Vigil { news, inquiry, clocks, stop: stop.clone(), current: current.clone(), deliver };
        let thread = thread::Builder::new().name("network-watch".into()).spawn(move || vigil.keep())?;
        Ok(Self { current, stop, thread: Some(thread) })
    }

    pub fn current(&self) -> Snapshot {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// No event is delivered once it returns.
    pub fn close(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        // An eventfd takes any eight octets but the largest number; it can't be full at one.
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
    news: News,
    inquiry: Inquiry,
    clocks: Clocks,
    stop: Arc<OwnedFd>,
    current: Arc<Mutex<Snapshot>>,
    deliver: Deliver,
}

struct Ready {
    stop: bool,
    clock: bool,
    news: bool,
}

impl Vigil {
    fn keep(mut self) {
        let mut debounce = Debounce::default();
        loop {
            let ready = match self.wait(debounce.wait(Instant::now())) {
                Ok(ready) => ready,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return,
            };
            if ready.stop {
                return;
            }
            if ready.clock {
                let jumps = self.clocks.read();
                // Whatever the link said while the machine slept may have been lost.
                if jumps.iter().any(|jump| matches!(jump, Event::Woke { .. })) {
                    debounce.note(Instant::now());
                }
                jumps.into_iter().for_each(&self.deliver);
            }
            if ready.news
                && let Some(gone) = self.news.take(&self.known())
            {
                (self.deliver)(Event::Stirred { gone });
                debounce.note(Instant::now());
            }
            if debounce.take(Instant::now()) && self.look().is_err() {
                debounce.note(Instant::now());
            }
        }
    }

    fn wait(&self, timeout: Option<Duration>) -> io::Result<Ready> {
        let timeout = timeout.map(|timeout| Timespec {
            tv_sec: timeout.as_secs().cast_signed(),
            tv_nsec: i64::from(timeout.subsec_nanos()) as _,
        });
        let mut descriptors = [self.stop.as_fd(), self.clocks.as_fd(), self.news.as_fd()]
            .map(|descriptor| PollFd::from_borrowed_fd(descriptor, PollFlags::IN));
        poll(&mut descriptors, timeout.as_ref())?;
        let [stop, clock, news] = descriptors.map(|descriptor| !descriptor.revents().is_empty());
        Ok(Ready { stop, clock, news })
    }

    fn look(&self) -> io::Result<()> {
        let snapshot = self.inquiry.snapshot()?;
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
