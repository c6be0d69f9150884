//! Carries events from the ring to Node: a batch at 512, after 50 ms or when somebody waits for it, whichever comes first, and nothing
//! while nothing happens. When Node does not keep up, or the log has had enough, events are dropped and counted; queries never
//! wait.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{JoinHandle, Thread, park, park_timeout};
use std::time::{Duration, Instant};

use crossbeam_queue::ArrayQueue;

use super::event::{self, Event};
use super::names::Naming;
use crate::attribution::Asker;
use crate::pace::Pace;

const RING: usize = 8192;
const BATCH: usize = 512;
const SPARE: usize = 2 * BATCH;
const PATIENCE: Duration = Duration::from_millis(50);
/// A batch with a program that has no name yet waits for it so long.
const LONGEST_PATIENCE: Duration = Duration::from_millis(500);
/// Writing an event down costs several times what answering from cache does. Without a bound a flood would take the second core from
/// everything else; with it the ring fills, and what does not fit is dropped where that costs next to nothing.
const PER_SECOND: f64 = 5_000.0;
/// The niceness of the thread, as in nice(1).
#[cfg(target_os = "linux")]
const NICE: libc::c_int = 10;

/// Takes a batch and says whether it took it.
pub type Deliver = Box<dyn Fn(Vec<u8>) -> bool + Send>;

pub struct Events {
    ring: Arc<Ring>,
    courier: Mutex<Option<JoinHandle<()>>>,
}

struct Ring {
    queue: ArrayQueue<Box<Event>>,
    naming: Naming,
    /// boxes to be used again, so that noting an event allocates nothing
    spare: ArrayQueue<Box<Event>>,
    next_id: AtomicU64,
    delivered: AtomicU64,
    dropped: AtomicU64,
    /// the courier has been woken and has not looked into the ring yet
    awake: AtomicBool,
    /// somebody waits until the events so far have been handed over
    marked: AtomicBool,
    /// the log keeps something
    wanted: AtomicBool,
    stopping: AtomicBool,
    thread: OnceLock<Thread>,
}

#[derive(Debug, Clone, Copy, serde::Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Delivery {
    pub delivered: u64,
    pub dropped: u64,
}

impl Events {
    pub fn start(deliver: Deliver) -> Self {
        let ring = Arc::new(Ring {
            queue: ArrayQueue::new(RING),
            naming: Naming::new(Instant::now()),
            spare: ArrayQueue::new(SPARE),
            next_id: AtomicU64::new(1),
            delivered: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            awake: AtomicBool::new(false),
            marked: AtomicBool::new(false),
            wanted: AtomicBool::new(true),
            stopping: AtomicBool::new(false),
            thread: OnceLock::new(),
        });
        let courier = std::thread::Builder::new().name("sotto-events".into()).spawn({
            let ring = ring.clone();
            move || {
                give_way();
                ring.carry(&deliver)
            }
        });
        let courier = courier.expect("the system can start a thread");
        let _ = ring.thread.set(courier.thread().clone());
        Self { ring, courier: Mutex::new(Some(courier)) }
    }

    /// Whether the log keeps events; if not, none need be made.
    pub fn are_wanted(&self) -> bool {
        self.ring.wanted.load(Ordering::Relaxed)
    }

    pub fn set_wanted(&self, wanted: bool) {
        self.ring.wanted.store(wanted, Ordering::Relaxed);
    }

    /// Whether an event would be kept: the log wants it and the ring has room. In a flood the ring is full, and then the event is not
    /// even made.
    pub fn have_room(&self) -> bool {
        self.are_wanted() && !self.ring.queue.is_full()
    }

