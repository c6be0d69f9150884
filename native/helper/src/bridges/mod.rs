//! Passes queries of containers on to Sotto. Containers can't reach the machine's loopback; they reach the address of Docker's bridge.
//! A socket of ours listens there once for each bridge and is bound to it, so that the kernel delivers to it what came by that bridge
//! alone: without that, another computer could reach the address through any interface of this machine.

mod found;
mod relay;
mod shares;
mod unit;

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use serde_json::json;
use tokio::task::{JoinHandle, LocalSet, spawn_local};
use tokio::time::sleep;

pub use found::docker_address;
use found::{Bridge, bridges};
pub use unit::{start, stop};

const DNS: u16 = 53;
const SOTTO: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), DNS);
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Runs until this process ends.
pub async fn serve() {
    LocalSet::new().run_until(keep_listening()).await;
}

/// Docker makes and removes bridges at any time.
async fn keep_listening() {
    let mut listening: HashMap<Bridge, JoinHandle<()>> = HashMap::new();
    let mut failing = String::new();
    loop {
        let here = bridges();
        listening.retain(|bridge, task| {
            let stays = here.contains(bridge) && !task.is_finished();
            if !stays {
                task.abort();
            }
            stays
        });
        let mut failed = String::new();
        for bridge in here {
            if listening.contains_key(&bridge) {
                continue;
            }
            match relay::listen(&bridge, DNS) {
                Ok(sockets) => {
                    let task = spawn_local(relay::serve(sockets, SOTTO));
                    listening.insert(bridge, task);
                }
                Err(error) => failed = format!("{}: {error}", bridge.name),
            }
        }
        if failed != failing && !failed.is_empty() {
            eprintln!("{}", json!({ "msg": "nothing listens on a bridge", "why": failed }));
        }
        failing = failed;
        sleep(LOOK_EVERY).await;
    }
}
