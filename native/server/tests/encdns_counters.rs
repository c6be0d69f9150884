//! What is counted of boxed queries.

use domain::base::Rtype;
use sotto_encdns::SecretKey;
use sotto_encdns::name::Labels;
use sotto_server::EncDnsLimits;
use sotto_skip::clock;

use crate::stage::Stage;
use crate::stage::clients::datagram;
use crate::stage::encdns::{Client, zone};
use crate::stage::messages::ask;

#[tokio::test]
async fn each_boxed_query_is_counted_once_by_what_became_of_it() {
    clock::stands_still();
    let limits = EncDnsLimits { per_client: 1, per_resolver: 2 };
    let stage = Stage::with(|config| config.encdns = Some(zone().with_limits(limits)));
    let (client, stranger) = (Client::new(), Client::of(&SecretKey::from_octets([9; 32])));
    let send = async |client: &Client, nonce| {
        let query = client.query(nonce, &ask(1, "www.test", Rtype::A), Labels::Binary);
        datagram(stage.starttls(), &query).await
    };
    // five seconds' worth: five of the client, ten of the address
    for nonce in 1..=7 {
        send(&client, nonce).await;
    }
    for _ in 0..4 {
        send(&client, 1).await;
    }
    for nonce in 1..=6 {
        send(&stranger, nonce).await;
    }
    datagram(stage.starttls(), &ask(1, "enc.example", Rtype::NS)).await;
    let stats = stage.server.stats();
    let counted = stats.encdns;
    assert_eq!((counted.answered, counted.over_client_limit, counted.copies), (5, 2, 4));
    assert_eq!((counted.not_opened, counted.over_resolver_limit, counted.shared_keys), (3, 3, 2));
    assert_eq!(stats.queries.udp, 7 + 4 + 6 + 1);
}

#[tokio::test]
async fn copies_that_come_together_are_asked_for_once() {
    let stage = Stage::with(|config| config.encdns = Some(zone()));
    let query = Client::new().query(1, &ask(1, "www.test", Rtype::A), Labels::Base32);
    let send = || datagram(stage.starttls(), &query);
    tokio::join!(send(), send(), send());
    let counted = stage.server.stats().encdns;
    assert_eq!((counted.answered, counted.copies, counted.shared_keys), (1, 2, 1));
}
