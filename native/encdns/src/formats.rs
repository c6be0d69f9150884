//! Which formats a server speaks: the TXT record of a name in its zone. A client asks for it in a box of the published format, so that
//! nobody on the way can answer in place of the server. A server that was published before has no such record.

use crate::name::Format;

/// The first label of that name.
pub const LABEL: &[u8] = b"_encdns";
/// Data of the TXT record of a server that speaks all of them.
pub const RECORD: &[u8] = b"\x0bformats=1,2";

const WORD: &[u8] = b"formats=";
const EXTENDED: &[u8] = b"2";

/// The best of those that a TXT record has; a later server may know more of them.
pub fn best(data: &[u8]) -> Format {
    let listed = data.split_first().and_then(|(_, text)| text.strip_prefix(WORD));
    let mut formats = listed.unwrap_or_default().split(|octet| *octet == b',');
    if formats.any(|format| format == EXTENDED) { Format::Extended } else { Format::Published }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_taken_of_those_that_are_known() {
        assert_eq!(best(RECORD), Format::Extended);
        assert_eq!(best(b"\x0fformats=1,2,30"), Format::Extended);
        for other in [&b""[..], b"\0", b"\x09formats=1", b"\x0aformats=20", b"\x09format=2"] {
            assert_eq!(best(other), Format::Published, "{other:?}");
        }
    }
}
