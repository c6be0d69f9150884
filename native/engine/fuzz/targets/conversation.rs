//! What a client puts on its TCP connection to the listener.
#![no_main]

#[path = "../../tests/check/mod.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|octets: &[u8]| {
    check::a_conversation_ends_and_answers_what_was_asked(octets);
});
