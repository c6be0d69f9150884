//! Reads our table from the kernel by netlink (nfnetlink, NFNL_SUBSYS_NFTABLES): a thousandth of what starting nft costs. Attributes
//! are in the network's order, headers in the machine's.

use std::io::{Error, ErrorKind, Result};

use sotto_attribution::Conversation;

pub struct Element {
    pub key: Vec<u8>,
    pub packets: u64,
    /// milliseconds until the kernel forgets it
    pub left: u64,
}

const NFTABLES: u16 = 10 << 8;
const GET_TABLE: u16 = NFTABLES | 1;
const NEW_SET_ELEMENTS: u16 = NFTABLES | 12;
const GET_SET_ELEMENTS: u16 = NFTABLES | 13;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const NLM_F_REQUEST: u16 = 1;
const NLM_F_DUMP: u16 = 0x300;
const NFPROTO_INET: u8 = 1;
/// struct nlmsghdr, then struct nfgenmsg
const HEADER: usize = 16;
const FAMILY: usize = 4;
/// The kernel's own pieces are at most so long.
const PIECE: usize = 32 * 1024;
/// Any of our sets has fewer.
const MOST: usize = 4096;

/// The number that the kernel gave to the table when it was made; `None`: there is none.
pub fn table_number(name: &str) -> Result<Option<u64>> {
    let conversation = Conversation::open(libc::NETLINK_NETFILTER)?;
    conversation.send(&request(GET_TABLE, NLM_F_REQUEST, &[(1, name)]))?;
    let mut piece = vec![0; PIECE];
    let length = conversation.receive(&mut piece)?;
    let handle = 4;
    match message(&piece[..length])? {
        (kind, _, _) if kind == NLMSG_ERROR => absent(&piece[..length]).map(|()| None),
        (_, body, _) => number(body, handle).map(Some).ok_or_else(malformed),
    }
}

/// `None`: there is no such set, or no such table.
pub fn elements(table: &str, set: &str) -> Result<Option<Vec<Element>>> {
    let conversation = Conversation::open(libc::NETLINK_NETFILTER)?;
    conversation.send(&request(GET_SET_ELEMENTS, NLM_F_REQUEST | NLM_F_DUMP, &[(1, table), (2, set)]))?;
    let mut found = vec![];
    let mut piece = vec![0; PIECE];
    loop {
        let length = conversation.receive(&mut piece)?;
        let mut rest = &piece[..length];
        while !rest.is_empty() {
            let (kind, body, after) = message(rest)?;
            match kind {
                NLMSG_DONE => return Ok(Some(found)),
                NLMSG_ERROR => return absent(rest).map(|()| None),
                NEW_SET_ELEMENTS => found.extend(elements_in(body)),
                _ => {}
            }
            if found.len() > MOST {
                return Err(malformed());
            }
            rest = after;
        }
    }
}

fn elements_in(body: &[u8]) -> impl Iterator<Item = Element> + '_ {
    let list = attribute(body, 3).unwrap_or_default();
    attributes(list).filter_map(|(_, element)| {
        let key = attribute(attribute(element, 1)?, 1)?.to_vec();
        let counter = attribute(attribute(element, 7)?, 2)?;
        Some(Element { key, packets: number(counter, 2)?, left: number(element, 5).unwrap_or_default() })
    })
}

fn request(kind: u16, flags: u16, words: &[(u16, &str)]) -> Vec<u8> {
    let mut octets = vec![0; HEADER + FAMILY];
    octets[HEADER] = NFPROTO_INET;
    for (kind, word) in words {
        let length = 4 + word.len() + 1;
        octets.extend_from_slice(&(length as u16).to_ne_bytes());
        octets.extend_from_slice(&kind.to_ne_bytes());
        octets.extend_from_slice(word.as_bytes());
        octets.resize(octets.len() + length.next_multiple_of(4) - length + 1, 0);
    }
    let length = octets.len() as u32;
    octets[0..4].copy_from_slice(&length.to_ne_bytes());
    octets[4..6].copy_from_slice(&kind.to_ne_bytes());
    octets[6..8].copy_from_slice(&flags.to_ne_bytes());
    octets
}

/// The first message: its kind, its attributes, and what follows it.
fn message(octets: &[u8]) -> Result<(u16, &[u8], &[u8])> {
    let read = || {
        let length = u32::from_ne_bytes(*octets.first_chunk()?) as usize;
        let whole = octets.get(..length)?;
        let kind = u16::from_ne_bytes([*whole.get(4)?, *whole.get(5)?]);
        let body = whole.get(HEADER + FAMILY..).unwrap_or_default();
        (length >= HEADER).then(|| (kind, body, octets.get(length.next_multiple_of(4)..).unwrap_or_default()))
    };
    read().ok_or_else(malformed)
}

/// An error is the kernel's number of it, made negative. 0 is none.
fn absent(message: &[u8]) -> Result<()> {
    let code = message.get(HEADER..HEADER + 4).and_then(|octets| octets.first_chunk());
    match code.map(|octets| i32::from_ne_bytes(*octets).wrapping_neg()) {
        Some(libc::ENOENT) => Ok(()),
        Some(code) => Err(Error::from_raw_os_error(code)),
        None => Err(malformed()),
    }
}

fn attributes(mut octets: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = usize::from(u16::from_ne_bytes([*octets.first()?, *octets.get(1)?]));
        // the two highest bits are flags
        let kind = u16::from_ne_bytes([*octets.get(2)?, *octets.get(3)?]) & 0x3fff;
        let value = octets.get(4..length)?;
        octets = octets.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((kind, value))
    })
}

fn attribute(octets: &[u8], wanted: u16) -> Option<&[u8]> {
    attributes(octets).find(|(kind, _)| *kind == wanted).map(|(_, value)| value)
}

fn number(octets: &[u8], wanted: u16) -> Option<u64> {
    attribute(octets, wanted)?.first_chunk().map(|octets| u64::from_be_bytes(*octets))
}

fn malformed() -> Error {
    Error::new(ErrorKind::InvalidData, "the kernel's response about nftables can't be read")
}
