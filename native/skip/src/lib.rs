//! What libtest lacks: a verdict for a test which finds out while it runs that this machine can't judge it, a clock and a network of
//! its own, and places where nobody listens.

#[cfg(feature = "clock")]
pub mod clock;
pub mod nobody;
#[cfg(target_os = "linux")]
pub mod own_network;
#[cfg(feature = "clock")]
pub mod waiting;

use std::io::Write;

/// Says that this test was skipped. libtest still counts it as passed; `build/cargo-tests.ts` finds this line and subtracts it. The
/// caller returns after it. `reason` ends with the command that enables the test.
pub fn skip(reason: &str) {
    // libtest names the thread of a test after it
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // in one write, past libtest's capture, to the stream that libtest itself does not write to
    let _ = std::io::stderr().write_all(format!("test {test} ... skipped, {reason}\n").as_bytes());
}
