//! A program writes another program's address into its datagrams (IP_PKTINFO). Over UDP nothing proves who asks, so where that makes a
//! looser difference the query has to come by TCP.
#![cfg(target_os = "linux")]

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;

use serde_json::{Value, json};
use sotto_engine::wire::header::rcode;
use sotto_engine::wire::types;
use sotto_skip::waiting::LIMIT;

use crate::stage::resolver::Resolver;
use crate::stage::{Said, Stage, query, said};

const INTERNAL: &str = "db.corp.example";
/// Nobody's account on any machine.
const VICTIM: u32 = 4_000_000;

/// A socket that waits for responses, of another user as far as the kernel tells.
fn of_victim(address: &str) -> Option<UdpSocket> {
    let socket = UdpSocket::bind(address).unwrap();
    // SAFETY: the descriptor is open, and no pointer is passed
    let given = unsafe { libc::fchown(socket.as_raw_fd(), VICTIM, u32::MAX) };
    if given != 0 {
        sotto_skip::skip("only root gives a socket to another user");
        return None;
    }
    socket.set_read_timeout(Some(LIMIT)).unwrap();
    Some(socket)
}

/// Sends from a socket of its own, bound to an address that nobody else has, as if from 127.0.0.1 at the same port.
fn send_as(victim: SocketAddr, message: &[u8], to: SocketAddr) {
    let socket = UdpSocket::bind((Ipv4Addr::new(127, 0, 8, 3), victim.port())).unwrap();
    let to = socket2::SockAddr::from(to);
    let mut part = libc::iovec { iov_base: message.as_ptr().cast_mut().cast(), iov_len: message.len() };
    // SAFETY: all zeroes are values of these plain structs
    let (mut control, mut header): ([u64; 8], libc::msghdr) = unsafe { std::mem::zeroed() };
    header.msg_name = to.as_ptr().cast_mut().cast();
    header.msg_namelen = to.len();
    header.msg_iov = &raw mut part;
    header.msg_iovlen = 1;
    header.msg_control = control.as_mut_ptr().cast();
    // SAFETY: the control message fits into the buffer, which outlives the call
    let sent = unsafe {
        let info = libc::in_pktinfo {
            ipi_ifindex: 0,
            ipi_spec_dst: libc::in_addr { s_addr: u32::from(Ipv4Addr::LOCALHOST).to_be() },
            ipi_addr: libc::in_addr { s_addr: 0 },
        };
        header.msg_controllen = libc::CMSG_SPACE(size_of_val(&info) as u32) as _;
        let first = libc::CMSG_FIRSTHDR(&raw const header);
        (*first).cmsg_level = libc::IPPROTO_IP;
        (*first).cmsg_type = libc::IP_PKTINFO;
        (*first).cmsg_len = libc::CMSG_LEN(size_of_val(&info) as u32) as _;
        libc::CMSG_DATA(first).cast::<libc::in_pktinfo>().write_unaligned(info);
        libc::sendmsg(socket.as_raw_fd(), &raw const header, 0)
    };
    assert_eq!(usize::try_from(sent).ok(), Some(message.len()), "{}", std::io::Error::last_os_error());
}

fn heard(victim: &UdpSocket) -> Said {
    let mut response = [0; 1500];
    let length = victim.recv(&mut response).expect("a response comes");
    said(response[..length].to_vec())
}

/// What is looser for the victim than for others, one each.
fn looser_for_the_victim(resolver: SocketAddr) -> Vec<(&'static str, Value)> {
    let of_victim = json!({"users": [VICTIM]});
    let of_others = json!({"users": [0]});
    let rule =
        json!([{"rule": "corp.example", "below": ["corp.example"], "to": [resolver], "when": of_victim}]);
    let bypass = json!([{"entry": 1, "class": "bypass"}]);
    let paused = json!({"direct": {"class": "paused", "servers": [resolver]}});
    let downgrade = json!([{"rule": "example", "below": ["example"], "to": [resolver], "class": "policy"}]);
    let policy = json!([{"entry": 2, "class": "policy", "rule": "example"}]);
    vec![
        ("rule", json!({"bypass": rule, "leases": bypass})),
        (
            "pause",
            json!({"mode": paused, "refuseFor": [of_others], "leases": [{"entry": 1, "class": "paused"}]}),
        ),
        ("downgrade", json!({"bypass": downgrade, "refuseFor": [of_others], "leases": policy})),
        (
            "group",
            json!({"groups": [
                {"id": "", "policy": "refuse"},
                {"id": "corp", "names": ["corp.example"], "policy": "fallback", "when": of_victim},
            ]}),
        ),
        (
            "ladder",
            json!({
                "groups": [{"id": "", "rungs": ["udp"], "policy": "fallback"}],
                "refuseFor": [of_others], "leases": [{"entry": 1, "class": "policy"}],
            }),
        ),
    ]
}

async fn apply(stage: &Stage, listen: &str, change: Value) -> SocketAddr {
    let client = stage.apply_with(vec![stage.dot()], |config| {
        config["listen"] = json!([listen]);
        config.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    });
    client.await.to
}

#[tokio::test(flavor = "multi_thread")]
async fn who_only_seems_to_ask_gets_nothing_that_is_looser() {
    for (listen, own) in [("127.0.0.1:0", "127.0.0.1:0"), ("[::1]:0", "[::1]:0")] {
        let (stage, resolver) = (Stage::new(), Resolver::start().await);
        let Some(victim) = of_victim(own) else { return };
        for (what, change) in looser_for_the_victim(resolver.address) {
            let to = apply(&stage, listen, change).await;
            let address = victim.local_addr().unwrap();
            match address.is_ipv4() {
                true => send_as(address, &query(INTERNAL, types::A), to),
                // the loopback of IPv6 has one address alone
                false => assert!(victim.send_to(&query(INTERNAL, types::A), to).is_ok()),
            }
            let said = heard(&victim);
            assert!(said.is_truncated() && said.answers == 0, "{what}, {listen}: {said:?}");
            assert_eq!(resolver.heard(), (0, 0), "{what}, {listen}: nothing left in cleartext");
        }
    }
}

/// Where it makes no difference, nobody has to prove anything; and what is stricter needs no proof.
#[tokio::test(flavor = "multi_thread")]
async fn where_it_makes_no_difference_udp_does() {
    let (stage, resolver) = (Stage::new(), Resolver::start().await);
    let Some(victim) = of_victim("127.0.0.1:0") else { return };
    let to_nobody = json!([{"rule": "wild.example", "below": ["wild.example"], "to": [resolver.address], "when": {"users": [VICTIM]}}]);
    for (what, change) in [
        ("another name", json!({"bypass": to_nobody, "leases": [{"entry": 1, "class": "bypass"}]})),
        ("nothing leaves in cleartext", json!({"refuseFor": [{"users": [0]}]})),
        (
            "the victim is refused itself",
            json!({
                "mode": {"direct": {"class": "paused", "servers": [resolver.address]}},
                "refuseFor": [{"users": [VICTIM]}], "leases": [{"entry": 1, "class": "paused"}],
            }),
        ),
    ] {
        let to = apply(&stage, "127.0.0.1:0", change).await;
        victim.send_to(&query(INTERNAL, types::A), to).unwrap();
        let said = heard(&victim);
        assert_eq!((said.is_truncated(), said.rcode), (false, rcode::NOERROR), "{what}: {said:?}");
        assert_eq!(resolver.heard(), (0, 0), "{what}");
    }
}
