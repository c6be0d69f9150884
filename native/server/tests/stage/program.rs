//! The program itself, as a person or a service manager starts it.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, ChildStdout, Command};

use super::ZONE;

/// A folder of its own with the zone of the stage in it, in which the program runs; it goes with the test.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("sotto-server-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("test.zone"), ZONE).unwrap();
        Folder(path)
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sotto-server"));
        command.current_dir(&self.0).kill_on_drop(true).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The program as the one that another one starts.
    pub fn command_behind(&self, other: &str, words: &[&str]) -> Command {
        let mut command = Command::new(other);
        command.current_dir(&self.0).kill_on_drop(true).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.args(words).arg(env!("CARGO_BIN_EXE_sotto-server"));
        command
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }

    pub async fn refused(&self, arguments: &str) -> (i32, String) {
        let Output { status, stdout, stderr } =
            self.command().args(arguments.split_whitespace()).output().await.unwrap();
        assert!(stdout.is_empty(), "nothing was ready: {}", String::from_utf8_lossy(&stdout));
        (status.code().unwrap(), String::from_utf8(stderr).unwrap())
    }

    pub async fn start(&self, arguments: &str) -> (Child, Lines<BufReader<ChildStdout>>, serde_json::Value) {
        let mut child = self.command().args(arguments.split_whitespace()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let ready = lines.next_line().await.unwrap().expect("a line that says ready");
        (child, lines, serde_json::from_str(&ready).unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Folder {
    /// A key is for its owner alone.
    pub fn write(&self, name: &str, text: &str) {
        let file = self.0.join(name);
        std::fs::write(&file, text).unwrap();
        if name.ends_with(".key") {
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
    }

    /// Makes NAME.pem and NAME.key, for dns.test.
    pub fn certify(&self, name: &str) {
        let made = rcgen::generate_simple_self_signed(vec![super::NAME.into()]).unwrap();
        self.write(&format!("{name}.pem"), &made.cert.pem());
        self.write(&format!("{name}.key"), &made.signing_key.serialize_pem());
    }
}

/// A started program, line by line.
pub struct Running {
    pub child: Child,
    pub lines: Lines<BufReader<ChildStdout>>,
    pub complaints: Lines<BufReader<ChildStderr>>,
    pub ready: serde_json::Value,
}

impl Running {
    pub async fn start(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let complaints = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut running = Running { child, lines, complaints, ready: serde_json::Value::Null };
        running.ready = running.line().await;
        running
    }

    /// The next line of JSON.
    pub async fn line(&mut self) -> serde_json::Value {
        let line = self.lines.next_line().await.unwrap().expect("one more line");
        serde_json::from_str(&line).unwrap()
    }

    /// The next complaint that is not about this machine's kernel.
    pub async fn complaint(&mut self) -> String {
        loop {
            let said = self.complaints.next_line().await.unwrap().expect("one more complaint");
            if !said.contains("Fast Open") {
                return said;
            }
        }
    }

    pub async fn signal(&self, name: &str) {
        let pid = self.child.id().unwrap().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().await.unwrap().success());
    }

    pub fn address(&self, door: &str, at: usize) -> std::net::SocketAddr {
        self.ready[door][at].as_str().unwrap().parse().unwrap()
    }
}

/// Names, sorted.
pub fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
