//! From a name to the value of its longest listed suffix, for sets of a million names.
//!
//! ```text
//! slots   [ 0 │ fingerprint‖3 │ 0 │ fingerprint‖1 │ … ]     open addressing, linear probing
//!                          └──▶ entries [ start, value ]
//!                                            └──▶ arena 07 e x a m p l e 03 c o m 00 …
//! ```
//!
//! The hash is the standard library's keyed SipHash: whoever chooses the names asked for, or sells the list, cannot choose
//! the collisions. It is fed label by label from the root, so that one pass over a name yields the hash of every suffix.

use std::hash::{BuildHasher, Hasher, RandomState};

use crate::wire::name::Name;

/// The most labels that fit into 255 octets, the root not counted.
const MAX_LABELS: usize = 127;
const EMPTY: u32 = 0;
const SMALLEST: usize = 8;

/// Immutable once collected. Of two equal names the later one's value stands.
pub struct SuffixMap<V> {
    /// names in wire form, back to back; the root label ends each
    arena: Vec<u8>,
    entries: Vec<Entry<V>>,
    /// a power of two, at most three quarters full; the low bits are an entry's number plus one, the others its fingerprint
    slots: Vec<u32>,
    /// labels of the longest listed name: deeper suffixes are not looked up
    depth: usize,
    hasher: RandomState,
}

struct Entry<V> {
    start: u32,
    value: V,
}

impl<V> SuffixMap<V> {
    /// The value of the longest listed suffix of `name` (the name itself included), with that suffix in wire form.
    pub fn longest(&self, name: &Name) -> Option<(&V, &[u8])> {
        if self.entries.is_empty() {
            return None;
        }
        let wire = name.as_wire();
        let mut found = None;
        for_each_suffix(wire, self.depth, self.hasher.build_hasher(), |start, hash| {
            if let Some(entry) = self.find(&wire[start..], hash) {
                found = Some((entry, wire.len() - start));
            }
        });
        let (entry, length) = found?;
        let start = entry.start as usize;
        Some((&entry.value, &self.arena[start..start + length]))
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What the map holds on the heap, without what the values themselves point to.
    pub fn memory_octets(&self) -> usize {
        self.arena.capacity()
            + self.entries.capacity() * size_of::<Entry<V>>()
            + self.slots.capacity() * size_of::<u32>()
    }

    fn find(&self, wire: &[u8], hash: u64) -> Option<&Entry<V>> {
        self.number(wire, hash).ok().map(|number| &self.entries[number])
    }

    /// The entry's number, or the free slot where it belongs.
    fn number(&self, wire: &[u8], hash: u64) -> Result<usize, usize> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == EMPTY {
                return Err(at);
            }
            if fingerprint(slot, mask) == fingerprint((hash >> 32) as u32, mask) {
                let number = (slot as usize & mask) - 1;
                let start = self.entries[number].start as usize;
                // no wire name is the beginning of another, so equal octets are equal names
                if self.arena[start..].starts_with(wire) {
                    return Ok(number);
                }
            }
            at = (at + 1) & mask;
        }
    }

    fn insert(&mut self, name: &Name, value: V) {
        if (self.entries.len() + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let wire = name.as_wire();
        let (hash, labels) = self.hash(wire);
        match self.number(wire, hash) {
            Ok(number) => self.entries[number].value = value,
            Err(at) => {
                let start = u32::try_from(self.arena.len()).expect("four gigabytes of names");
                self.arena.extend_from_slice(wire);
                self.entries.push(Entry { start, value });
                self.slots[at] = self.slot(self.entries.len(), hash);
                self.depth = self.depth.max(labels);
            }
        }
    }

    fn grow(&mut self) {
        self.slots = vec![EMPTY; (self.slots.len() * 2).max(SMALLEST)];
        let mask = self.slots.len() - 1;
        for number in 0..self.entries.len() {
            let start = self.entries[number].start as usize;
            let (hash, _) = self.hash(&self.arena[start..]);
            let mut at = hash as usize & mask;
            while self.slots[at] != EMPTY {
                at = (at + 1) & mask;
            }
            self.slots[at] = self.slot(number + 1, hash);
        }
    }

    fn slot(&self, number_plus_one: usize, hash: u64) -> u32 {
        let mask = self.slots.len() - 1;
        fingerprint((hash >> 32) as u32, mask) | number_plus_one as u32
    }

    /// The hash of the whole name `wire` begins with, and the number of its labels.
    fn hash(&self, wire: &[u8]) -> (u64, usize) {
        let mut last = (0, 0);
        let mut labels = 0;
        for_each_suffix(wire, MAX_LABELS, self.hasher.build_hasher(), |_, hash| {
            last = (hash, labels);
            labels += 1;
        });
        last
    }
}

impl<V> FromIterator<(Name, V)> for SuffixMap<V> {
    fn from_iter<I: IntoIterator<Item = (Name, V)>>(names: I) -> Self {
        let mut map = Self {
            arena: Vec::new(),
            entries: Vec::new(),
            slots: Vec::new(),
            depth: 0,
            hasher: RandomState::new(),
        };
        for (name, value) in names {
            map.insert(&name, value);
        }
        map.arena.shrink_to_fit();
        map.entries.shrink_to_fit();
        map
    }
}

