//! Machines that share a ticket secret, and its file.

use std::os::unix::fs::PermissionsExt;

use domain::base::Rtype;
use rustls::HandshakeKind;
use sotto_server::{TicketSecret, Tickets};
use sotto_skip::waiting::until_found;
use tokio::net::TcpStream;

use crate::stage::clients::{exchange, secure_with, tls_client};
use crate::stage::messages::ask;
use crate::stage::program::{Folder, Running};
use crate::stage::{self, Stage};

#[tokio::test]
async fn a_client_of_one_machine_resumes_at_another_in_both_versions_of_tls() {
    let secret = TicketSecret::generate(7_200).unwrap();
    let one = Stage::with(|config| config.tickets = Tickets::new(secret.clone(), 7_200).unwrap());
    let other = Stage::with(|config| config.tickets = Tickets::new(secret, 10_800).unwrap());
    let stranger = Stage::new();
    for versions in [&[&rustls::version::TLS13], &[&rustls::version::TLS12]] {
        let client = tls_client(&one, versions);
        for (server, kind) in
            [(&one, HandshakeKind::Full), (&other, HandshakeKind::Resumed), (&one, HandshakeKind::Resumed)]
        {
            let mut tls = secure_with(&client, TcpStream::connect(server.dot()).await.unwrap()).await;
            // TLS 1.3 tickets arrive with the first octets after the handshake
            exchange(&mut tls, &ask(1, "www.test", Rtype::A)).await;
            let seen = tls.get_ref().1.handshake_kind().unwrap();
            // a full handshake may have taken a second round for the key exchange
            assert_eq!(seen == HandshakeKind::Resumed, kind == HandshakeKind::Resumed, "{seen:?}");
        }
        let tcp = TcpStream::connect(stranger.dot()).await.unwrap();
        let refused = client.connect(stage::NAME.try_into().unwrap(), tcp).await;
        assert!(refused.is_err(), "its certificate is another, and no ticket spares it");
    }
}

#[tokio::test]
async fn the_file_is_made_once_and_is_for_its_owner_alone() {
    let folder = Folder::new("ticket-file");
    let make = async || folder.command().args(["ticket-secret", "tickets"]).output().await.unwrap();
    let first = make().await;
    let text = std::fs::read_to_string(folder.0.join("tickets")).unwrap();
    let mode = std::fs::metadata(folder.0.join("tickets")).unwrap().permissions().mode();
    assert_eq!((first.status.code(), mode & 0o777), (Some(0), 0o600));
    let second = make().await;
    assert_eq!(first.stdout, second.stdout, "{second:?}");
    assert_eq!(std::fs::read_to_string(folder.0.join("tickets")).unwrap(), text);
    assert!(!String::from_utf8(first.stdout).unwrap().contains(text.lines().last().unwrap()));
}

const SERVE: &str = "--zone test.zone --origin test --dot 127.0.0.1:0 --self-signed dns.test";

#[tokio::test]
async fn what_is_no_secret_is_refused_with_its_file() {
    let folder = Folder::new("ticket-wrong");
    folder.write("wrong", "hour = 1\n");
    let serve = async |more: &str| folder.refused(&format!("{SERVE} {more}")).await;
    let (code, said) = serve("--ticket-secret wrong").await;
    assert!(code == 2 && said.contains("wrong") && said.contains("secret ="), "{said}");
    let (code, said) = serve("--ticket-secret missing").await;
    assert!(code == 2 && said.contains("missing") && said.contains("sotto-server ticket-secret"), "{said}");
    let (code, said) = serve("--ticket-secret wrong --early-data").await;
    assert!(code == 2 && said.contains("--early-data"), "{said}");
}

/// The secret of an hour long ago, which a machine that was off for years has.
const OLD: &str = "hour = 100\nsecret = 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n";

#[tokio::test]
async fn an_old_file_is_written_anew_without_what_is_over() {
    let folder = Folder::new("ticket-old");
    folder.write("tickets", OLD);
    let before = TicketSecret::parse(OLD).unwrap().begins();
    let _running =
        Running::start(folder.command().args(SERVE.split(' ')).args(["--ticket-secret", "tickets"])).await;
    let moved = async || {
        let text = folder.read("tickets");
        TicketSecret::parse(&text).is_ok_and(|secret| secret.begins() > before).then_some(text)
    };
    let text = until_found("it is written anew", moved).await;
    assert!(text.starts_with('#') && !text.contains("000102"), "{text}");
}

#[tokio::test]
async fn a_file_that_cannot_be_written_is_told_and_nobody_waits() {
    let folder = Folder::new("ticket-unwritable");
    folder.write("tickets", OLD);
    // no file may grow, as on a full disk
    let mut running = {
        let mut command = folder.command();
        command.args([
            "-c",
            "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"",
            env!("CARGO_BIN_EXE_sotto-server"),
        ]);
        let mut shell = tokio::process::Command::new("sh");
        shell.current_dir(&folder.0).kill_on_drop(true);
        shell.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        shell.args(command.as_std().get_args()).args(SERVE.split(' ')).args(["--ticket-secret", "tickets"]);
        Running::start(&mut shell).await
    };
    let said = running.complaint().await;
    assert!(said.contains("cannot write the ticket secret tickets"), "{said}");
}
