//! Walking, reading and describing a message; taking its OPT out.
#![no_main]

#[path = "../../tests/check/mod.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|octets: &[u8]| {
    check::any_message_can_be_looked_at(octets);
});
