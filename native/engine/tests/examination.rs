//! What a test of an upstream finds out about servers in common use.

use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use data_encoding::BASE64;
use serde_json::{Value, json};
use sotto_server::Identity;
use sotto_skip::waiting::LIMIT;

use crate::stage::{NAME, Stage, closed_port, nobody};

/// `qnamemin` and `exterr=15-17`.
const RESINFO: &str = r"\# 22 08716e616d656d696e 0c6578746572723d31352d3137";

/// A directory with a certificate in it, and a server that ends with it.
struct Peer {
    directory: PathBuf,
    identity: Identity,
    running: Vec<Child>,
    tls: SocketAddr,
}

impl Peer {
    fn new(what: &str) -> Self {
        let directory = std::env::temp_dir().join(format!("sotto-examined-{what}-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let identity = Identity::self_signed(&[NAME.to_owned()]).unwrap();
        let chain: Vec<_> = identity.chain.iter().map(|der| pem("CERTIFICATE", der)).collect();
        std::fs::write(directory.join("chain.pem"), chain.concat()).unwrap();
        std::fs::write(directory.join("key.pem"), pem("PRIVATE KEY", identity.key.secret_der())).unwrap();
        Self { directory, identity, running: Vec::new(), tls: nobody() }
    }

    fn write(&self, file: &str, text: &str) -> PathBuf {
        let path = self.directory.join(file);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn start(&mut self, program: &str, arguments: &[&str], listening: SocketAddr) {
        let log = std::fs::File::create(self.directory.join("log")).unwrap();
        let mut child = Command::new(program)
            .args(arguments)
            .current_dir(&self.directory)
            .env("OPENSSL_CONF", self.directory.join("openssl.conf"))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        let patience = Instant::now() + LIMIT;
        while TcpStream::connect(listening).is_err() {
            let ended = child.try_wait().unwrap();
            assert!(ended.is_none() && Instant::now() < patience, "{program}: {}", self.log());
            std::thread::yield_now();
        }
        self.running.push(child);
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.directory.join("log")).unwrap_or_default()
    }

    async fn tested(&self) -> Value {
        let stage = Stage::new();
        let upstream = json!({
            "id": "peer", "transport": "dot", "addresses": [self.tls], "names": [NAME], "pins": [self.identity.pin],
            "ca": self.identity.authority, "alternative": null,
        });
        stage.apply(vec![upstream]).await;
        // Some listen before they serve.
        let patience = Instant::now() + LIMIT;
        loop {
            let report = serde_json::to_value(stage.engine.test_upstream("peer").await.unwrap()).unwrap();
            if report["error"]["code"] == "no-response" && Instant::now() < patience {
                continue;
            }
            assert_eq!(report["error"], Value::Null, "{report:#} {}", self.log());
            return report;
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        for child in &mut self.running {
            let _ = child.kill();
            let _ = child.wait();
        }
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn pem(label: &str, der: &[u8]) -> String {
    let text = BASE64.encode(der);
    let lines: Vec<_> = text.as_bytes().chunks(64).map(|line| String::from_utf8_lossy(line)).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

fn program(names: &[&str]) -> Option<String> {
    let found = names.iter().flat_map(|name| {
        ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"].map(|place| format!("{place}/{name}"))
    });
    found.into_iter().find(|path| Path::new(path).exists())
}

/// Removes what differs from run to run.
fn character(report: &Value) -> Value {
    let mut examination = report["examination"].clone();
    for key in ["handshakeMs", "roundTripMs", "answerMs", "fastOpen", "roundTrips"] {
        let taken = examination.as_object_mut().unwrap().remove(key);
        assert!(taken.is_some_and(|taken| !taken.is_null()), "{key} in {report:#}");
    }
    examination
}

#[tokio::test]
async fn a_server_that_refuses_the_root_is_reached_all_the_same() {
    let stage = Stage::new();
    stage.apply(vec![stage.dot()]).await;
    let report = serde_json::to_value(stage.engine.test_upstream("dot").await.unwrap()).unwrap();
    assert_eq!(report["ok"], true);
    let response =
        report["steps"].as_array().unwrap().iter().find(|step| step["step"] == "response").unwrap();
    assert!(response["text"].as_str().unwrap().starts_with("REFUSED, "), "{response}");
    assert!(report["chain"][0]["daysLeft"].as_i64().unwrap() > 0);
    let mut found = character(&report);
    // their number is for the server to decide
    assert!(found.as_object_mut().unwrap().remove("tickets").unwrap().as_u64() > Some(0));
    assert_eq!(
        found,
        json!({
            "resumed": true, "keepaliveMs": 60_000, "padding": {"padded": true, "block": 468},
            "together": "in-order", "dnssec": null, "resolver": null,
        })
    );
}

#[tokio::test]
async fn a_way_that_does_not_work_is_not_examined() {
    let stage = Stage::new();
    let mut upstream = stage.dot();
    let (_held, closed) = closed_port();
    upstream["addresses"] = json!([closed]);
    upstream["alternative"] = json!(stage.server.starttls()[0].port());
    stage.apply(vec![upstream]).await;
    let report = serde_json::to_value(stage.engine.test_upstream("dot").await.unwrap()).unwrap();
    assert_eq!((&report["ok"], &report["examination"]), (&json!(false), &Value::Null));
    assert_eq!(report["alternative"]["examination"]["resumed"], true, "{report:#}");
}

/// A root of our own, signed; unbound validates it like the real one.
fn signed_root(peer: &Peer) -> Option<()> {
    let (keygen, sign) = (program(&["ldns-keygen"])?, program(&["ldns-signzone"])?);
    peer.write(
        "root",
        ". 3600 IN SOA ns. hostmaster. 1 3600 900 604800 60\n. 3600 IN NS ns.\nns. 3600 IN A 127.0.0.1\n",
    );
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(&peer.directory).output().unwrap();
        assert!(output.status.success(), "{program}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let key = run(&keygen, &["-a", "ECDSAP256SHA256", "-k", "."]);
    run(&sign, &["-f", "root.signed", "root", &key]);
    std::fs::copy(peer.directory.join(format!("{key}.ds")), peer.directory.join("anchor")).unwrap();
    Some(())
}

#[tokio::test]
async fn unbound_validates_pads_keeps_alive_and_says_what_it_is() {
    let Some(unbound) = program(&["unbound"]) else {
        return sotto_skip::skip("no unbound: apt-get install unbound");
    };
    let mut peer = Peer::new("unbound");
    if signed_root(&peer).is_none() {
        return sotto_skip::skip("no ldns-signzone: apt-get install ldnsutils");
    }
    let (ip, port) = (peer.tls.ip(), peer.tls.port());
    let config = peer.write(
        "unbound.conf",
        &format!(
            r#"server:
  directory: "{directory}"
  chroot: ""
  username: ""
  pidfile: ""
  use-syslog: no
  interface: {ip}@{port}
  tls-port: {port}
  tls-service-key: key.pem
  tls-service-pem: chain.pem
  edns-tcp-keepalive: yes
  edns-tcp-keepalive-timeout: 20000
  trust-anchor-file: anchor
  local-zone: "resolver.arpa." static
  local-data: 'resolver.arpa. 300 IN TYPE261 {RESINFO}'
auth-zone:
  name: "."
  zonefile: root.signed
  for-downstream: no
  for-upstream: yes
"#,
            directory = peer.directory.display()
        ),
    );
    peer.start(&unbound, &["-d", "-p", "-c", config.to_str().unwrap()], peer.tls);
    let report = peer.tested().await;
    assert_eq!(
        character(&report),
        json!({
            "tickets": 2, "resumed": true, "keepaliveMs": 20_000,
            "padding": {"padded": true, "block": 468}, "together": "in-order",
            "dnssec": {"authentic": true, "signed": true, "checkingDisabled": true},
            "resolver": {"minimises": true, "extendedErrors": [15, 16, 17], "url": null},
        })
    );
    assert_eq!(report["tls"]["name"], NAME);
    assert_eq!(report["tls"]["pinned"], true);
}

/// A resolver in cleartext, behind the peer under test.
fn plain_unbound(peer: &mut Peer) -> Option<SocketAddr> {
    let unbound = program(&["unbound"])?;
    let plain = nobody();
    let config = peer.write(
        "plain.conf",
        &format!(
            r#"server:
  directory: "{directory}"
  chroot: ""
  username: ""
  pidfile: ""
  use-syslog: no
  interface: {ip}@{port}
  local-zone: "." static
  local-data: '. 300 IN SOA ns. hostmaster. 1 3600 900 604800 60'
  local-data: '. 300 IN NS ns.'
"#,
            directory = peer.directory.display(),
            ip = plain.ip(),
            port = plain.port(),
        ),
    );
    peer.start(&unbound, &["-d", "-p", "-c", config.to_str().unwrap()], plain);
    Some(plain)
}

#[tokio::test]
async fn dnsdist_is_told_by_what_it_leaves_out_in_both_versions_of_tls() {
    let Some(dnsdist) = program(&["dnsdist"]) else {
        return sotto_skip::skip("no dnsdist: apt-get install dnsdist");
    };
    for version in ["1.3", "1.2"] {
        let mut peer = Peer::new(&format!("dnsdist-{version}"));
        let Some(behind) = plain_unbound(&mut peer) else {
            return sotto_skip::skip("no unbound: apt-get install unbound");
        };
        // read by OpenSSL, from the environment
        peer.write(
            "openssl.conf",
            &format!("openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]\nMaxProtocol = TLSv{version}\n"),
        );
        let config = peer.write(
            "dnsdist.conf",
            &format!(
                "setLocal('{plain}')\naddTLSLocal('{tls}', 'chain.pem', 'key.pem', {{provider='openssl'}})\nnewServer({{address='{behind}', healthCheckMode='up'}})\n",
                plain = nobody(),
                tls = peer.tls,
            ),
        );
        peer.start(&dnsdist, &["-C", config.to_str().unwrap(), "--supervised"], peer.tls);
        let report = peer.tested().await;
        assert_eq!(report["tls"]["version"], version);
        let found = character(&report);
        assert_eq!(found["resumed"], true, "{found}");
        assert_eq!(found["keepaliveMs"], Value::Null, "{found}");
        assert_eq!(found["resolver"], Value::Null, "{found}");
        assert_eq!(found["padding"], json!({"padded": false, "block": null}), "{found}");
        assert_eq!(found["dnssec"]["authentic"], false, "{found}");
    }
}

#[tokio::test]
async fn knot_resolver_pads_and_answers_together() {
    let Some(kresd) = program(&["kresd"]) else {
        return sotto_skip::skip("no kresd: apt-get install knot-resolver");
    };
    let mut peer = Peer::new("kresd");
    let config = peer.write(
        "kresd.conf",
        &format!(
            r#"net.listen('{ip}', {port}, {{ kind = 'tls' }})
net.tls('chain.pem', 'key.pem')
cache.open(10 * MB, 'lmdb://cache')
trust_anchors.remove('.')
modules = {{ 'policy' }}
policy.add(policy.all(policy.REFUSE))
"#,
            ip = peer.tls.ip(),
            port = peer.tls.port()
        ),
    );
    peer.start(&kresd, &["-n", "-c", config.to_str().unwrap()], peer.tls);
    let report = peer.tested().await;
    let found = character(&report);
    assert_eq!((&found["resumed"], &found["dnssec"]), (&json!(true), &Value::Null), "{found}");
    assert_eq!(found["padding"], json!({"padded": true, "block": 468}), "{found}");
}
