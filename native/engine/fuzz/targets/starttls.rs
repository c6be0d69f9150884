//! The reply to the dummy question, in cleartext.
#![no_main]

#[path = "../../tests/check/mod.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|octets: &[u8]| {
    check::only_an_acceptance_is_accepted(octets);
});
