//! The EncDNS zone while its key is changed: boxes for the present key and for older ones are opened, and for no other.

use domain::base::Rtype;
use domain::base::iana::Rcode;
use sotto_encdns::SecretKey;
use sotto_encdns::name::Labels;

use crate::stage::Stage;
use crate::stage::clients::datagram;
use crate::stage::encdns::{Client, secret, txt, zone};
use crate::stage::messages::ask;

fn older() -> SecretKey {
    SecretKey::from_octets([8; 32])
}

fn oldest() -> SecretKey {
    SecretKey::from_octets([9; 32])
}

fn stage() -> Stage {
    Stage::with(|config| config.encdns = Some(zone().with_older_keys([older(), oldest()])))
}

#[tokio::test]
async fn a_client_with_the_present_key_or_an_older_one_is_answered_with_the_same_key() {
    let stage = stage();
    let (mut computed, mut older_keys) = (0, 0);
    for (server, tried) in [(secret(), 1), (older(), 2), (oldest(), 3)] {
        let client = Client::of(&server);
        for nonce in 1..4 {
            let query = client.query(nonce, &ask(0xbeef, "www.test", Rtype::A), Labels::Binary);
            let response = client.open(nonce, &datagram(stage.starttls(), &query).await);
            assert_eq!(response.expect("sealed with the client's key")[..2], [0xbe, 0xef]);
        }
        let stats = stage.server.stats().encdns;
        computed += tried;
        older_keys += if tried > 1 { 3 } else { 0 };
        assert_eq!(stats.for_older_keys, older_keys);
        assert_eq!(stats.shared_keys, computed, "each once, however often the client asks");
    }
}

#[tokio::test]
async fn a_key_that_was_removed_opens_nothing() {
    let stage = Stage::with(|config| config.encdns = Some(zone()));
    let query = Client::of(&older()).query(1, &ask(1, "www.test", Rtype::A), Labels::Binary);
    let reply = datagram(stage.starttls(), &query).await;
    assert_eq!((reply.rcode(), txt(&reply)), (Rcode::SERVFAIL, None));
}
