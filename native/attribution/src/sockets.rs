//! All sockets of this network namespace that are connected, or wait for others.

use std::io::Result;

use crate::conversation::Conversation;
use crate::message::{Described, Part, parts, request_for_all};
use crate::{Protocol, Socket, Sockets};

/// The kernel holds its list while it writes one piece, and other readers wait; so the pieces are small.
const PIECE: usize = 8 * 1024;

/// Numbers of states (include/net/tcp_states.h). A datagram socket is established where it is connected, else closed.
const ESTABLISHED: u8 = 1;
const SYN_SENT: u8 = 2;
const CLOSE: u8 = 7;
const CLOSE_WAIT: u8 = 8;
const LISTEN: u8 = 10;

impl Sockets {
    /// Those that a program still holds. Reads no more than `most` of each family and protocol.
    pub fn of_system(most: usize) -> Result<Self> {
        let mut sockets = Self { all: Vec::new(), is_whole: true };
        for protocol in [Protocol::Tcp, Protocol::Udp] {
            for family in [libc::AF_INET, libc::AF_INET6] {
                sockets.is_whole &= read(protocol, family as u8, most, &mut sockets.all)?;
            }
        }
        Ok(sockets)
    }
}

/// False: there are more.
fn read(protocol: Protocol, family: u8, most: usize, into: &mut Vec<Socket>) -> Result<bool> {
    let (number, states): (_, &[u8]) = match protocol {
        Protocol::Tcp => (libc::IPPROTO_TCP, &[ESTABLISHED, SYN_SENT, CLOSE_WAIT, LISTEN]),
        Protocol::Udp => (libc::IPPROTO_UDP, &[ESTABLISHED, CLOSE]),
    };
    let states = states.iter().fold(0, |states, state| states | 1 << state);
    // a conversation of its own, so that one that is left in its middle disturbs no other
    let conversation = Conversation::open(libc::NETLINK_SOCK_DIAG)?;
    conversation.send(&request_for_all(family, number as u8, states))?;
    let mut piece = [0; PIECE];
    let mut left = most;
    loop {
        let length = conversation.receive(&mut piece)?;
        for part in parts(&piece[..length]) {
            let Part::Socket(Described { state, local, remote, holder }) = part? else { return Ok(true) };
            if left == 0 {
                return Ok(false);
            }
            left -= 1;
            // what its program has closed lives on for a while, without an inode
            if holder.inode != 0 {
                let waits = matches!(state, LISTEN | CLOSE);
                into.push(Socket { protocol, local, remote, waits, holder });
            }
        }
    }
}
