//! What the data of a record looks like, type by type. Types that are not here, and all types of classes that mean something else by
//! their numbers, may hold anything (RFC 3597 section 5).

use crate::record::Record;
use crate::types::*;
use crate::{Malformed, name, service};

/// What stands in the data, one behind the other, up to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Octets(usize),
    /// A name, which may be compressed (RFC 1035 section 4.1.4, RFC 3597 section 4).
    Name,
    /// A name of a type that is younger than this permission.
    PlainName,
    /// Behind its length in one octet.
    Text,
    /// One that holds something.
    Filled,
    /// One or more texts, up to the end.
    Texts,
    /// Behind its length in two octets.
    Long,
    /// At least so many octets, up to the end.
    Rest(usize),
    /// Up to the end: as long as its kind demands, which stands in the octet before it.
    Digest(&'static [(u8, usize)]),
    /// Nothing, an address or a name, by the kind, which stands so many octets before it (RFC 4025 section 2.3, RFC 8777 section 4.2).
    Gateway(usize),
    /// Types that a name has, up to the end (RFC 4034 section 4.1.2).
    Bitmap,
    /// Up to the end, each behind code and length (RFC 6891 section 6.1.2).
    Options,
    /// Up to the end (RFC 9460 section 2.2).
    Parameters,
    /// Up to the end (RFC 3123 section 4).
    Prefixes,
    /// RFC 8005 section 5
    Hip,
}

use Field::*;

const DELEGATION: &[(u8, usize)] = &[(1, 20), (2, 32), (4, 48)];
const FINGERPRINT: &[(u8, usize)] = &[(1, 20), (2, 32)];
const ZONE: &[(u8, usize)] = &[(1, 48), (2, 64)];

/// `None`: anything.
fn layout(kind: u16, class: u16) -> Option<&'static [Field]> {
    let fields: &[Field] = match kind {
        OPT => &[Options],
        TSIG => &[PlainName, Octets(8), Long, Octets(4), Long],
        TKEY => &[PlainName, Octets(12), Long, Long],
        // an update's, or of a class in which little is known to be the same
        _ if !matches!(class, IN | CH | HS) => return None,
        NS | MD | MF | CNAME | MB | MG | MR | PTR | NSAP_PTR | DNAME => &[Name],
        SOA => &[Name, Name, Octets(20)],
        MINFO | RP => &[Name, Name],
        TALINK => &[PlainName, PlainName],
        HINFO => &[Text, Text],
        X25 => &[Text],
        GPOS => &[Text, Text, Text],
        TXT | SPF | NINFO | AVC | RESINFO | WALLET => &[Texts],
        MX | AFSDB | RT => &[Octets(2), Name],
        SIG | RRSIG => &[Octets(18), Name, Rest(1)],
        KEY | DNSKEY | CDNSKEY | RKEY => &[Octets(4), Rest(0)],
        NXT => &[PlainName, Rest(0)],
        LOC => &[Octets(16)],
        NAPTR => &[Octets(4), Text, Text, Text, PlainName],
        CERT => &[Octets(5), Rest(0)],
        DS | CDS | DLV | TA => &[Octets(4), Digest(DELEGATION)],
        SSHFP => &[Octets(2), Digest(FINGERPRINT)],
        NSEC => &[Name, Bitmap],
        NSEC3 => &[Octets(4), Text, Filled, Bitmap],
        NSEC3PARAM => &[Octets(4), Text],
        TLSA | SMIMEA => &[Octets(3), Rest(1)],
        HIP => &[Hip],
        OPENPGPKEY => &[Rest(1)],
        CSYNC => &[Octets(6), Bitmap],
        ZONEMD => &[Octets(6), Digest(ZONE)],
        NID | L64 => &[Octets(10)],
        L32 => &[Octets(6)],
        LP => &[Octets(2), PlainName],
        EUI48 => &[Octets(6)],
        EUI64 => &[Octets(8)],
        URI => &[Octets(4), Rest(1)],
        CAA => &[Octets(1), Filled, Rest(0)],
        _ if class != IN => return None,
        A => &[Octets(4)],
        AAAA => &[Octets(16)],
        WKS => &[Octets(5), Rest(0)],
        PX => &[Octets(2), Name, Name],
        KX => &[Octets(2), Name],
        SRV => &[Octets(6), Name],
        APL => &[Prefixes],
        IPSECKEY => &[Octets(3), Gateway(2), Rest(0)],
        AMTRELAY => &[Octets(2), Gateway(1)],
        DHCID => &[Rest(3)],
        SVCB | HTTPS => &[Octets(2), PlainName, Parameters],
        _ => return None,
    };
    Some(fields)
}

