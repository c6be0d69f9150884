//! A query as it leaves: with the client's header and question section, and an OPT record of ours.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use crate::listen::presence::Presence;
use crate::listen::slots::Slot;
use crate::upstream::clear::lease::{Counted, Lease, LeaseError};
use crate::wire::edns::{OptWriter, option};
use crate::wire::header::{self, Header};
use crate::wire::put_u16;
use crate::wire::question::Question;

/// For one query in all. Shorter than the five seconds after which dig and most stubs give up, so that they learn the reason.
pub const DEADLINE: Duration = Duration::from_millis(4500);

/// RFC 8467 section 4.1.
const PADDING_BLOCK: usize = 128;

/// Client subnet with prefix length 0: no server may add ours (RFC 7871 section 7.1.2, RFC 8310 section 11.1).
const NO_SUBNET: [u8; 4] = [0, 1, 0, 0];

#[derive(Debug)]
pub struct Outgoing {
    pub question: Question,
    /// header and question section, with the name in the case that the client sent; RD and AD set, CD as the client wished
    head: Vec<u8>,
    dnssec_ok: bool,
    left_in_cleartext: AtomicBool,
    /// a program waits for the response; false for queries of our own
    pub by_program: bool,
    sent: AtomicU32,
    received: AtomicU32,
    lost: Mutex<Vec<Lost>>,
    /// its place among those that wait, kept until nothing asks for it any more
    slot: Option<Slot>,
    /// of the one client that needs the response; absent where others or the cache do, too
    presence: Option<Presence>,
}

/// How many connections of each pool closed while they carried the query.
#[derive(Debug)]
struct Lost {
    pool: usize,
    times: usize,
}

/// Octets sent and received.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    pub sent: u64,
    pub received: u64,
}

impl Traffic {
    pub fn with(self, other: Self) -> Self {
        Self { sent: self.sent + other.sent, received: self.received + other.received }
    }
}

/// The kind of hop by which it leaves; decides which options belong there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hop {
    /// a stream inside TLS: keepalive and padding
    Tls,
    /// a stream in cleartext: keepalive
    Tcp,
    /// a datagram in cleartext
    Udp,
    /// an EncDNS box, where each octet counts
    Box,
}

impl Outgoing {
    /// `question_octets`: name, type and class as the client sent them.
    pub fn new(question: Question, question_octets: &[u8], checking_disabled: bool, dnssec_ok: bool) -> Self {
        let mut head = vec![0; header::LENGTH];
        let disabled = if checking_disabled { header::CD } else { 0 };
        // AD in a query asks to be told whether the data is authentic (RFC 6840 section 5.7)
        Header { id: 0, flags: header::RD | header::AD | disabled, counts: [1, 0, 0, 0] }.write(&mut head);
        head.extend_from_slice(question_octets);
        Self {
            question,
            head,
            dnssec_ok,
            left_in_cleartext: AtomicBool::default(),
            sent: AtomicU32::default(),
            received: AtomicU32::default(),
            lost: Mutex::default(),
            by_program: true,
            slot: None,
            presence: None,
        }
    }

    pub fn of(question: Question) -> Self {
        let query = question.query(0, 0);
        Self::new(question, &query[header::LENGTH..], false, false).of_ours()
    }

    /// Nobody waits for the response.
    pub fn of_ours(self) -> Self {
        Self { by_program: false, ..self }
    }

    pub fn in_slot(self, slot: &Option<Slot>) -> Self {
        Self { slot: slot.clone(), ..self }
    }

    /// Neither another client nor the cache gets the response.
    pub fn for_one(self, presence: &Option<Presence>) -> Self {
        Self { presence: presence.clone(), ..self }
    }

    /// Returns once nobody needs the response any more, as far as that can be seen.
    pub async fn unwanted(&self) {
        match &self.presence {
            Some(presence) => presence.ended().await,
            None => std::future::pending().await,
        }
    }

    /// Whose place it takes.
    pub fn asker(&self) -> Option<IpAddr> {
        self.slot.as_ref().map(Slot::client)
    }

    /// Counts one packet that carries it; see [`Lease::spend`].
    pub fn spend(&self, lease: &Lease) -> Result<Counted, LeaseError> {
        let counted = lease.spend()?;
        self.left_in_cleartext.store(true, Ordering::Relaxed);
        Ok(counted)
    }

    /// Whether a packet with its name has left under a lease, with or without a response.
    pub fn has_left_in_cleartext(&self) -> bool {
        self.left_in_cleartext.load(Ordering::Relaxed)
    }

