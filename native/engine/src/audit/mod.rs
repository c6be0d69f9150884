//! The audit of connections: which programs reach addresses that no response of ours gave
//! (docs/decisions/0047-connections-without-a-name.md).
//!
//! ```text
//! responses ─▶ given ─┐
//!                     ├─▶ table ─▶ report
//! kernel ─▶ judge ────┘
//! ```

mod given;
mod judge;
mod listed;
pub mod report;
mod table;
mod watcher;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::SystemTime;

use tokio::sync::oneshot;

use given::{Given, SharedGiven};
use report::AuditReport;
use watcher::{Watcher, Word};

pub struct Audit {
    wanted: AtomicBool,
    given: SharedGiven,
    /// the thread that looks at connections ends when this is dropped
    watcher: Mutex<Option<Sender<Word>>>,
    lists_are_read: Arc<AtomicBool>,
}

impl Audit {
    /// `lists_are_read`: is made true while the kernel's lists of sockets are read.
    pub fn new(lists_are_read: Arc<AtomicBool>) -> Self {
        let (wanted, given, watcher) = Default::default();
        Self { wanted, given, watcher, lists_are_read }
    }

    /// Begins the audit, or ends it and forgets what it found. Where the system can't start a thread there is none.
    pub fn set_wanted(&self, wanted: bool) {
        let Ok(mut watcher) = self.watcher.lock() else { return };
        if watcher.is_some() == wanted {
            return;
        }
        if wanted {
            self.begin(true);
        }
        *watcher = if wanted { self.watch() } else { None };
        if watcher.is_none() {
            self.begin(false);
        }
        self.wanted.store(watcher.is_some(), Ordering::Relaxed);
    }

    /// The addresses of a response that is about to leave were given to a program.
    #[inline]
    pub fn note(&self, response: &[u8]) {
        if self.wanted.load(Ordering::Relaxed)
            && let Ok(mut given) = self.given.lock()
            && let Some(given) = given.as_mut()
        {
            given.note(response);
        }
    }

    /// Begins anew, without the addresses and the connections known so far.
    pub fn forget(&self) {
        let Ok(watcher) = self.watcher.lock() else { return };
        if let Some(watcher) = watcher.as_ref() {
            self.begin(true);
            let _ = watcher.send(Word::Look);
        }
    }

    /// `None`: there is no audit.
    pub async fn report(&self) -> Option<AuditReport> {
        let (reply, replied) = oneshot::channel();
        self.watcher.lock().ok()?.as_ref()?.send(Word::Report(reply)).ok()?;
        replied.await.ok()
    }

    fn watch(&self) -> Option<Sender<Word>> {
        let (sender, words) = channel();
        let watcher = Watcher::new(self.given.clone(), self.lists_are_read.clone());
        let thread = thread::Builder::new().name("sotto-audit".into());
        thread.spawn(move || watcher.watch(&words)).ok().map(|_| sender)
    }

    fn begin(&self, wanted: bool) {
        if let Ok(mut given) = self.given.lock() {
            let beginning = given.as_ref().map_or(0, Given::beginning) + 1;
            *given = wanted.then(|| Given::begin(beginning, SystemTime::now()));
        }
    }
}
