//! The parameters of a service binding (RFC 9460): each once, in the order of their keys, those that are known with a value of their
//! form, and none without another one that it needs (sections 7.1.1 and 8).

use crate::{Malformed, u16_at};

const MANDATORY: u16 = 0;
const ALPN: u16 = 1;
const NO_DEFAULT_ALPN: u16 = 2;
const PORT: u16 = 3;
pub(crate) const IPV4_HINT: u16 = 4;
pub(crate) const IPV6_HINT: u16 = 6;
/// RFC 9540 section 3
const OHTTP: u16 = 8;

const UNFIT: Malformed = Malformed("the parameters of a service binding are out of order or out of form");

/// Key and value of the first one, and what follows it.
pub(crate) fn first(octets: &[u8]) -> Option<(u16, &[u8], &[u8])> {
    let (key, length) = (u16_at(octets, 0).ok()?, u16_at(octets, 2).ok()?);
    let (value, rest) = octets[4..].split_at_checked(usize::from(length))?;
    Some((key, value, rest))
}

pub(crate) fn check(mut octets: &[u8]) -> Result<(), Malformed> {
    let (mut next, mut mandatory) = (0, &b""[..]);
    while !octets.is_empty() {
        let (key, value, rest) = first(octets).ok_or(UNFIT)?;
        let is_alone = key == NO_DEFAULT_ALPN && next != u32::from(ALPN) + 1;
        if u32::from(key) < next || is_alone || !is_of_its_form(key, value) {
            return Err(UNFIT);
        }
        if key == MANDATORY {
            mandatory = value;
        } else {
            mandatory = mandatory.strip_prefix(&key.to_be_bytes()).unwrap_or(mandatory);
        }
        (next, octets) = (u32::from(key) + 1, rest);
    }
    // it names parameters in their order, and not itself, so that each of them that is there has taken its key away
    if mandatory.is_empty() { Ok(()) } else { Err(UNFIT) }
}

fn is_of_its_form(key: u16, value: &[u8]) -> bool {
    let is_list_of = |octets: usize| !value.is_empty() && value.len().is_multiple_of(octets);
    match key {
        MANDATORY => is_list_of(2),
        ALPN => are_protocols(value),
        NO_DEFAULT_ALPN => value.is_empty(),
        PORT => value.len() == 2,
        IPV4_HINT => is_list_of(4),
        IPV6_HINT => is_list_of(16),
        OHTTP => value.is_empty(),
        _ => true,
    }
}

/// One or more, none of them empty (section 7.1.1).
fn are_protocols(mut value: &[u8]) -> bool {
    let is_empty = value.is_empty();
    while let Some((length @ 1.., rest)) = value.split_first()
        && let Some((_, rest)) = rest.split_at_checked(usize::from(*length))
    {
        value = rest;
    }
    !is_empty && value.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_comes_once_in_order_and_in_its_form() {
        for (octets, is_good) in [
            (&b""[..], true),
            (b"\0\x01\0\x03\x02h2\0\x03\0\x02\x01\xbb\0\x04\0\x08\x7f\0\0\x01\x7f\0\0\x02", true),
            (b"\0\x01\0\x06\x02h2\x02h3\0\x02\0\0", true),
            (b"\0\0\0\x02\0\x01\0\x01\0\x03\x02h2", true),
            (b"\0\0\0\x04\0\x01\0\x03\0\x01\0\x03\x02h2\0\x02\0\0\0\x03\0\x02\x01\xbb", true),
            (b"\0\x08\0\0\xff\xff\0\x01x", true),
            (b"\xff\xff\0\x01x", true),
            (b"\0\0\0\x02\0\x03\0\x01\0\x03\x02h2", false),
            (b"\0\0\0\x04\0\x03\0\x01\0\x01\0\x03\x02h2\0\x03\0\x02\x01\xbb", false),
            (b"\0\0\0\x04\0\x01\0\x01\0\x01\0\x03\x02h2", false),
            (b"\0\0\0\x04\0\0\0\x01\0\x01\0\x03\x02h2", false),
            (b"\0\0\0\x02\0\0", false),
            (b"\0\x02\0\0", false),
            (b"\0\x02\0\0\0\x03\0\x02\x01\xbb", false),
            (b"\0\x08\0\x01x", false),
            (b"\0\x03\0\x02\x01\xbb\0\x01\0\x03\x02h2", false),
            (b"\0\x01\0\x03\x02h2\0\x01\0\x03\x02h2", false),
            (b"\0\x01\0\x03\x03h2", false),
            (b"\0\x01\0\x01\0", false),
            (b"\0\x01\0\0", false),
            (b"\0\0\0\x03\0\x01\0", false),
            (b"\0\x02\0\x01\0", false),
            (b"\0\x03\0\x01\x01", false),
            (b"\0\x04\0\x03\x7f\0\0", false),
            (b"\0\x04\0\0", false),
            (b"\0\x06\0\x04\x7f\0\0\x01", false),
            (b"\0\x01\0\x04\x02h2", false),
            (b"\0\x01\0", false),
        ] {
            assert_eq!(check(octets).is_ok(), is_good, "{octets:02x?}");
        }
    }
}
