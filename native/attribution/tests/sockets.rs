//! The kernel's lists of real sockets, held by this process. With figures:
//! `SOTTO_SOCKETS=10000 cargo test --release -p sotto-attribution --test main sockets:: -- --nocapture` (with `ulimit -n 40000`).

#![cfg(target_os = "linux")]

use std::env;
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use sotto_attribution::{Kernel, Peer, Protocol, Socket, Sockets};

const MANY: usize = 16_384;

fn find(local: SocketAddr, protocol: Protocol) -> Vec<Socket> {
    let sockets = Sockets::of_system(MANY).unwrap();
    let of_address = |socket: &Socket| socket.local == local && socket.protocol == protocol;
    sockets.all.into_iter().filter(of_address).collect()
}

#[test]
fn a_connection_has_two_ends_and_a_listener() {
    for address in ["127.0.0.1:0", "[::1]:0"] {
        let listener = TcpListener::bind(address).unwrap();
        let there = listener.local_addr().unwrap();
        let program = TcpStream::connect(there).unwrap();
        let here = program.local_addr().unwrap();
        let _ours = listener.accept().unwrap();
        let [end] = find(here, Protocol::Tcp)[..] else { panic!("one socket has this address") };
        assert_eq!((end.remote, end.waits), (there, false));
        let mut ends = find(there, Protocol::Tcp);
        ends.sort_by_key(|socket| socket.waits);
        let [accepted, waiting] = ends[..] else { panic!("two sockets have this address") };
        assert_eq!((accepted.remote, accepted.waits), (here, false));
        assert!(waiting.waits && waiting.remote.ip().is_unspecified());
        let user = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").unwrap());
        assert_eq!([end.holder.user, accepted.holder.user], [user; 2]);
        assert_ne!(end.holder.inode, accepted.holder.inode);
    }
}

#[test]
fn a_datagram_socket_waits_until_it_is_connected() {
    let (ours, theirs) = (UdpSocket::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
    let (here, there) = (ours.local_addr().unwrap(), theirs.local_addr().unwrap());
    assert!(find(here, Protocol::Udp)[0].waits);
    ours.connect(there).unwrap();
    let [socket] = find(here, Protocol::Udp)[..] else { panic!("one socket has this address") };
    assert_eq!((socket.remote, socket.waits), (there, false));
}

#[test]
fn ipv4_inside_ipv6_is_ipv4() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let there = listener.local_addr().unwrap();
    let mapped: SocketAddr = format!("[::ffff:127.0.0.1]:{}", there.port()).parse().unwrap();
    let program = TcpStream::connect(mapped).unwrap();
    let here = SocketAddr::new(there.ip(), program.local_addr().unwrap().port());
    let [socket] = find(here, Protocol::Tcp)[..] else { panic!("one socket has this address") };
    assert_eq!(socket.remote, there);
}

#[test]
fn what_its_program_has_closed_is_not_there() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let program = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let here = program.local_addr().unwrap();
    drop(program);
    assert_eq!(find(here, Protocol::Tcp), []);
}

#[test]
fn many_are_read_in_pieces_and_no_more_than_wanted() {
    let sockets: Vec<_> = (0..300).map(|_| UdpSocket::bind("127.0.0.1:0").unwrap()).collect();
    let read = Sockets::of_system(MANY).unwrap();
    assert!(read.is_whole);
    for socket in &sockets {
        let address = socket.local_addr().unwrap();
        assert!(read.all.iter().any(|one| one.local == address && one.protocol == Protocol::Udp));
    }
    let read = Sockets::of_system(100).unwrap();
    assert!(!read.is_whole);
    assert!(read.all.len() <= 400, "{} were read", read.all.len());
}

/// Ends of connections.
const CONNECTIONS: usize = 200;

#[test]
fn single_look_ups_go_on_meanwhile() {
    let wanted = env::var("SOTTO_SOCKETS").ok().and_then(|many| many.parse().ok()).unwrap_or(CONNECTIONS);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let there = listener.local_addr().unwrap();
    let ends: Vec<_> =
        (0..wanted / 2).map(|_| (TcpStream::connect(there).unwrap(), listener.accept().unwrap())).collect();
    let (program, (_, address)) = &ends[0];
    let inode = find(program.local_addr().unwrap(), Protocol::Tcp)[0].holder.inode;
    let peer = Peer { protocol: Protocol::Tcp, address: *address, to: there };
    let (is_over, mut dumps) = (AtomicBool::new(false), Vec::new());
    let look_ups = thread::scope(|scope| {
        let looking = scope.spawn(|| {
            let (mut kernel, mut times) = (Kernel::open().unwrap(), Vec::new());
            while !is_over.load(Ordering::Relaxed) || times.is_empty() {
                let begun = Instant::now();
                assert_eq!(kernel.holder(&peer).unwrap().map(|holder| holder.inode), Some(inode));
                times.push(begun.elapsed());
            }
            times
        });
        for _ in 0..20 {
            let begun = Instant::now();
            let read = Sockets::of_system(MANY).unwrap();
            dumps.push(begun.elapsed());
            assert!(read.is_whole && read.all.len() >= ends.len() * 2);
        }
        is_over.store(true, Ordering::Relaxed);
        looking.join().unwrap()
    });
    let slow = look_ups.iter().filter(|time| **time > Duration::from_micros(500)).count();
    println!(
        "{} sockets: read in {:?}; {} look-ups meanwhile: median {:?}, longest {:?}, {slow} longer than 0.5 ms",
        ends.len() * 2,
        middle(dumps),
        look_ups.len(),
        middle(look_ups.clone()),
        look_ups.iter().max().unwrap(),
    );
}

fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
