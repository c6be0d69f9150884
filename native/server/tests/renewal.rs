//! A running server takes a new certificate, zone and keys. No connection ends, and tickets stay good.

use std::path::Path;
use std::time::Duration;

use domain::base::Rtype;
use rustls::HandshakeKind;
use sotto_encdns::SecretKey;
use sotto_encdns::name::Labels;
use sotto_server::{Changeable, Identity, Limits, Renewal, read_zone};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use crate::stage::clients::{Tls, datagram, dot, exchange, secure_with, tls_client};
use crate::stage::encdns::{Client, secret, zone};
use crate::stage::messages::ask;
use crate::stage::{NAME, Stage, ZONE};

fn leaf(tls: &Tls) -> Vec<u8> {
    tls.get_ref().1.peer_certificates().unwrap()[0].to_vec()
}

/// A leaf of another authority, which no client of the stage trusts.
fn another() -> Identity {
    Identity::self_signed(&[NAME.to_owned()]).unwrap()
}

#[tokio::test]
async fn a_new_certificate_serves_from_the_next_handshake_on() {
    let mut stage = Stage::new();
    let client = tls_client(&stage, &[&rustls::version::TLS13]);
    let mut before = secure_with(&client, TcpStream::connect(stage.dot()).await.unwrap()).await;
    exchange(&mut before, &ask(1, "www.test", Rtype::A)).await;
    let identity = another();
    let new_leaf = identity.chain[0].to_vec();
    stage.server.renew(Renewal { identities: Some(identity.clone().into()), ..Renewal::default() });

    assert_eq!(exchange(&mut before, &ask(2, "www.test", Rtype::A)).await.id(), 2, "it goes on");
    let resumed = secure_with(&client, TcpStream::connect(stage.dot()).await.unwrap()).await;
    assert_eq!(resumed.get_ref().1.handshake_kind(), Some(HandshakeKind::Resumed));
    let tcp = TcpStream::connect(stage.dot()).await.unwrap();
    let name = rustls_pki_types::ServerName::try_from(NAME).unwrap();
    let fresh = tls_client(&stage, &[&rustls::version::TLS13]).connect(name, tcp).await;
    assert!(fresh.is_err(), "its authority is another one");

    stage.authority = identity.authority.unwrap();
    let mut fresh = dot(&stage).await;
    assert_eq!(leaf(&fresh), new_leaf);
    assert_eq!(exchange(&mut fresh, &ask(3, "www.test", Rtype::A)).await.id(), 3);
}

#[tokio::test]
async fn a_new_zone_is_answered_from_on_open_connections_too() {
    let stage = Stage::new();
    let mut tls = dot(&stage).await;
    assert!(exchange(&mut tls, &ask(1, "later.test", Rtype::A)).await.answers().is_empty());
    let text = format!("{ZONE}\nlater.test. 60 A 192.0.2.77\n");
    let zone = read_zone(text.as_bytes(), Path::new("new.zone"), "test").unwrap();
    stage.server.renew(Renewal { zone: Some(zone), ..Renewal::default() });
    let answers = exchange(&mut tls, &ask(2, "later.test", Rtype::A)).await.answers();
    assert_eq!(answers, ["later.test 60 A 192.0.2.77"]);
    let reply = datagram(stage.starttls(), &ask(3, "later.test", Rtype::A)).await;
    assert_eq!(reply.answers(), answers);
}

#[tokio::test]
async fn boxes_for_new_keys_open_and_those_for_keys_that_are_gone_do_not() {
    let stage = Stage::with(|config| config.encdns = Some(zone()));
    let new = SecretKey::from_octets([9; 32]);
    let inner = ask(1, "www.test", Rtype::A);
    let [of_old, of_new] = [Client::of(&secret()), Client::of(&new)];
    let mut nonce = 0;
    let mut opens = async |client: &Client| {
        nonce += 1;
        let reply = datagram(stage.starttls(), &client.query(nonce, &inner, Labels::Binary)).await;
        client.open(nonce, &reply).is_some()
    };
    assert!(opens(&of_old).await && !opens(&of_new).await);
    let both = Some(vec![SecretKey::from_octets([9; 32]), secret()]);
    stage.server.renew(Renewal { keys: both, ..Renewal::default() });
    assert!(opens(&of_old).await && opens(&of_new).await);
    stage.server.renew(Renewal { keys: Some(vec![new]), ..Renewal::default() });
    assert!(!opens(&of_old).await && opens(&of_new).await);
}

#[tokio::test]
async fn new_limits_hold_for_connections_from_then_on() {
    let stage = Stage::new();
    let mut before = dot(&stage).await;
    exchange(&mut before, &ask(1, "www.test", Rtype::A)).await;
    let terms = |limits: Limits, delay: Duration| {
        let terms = Some(Changeable { proxies: Default::default(), delay: delay.into(), limits });
        stage.server.renew(Renewal { terms, ..Renewal::default() });
    };
    terms(Limits { connections: 1, ..Limits::default() }, Duration::ZERO);
    let mut only = dot(&stage).await;
    exchange(&mut only, &ask(2, "www.test", Rtype::A)).await;
    assert_eq!(before.read(&mut [0; 16]).await.unwrap(), 0, "its place was wanted");

    // whoever is there keeps what it met
    terms(Limits { idle: Duration::from_millis(60), ..Limits::default() }, Duration::from_millis(50));
    let mut brief = dot(&stage).await;
    assert_eq!(brief.read(&mut [0; 16]).await.unwrap(), 0, "a close_notify");
    assert_eq!(exchange(&mut only, &ask(3, "www.test", Rtype::A)).await.id(), 3);
    let began = tokio::time::Instant::now();
    datagram(stage.starttls(), &ask(4, "www.test", Rtype::A)).await;
    assert!(began.elapsed() >= Duration::from_millis(50), "datagrams meet what is new");
}
