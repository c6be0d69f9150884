//! Who is asked behind when there is no room for everybody's queries, and what this machine's own limits say about a resolver.

mod stage;

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::process::Stdio;

use domain::base::Rtype;
use domain::base::iana::Rcode;
use sotto_server::{Backend, Forwarder, ServerAddress, Way};
use stage::Stage;
use stage::clients::{exchange, receive_octets, send};
use stage::messages::{Question, ask, framed};
use stage::program::{Folder, Running};
use stage::watching::{get, value};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpSocket, TcpStream, UdpSocket};
use tokio::process::Command;
use tokio::sync::watch;

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

fn has_no_response(client: &TcpStream) -> bool {
    client.try_read(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
}

async fn of_another_network(server: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
    socket.connect(server).await.unwrap()
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
    ask_slow_names(&mut greedy, 1200).await;
    while queries(&running).await < 1201.0 {}
    kept.wait_for(|kept| *kept >= 75).await.unwrap();
    for _ in 0..20 {
        assert_eq!(quick(&mut other).await, Rcode::NOERROR);
    }
    assert!(has_no_response(&greedy), "its queries wait");
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
