//! From a bypass resolver's message to an answer composed of its aliases. The first octet chooses the question, and for which
//! names the resolver may speak.
#![no_main]

#[path = "../../tests/check/mod.rs"]
mod check;

const OWN: [&str; 3] = [".", "example", "b.example"];

libfuzzer_sys::fuzz_target!(|octets: &[u8]| {
    if let [choice, said @ ..] = octets {
        let choice = usize::from(*choice);
        let asked = check::ASKED[choice % check::ASKED.len()];
        let own = OWN[choice / check::ASKED.len() % OWN.len()];
        check::aliases_lead_to_the_same_end_when_composed(said, asked, own);
    }
});
