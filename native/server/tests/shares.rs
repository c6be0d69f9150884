//! Who is asked behind when there is no room for everybody's queries, and what this machine's own limits say about a resolver.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::process::Stdio;
use std::time::{Duration, Instant};

use domain::base::Rtype;
use domain::base::iana::Rcode;
use socket2::SockRef;
use sotto_server::{Backend, Forwarder, ServerAddress, Way};
use sotto_skip::waiting::within;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream, UdpSocket};
use tokio::process::Command;
use tokio::sync::watch;

use crate::stage::clients::{datagram_from, exchange, receive_octets, send};
use crate::stage::messages::{Question, ask, framed};
use crate::stage::program::{Folder, Running};
use crate::stage::watching::{get, value};
use crate::stage::{self, Stage};

/// The response to a name that begins with a q; to others there is none.
fn response(mut query: Vec<u8>) -> Option<Vec<u8>> {
    query[2] |= 0x80;
    (query[13] == b'q').then_some(query)
}

/// A resolver over UDP, and how many queries it has not responded to.
async fn over_udp() -> (SocketAddr, watch::Receiver<usize>) {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    let (kept, count) = watch::channel(0);
    tokio::spawn(async move {
        let mut query = [0; 512];
        loop {
            let (octets, from) = socket.recv_from(&mut query).await.unwrap();
            match response(query[..octets].to_vec()) {
                Some(response) => drop(socket.send_to(&response, from).await.unwrap()),
                None => kept.send_modify(|kept| *kept += 1),
            }
        }
    });
    (address, count)
}

/// The same over TCP, by one connection.
async fn over_tcp() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut tcp, _) = listener.accept().await.unwrap();
        loop {
            if let Some(response) = response(receive_octets(&mut tcp).await) {
                send(&mut tcp, &response).await;
            }
        }
    });
    address
}

async fn ask_slow_names(client: &mut TcpStream, count: u16) {
    let asked: Vec<u8> = (0..count).flat_map(|id| framed(&ask(id, "slow.test", Rtype::A))).collect();
    client.write_all(&asked).await.unwrap();
}

/// Responses that have come and were not read.
fn responses(client: &TcpStream) -> usize {
    let (mut octets, mut count) = (vec![], 0);
    while client.try_read_buf(&mut octets).is_ok_and(|length| length > 0) {}
    let mut rest = &octets[..];
    while let Some((length, behind)) = rest.split_first_chunk() {
        (count, rest) =
            (count + 1, behind.get(usize::from(u16::from_be_bytes(*length))..).unwrap_or_default());
    }
    count
}

fn has_no_response(client: &TcpStream) -> bool {
    client.try_read(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
}

async fn from_address(address: &str, server: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((address.parse::<IpAddr>().unwrap(), 0).into()).unwrap();
    socket.connect(server).await.unwrap()
}

async fn of_another_network(server: SocketAddr) -> TcpStream {
    from_address("127.0.0.2", server).await
}

async fn quick(client: &mut TcpStream) -> Rcode {
    exchange(client, &ask(7, "quick.test", Rtype::A)).await.rcode()
}

/// The program with so few descriptors, in front of this resolver.
async fn with_descriptors(folder: &Folder, count: usize, to: SocketAddr) -> Running {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n \"$0\" && exec \"$@\"", &count.to_string()]);
    command.arg(env!("CARGO_BIN_EXE_sotto-server")).args(["--to", &to.to_string()]);
    command.args(["--starttls", "127.0.0.1:0", "--signal", "decline", "--metrics", "127.0.0.1:0"]);
    command.current_dir(&folder.0).kill_on_drop(true).stdout(Stdio::piped()).stderr(Stdio::piped());
    Running::start(&mut command).await
}

async fn figures(running: &Running) -> String {
    get(running.ready["metrics"].as_str().unwrap().parse().unwrap(), "/metrics", "").await.1
}

/// That came over TCP.
async fn queries(running: &Running) -> f64 {
    value(&figures(running).await, "sotto_server_queries_total{transport=\"tcp\"}")
}

#[tokio::test]
async fn over_udp_one_network_with_a_thousand_slow_queries_keeps_nobody_waiting() {
    let folder = Folder::new("shares-udp");
    let (resolver, mut kept) = over_udp().await;
    let running = with_descriptors(&folder, 600, resolver).await;
    let server = running.address("starttls", 0);
    let mut other = of_another_network(server).await;
    assert_eq!(quick(&mut other).await, Rcode::NOERROR);
    let mut greedy = TcpStream::connect(server).await.unwrap();
    // more than a minute's worth: a few of them end every five seconds
    const SLOW: u16 = 1200;
    ask_slow_names(&mut greedy, SLOW).await;
    while queries(&running).await < 1201.0 {}
    kept.wait_for(|kept| *kept >= 75).await.unwrap();
    for _ in 0..20 {
        assert_eq!(quick(&mut other).await, Rcode::NOERROR);
    }
    assert!(responses(&greedy) < SLOW.into(), "its queries wait");
}

