//! Records taken out of a message and put into another one.
#![no_main]

#[path = "../../tests/check/mod.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|octets: &[u8]| {
    check::a_record_says_the_same_elsewhere(octets);
});
