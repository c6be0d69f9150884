//! A trace as a dnstap file: Frame Streams (<https://farsightsec.github.io/fstrm>), each frame a message of dnstap.proto.

use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::net::{IpAddr, Ipv6Addr};

use prost::Message as _;

use crate::replay::query::{Client, END_OF_TIME, Micros, Query, SECOND, Servers};
use crate::replay::trace::counted::{Counted, Direction, is_query};
use crate::replay::trace::cut;
use crate::replay::trace::record::Record;

/// A frame has one DNS message and a little more.
const LONGEST: u32 = 1 << 18;
const START: u32 = 2;
const STOP: u32 = 3;
const FIELD_CONTENT_TYPE: u32 = 1;
const CONTENT_TYPE: &[u8] = b"protobuf:dnstap.Dnstap";

/// The fields of dnstap.proto that are read here.
#[derive(prost::Message)]
struct Frame {
    #[prost(message, optional, tag = "14")]
    message: Option<Message>,
}

#[derive(prost::Message)]
struct Message {
    #[prost(uint32, optional, tag = "1")]
    kind: Option<u32>,
    #[prost(bytes = "vec", optional, tag = "4")]
    query_address: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "5")]
    response_address: Option<Vec<u8>>,
    #[prost(uint64, optional, tag = "8")]
    query_seconds: Option<u64>,
    #[prost(fixed32, optional, tag = "9")]
    query_nanoseconds: Option<u32>,
    #[prost(uint64, optional, tag = "12")]
    response_seconds: Option<u64>,
    #[prost(fixed32, optional, tag = "13")]
    response_nanoseconds: Option<u32>,
}

pub struct Dnstap {
    input: BufReader<Box<dyn Read + Send>>,
    counted: Counted,
    frame: Vec<u8>,
    number: u64,
}

impl Dnstap {
    pub fn new(input: BufReader<Box<dyn Read + Send>>, direction: Direction) -> Result<Self, String> {
        let counted = Counted::new(direction);
        let mut dnstap = Dnstap { input, counted, frame: Vec::new(), number: 0 };
        match dnstap.read_frame()? {
            Found::Control(START) => {}
            Found::Cut => return Err(CUT.into()),
            _ => return Err("this is no dnstap file: it does not begin with a START frame".into()),
        }
        let is_dnstap =
            dnstap.frame.get(4..).is_some_and(|fields| content_type(fields) == Some(CONTENT_TYPE));
        match is_dnstap {
            true => Ok(dnstap),
            false => Err("its frames are of another content type than protobuf:dnstap.Dnstap".into()),
        }
    }

    pub fn next(&mut self, servers: &mut Servers) -> Result<Record, String> {
        loop {
            match self.read_frame()? {
                Found::End | Found::Control(STOP) => return Ok(Record::End),
                Found::Control(_) => {}
                Found::Cut if self.number == 0 => return Err(CUT.into()),
                Found::Cut => return Ok(Record::Cut),
                Found::Data => {
                    let frame = Frame::decode(&self.frame[..]).map_err(|error| error.to_string())?;
                    let record = self.record(frame.message, servers)?;
                    self.number += 1;
                    return Ok(record);
                }
            }
        }
    }

    /// Of the frame that was read last, or so many after it.
    pub fn place(&self, after: u64) -> String {
        format!("frame {}", self.number + after)
    }

