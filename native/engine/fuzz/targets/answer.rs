//! From an upstream's message to what each kind of client gets. The first octet chooses the question.
#![no_main]

#[path = "../../tests/check/mod.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|octets: &[u8]| {
    if let [choice, said @ ..] = octets {
        let asked = check::ASKED[usize::from(*choice) % check::ASKED.len()];
        check::an_answer_reaches_the_client_whole_or_not_at_all(said, asked);
    }
});
