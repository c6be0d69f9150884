//! Behind a balancer: whose connection it is, who is believed, and a real HAProxy.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use domain::base::Rtype;
use domain::base::opt::cookie::Cookie;
use rustls::ALL_VERSIONS;
use sotto_server::{Proxies, Unproven, proxy_prefix};
use sotto_skip::waiting::until_found;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::process::{Child, Command};

use crate::stage::Stage;
use crate::stage::clients::{datagram_from, exchange, secure, secure_with, tls_client};
use crate::stage::messages::{Question, STARTTLS, ask, framed, octets};

const SHORT: Duration = Duration::from_millis(60);
const COOKIE: u16 = 10;
const CLIENT_COOKIE: &[u8] = b"a client";

fn from(prefix: &str) -> Proxies {
    vec![proxy_prefix(prefix).unwrap()].into()
}

fn behind_a_balancer() -> Stage {
    Stage::with(|config| {
        config.proxies = from("127.0.0.1");
        config.unproven = Unproven::Truncated;
    })
}

/// PROXY, TCP over IPv4, from this address and port 4096 to 192.0.2.1, port 853.
fn header(client: &str) -> Vec<u8> {
    let IpAddr::V4(client) = client.parse().unwrap() else { panic!("an IPv4 address") };
    [&octets("0d0a0d0a000d0a515549540a 21 11 000c")[..], &client.octets(), &octets("c0000201 1000 0355")]
        .concat()
}

async fn introduced(server: SocketAddr, client: &str) -> TcpStream {
    let mut tcp = TcpStream::connect(server).await.unwrap();
    tcp.write_all(&header(client)).await.unwrap();
    tcp
}

async fn is_ended(tcp: &mut TcpStream) -> bool {
    matches!(tcp.read(&mut [0; 64]).await, Ok(0) | Err(_))
}

/// The cookie that the response to this brings is bound to the address of the client.
fn wants_cookie(cookie: &[u8]) -> Vec<u8> {
    Question::new(1, "www.test", Rtype::A).edns(1232, 0, &[(COOKIE, cookie)]).octets()
}

/// Whether the cookie of this connection is good over UDP from the address.
async fn is_known_as<S>(stage: &Stage, stream: &mut S, address: &str) -> bool
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    let reply = exchange(stream, &wants_cookie(CLIENT_COOKIE)).await;
    let cookie: Cookie = reply.0.opt().unwrap().opt().first().expect("a cookie");
    let whole = [CLIENT_COOKIE, cookie.server().expect("ours, too").as_ref()].concat();
    !datagram_from(address, stage.starttls(), &wants_cookie(&whole)).await.answers().is_empty()
}

#[tokio::test]
async fn a_connection_that_has_just_come_is_introduced_and_answered_though_the_server_stops() {
    let stage = behind_a_balancer();
    let mut late = TcpStream::connect(stage.starttls()).await.unwrap();
    // whoever came later was served, so that this one was accepted
    exchange(&mut introduced(stage.starttls(), "127.0.0.7").await, &ask(1, "www.test", Rtype::A)).await;
    let stopping = tokio::spawn(stage.server.stop());
    late.write_all(&header("127.0.0.8")).await.unwrap();
    exchange(&mut late, &ask(2, "www.test", Rtype::A)).await;
    assert!(is_ended(&mut late).await);
    assert_eq!(stopping.await.unwrap().queries.tcp, 2);
}

#[tokio::test]
async fn the_client_is_the_one_in_the_header_in_cleartext_after_starttls_and_in_tls() {
    let stage = behind_a_balancer();
    let mut clear = introduced(stage.starttls(), "127.0.0.7").await;
    assert!(is_known_as(&stage, &mut clear, "127.0.0.7").await);
    assert!(!is_known_as(&stage, &mut clear, "127.0.0.1").await, "TCP's own address is not asked");

    let mut tcp = introduced(stage.starttls(), "127.0.0.7").await;
    exchange(&mut tcp, &octets(STARTTLS)).await;
    assert!(is_known_as(&stage, &mut secure(&stage, tcp).await, "127.0.0.7").await);

    let tcp = introduced(stage.dot(), "127.0.0.7").await;
    assert!(is_known_as(&stage, &mut secure(&stage, tcp).await, "127.0.0.7").await);
    assert_eq!(stage.server.stats().proxied, 3);
}

#[tokio::test]
async fn places_are_taken_by_the_client_s_network_and_not_by_the_balancer_s() {
    let stage = Stage::with(|config| {
        config.proxies = from("127.0.0.0/8");
        config.limits.connections = 3;
    });
    let mut person = introduced(stage.starttls(), "198.51.100.1").await;
    exchange(&mut person, &ask(1, "www.test", Rtype::A)).await;
    let mut crowd = [
        introduced(stage.starttls(), "198.51.100.2").await,
        introduced(stage.starttls(), "198.51.100.2").await,
    ];
    for one in &mut crowd {
        exchange(one, &ask(1, "www.test", Rtype::A)).await;
    }
    let mut one_more = introduced(stage.starttls(), "198.51.100.3").await;
    exchange(&mut one_more, &ask(2, "www.test", Rtype::A)).await;
    assert!(is_ended(&mut crowd[0]).await, "of the network with most, though another was idle for longer");
    exchange(&mut person, &ask(3, "www.test", Rtype::A)).await;
}

