//! What makes two questions equal: in parts, which a lookup borrows from the question, and as octets, to be kept.

use std::hash::{Hash, Hasher};

use crate::wire::name::Name;

const MAX_NAME: usize = 255;
const TAIL: usize = 2 + 2 + 1 + 4;

/// Lower-case name ‖ type ‖ class ‖ DO, CD ‖ generation of the network.
#[derive(Clone)]
pub struct Key {
    length: u16,
    octets: [u8; MAX_NAME + TAIL],
}

/// The same, taken apart; what the table compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts<'a> {
    /// wire form, lower case
    pub name: &'a [u8],
    /// zero stands for every type
    pub kind: u16,
    pub class: u16,
    pub partition: Partition,
}

/// Responses to queries that differ in these are kept apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Partition {
    pub dnssec_ok: bool,
    pub checking_disabled: bool,
    pub generation: u32,
}

impl Key {
    pub fn new(
        name: &Name,
        kind: u16,
        class: u16,
        dnssec_ok: bool,
        checking_disabled: bool,
        generation: u32,
    ) -> Self {
        let partition = Partition { dnssec_ok, checking_disabled, generation };
        Self::of(Parts { name: name.as_wire(), kind, class, partition })
    }

    pub fn of(parts: Parts<'_>) -> Self {
        let Partition { dnssec_ok, checking_disabled, generation } = parts.partition;
        let mut key = Key { length: 0, octets: [0; MAX_NAME + TAIL] };
        key.push(parts.name);
        key.push(&parts.kind.to_be_bytes());
        key.push(&parts.class.to_be_bytes());
        key.push(&[u8::from(dnssec_ok) | u8::from(checking_disabled) << 1]);
        key.push(&generation.to_be_bytes());
        key
    }

    pub fn as_octets(&self) -> &[u8] {
        &self.octets[..usize::from(self.length)]
    }

    /// Name, type and class, as in a message.
    pub fn question_octets(&self) -> &[u8] {
        let octets = self.as_octets();
        &octets[..octets.len() - 5]
    }

    pub fn parts(&self) -> Parts<'_> {
        Parts::of(self.as_octets())
    }

    fn push(&mut self, part: &[u8]) {
        let start = usize::from(self.length);
        self.octets[start..start + part.len()].copy_from_slice(part);
        self.length += part.len() as u16;
    }
}

impl<'a> Parts<'a> {
    /// From a key's octets.
    pub fn of(octets: &'a [u8]) -> Self {
        let (name, tail) = octets.split_at(octets.len() - TAIL);
        Self {
            name,
            kind: u16::from_be_bytes([tail[0], tail[1]]),
            class: u16::from_be_bytes([tail[2], tail[3]]),
            partition: Partition {
                dnssec_ok: tail[4] & 1 != 0,
                checking_disabled: tail[4] & 2 != 0,
                generation: u32::from_be_bytes([tail[5], tail[6], tail[7], tail[8]]),
            },
        }
    }

    /// Every type of this name.
    pub fn whole_name(self) -> Self {
        Self { kind: 0, ..self }
    }

    /// Every type of the name above; `None` above the root.
    pub fn parent(self) -> Option<Self> {
        let label = usize::from(self.name[0]);
        (label != 0).then(|| Self { name: &self.name[1 + label..], ..self.whole_name() })
    }

    /// Whether its name is `suffix` or below it.
    pub fn is_within(self, suffix: &Name) -> bool {
        std::iter::successors(Some(self), |parts| parts.parent()).any(|own| own.name == suffix.as_wire())
    }
}

impl Hash for Parts<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Partition { dnssec_ok, checking_disabled, generation } = self.partition;
        let flags = u32::from(dnssec_ok) | u32::from(checking_disabled) << 1;
        state.write(self.name);
        state.write_u64(u64::from(self.kind) << 48 | u64::from(self.class) << 32 | u64::from(generation));
        state.write_u32(flags);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_comes_apart_into_what_it_was_made_of() {
        let name = Name::parse("WWW.Example").unwrap();
        let key = Key::new(&name, 28, 1, true, false, 7);
        let parts = key.parts();
        assert_eq!((parts.name, parts.kind, parts.class), (name.as_wire(), 28, 1));
        let partition = Partition { dnssec_ok: true, checking_disabled: false, generation: 7 };
        assert_eq!(parts.partition, partition);
        assert_eq!(key.question_octets(), b"\x03www\x07example\0\0\x1c\0\x01");
    }

    #[test]
    fn names_lead_up_to_the_root() {
        let key = Key::new(&Name::parse("a.b.example").unwrap(), 1, 1, false, false, 0);
        let up: Vec<_> = std::iter::successors(key.parts().parent(), |parts| parts.parent())
            .map(|parts| (parts.name.to_vec(), parts.kind))
            .collect();
        assert_eq!(up, [(b"\x01b\x07example\0".to_vec(), 0), (b"\x07example\0".to_vec(), 0), (vec![0], 0)]);
        let within = |text: &str| key.parts().is_within(&Name::parse(text).unwrap());
        assert!(within("a.b.example") && within("example") && within("."));
        assert!(!within("x.b.example") && !within("xample") && !within("0.a.b.example"));
    }
}
