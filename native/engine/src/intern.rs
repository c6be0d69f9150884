//! Words of the configuration (upstream ids, rules, addresses), kept for ever, so that an event can name them without an allocation
//! or a shared count. There are as many as were ever configured.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex};

static WORDS: LazyLock<Mutex<HashSet<&'static str>>> = LazyLock::new(Mutex::default);

pub fn word(text: &str) -> &'static str {
    let mut words = WORDS.lock().expect("nothing panics while holding the words");
    if let Some(known) = words.get(text) {
        return known;
    }
    let kept: &'static str = Box::leak(text.into());
    words.insert(kept);
    kept
}
