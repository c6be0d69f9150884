//! Domain names in wire form (RFC 1035 section 3.1, compression 4.1.4).

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use crate::{Malformed, header};

/// RFC 1035 section 2.3.4, the root label included.
const MAX_NAME: usize = 255;
const MAX_LABEL: usize = 63;
/// As many as labels fit into a name. Without a limit, each name of a message could lead through thousands, for seconds in all.
const MAX_POINTERS: usize = 127;
const POINTER: u8 = 0xc0;
const WRONG_POINTER: Malformed = Malformed("a pointer does not point back, or is one too many");

/// A name in wire form: uncompressed, lower case, with the root label at its end. Compares and hashes as octets.
#[derive(Clone, Copy)]
pub struct Name {
    length: u8,
    octets: [u8; MAX_NAME],
}

impl Name {
    pub const ROOT: Name = Name { length: 1, octets: [0; MAX_NAME] };

    /// Reads the name at `at`, following pointers, and returns it with the offset behind it. A pointer leads to an earlier
    /// name, which ends before the one that points to it.
    #[inline]
    pub fn read(mut message: &[u8], at: usize) -> Result<(Self, usize), Malformed> {
        let mut name = Name { length: 0, octets: [0; MAX_NAME] };
        let mut length = 0;
        let mut position = at;
        let mut earliest = at;
        let mut end = None;
        let mut pointers = 0;
        loop {
            match label_at(message, position)? {
                Label::Root => {
                    name.length = (length + 1) as u8;
                    return Ok((name, end.unwrap_or(position + 1)));
                }
                Label::Pointer(target) => {
                    end.get_or_insert(position + 2);
                    pointers += 1;
                    if target >= earliest || pointers > MAX_POINTERS {
                        return Err(WRONG_POINTER);
                    }
                    message = &message[..earliest];
                    earliest = target;
                    position = target;
                }
                Label::Octets(label) => {
                    if length + 1 + label.len() + 1 > MAX_NAME {
                        return Err(Malformed("a name is longer than 255 octets"));
                    }
                    name.octets[length] = label.len() as u8;
                    for (target, octet) in name.octets[length + 1..].iter_mut().zip(label) {
                        *target = octet.to_ascii_lowercase();
                    }
                    length += 1 + label.len();
                    position += 1 + label.len();
                }
            }
        }
    }

    /// Parses the presentation form (RFC 1035 section 5.1, `\DDD` and `\X` escapes); the final dot is optional.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let mut wire = Vec::with_capacity(text.len() + 2);
        let mut label = Vec::new();
        let mut octets = text.bytes();
        let mut finished = text.is_empty() || text == ".";
        if text == "." {
            octets.next();
        }
        while let Some(octet) = octets.next() {
            finished = false;
            match octet {
                b'.' => {
                    push_label(&mut wire, &mut label)?;
                    finished = true;
                }
                b'\\' => label.push(unescape(&mut octets)?),
                other => label.push(other),
            }
        }
        if !finished {
            push_label(&mut wire, &mut label)?;
        }
        wire.push(0);
        Name::read(&wire, 0).map(|(name, _)| name)
    }

    #[inline]
    pub fn as_wire(&self) -> &[u8] {
        &self.octets[..self.length as usize]
    }

    #[inline]
    pub fn is_root(&self) -> bool {
        self.length == 1
    }

    /// The name itself, then each parent down to the root, as wire octets: longest suffix first.
    #[inline]
    pub fn suffixes(&self) -> impl Iterator<Item = &[u8]> {
        suffixes(self.as_wire())
    }

    #[inline]
    pub fn ends_with(&self, suffix: &Name) -> bool {
        self.suffixes().any(|own| own == suffix.as_wire())
    }

    pub fn labels(&self) -> impl Iterator<Item = &[u8]> {
        self.suffixes().filter(|rest| rest[0] != 0).map(|rest| &rest[1..1 + rest[0] as usize])
    }
}

impl PartialEq for Name {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.as_wire() == other.as_wire()
    }
}

impl Eq for Name {}

impl Hash for Name {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_wire().hash(state);
    }
}

impl Borrow<[u8]> for Name {
    #[inline]
    fn borrow(&self) -> &[u8] {
        self.as_wire()
    }
}

