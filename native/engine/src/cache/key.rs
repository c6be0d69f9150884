//! What makes two questions equal, as octets: a lookup builds it on the stack.

use crate::wire::name::Name;

const MAX_NAME: usize = 255;
const TAIL: usize = 2 + 2 + 1 + 4;

/// Lower-case name ‖ type ‖ class ‖ DO, CD ‖ epoch of the network.
#[derive(Clone)]
pub struct Key {
    length: u16,
    octets: [u8; MAX_NAME + TAIL],
}

impl Key {
    pub fn new(
        name: &Name,
        kind: u16,
        class: u16,
        dnssec_ok: bool,
        checking_disabled: bool,
        epoch: u32,
    ) -> Self {
        let mut key = Key { length: 0, octets: [0; MAX_NAME + TAIL] };
        key.push(name.as_wire());
        key.push(&kind.to_be_bytes());
        key.push(&class.to_be_bytes());
        key.push(&[u8::from(dnssec_ok) | u8::from(checking_disabled) << 1]);
        key.push(&epoch.to_be_bytes());
        key
    }

    pub fn as_octets(&self) -> &[u8] {
        &self.octets[..usize::from(self.length)]
    }

    fn push(&mut self, part: &[u8]) {
        let start = usize::from(self.length);
        self.octets[start..start + part.len()].copy_from_slice(part);
        self.length += part.len() as u16;
    }
}