/// Whether the data fits the type.
pub fn check(message: &[u8], record: &Record) -> Result<(), Malformed> {
    let Some(fields) = layout(record.kind, record.class) else {
        return Ok(());
    };
    let whole = message.get(..record.data.end).ok_or(UNFIT)?;
    let mut data = Data { whole, at: record.data.start };
    fields.iter().try_for_each(|field| data.pass(*field))?;
    if data.at == whole.len() { Ok(()) } else { Err(UNFIT) }
}

const UNFIT: Malformed = Malformed("a record's data does not fit its type");

struct Data<'a> {
    /// the message up to the end of the data
    whole: &'a [u8],
    at: usize,
}

impl<'a> Data<'a> {
    fn pass(&mut self, field: Field) -> Result<(), Malformed> {
        match field {
            Octets(count) => self.take(count).map(drop),
            Name => self.name(),
            PlainName => self.plain_name(),
            Text => self.text().map(drop),
            Filled => self.filled(),
            Texts => self.texts(),
            Long => self.long(),
            Rest(least) => self.rest(least).map(drop),
            Digest(lengths) => self.digest(lengths),
            Gateway(back) => self.gateway(back),
            Bitmap => self.bitmap(),
            Options => self.options(),
            Parameters => service::check(self.rest(0)?),
            Prefixes => self.prefixes(),
            Hip => self.hip(),
        }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let taken = self.whole.get(self.at..self.at + count).ok_or(UNFIT)?;
        self.at += count;
        Ok(taken)
    }

    fn number(&mut self, octets: usize) -> Result<usize, Malformed> {
        Ok(self.take(octets)?.iter().fold(0, |number, octet| number << 8 | usize::from(*octet)))
    }

    fn is_at_end(&self) -> bool {
        self.at == self.whole.len()
    }

