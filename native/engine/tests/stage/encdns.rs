//! An EncDNS server with a few names, the upstream that boxes for it, and what a first hop saw.

use std::collections::HashSet;
use std::path::Path;

use serde_json::{Value, json};
use sotto_encdns::name::{BoxedQuery, Format};
use sotto_encdns::{PublicKey, SecretKey};
use sotto_engine::wire::header;
use sotto_engine::wire::name::Name;
use sotto_engine::wire::types;
use sotto_server::{Config, EncDns, EncDnsLimits, read_zone};

use super::hop::{Does, Hop};
use super::{Client, Stage};

pub const ZONE: &[u8] = b"\x03enc\x04test\0";
/// More than a datagram takes.
pub const LARGE: usize = 200;
/// It fits into no box of the published format.
pub const LONG_NAME: &str = "longest-label-that-anybody-would-like-to-have-in-a-name.\
longest-label-that-anybody-would-like-to-have-in-a-name.longest-label-that-anybody-would-like-to-have-in-a-name.wild.example";

const RECORDS: &str = "$ORIGIN example.
$TTL 300
@ SOA ns hostmaster 1 3600 900 604800 60
@ NS ns
ns A 198.51.100.1
www A 198.51.100.2
*.wild A 198.51.100.3
";

pub fn secret() -> SecretKey {
    SecretKey::from_octets([7; 32])
}

pub fn answer_boxes(config: &mut Config) {
    config.encdns = Some(EncDns::new(Name::parse("enc.test").unwrap(), secret(), &[]));
}

/// The engine, the server, and a resolver between them.
pub async fn stage(does: Does) -> (Stage, Hop) {
    stage_with(does, EncDnsLimits::default()).await
}

pub async fn stage_with(does: Does, limits: EncDnsLimits) -> (Stage, Hop) {
    let stage = Stage::with(|config| {
        answer_boxes(config);
        config.encdns = config.encdns.take().map(|encdns| encdns.with_limits(limits));
        let large = (0..LARGE).map(|at| format!("large A 198.51.100.{at}\n")).collect::<String>();
        let records = format!("{RECORDS}{large}");
        let read = read_zone(records.as_bytes(), Path::new("boxed.zone"), "example").unwrap();
        config.backend = read.into();
    });
    let hop = Hop::before(stage.server.starttls()[0], does).await;
    (stage, hop)
}

pub fn upstream(hop: &Hop) -> Value {
    inside(json!({"id": "hop", "transport": "udp", "addresses": [hop.address]}))
}

pub fn inside(first_hop: Value) -> Value {
    json!({"id": "boxed", "transport": "encdns", "addresses": [],
        "encdns": {"zone": "enc.test", "key": secret().public().to_string(), "firstHop": first_hop}})
}

/// What stands before the zone in each query that reached the hop.
pub fn boxes(hop: &Hop) -> Vec<Option<BoxedQuery>> {
    let names = hop.seen().into_iter().map(|query| {
        let end = query.windows(ZONE.len()).position(|octets| octets.eq_ignore_ascii_case(ZONE));
        query[header::LENGTH..end.expect("each name is below the zone")].to_vec()
    });
    names.map(|labels| BoxedQuery::read(&labels)).collect()
}

pub fn clients(hop: &Hop) -> HashSet<PublicKey> {
    boxes(hop).into_iter().flatten().map(|query| query.client).collect()
}

/// Asks until boxes are of the extended format: from then on no query of ours is on its way.
pub async fn settled(client: &Client, hop: &Hop) {
    for at in 0.. {
        assert_eq!(client.ask(&format!("settle{at}.wild.example"), types::A).await.rcode, 0);
        match boxes(hop).pop().flatten() {
            Some(query) if query.format == Format::Extended => return,
            _ => tokio::task::yield_now().await,
        }
    }
}

/// No octets of a name that was asked for.
pub fn assert_only_boxes(hop: &Hop) {
    let heard = hop.seen();
    assert!(!heard.is_empty());
    for word in [&b"\x03www"[..], b"\x07example", b"\x04wild"] {
        assert!(!heard.iter().any(|query| query.windows(word.len()).any(|octets| octets == word)));
    }
}
