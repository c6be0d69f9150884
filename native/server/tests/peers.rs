//! Programs by others, run against this server. A client of ours may rely on what they accept.

use std::path::PathBuf;
use std::process::{Output, Stdio};

use domain::base::Rtype;
use sotto_skip::waiting::until;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::stage::Stage;
use crate::stage::messages::{ask, framed};

/// A server, its authority in a file, and the addresses in the form that these programs want.
struct Case {
    stage: Stage,
    authority: PathBuf,
}

impl Case {
    fn new(name: &str) -> Self {
        Self::on(Stage::new(), name)
    }

    fn on(stage: Stage, name: &str) -> Self {
        let authority = std::env::temp_dir().join(format!("sotto-server-{}-{name}.pem", std::process::id()));
        std::fs::write(&authority, &stage.authority).unwrap();
        Case { stage, authority }
    }

    fn authority(&self) -> &str {
        self.authority.to_str().unwrap()
    }

    fn session(&self) -> String {
        self.authority.with_extension("session").to_str().unwrap().to_owned()
    }
}

impl Drop for Case {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.authority);
        let _ = std::fs::remove_file(self.session());
    }
}

/// `None` where the program is missing; the reason was printed then.
async fn run(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().await;
    match output {
        Ok(Output { stdout, stderr, .. }) => {
            Some(String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr))
        }
        Err(error) => {
            let remedy = "apt-get install bind9-dnsutils knot-dnsutils openssl";
            sotto_skip::skip(&format!("{program} does not run ({error}): {remedy}"));
            None
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kdig_believes_the_authority_and_the_name_and_gets_padded_answers() {
    let case = Case::new("kdig");
    let (port, ca) = (case.stage.dot().port().to_string(), format!("+tls-ca={}", case.authority()));
    let arguments =
        |hostname| ["@127.0.0.1", "-p", &port, &ca, hostname, "+padding", "+keepopen", "www.test", "AAAA"];
    let Some(output) = run("kdig", &arguments("+tls-hostname=dns.test")).await else {
        return;
    };
    assert!(output.contains("2001:db8::10") && output.contains("PADDING"), "{output}");
    let output = run("kdig", &arguments("+tls-hostname=other.test")).await.unwrap();
    assert!(!output.contains("2001:db8::10"), "another name is not believed: {output}");
}

#[tokio::test(flavor = "multi_thread")]
async fn kdig_asks_several_questions_on_one_connection() {
    let case = Case::new("kdig-many");
    let (port, ca) = (case.stage.dot().port().to_string(), format!("+tls-ca={}", case.authority()));
    let arguments = [
        "@127.0.0.1",
        "-p",
        &port,
        &ca,
        "+tls-hostname=dns.test",
        "+keepopen",
        "www.test",
        "ns.test",
        "huge.test",
        "TXT",
    ];
    let Some(output) = run("kdig", &arguments).await else {
        return;
    };
    assert!(
        output.contains("192.0.2.10") && output.contains("192.0.2.1") && output.contains("hhhh"),
        "{output}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn dig_over_tls_gets_keepalive_and_blocks_of_468() {
    let case = Case::new("dig");
    let (port, ca) = (case.stage.dot().port().to_string(), format!("+tls-ca={}", case.authority()));
    let arguments = [
        "@127.0.0.1",
        "-p",
        &port,
        "+tls",
        &ca,
        "+tls-hostname=dns.test",
        "+keepalive",
        "+padding=128",
        "www.test",
    ];
    let Some(output) = run("dig", &arguments).await else {
        return;
    };
    assert!(output.contains("TCP KEEPALIVE: 60.0 secs") && output.contains("rcvd: 468"), "{output}");
}

#[tokio::test(flavor = "multi_thread")]
async fn dig_reads_the_starttls_reply_and_its_bit() {
    let case = Case::new("dig-starttls");
    let port = case.stage.starttls().port().to_string();
    let arguments =
        ["@127.0.0.1", "-p", &port, "+tcp", "+norec", "+nocookie", "+coflag", "STARTTLS", "CH", "TXT"];
    let Some(output) = run("dig", &arguments).await else {
        return;
    };
    assert!(output.contains("\"STARTTLS\"") && output.contains("flags: co;"), "{output}");
    assert!(output.contains("rcvd: 58"), "{output}");
}

#[tokio::test(flavor = "multi_thread")]
async fn openssl_believes_the_certificate_and_resumes_both_versions() {
    let case = Case::new("openssl");
    let (address, session) = (case.stage.dot().to_string(), case.session());
    let connect = [
        "s_client",
        "-connect",
        &address,
        "-CAfile",
        case.authority(),
        "-verify_return_error",
        "-alpn",
        "dot",
    ];
    let with =
        |more: &[&'static str]| connect.iter().copied().chain(more.iter().copied()).collect::<Vec<_>>();
    let Some(output) = run("openssl", &with(&["-verify_ip", "127.0.0.1", "-tls1_2", "-reconnect"])).await
    else {
        return;
    };
    assert!(output.contains("Verify return code: 0") && output.contains("ALPN protocol: dot"), "{output}");
    assert_eq!(output.matches("Reused, TLSv1.2").count(), 5, "{output}");

    keep_session(&with(&["-tls1_3", "-verify_hostname", "dns.test"]), &session).await;
    let again: Vec<_> = with(&["-tls1_3"]).into_iter().chain(["-sess_in", &session]).collect();
    let output = run("openssl", &again).await.unwrap();
    assert!(output.contains("Reused, TLSv1.3"), "{output}");
    case.stage.until(|stats| stats.handshakes.resumed == 6).await;
}

/// Connects and leaves when there is a ticket, which comes after the handshake.
async fn keep_session(connect: &[&str], session: &str) {
    let mut child = Command::new("openssl")
        .args(connect)
        .args(["-sess_out", session])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    until("a session is written", || std::fs::metadata(session).is_ok_and(|file| file.len() > 0)).await;
    drop(child.stdin.take());
    child.wait().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn openssl_pads_the_end_of_a_handshake_whose_early_data_is_refused() {
    if run("openssl", &["version"]).await.is_none() {
        return;
    }
    let early = || Stage::with(|config| config.early_data = true);
    let first = Case::on(early(), "openssl-early");
    let query = framed(&ask(7, "www.test", Rtype::A));
    let file = first.authority.with_extension("early");
    std::fs::write(&file, &query).unwrap();
    let (address, session) = (first.stage.dot().to_string(), first.session());
    keep_session(&["s_client", "-connect", &address, "-alpn", "dot"], &session).await;
    let second = early();
    let mut child = Command::new("openssl")
        .args(["s_client", "-connect", &second.dot().to_string(), "-alpn", "dot", "-quiet"])
        .args(["-sess_in", &session, "-record_padding", "512", "-early_data", file.to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    child.stdin.as_mut().unwrap().write_all(&query).await.unwrap();
    second.until(|stats| stats.queries.tls == 1).await;
    let handshakes = second.server.stats().handshakes;
    assert_eq!((handshakes.full, handshakes.early, handshakes.failed), (1, 0, 0));
    std::fs::remove_file(&file).unwrap();
}
