//! `sotto-server reload`: whoever asks for a reload learns what became of it.
#![cfg(unix)]

use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::process::Output;

use crate::stage::program::{Folder, Running};

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
async fn it_removes_nothing_but_a_socket_that_was_left() {
    let (folder, running) = started("mistyped", "--reload-report told").await;
    let told = folder.0.join("told");
    let refused = async |why: &str| {
        let (status, said) = reload(&folder, &running, "--timeout 1").await;
        assert!(status == 2 && said.contains(why) && said.contains("--reload-report"), "{status} {said}");
        assert!(told.symlink_metadata().is_ok(), "it stays");
        std::fs::remove_file(&told).or_else(|_| std::fs::remove_dir(&told)).unwrap();
    };
    folder.write("told", "precious");
    refused("something else than a socket").await;
    std::os::unix::fs::symlink("server.toml", &told).unwrap();
    refused("something else than a socket").await;
    std::fs::create_dir(&told).unwrap();
    refused("something else than a socket").await;
    let stream = UnixListener::bind(&told).unwrap();
    refused("somebody waits there").await;
    let datagrams = UnixDatagram::bind(&told).unwrap();
    refused("somebody waits there").await;
    drop((stream, datagrams));

    drop(UnixDatagram::bind(&told).unwrap());
    assert_eq!(reload(&folder, &running, "").await, (0, String::new()), "what was left is no obstacle");
}

#[tokio::test]
async fn root_hears_a_server_that_runs_as_somebody_else() {
    // SAFETY: it has no condition
    if unsafe { libc::geteuid() } != 0 {
        return sotto_skip::skip("only root can start a server as somebody else");
    }
    const NOBODY: u32 = 65_534;
    let folder = Folder::new("somebody-else");
    folder.certify("one");
    folder.write("server.toml", SETTINGS);
    for name in ["", "one.key"] {
        chown(folder.0.join(name), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    let mut command = folder.command();
    command.args(["--config", "server.toml", "--reload-report", "told"]).uid(NOBODY).gid(NOBODY);
    let running = Running::start(&mut command).await;
    assert_eq!(reload(&folder, &running, "--timeout 60").await, (0, String::new()));
    assert!(!folder.0.join("told").exists(), "nobody waits any more");
}

#[tokio::test]
async fn it_says_that_other_authorities_in_the_same_file_need_a_restart() {
    let folder = Folder::new("authorities");
    folder.certify("one");
    folder.certify("two");
    folder.write("ca.pem", &folder.read("one.pem"));
    let settings = "to = 'dot://127.0.0.1:9#dns.test'\ndot = '127.0.0.1:0'\ncertificate = 'one.pem'\nkey = 'one.key'\nca = 'ca.pem'\n";
    folder.write("server.toml", settings);
    let mut command = folder.command();
    let running = Running::start(command.args(["--config", "server.toml", "--reload-report", "told"])).await;
    assert_eq!(reload(&folder, &running, "").await, (0, String::new()));
    folder.write("ca.pem", &folder.read("two.pem"));
    let needed = (4, "sotto-server: ca needs a restart: it stays as it was\n".to_owned());
    assert_eq!(reload(&folder, &running, "").await, needed);
    folder.write("two-ca.pem", &folder.read("two.pem"));
    folder.write("server.toml", &settings.replace("ca.pem", "two-ca.pem"));
    assert_eq!(reload(&folder, &running, "").await, needed, "and once where the path is another one, too");
    folder.write("ca.pem", &folder.read("one.pem"));
    folder.write("server.toml", settings);
    assert_eq!(reload(&folder, &running, "").await, (0, String::new()));
}

#[tokio::test]
async fn check_finds_keys_that_every_account_may_read_or_replace() {
    let folder = Folder::new("open-keys");
    folder.certify("one");
    folder.write("server.toml", SETTINGS);
    let check = async || {
        let output = folder.command().args(["check", "--config", "server.toml"]).output().await.unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(check().await, (0, String::new()));
    let allow = |name: &str, mode: u32| {
        std::fs::set_permissions(folder.0.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    for (mode, may) in [(0o644, "read"), (0o622, "replace"), (0o666, "read and replace")] {
        allow("one.key", mode);
        let (status, said) = check().await;
        let complaint = format!("key one.key: every account of this machine may {may} it");
        assert!(status == 3 && said.contains(&complaint), "{mode:o}: {said}");
    }
    allow("one.key", 0o600);
    folder.write("one.pem", &(folder.read("one.pem") + &folder.read("one.key")));
    allow("one.pem", 0o644);
    let (status, said) = check().await;
    assert!(status == 3 && said.contains("certificate, which holds a key, one.pem: every account"), "{said}");
    allow("one.pem", 0o640);
    assert_eq!(check().await, (0, String::new()));
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
