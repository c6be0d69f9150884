//! A firewall of this machine drops the packets of an open connection on their way out, as a VPN's kill switch does. The kernel keeps
//! them as unsent, and nothing of them is unacknowledged.
#![cfg(target_os = "linux")]

mod stage;

use std::process::Command;

use sotto_engine::wire::header::rcode;
use sotto_engine::wire::types;
use stage::Stage;

fn run(command: &str, words: &[&str]) -> Option<String> {
    let output = Command::new(command).args(words).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The thread, and all that it starts, in a network of its own.
fn in_a_network_of_its_own() -> bool {
    // SAFETY: no pointer is passed
    let unshared = unsafe { libc::unshare(libc::CLONE_NEWNET) };
    unshared == 0
        && run("ip", &["link", "set", "lo", "up"]).is_some()
        && run("nft", &["list", "ruleset"]).is_some()
        && run("ss", &["-V"]).is_some()
}

/// What goes out on each connection that is open to this port now.
fn drop_what_is_open(port: u16) {
    let open = run("ss", &["-tnHo", "state", "established", "dport", "=", &format!(":{port}")]).unwrap();
    let ports: Vec<_> =
        open.lines().filter_map(|line| line.split_whitespace().nth(2)?.rsplit(':').next()).collect();
    assert!(!ports.is_empty(), "a connection is open: {open}");
    let rule = format!("add rule inet own output tcp dport {port} tcp sport {{ {} }} drop", ports.join(", "));
    let chain = "add chain inet own output { type filter hook output priority 0; }";
    for words in ["add table inet own", chain, &rule] {
        run("nft", &[words]).unwrap_or_else(|| panic!("nft takes {words}"));
    }
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

#[test]
fn what_this_machine_drops_itself_has_not_arrived() {
    let thread = std::thread::spawn(|| {
        if !in_a_network_of_its_own() {
            return sotto_skip::skip(
                "no network of its own: it needs root, and the packages nftables and iproute2",
            );
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(a_query_moves_to_a_new_connection());
    });
    thread.join().unwrap();
}
