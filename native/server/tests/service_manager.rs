//! Under a service manager: sockets that it holds, what it is told, and an end that clients hardly notice.
#![cfg(unix)]

use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixDatagram;

use domain::base::Rtype;
use sotto_skip::waiting::within;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::Command;

use crate::stage::clients::{datagram, exchange, receive, send};
use crate::stage::messages::ask;
use crate::stage::program::{Folder, Running};

const ZONE: &str = "--zone test.zone --origin test --self-signed dns.test --udp-unproven full";

/// The program as it is started by systemd, which holds these sockets under these names.
fn with_sockets(folder: &Folder, sockets: &[(&str, RawFd)], arguments: &str) -> Command {
    let names: Vec<_> = sockets.iter().map(|(name, _)| *name).collect();
    let mut command = Command::new("sh");
    command
        .args(["-c", "LISTEN_PID=$$ exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_sotto-server")])
        .args(arguments.split_whitespace())
        .env("LISTEN_FDS", sockets.len().to_string())
        .env("LISTEN_FDNAMES", names.join(":"))
        .current_dir(&folder.0)
        .kill_on_drop(true)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let descriptors: Vec<_> = sockets.iter().map(|(_, descriptor)| *descriptor).collect();
    // SAFETY: dup2 and fcntl may be called between fork and exec
    unsafe {
        command.pre_exec(move || {
            // out of the way first: one may be where another is to go
            let high: Vec<_> =
                descriptors.iter().map(|from| libc::fcntl(*from, libc::F_DUPFD, 100)).collect();
            for (to, from) in (3..).zip(high) {
                if libc::dup2(from, to) < 0 {
                    return Err(std::io::Error::last_os_error());
                }
                libc::close(from);
            }
            Ok(())
        });
    }
    command
}

fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

async fn is_answered(tcp: &mut TcpStream) -> bool {
    exchange(tcp, &ask(1, "www.test", Rtype::A)).await.answers().len() == 2
}

#[tokio::test]
async fn sockets_go_to_the_doors_that_name_them() {
    let folder = Folder::new("handed-over");
    let (tcp, address) = listener();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let (dot, dot_address) = listener();
    let sockets = [("dns", tcp.as_raw_fd()), ("dot", dot.as_raw_fd()), ("dns", udp.as_raw_fd())];
    let arguments = format!("{ZONE} --starttls fd:dns 127.0.0.1:0 --dot fd:dot");
    let running = Running::start(&mut with_sockets(&folder, &sockets, &arguments)).await;
    assert_eq!(running.ready["starttls"].as_array().unwrap().len(), 2, "one of its own");
    assert_eq!(running.address("starttls", 1), address);
    assert_eq!(running.address("dot", 0), dot_address);
    assert!(is_answered(&mut TcpStream::connect(address).await.unwrap()).await);
    let over_udp = datagram(udp.local_addr().unwrap(), &ask(1, "www.test", Rtype::A)).await;
    assert_eq!(over_udp.answers().len(), 2);
    let mut garbage = TcpStream::connect(dot_address).await.unwrap();
    garbage.write_all(b"no TLS at all").await.unwrap();
    let mut alert = vec![];
    let _ = garbage.read_to_end(&mut alert).await;
    assert!(alert.is_empty() || alert[0] == 21, "it is a door for TLS");
}

#[tokio::test]
async fn connections_wait_while_one_server_ends_and_another_starts() {
    let folder = Folder::new("restart");
    let (tcp, address) = listener();
    let start = async || {
        let sockets = [("dns", tcp.as_raw_fd())];
        Running::start(&mut with_sockets(&folder, &sockets, &format!("{ZONE} --starttls fd:dns"))).await
    };
    let mut first = start().await;
    assert!(is_answered(&mut TcpStream::connect(address).await.unwrap()).await);
    first.signal("-TERM").await;
    assert!(first.child.wait().await.unwrap().success());
    let mut waiting = TcpStream::connect(address).await.expect("nobody accepts, and nobody refuses");
    send(&mut waiting, &ask(9, "www.test", Rtype::A)).await;
    let _second = start().await;
    assert_eq!(receive(&mut waiting).await.id(), 9);
}

