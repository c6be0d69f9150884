//! What a dnstap reader gets, and that no query waits for one.
#![cfg(unix)]

use std::path::PathBuf;
use std::process::Stdio;

use domain::base::Rtype;
use sotto_skip::waiting::{until_found, within};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket, UnixListener, UnixStream};
use tokio::process::{Child, Command};

use crate::stage::clients::{datagram, dot, exchange};
use crate::stage::messages::ask;
use crate::stage::program::Folder;
use crate::stage::{self, Stage, loopback};

fn tapped(socket: PathBuf) -> Stage {
    Stage::with(|config| {
        config.dnstap = Some(socket);
        config.metrics = Some(loopback());
    })
}

/// Exchanges that the reader got, and that no reader got.
async fn counts(stage: &Stage) -> [u64; 2] {
    let mut tcp = TcpStream::connect(stage.server.metrics().unwrap()).await.unwrap();
    tcp.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").await.unwrap();
    let mut text = String::new();
    tcp.read_to_string(&mut text).await.unwrap();
    ["exchanges", "lost_exchanges"].map(|name| {
        let sample = format!("sotto_server_dnstap_{name}_total ");
        text.lines().find_map(|line| line.strip_prefix(&sample)).unwrap().parse().unwrap()
    })
}

/// Asks until an exchange was told; before that there may be no reader.
async fn until_read(stage: &Stage) {
    let asking = async {
        while counts(stage).await[0] == 0 {
            datagram(stage.starttls(), &ask(1, "www.test", Rtype::A)).await;
        }
    };
    within("there is a reader", asking).await;
}

/// A real reader that writes a file. `None`: it is not there, and this was said.
async fn capture(folder: &Folder) -> Option<Child> {
    let mut command = Command::new("fstrm_capture");
    command.args(["-t", "protobuf:dnstap.Dnstap", "-u", "tap.sock", "-w", "tap.fstrm"]);
    match command.current_dir(&folder.0).stderr(Stdio::null()).kill_on_drop(true).spawn() {
        Ok(child) => {
            let connect = async || UnixStream::connect(folder.0.join("tap.sock")).await.ok();
            drop(until_found("it listens", connect).await);
            Some(child)
        }
        Err(error) => {
            sotto_skip::skip(&format!("fstrm_capture does not run ({error}): apt-get install fstrm-bin"));
            None
        }
    }
}

#[tokio::test]
async fn real_readers_understand_each_exchange() {
    let folder = Folder::new("dnstap");
    let Some(mut reader) = capture(&folder).await else { return };
    let stage = tapped(folder.0.join("tap.sock"));
    until_read(&stage).await;
    exchange(&mut dot(&stage).await, &ask(2, "ns.test", Rtype::A)).await;
    exchange(&mut TcpStream::connect(stage.starttls()).await.unwrap(), &ask(3, "nope.test", Rtype::AAAA))
        .await;
    stage.server.stop().await;
    let pid = reader.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().await.unwrap().success());
    reader.wait().await.unwrap();
    let printed = Command::new("dnstap-read").args(["-y", "tap.fstrm"]).current_dir(&folder.0).output().await;
    let Ok(printed) = printed else {
        return sotto_skip::skip("dnstap-read does not run: apt-get install bind9-utils");
    };
    let text = String::from_utf8(printed.stdout).unwrap();
    assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
    let exchanges: Vec<_> = text.split("---\n").filter(|part| part.contains("type: MESSAGE")).collect();
    let of = |name: &str| {
        exchanges.iter().find(|part| part.contains(name)).unwrap_or_else(|| panic!("{name} in {text}"))
    };
    for (name, words) in [
        ("www.test", ["socket_protocol: UDP", "192.0.2.10"]),
        ("ns.test", ["socket_family: INET", "192.0.2.1"]),
        ("nope.test", ["socket_protocol: TCP", "NXDOMAIN"]),
    ] {
        let part = of(name);
        let all = [
            "type: CLIENT_RESPONSE",
            "version: sotto-server ",
            "query_address: \"127.0.0.1\"",
            "response_time: !!timestamp",
        ];
        for word in all.iter().chain(&words) {
            assert!(part.contains(word), "{name} lacks {word}: {part}");
        }
    }
}

/// The other end of the handshake. What comes behind it is the test's.
async fn accept(listener: &UnixListener) -> UnixStream {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut ready = [0; 12 + 8 + 22];
    stream.read_exact(&mut ready).await.unwrap();
    let mut accept = ready;
    accept[11] = 1;
    stream.write_all(&accept).await.unwrap();
    stream.read_exact(&mut ready).await.unwrap();
    assert_eq!(ready[11], 2, "START");
    stream
}

#[tokio::test]
async fn a_reader_that_takes_nothing_holds_up_no_query_and_costs_a_bounded_memory() {
    let folder = Folder::new("dnstap-mute");
    let listener = UnixListener::bind(folder.0.join("tap.sock")).unwrap();
    let stage = tapped(folder.0.join("tap.sock"));
    let mute = accept(&listener).await;
    until_read(&stage).await;
    let mut tls = dot(&stage).await;
    let filling = async {
        // each of these responses is of tens of thousands of octets, and beyond a bound they are lost
        while counts(&stage).await[1] < 50 {
            for id in 0..50 {
                assert_eq!(exchange(&mut tls, &ask(id, "huge.test", Rtype::TXT)).await.id(), id);
            }
        }
    };
    within("some are lost", filling).await;
    within("the end waits for it", stage.server.stop()).await;
    drop(mute);
}

