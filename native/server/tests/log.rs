//! The log for programs: what happens to the server, why handshakes fail, and no name.
#![cfg(unix)]

use std::time::Duration;

use domain::base::Rtype;
use sotto_skip::waiting::{until_found, within};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::stage::clients::{dot, exchange, receive, send, tls_client};
use crate::stage::messages::ask;
use crate::stage::program::{Folder, Running};
use crate::stage::{self, Stage};

#[tokio::test]
async fn failed_handshakes_are_counted_by_their_reason() {
    let impatient = Stage::with(|config| config.limits.handshake = Duration::from_millis(500));
    let mut mute = TcpStream::connect(impatient.dot()).await.unwrap();
    assert_eq!(mute.read(&mut [0; 1]).await.unwrap(), 0);
    impatient.until(|stats| stats.handshake_failures.timed_out == 1).await;

    let stage = Stage::new();
    let failures = || stage.server.stats().handshake_failures;
    drop(TcpStream::connect(stage.dot()).await.unwrap());
    stage.until(|stats| stats.handshake_failures.gone == 1).await;
    let mut garbage = TcpStream::connect(stage.dot()).await.unwrap();
    garbage.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    stage.until(|stats| stats.handshake_failures.not_tls == 1).await;

    let stranger = Stage::new();
    let name = rustls_pki_types::ServerName::try_from(stage::NAME).unwrap();
    for versions in [rustls::ALL_VERSIONS, &[&rustls::version::TLS12]] {
        let tcp = TcpStream::connect(stage.dot()).await.unwrap();
        let trusting_another = tls_client(&stranger, versions);
        assert!(trusting_another.connect(name.clone(), tcp).await.is_err());
    }
    stage.until(|stats| stats.handshake_failures.refused == 2).await;

    let mut config = stage::clients::client_config(&stage, rustls::ALL_VERSIONS);
    config.alpn_protocols = vec![b"h2".to_vec()];
    let for_the_web = tokio_rustls::TlsConnector::from(std::sync::Arc::new(config));
    let tcp = TcpStream::connect(stage.dot()).await.unwrap();
    assert!(for_the_web.connect(name, tcp).await.is_err());
    stage.until(|stats| stats.handshake_failures.nothing_in_common == 1).await;
    let stats = stage.server.stats();
    assert_eq!((stats.handshakes.failed, failures().other), (5, 0));
    assert_eq!(exchange(&mut dot(&stage).await, &ask(1, "www.test", Rtype::A)).await.id(), 1);
}

#[tokio::test]
async fn each_line_is_json_with_its_time_and_no_queried_name() {
    let folder = Folder::new("log");
    folder.certify("one");
    let settings = "zone = 'test.zone'\norigin = 'test'\nstarttls = '127.0.0.1:0'\ndot = '127.0.0.1:0'\ncertificate = 'one.pem'\n\
         key = 'one.key'\nlog = 'json'\nproxy-from = '127.0.0.9'\n";
    folder.write("server.toml", settings);
    let mut running = Running::start(folder.command().args(["--config", "server.toml", "--stats"])).await;
    let mut tcp = TcpStream::connect(running.address("starttls", 0)).await.unwrap();
    send(&mut tcp, &ask(1, "www.test", Rtype::A)).await;
    receive(&mut tcp).await;
    let mut garbage = TcpStream::connect(running.address("dot", 0)).await.unwrap();
    garbage.write_all(b"no TLS at all").await.unwrap();
    let _ = garbage.read_to_end(&mut vec![]).await;
    // the connection may end before it is counted
    let counted = async {
        loop {
            running.signal("-USR1").await;
            if running.line().await["handshake_failures"]["not_tls"] == 1 {
                break;
            }
        }
    };
    within("it is counted", counted).await;
    folder.write("server.toml", &settings.replace("one.pem", "none.pem"));
    running.signal("-HUP").await;
    let mut lines = vec![];
    while lines.last().is_none_or(|line: &serde_json::Value| line["event"] != "not_renewed") {
        lines.push(json(&running.complaints.next_line().await.unwrap().unwrap()));
    }
    folder.write("server.toml", settings);
    running.signal("-HUP").await;
    assert_eq!(running.line().await["event"], "renewed");
    running.signal("-TERM").await;
    while let Some(line) = running.complaints.next_line().await.unwrap() {
        lines.push(json(&line));
    }
    let mut events: Vec<_> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    // what failed is told at the end, and once a minute
    events.retain(|event| !["no_fast_open", "handshakes_failed"].contains(event));
    assert_eq!(events, ["started", "not_renewed", "renewed", "stopping", "stopped"]);
    let of = |event: &str| lines.iter().find(|line| line["event"] == event).unwrap();
    assert!(of("not_renewed")["text"].as_str().unwrap().contains("none.pem"));
    assert_eq!((&of("not_renewed")["level"], &of("stopped")["level"]), (&"warning".into(), &"info".into()));
    let failed = lines.iter().filter(|line| line["event"] == "handshakes_failed");
    assert_eq!(failed.map(|line| line["not_tls"].as_u64().unwrap()).sum::<u64>(), 1);
    assert_eq!(of("stopped")["queries"]["tcp"], 1);
    for line in &lines {
        let text = line.to_string();
        assert!(!text.contains("www") && !text.contains("127.0.0.1"), "{text}");
        assert!(line["time"].as_str().unwrap().ends_with('Z'), "{text}");
    }
}

