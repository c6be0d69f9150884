//! What TLS needs before its first hello and a process has not got when it starts: aws-lc seeds its random generator at the
//! first use, which takes 25 to 50 ms of computing. Done once for all threads, before a query waits for it.

use std::sync::Once;

use rustls::crypto::aws_lc_rs::kx_group;

/// Returns when the next hello computes nothing but itself.
pub fn ready() {
    static READY: Once = Once::new();
    READY.call_once(|| {
        // the shares of both hellos: each draws on the generator, and loads what it computes with
        for group in [kx_group::X25519MLKEM768, kx_group::X25519] {
            let _ = group.start();
        }
    });
}

/// The same, without waiting for it.
pub fn make_ready() {
    // where no thread can be had, the first hello does it
    let _ = std::thread::Builder::new().name("sotto-seed".into()).spawn(ready);
}
