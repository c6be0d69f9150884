//! What a server puts on a connection that three questions wait on.
#![no_main]

#[path = "../../tests/check/mod.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|octets: &[u8]| {
    check::a_stream_answers_what_was_asked(octets);
});
