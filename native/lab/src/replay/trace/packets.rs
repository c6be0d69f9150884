//! A trace as captured packets: pcap or pcapng.

use std::io::Read;

use pcap_parser::pcapng::Block;
use pcap_parser::traits::PcapReaderIterator;
use pcap_parser::{PcapBlockOwned, PcapError, create_reader};

use crate::replay::query::{END_OF_TIME, Micros, Query, SECOND, Servers};
use crate::replay::trace::cut::{self, Legacy};
use crate::replay::trace::packet::{Link, query_in};
use crate::replay::trace::record::Record;

/// A record must fit.
const LONGEST: usize = 1 << 20;

pub struct Packets {
    reader: Box<dyn PcapReaderIterator + Send>,
    port: u16,
    number: u64,
    /// `None`: it is pcapng
    legacy: Option<Legacy>,
    interfaces: Vec<Interface>,
}

#[derive(Clone, Copy)]
struct Interface {
    link: Result<Link, i32>,
    /// of timestamps, per second
    units: u64,
    /// seconds
    offset: i64,
}

impl Packets {
    pub fn new(input: impl Read + Send + 'static, port: u16) -> Result<Self, String> {
        let reader = create_reader(LONGEST, input).map_err(|error| said(&error))?;
        Ok(Packets { reader, port, number: 0, legacy: None, interfaces: Vec::new() })
    }

    pub fn next(&mut self, servers: &mut Servers) -> Result<Record, String> {
        loop {
            let before = self.reader.data().len();
            let (length, found) = match self.reader.next() {
                Ok((length, block)) => {
                    let looking = Looking { port: self.port, number: &mut self.number };
                    (length, looking.block(block, &mut self.legacy, &mut self.interfaces, servers)?)
                }
                Err(PcapError::Eof) => return Ok(Record::End),
                Err(PcapError::Incomplete(_)) => {
                    self.reader.refill().map_err(|error| said(&error))?;
                    match self.reader.data().len() {
                        0 => return Ok(Record::End),
                        now if now == before => return self.cut(),
                        _ => continue,
                    }
                }
                Err(error) => return Err(said(&error)),
            };
            self.reader.consume(length);
            if let Some(record) = found {
                return Ok(record);
            }
        }
    }

    /// Of the packet that was read last, or so many after it.
    pub fn place(&self, after: u64) -> String {
        format!("packet {}", self.number + after)
    }

    /// Where there is no more, and not all of a packet.
    fn cut(&self) -> Result<Record, String> {
        let rest = self.reader.data();
        let begins = self.legacy.map_or_else(|| cut::begins_block(rest), |legacy| legacy.begins_packet(rest));
        match (begins, self.number) {
            (false, _) => Err("the rest is no packet: the file is damaged".into()),
            (true, 0) => Err("it is cut in the middle of a packet, and none is before it".into()),
            (true, _) => Ok(Record::Cut),
        }
    }
}

struct Looking<'a> {
    port: u16,
    number: &'a mut u64,
}

impl Looking<'_> {
    /// `None`: the block has no packet.
    fn block(
        self,
        block: PcapBlockOwned<'_>,
        legacy: &mut Option<Legacy>,
        interfaces: &mut Vec<Interface>,
        servers: &mut Servers,
    ) -> Result<Option<Record>, String> {
        match block {
            PcapBlockOwned::LegacyHeader(header) => {
                let (big_endian, nanoseconds) = (header.is_bigendian(), header.is_nanosecond_precision());
                *legacy = Some(Legacy { big_endian, nanoseconds });
                interfaces.push(Interface::new(header.network.0, 1, 0));
                Ok(None)
            }
            PcapBlockOwned::Legacy(packet) => {
                let per_micro = if legacy.is_some_and(|legacy| legacy.nanoseconds) { 1_000 } else { 1 };
                let at = Micros::from(packet.ts_sec) * SECOND + Micros::from(packet.ts_usec / per_micro);
                self.packet(interfaces.first(), at, packet.data, servers).map(Some)
            }
            PcapBlockOwned::NG(Block::SectionHeader(_)) => {
                interfaces.clear();
                Ok(None)
            }
            PcapBlockOwned::NG(Block::InterfaceDescription(about)) => {
                let units = about
                    .ts_resolution()
                    .ok_or("an interface has a time resolution that is not known here")?;
                interfaces.push(Interface::new(about.linktype.0, units, about.if_tsoffset));
                Ok(None)
            }
            PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
                let interface = interfaces.get(packet.if_id as usize);
                let ticks = (u64::from(packet.ts_high) << 32) | u64::from(packet.ts_low);
                let at = interface.and_then(|interface| interface.time(ticks));
                let at = at.ok_or("its interface or its time is wrong: the file is damaged")?;
                let captured = packet.data.get(..packet.caplen as usize).unwrap_or(packet.data);
                self.packet(interface, at, captured, servers).map(Some)
            }
            // a simple packet has no time
            PcapBlockOwned::NG(Block::SimplePacket(_)) => {
                *self.number += 1;
                Ok(Some(Record::Other))
            }
            PcapBlockOwned::NG(_) => Ok(None),
        }
    }

    fn packet(
        self,
        interface: Option<&Interface>,
        at: Micros,
        frame: &[u8],
        servers: &mut Servers,
    ) -> Result<Record, String> {
        let link = interface.map_or(Err(-1), |interface| interface.link);
        let link = link.or_else(Link::of)?;
        *self.number += 1;
        Ok(match query_in(link, frame, self.port) {
            None => Record::Other,
            Some((client, server)) => {
                let server = servers.number(&server.to_string());
                Record::Query(Query { at, client: client.into(), server })
            }
        })
    }
}

impl Interface {
    fn new(link: i32, units: u64, offset: i64) -> Self {
        Interface { link: Link::of(link).map_err(|_| link), units, offset }
    }

    fn time(&self, ticks: u64) -> Option<Micros> {
        let micros = u128::from(ticks) * u128::from(SECOND) / u128::from(self.units);
        let at = i128::try_from(micros).ok()? + i128::from(self.offset) * i128::from(SECOND);
        Micros::try_from(at).ok().filter(|&at| at < END_OF_TIME)
    }
}

fn said<I: std::fmt::Debug>(error: &PcapError<I>) -> String {
    match error {
        PcapError::Eof | PcapError::UnexpectedEof | PcapError::Incomplete(_) => {
            "it is cut: the rest is missing".into()
        }
        PcapError::BufferTooSmall => format!("it is longer than {LONGEST} octets: the file is damaged"),
        PcapError::ReadError => "it cannot be read".into(),
        _ => "this is no pcap or pcapng, or it is damaged".into(),
    }
}

impl std::fmt::Debug for Packets {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Packets").field("number", &self.number).finish_non_exhaustive()
    }
}