    /// A query leaves without an event, because [`Events::have_room`] said so.
    pub fn pass_over(&self) {
        if self.are_wanted() {
            self.ring.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Into a box that was used before, if there is one.
    pub fn boxed(&self, event: Event) -> Box<Event> {
        match self.ring.spare.pop() {
            Some(mut used) => {
                *used = event;
                used
            }
            None => Box::new(event),
        }
    }

    /// A query came whose event will follow. The courier may have to find its names at once. Never blocks.
    pub fn expect(&self, asker: Asker) {
        if self.ring.naming.is_urgent(asker) {
            self.ring.wake();
        }
    }

    /// Never blocks; a full ring drops the event and counts it.
    pub fn push(&self, mut event: Box<Event>) {
        if !self.are_wanted() {
            return;
        }
        event.id = self.ring.next_id.fetch_add(1, Ordering::Relaxed);
        if let Err(event) = self.ring.queue.push(event) {
            self.ring.dropped.fetch_add(1, Ordering::Relaxed);
            let _ = self.ring.spare.push(event);
        }
        let waiting = self.ring.queue.len();
        if !self.ring.awake.swap(true, Ordering::AcqRel) || waiting == BATCH {
            self.ring.wake();
        }
    }

    /// An empty batch follows the events that were pushed so far. A mark at a time.
    pub fn mark(&self) {
        self.ring.marked.store(true, Ordering::Release);
        self.ring.wake();
    }

    pub fn delivery(&self) -> Delivery {
        Delivery {
            delivered: self.ring.delivered.load(Ordering::Relaxed),
            dropped: self.ring.dropped.load(Ordering::Relaxed),
        }
    }

    /// Delivers what is left. Later events are dropped and counted.
    pub fn finish(&self) {
        self.ring.stopping.store(true, Ordering::Release);
        self.ring.wake();
        let courier = self.courier.lock().ok().and_then(|mut courier| courier.take());
        if let Some(courier) = courier {
            let _ = courier.join();
        }
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Ring {
    fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    fn carry(&self, deliver: &Deliver) {
        let mut pace = Pace::new(PER_SECOND, RING as f64, Instant::now());
        loop {
            while self.queue.is_empty() && !self.stopping.load(Ordering::Acquire) {
                self.awake.store(false, Ordering::Release);
                // what was pushed before a mark that is seen is still in the ring
                let marked = self.marked.load(Ordering::Acquire);
                // an event pushed before that store was seen is, too
                if self.queue.is_empty() {
                    if marked {
                        self.marked.store(false, Ordering::Release);
                        if !deliver(Vec::new()) {
                            self.marked.store(true, Ordering::Release);
                            park_timeout(PATIENCE);
                        }
                        continue;
                    }
                    park();
                }
                self.naming.look();
            }
            self.gather();
            let stopping = self.stopping.load(Ordering::Acquire);
            let granted =
                if stopping { BATCH } else { pace.grant(self.queue.len().min(BATCH), Instant::now()) };
            self.hand_over(granted as u64, deliver);
            if granted < BATCH && !self.queue.is_empty() && !stopping {
                park_timeout(pace.wait_for(BATCH, Instant::now()));
            }
            if self.stopping.load(Ordering::Acquire) && self.queue.is_empty() {
                return;
            }
        }
    }

    fn gather(&self) {
        let begun = Instant::now();
        let mut until = begun + PATIENCE;
        loop {
            if let Some(again) = self.naming.look() {
                until = again.clamp(until, begun + LONGEST_PATIENCE);
            } else if self.marked.load(Ordering::Relaxed) {
                return;
            }
            if self.queue.len() >= BATCH || self.stopping.load(Ordering::Acquire) {
                return;
            }
            match until.checked_duration_since(Instant::now()) {
                Some(left) if !left.is_zero() => park_timeout(left),
                _ => return,
            }
        }
    }

    fn hand_over(&self, most: u64, deliver: &Deliver) {
        let mut batch = Vec::with_capacity(BATCH * 128);
        let mut count = 0;
        while count < most {
            let Some(event) = self.queue.pop() else {
                break;
            };
            event::append(&event, &self.naming.of(event.asker), &mut batch);
            let _ = self.spare.push(event);
            count += 1;
        }
        let tally = if count == 0 || deliver(batch) { &self.delivered } else { &self.dropped };
        tally.fetch_add(count, Ordering::Relaxed);
    }
}

/// Lowers the calling thread's priority below the threads that answer queries. Only Linux has a priority for each thread; elsewhere
/// it belongs to the process and stays as it is.
fn give_way() {
    #[cfg(target_os = "linux")]
    // SAFETY: takes plain numbers; 0 is the calling thread
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, NICE);
    }
}