impl<V> std::fmt::Debug for SuffixMap<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SuffixMap({} names)", self.len())
    }
}

fn fingerprint(bits: u32, mask: usize) -> u32 {
    bits & !(mask as u32)
}

/// Calls `visit` with start and hash of every suffix of the name `wire` begins with: the root first, `depth` labels at most.
fn for_each_suffix(wire: &[u8], depth: usize, mut hasher: impl Hasher, mut visit: impl FnMut(usize, u64)) {
    let mut starts = [0u8; MAX_LABELS];
    let mut labels = 0;
    let mut at = 0;
    while wire[at] != 0 {
        starts[labels] = at as u8;
        labels += 1;
        at += 1 + usize::from(wire[at]);
    }
    visit(at, hasher.finish());
    for start in starts[..labels].iter().rev().take(depth).map(|start| usize::from(*start)) {
        hasher.write(&wire[start..=start + usize::from(wire[start])]);
        visit(start, hasher.finish());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    fn name(text: &str) -> Name {
        Name::parse(text).unwrap()
    }

    fn map(names: &[&str]) -> SuffixMap<usize> {
        names.iter().enumerate().map(|(index, text)| (name(text), index)).collect()
    }

    #[test]
    fn the_longest_suffix_wins() {
        let map = map(&["example", "corp.example", "a.b.corp.example"]);
        for (asked, expected) in [
            ("corp.example", "1 corp.example"),
            ("x.corp.example", "1 corp.example"),
            ("b.corp.example", "1 corp.example"),
            ("x.a.b.corp.example", "2 a.b.corp.example"),
            ("scorp.example", "0 example"),
            ("corp.example.net", "nothing"),
            (".", "nothing"),
        ] {
            let found = match map.longest(&name(asked)) {
                Some((value, suffix)) => format!("{value} {}", Name::read(suffix, 0).unwrap().0),
                None => "nothing".into(),
            };
            assert_eq!(found, expected, "{asked}");
        }
    }

    #[test]
    fn the_root_is_a_suffix_of_everything() {
        let map = map(&["."]);
        assert_eq!(map.longest(&name("a.b")), Some((&0, [0].as_slice())));
        assert_eq!(map.longest(&Name::ROOT), Some((&0, [0].as_slice())));
    }

    #[test]
    fn an_empty_map_finds_nothing() {
        let map = SuffixMap::<()>::from_iter([]);
        assert!(map.longest(&name("a.b")).is_none() && map.is_empty());
        assert_eq!(map.memory_octets(), 0);
    }

    #[test]
    fn the_later_of_two_equal_names_stands() {
        let map = map(&["a.example", "b.example", "A.Example."]);
        assert_eq!(map.len(), 2);
        assert_eq!(map.longest(&name("a.example")).map(|(value, _)| *value), Some(2));
    }

    #[test]
    fn the_longest_possible_name_is_found() {
        let deep = ["a"; 127].join(".");
        let map = map(&[deep.as_str(), &deep[2..]]);
        assert_eq!(map.longest(&name(&deep)).map(|(value, suffix)| (*value, suffix.len())), Some((0, 255)));
    }

    #[test]
    fn it_agrees_with_trying_every_suffix() {
        let mut random = StdRng::seed_from_u64(6761);
        for round in 0..200 {
            let names = random.random_range(0..300);
            let listed: Vec<(Name, usize)> =
                (0..names).map(|index| (random_name(&mut random), index)).collect();
            let naive: HashMap<Vec<u8>, usize> =
                listed.iter().map(|(name, index)| (name.as_wire().to_vec(), *index)).collect();
            let map: SuffixMap<usize> = listed.into_iter().collect();
            assert_eq!(map.len(), naive.len());
            for _ in 0..200 {
                let asked = random_name(&mut random);
                let expected =
                    asked.suffixes().find_map(|suffix| naive.get(suffix).map(|index| (index, suffix)));
                assert_eq!(map.longest(&asked), expected, "round {round}, {asked}");
            }
        }
    }

    /// From so few labels that names repeat and nest.
    fn random_name(random: &mut StdRng) -> Name {
        let labels: Vec<&str> = (0..random.random_range(0..5))
            .map(|_| ["a", "b", "ab", "ba", "\\000", "com"][random.random_range(0..6)])
            .collect();
        name(&labels.join("."))
    }

    #[test]
    fn a_million_names_cost_less_than_48_octets_each() {
        let names = (0..1_000_000u32).map(|index| (name(&format!("host{index}.ads.example")), index));
        let map: SuffixMap<u32> = names.collect();
        assert_eq!(map.len(), 1_000_000);
        let each = map.memory_octets() / map.len();
        assert!(each < 48, "{each} octets a name");
        for index in (0..1_000_000u32).step_by(997) {
            let asked = name(&format!("www.host{index}.ads.example"));
            assert_eq!(map.longest(&asked).map(|(value, _)| *value), Some(index));
        }
        assert!(map.longest(&name("host1000000.ads.example")).is_none());
    }
}