    /// How many connections of that pool closed while they carried it.
    pub fn lost(&self, pool: usize) -> usize {
        self.losses().iter().find(|lost| lost.pool == pool).map_or(0, |lost| lost.times)
    }

    /// Counts one more, and returns the number.
    pub fn lose(&self, pool: usize) -> usize {
        let mut losses = self.losses();
        match losses.iter_mut().find(|lost| lost.pool == pool) {
            Some(lost) => {
                lost.times += 1;
                lost.times
            }
            None => {
                losses.push(Lost { pool, times: 1 });
                1
            }
        }
    }

    fn losses(&self) -> MutexGuard<'_, Vec<Lost>> {
        self.lost.lock().expect("nothing panics while counting")
    }

    /// A message with it leaves: `octets` with framing and padding. This may happen several times, on several connections.
    pub fn leaves(&self, octets: usize) {
        self.sent.fetch_add(octets as u32, Ordering::Relaxed);
    }

    /// A response to it has come.
    pub fn is_answered(&self, octets: usize) {
        self.received.fetch_add(octets as u32, Ordering::Relaxed);
    }

    /// What all its messages amount to so far.
    pub fn traffic(&self) -> Traffic {
        Traffic {
            sent: self.sent.load(Ordering::Relaxed).into(),
            received: self.received.load(Ordering::Relaxed).into(),
        }
    }

    /// The whole message, without the transport's framing.
    pub fn message(&self, id: u16, hop: Hop) -> Vec<u8> {
        let mut message = Vec::with_capacity(PADDING_BLOCK);
        self.write(id, hop, &mut message);
        message
    }

    /// Like [`Outgoing::message`], into an empty buffer.
    pub fn write(&self, id: u16, hop: Hop, message: &mut Vec<u8>) {
        self.write_bare(id, message);
        let mut opt = OptWriter::start(message, self.dnssec_ok, 0);
        if hop != Hop::Box {
            // a box tells its server no subnet that could be added
            opt.option(option::CLIENT_SUBNET, &NO_SUBNET);
        }
        if matches!(hop, Hop::Tls | Hop::Tcp) {
            opt.option(option::KEEPALIVE, &[]);
        }
        if hop == Hop::Tls {
            opt.pad_to(PADDING_BLOCK);
        }
        opt.finish();
    }

    /// As a datagram in cleartext, with a cookie (RFC 7873).
    pub fn with_cookie(&self, id: u16, cookie: &[u8]) -> Vec<u8> {
        let mut message = Vec::with_capacity(PADDING_BLOCK);
        self.write_bare(id, &mut message);
        let mut opt = OptWriter::start(&mut message, self.dnssec_ok, 0);
        opt.option(option::CLIENT_SUBNET, &NO_SUBNET);
        opt.option(option::COOKIE, cookie);
        opt.finish();
        message
    }

    pub fn wants_dnssec(&self) -> bool {
        self.dnssec_ok
    }

    /// Without an OPT, for a server that knows no EDNS; it may not know AD and CD either.
    pub fn bare(&self, id: u16) -> Vec<u8> {
        let mut message = Vec::with_capacity(PADDING_BLOCK);
        self.write_bare(id, &mut message);
        put_u16(&mut message, 2, header::RD);
        message
    }

    fn write_bare(&self, id: u16, message: &mut Vec<u8>) {
        message.extend_from_slice(&self.head);
        put_u16(message, 0, id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::edns::Edns;
    use crate::wire::name::Name;
    use crate::wire::types;

    fn outgoing() -> Outgoing {
        Outgoing::of(Question { name: Name::parse("example.com").unwrap(), kind: types::A, class: types::IN })
    }

    #[test]
    fn padding_stays_inside_tls() {
        assert_eq!(outgoing().message(1, Hop::Tls).len(), PADDING_BLOCK);
        let (edns, _) = Edns::find(&outgoing().message(1, Hop::Tcp)).unwrap().unwrap();
        assert!(!edns.padded && edns.keepalive == Some(None));
        let (edns, _) = Edns::find(&outgoing().message(1, Hop::Udp)).unwrap().unwrap();
        assert!(!edns.padded && edns.keepalive.is_none());
    }

    #[test]
    fn the_bit_that_once_meant_tls_is_never_set_on_a_query() {
        let (edns, _) = Edns::find(&outgoing().message(1, Hop::Tls)).unwrap().unwrap();
        assert_eq!(edns.flags, 0);
    }
}
