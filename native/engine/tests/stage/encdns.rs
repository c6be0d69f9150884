//! An EncDNS server with a few names, and the upstream that boxes for it.

use serde_json::{Value, json};
use sotto_encdns::SecretKey;
use sotto_engine::wire::name::Name;
use sotto_server::{Config, EncDns};

use super::hop::Hop;

pub fn secret() -> SecretKey {
    SecretKey::from_octets([7; 32])
}

pub fn answer_boxes(config: &mut Config) {
    config.encdns = Some(EncDns::new(Name::parse("enc.test").unwrap(), secret(), &[]));
}

pub fn upstream(hop: &Hop) -> Value {
    json!({"id": "boxed", "transport": "encdns", "addresses": [],
        "encdns": {"zone": "enc.test", "key": secret().public().to_string(),
            "firstHop": {"id": "hop", "transport": "udp", "addresses": [hop.address]}}})
}
