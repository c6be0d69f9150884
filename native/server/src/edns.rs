//! The OPT record, which belongs to one hop: read from the client, written anew for it (RFC 6891 section 6.1.1).

use crate::cookies::ReplyCookie;

/// RFC 7873.
const COOKIE: u16 = 10;
/// RFC 7828.
const KEEPALIVE: u16 = 11;
/// RFC 7830.
const PADDING: u16 = 12;
/// RFC 8914.
pub const EXTENDED_ERROR: u16 = 15;

const DNSSEC_OK: u16 = 0x8000;
/// "TLS OK" of draft-ietf-dprive-start-tls-for-dns; RFC 9824 gave the same bit another meaning later.
const TLS_OK: u16 = 0x4000;

/// RFC 8467 section 4.1: what a padded response is a multiple of.
const PADDING_BLOCK: usize = 468;
const FIXED: usize = 11;

/// What a client said in its OPT, as far as this hop cares.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Edns {
    pub udp_size: u16,
    pub version: u8,
    pub dnssec_ok: bool,
    pub tls_ok: bool,
    pub keepalive: bool,
    pub padding: bool,
    pub cookie: Option<CookieOption>,
}

/// A client's cookie, and what it believes to be ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CookieOption {
    pub client: [u8; 8],
    server: [u8; 32],
    octets: u8,
}

impl CookieOption {
    /// `None` where the length is none that it may have (RFC 7873 section 5.2.2).
    pub fn read(content: &[u8]) -> Option<Self> {
        let (client, rest) = content.split_first_chunk()?;
        if !matches!(rest.len(), 0 | 8..=32) {
            return None;
        }
        let mut server = [0; 32];
        server[..rest.len()].copy_from_slice(rest);
        Some(CookieOption { client: *client, server, octets: rest.len() as u8 })
    }

    pub fn server(&self) -> &[u8] {
        &self.server[..usize::from(self.octets)]
    }
}

/// `None` where the options do not fill the record data exactly.
pub fn read(class: u16, ttl: u32, data: &[u8]) -> Option<Edns> {
    let flags = ttl as u16;
    let mut edns = Edns {
        udp_size: class,
        version: (ttl >> 16) as u8,
        dnssec_ok: flags & DNSSEC_OK != 0,
        tls_ok: flags & TLS_OK != 0,
        ..Edns::default()
    };
    for option in options(data) {
        let option = option?;
        match option.code {
            COOKIE if edns.cookie.is_none() => edns.cookie = Some(CookieOption::read(&option.octets[4..])?),
            KEEPALIVE => edns.keepalive = true,
            PADDING => edns.padding = true,
            _ => {}
        }
    }
    Some(edns)
}

pub struct EdnsOption<'a> {
    pub code: u16,
    /// Code, length and value together.
    pub octets: &'a [u8],
}

/// The options in turn; one `None` as the last item where the data is malformed.
pub fn options(mut data: &[u8]) -> impl Iterator<Item = Option<EdnsOption<'_>>> {
    std::iter::from_fn(move || {
        if data.is_empty() {
            return None;
        }
        let end = data.get(2..4).map(|length| 4 + usize::from(u16::from_be_bytes([length[0], length[1]])));
        let Some(octets) = end.and_then(|end| data.get(..end)) else {
            data = &[];
            return Some(None);
        };
        data = &data[octets.len()..];
        Some(Some(EdnsOption { code: u16::from_be_bytes([octets[0], octets[1]]), octets }))
    })
}

/// One extended error as an option, ready to be put in an OPT.
pub fn extended_error(code: u16, text: &str) -> Vec<u8> {
    let mut option = Vec::with_capacity(6 + text.len());
    option.extend(EXTENDED_ERROR.to_be_bytes());
    option.extend((2 + text.len() as u16).to_be_bytes());
    option.extend(code.to_be_bytes());
    option.extend(text.as_bytes());
    option
}

/// The OPT of a reply.
#[derive(Debug, Default, Clone, Copy)]
pub struct ReplyOpt<'a> {
    pub udp_size: u16,
    /// The upper eight of the twelve bits of an extended RCODE.
    pub extended_rcode: u8,
    pub dnssec_ok: bool,
    pub tls_ok: bool,
    pub cookie: Option<ReplyCookie>,
    /// Units of 100 ms.
    pub keepalive: Option<u16>,
    /// Complete options with code 15, one after the other.
    pub extended_errors: &'a [u8],
    pub padded: bool,
}

impl ReplyOpt<'_> {
    /// Octets of the record without padding.
    pub fn len(&self) -> usize {
        FIXED
            + if self.keepalive.is_some() { 6 } else { 0 }
            + self.cookie.map_or(0, |cookie| 4 + cookie.len())
            + self.extended_errors.len()
    }

    /// Appends the record to the message that starts at `start`; padding counts from there.
    pub fn write(&self, out: &mut Vec<u8>, start: usize) {
        let flags = if self.dnssec_ok { DNSSEC_OK } else { 0 } | if self.tls_ok { TLS_OK } else { 0 };
        out.extend([0, 0, 41]);
        out.extend(self.udp_size.to_be_bytes());
        out.extend([self.extended_rcode, 0]);
        out.extend(flags.to_be_bytes());
        let length_at = out.len();
        out.extend([0, 0]);
        if let Some(cookie) = self.cookie {
            out.extend(COOKIE.to_be_bytes());
            out.extend((cookie.len() as u16).to_be_bytes());
            out.extend(cookie);
        }
        if let Some(timeout) = self.keepalive {
            out.extend(KEEPALIVE.to_be_bytes());
            out.extend(2u16.to_be_bytes());
            out.extend(timeout.to_be_bytes());
        }
        out.extend(self.extended_errors);
        if self.padded {
            pad(out, start);
        }
        let length = (out.len() - length_at - 2) as u16;
        out[length_at..length_at + 2].copy_from_slice(&length.to_be_bytes());
    }
}

fn pad(out: &mut Vec<u8>, start: usize) {
    let with_option = out.len() - start + 4;
    let target = with_option.next_multiple_of(PADDING_BLOCK).min(usize::from(u16::MAX));
    let Some(padding) = target.checked_sub(with_option) else {
        return;
    };
    out.extend(PADDING.to_be_bytes());
    out.extend((padding as u16).to_be_bytes());
    out.resize(out.len() + padding, 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_overrun_their_record_are_malformed() {
        assert!(read(1232, 0, &[0, 12, 0, 1, 0]).is_some_and(|edns| edns.padding));
        assert!(read(1232, 0, &[0, 12, 0, 2, 0]).is_none());
        assert!(read(1232, 0, &[0, 12, 0]).is_none());
    }

    #[test]
    fn flags_and_version_are_told_apart() {
        let edns = read(4096, 0x0001_c000, &[]).unwrap();
        assert_eq!((edns.version, edns.dnssec_ok, edns.tls_ok), (1, true, true));
    }

    #[test]
    fn padding_counts_the_whole_message() {
        for octets in [12, 452, 453, 454, 468, 900] {
            let mut out = vec![0; 5 + octets];
            ReplyOpt { padded: true, ..ReplyOpt::default() }.write(&mut out, 5);
            assert_eq!((out.len() - 5) % 468, 0, "{octets}");
            assert!(out.len() - 5 - octets < 468 + 15, "{octets}");
        }
    }

    #[test]
    fn padding_stops_at_the_largest_message() {
        let mut out = vec![0; 65_510];
        ReplyOpt { padded: true, ..ReplyOpt::default() }.write(&mut out, 0);
        assert_eq!(out.len(), 65_535);
    }
}