#[tokio::test]
async fn a_server_behind_that_does_not_respond_is_told_of_and_when_it_is_back() {
    let folder = Folder::new("behind");
    let place = stage::nobody();
    let to = place.to_string();
    let arguments = ["--to", &to, "--starttls", "127.0.0.1:0", "--signal", "decline"];
    let mut running = Running::start(folder.command().args(arguments)).await;
    let mut tcp = TcpStream::connect(running.address("starttls", 0)).await.unwrap();
    exchange(&mut tcp, &ask(1, "www.test", Rtype::A)).await;
    let down = format!("sotto-server: udp://{place} does not respond, and rests: Connection refused");
    while !running.complaint().await.starts_with(&down) {}
    let back = Stage::with(|config| config.starttls = vec![place]);
    let asked = async {
        let asking = until_found("it is told of", async || {
            exchange(&mut tcp, &ask(1, "www.test", Rtype::A)).await;
            None::<()>
        });
        let telling = async {
            while running.complaint().await != format!("sotto-server: udp://{place} responds again") {}
        };
        tokio::select! { () = asking => {}, () = telling => {} }
    };
    asked.await;
    drop(back);
}

fn json(line: &str) -> serde_json::Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{line:?} is not JSON: {error}"))
}

/// A line of each fault, of which a pipe that nobody reads takes 64 kB.
#[tokio::test]
async fn no_query_waits_for_a_log_that_nobody_reads() {
    let folder = Folder::new("unread");
    let manager = tokio::net::UnixDatagram::bind(folder.0.join("notify")).unwrap();
    let settings =
        "zone = 'test.zone'\norigin = 'test'\nstarttls = '127.0.0.1:0'\nself-signed = 'a'\nthreads = 1\n";
    folder.write("server.toml", settings);
    let mut command = folder.command();
    command.args(["--config", "server.toml"]).env("NOTIFY_SOCKET", folder.0.join("notify"));
    let mut running = Running::start(&mut command).await;
    let faults: String = (0..50).map(|at| format!("a-key-that-is-not-there-{at} = '{}'\n", "long")).collect();
    folder.write("server.toml", &format!("{settings}{faults}"));
    let told = async |word: &str| {
        let mut octets = [0; 256];
        while !octets.starts_with(word.as_bytes()) {
            octets = [0; 256];
            manager.recv(&mut octets).await.unwrap();
        }
    };
    told("READY=1").await;
    for _ in 0..40 {
        running.signal("-HUP").await;
        let answered = async {
            told("RELOADING=1").await;
            told("READY=1").await;
        };
        within("a reload", answered).await;
    }
    let mut tcp = TcpStream::connect(running.address("starttls", 0)).await.unwrap();
    let query = ask(7, "www.test", Rtype::A);
    assert_eq!(within("an answer", exchange(&mut tcp, &query)).await.id(), 7);
    running.signal("-TERM").await;
    assert!(within("the end", running.child.wait()).await.unwrap().success());
    let mut kept = 0;
    while running.complaints.next_line().await.unwrap().is_some() {
        kept += 1;
    }
    assert!((100..2000).contains(&kept), "{kept} lines of two thousand were kept");
}

#[tokio::test]
async fn what_nobody_takes_and_a_balancer_that_names_nobody_are_told_of() {
    let folder = Folder::new("troubles");
    let arguments = "--zone test.zone --origin test --starttls 127.0.0.1:0 --signal decline --dnstap missing.sock \
         --proxy-from 127.0.0.1";
    let mut running = Running::start(folder.command().args(arguments.split_whitespace())).await;
    let said = running.complaint().await;
    assert!(said.contains("nobody takes dnstap at missing.sock") && said.contains("No such file"), "{said}");
    let mut unnamed = TcpStream::connect(running.address("starttls", 0)).await.unwrap();
    unnamed.write_all(b"sixteen octets or more").await.unwrap();
    let said = running.complaint().await;
    assert!(said.contains("PROXY protocol, version 2") && said.contains("send-proxy-v2"), "{said}");
    running.child.kill().await.unwrap();
}
