//! Tokio's clock in a test, which does not go on while the machine stands still. Without it a process that is stopped for three seconds
//! finds that each of its deadlines has passed at once, and the program under test is right to give up.
//!
//! Only a runtime of one thread can have such a clock; another one keeps the machine's.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Notify;
use tokio::task::spawn_blocking;

/// What the clock goes on by, and so long the machine's goes on meanwhile. All that is ready runs in between.
const STEP: Duration = Duration::from_millis(2);
/// Of a clock that stands still: a timer that is set to this moment rings a moment later.
const NEARLY_NOTHING: Duration = Duration::from_micros(10);

thread_local! {
    static IS_OURS: Cell<bool> = const { Cell::new(false) };
}

/// This thread's clock is ours, as long as the runtime is there that has it.
struct Ours;

impl Ours {
    fn take() -> Option<Self> {
        let has_one_thread = Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread;
        if has_one_thread && !IS_OURS.replace(true) { Some(Self) } else { None }
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        IS_OURS.set(false);
    }
}

/// From now on the clock of this runtime goes on by one step after the other, about as fast as the machine's. It stays as it is where it
/// was set before.
pub fn goes_on_in_steps() {
    set(STEP);
}

/// From now on the clock of this runtime stands still, as far as limits are concerned, unless [`pass`] moves it.
pub fn stands_still() {
    set(NEARLY_NOTHING);
}

/// Moves the clock. What was due within this time happens now, and all of it at once.
pub async fn pass(time: Duration) {
    tokio::time::advance(time).await;
}

fn set(step: Duration) {
    let Some(ours) = Ours::take() else { return };
    tokio::time::pause();
    let tick = Arc::new(Notify::new());
    let ticking = Arc::downgrade(&tick);
    // while there is a blocking task, Tokio does not leap to the next timer as soon as nothing is ready
    spawn_blocking(move || {
        while let Some(tick) = ticking.upgrade() {
            tick.notify_one();
            std::thread::sleep(STEP);
        }
    });
    tokio::spawn(async move {
        let _ours = ours;
        loop {
            tick.notified().await;
            pass(step).await;
        }
    });
}
