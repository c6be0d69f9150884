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
/// found nothing.
pub fn manners(known: Option<Labels>, format: Format) -> [Manner; 3] {
    let of = |labels| Manner { format, labels, tail: Tail::Random };
    match known {
        None => {
            let revealing = Manner { tail: Tail::Revealing, ..of(Labels::Binary) };
            [revealing, of(Labels::Base32), of(Labels::Base32)]
        }
        Some(Labels::Binary) => [of(Labels::Binary), of(Labels::Binary), of(Labels::Base32)],
        Some(Labels::Base32) => [of(Labels::Base32), of(Labels::Base32), of(Labels::Binary)],
    }
}
