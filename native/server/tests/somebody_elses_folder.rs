//! Root writes and reads where another account may change names: its files become nobody else's, and nothing is waited for.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown, symlink};
use std::path::{Path, PathBuf};
use std::process::Output;

use sotto_skip::waiting::within;
use tokio::process::Command;

use crate::stage::program::Folder;

/// The account of a server.
const SOMEBODY: u32 = 12_345;
const SERVE: &str = "--zone test.zone --origin test --dot 127.0.0.1:0 --self-signed dns.test";

/// `None`: only root can give the folder away.
fn given_away(name: &str) -> Option<Folder> {
    let folder = Folder::new(name);
    match chown(&folder.0, Some(SOMEBODY), Some(SOMEBODY)) {
        Ok(()) => Some(folder),
        Err(error) => {
            sotto_skip::skip(&format!("no folder of somebody else ({error}): run as root"));
            None
        }
    }
}

/// A file of root's, to which that account would like to lead root.
fn victim(folder: &Folder) -> PathBuf {
    folder.write("victim", "root's");
    folder.0.join("victim")
}

fn is_untouched(victim: &Path) -> bool {
    let found = victim.metadata().unwrap();
    fs::read(victim).unwrap() == b"root's" && found.uid() == 0 && found.mode() & 0o777 == 0o644
}

/// Runs the program after `words` of a shell in which `$$` is the number of the program to be.
async fn after(folder: &Folder, words: &str, arguments: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_sotto-server");
    let mut shell = Command::new("sh");
    shell.current_dir(&folder.0).kill_on_drop(true);
    shell.arg("-c").arg(format!("umask 022; {words}; exec {program} {arguments}"));
    within("it waits for something", shell.output()).await.unwrap()
}

#[tokio::test]
async fn a_secret_that_root_makes_goes_to_the_account_and_nothing_else_does() {
    let Some(folder) = given_away("given") else { return };
    let victim = victim(&folder);
    for make in ["ticket-secret secret", "encdns-key --zone enc.test secret"] {
        for trap in [
            "ln -s victim secret.$$.new",
            "ln victim secret.$$.new",
            "mkfifo secret.$$.new",
            "ln -s victim2 secret",
            "true",
        ] {
            let made = after(&folder, trap, make).await;
            assert_eq!(made.status.code(), Some(0), "{make}, {trap}: {made:?}");
            let found = folder.0.join("secret").symlink_metadata().unwrap();
            assert!(found.is_file(), "{make}, {trap}");
            let belongs = (found.uid(), found.gid(), found.permissions().mode() & 0o7777);
            assert_eq!(belongs, (SOMEBODY, SOMEBODY, 0o600), "{make}");
            assert!(is_untouched(&victim), "{make}, {trap}");
            assert!(!folder.0.join("victim2").exists(), "{make}, {trap}");
            fs::remove_file(folder.0.join("secret")).unwrap();
        }
    }
}

#[tokio::test]
async fn a_link_of_the_accounts_leads_root_nowhere() {
    let Some(folder) = given_away("linked") else { return };
    fs::create_dir(folder.0.join("roots")).unwrap();
    symlink("roots", folder.0.join("sub")).unwrap();
    lchown(folder.0.join("sub"), Some(SOMEBODY), Some(SOMEBODY)).unwrap();
    for arguments in [
        "ticket-secret sub/tickets",
        "encdns-key --zone enc.test sub/key",
        &format!("{SERVE} --certificate-out sub/ca.pem"),
    ] {
        let refused = after(&folder, "true", arguments).await;
        assert_ne!(refused.status.code(), Some(0), "{arguments}");
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(said.contains(&format!("a link of user {SOMEBODY}")), "{arguments}: {said}");
        assert_eq!(fs::read_dir(folder.0.join("roots")).unwrap().count(), 0, "{arguments}");
    }
}

#[tokio::test]
async fn certificate_and_key_are_written_over_nothing_of_roots() {
    let Some(folder) = given_away("certificate-out") else { return };
    let victim = victim(&folder);
    let trap = "ln -s victim ca.pem.$$.new; ln -s victim ca.pem; ln -s victim2 key";
    let mut running = Command::new("sh");
    running.current_dir(&folder.0).kill_on_drop(true).stdout(std::process::Stdio::piped());
    let program = env!("CARGO_BIN_EXE_sotto-server");
    running.arg("-c").arg(format!("{trap}; exec {program} {SERVE} --certificate-out ca.pem"));
    let mut child = running.spawn().unwrap();
    let mut lines =
        tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(child.stdout.take().unwrap()));
    assert!(lines.next_line().await.unwrap().unwrap().contains("ready"));
    assert!(folder.0.join("ca.pem").symlink_metadata().unwrap().is_file());
    let made = after(&folder, "true", "encdns-key --zone enc.test key").await;
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    assert!(folder.0.join("key").symlink_metadata().unwrap().is_file());
    assert!(is_untouched(&victim));
    assert!(!folder.0.join("victim2").exists());
}

/// The package's upgrade runs `check` as root.
#[tokio::test]
async fn a_pipe_in_the_place_of_any_file_is_refused_and_not_waited_for() {
    let folder = Folder::new("pipes");
    let made = Command::new("mkfifo").current_dir(&folder.0).arg("pipe").status().await.unwrap();
    assert!(made.success());
    folder.certify("dns");
    for arguments in [
        "check --config pipe",
        "check --zone pipe --origin test --dot 127.0.0.1:0 --self-signed dns.test",
        "check --zone test.zone --origin test --dot 127.0.0.1:0 --certificate pipe --key dns.key",
        "check --zone test.zone --origin test --dot 127.0.0.1:0 --certificate dns.pem --key pipe",
        "check --to dot://127.0.0.1:853#dns.test --ca pipe --dot 127.0.0.1:0 --self-signed dns.test",
        &format!("check {SERVE} --ticket-secret pipe"),
        &format!("check {SERVE} --encdns enc.test --encdns-address 192.0.2.1 --encdns-key pipe"),
        "ticket-secret pipe",
        "encdns-key --zone enc.test pipe",
    ] {
        let refused = after(&folder, "true", arguments).await;
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(refused.status.code() == Some(2) && said.contains("no regular file"), "{arguments}: {said}");
    }
}
