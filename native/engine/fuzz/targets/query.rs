//! From a client's packet to the reply, or to the question that goes on.
#![no_main]

#[path = "../../tests/check/mod.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|octets: &[u8]| {
    check::a_client_gets_nothing_or_a_reply(octets);
});
