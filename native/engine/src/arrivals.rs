//! Finds out whether a way of asking leads to this engine. A query for a name that nobody else has is sent that way, and it either
//! arrives at a listener of ours or not. The engine responds with a loopback address, whatever policy and mode say, so that no
//! resolver on the way looks further. No program asked for the name, so the query is neither counted nor kept.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use crate::policy::Local;
use crate::wire::name::Name;
use crate::wire::question::Question;

const PREFIX: &str = "sotto-probe-";
/// If such a name goes past us, the next resolver should know that it does not exist (RFC 6761 section 6.2).
const SUFFIX: &str = "test";
/// `sotto doctor` sends a query for this name to each address. Its process is another one, so that the name is not expected here.
const ALWAYS: &str = "sotto-probe.test";
/// Names expected at once; the oldest is dropped for a new one.
const MOST_EXPECTED: usize = 64;

#[derive(Debug)]
pub struct Arrivals {
    always: Name,
    expected: Mutex<VecDeque<Expected>>,
    /// lets queries skip the lock while there is no probe
    count: AtomicUsize,
}

#[derive(Debug)]
struct Expected {
    name: Name,
    arrived: bool,
}

impl Default for Arrivals {
    fn default() -> Self {
        let always = Name::parse(ALWAYS).expect("letters, a dot and a hyphen");
        Self { always, expected: Mutex::default(), count: AtomicUsize::default() }
    }
}

impl Arrivals {
    /// A name to send a query for, with its last dot, so that no search list is applied.
    pub fn expect(&self) -> String {
        let text = format!("{PREFIX}{:016x}.{SUFFIX}.", rand::random::<u64>());
        let name = Name::parse(&text).expect("letters, digits and hyphens");
        let mut expected = self.expected();
        if expected.len() == MOST_EXPECTED {
            expected.pop_front();
        }
        expected.push_back(Expected { name, arrived: false });
        self.count.store(expected.len(), Ordering::Relaxed);
        text
    }

    /// Whether a query for it has arrived. The name is then dropped, and is a name like any other.
    pub fn has_arrived(&self, name: &Name) -> bool {
        let mut expected = self.expected();
        let found = expected.iter().position(|one| one.name == *name);
        let arrived = found.and_then(|position| expected.remove(position)).is_some_and(|one| one.arrived);
        self.count.store(expected.len(), Ordering::Relaxed);
        arrived
    }

    /// The response to a query for one of our names.
    pub fn meet(&self, question: &Question) -> Option<Local> {
        let is_ours = question.name == self.always || self.note(&question.name);
        is_ours.then(|| Local::loopback(question, "sotto-probe"))
    }

    /// Whether the name was expected.
    fn note(&self, name: &Name) -> bool {
        if self.count.load(Ordering::Relaxed) == 0 {
            return false;
        }
        let mut expected = self.expected();
        let one = expected.iter_mut().find(|one| one.name == *name);
        one.map(|one| one.arrived = true).is_some()
    }

    fn expected(&self) -> MutexGuard<'_, VecDeque<Expected>> {
        self.expected.lock().expect("nothing panics while holding the names")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::types;

    fn question(text: &str) -> Question {
        Question { name: Name::parse(text).unwrap(), kind: types::A, class: types::IN }
    }

    #[test]
    fn a_name_arrives_once_it_is_asked_for_and_only_if_it_was_expected() {
        let arrivals = Arrivals::default();
        let (asked, waiting) = (arrivals.expect(), arrivals.expect());
        assert!(arrivals.meet(&question("sotto-probe-0000000000000000.test")).is_none());
        assert_eq!(arrivals.meet(&question(&asked.to_uppercase())).unwrap().rcode, 0);
        assert!(arrivals.has_arrived(&Name::parse(&asked).unwrap()));
        assert!(!arrivals.has_arrived(&Name::parse(&waiting).unwrap()));
        assert!(arrivals.meet(&question(&asked)).is_none(), "it is a name like any other now");
        assert!(arrivals.meet(&question(ALWAYS)).is_some());
    }

    #[test]
    fn names_nobody_came_back_for_do_not_pile_up() {
        let arrivals = Arrivals::default();
        let names: Vec<String> = (0..=MOST_EXPECTED).map(|_| arrivals.expect()).collect();
        assert!(arrivals.meet(&question(&names[0])).is_none());
        assert!(names[1..].iter().all(|name| arrivals.meet(&question(name)).is_some()));
    }
}
