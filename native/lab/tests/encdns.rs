//! Boxed load against a server that behaves, and against silence.

use std::net::{SocketAddr, UdpSocket};

use sotto_encdns::SecretKey;
use sotto_lab::encdns::{BoxedLoad, Counts, Kind};
use sotto_server::{EncDns, Server};
use sotto_wire::name::Name;

use crate::stage;

const ZONE: &[u8] = b"\x03enc\x07example\0";

fn server(secret: SecretKey) -> Server {
    let zone = Name::parse("enc.example").unwrap();
    stage::server(|config| config.encdns = Some(EncDns::new(zone, secret, &[])))
}

fn load(to: SocketAddr, secret: &SecretKey, kind: Kind) -> BoxedLoad {
    BoxedLoad {
        to,
        zone: ZONE.to_vec(),
        server: secret.public(),
        kind,
        queries: 200,
        different: 100,
        outstanding: 8,
        suffix: "zipf.example".into(),
    }
}

async fn counts(load: BoxedLoad) -> Counts {
    tokio::task::spawn_blocking(move || load.run()).await.unwrap().unwrap().counts
}

#[tokio::test(flavor = "multi_thread")]
async fn every_box_is_answered_and_garbage_is_not() {
    let secret = SecretKey::generate().unwrap();
    let server = server(SecretKey::from_octets(secret.to_octets()));
    let to = stage::address(&server);
    let all = Counts { sent: 200, answered: 200, failed: 0, lost: 0 };
    for kind in [Kind::Plain, Kind::Session, Kind::PerQuery] {
        assert_eq!(counts(load(to, &secret, kind)).await, all, "{kind:?}");
    }
    let none = Counts { answered: 0, failed: 200, ..all };
    assert_eq!(counts(load(to, &secret, Kind::Garbage)).await, none);
    let elsewhere = SecretKey::generate().unwrap();
    assert_eq!(counts(load(to, &elsewhere, Kind::Session)).await, none);
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_is_loss() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let secret = SecretKey::generate().unwrap();
    let load = BoxedLoad { queries: 10, ..load(silent.local_addr().unwrap(), &secret, Kind::Session) };
    assert_eq!(counts(load).await, Counts { sent: 10, answered: 0, failed: 0, lost: 10 });
}
