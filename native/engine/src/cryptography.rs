//! Prepares what TLS computes before its first hello: aws-lc seeds its random generator at the first use, which takes 25 to 50 ms
//! of computing. It is done once for all threads, before a query waits for it.

use std::sync::Once;

use rustls::crypto::aws_lc_rs::kx_group;

/// Returns when the next hello has nothing to wait for.
pub fn ready() {
    static READY: Once = Once::new();
    READY.call_once(|| {
        // the key shares of both hellos: each uses the generator, and loads the code that computes it
        for group in [kx_group::X25519MLKEM768, kx_group::X25519] {
            let _ = group.start();
        }
    });
}

/// The same, without waiting for it.
pub fn make_ready() {
    // without a thread, the first hello does it
    let _ = std::thread::Builder::new().name("sotto-seed".into()).spawn(ready);
}
