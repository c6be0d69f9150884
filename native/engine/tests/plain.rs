//! Queries in cleartext over the system's sockets. What they do with scripted peers is in `scenarios/`.

use std::net::{IpAddr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use sotto_engine::outcome::ClearClass;
use sotto_engine::upstream::clear::cookies::Cookies;
use sotto_engine::upstream::clear::lease::Lease;
use sotto_engine::upstream::dial::sockets::System;
use sotto_engine::upstream::failure::Failure;
use sotto_engine::upstream::outgoing::Outgoing;
use sotto_engine::upstream::transport::plain::Plain;
use sotto_engine::wire::name::Name;
use sotto_engine::wire::question::Question;
use sotto_engine::wire::{header, types};
use sotto_skip::clock;
use sotto_skip::nobody::{nobody, nobody_at};
use sotto_skip::waiting::{LIMIT, until_found};
use tokio::net::UdpSocket;
use tokio::time::Instant;

/// Nothing is sent again, because time does not pass.
fn plain() -> (Plain, Arc<Cookies>) {
    clock::stands_still();
    let cookies: Arc<Cookies> = Arc::default();
    (Plain::new(Arc::new(System), cookies.clone()), cookies)
}

fn outgoing(name: &str) -> Outgoing {
    Outgoing::of(Question { name: Name::parse(name).unwrap(), kind: types::A, class: types::IN })
}

async fn bound(ip: &str) -> UdpSocket {
    UdpSocket::bind((ip.parse::<IpAddr>().unwrap(), 0)).await.unwrap()
}

/// A response without records, from a server without EDNS.
fn answered(question: &[u8]) -> Vec<u8> {
    let (_, end) = Question::read(question).unwrap();
    let mut reply = question[..end].to_vec();
    reply[2] |= (header::QR >> 8) as u8;
    reply[11] = 0;
    reply
}

#[tokio::test]
async fn an_answer_from_another_port_is_dropped_and_counted() {
    for ip in ["127.0.0.1", "::1"] {
        let (server, stranger) = (bound(ip).await, bound(ip).await);
        let address = server.local_addr().unwrap();
        let answering = tokio::spawn(async move {
            let mut question = [0; 512];
            let (length, from) = server.recv_from(&mut question).await.unwrap();
            let reply = answered(&question[..length]);
            stranger.send_to(&reply, from).await.unwrap();
            server.send_to(&reply, from).await.unwrap();
        });
        let (plain, _) = plain();
        let lease = Lease::unrecorded(ClearClass::Bypass, None);
        let asked = plain.ask(&[address], &outgoing("www.example"), &lease, Instant::now() + LIMIT).await;
        assert_eq!(asked.unwrap().1, address);
        assert_eq!((plain.strays(), lease.count()), (1, 1), "{ip}");
        answering.await.unwrap();
    }
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn a_port_nobody_listens_on_is_told_at_once() {
    for ip in ["127.0.0.1", "::1"] {
        let nobody = nobody_at(ip.parse().unwrap());
        let (plain, _) = plain();
        let lease = Lease::unrecorded(ClearClass::Bypass, None);
        let asked = plain.ask(&[nobody], &outgoing("www.example"), &lease, Instant::now() + LIMIT).await;
        assert!(matches!(asked, Err(Failure::Dial(_))), "{ip}: {asked:?}");
        assert_eq!(lease.count(), 1, "it is not asked again");
    }
}

#[tokio::test]
async fn nsd_and_we_agree_on_cookies() {
    let Some((nsd, server)) = Nsd::start().await else { return };
    let (plain, cookies) = plain();
    let lease = Lease::unrecorded(ClearClass::Bypass, None);
    let local: IpAddr = [127, 0, 0, 1].into();
    assert!(!cookies.towards(server, local).unwrap().expected_back);
    for name in ["www.example", "ns.example"] {
        let asked = plain.ask(&[server], &outgoing(name), &lease, Instant::now() + LIMIT).await;
        assert!(!asked.unwrap().0.is_empty(), "{name}");
        let known = cookies.towards(server, local).unwrap();
        assert_eq!((known.expected_back, known.option.len()), (true, 24), "{name}");
    }
    assert_eq!((plain.strays(), lease.count()), (0, 2));
    drop(nsd);
}

/// An authoritative server with cookies, in a folder of its own.
struct Nsd {
    process: Child,
    folder: std::path::PathBuf,
}

impl Nsd {
    async fn start() -> Option<(Self, SocketAddr)> {
        let address = nobody();
        let nsd = Self::start_at(address)?;
        let probe = bound("127.0.0.1").await;
        let question = outgoing("www.example").bare(1);
        let answers = async || {
            let _ = probe.send_to(&question, address).await;
            probe.try_recv(&mut [0; 512]).ok()
        };
        until_found("nsd answers", answers).await;
        Some((nsd, address))
    }

    fn start_at(address: SocketAddr) -> Option<Self> {
        let folder =
            std::env::temp_dir().join(format!("sotto-nsd-{}-{}", std::process::id(), address.port()));
        std::fs::create_dir_all(&folder).unwrap();
        let zone = "$ORIGIN example.\n$TTL 300\n@ SOA ns h 1 2 3 4 5\n@ NS ns\nns A 198.51.100.1\nwww A 198.51.100.2\n";
        std::fs::write(folder.join("example.zone"), zone).unwrap();
        let inside = |name: &str| folder.join(name).display().to_string();
        let config = format!(
            "server:\n ip-address: {}@{}\n username: \"\"\n chroot: \"\"\n database: \"\"\n zonesdir: \"{}\"\n pidfile: \"{}\"\n \
             xfrdfile: \"{}\"\n xfrdir: \"{}\"\n zonelistfile: \"{}\"\n answer-cookie: yes\n \
             cookie-secret: \"000102030405060708090a0b0c0d0e0f\"\nremote-control:\n control-enable: no\n\
             zone:\n name: example\n zonefile: example.zone\n",
            address.ip(),
            address.port(),
            folder.display(),
            inside("pid"),
            inside("xfrd"),
            folder.display(),
            inside("zones"),
        );
        std::fs::write(folder.join("nsd.conf"), config).unwrap();
        let started = ["nsd", "/usr/sbin/nsd"].into_iter().find_map(|program| {
            let mut command = Command::new(program);
            command.args(["-d", "-c"]).arg(folder.join("nsd.conf"));
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()
        });
        let Some(process) = started else {
            sotto_skip::skip("no nsd: apt-get install nsd");
            let _ = std::fs::remove_dir_all(&folder);
            return None;
        };
        Some(Self { process, folder })
    }
}

impl Drop for Nsd {
    fn drop(&mut self) {
        // its parent process ends its children on SIGTERM, which is not what `kill` sends
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