#[tokio::test]
async fn a_reader_that_comes_back_is_found_and_one_that_speaks_otherwise_gets_nothing() {
    let folder = Folder::new("dnstap-again");
    let listener = UnixListener::bind(folder.0.join("tap.sock")).unwrap();
    let stage = tapped(folder.0.join("tap.sock"));
    let (mut stranger, _) = listener.accept().await.unwrap();
    stranger.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
    let mut sent = vec![];
    let _ = stranger.read_to_end(&mut sent).await;
    assert!(sent.len() <= 42, "READY alone");
    let first = within("another try", accept(&listener)).await;
    until_read(&stage).await;
    drop(first);
    let mut second = within("it is found again", accept(&listener)).await;
    let before = counts(&stage).await[0];
    let asking = async {
        while counts(&stage).await[0] == before {
            datagram(stage.starttls(), &ask(1, "www.test", Rtype::A)).await;
        }
    };
    within("it gets the next exchange", asking).await;
    assert!(second.read_u32().await.unwrap() > 40, "a frame of data, and no control frame");
}

#[tokio::test]
async fn a_resolver_s_response_is_told_when_it_has_come_and_silence_as_a_query() {
    let folder = Folder::new("dnstap-later");
    let listener = UnixListener::bind(folder.0.join("tap.sock")).unwrap();
    let resolver = UdpSocket::bind(loopback()).await.unwrap();
    let address = resolver.local_addr().unwrap();
    let stage = Stage::with(|config| {
        config.dnstap = Some(folder.0.join("tap.sock"));
        config.metrics = Some(loopback());
        config.backend = stage::forwarding_to(address);
    });
    let mut reader = accept(&listener).await;
    let frame = async |reader: &mut UnixStream| {
        let mut octets = vec![0; reader.read_u32().await.unwrap() as usize];
        reader.read_exact(&mut octets).await.unwrap();
        octets
    };
    // a response, which nobody answers; the reader is there once one of them is told
    let silence = async {
        let mut unasked = ask(9, "silent.test", Rtype::A);
        unasked[2] |= 0x80;
        let socket = UdpSocket::bind(loopback()).await.unwrap();
        while counts(&stage).await[0] == 0 {
            socket.send_to(&unasked, stage.starttls()).await.unwrap();
        }
    };
    within("there is a reader", silence).await;
    let told = frame(&mut reader).await;
    assert!(told.windows(6).any(|part| part == b"silent"));
    assert!(told.windows(3).any(|part| part == [0x08, 5, 0x10]), "CLIENT_QUERY");

    let answering = async {
        let mut query = [0; 512];
        let (octets, from) = resolver.recv_from(&mut query).await.unwrap();
        query[2] |= 0x80;
        resolver.send_to(&query[..octets], from).await.unwrap();
    };
    let query = ask(7, "later.test", Rtype::A);
    let (_, reply) = tokio::join!(answering, datagram(stage.starttls(), &query));
    assert_eq!(reply.id(), 7);
    let told = loop {
        let told = frame(&mut reader).await;
        if told.windows(5).any(|part| part == b"later") {
            break told;
        }
    };
    assert!(told.windows(3).any(|part| part == [0x08, 6, 0x10]), "CLIENT_RESPONSE");
    assert_eq!(told.windows(5).filter(|part| part == b"later").count(), 2, "query and response");
}

/// A socket that another account listens at, and nobody answers. `None`: this account cannot become another one.
async fn of_another_account(folder: &Folder) -> Option<Child> {
    const LISTEN: &str = "import os, socket, sys\n\
        try: os.setuid(65534)\n\
        except PermissionError: sys.exit(77)\n\
        s = socket.socket(socket.AF_UNIX); s.bind('tap.sock'); s.listen(); os.chmod('tap.sock', 0o777)\n\
        print('listens', flush=True)\n\
        c, _ = s.accept(); sys.stdout.write('got ' + str(len(c.recv(100))) + '\\n'); sys.stdout.flush(); sys.stdin.read()\n";
    std::fs::set_permissions(&folder.0, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let mut command = Command::new("python3");
    command.args(["-c", LISTEN]).current_dir(&folder.0).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("python3");
    let mut word = [0; 8];
    if child.stdout.as_mut().unwrap().read_exact(&mut word).await.is_err() {
        sotto_skip::skip("only root can listen as another account");
        return None;
    }
    Some(child)
}

#[tokio::test]
async fn a_socket_of_another_account_is_given_nothing() {
    let folder = Folder::new("dnstap-stranger");
    let Some(mut stranger) = of_another_account(&folder).await else { return };
    let stage = tapped(folder.0.join("tap.sock"));
    let why = until_found("it is said", async || stage.server.tap_trouble().flatten()).await;
    assert!(why.contains("account 65534 listens there: run the reader as root"), "{why}");
    let mut got = [0; 6];
    stranger.stdout.as_mut().unwrap().read_exact(&mut got).await.unwrap();
    assert_eq!(&got, b"got 0\n", "not even a greeting");
}