    fn record(&mut self, message: Option<Message>, servers: &mut Servers) -> Result<Record, String> {
        let Some(message) = message else { return Ok(Record::Other) };
        let kind = message.kind.unwrap_or_default();
        if !self.counted.has(kind, &self.frame) {
            return Ok(Record::Other);
        }
        let client = match message.query_address.as_deref() {
            // as of "sotto query", which asks over no network
            None if self.counted.by_sotto() => IpAddr::from(Ipv6Addr::UNSPECIFIED),
            octets => octets.and_then(address).ok_or("its query_address is missing or wrong")?,
        };
        let server = message.response_address.as_deref().and_then(address);
        let server = servers.number(&server.map_or(String::new(), |server| server.to_string()));
        let query = |at| Query { at, client: Client::from(client), server };
        let asked = moment(message.query_seconds, message.query_nanoseconds);
        if is_query(kind) {
            return Ok(Record::Query(query(asked.ok_or("its query_time is missing or wrong")?)));
        }
        let answered = moment(message.response_seconds, message.response_nanoseconds);
        match (asked, answered) {
            (Some(asked), Some(answered)) => Ok(Record::Answered(query(asked), answered)),
            (Some(at), None) | (None, Some(at)) => Ok(Record::Query(query(at))),
            (None, None) => Err("its query_time and its response_time are missing or wrong".into()),
        }
    }

    fn read_frame(&mut self) -> Result<Found, String> {
        if self.input.fill_buf().map_err(|error| error.to_string())?.is_empty() {
            return Ok(Found::End);
        }
        let Some(first) = self.number()? else { return Ok(Found::Cut) };
        let is_control = first == 0;
        let length = if is_control { self.number()? } else { Some(first) };
        let Some(length) = length else { return Ok(Found::Cut) };
        if length > LONGEST {
            return Err(format!("it is {length} octets long, more than {LONGEST}: the file is damaged"));
        }
        self.frame.resize(length as usize, 0);
        let filled = fill(&mut self.input, &mut self.frame)?;
        match (is_control, &self.frame[..filled]) {
            (false, rest) if filled < self.frame.len() && !cut::begins_dnstap(rest) => {
                Err("the rest is no frame of dnstap: the file is damaged".into())
            }
            _ if filled < self.frame.len() => Ok(Found::Cut),
            (false, _) => Ok(Found::Data),
            (true, control) => match control.first_chunk() {
                Some(kind) => Ok(Found::Control(u32::from_be_bytes(*kind))),
                None => Err("a control frame is too short: the file is damaged".into()),
            },
        }
    }

    /// `None`: it is cut.
    fn number(&mut self) -> Result<Option<u32>, String> {
        let mut octets = [0; 4];
        let filled = fill(&mut self.input, &mut octets)?;
        Ok((filled == octets.len()).then(|| u32::from_be_bytes(octets)))
    }
}

const CUT: &str = "it is cut in the middle of a frame, and no message is before it";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Data,
    Control(u32),
    /// the file ends where a frame ends
    End,
    /// or within one
    Cut,
}

/// How many octets there were, if not enough.
fn fill(input: &mut impl Read, octets: &mut [u8]) -> Result<usize, String> {
    let mut filled = 0;
    while filled < octets.len() {
        match input.read(&mut octets[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(filled)
}

/// The first content type among the fields of a control frame.
fn content_type(mut fields: &[u8]) -> Option<&[u8]> {
    loop {
        let (kind, rest) = fields.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let content = rest.get(..u32::from_be_bytes(*length) as usize)?;
        if u32::from_be_bytes(*kind) == FIELD_CONTENT_TYPE {
            return Some(content);
        }
        fields = &rest[content.len()..];
    }
}

fn address(octets: &[u8]) -> Option<IpAddr> {
    match octets.len() {
        4 => <[u8; 4]>::try_from(octets).ok().map(IpAddr::from),
        16 => <[u8; 16]>::try_from(octets).ok().map(IpAddr::from),
        _ => None,
    }
}

fn moment(seconds: Option<u64>, nanoseconds: Option<u32>) -> Option<Micros> {
    let seconds = seconds.filter(|&seconds| seconds < END_OF_TIME / SECOND)?;
    let nanoseconds = nanoseconds.unwrap_or(0);
    (nanoseconds < 1_000_000_000).then(|| seconds * SECOND + Micros::from(nanoseconds / 1_000))
}

impl std::fmt::Debug for Dnstap {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Dnstap").field("number", &self.number).finish_non_exhaustive()
    }
}
