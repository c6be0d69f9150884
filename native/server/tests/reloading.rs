//! `sotto-server reload`: whoever asks for a reload learns what became of it.
#![cfg(unix)]

mod stage;

use std::os::unix::fs::PermissionsExt;
use std::process::Output;

use stage::program::{Folder, Running};

const SETTINGS: &str =
    "zone = 'test.zone'\norigin = 'test'\ndot = '127.0.0.1:0'\ncertificate = 'one.pem'\nkey = 'one.key'\n";

async fn started(name: &str, arguments: &str) -> (Folder, Running) {
    let folder = Folder::new(name);
    folder.certify("one");
    folder.write("server.toml", SETTINGS);
    let mut command = folder.command();
    command.args(["--config", "server.toml"]).args(arguments.split_whitespace());
    let running = Running::start(&mut command).await;
    (folder, running)
}

async fn reload(folder: &Folder, running: &Running, more: &str) -> (i32, String) {
    let pid = running.child.id().unwrap().to_string();
    let mut command = folder.command();
    command.args(["reload", "--pid", &pid, "--report", "told"]).args(more.split_whitespace());
    let Output { status, stderr, .. } = command.output().await.unwrap();
    (status.code().unwrap(), String::from_utf8(stderr).unwrap())
}

#[tokio::test]
async fn it_says_whether_all_was_taken_a_part_or_nothing() {
    let (folder, running) = started("reload", "--reload-report told").await;
    assert_eq!(reload(&folder, &running, "").await, (0, String::new()));

    for (more, keys) in [
        ("dnstap = 'nobody'\n", vec!["dnstap"]),
        ("metrics = '127.0.0.1:0'\nlimit-unproven = 7\n", vec!["metrics", "limit-unproven"]),
        ("udp-unproven = 'full'\nidle = '30s'\n", vec!["udp-unproven"]),
    ] {
        folder.write("server.toml", &format!("{SETTINGS}{more}"));
        let (status, said) = reload(&folder, &running, "").await;
        assert_eq!(status, 4, "{said}");
        assert_eq!(said.lines().count(), keys.len(), "{said}");
        assert!(keys.iter().all(|key| said.contains(&format!("{key} needs a restart"))), "{said}");
    }

    folder.write("server.toml", &format!("{SETTINGS}idle = 'soon'\n"));
    let (status, said) = reload(&folder, &running, "").await;
    assert!(status == 2 && said.contains("line 6: idle = \"soon\""), "{said}");
    folder.write("server.toml", SETTINGS);
    assert_eq!(reload(&folder, &running, "").await, (0, String::new()));
    assert!(!folder.0.join("told").exists(), "nobody waits any more");
}

#[tokio::test]
async fn it_fails_where_nobody_tells_and_where_nobody_is() {
    let (folder, mut running) = started("untold", "").await;
    let (status, said) = reload(&folder, &running, "--timeout 1").await;
    assert!(status == 1 && said.contains("--reload-report told"), "{said}");
    let pid = running.child.id().unwrap().to_string();
    running.child.kill().await.unwrap();
    let output = folder.command().args(["reload", "--pid", &pid, "--report", "told"]).output().await.unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[tokio::test]
async fn check_finds_keys_that_every_account_may_read() {
    let folder = Folder::new("open-keys");
    folder.certify("one");
    folder.write("server.toml", SETTINGS);
    let check = async || {
        let output = folder.command().args(["check", "--config", "server.toml"]).output().await.unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(check().await, (0, String::new()));
    let key = folder.0.join("one.key");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    let (status, said) = check().await;
    assert!(status == 3 && said.contains("key one.key: every account"), "{said}");
}

#[tokio::test]
async fn check_looks_with_the_eyes_of_the_account_that_is_named() {
    // SAFETY: it has no condition
    if unsafe { libc::geteuid() } != 0 {
        return sotto_skip::skip("only root can check as somebody else");
    }
    let folder = Folder::new("eyes");
    folder.certify("one");
    folder.write("server.toml", SETTINGS);
    let check = async |account: &str| {
        let words = ["check", "--as", account, "--config", "server.toml"];
        let output = folder.command().args(words).output().await.unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(check("root").await, (0, String::new()));
    let (status, said) = check("nobody").await;
    assert!(status == 2 && said.contains("key one.key") && said.contains("Permission denied"), "{said}");
    assert!(said.contains("as the account nobody"), "{said}");
    let (status, said) = check("no-such-account").await;
    assert!(status == 2 && said.contains("no such account"), "{said}");
}
