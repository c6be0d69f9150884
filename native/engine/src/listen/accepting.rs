//! Counts connections that the system could not hand over, because it had no descriptors or memory left. The status reports them:
//! nobody would notice otherwise, since queries over UDP are still answered.

use std::io::{Error, ErrorKind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use serde::Serialize;

pub struct Accepting {
    failures: AtomicU64,
    failing: AtomicBool,
    last_error: Mutex<Option<String>>,
    on_change: Arc<dyn Fn() + Send + Sync>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AcceptFailures {
    /// attempts, ever since
    pub count: u64,
    /// no connection was accepted since the last of them
    pub standing: bool,
    pub last_error: Option<String>,
}

/// Whether only this connection is lost and the next one can be accepted at once: Linux reports network errors of a connection
/// when it is accepted (accept(2)).
pub fn is_of_one_connection(error: &Error) -> bool {
    use ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    use ErrorKind::{HostUnreachable, NetworkDown, NetworkUnreachable, PermissionDenied};
    matches!(
        error.kind(),
        ConnectionAborted
            | ConnectionRefused
            | ConnectionReset
            | Interrupted
            | HostUnreachable
            | NetworkDown
            | NetworkUnreachable
            | PermissionDenied
    )
}

/// Whether the listener is fine, but descriptors or memory are exhausted.
#[cfg(unix)]
pub fn is_exhaustion(error: &Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE | libc::ENOMEM | libc::ENOBUFS))
}

#[cfg(not(unix))]
pub fn is_exhaustion(error: &Error) -> bool {
    error.kind() == ErrorKind::OutOfMemory
}

impl Accepting {
    /// `on_change`: they began to fail, or no longer do.
    pub fn new(on_change: Arc<dyn Fn() + Send + Sync>) -> Self {
        Self {
            failures: AtomicU64::new(0),
            failing: AtomicBool::new(false),
            last_error: Mutex::default(),
            on_change,
        }
    }

    pub fn failed(&self, error: &Error) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        *self.last_error.lock().expect("nothing panics while holding a text") = Some(error.to_string());
        if !self.failing.swap(true, Ordering::Relaxed) {
            (self.on_change)();
        }
    }

    pub fn accepted(&self) {
        if self.failing.load(Ordering::Relaxed) && self.failing.swap(false, Ordering::Relaxed) {
            (self.on_change)();
        }
    }

    pub fn failures(&self) -> AcceptFailures {
        AcceptFailures {
            count: self.failures.load(Ordering::Relaxed),
            standing: self.failing.load(Ordering::Relaxed),
            last_error: self.last_error.lock().expect("nothing panics while holding a text").clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_counted_and_told_when_they_begin_and_end() {
        let told = Arc::new(AtomicU64::new(0));
        let telling = told.clone();
        let accepting = Accepting::new(Arc::new(move || {
            telling.fetch_add(1, Ordering::Relaxed);
        }));
        accepting.accepted();
        assert_eq!(told.load(Ordering::Relaxed), 0);
        (0..3).for_each(|_| accepting.failed(&Error::other("no descriptor")));
        let failures = accepting.failures();
        assert_eq!((failures.count, failures.standing, told.load(Ordering::Relaxed)), (3, true, 1));
        assert_eq!(failures.last_error.as_deref(), Some("no descriptor"));
        accepting.accepted();
        let failures = accepting.failures();
        assert_eq!((failures.count, failures.standing, told.load(Ordering::Relaxed)), (3, false, 2));
    }
}
