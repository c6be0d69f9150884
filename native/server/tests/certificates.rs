//! Several certificates: which client gets which, and all or nothing when they are read anew.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use domain::base::Rtype;
use rustls::client::{ClientSessionMemoryCache, ClientSessionStore, Resumption};
use rustls::{HandshakeKind, NamedGroup, SupportedProtocolVersion};
use rustls_pki_types::ServerName;
use sotto_server::{Identities, Identity};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::stage::Stage;
use crate::stage::clients::{Tls, client_config, exchange, secure_with};
use crate::stage::messages::ask;
use crate::stage::program::{Folder, Running};

/// Offers a ticket under every name, as a client must not.
#[derive(Debug)]
struct Careless(ClientSessionMemoryCache);

fn one() -> ServerName<'static> {
    ServerName::try_from("any.test").unwrap()
}

impl ClientSessionStore for Careless {
    fn set_kx_hint(&self, _: ServerName<'static>, group: NamedGroup) {
        self.0.set_kx_hint(one(), group);
    }

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        self.0.kx_hint(&one())
    }

    fn set_tls12_session(&self, _: ServerName<'static>, value: rustls::client::Tls12ClientSessionValue) {
        self.0.set_tls12_session(one(), value);
    }

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<rustls::client::Tls12ClientSessionValue> {
        self.0.tls12_session(&one())
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {
        self.0.remove_tls12_session(&one());
    }

    fn insert_tls13_ticket(&self, _: ServerName<'static>, value: rustls::client::Tls13ClientSessionValue) {
        self.0.insert_tls13_ticket(one(), value);
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<rustls::client::Tls13ClientSessionValue> {
        self.0.take_tls13_ticket(&one())
    }
}

fn made_for(names: &[&str]) -> Identity {
    Identity::self_signed(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).unwrap()
}

/// Trusts all that the server may show.
fn careless(
    stage: &Stage,
    identities: &[Identity],
    version: &'static SupportedProtocolVersion,
) -> TlsConnector {
    let mut config = client_config(stage, &[version]);
    let mut roots = rustls::RootCertStore::empty();
    for identity in identities {
        let authority = identity.authority.as_ref().unwrap().as_bytes();
        roots.add(rustls_pki_types::pem::PemObject::from_pem_slice(authority).unwrap()).unwrap();
    }
    let verifier = rustls::client::WebPkiServerVerifier::builder_with_provider(
        Arc::new(roots),
        rustls::crypto::aws_lc_rs::default_provider().into(),
    );
    config.dangerous().set_certificate_verifier(verifier.build().unwrap());
    config.resumption = Resumption::store(Arc::new(Careless(ClientSessionMemoryCache::new(32))));
    TlsConnector::from(Arc::new(config))
}

async fn visit(stage: &Stage, client: &TlsConnector, name: &str) -> Tls {
    let tcp = TcpStream::connect(stage.dot()).await.unwrap();
    let mut tls = client.connect(ServerName::try_from(name.to_owned()).unwrap(), tcp).await.unwrap();
    exchange(&mut tls, &ask(1, "www.test", Rtype::A)).await;
    tls
}

fn leaf(tls: &Tls) -> &[u8] {
    &tls.get_ref().1.peer_certificates().unwrap()[0]
}

#[tokio::test]
async fn a_client_gets_the_certificate_of_the_name_that_it_wants_and_resumes_under_that_name_alone() {
    for early_data in [false, true] {
        for version in [&rustls::version::TLS13, &rustls::version::TLS12] {
            let identities = vec![
                made_for(&["dns.test", "127.0.0.1", "also.test"]),
                made_for(&["*.example.test"]),
                made_for(&["own.example.test"]),
            ];
            let stage = Stage::with(|config| {
                config.identities = Identities::new(identities.clone());
                config.early_data = early_data;
            });
            let client = careless(&stage, &identities, version);
            let mut earlier = None;
            for (name, expected) in [
                ("dns.test", 0),
                ("a.Example.test", 1),
                ("own.example.test", 2),
                ("OWN.example.test", 2),
                ("127.0.0.1", 0),
                ("also.test", 0),
            ] {
                let tls = visit(&stage, &client, name).await;
                let is_same = earlier.replace(name.to_lowercase()) == Some(name.to_lowercase());
                let is_resumed = tls.get_ref().1.handshake_kind() == Some(HandshakeKind::Resumed);
                assert_eq!(is_resumed, is_same, "{name} with early data {early_data} over {version:?}");
                assert_eq!(leaf(&tls), &*identities[expected].chain[0], "{name}");
            }
        }
    }
}

#[tokio::test]
async fn an_unknown_name_gets_the_first_certificate_which_its_client_judges() {
    let identities = vec![made_for(&["dns.test"]), made_for(&["other.test"])];
    let stage = Stage::with(|config| config.identities = Identities::new(identities.clone()));
    let client = careless(&stage, &identities, &rustls::version::TLS13);
    let tcp = TcpStream::connect(stage.dot()).await.unwrap();
    let refused = client.connect(ServerName::try_from("unknown.test").unwrap(), tcp).await;
    assert!(
        refused.unwrap_err().to_string().contains("dns.test"),
        "the first one's name is in the complaint"
    );
    secure_with(&client, TcpStream::connect(stage.dot()).await.unwrap()).await;
}

/// Makes NAME.pem and NAME.key in a folder, for these DNS names.
fn certify(folder: &Path, name: &str, names: &[&str]) {
    let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
    let made = rcgen::generate_simple_self_signed(names).unwrap();
    std::fs::write(folder.join(format!("{name}.pem")), made.cert.pem()).unwrap();
    let key = folder.join(format!("{name}.key"));
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    std::fs::set_permissions(key, Permissions::from_mode(0o600)).unwrap();
}

const TO: &str = "--zone test.zone --origin test --dot 127.0.0.1:0";

async fn check(folder: &Folder, arguments: &str) -> (i32, String, String) {
    let words = format!("check {TO} {arguments}");
    let output = folder.command().args(words.split_whitespace()).output().await.unwrap();
    let text = |octets| String::from_utf8(octets).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[tokio::test]
async fn a_check_says_which_certificates_there_are_in_their_order() {
    let folder = Folder::new("certificates");
    let many = folder.0.join("many");
    std::fs::create_dir(&many).unwrap();
    certify(&folder.0, "first", &["z.test"]);
    certify(&many, "b.test", &["*.b.test", "b.test"]);
    certify(&many, "a.test", &["a.test"]);
    folder.write("many/.half-written.pem", "-----BEGIN CERT");
    folder.write("many/README", "not a certificate");
    let (status, checked, complaints) =
        check(&folder, "--certificate first.pem --key first.key --certificates many").await;
    assert_eq!((status, complaints.as_str()), (0, ""));
    let checked: serde_json::Value = serde_json::from_str(&checked).unwrap();
    let all: Vec<_> =
        checked["certificates"].as_array().unwrap().iter().map(|one| (&one["file"], &one["names"])).collect();
    let expected = serde_json::json!([
        "first.pem",
        ["z.test"],
        "many/a.test.pem",
        ["a.test"],
        "many/b.test.pem",
        ["*.b.test", "b.test"]
    ]);
    let expected: Vec<_> =
        expected.as_array().unwrap().chunks(2).map(|two| (two[0].clone(), two[1].clone())).collect();
    assert!(
        all.iter().zip(&expected).all(|((file, names), (one, other))| *file == one && *names == other),
        "{all:?}"
    );
    assert_eq!((all.len(), &checked["certificate"]), (3, &"first.pem".into()));
}

#[tokio::test]
async fn every_fault_of_every_certificate_is_told_at_once() {
    let folder = Folder::new("certificate-faults");
    let many = folder.0.join("many");
    std::fs::create_dir(&many).unwrap();
    certify(&folder.0, "one", &["one.test"]);
    certify(&folder.0, "two", &["two.test"]);
    certify(&many, "c", &["c.test"]);
    std::fs::remove_file(many.join("c.key")).unwrap();
    certify(&many, "d", &["d.test"]);
    std::fs::remove_file(many.join("d.pem")).unwrap();
    folder.write("many/e.pem", "");
    folder.write("many/e.key", "-----BEGIN nothing");
    let arguments = "--certificate one.pem --key two.key --certificate two.pem --certificates many";
    let (status, checked, complaints) = check(&folder, arguments).await;
    assert_eq!((status, checked.as_str()), (2, ""));
    let expected = [
        "2 of --certificate and 1 of --key: give a key for each",
        "many/c.pem is alone: put many/c.key beside it",
        "many/d.key is alone: put many/d.pem beside it",
        "two.key: ",
        "many/e.pem: holds no certificate; a PEM file",
        "many/e.key: ",
    ];
    let lines: Vec<_> = complaints.lines().collect();
    assert_eq!(lines.len(), expected.len(), "{complaints}");
    assert!(lines.iter().zip(expected).all(|(line, words)| line.contains(words)), "{complaints}");

    std::fs::remove_dir_all(&many).unwrap();
    let (_, _, complaint) = check(&folder, "--certificates many").await;
    assert!(
        complaint.contains("cannot read --certificates many") && complaint.contains("NAME.pem"),
        "{complaint}"
    );
    std::fs::create_dir(&many).unwrap();
    let (_, _, complaint) = check(&folder, "--certificates many").await;
    assert!(complaint.contains("many holds no NAME.pem and NAME.key: put them there"), "{complaint}");
}

#[tokio::test]
async fn a_name_in_two_certificates_and_a_certificate_without_one_are_told() {
    let folder = Folder::new("doubles");
    certify(&folder.0, "one", &["a.test", "b.test"]);
    certify(&folder.0, "two", &["c.test", "B.test"]);
    certify(&folder.0, "three", &["192.0.2.1"]);
    let arguments = "--certificate one.pem --key one.key --certificate two.pem --key two.key --certificate three.pem --key three.key";
    let expected = [
        "certificate three.pem has no DNS name, and no client gets it: put it first or take it away",
        "b.test is in two certificates: one.pem is used for it, two.pem is not",
    ];
    let (status, _, complaints) = check(&folder, arguments).await;
    assert_eq!(status, 3);
    assert!(complaints.lines().zip(expected).all(|(line, words)| line.contains(words)), "{complaints}");
    let mut running =
        Running::start(folder.command().args(format!("{TO} {arguments}").split_whitespace())).await;
    for words in expected {
        assert_eq!(running.complaint().await, format!("sotto-server: {words}"));
    }
    running.child.kill().await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_hangup_takes_all_certificates_or_none() {
    let folder = Folder::new("many-anew");
    let many = folder.0.join("many");
    std::fs::create_dir(&many).unwrap();
    let names = ["a", "b", "c"];
    names.iter().for_each(|name| certify(&many, name, &[&format!("{name}.test")]));
    folder.write(
        "server.toml",
        "zone = 'test.zone'\norigin = 'test'\ndot = '127.0.0.1:0'\ncertificates = 'many'\n",
    );
    let mut running = Running::start(folder.command().args(["--config", "server.toml"])).await;
    let shown = async |running: &Running, name: &str| {
        let pem = |file: std::fs::DirEntry| {
            file.path()
                .extension()
                .is_some_and(|one| one == "pem")
                .then(|| std::fs::read(file.path()).unwrap())
        };
        let mut roots = rustls::RootCertStore::empty();
        for pem in std::fs::read_dir(&many).unwrap().map(Result::unwrap).filter_map(pem) {
            rustls_pki_types::pem::PemObject::from_pem_slice(&pem)
                .map(|one| roots.add(one))
                .unwrap()
                .unwrap();
        }
        let config = rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        let tcp = TcpStream::connect(running.address("dot", 0)).await.unwrap();
        let name = ServerName::try_from(name.to_owned()).unwrap();
        TlsConnector::from(Arc::new(config)).connect(name, tcp).await.map(|tls| leaf(&tls).to_vec()).ok()
    };
    let before = shown(&running, "a.test").await.unwrap();

    let whole = std::fs::read(many.join("c.pem")).unwrap();
    let old = std::fs::read(many.join("a.pem")).unwrap();
    certify(&many, "a", &["a.test"]);
    std::fs::write(many.join("c.pem"), &whole[..whole.len() / 2]).unwrap();
    running.signal("-HUP").await;
    let said = running.complaint().await;
    assert!(
        said.contains("nothing was changed: certificate many/c.pem: ") && said.contains("leaf first"),
        "{said}"
    );
    std::fs::write(many.join("c.pem"), whole).unwrap();
    let new = std::fs::read(many.join("a.pem")).unwrap();
    std::fs::write(many.join("a.pem"), old).unwrap();
    assert_eq!(shown(&running, "a.test").await.unwrap(), before, "a half-written file of another one");

    std::fs::write(many.join("a.pem"), new).unwrap();
    certify(&many, "d", &["d.test"]);
    running.signal("-HUP").await;
    assert_eq!(running.line().await["certificates"], 4);
    assert_ne!(shown(&running, "a.test").await.unwrap(), before);
    assert!(shown(&running, "d.test").await.is_some(), "one that was added");

    // in another form it is still the certificate that was there
    certify(&folder.0, "e", &["e.test"]);
    folder.write(
        "server.toml",
        "zone = 'test.zone'\norigin = 'test'\ndot = '127.0.0.1:0'\ncertificate = 'e.pem'\nkey = 'e.key'\n",
    );
    running.signal("-HUP").await;
    assert_eq!(running.line().await["certificates"], 1);
    assert!(shown(&running, "d.test").await.is_none(), "it is gone");
    folder.write(
        "server.toml",
        "zone = 'test.zone'\norigin = 'test'\ndot = '127.0.0.1:0'\nself-signed = 'a.test'\n",
    );
    running.signal("-HUP").await;
    for key in ["certificates", "self-signed"] {
        assert_eq!(
            running.complaint().await,
            format!("sotto-server: {key} needs a restart: it stays as it was")
        );
    }
    assert_eq!(running.line().await["certificates"], 0);
    running.child.kill().await.unwrap();
}

#[tokio::test]
async fn certificates_that_are_cut_off_or_too_old_are_named_with_the_remedy() {
    let folder = Folder::new("unusable");
    folder.certify("one");
    let whole = folder.read("one.pem");
    folder.write("cut.pem", &whole[..whole.len() - 40]);
    let script = "openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout old.key -subj /CN=dns.test |
                  openssl x509 -req -signkey old.key -out old.pem";
    let made = tokio::process::Command::new("sh").current_dir(&folder.0).args(["-c", script]).output().await;
    assert!(made.unwrap().status.success());
    for (certificate, key, words) in [
        ("cut.pem", "one.key", "certificate cut.pem: it ends before its last END line"),
        ("old.pem", "old.key", "certificate old.pem: is one of X.509 version 1"),
    ] {
        let arguments = format!("--zone test.zone --dot 127.0.0.1:0 --certificate {certificate} --key {key}");
        let (status, said) = folder.refused(&arguments).await;
        assert!(status == 2 && said.contains(words), "{said}");
    }
}