/// Presentation form in plain ASCII: whatever is not a letter, digit, hyphen or underscore is escaped, so it is safe to show.
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() {
            return f.write_str(".");
        }
        for (index, label) in self.labels().enumerate() {
            if index > 0 {
                f.write_str(".")?;
            }
            for octet in label {
                match octet {
                    b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'*' | b'/' | b'+' | b'=' => {
                        write!(f, "{}", *octet as char)?
                    }
                    0x21..=0x7e => write!(f, "\\{}", *octet as char)?,
                    _ => write!(f, "\\{octet:03}")?,
                }
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Name({self})")
    }
}

/// As [`Name::suffixes`], of a name in wire form without compression.
#[inline]
pub fn suffixes(wire: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = Some(0);
    std::iter::from_fn(move || {
        let start = at?;
        let length = wire[start] as usize;
        at = (length != 0).then_some(start + 1 + length);
        Some(&wire[start..])
    })
}

/// A compression pointer (RFC 1035 section 4.1.4) to this offset in the message.
#[inline]
pub const fn pointer_to(at: usize) -> [u8; 2] {
    (0xc000 | at as u16).to_be_bytes()
}

/// The offset to which these octets point, if they are a compression pointer.
#[inline]
pub fn target(octets: &[u8]) -> Option<usize> {
    let octets: [u8; 2] = octets.try_into().ok().filter(|[high, _]: &[u8; 2]| *high >= POINTER)?;
    Some(usize::from(u16::from_be_bytes(octets) & 0x3fff))
}

/// The offset behind the name at `at`, without following its pointer.
#[inline]
pub fn skip(message: &[u8], at: usize) -> Result<usize, Malformed> {
    last(message, at).map(|last| last.end)
}

/// The position of the root label or the pointer that ends the name at `at`.
#[inline]
pub fn last(message: &[u8], at: usize) -> Result<Range<usize>, Malformed> {
    let mut position = at;
    loop {
        match label_at(message, position)? {
            Label::Root => return Ok(position..position + 1),
            Label::Pointer(target) if target < at => return Ok(position..position + 2),
            Label::Pointer(_) => return Err(WRONG_POINTER),
            Label::Octets(label) => position += 1 + label.len(),
        }
        if position - at >= MAX_NAME {
            return Err(Malformed("a name is longer than 255 octets"));
        }
    }
}

/// Follows the name at `at` to its root. Calls `piece` with the position of each label and pointer.
pub fn follow(
    message: &[u8],
    at: usize,
    mut piece: impl FnMut(Range<usize>) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    let (mut message, mut position, mut earliest, mut length, mut pointers) = (message, at, at, 1, 0);
    loop {
        match label_at(message, position)? {
            Label::Root => return piece(position..position + 1),
            Label::Pointer(target) if target < earliest && pointers < MAX_POINTERS => {
                pointers += 1;
                piece(position..position + 2)?;
                message = &message[..earliest];
                (position, earliest) = (target, target);
            }
            Label::Pointer(_) => return Err(WRONG_POINTER),
            Label::Octets(label) => {
                let end = position + 1 + label.len();
                length += end - position;
                if length > MAX_NAME {
                    return Err(Malformed("a name is longer than 255 octets"));
                }
                piece(position..end)?;
                position = end;
            }
        }
    }
}

/// Whether the name at `at` leads to its root.
#[inline]
pub fn check(message: &[u8], at: usize) -> Result<(), Malformed> {
    follow(message, at, |_| Ok(()))
}

enum Label<'a> {
    Root,
    Pointer(usize),
    Octets(&'a [u8]),
}

#[inline]
fn label_at(message: &[u8], at: usize) -> Result<Label<'_>, Malformed> {
    let ends = Malformed("ends inside a name");
    let first = *message.get(at).ok_or(ends)?;
    match first {
        0 => Ok(Label::Root),
        1..=63 => message.get(at + 1..at + 1 + first as usize).map(Label::Octets).ok_or(ends),
        POINTER.. => {
            let low = *message.get(at + 1).ok_or(ends)?;
            match usize::from(first & !POINTER) << 8 | usize::from(low) {
                // a pointer into the header would change with id and flags, and a name with it
                0..header::LENGTH => Err(Malformed("a compression pointer points into the header")),
                target => Ok(Label::Pointer(target)),
            }
        }
        _ => Err(Malformed("a label has an unknown type")),
    }
}

fn push_label(wire: &mut Vec<u8>, label: &mut Vec<u8>) -> Result<(), Malformed> {
    match label.len() {
        0 => return Err(Malformed("a label is empty")),
        1..=MAX_LABEL => {}
        _ => return Err(Malformed("a label is longer than 63 octets")),
    }
    wire.push(label.len() as u8);
    wire.append(label);
    Ok(())
}

