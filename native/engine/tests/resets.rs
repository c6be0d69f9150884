//! Clients that ask many names of a resolver that never responds, and reset their connections.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::json;
use socket2::SockRef;
use sotto_engine::upstream::stream::framing::framed;
use sotto_engine::wire::header::rcode;
use sotto_engine::wire::name::Name;
use sotto_engine::wire::question::Question;
use sotto_engine::wire::types;
use sotto_skip::waiting::within;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpStream, UdpSocket};

use crate::stage::resolver::Resolver;
use crate::stage::{Client, Stage, loopback, query};

const NAMES: u64 = 200;
/// `MOST_OF_ONE` in `upstream/transport/turns.rs`.
const TURNS: u64 = 64;

async fn ask_many(client: &Client) -> TcpStream {
    let mut stream = TcpStream::connect(client.to).await.unwrap();
    for index in 0..NAMES {
        let message = query(&format!("n{index}.silent.example"), types::A);
        stream.write_all(&framed(&message)).await.unwrap();
    }
    stream
}

/// Reads until that many names have come.
async fn names(resolver: &UdpSocket, heard: &mut HashSet<Name>, count: u64) {
    let mut datagram = [0; 1500];
    while (heard.len() as u64) < count {
        let length = within("a query comes", resolver.recv(&mut datagram)).await.unwrap();
        note(&datagram[..length], heard);
    }
}

/// A probe of ours for loops has a name of its own.
fn note(datagram: &[u8], heard: &mut HashSet<Name>) {
    let name = Question::read(datagram).unwrap().0.name;
    if name.to_string().starts_with('n') {
        heard.insert(name);
    }
}

#[tokio::test]
async fn what_has_not_left_when_its_client_resets_leaves_no_more() {
    let (stage, other) = (Stage::new(), Resolver::start().await);
    let silent = UdpSocket::bind(loopback()).await.unwrap();
    let client = stage
        .apply_with(vec![stage.dot()], |config| {
            config["bypass"] = json!([
                {"rule": "silent.example", "below": ["silent.example"], "to": [silent.local_addr().unwrap()]},
                {"rule": "other.example", "below": ["other.example"], "to": [other.address]},
            ]);
            config["leases"] = json!([{"entry": 1, "class": "bypass"}]);
        })
        .await;
    let mut heard = HashSet::new();
    let stream = ask_many(&client).await;
    names(&silent, &mut heard, TURNS).await;
    assert_eq!(client.ask("www.other.example", types::A).await.rcode, rcode::NOERROR);
    assert_eq!(
        stage.engine.status().outcomes["failed"],
        0,
        "the resolver that never responds keeps nobody waiting"
    );

    SockRef::from(&stream).set_linger(Some(Duration::ZERO)).unwrap();
    drop(stream);
    stage.until("dropped", NAMES - TURNS).await;
    stage.until("failed", TURNS).await;
    let mut datagram = [0; 1500];
    while let Ok(length) = silent.try_recv(&mut datagram) {
        note(&datagram[..length], &mut heard);
    }
    assert_eq!(heard.len() as u64, TURNS);
}
