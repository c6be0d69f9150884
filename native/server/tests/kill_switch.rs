//! A firewall of this machine drops what an open connection to a resolver sends, as a VPN's kill switch does.
#![cfg(target_os = "linux")]

mod stage;

use std::process::Command;
use std::sync::Arc;

use domain::base::Rtype;
use domain::base::iana::Rcode;
use sotto_server::{Backend, Forwarder, ServerAddress, Way};
use stage::Stage;
use stage::clients::{Tls, dot, exchange};
use stage::messages::{Reply, ask};

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
    for words in ["add table inet own", "flush table inet own", chain, &rule] {
        run("nft", &[words]).unwrap_or_else(|| panic!("nft takes {words}"));
    }
}

fn in_front_of(behind: &Stage, resolver: &str) -> Stage {
    let resolver = ServerAddress::parse(resolver, Way::Udp).unwrap();
    let forwarder = Forwarder::new(vec![resolver], vec![], Some(&behind.authority)).unwrap();
    Stage::with(|config| config.backend = Backend::Forward(Arc::new(forwarder)))
}

async fn a_query_moves_to_a_new_connection() {
    let behind = Stage::new();
    // sooner than a connection without an octet is taken for dead
    let slow = Stage::with(|config| config.delay = "2500ms".parse().unwrap());
    let in_front_of_slow = in_front_of(&slow, &format!("tcp://{}", slow.starttls()));
    for (resolver, port) in [
        (format!("dot://{}#{}", behind.dot(), stage::NAME), behind.dot().port()),
        (format!("tcp://{}", behind.starttls()), behind.starttls().port()),
    ] {
        let stage = in_front_of(&behind, &resolver);
        let (mut client, mut other) = (dot(&stage).await, dot(&in_front_of_slow).await);
        assert_eq!(exchange(&mut client, &ask(1, "www.test", Rtype::A)).await.rcode(), Rcode::NOERROR);
        drop_what_is_open(port);
        let reply = first_reply(&mut client, &mut other).await;
        let reply = reply.unwrap_or_else(|| panic!("it waits for the dead connection to {resolver}"));
        assert_eq!((reply.rcode(), reply.answers().len()), (Rcode::NOERROR, 1));
    }
}

/// `None`: the other client had its response sooner.
async fn first_reply(client: &mut Tls, other: &mut Tls) -> Option<Reply> {
    let query = ask(2, "www.test", Rtype::AAAA);
    tokio::select! {
        reply = exchange(client, &query) => Some(reply),
        _ = exchange(other, &query) => None,
    }
}

#[test]
fn what_this_machine_drops_itself_is_sent_over_another_connection() {
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