fn unescape(octets: &mut std::str::Bytes<'_>) -> Result<u8, Malformed> {
    let bad = Malformed("an escape is not \\DDD or \\X");
    let first = octets.next().ok_or(bad)?;
    if !first.is_ascii_digit() {
        return Ok(first);
    }
    let (second, third) = (octets.next().ok_or(bad)?, octets.next().ok_or(bad)?);
    if !second.is_ascii_digit() || !third.is_ascii_digit() {
        return Err(bad);
    }
    let value = u16::from(first - b'0') * 100 + u16::from(second - b'0') * 10 + u16::from(third - b'0');
    u8::try_from(value).map_err(|_| bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presentation_form_survives_a_round_trip() {
        for text in
            [".", "example.com", "a\\.b.example", "\\000\\255.test", "_853._tcp.dns.test", "\\@\\;x.y"]
        {
            assert_eq!(Name::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Name::parse("WWW.Example.COM.").unwrap().to_string(), "www.example.com");
    }

    #[test]
    fn malformed_text_is_refused() {
        let label = "a".repeat(64);
        let long = ["a".repeat(63).as_str(); 4].join(".");
        for text in ["a..b", ".a", "\\2", "\\999", "x\\", label.as_str(), long.as_str()] {
            assert!(Name::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn pointers_must_point_back() {
        let message = b"\0\0\0\0\0\0\0\0\0\0\0\0\x03com\x00\x01A\xc0\x0c\xc0\x15\xc0\x1a\xc0\x00";
        let (name, end) = Name::read(message, 17).unwrap();
        assert_eq!((name.to_string().as_str(), end), ("a.com", 21));
        for itself_forward_or_header in [21, 23, 25] {
            assert!(Name::read(message, itself_forward_or_header).is_err());
            assert!(skip(message, itself_forward_or_header).is_err());
            assert!(check(message, itself_forward_or_header).is_err());
        }
    }

    #[test]
    fn a_name_has_as_many_pointers_as_labels_fit_into_it() {
        for (pointers, fits) in [(127, true), (128, false)] {
            let mut message = vec![0; header::LENGTH + 1];
            let mut last = header::LENGTH;
            for _ in 0..pointers {
                let to = pointer_to(last);
                last = message.len();
                message.extend(to);
            }
            assert_eq!(Name::read(&message, last).is_ok(), fits, "{pointers}");
            assert_eq!(check(&message, last).is_ok(), fits, "{pointers}");
        }
    }

    #[test]
    fn a_name_that_runs_into_itself_is_none() {
        let message = b"\0\0\0\0\0\0\0\0\0\0\0\0\x05abcd\xc0\x0c\0";
        assert!(Name::read(message, 17).is_err());
        assert!(check(message, 17).is_err());
    }

    #[test]
    fn a_name_has_255_octets_at_most_however_it_is_read() {
        let labels =
            |last: usize| [63, 63, 63, last].map(|length| [&[length as u8], &[b'a'; 63][..length]].concat());
        for (last, fits) in [(61, true), (62, false)] {
            let message = [&[0; header::LENGTH][..], &labels(last).concat(), &[0]].concat();
            assert_eq!(Name::read(&message, header::LENGTH).is_ok(), fits);
            assert_eq!(skip(&message, header::LENGTH).is_ok(), fits);
            assert_eq!(check(&message, header::LENGTH).is_ok(), fits);
        }
    }

    #[test]
    fn following_a_name_shows_every_piece_of_it() {
        let message = b"\0\0\0\0\0\0\0\0\0\0\0\0\x03com\x00\x01A\xc0\x0c";
        let mut pieces = Vec::new();
        follow(message, 17, |piece| {
            pieces.push(piece);
            Ok(())
        })
        .unwrap();
        assert_eq!(pieces, [17..19, 19..21, 12..16, 16..17]);
    }

    #[test]
    fn suffixes_go_from_longest_to_root() {
        let name = Name::parse("a.b.c").unwrap();
        let lengths: Vec<usize> = name.suffixes().map(<[u8]>::len).collect();
        assert_eq!(lengths, [7, 5, 3, 1]);
        assert!(name.ends_with(&Name::parse("b.c").unwrap()));
        assert!(name.ends_with(&Name::ROOT));
        assert!(!name.ends_with(&Name::parse("bb.c").unwrap()));
    }
}