#[tokio::test]
async fn sockets_that_do_not_fit_are_refused_with_the_remedy() {
    let folder = Folder::new("unfit");
    let (tcp, address) = listener();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let connection = std::net::TcpStream::connect(address).unwrap();
    let (unix, _other) = UnixDatagram::pair().unwrap();
    for (sockets, arguments, words) in [
        (vec![], "--dot fd:dot", ["no socket named dot", "none was"]),
        (vec![("dns", tcp.as_raw_fd())], "--dot fd:dot", ["no socket named dot", "there are dns"]),
        (vec![("dns", tcp.as_raw_fd())], "--dot 127.0.0.1:0", ["no door takes", "--starttls fd:dns"]),
        (vec![("dot", udp.as_raw_fd())], "--dot fd:dot", ["for datagrams", "ListenDatagram="]),
        (vec![("dot", connection.as_raw_fd())], "--dot fd:dot", ["is one connection", "Accept=yes"]),
        (vec![("dot", unix.as_raw_fd())], "--dot fd:dot", ["has no IP address", "ListenStream="]),
    ] {
        let mut command = with_sockets(&folder, &sockets, &format!("{ZONE} {arguments}"));
        let output = command.output().await.unwrap();
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments}: {complaint}");
        assert!(words.iter().all(|word| complaint.contains(word)), "{arguments}: {complaint}");
    }
    let (status, complaint) = folder.refused(&format!("{ZONE} --dot fd:")).await;
    assert!(status == 2 && complaint.contains("fd:dot"), "{complaint}");
}

#[tokio::test]
async fn sockets_of_another_process_are_not_taken() {
    let folder = Folder::new("another");
    let mut command = folder.command();
    command
        .args(format!("{ZONE} --dot 127.0.0.1:0").split(' '))
        .env("LISTEN_PID", "1")
        .env("LISTEN_FDS", "1");
    let running = Running::start(&mut command).await;
    assert_eq!(running.ready["dot"].as_array().unwrap().len(), 1);
}

/// What the server tells next.
async fn told(manager: &tokio::net::UnixDatagram) -> String {
    let mut octets = [0; 256];
    let length = within("it says something", manager.recv(&mut octets)).await.unwrap();
    String::from_utf8(octets[..length].to_vec()).unwrap()
}

async fn health(place: SocketAddr) -> String {
    let mut tcp = TcpStream::connect(place).await.unwrap();
    tcp.write_all(b"GET /health HTTP/1.1\r\n\r\n").await.unwrap();
    let mut response = String::new();
    tcp.read_to_string(&mut response).await.unwrap();
    response
}

#[tokio::test]
async fn the_manager_is_told_and_a_stop_is_announced_before_it_begins() {
    let folder = Folder::new("notify");
    let manager = tokio::net::UnixDatagram::bind(folder.0.join("notify")).unwrap();
    let mut command = folder.command();
    let arguments = format!("{ZONE} --starttls 127.0.0.1:0 --metrics 127.0.0.1:0 --stop-notice 60m --stats");
    command.args(arguments.split(' ')).env("NOTIFY_SOCKET", folder.0.join("notify"));
    let mut running = Running::start(&mut command).await;
    assert_eq!(told(&manager).await, "READY=1");
    running.signal("-HUP").await;
    assert!(told(&manager).await.starts_with("RELOADING=1\nMONOTONIC_USEC="));
    assert_eq!(running.line().await["event"], "renewed");
    assert_eq!(told(&manager).await, "READY=1");

    let place = running.ready["metrics"].as_str().unwrap().parse().unwrap();
    assert!(health(place).await.starts_with("HTTP/1.1 200 "));
    let mut open = TcpStream::connect(running.address("starttls", 0)).await.unwrap();
    assert!(is_answered(&mut open).await);
    running.signal("-TERM").await;
    assert_eq!(told(&manager).await, "STOPPING=1");
    let drains = async { while !health(place).await.starts_with("HTTP/1.1 503 ") {} };
    within("a balancer sees that it ends", drains).await;
    assert!(is_answered(&mut open).await, "everything is still served");
    assert!(is_answered(&mut TcpStream::connect(running.address("starttls", 0)).await.unwrap()).await);
    running.signal("-TERM").await;
    assert_eq!(open.read(&mut [0; 1]).await.unwrap(), 0);
    assert_eq!(running.line().await["event"], "stats");
    assert!(running.child.wait().await.unwrap().success());
}

#[tokio::test]
async fn what_is_not_answered_in_time_is_cut_off() {
    let folder = Folder::new("drain");
    let arguments = format!("{ZONE} --starttls 127.0.0.1:0 --delay 60m --drain 10ms --stats");
    let mut running = Running::start(folder.command().args(arguments.split(' '))).await;
    let mut open = TcpStream::connect(running.address("starttls", 0)).await.unwrap();
    send(&mut open, &ask(1, "www.test", Rtype::A)).await;
    // its reader has the query once the counters show it
    let counted = async {
        loop {
            running.signal("-USR1").await;
            if running.line().await["queries"]["tcp"] == 1 {
                return;
            }
        }
    };
    within("the query is in flight", counted).await;
    running.signal("-TERM").await;
    let ended = within("the end is bounded, whatever the delay", running.child.wait()).await;
    assert!(ended.unwrap().success());
    assert!(matches!(open.read(&mut [0; 1]).await, Ok(0) | Err(_)));
}
