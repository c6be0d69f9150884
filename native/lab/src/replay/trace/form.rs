//! What a trace is, by its first octets.

/// So many first octets are looked at.
pub const HEAD: u64 = 1 << 16;
pub const NEITHER: &str =
    "this is neither pcap, dnstap, CSV nor Sotto's log; sotto-lab replay --help tells what is read";

/// Of a hundred octets of text in an old encoding of a European language, fewer are outside ASCII.
const FOREIGN_PERCENT: usize = 30;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Packets,
    Dnstap,
    Rows,
    Compressed(Compressed),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compressed {
    pub with: &'static str,
    /// the program that writes what is in it to standard output
    pub reader: &'static str,
}

impl Form {
    pub fn of(head: &[u8]) -> Self {
        let compressed = |with, reader| Form::Compressed(Compressed { with, reader });
        match head {
            [0xa1, 0xb2, 0xc3, 0xd4, ..]
            | [0xd4, 0xc3, 0xb2, 0xa1, ..]
            | [0xa1, 0xb2, 0x3c, 0x4d, ..]
            | [0x4d, 0x3c, 0xb2, 0xa1, ..]
            | [0x0a, 0x0d, 0x0d, 0x0a, ..] => Form::Packets,
            [0, 0, 0, 0, ..] => Form::Dnstap,
            [0x1f, 0x8b, ..] => compressed("gzip", "zcat"),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => compressed("zstd", "zstdcat"),
            [0xfd, b'7', b'z', b'X', b'Z', ..] => compressed("xz", "xzcat"),
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => compressed("bzip2", "bzcat"),
            _ => Form::Rows,
        }
    }
}

/// Whether this may be text, in whatever encoding that has ASCII in it.
pub fn is_text(head: &[u8]) -> bool {
    let is_control = |octet: &u8| octet.is_ascii_control() && !b"\t\r\n".contains(octet);
    if head.iter().any(is_control) {
        return false;
    }
    let foreign = head.iter().filter(|octet| !octet.is_ascii()).count();
    is_utf8(head) || foreign * 100 < head.len() * FOREIGN_PERCENT
}

/// The last character may be cut.
fn is_utf8(head: &[u8]) -> bool {
    std::str::from_utf8(head).map_or_else(|error| error.error_len().is_none(), |_| true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_needs_all_of_its_first_octets() {
        for (head, form) in [
            (&b"\xa1\xb2\xc3\xd4"[..], "Packets"),
            (b"\x0a\x0d\x0d\x0a", "Packets"),
            (b"\xa1\xb2\xc3", "Rows"),
            (b"\0\0\0\0", "Dnstap"),
            (b"\0\0\0", "Rows"),
            (b"\x1f\x8b", "gzip"),
            (b"\x1f", "Rows"),
            (b"\x28\xb5\x2f\xfd", "zstd"),
            (b"\xfd7zXZ", "xz"),
            (b"BZh9", "bzip2"),
            (b"BZh,client", "Rows"),
            (b"", "Rows"),
        ] {
            let found = format!("{:?}", Form::of(head));
            assert!(found.contains(form), "{head:?}: {found}");
        }
    }

    #[test]
    fn text_is_told_from_other_octets() {
        for text in ["", "time,client\r\n1,2\t3\n", "Größe,客户端\n", "\u{feff}time"] {
            assert!(is_text(text.as_bytes()), "{text:?}");
        }
        assert!(is_text("Größe".as_bytes().get(..3).unwrap()), "cut within a character");
        assert!(is_text(b"Gr\xf6\xdfe der Anfrage,Zeit\n"), "ISO 8859-1");
        for octets in [&b"a\0b"[..], b"1,\x1b[2J", b"\x7f", &[0xff, 0xfe, b't', 0], &[0xc3, 0x28, 0xa0, 0xa1]]
        {
            assert!(!is_text(octets), "{octets:?}");
        }
    }
}
