//! Servers that want to know their clients: what they are shown, in which versions of TLS, and what is told where that fails.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, PKCS_ECDSA_P256_SHA256,
    PKCS_ED25519, SignatureAlgorithm, date_time_ymd,
};
use rustls::crypto::aws_lc_rs;
use rustls::server::WebPkiClientVerifier;
use rustls::{ProtocolVersion, RootCertStore, ServerConfig, ServerConnection, StreamOwned, version};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use serde_json::{Value, json};
use sotto_engine::wire::header::rcode;
use sotto_engine::wire::types;

use crate::stage::{NAME, Stage, resolver};

/// A server that takes clients of one authority alone.
struct Club {
    address: SocketAddr,
    /// PEM, of the server's certificate and of its clients'
    authority: String,
    issuer: CertifiedIssuer<'static, KeyPair>,
    met: Arc<Mutex<Vec<Met>>>,
}

/// One finished handshake.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Met {
    version: ProtocolVersion,
    resumed: bool,
    /// of the client; none: it showed nothing
    certificate: Option<CertificateDer<'static>>,
}

/// One that a client could be given.
struct Member {
    certificate: CertificateDer<'static>,
    /// as the service hands it to the engine
    pem: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Door {
    /// nobody comes in without a certificate
    Closed,
    /// a certificate is asked for, and not needed
    Ajar,
}

impl Club {
    fn open(versions: &[&'static rustls::SupportedProtocolVersion], door: Door) -> Self {
        let issuer = authority();
        let (key, certificate) = issued(&issuer, &PKCS_ECDSA_P256_SHA256, |params| {
            params.subject_alt_names = vec![rcgen::SanType::DnsName(NAME.try_into().unwrap())];
        });
        let mut roots = RootCertStore::empty();
        roots.add(issuer.der().clone()).unwrap();
        let provider = Arc::new(aws_lc_rs::default_provider());
        let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider.clone());
        let verifier =
            if door == Door::Ajar { verifier.allow_unauthenticated() } else { verifier }.build().unwrap();
        let config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(versions)
            .unwrap()
            .with_client_cert_verifier(verifier)
            .with_single_cert(vec![certificate], private(&key))
            .unwrap();
        let (config, met) = (Arc::new(config), Arc::<Mutex<Vec<Met>>>::default());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let noted = met.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (config, met) = (config.clone(), noted.clone());
                std::thread::spawn(move || serve(stream, config, &met));
            }
        });
        Self { address, authority: issuer.pem(), issuer, met }
    }

    fn member(&self, algorithm: &'static SignatureAlgorithm) -> Member {
        self.member_with(algorithm, |_| {})
    }

    fn member_with(
        &self,
        algorithm: &'static SignatureAlgorithm,
        change: impl FnOnce(&mut CertificateParams),
    ) -> Member {
        member_of(&self.issuer, algorithm, change)
    }

    fn upstream(&self, identity: Value) -> Value {
        json!({
            "id": "club", "transport": "dot", "addresses": [self.address], "names": [NAME], "ca": self.authority,
            "identity": identity, "alternative": null,
        })
    }

    fn met(&self) -> Vec<Met> {
        self.met.lock().unwrap().clone()
    }
}

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(vec![]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

fn issued(
    issuer: &CertifiedIssuer<'static, KeyPair>,
    algorithm: &'static SignatureAlgorithm,
    change: impl FnOnce(&mut CertificateParams),
) -> (KeyPair, CertificateDer<'static>) {
    let key = KeyPair::generate_for(algorithm).unwrap();
    let mut params = CertificateParams::new(vec![]).unwrap();
    change(&mut params);
    let certificate = params.signed_by(&key, issuer).unwrap();
    (key, certificate.der().clone())
}

fn member_of(
    issuer: &CertifiedIssuer<'static, KeyPair>,
    algorithm: &'static SignatureAlgorithm,
    change: impl FnOnce(&mut CertificateParams),
) -> Member {
    let (key, certificate) = issued(issuer, algorithm, change);
    Member { pem: format!("{}{}", key.serialize_pem(), pem_of(&certificate)), certificate }
}

fn pem_of(certificate: &CertificateDer<'_>) -> String {
    let text = data_encoding::BASE64.encode(certificate);
    format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n")
}

fn private(key: &KeyPair) -> PrivateKeyDer<'static> {
    PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()))
}

/// Answers what comes, until the client leaves.
fn serve(stream: TcpStream, config: Arc<ServerConfig>, met: &Mutex<Vec<Met>>) -> std::io::Result<()> {
    use std::io::{Read, Write};

    let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), stream);
    let finished = stream.conn.complete_io(&mut stream.sock);
    if finished.is_err() {
        // the alert that says why
        let _ = stream.conn.write_tls(&mut stream.sock);
        return Ok(());
    }
    let certificate = stream.conn.peer_certificates().map(|chain| chain[0].clone().into_owned());
    met.lock().unwrap().push(Met {
        version: stream.conn.protocol_version().unwrap(),
        resumed: stream.conn.handshake_kind() == Some(rustls::HandshakeKind::Resumed),
        certificate,
    });
    loop {
        let mut length = [0; 2];
        stream.read_exact(&mut length)?;
        let mut question = vec![0; u16::from_be_bytes(length).into()];
        stream.read_exact(&mut question)?;
        let reply = resolver::answered(&question);
        stream.write_all(&(reply.len() as u16).to_be_bytes())?;
        stream.write_all(&reply)?;
        stream.flush()?;
    }
}

