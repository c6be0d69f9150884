//! What stands in the boxes of the extended format: parts of a query or of its response, padded so that lengths tell little.
//!
//! ```text
//! query, a part    = count·16 + place ‖ octets ‖ 80 00…      count 1 to 15, places from 0; the nonces of the parts count up by one
//! query, a wish    = 00 ‖ count in the nonce of the first part ‖ place ‖ 80 00…       for a further part of the response
//! response, a part = place ‖ count ‖ octets ‖ 80 00…         count 1 to 255
//! response, held   = 00 00 ‖ 80 00…                          of this query other parts are missing
//! ```
//!
//! The octets of all parts, in order, are the DNS message. The padding is that of ISO/IEC 7816-4.

/// Lengths in which queries are sealed; longer ones are as long as the name allows.
const QUERY_LENGTHS: [usize; 3] = [64, 96, 128];
/// RFC 8467 section 4.1: responses are padded to a multiple of this, where there is room.
const RESPONSE_BLOCK: usize = 468;
const MARK: u8 = 0x80;
/// The head of a query and the mark of its padding.
const QUERY_OVERHEAD: usize = 2;
/// The head of a response and the mark of its padding.
const RESPONSE_OVERHEAD: usize = 3;
pub const MOST_QUERY_PARTS: usize = 15;
const MOST_RESPONSE_PARTS: usize = 255;

/// What a box asks of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asks {
    Part { place: u8, count: u8, octets: Vec<u8> },
    Wish { query: u64, place: u8 },
}

/// What a box says to the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Says {
    Part { place: u8, count: u8, octets: Vec<u8> },
    Held,
}

impl Asks {
    /// The parts of a message, where a box has room for so many octets. `None`: there would be too many.
    pub fn parts(message: &[u8], room: usize) -> Option<Vec<Self>> {
        let parts = message.chunks(room.checked_sub(QUERY_OVERHEAD).filter(|octets| *octets > 0)?);
        let count = parts.len();
        if count > MOST_QUERY_PARTS {
            return None;
        }
        let part = |(place, octets): (usize, &[u8])| Self::Part {
            place: place as u8,
            count: count as u8,
            octets: octets.to_vec(),
        };
        Some(parts.enumerate().map(part).collect())
    }

    /// No longer than there is room, if it was made for it.
    pub fn write(&self, room: usize) -> Vec<u8> {
        let text = match self {
            Self::Part { place, count, octets } => [&[count << 4 | place], &octets[..]].concat(),
            Self::Wish { query, place } => [&[0], &query.to_be_bytes()[..], &[*place]].concat(),
        };
        let length = QUERY_LENGTHS.into_iter().find(|length| text.len() < *length);
        padded(text, length.unwrap_or(room).min(room))
    }

    /// `None`: no client of this format wrote it.
    pub fn read(text: &[u8]) -> Option<Self> {
        let (head, octets) = unpadded(text)?.split_first()?;
        let (count, place) = (head >> 4, head & 0x0f);
        if count > place {
            return Some(Self::Part { place, count, octets: octets.to_vec() });
        }
        let (query, place) = octets.split_at_checked(8)?;
        let wish = || Some(Self::Wish { query: u64::from_be_bytes(query.try_into().ok()?), place: place[0] });
        (*head == 0 && place.len() == 1).then(wish).flatten()
    }
}

impl Says {
    /// The parts of a message, where a box has room for so many octets. They are larger where there would be too many.
    pub fn parts(message: &[u8], room: usize) -> Vec<Self> {
        let octets =
            room.saturating_sub(RESPONSE_OVERHEAD).max(message.len().div_ceil(MOST_RESPONSE_PARTS)).max(1);
        let count = message.len().div_ceil(octets).max(1);
        let part = |place: usize| Self::Part {
            place: place as u8,
            count: count as u8,
            octets: message[place * octets..message.len().min((place + 1) * octets)].to_vec(),
        };
        (0..count).map(part).collect()
    }

