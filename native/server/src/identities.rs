//! Several identities under several names: which one a client gets, by the name in its first message (SNI, RFC 6066 section 3).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustls::sign::CertifiedKey;
use time::OffsetDateTime;

use crate::identity::Identity;

/// One at least.
#[derive(Debug, Clone)]
pub struct Identities(Arc<Chosen>);

#[derive(Debug)]
struct Chosen {
    all: Vec<Identity>,
    /// A wildcard without its asterisk, and so beginning with a dot, which no client's name does.
    by_name: HashMap<String, usize>,
    doubles: Vec<(String, usize, usize)>,
}

impl Identities {
    /// Where two have a name, the earlier one serves it. `None`: there is no identity.
    pub fn new(all: Vec<Identity>) -> Option<Self> {
        let (mut by_name, mut doubles) = (HashMap::new(), Vec::new());
        for (at, identity) in all.iter().enumerate() {
            for name in &identity.names {
                match by_name.entry(key(name).to_owned()) {
                    Entry::Vacant(vacant) => drop(vacant.insert(at)),
                    Entry::Occupied(taken) if *taken.get() == at => {}
                    Entry::Occupied(taken) => doubles.push((name.clone(), *taken.get(), at)),
                }
            }
        }
        (!all.is_empty()).then(|| Identities(Arc::new(Chosen { all, by_name, doubles })))
    }

    pub fn all(&self) -> &[Identity] {
        &self.0.all
    }

    /// For clients that name none, or one that nobody has.
    pub fn first(&self) -> &Identity {
        &self.0.all[0]
    }

    /// Names of more than one, with the one that serves it and one that does not.
    pub fn doubles(&self) -> impl Iterator<Item = (&str, &Identity, &Identity)> {
        let Chosen { all, doubles, .. } = &*self.0;
        doubles.iter().map(|(name, serves, idle)| (name.as_str(), &all[*serves], &all[*idle]))
    }

    /// When the first of them expires.
    pub fn expires(&self) -> Option<OffsetDateTime> {
        self.all().iter().filter_map(|identity| identity.validity).map(|(_, until)| until).min()
    }

    /// `name`: in lower case, as rustls hands it on.
    pub(crate) fn choose(&self, name: Option<&str>) -> Arc<CertifiedKey> {
        let at = name.and_then(|name| self.place_of(name));
        self.0.all[at.unwrap_or_default()].certified.clone()
    }

    /// `name`: in lower case.
    pub(crate) fn have(&self, name: &str) -> bool {
        self.place_of(name).is_some()
    }

    /// A wildcard stands for one label, the first (RFC 9525 section 6.3).
    fn place_of(&self, name: &str) -> Option<usize> {
        let by_name = &self.0.by_name;
        by_name.get(name).or_else(|| by_name.get(&name[name.find('.')?..])).copied()
    }
}

fn key(name: &str) -> &str {
    match name.strip_prefix('*') {
        Some(rest) if rest.starts_with('.') => rest,
        _ => name,
    }
}

impl From<Identity> for Identities {
    fn from(identity: Identity) -> Self {
        Identities::new(vec![identity]).expect("there is one")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&[&str]]) -> Identities {
        let identity = |names: &&[&str]| {
            let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
            Identity::self_signed(&names).unwrap()
        };
        Identities::new(names.iter().map(identity).collect()).unwrap()
    }

    /// Which one, by its place.
    fn chosen(identities: &Identities, name: Option<&str>) -> usize {
        let chosen = identities.choose(name);
        identities.all().iter().position(|identity| Arc::ptr_eq(&identity.certified, &chosen)).unwrap()
    }

    #[test]
    fn an_exact_name_counts_before_a_wildcard_which_stands_for_one_label() {
        let identities = of(&[&["first.test"], &["*.Example.test"], &["WWW.example.test", "example.test"]]);
        for (name, expected) in [
            ("first.test", 0),
            ("a.example.test", 1),
            ("www.example.test", 2),
            ("example.test", 2),
            ("a.b.example.test", 0),
            ("a.www.example.test", 0),
            ("other.test", 0),
            ("test", 0),
            ("", 0),
        ] {
            assert_eq!(chosen(&identities, Some(name)), expected, "{name}");
        }
        assert_eq!(chosen(&identities, None), 0);
    }

    #[test]
    fn the_earlier_of_two_with_a_name_serves_it_and_the_other_is_named() {
        let identities = of(&[&["a.test", "a.test"], &["b.test", "A.test"], &["*.a.test"], &["*.a.test"]]);
        assert_eq!(chosen(&identities, Some("a.test")), 0);
        assert_eq!(chosen(&identities, Some("b.test")), 1);
        let pin = |at: usize| identities.all()[at].pin.as_str();
        let doubles: Vec<_> =
            identities.doubles().map(|(name, one, other)| (name, &*one.pin, &*other.pin)).collect();
        assert_eq!(doubles, [("a.test", pin(0), pin(1)), ("*.a.test", pin(2), pin(3))]);
    }

    #[test]
    fn without_any_there_is_nothing_to_choose_from() {
        assert!(Identities::new(vec![]).is_none());
    }
}
