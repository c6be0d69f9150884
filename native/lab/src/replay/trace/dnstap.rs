//! A trace as a dnstap file: Frame Streams (<https://farsightsec.github.io/fstrm>), each frame a message of dnstap.proto.

use std::io::{BufReader, Read};
use std::net::IpAddr;

use clap::ValueEnum;
use prost::Message as _;

use crate::replay::query::{Client, END_OF_TIME, Micros, Query, SECOND, Servers};
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
}

/// Which queries of a dnstap file count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Direction {
    /// CLIENT_QUERY and AUTH_QUERY: what came to the server that wrote the file
    Received,
    /// RESOLVER_QUERY, FORWARDER_QUERY and STUB_QUERY: what it sent on
    Sent,
}

pub struct Dnstap {
    input: BufReader<Box<dyn Read + Send>>,
    direction: Direction,
    frame: Vec<u8>,
    number: u64,
}

impl Dnstap {
    pub fn new(input: BufReader<Box<dyn Read + Send>>, direction: Direction) -> Result<Self, String> {
        let mut dnstap = Dnstap { input, direction, frame: Vec::new(), number: 0 };
        let found = dnstap.read_frame()?;
        if found != Some(FrameKind::Control(START)) {
            return Err("this is no dnstap file: it does not begin with a START frame".into());
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
                None | Some(FrameKind::Control(STOP)) => return Ok(Record::End),
                Some(FrameKind::Control(_)) => {}
                Some(FrameKind::Data) => {
                    let frame = Frame::decode(&self.frame[..]).map_err(|error| error.to_string())?;
                    let record = self.record(frame.message, servers)?;
                    self.number += 1;
                    return Ok(record);
                }
            }
        }
    }

    pub fn place(&self) -> String {
        format!("frame {}", self.number + 1)
    }

    fn record(&self, message: Option<Message>, servers: &mut Servers) -> Result<Record, String> {
        let Some(message) = message else { return Ok(Record::Other) };
        // AUTH_QUERY, CLIENT_QUERY; RESOLVER_QUERY, FORWARDER_QUERY, STUB_QUERY
        let wanted: &[u32] = match self.direction {
            Direction::Received => &[1, 5],
            Direction::Sent => &[3, 7, 9],
        };
        if !message.kind.is_some_and(|kind| wanted.contains(&kind)) {
            return Ok(Record::Other);
        }
        let client = message
            .query_address
            .as_deref()
            .and_then(address)
            .ok_or("its query_address is missing or wrong")?;
        let at = moment(message.query_seconds, message.query_nanoseconds)
            .ok_or("its query_time is missing or wrong")?;
        let server = message.response_address.as_deref().and_then(address);
        let server = server.map_or(String::new(), |server| server.to_string());
        Ok(Record::Query(Query { at, client: Client::from(client), server: servers.number(&server) }))
    }

    /// `None`: the file has ended, where one frame ends.
    fn read_frame(&mut self) -> Result<Option<FrameKind>, String> {
        let Some(length) = self.number(true)? else { return Ok(None) };
        let (length, kind) = match length {
            0 => (self.number(false)?.unwrap_or_default(), None),
            length => (length, Some(FrameKind::Data)),
        };
        if length > LONGEST {
            return Err(format!("it is {length} octets long, more than {LONGEST}: the file is damaged"));
        }
        self.frame.resize(length as usize, 0);
        self.input.read_exact(&mut self.frame).map_err(|_| CUT)?;
        let control = || match self.frame.first_chunk() {
            Some(kind) => Ok(FrameKind::Control(u32::from_be_bytes(*kind))),
            None => Err("a control frame is too short: the file is damaged"),
        };
        Ok(Some(kind.map_or_else(control, Ok)?))
    }

    fn number(&mut self, may_end: bool) -> Result<Option<u32>, String> {
        let mut octets = [0; 4];
        let mut filled = 0;
        while filled < 4 {
            match self.input.read(&mut octets[filled..]).map_err(|error| error.to_string())? {
                0 if filled == 0 && may_end => return Ok(None),
                0 => return Err(CUT.into()),
                count => filled += count,
            }
        }
        Ok(Some(u32::from_be_bytes(octets)))
    }
}

const CUT: &str = "it is cut in the middle of a frame";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FrameKind {
    Data,
    Control(u32),
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