    fn rest(&mut self, least: usize) -> Result<&'a [u8], Malformed> {
        let left = self.whole.len() - self.at;
        if left < least { Err(UNFIT) } else { self.take(left) }
    }

    fn name(&mut self) -> Result<(), Malformed> {
        name::check(self.whole, self.at)?;
        self.at = name::skip(self.whole, self.at)?;
        Ok(())
    }

    /// Whoever copies such a record elsewhere copies its octets.
    fn plain_name(&mut self) -> Result<(), Malformed> {
        let last = name::last(self.whole, self.at)?;
        self.at = last.end;
        if last.len() == 1 { Ok(()) } else { Err(Malformed("a name is compressed that may not be")) }
    }

    fn text(&mut self) -> Result<&'a [u8], Malformed> {
        let length = self.number(1)?;
        self.take(length)
    }

    fn filled(&mut self) -> Result<(), Malformed> {
        if self.text()?.is_empty() { Err(UNFIT) } else { Ok(()) }
    }

    fn texts(&mut self) -> Result<(), Malformed> {
        self.text()?;
        while !self.is_at_end() {
            self.text()?;
        }
        Ok(())
    }

    fn long(&mut self) -> Result<(), Malformed> {
        let length = self.number(2)?;
        self.take(length).map(drop)
    }

    fn digest(&mut self, lengths: &[(u8, usize)]) -> Result<(), Malformed> {
        let kind = self.whole[self.at - 1];
        let found = self.rest(1)?.len();
        match lengths.iter().find(|(known, _)| *known == kind) {
            Some((_, length)) if found != *length => Err(UNFIT),
            _ => Ok(()),
        }
    }

    /// The first bit beside the kind of a relay says something else.
    fn gateway(&mut self, back: usize) -> Result<(), Malformed> {
        match self.whole[self.at - back] & 0x7f {
            0 => Ok(()),
            1 => self.take(4).map(drop),
            2 => self.take(16).map(drop),
            3 => self.plain_name(),
            _ => self.rest(0).map(drop),
        }
    }

    fn bitmap(&mut self) -> Result<(), Malformed> {
        let mut next = 0;
        while !self.is_at_end() {
            let window = self.number(1)?;
            let length = self.text()?.len();
            if window < next || !(1..=32).contains(&length) {
                return Err(UNFIT);
            }
            next = window + 1;
        }
        Ok(())
    }

    fn options(&mut self) -> Result<(), Malformed> {
        while !self.is_at_end() {
            self.take(2)?;
            self.long()?;
        }
        Ok(())
    }

    fn prefixes(&mut self) -> Result<(), Malformed> {
        while !self.is_at_end() {
            self.take(3)?;
            let octets = self.number(1)? & 0x7f;
            self.take(octets)?;
        }
        Ok(())
    }

    fn hip(&mut self) -> Result<(), Malformed> {
        let (tag, _, key) = (self.number(1)?, self.take(1)?, self.number(2)?);
        self.take(tag + key)?;
        while !self.is_at_end() {
            self.plain_name()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Section;

    /// Whether a record of this type may hold these octets, which stand in a message behind `example.` at offset 12.
    fn fits(kind: u16, octets: &[u8]) -> bool {
        fits_in(IN, kind, octets)
    }

    fn fits_in(class: u16, kind: u16, octets: &[u8]) -> bool {
        let message = [&[0; 12], &b"\x07example\0"[..], octets, b"\x01x\0"].concat();
        let data = 21..21 + octets.len();
        let record = Record { section: Section::Answer, start: 12, kind, class, ttl: 0, ttl_at: 0, data };
        check(&message, &record).is_ok()
    }

    /// One good example of each layout. None of them may be longer or shorter by an octet, except those that end with anything.
    #[test]
    fn data_fits_with_its_last_octet_and_not_without() {
        for (kind, octets) in [
            (A, &b"\x7f\0\0\x01"[..]),
            (AAAA, &[1; 16]),
            (CNAME, b"\x03www\xc0\x0c"),
            (SOA, b"\xc0\x0c\x01a\xc0\x0c\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\0\0\x04\0\0\0\x05"),
            (MX, b"\0\x0a\x02mx\xc0\x0c"),
            (SRV, b"\0\0\0\0\x01\xbb\x01a\xc0\x0c"),
            (PX, b"\0\0\xc0\x0c\xc0\x0c"),
            (HINFO, b"\x01a\x02bc"),
            (TXT, b"\x01a\0\x02bc"),
            (NAPTR, b"\0\x01\0\x01\x01U\x03abc\0\x01a\0"),
            (LOC, &[0; 16]),
            (DS, &[&b"\0\x01\x08\x02"[..], &[7; 32]].concat()),
            (SSHFP, &[&b"\x01\x01"[..], &[7; 20]].concat()),
            (ZONEMD, &[&b"\0\0\0\x01\x01\x01"[..], &[7; 48]].concat()),
            (NSEC, b"\x01a\xc0\x0c\0\x02\x40\x01"),
            (NSEC3, b"\x01\0\0\0\0\x02hh\0\x01\x40\x01\x02\0\x01"),
            (NSEC3PARAM, b"\x01\0\0\0\x02ab"),
            (CSYNC, b"\0\0\0\x01\0\x03\0\x01\x40"),
            (L64, &[0; 10]),
            (LP, b"\0\x01\x01a\0"),
            (APL, b"\0\x01\x10\x82\xc0\0"),
            (AMTRELAY, b"\x0a\x81\xc0\0\x02\x01"),
            (AMTRELAY, b"\x0a\x03\x01a\0"),
            (HIP, b"\x02\x02\0\x01ttp\x01k\0"),
            (HTTPS, b"\0\x01\0\0\x01\0\x03\x02h2"),
            (TSIG, b"\x01a\0\0\0\0\0\0\0\0\0\0\x01m\0\0\0\0\0\x01o"),
            (TKEY, b"\x01a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01k\0\x01o"),
            (OPT, b"\0\x0a\0\x02ab\0\x0c\0\x01\0"),
        ] {
            assert!(fits(kind, octets), "type {kind}");
            assert!(!fits(kind, &octets[..octets.len() - 1]), "type {kind}, shorter");
            assert!(!fits(kind, &[octets, &[63]].concat()), "type {kind}, longer");
        }
    }

    #[test]
    fn data_that_ends_with_anything_needs_what_stands_before_it() {
        for (kind, octets, least) in [
            (RRSIG, &[&[0; 18][..], b"\xc0\x0c", b"signature"].concat()[..], 21),
            (DNSKEY, b"\x01\x01\x03\x0dkey", 4),
            (DS, b"\0\x01\x08\x09digest", 5),
            (CDS, b"\0\0\0\0\0", 5),
            (TLSA, b"\x03\x01\x01digest", 4),
            (CAA, b"\0\x05issueca.example", 7),
            (URI, b"\0\x0a\0\x01https:", 5),
            (CERT, b"\0\x01\0\x01\x08cert", 5),
            (IPSECKEY, b"\x0a\x01\x02\xc0\0\x02\x01key", 7),
            (IPSECKEY, b"\x0a\x00\x02key", 3),
        ] {
            for length in 0..=octets.len() {
                assert_eq!(fits(kind, &octets[..length]), length >= least, "type {kind}, {length}");
            }
        }
    }

    #[test]
    fn what_is_wrong_inside_is_found() {
        for (kind, octets) in [
            (CNAME, &b"\xc0\x15"[..]),
            (CNAME, b"\x40a\0"),
            (TXT, b""),
            (DS, b"\0\x01\x08\x02digest"),
            (CAA, b"\0\0ca.example"),
            (NSEC3, b"\x01\0\0\0\0\0\0\x01\x40"),
            (NSEC, b"\x01a\0\x01\x01\x40\x01\x01\x40"),
            (NSEC, b"\x01a\0\0\0"),
            (SVCB, b"\0\x01\x01a\xc0\x0c"),
            (NAPTR, b"\0\x01\0\x01\0\0\0\xc0\x0c"),
            (HTTPS, b"\0\x01\0\0\x03\0\x01\0"),
        ] {
            assert!(!fits(kind, octets), "type {kind} {octets:02x?}");
        }
    }

    #[test]
    fn what_is_not_known_may_hold_anything() {
        for octets in [&b""[..], b"x", b"\xc0"] {
            assert!(fits(65_280, octets) && fits(10, octets), "types without a layout");
            assert!(fits_in(3, A, octets) && fits_in(255, MX, octets), "another class");
        }
        assert!(!fits_in(3, TXT, b"\x05abc"), "a text is one in every class");
    }

    /// Whoever copies a record, or moves it, knows of every name in it that may be compressed.
    #[test]
    fn the_names_that_may_be_compressed_are_those_that_a_record_shows() {
        for kind in 0..=u16::MAX {
            let fields = layout(kind, IN).unwrap_or_default();
            let before = fields.iter().map_while(|field| match field {
                Octets(count) => Some(*count),
                _ => None,
            });
            let count = fields.iter().filter(|field| **field == Name).count();
            let expected = if count == 0 { (0, 0) } else { (before.sum(), count) };
            assert_eq!(crate::record::layout(kind), expected, "type {kind}");
        }
    }
}
