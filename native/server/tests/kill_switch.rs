//! A firewall of this machine drops what an open connection to a resolver sends, as a VPN's kill switch does.
#![cfg(target_os = "linux")]

use std::sync::Arc;

use domain::base::Rtype;
use domain::base::iana::Rcode;
use sotto_server::{Backend, Forwarder, ServerAddress, Way};
use sotto_skip::own_network::{drop_what_is_open, in_own_network};

use crate::stage::clients::{dot, exchange};
use crate::stage::messages::ask;
use crate::stage::{self, Stage};

#[test]
fn what_this_machine_drops_itself_is_sent_over_another_connection() {
    in_own_network(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(a_query_moves_to_a_new_connection());
    });
}

async fn a_query_moves_to_a_new_connection() {
    let behind = Stage::new();
    for (resolver, port) in [
        (format!("dot://{}#{}", behind.dot(), stage::NAME), behind.dot().port()),
        (format!("tcp://{}", behind.starttls()), behind.starttls().port()),
    ] {
        let stage = in_front_of(&behind, &resolver);
        let mut client = dot(&stage).await;
        assert_eq!(exchange(&mut client, &ask(1, "www.test", Rtype::A)).await.rcode(), Rcode::NOERROR);
        drop_what_is_open(port);
        let reply = exchange(&mut client, &ask(2, "www.test", Rtype::AAAA)).await;
        assert_eq!((reply.rcode(), reply.answers().len()), (Rcode::NOERROR, 1), "from {resolver}");
    }
}

fn in_front_of(behind: &Stage, resolver: &str) -> Stage {
    let resolver = ServerAddress::parse(resolver, Way::Udp).unwrap();
    let forwarder = Forwarder::new(vec![resolver], vec![], Some(&behind.authority)).unwrap();
    Stage::with(|config| config.backend = Backend::Forward(Arc::new(forwarder)))
}
