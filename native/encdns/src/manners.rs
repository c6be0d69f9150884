//! The manners in which a query is tried, one after the other.

use crate::name::{Format, Labels};
use crate::nonces::Tail;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manner {
    pub format: Format,
    pub labels: Labels,
    pub tail: Tail,
}

/// `known`: the labels that came through before. While there are none, binary ones are tried first, because published servers know no
/// others, and the nonce shows whether a resolver leaves all octets as they are. A fresh box also meets a resolver that remembers that it
/// found nothing. `formats`: of the three, in this order.
pub fn manners(known: Option<Labels>, formats: [Format; 3]) -> [Manner; 3] {
    let labels = match known {
        None => [Labels::Binary, Labels::Base32, Labels::Base32],
        Some(Labels::Binary) => [Labels::Binary, Labels::Binary, Labels::Base32],
        Some(Labels::Base32) => [Labels::Base32, Labels::Base32, Labels::Binary],
    };
    std::array::from_fn(|place| {
        let is_first = known.is_none() && place == 0;
        let tail = if is_first { Tail::Revealing } else { Tail::Random };
        Manner { format: formats[place], labels: labels[place], tail }
    })
}
