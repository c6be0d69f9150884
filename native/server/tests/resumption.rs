//! Clients that come back without a full handshake.

use domain::base::Rtype;
use rustls::HandshakeKind;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::stage::Stage;
use crate::stage::clients::{Tls, exchange, receive_octets, secure_with, send, tls_client};
use crate::stage::messages::{ACCEPTED, STARTTLS, ask, octets};

async fn visit(stage: &Stage, client: &TlsConnector) -> Tls {
    let mut tls = secure_with(client, TcpStream::connect(stage.dot()).await.unwrap()).await;
    // TLS 1.3 tickets arrive with the first octets after the handshake
    exchange(&mut tls, &ask(1, "www.test", Rtype::A)).await;
    tls
}

fn kind(tls: &Tls) -> HandshakeKind {
    tls.get_ref().1.handshake_kind().unwrap()
}

#[tokio::test]
async fn the_second_visit_is_resumed_in_both_versions_of_tls() {
    let stage = Stage::new();
    for versions in [&[&rustls::version::TLS13], &[&rustls::version::TLS12]] {
        let client = tls_client(&stage, versions);
        assert_ne!(kind(&visit(&stage, &client).await), HandshakeKind::Resumed);
        assert_eq!(kind(&visit(&stage, &client).await), HandshakeKind::Resumed);
    }
    let handshakes = stage.server.stats().handshakes;
    assert_eq!((handshakes.full, handshakes.resumed, handshakes.failed), (2, 2, 0));
}

#[tokio::test]
async fn one_visit_gives_tickets_for_several() {
    let stage = Stage::new();
    let client = tls_client(&stage, &[&rustls::version::TLS13]);
    visit(&stage, &client).await;
    let mut open = Vec::new();
    for _ in 0..2 {
        // no query yet, so that no further tickets are read
        let tls = secure_with(&client, TcpStream::connect(stage.dot()).await.unwrap()).await;
        assert_eq!(kind(&tls), HandshakeKind::Resumed);
        open.push(tls);
    }
}

#[tokio::test]
async fn a_ticket_from_one_door_opens_the_other() {
    let stage = Stage::new();
    let client = tls_client(&stage, rustls::ALL_VERSIONS);
    visit(&stage, &client).await;
    let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
    send(&mut tcp, &octets(STARTTLS)).await;
    assert_eq!(receive_octets(&mut tcp).await, octets(ACCEPTED));
    assert_eq!(kind(&secure_with(&client, tcp).await), HandshakeKind::Resumed);
}

#[tokio::test]
async fn a_ticket_of_another_server_costs_a_full_handshake_and_no_more() {
    let first = Stage::new();
    let client = tls_client(&first, rustls::ALL_VERSIONS);
    visit(&first, &client).await;
    let second = Stage::with(|config| config.identities = Some(first.same_identity().into()));
    let mut tls = secure_with(&client, TcpStream::connect(second.dot()).await.unwrap()).await;
    assert_ne!(kind(&tls), HandshakeKind::Resumed);
    assert_eq!(exchange(&mut tls, &ask(2, "www.test", Rtype::A)).await.id(), 2);
}