#[tokio::test]
async fn over_a_connection_one_network_with_thousands_of_slow_queries_keeps_nobody_waiting() {
    let resolver = format!("tcp://{}", over_tcp().await);
    let forwarder =
        Forwarder::new(vec![ServerAddress::parse(&resolver, Way::Udp).unwrap()], vec![], None).unwrap();
    let stage = Stage::with(|config| config.backend = Backend::Forward(forwarder.into()));
    let mut greedy = Vec::new();
    for _ in 0..2 {
        let mut client = TcpStream::connect(stage.starttls()).await.unwrap();
        ask_slow_names(&mut client, 4096).await;
        greedy.push(client);
    }
    stage.until(|stats| stats.queries.tcp == 2 * 4096).await;
    let mut other = of_another_network(stage.starttls()).await;
    for _ in 0..20 {
        assert_eq!(quick(&mut other).await, Rcode::NOERROR);
    }
    assert!(greedy.iter().all(has_no_response), "their queries wait");
}

#[tokio::test]
async fn one_network_with_a_slow_query_in_every_place_keeps_nobody_out() {
    let (resolver, mut kept) = over_udp().await;
    let stage = Stage::with(|config| {
        config.backend = stage::forwarding_to(resolver);
        config.limits.connections = 48;
    });
    let mut greedy = Vec::new();
    for _ in 0..48 {
        let mut client = TcpStream::connect(stage.starttls()).await.unwrap();
        ask_slow_names(&mut client, 1).await;
        greedy.push(client);
    }
    kept.wait_for(|kept| *kept >= 48).await.unwrap();
    let mut people = Vec::new();
    for person in 2..40 {
        let mut client = from_address(&format!("127.0.0.{person}"), stage.starttls()).await;
        assert_eq!(quick(&mut client).await, Rcode::NOERROR, "person {person}");
        people.push(client);
    }
    let before = stage.server.stats().turned_away;
    let mut again = TcpStream::connect(stage.starttls()).await.unwrap();
    assert!(matches!(again.read(&mut [0]).await, Ok(0) | Err(_)), "it has its share");
    stage.until(|stats| stats.turned_away == before + 1).await;
    for client in &mut people {
        assert_eq!(quick(client).await, Rcode::NOERROR, "nobody lost a place to it");
    }
}

#[tokio::test]
async fn one_network_with_slow_queries_over_udp_keeps_nobody_out() {
    let (resolver, mut kept) = over_udp().await;
    let stage = Stage::with(|config| {
        config.backend = stage::forwarding_to(resolver);
        config.limits.datagrams_in_flight = 32;
    });
    let greedy = UdpSocket::bind(stage::loopback()).await.unwrap();
    for id in 0..100 {
        greedy.send_to(&ask(id, "slow.test", Rtype::A), stage.starttls()).await.unwrap();
    }
    kept.wait_for(|kept| *kept >= 16).await.unwrap();
    stage.until(|stats| stats.queries.udp + stats.queries.dropped >= 100).await;
    for _ in 0..20 {
        let query = ask(7, "quick.test", Rtype::A);
        let asking = datagram_from("127.0.0.2", stage.starttls(), &query);
        let reply = within("there is room", asking).await;
        assert_eq!(reply.rcode(), Rcode::NOERROR);
    }
}

#[tokio::test]
async fn queries_whose_clients_are_gone_have_their_slots_until_they_end() {
    let folder = Folder::new("shares-gone");
    let (resolver, kept) = over_udp().await;
    let running = with_descriptors(&folder, 600, resolver).await;
    let server = running.address("starttls", 0);
    let (begun, mut asked) = (Instant::now(), 0.0);
    for _ in 0..8 {
        let mut client = TcpStream::connect(server).await.unwrap();
        ask_slow_names(&mut client, 300).await;
        asked += 300.0;
        while queries(&running).await < asked {}
        SockRef::from(&client).set_linger(Some(Duration::ZERO)).unwrap();
    }
    let mut other = of_another_network(server).await;
    assert_eq!(quick(&mut other).await, Rcode::NOERROR);
    // half of 150 are for one network, and a try ends after five seconds
    let kept = *kept.borrow();
    let times = 1 + begun.elapsed().as_secs() / 5;
    assert!(kept <= 75 * times as usize, "{kept} were in flight in {times} times five seconds");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_resolver_is_not_taken_for_down_where_this_machine_has_no_descriptors() {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};

    let folder = Folder::new("shares-descriptors");
    let (resolver, _) = over_udp().await;
    let running = with_descriptors(&folder, 600, resolver).await;
    let mut client = TcpStream::connect(running.address("starttls", 0)).await.unwrap();
    assert_eq!(quick(&mut client).await, Rcode::NOERROR);
    let program = Pid::from_raw(running.child.id().unwrap() as i32);
    let allow = |count| {
        let limit = Rlimit { current: Some(count), maximum: Some(600) };
        prlimit(program, Resource::Nofile, limit).unwrap();
    };
    allow(4);
    let question = Question::new(7, "quick.test", Rtype::A).edns(1232, 0, &[]).octets();
    let reply = exchange(&mut client, &question).await;
    assert_eq!(reply.rcode(), Rcode::SERVFAIL);
    assert_eq!(reply.option(15).unwrap(), b"\0\0too many queries are in flight");
    allow(600);
    let figures = figures(&running).await;
    assert_eq!(value(&figures, &format!("sotto_server_behind_up{{server=\"udp://{resolver}\"}}")), 1.0);
    let unsent =
        format!("sotto_server_behind_unsent_total{{server=\"udp://{resolver}\",reason=\"no_room\"}}");
    assert_eq!(value(&figures, &unsent), 3.0, "tries of one query");
    assert_eq!(quick(&mut client).await, Rcode::NOERROR);
}