#[tokio::test]
async fn a_balancer_s_connection_without_a_header_is_reset() {
    let stage = behind_a_balancer();
    let mut version1 = b"PROXY TCP4 198.51.100.7 192.0.2.1 4096 53\r\n".to_vec();
    version1.extend(framed(&ask(1, "www.test", Rtype::A)));
    let over_udp = octets("0d0a0d0a000d0a515549540a 21 12 000c c6336407 c0000201 1000 0355");
    let query = framed(&ask(1, "www.test", Rtype::A));
    for (count, first) in (1..).zip([&query, &version1, &over_udp]) {
        let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
        tcp.write_all(first).await.unwrap();
        assert!(is_ended(&mut tcp).await);
        stage.until(|stats| stats.wrong_proxy_headers == count).await;
    }
    let stats = stage.server.stats();
    assert_eq!((stats.connections, stats.queries.tcp), (0, 0), "no place, and nothing was read as a query");
}

#[tokio::test]
async fn a_balancer_that_says_nothing_has_as_long_as_a_handshake_may_take() {
    let stage = Stage::with(|config| {
        config.proxies = from("127.0.0.1");
        config.limits.handshake = SHORT;
    });
    let mut tcp = TcpStream::connect(stage.dot()).await.unwrap();
    tcp.write_all(&header("198.51.100.7")[..20]).await.unwrap();
    assert!(is_ended(&mut tcp).await);
    stage.until(|stats| stats.wrong_proxy_headers == 1).await;
}

#[tokio::test]
async fn no_more_wait_for_a_header_than_there_are_places() {
    let stage = Stage::with(|config| {
        config.proxies = from("127.0.0.1");
        config.limits.connections = 2;
    });
    let [_one, _other] = [TcpStream::connect(stage.dot()).await, TcpStream::connect(stage.dot()).await];
    let mut third = TcpStream::connect(stage.dot()).await.unwrap();
    assert!(is_ended(&mut third).await);
    stage.until(|stats| stats.turned_away == 1).await;
}

#[tokio::test]
async fn from_elsewhere_a_header_is_not_believed() {
    let stage = Stage::with(|config| {
        config.proxies = from("127.0.0.2");
        config.limits.idle = SHORT;
    });
    let mut dot = introduced(stage.dot(), "127.0.0.2").await;
    let mut received = Vec::new();
    let _ = dot.read_to_end(&mut received).await;
    assert!(received.is_empty() || received[0] == 21, "at most a TLS alert, got {received:02x?}");
    let mut starttls = introduced(stage.starttls(), "127.0.0.2").await;
    starttls.write_all(&framed(&ask(1, "www.test", Rtype::A))).await.unwrap();
    assert!(is_ended(&mut starttls).await);
    let stats = stage.server.stats();
    assert_eq!((stats.proxied, stats.queries.tcp, stats.handshakes.failed), (0, 0, 1));
}

/// HAProxy on an address of its own, with the server's own ports there. It comes to the server from 127.0.0.3.
struct Haproxy {
    _child: Child,
    file: PathBuf,
}

impl Drop for Haproxy {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

/// Nobody else has it.
const HAPROXY: &str = "127.0.8.2";

/// `None`: there is no HAProxy here, and this was said.
fn haproxy(stage: &Stage) -> Option<Haproxy> {
    let file = std::env::temp_dir().join(format!("sotto-server-{}-haproxy.cfg", std::process::id()));
    let mut text =
        "defaults\n mode tcp\n timeout connect 20s\n timeout client 60s\n timeout server 60s\n".to_owned();
    for (name, server) in [("dot", stage.dot()), ("starttls", stage.starttls())] {
        let port = server.port();
        text += &format!("listen {name}\n bind {HAPROXY}:{port}\n source 127.0.0.3\n");
        text += &format!(
            " server one {server} send-proxy-v2 proxy-v2-options crc32c check check-send-proxy inter 50ms\n"
        );
    }
    std::fs::write(&file, text).unwrap();
    let mut command = Command::new("haproxy");
    command.args(["-q", "-db", "-f"]).arg(&file).stdin(Stdio::null()).kill_on_drop(true);
    match command.spawn() {
        Ok(child) => Some(Haproxy { _child: child, file }),
        Err(error) => {
            let _ = std::fs::remove_file(&file);
            sotto_skip::skip(&format!("haproxy does not run ({error}): apt-get install haproxy"));
            None
        }
    }
}

async fn through_haproxy(client: &str, port: u16) -> TcpStream {
    let connect = async || {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((client.parse::<IpAddr>().unwrap(), 0).into()).unwrap();
        socket.connect(format!("{HAPROXY}:{port}").parse().unwrap()).await.ok()
    };
    until_found("HAProxy listens", connect).await
}

#[tokio::test(flavor = "multi_thread")]
async fn haproxy_says_whose_connections_it_forwards_and_its_own_checks_are_understood() {
    let stage = Stage::with(|config| {
        config.proxies = from("127.0.0.3");
        config.unproven = Unproven::Truncated;
    });
    let Some(_haproxy) = haproxy(&stage) else { return };
    let client = tls_client(&stage, ALL_VERSIONS);
    let tcp = through_haproxy("127.0.0.7", stage.dot().port()).await;
    let mut tls = secure_with(&client, tcp).await;
    assert!(is_known_as(&stage, &mut tls, "127.0.0.7").await);
    let mut clear = through_haproxy("127.0.0.8", stage.starttls().port()).await;
    assert!(is_known_as(&stage, &mut clear, "127.0.0.8").await);
    let mut direct = TcpStream::connect(stage.starttls()).await.unwrap();
    assert!(is_known_as(&stage, &mut direct, "127.0.0.1").await, "without HAProxy, no header is wanted");
    // HAProxy looks every 50 ms whether both doors are there, and says that these connections are its own
    stage.until(|stats| stats.proxied >= 6).await;
    assert_eq!(stage.server.stats().wrong_proxy_headers, 0);
}
