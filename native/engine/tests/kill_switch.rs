//! A firewall of this machine drops the packets of an open connection on their way out, as a VPN's kill switch does. The kernel keeps
//! them as unsent, and nothing of them is unacknowledged.
#![cfg(target_os = "linux")]

use sotto_engine::wire::header::rcode;
use sotto_engine::wire::types;
use sotto_skip::own_network::{drop_what_is_open, in_own_network};

use crate::stage::Stage;

#[test]
fn what_this_machine_drops_itself_has_not_arrived() {
    in_own_network(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(a_query_moves_to_a_new_connection());
    });
}

async fn a_query_moves_to_a_new_connection() {
    let stage = Stage::new();
    let mut upstream = stage.dot();
    upstream["alternative"] = serde_json::Value::Null;
    let client = stage.apply(vec![upstream]).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
    drop_what_is_open(stage.server.dot()[0].port());
    let said = client.ask("n1.wild.example", types::A).await;
    assert_eq!((said.rcode, said.answers), (rcode::NOERROR, 1), "{said:?}");
}
