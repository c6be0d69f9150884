//! EDNS (RFC 6891). An OPT belongs to one hop: it is read, removed, and written anew, and never forwarded.

use crate::header;
use crate::record::{Record, Records, Section};
use crate::{Malformed, put_u16, types};

/// The size offered in both directions: a message of this size crosses any path unfragmented (RFC 9715).
pub const UDP_SIZE: u16 = 1232;

/// Codes of options (IANA DNS parameters).
pub mod option {
    /// RFC 7871
    pub const CLIENT_SUBNET: u16 = 8;
    /// RFC 7873
    pub const COOKIE: u16 = 10;
    /// RFC 7828
    pub const KEEPALIVE: u16 = 11;
    /// RFC 7830
    pub const PADDING: u16 = 12;
    /// RFC 8914
    pub const EXTENDED_ERROR: u16 = 15;
}

/// "DNSSEC OK" among the flags (RFC 3225 section 3).
pub const DO: u16 = 0x8000;
/// Octets of an OPT before its options (RFC 6891 section 6.1.2).
const HEAD: usize = 11;
const LONGEST_MESSAGE: usize = 65_535;
/// Explanations are for people. Further ones, and the rest of a longer one, are not passed on.
const MOST_ERRORS: usize = 8;
const LONGEST_ERROR: usize = 512;

/// What the OPT of a message says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edns {
    pub udp_size: u16,
    /// upper eight bits of the response code
    pub extended_rcode: u8,
    pub version: u8,
    pub dnssec_ok: bool,
    /// all sixteen flag bits; 0x4000 is TO (STARTTLS drafts) or CO (RFC 9824)
    pub flags: u16,
    /// `Some(None)` in a query; a response carries the timeout in units of 100 ms (RFC 7828)
    pub keepalive: Option<Option<u16>>,
    pub padded: bool,
    pub extended_errors: Vec<ExtendedError>,
}

/// RFC 8914; the codes are those of its section 4.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtendedError {
    pub code: u16,
    pub text: String,
}

impl ExtendedError {
    pub const OTHER: u16 = 0;
    pub const STALE_ANSWER: u16 = 3;
    pub const CACHED_ERROR: u16 = 13;
    pub const NOT_READY: u16 = 14;
    pub const BLOCKED: u16 = 15;
    pub const CENSORED: u16 = 16;
    pub const FILTERED: u16 = 17;
    pub const PROHIBITED: u16 = 18;
    pub const STALE_NXDOMAIN: u16 = 19;
    pub const NOT_AUTHORITATIVE: u16 = 20;
    pub const NOT_SUPPORTED: u16 = 21;
    pub const NO_REACHABLE_AUTHORITY: u16 = 22;
    pub const NETWORK_ERROR: u16 = 23;

    pub fn new(code: u16, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }

    /// Whether the server withholds the data on purpose, by a list of its own, the law's or the client's.
    pub fn is_of_a_filter(&self) -> bool {
        matches!(self.code, Self::BLOCKED | Self::CENSORED | Self::FILTERED)
    }
}

impl Edns {
    /// Finds the OPT among the additional records. Two of them, one in another section, or one with another owner than the
    /// root, are malformed (RFC 6891 section 6.1.1).
    #[inline]
    pub fn find(message: &[u8]) -> Result<Option<(Self, Record)>, Malformed> {
        let mut found = None;
        for record in Records::of(message)? {
            let record = record?;
            if record.kind != types::OPT {
                continue;
            }
            if found.is_some() {
                return Err(Malformed("more than one OPT"));
            }
            if record.section != Section::Additional {
                return Err(Malformed("an OPT outside the additional section"));
            }
            if message[record.start] != 0 {
                return Err(Malformed("an OPT whose owner is not the root"));
            }
            found = Some((Self::read(message, &record)?, record));
        }
        Ok(found)
    }

    /// Reads the first OPT of a message that has no proper response, as far as it can be read. The sender knows EDNS, and an error
    /// without an OPT would say that we do not (RFC 6891 sections 6.1.1 and 7).
    pub fn of_wrong(message: &[u8]) -> Option<Self> {
        let mut records = Records::of(message).ok()?.map_while(Result::ok);
        let opt = records.find(|record| record.kind == types::OPT)?;
        Some(Self::read(message, &opt).unwrap_or_else(|_| Self::without_options(&opt)))
    }

