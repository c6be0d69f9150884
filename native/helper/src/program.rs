//! Runs programs of the system, with an empty environment and a short time limit.

use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::time::timeout;

use crate::failure::{Code, Failure};

const WITHIN: Duration = Duration::from_secs(3);
const PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";

/// Any status but 0 is a failure. Its text is what the program wrote.
pub async fn succeed(program: &Path, words: &[&str], input: &str) -> Result<(), Failure> {
    let output = output(program, words, input).await?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(refused(program, &format!("{}: {said}", output.status)))
}

pub async fn output(program: &Path, words: &[&str], input: &str) -> Result<Output, Failure> {
    let failed = |error: std::io::Error| refused(program, &error.to_string());
    let mut command = Command::new(program);
    command.args(words).env_clear().env("PATH", PATH).current_dir("/").kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // a program that does not read its input closes it first
        let _ = stdin.write_all(input.as_bytes()).await;
    }
    match timeout(WITHIN, child.wait_with_output()).await {
        Ok(output) => output.map_err(failed),
        Err(_) => Err(refused(program, "it took too long and was killed")),
    }
}

fn refused(program: &Path, why: &str) -> Failure {
    Failure::new(
        Code::RefusedBySystem,
        format!("{} failed: {why}", program.display()),
        "run it by hand to see why; for the system's DNS, Sotto can use another mechanism",
    )
}