    /// No longer than there is room, if it was made for it.
    pub fn write(&self, room: usize) -> Vec<u8> {
        let text = match self {
            Self::Part { place, count, octets } => [&[*place, *count], &octets[..]].concat(),
            Self::Held => vec![0, 0],
        };
        let length = (text.len() + 1).next_multiple_of(RESPONSE_BLOCK);
        padded(text, length.min(room))
    }

    /// `None`: no server of this format wrote it.
    pub fn read(text: &[u8]) -> Option<Self> {
        match unpadded(text)? {
            [0, 0] => Some(Self::Held),
            [place, count, octets @ ..] if place < count => {
                Some(Self::Part { place: *place, count: *count, octets: octets.to_vec() })
            }
            _ => None,
        }
    }
}

/// Always with the mark, even if it is longer then.
fn padded(mut text: Vec<u8>, length: usize) -> Vec<u8> {
    text.push(MARK);
    text.resize(length.max(text.len()), 0);
    text
}

fn unpadded(text: &[u8]) -> Option<&[u8]> {
    let end = text.iter().rposition(|octet| *octet != 0)?;
    (text[end] == MARK).then(|| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let part = |place, count, octets: &[u8]| Asks::Part { place, count, octets: octets.to_vec() };
        for asks in [part(0, 1, b""), part(14, 15, b"x\0\x80\0"), Asks::Wish { query: u64::MAX, place: 255 }]
        {
            assert_eq!(Asks::read(&asks.write(86)), Some(asks));
        }
        let part = |place, count, octets: &[u8]| Says::Part { place, count, octets: octets.to_vec() };
        for says in [part(0, 1, b""), part(254, 255, b"x\0\x80\0"), Says::Held] {
            assert_eq!(Says::read(&says.write(1000)), Some(says));
        }
    }

    #[test]
    fn lengths_are_few() {
        let lengths = |room, most: usize| {
            let mut lengths: Vec<_> = (0..=most)
                .map(|octets| Asks::Part { place: 0, count: 1, octets: vec![7; octets] }.write(room).len())
                .collect();
            lengths.dedup();
            lengths
        };
        assert_eq!(lengths(176, 174), [64, 96, 128, 176]);
        assert_eq!(lengths(86, 84), [64, 86]);
        let says = |octets| Says::Part { place: 0, count: 1, octets: vec![7; octets] }.write(1000).len();
        assert_eq!([0, 465, 466, 933, 934, 997].map(says), [468, 468, 936, 936, 1000, 1000]);
    }

    #[test]
    fn a_message_is_the_octets_of_its_parts() {
        for (length, room) in
            [(0, 100), (1, 3), (97, 100), (98, 100), (1_470, 100), (64_000, 254), (64_000, 20)]
        {
            let message: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let joined = |parts: Vec<Says>| {
                let octets = parts.iter().map(|part| match part {
                    Says::Part { octets, .. } => &octets[..],
                    Says::Held => unreachable!(),
                });
                octets.collect::<Vec<_>>().concat()
            };
            let parts = Says::parts(&message, room);
            assert!(parts.len() <= MOST_RESPONSE_PARTS);
            assert_eq!(joined(parts), message, "{length} in {room}");
        }
        assert_eq!(Asks::parts(&[7; 1_470], 100).map(|parts| parts.len()), Some(15));
        assert_eq!(Asks::parts(&[7; 1_471], 100), None);
        assert_eq!(Asks::parts(&[7], 2), None);
    }

    #[test]
    fn what_nobody_wrote_is_not_read() {
        for text in
            [&b""[..], b"\0\0", b"\x80", b"\x10x", b"\x01\x80", b"\x12\x80", b"\0\x80", b"\0 short \x80"]
        {
            assert_eq!(Asks::read(text), None, "{text:?}");
        }
        assert_eq!(Asks::read(b"\0 too long \0\x80"), None);
        for text in [&b""[..], b"\0\x80", b"\x01\x01\x80", b"\x01\0\x80", b"\0\x01"] {
            assert_eq!(Says::read(text), None, "{text:?}");
        }
    }
}
