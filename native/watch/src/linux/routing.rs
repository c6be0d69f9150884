//! Routing netlink, with two sockets: one receives changes, one asks.

use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use netlink_packet_core::{NLM_F_DUMP, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload};
use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::address::AddressMessage;
use netlink_packet_route::link::LinkMessage;
use netlink_packet_route::neighbour::NeighbourMessage;
use netlink_packet_route::route::RouteMessage;
use rustix::io::Errno;
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, bind, recvfrom};

use super::read::{Told, changes_gateway, may_change_network, own_address, snapshot};
use crate::snapshot::Snapshot;

/// RTMGRP_* of linux/rtnetlink.h: links, neighbours, addresses and routes of both families.
const GROUPS: u32 = 0x1 | 0x4 | 0x10 | 0x40 | 0x100 | 0x400;
/// What the kernel has reported since the last look.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// addresses that this machine no longer has
    pub gone: Vec<IpAddr>,
    /// the machine may be on another network now
    pub network_changed: bool,
}

/// The kernel never puts more into one datagram.
const LARGEST_ANSWER: usize = 32 * 1024;

pub struct News {
    socket: OwnedFd,
}

impl News {
    pub fn subscribe() -> io::Result<Self> {
        let socket = open(SocketFlags::CLOEXEC | SocketFlags::NONBLOCK, GROUPS)?;
        Ok(Self { socket })
    }

    /// Reads everything that waits. `None`: the network looks as before; otherwise it may not. Messages that were lost (ENOBUFS)
    /// may have reported anything. Fails if the socket can't be read any more.
    pub fn take(&self, known: &Snapshot) -> io::Result<Option<Heard>> {
        let mut buffer = vec![0; LARGEST_ANSWER];
        let mut heard: Option<Heard> = None;
        loop {
            match receive(&self.socket, &mut buffer) {
                Ok(messages) => {
                    for message in messages.iter().filter(|message| concerns(message, known)) {
                        heard.get_or_insert_default().note(message, known);
                    }
                }
                Err(Errno::AGAIN) => return Ok(heard),
                Err(Errno::NOBUFS) => heard.get_or_insert_default().network_changed = true,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl AsFd for News {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

pub struct Inquiry {
    socket: OwnedFd,
}

impl Inquiry {
    pub fn open() -> io::Result<Self> {
        Ok(Self { socket: open(SocketFlags::CLOEXEC, 0)? })
    }

    /// Reads everything each time: four short lists take less than a millisecond, and a state kept by events alone would stay wrong
    /// after one lost event.
    pub fn snapshot(&self) -> io::Result<Snapshot> {
        let mut told = Told::default();
        let questions = [
            RouteNetlinkMessage::GetLink(LinkMessage::default()),
            RouteNetlinkMessage::GetAddress(AddressMessage::default()),
            RouteNetlinkMessage::GetRoute(RouteMessage::default()),
            RouteNetlinkMessage::GetNeighbour(NeighbourMessage::default()),
        ];
        for (number, question) in questions.into_iter().enumerate() {
            self.ask(question, number as u32 + 1, &mut told)?;
        }
        Ok(snapshot(told))
    }

    fn ask(&self, question: RouteNetlinkMessage, number: u32, told: &mut Told) -> io::Result<()> {
        let mut header = NetlinkHeader::default();
        header.flags = NLM_F_REQUEST | NLM_F_DUMP;
        header.sequence_number = number;
        let mut message = NetlinkMessage::new(header, NetlinkPayload::from(question));
        message.finalize();
        let mut octets = vec![0; message.buffer_len()];
        message.serialize(&mut octets);
        rustix::net::send(&self.socket, &octets, SendFlags::empty())?;

        let mut buffer = vec![0; LARGEST_ANSWER];
        loop {
            for message in receive(&self.socket, &mut buffer)? {
                match message {
                    Message::Told(message) => told.note(message),
                    Message::Refused(error) => return Err(error),
                    Message::Done => return Ok(()),
                    Message::Unread => {}
                }
            }
        }
    }
}

/// Neighbours come and go all the time: only a gateway's hardware address matters.
fn concerns(message: &Message, known: &Snapshot) -> bool {
    match message {
        Message::Told(RouteNetlinkMessage::NewNeighbour(neighbour)) => changes_gateway(neighbour, known),
        Message::Told(RouteNetlinkMessage::DelNeighbour(_)) => false,
        _ => true,
    }
}

impl Heard {
    fn note(&mut self, message: &Message, known: &Snapshot) {
        self.gone.extend(address_gone(message));
        self.network_changed |= matches!(message, Message::Told(told) if may_change_network(told, known));
    }
}

fn address_gone(message: &Message) -> Option<IpAddr> {
    match message {
        Message::Told(RouteNetlinkMessage::DelAddress(address)) => own_address(address),
        _ => None,
    }
}

enum Message {
    Told(RouteNetlinkMessage),
    /// of a kind, or from a kernel, that the parser does not know
    Unread,
    Refused(io::Error),
    Done,
}

fn open(flags: SocketFlags, groups: u32) -> io::Result<OwnedFd> {
    // NETLINK_ROUTE is protocol 0.
    let socket = rustix::net::socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, None)?;
    bind(&socket, &SocketAddrNetlink::new(0, groups))?;
    Ok(socket)
}

/// The messages of one datagram; empty if another process sent it.
fn receive(socket: &OwnedFd, buffer: &mut [u8]) -> Result<Vec<Message>, Errno> {
    let (length, _, sender) = recvfrom(socket, &mut *buffer, RecvFlags::empty())?;
    let kernel = sender.and_then(|sender| SocketAddrNetlink::try_from(sender).ok());
    if kernel.is_none_or(|sender| sender.pid() != 0) {
        return Ok(Vec::new());
    }
    Ok(messages(&buffer[..length]))
}

fn messages(mut octets: &[u8]) -> Vec<Message> {
    let mut messages = Vec::new();
    while let Some(length) = octets.first_chunk().map(|length| u32::from_ne_bytes(*length) as usize) {
        if length < 16 || length > octets.len() {
            break;
        }
        messages.push(message(&octets[..length]));
        octets = octets.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    messages
}

fn message(octets: &[u8]) -> Message {
    match NetlinkMessage::<RouteNetlinkMessage>::deserialize(octets).map(|message| message.payload) {
        Ok(NetlinkPayload::InnerMessage(message)) => Message::Told(message),
        Ok(NetlinkPayload::Error(error)) => Message::Refused(error.to_io()),
        Ok(NetlinkPayload::Done(_)) => Message::Done,
        _ => Message::Unread,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_answers_about_loopback() {
        let snapshot = Inquiry::open().unwrap().snapshot().unwrap();
        let loopback = snapshot.interfaces.iter().find(|interface| interface.name == "lo");
        assert_eq!(loopback.map(|loopback| loopback.index), Some(1));
    }

    #[test]
    fn damaged_datagrams_end_where_the_damage_begins() {
        let done = NetlinkMessage::<RouteNetlinkMessage>::new(
            NetlinkHeader::default(),
            NetlinkPayload::Done(netlink_packet_core::DoneMessage::default()),
        );
        let mut whole = done;
        whole.finalize();
        let mut octets = vec![0; whole.buffer_len()];
        whole.serialize(&mut octets);
        assert_eq!(messages(&octets).len(), 1);
        assert_eq!(messages(&octets.repeat(3)).len(), 3);
        for length in 0..octets.len() {
            assert_eq!(messages(&octets[..length]).len(), 0);
        }
        assert_eq!(messages(&[0; 64]).len(), 0);
        assert_eq!(messages(&[0xff; 64]).len(), 0);
    }
}