fn identity(name: &str, member: &Member) -> Value {
    json!({"name": name, "pem": member.pem, "trouble": ""})
}

#[tokio::test]
async fn an_identity_is_shown_in_both_versions_and_resumption_keeps_it() {
    for version in [&version::TLS12, &version::TLS13] {
        for algorithm in [&PKCS_ECDSA_P256_SHA256, &PKCS_ED25519] {
            let (club, stage) = (Club::open(&[version], Door::Closed), Stage::new());
            let member = club.member(algorithm);
            let upstream = club.upstream(identity("corp", &member));
            let client = stage.apply(vec![upstream.clone()]).await;
            assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
            // another configuration, the same tickets
            stage.apply(vec![]).await;
            let client = stage.apply(vec![upstream]).await;
            assert_eq!(client.ask("mail.example", types::A).await.rcode, rcode::NOERROR);
            let met = club.met();
            // a machine that stands still may need more connections than these two
            assert_eq!([&met[0], &met[met.len() - 1]].map(|met| met.resumed), [false, true]);
            for one in met {
                assert_eq!(
                    (one.version, one.certificate),
                    (version.version, Some(member.certificate.clone()))
                );
            }
        }
    }
}

#[tokio::test]
async fn another_identity_resumes_nothing_of_the_first() {
    for version in [&version::TLS12, &version::TLS13] {
        let (club, stage) = (Club::open(&[version], Door::Ajar), Stage::new());
        let members = [club.member(&PKCS_ECDSA_P256_SHA256), club.member(&PKCS_ECDSA_P256_SHA256)];
        let named = |at: usize| club.upstream(identity("corp", &members[at]));
        for (name, upstream) in
            [("a", named(0)), ("b", named(1)), ("c", club.upstream(Value::Null)), ("d", named(0))]
        {
            let client = stage.apply(vec![upstream]).await;
            assert_eq!(client.ask(&format!("{name}.example"), types::A).await.rcode, rcode::NOERROR);
        }
        let [first, second] = members.map(|member| Some(member.certificate));
        let expected = [first.clone(), second, None, first].map(|certificate| Met {
            version: version.version,
            resumed: false,
            certificate,
        });
        assert_eq!(club.met(), expected);
    }
}

#[tokio::test]
async fn each_way_to_fail_has_its_own_code_and_words() {
    for version in [&version::TLS12, &version::TLS13] {
        let (club, stage) = (Club::open(&[version], Door::Closed), Stage::new());
        let stranger = member_of(&authority(), &PKCS_ECDSA_P256_SHA256, |_| {});
        let expired = club.member_with(&PKCS_ECDSA_P256_SHA256, |params| {
            params.not_before = date_time_ymd(2020, 1, 1);
            params.not_after = date_time_ymd(2021, 1, 1);
        });
        let [one, other] = [(); 2].map(|()| club.member(&PKCS_ECDSA_P256_SHA256));
        let mixed = other.pem.split_inclusive("-----END PRIVATE KEY-----\n").next().unwrap().to_owned();
        let mixed = Member { pem: mixed + &pem_of(&one.certificate), certificate: one.certificate };
        for (identity, code, words) in [
            (Value::Null, "identity-wanted", "no \"identity\" is named"),
            (
                json!({"name": "corp", "pem": null, "trouble": ""}),
                "identity-missing",
                "corp is not on this machine",
            ),
            (json!({"name": "corp", "pem": null, "trouble": "torn"}), "identity-unusable", "torn"),
            (json!({"name": "corp", "pem": "", "trouble": ""}), "identity-unusable", "no certificate"),
            (identity("corp", &mixed), "identity-unusable", "does not belong to its certificate"),
            (identity("corp", &expired), "identity-expired", "expired on 2021-01-01"),
            (identity("corp", &stranger), "identity-refused", "does not accept the client identity corp"),
        ] {
            let client = stage.apply(vec![club.upstream(identity)]).await;
            let said = client.ask("www.example", types::A).await;
            assert_eq!(said.rcode, rcode::SERVFAIL, "{code}");
            let status = stage.engine.status();
            let last = status.upstreams[0].condition.last_error.as_ref().unwrap();
            assert_eq!(last.code, code, "{version:?}: {}", last.text);
            assert!(last.text.contains(words), "{}", last.text);
        }
        assert_eq!(club.met(), [], "{version:?}: nobody got in");
    }
}

#[tokio::test]
async fn what_is_wrong_with_an_identity_is_found_before_a_connection_is_opened() {
    let stage = Stage::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let upstream = json!({
        "id": "club", "transport": "dot", "addresses": [listener.local_addr().unwrap()], "names": [NAME],
        "identity": {"name": "corp", "pem": null, "trouble": ""}, "alternative": null,
    });
    let client = stage.apply(vec![upstream]).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::SERVFAIL);
    assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

#[tokio::test]
async fn a_server_that_only_asks_is_used_without_an_identity() {
    let (club, stage) = (Club::open(&[&version::TLS13], Door::Ajar), Stage::new());
    let client = stage.apply(vec![club.upstream(Value::Null)]).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
    assert_eq!(club.met()[0].certificate, None);
}
