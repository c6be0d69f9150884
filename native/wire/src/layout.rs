//! What the data of a record looks like, type by type. Types that are not here may hold anything (RFC 3597 section 5), and so may those
//! of the Internet alone in other classes.

use crate::types::*;

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
    /// One of letters and digits (RFC 8659 section 4.1).
    Word,
    /// So many texts at most, and one at least, up to the end.
    Texts(usize),
    /// A text of four digits or more (RFC 1183 section 3.1).
    Digits,
    /// A text that is a decimal number (RFC 1712 section 3).
    Decimal,
    /// Behind its length in two octets.
    Long,
    /// At least so many octets, up to the end.
    Rest(usize),
    /// Up to the end, so many octets at least: as long as its kind demands, which stands in the octet before it.
    Digest(usize, &'static [(u8, usize)]),
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
    /// RFC 1876 section 2
    Location,
}

use Field::*;

/// RFC 4034 appendix A.2, RFC 4509, 5933, 6605, 9558 and 9563
const DELEGATION: &[(u8, usize)] = &[(1, 20), (2, 32), (3, 32), (4, 48), (5, 32), (6, 32)];
const FINGERPRINT: &[(u8, usize)] = &[(1, 20), (2, 32)];
const ZONE: &[(u8, usize)] = &[(1, 48), (2, 64)];

/// `None`: anything.
pub(crate) fn of(kind: u16, class: u16) -> Option<&'static [Field]> {
    let fields: &[Field] = match kind {
        OPT => &[Options],
        TSIG => &[PlainName, Octets(8), Long, Octets(4), Long],
        TKEY => &[PlainName, Octets(12), Long, Long],
        // an update's
        _ if matches!(class, NO_CLASS | ANY) => return None,
        NS | MD | MF | CNAME | MB | MG | MR | PTR | NSAP_PTR | DNAME => &[Name],
        SOA => &[Name, Name, Octets(20)],
        MINFO | RP => &[Name, Name],
        TALINK => &[PlainName, PlainName],
        HINFO => &[Text, Text],
        X25 => &[Digits],
        ISDN => &[Texts(2)],
        GPOS => &[Decimal, Decimal, Decimal],
        TXT | SPF | NINFO | AVC | RESINFO | WALLET => &[Texts(usize::MAX)],
        MX | AFSDB | RT => &[Octets(2), Name],
        SIG | RRSIG => &[Octets(18), Name, Rest(1)],
        KEY | DNSKEY | CDNSKEY | RKEY => &[Octets(4), Rest(0)],
        NXT => &[PlainName, Rest(0)],
        LOC => &[Location],
        NAPTR => &[Octets(4), Text, Text, Text, Name],
        CERT => &[Octets(5), Rest(0)],
        DS | CDS | DLV | TA => &[Octets(4), Digest(1, DELEGATION)],
        SSHFP => &[Octets(2), Digest(1, FINGERPRINT)],
        NSEC => &[Name, Bitmap],
        NSEC3 => &[Octets(4), Text, Filled, Bitmap],
        NSEC3PARAM => &[Octets(4), Text],
        TLSA | SMIMEA => &[Octets(3), Rest(1)],
        HIP => &[Hip],
        OPENPGPKEY => &[Rest(1)],
        CSYNC => &[Octets(6), Bitmap],
        ZONEMD => &[Octets(6), Digest(12, ZONE)],
        NID | L64 => &[Octets(10)],
        L32 => &[Octets(6)],
        LP => &[Octets(2), PlainName],
        EUI48 => &[Octets(6)],
        EUI64 => &[Octets(8)],
        URI => &[Octets(4), Rest(1)],
        CAA => &[Octets(1), Word, Rest(0)],
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
        NSAP => &[Rest(1)],
        DSYNC => &[Octets(5), PlainName],
        SVCB | HTTPS => &[Octets(2), PlainName, Parameters],
        _ => return None,
    };
    Some(fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Layout;

    /// Whoever copies a record, or moves it, knows of every name in it that may be compressed.
    #[test]
    fn the_names_that_may_be_compressed_are_those_that_a_record_shows() {
        for kind in 0..=u16::MAX {
            let fields = of(kind, IN).unwrap_or_default();
            let names = fields.iter().filter(|field| **field == Name).count();
            let octets = match fields.first() {
                Some(Octets(count)) if names > 0 => *count,
                _ => 0,
            };
            let texts = fields.iter().filter(|field| **field == Text && names > 0).count();
            let expected = Layout { octets, texts, names };
            assert_eq!(crate::record::layout(kind), expected, "type {kind}");
        }
    }
}