    #[inline]
    fn without_options(opt: &Record) -> Self {
        Edns {
            udp_size: opt.class,
            extended_rcode: (opt.ttl >> 24) as u8,
            version: (opt.ttl >> 16) as u8,
            flags: opt.ttl as u16,
            dnssec_ok: opt.ttl as u16 & DO != 0,
            ..Edns::default()
        }
    }

    #[inline]
    pub fn read(message: &[u8], opt: &Record) -> Result<Self, Malformed> {
        let mut edns = Self::without_options(opt);
        for option in options(&message[opt.data.clone()]) {
            let (code, data) = option?;
            edns.note(code, data);
        }
        Ok(edns)
    }

    fn note(&mut self, code: u16, data: &[u8]) {
        match (code, data) {
            (option::KEEPALIVE, []) => self.keepalive = Some(None),
            (option::KEEPALIVE, [high, low]) => {
                self.keepalive = Some(Some(u16::from_be_bytes([*high, *low])))
            }
            (option::PADDING, _) => self.padded = true,
            (option::EXTENDED_ERROR, [high, low, text @ ..]) if self.extended_errors.len() < MOST_ERRORS => {
                let text = &text[..text.len().min(LONGEST_ERROR)];
                self.extended_errors.push(ExtendedError {
                    code: u16::from_be_bytes([*high, *low]),
                    text: String::from_utf8_lossy(text).trim_end_matches('\0').to_owned(),
                });
            }
            _ => {}
        }
    }
}

/// The data of the first option of this code; `None` where there is none or the message is malformed.
pub fn option_of(message: &[u8], wanted: u16) -> Option<&[u8]> {
    let (_, opt) = Edns::find(message).ok()??;
    option_in(&message[opt.data], wanted)
}

/// The same in the data of an OPT.
pub fn option_in(data: &[u8], wanted: u16) -> Option<&[u8]> {
    options(data).map_while(Result::ok).find(|(code, _)| *code == wanted).map(|(_, data)| data)
}

/// Code and data of each option in it (RFC 6891 section 6.1.2); ends after the first malformed one.
#[inline]
fn options(mut data: &[u8]) -> impl Iterator<Item = Result<(u16, &[u8]), Malformed>> {
    std::iter::from_fn(move || {
        if data.is_empty() {
            return None;
        }
        let (option, rest) = first_option(data).unzip();
        data = rest.unwrap_or_default();
        Some(option.ok_or(Malformed("ends inside an EDNS option")))
    })
}

type EdnsOption<'a> = (u16, &'a [u8]);

#[inline]
fn first_option(octets: &[u8]) -> Option<(EdnsOption<'_>, &[u8])> {
    let ([code @ .., length_high, length_low], rest) = octets.split_first_chunk::<4>()?;
    let length = usize::from(u16::from_be_bytes([*length_high, *length_low]));
    let (data, rest) = rest.split_at_checked(length)?;
    Some(((u16::from_be_bytes(*code), data), rest))
}

/// Writes an OPT at the end of a message; [`OptWriter::finish`] sets its lengths and the header's count.
pub struct OptWriter<'a> {
    octets: &'a mut Vec<u8>,
    /// where the message starts
    message: usize,
    start: usize,
}

impl<'a> OptWriter<'a> {
    #[inline]
    pub fn start(message: &'a mut Vec<u8>, dnssec_ok: bool, extended_rcode: u8) -> Self {
        Self::start_behind(message, 0, UDP_SIZE, extended_rcode, if dnssec_ok { DO } else { 0 })
    }

    /// For a message that starts at `message` in these octets, with other ones before it.
    #[inline]
    pub fn start_behind(
        octets: &'a mut Vec<u8>,
        message: usize,
        udp_size: u16,
        extended_rcode: u8,
        flags: u16,
    ) -> Self {
        let start = octets.len();
        octets.push(0);
        octets.extend_from_slice(&types::OPT.to_be_bytes());
        octets.extend_from_slice(&udp_size.to_be_bytes());
        octets.extend_from_slice(&[extended_rcode, 0]);
        octets.extend_from_slice(&flags.to_be_bytes());
        octets.extend_from_slice(&[0, 0]);
        Self { octets, message, start }
    }

