//! Look-ups of real sockets, held by this process and by others.

#![cfg(target_os = "linux")]

use std::fs::{metadata, read_link, read_to_string};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use sotto_attribution::{Holder, Kernel, Peer, Protocol};
use sotto_skip::nobody::nobody;

fn inode_of(socket: &impl AsRawFd) -> u32 {
    let link = read_link(format!("/proc/self/fd/{}", socket.as_raw_fd())).unwrap();
    let link = link.to_str().unwrap();
    link.strip_prefix("socket:[").and_then(|rest| rest.strip_suffix(']')).unwrap().parse().unwrap()
}

/// The number of this process's control group, as its folder shows it. `None`: it has none that can be seen from here.
fn own_cgroup() -> Option<u64> {
    let groups = read_to_string("/proc/self/cgroup").unwrap();
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let roots = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];
    let root = roots.iter().find(|root| Path::new(root).join("cgroup.controllers").exists())?;
    metadata(format!("{root}{path}")).ok().map(|folder| folder.ino())
}

fn user() -> u32 {
    metadata("/proc/self").unwrap().uid()
}

fn check(found: Option<Holder>, socket: &impl AsRawFd) {
    let found = found.expect("it is there");
    assert_eq!((found.user, found.inode), (user(), inode_of(socket)));
    if let Some(cgroup) = own_cgroup() {
        assert_eq!(found.cgroup, Some(cgroup));
    }
}

fn sent_from(program: &UdpSocket, ours: &UdpSocket) -> Peer {
    program.send_to(b"query", ours.local_addr().unwrap()).unwrap();
    let (_, address) = ours.recv_from(&mut [0; 16]).unwrap();
    Peer { protocol: Protocol::Udp, address, to: ours.local_addr().unwrap() }
}

fn bound(address: &str) -> UdpSocket {
    UdpSocket::bind(address).unwrap()
}

/// At an address that no other test has, so that none gets its port once it is closed.
fn bound_alone() -> UdpSocket {
    UdpSocket::bind((nobody().ip(), 0)).unwrap()
}

#[test]
fn a_datagram_socket_bound_to_every_address() {
    let (ours, program) = (bound("127.0.0.1:0"), bound("0.0.0.0:0"));
    let peer = sent_from(&program, &ours);
    check(Kernel::open().unwrap().holder(&peer).unwrap(), &program);
}

#[test]
fn a_datagram_socket_that_is_connected() {
    let (ours, program) = (bound("127.0.0.1:0"), bound("127.0.0.1:0"));
    program.connect(ours.local_addr().unwrap()).unwrap();
    let peer = sent_from_connected(&program, &ours);
    check(Kernel::open().unwrap().holder(&peer).unwrap(), &program);
}

fn sent_from_connected(program: &UdpSocket, ours: &UdpSocket) -> Peer {
    program.send(b"query").unwrap();
    let (_, address) = ours.recv_from(&mut [0; 16]).unwrap();
    Peer { protocol: Protocol::Udp, address, to: ours.local_addr().unwrap() }
}

#[test]
fn a_datagram_socket_of_both_families() {
    let (ours, program) = (bound("127.0.0.1:0"), bound("[::]:0"));
    let port = ours.local_addr().unwrap().port();
    let mapped: SocketAddr = format!("[::ffff:127.0.0.1]:{port}").parse().unwrap();
    program.send_to(b"query", mapped).unwrap();
    let (_, address) = ours.recv_from(&mut [0; 16]).unwrap();
    let peer = Peer { protocol: Protocol::Udp, address, to: ours.local_addr().unwrap() };
    check(Kernel::open().unwrap().holder(&peer).unwrap(), &program);
}

#[test]
fn a_datagram_socket_of_ipv6() {
    let (ours, program) = (bound("[::1]:0"), bound("[::1]:0"));
    let peer = sent_from(&program, &ours);
    check(Kernel::open().unwrap().holder(&peer).unwrap(), &program);
}

#[test]
fn a_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let program = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (ours, address) = listener.accept().unwrap();
    let peer = Peer { protocol: Protocol::Tcp, address, to: ours.local_addr().unwrap() };
    let mut kernel = Kernel::open().unwrap();
    check(kernel.holder(&peer).unwrap(), &program);
    drop(program);
    assert_eq!(kernel.holder(&peer).unwrap(), None, "closed, and not yet forgotten");
}

#[test]
fn what_is_gone_has_no_holder_and_the_next_look_up_works() {
    let (ours, program) = (bound("127.0.0.1:0"), bound_alone());
    let peer = sent_from(&program, &ours);
    let mut kernel = Kernel::open().unwrap();
    drop(program);
    assert_eq!(kernel.holder(&peer).unwrap(), None);
    let another = bound("127.0.0.1:0");
    let peer = sent_from(&another, &ours);
    check(kernel.holder(&peer).unwrap(), &another);
}

#[test]
fn a_connected_datagram_socket_is_no_peer_of_anybody_else() {
    let (ours, theirs) = (bound("127.0.0.1:0"), bound("127.0.0.1:0"));
    let program = bound("127.0.0.1:0");
    let peer = sent_from(&program, &ours);
    let elsewhere = Peer { to: theirs.local_addr().unwrap(), ..peer };
    let mut kernel = Kernel::open().unwrap();
    check(kernel.holder(&peer).unwrap(), &program);
    check(kernel.holder(&elsewhere).unwrap(), &program);
    program.connect(ours.local_addr().unwrap()).unwrap();
    check(kernel.holder(&peer).unwrap(), &program);
    assert_eq!(kernel.holder(&elsewhere).unwrap(), None, "it receives from there no more");
}

/// A port below those that the kernel gives.
fn chosen() -> UdpSocket {
    (20_000..30_000).find_map(|port| UdpSocket::bind(("127.0.0.1", port)).ok()).unwrap()
}

#[test]
fn a_port_that_programs_may_share_tells_nothing_unless_it_is_connected() {
    let (ours, program) = (bound("127.0.0.1:0"), chosen());
    let peer = sent_from(&program, &ours);
    let mut kernel = Kernel::open().unwrap();
    assert_eq!(kernel.holder(&peer).unwrap(), None);
    program.connect(ours.local_addr().unwrap()).unwrap();
    check(kernel.holder(&peer).unwrap(), &program);
}