    #[inline]
    pub fn option(&mut self, code: u16, data: &[u8]) {
        self.head(code, data.len());
        self.octets.extend_from_slice(data);
    }

    pub fn extended_error(&mut self, error: &ExtendedError) {
        self.head(option::EXTENDED_ERROR, 2 + error.text.len());
        self.octets.extend_from_slice(&error.code.to_be_bytes());
        self.octets.extend_from_slice(error.text.as_bytes());
    }

    /// Pads so that the whole message is a multiple of `block` octets (RFC 8467), or as long as a message can be. This must be
    /// the last option to be written.
    pub fn pad_to(&mut self, block: usize) {
        let unpadded = self.octets.len() - self.message + 4;
        let padded = unpadded.next_multiple_of(block).min(LONGEST_MESSAGE);
        if let Some(padding) = padded.checked_sub(unpadded) {
            self.head(option::PADDING, padding);
            self.octets.resize(self.message + padded, 0);
        }
    }

    #[inline]
    fn head(&mut self, code: u16, length: usize) {
        self.octets.extend_from_slice(&code.to_be_bytes());
        self.octets.extend_from_slice(&(length as u16).to_be_bytes());
    }

    #[inline]
    pub fn finish(self) {
        let length = self.octets.len() - self.start - HEAD;
        put_u16(self.octets, self.start + HEAD - 2, length as u16);
        header::count_additional(&mut self.octets[self.message..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::Name;
    use crate::question::Question;
    use crate::removal;

    fn query() -> Vec<u8> {
        let name = Name::parse("www.example.com").unwrap();
        Question { name, kind: types::A, class: types::IN }.query(7, header::RD)
    }

    #[test]
    fn what_is_written_is_read() {
        let mut message = query();
        let mut opt = OptWriter::start(&mut message, true, 1);
        opt.option(option::KEEPALIVE, &600u16.to_be_bytes());
        opt.extended_error(&ExtendedError::new(22, "no path"));
        opt.pad_to(128);
        opt.finish();
        assert_eq!(message.len(), 128);
        let (edns, record) = Edns::find(&message).unwrap().unwrap();
        assert_eq!((edns.udp_size, edns.extended_rcode, edns.version), (UDP_SIZE, 1, 0));
        assert!(edns.dnssec_ok && edns.padded);
        assert_eq!(edns.keepalive, Some(Some(600)));
        assert_eq!(edns.extended_errors, [ExtendedError::new(22, "no path")]);
        removal::remove(&mut message, &record).unwrap();
        assert_eq!(message, query());
    }

    #[test]
    fn two_opts_are_malformed() {
        let mut message = query();
        OptWriter::start(&mut message, false, 0).finish();
        OptWriter::start(&mut message, false, 0).finish();
        assert_eq!(Edns::find(&message), Err(Malformed("more than one OPT")));
    }

    #[test]
    fn flags_and_version_are_told_apart() {
        let mut message = query();
        OptWriter::start_behind(&mut message, 0, 4096, 2, 0xc000).finish();
        let version_at = message.len() - 5;
        message[version_at] = 1;
        let (edns, _) = Edns::find(&message).unwrap().unwrap();
        assert_eq!((edns.extended_rcode, edns.version, edns.flags, edns.dnssec_ok), (2, 1, 0xc000, true));
        assert_eq!(edns.udp_size, 4096);
    }

    #[test]
    fn padding_counts_the_whole_message_and_stops_at_the_longest() {
        for (before, octets, length) in [
            (0, 12, 468),
            (5, 452, 468),
            (5, 453, 468),
            (5, 454, 936),
            (0, 65_510, 65_535),
            (2, 65_521, 65_532),
        ] {
            let mut out = vec![0; before + octets];
            let mut opt = OptWriter::start_behind(&mut out, before, UDP_SIZE, 0, 0);
            opt.pad_to(468);
            opt.finish();
            assert_eq!((out.len() - before, out[before + header::LENGTH - 1]), (length, 1), "{octets}");
        }
    }

    #[test]
    fn an_option_that_runs_past_its_end_is_malformed() {
        let mut message = query();
        let mut opt = OptWriter::start(&mut message, false, 0);
        opt.option(option::PADDING, &[0; 4]);
        opt.finish();
        let length = message.len();
        message[length - 5] = 9;
        assert!(Edns::find(&message).is_err());
    }
}
