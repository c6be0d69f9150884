//! Reads a scenario and plays it, line after line.
//!
//! ```text
//! lines ─▶ stage (settings, peers, clients) ─▶ engine ─▶ peers (scripted upstreams)
//!             └▶ expect
//! ```

mod expect;
pub mod peer;
pub mod records;
pub mod reply;
mod settings;
pub mod stage;
pub mod transports;
mod words;

use std::path::Path;

use stage::Stage;

/// One line, with what is indented below it.
pub struct Statement {
    number: usize,
    pub text: String,
    under: Vec<(usize, String)>,
}

/// The error reads `file:line: what came instead`.
pub fn run(file: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let mut stage = Stage::new();
        for statement in statements(&text) {
            let at = |number: usize, why: String| format!("{name}:{number}: {why}");
            let number = statement.number;
            stage
                .play(&statement)
                .await
                .map_err(|why| at(number, format!("{}\n    {why}", statement.text)))?;
        }
        stage.end().await.map_err(|why| format!("{name}: at the end: {why}"))
    })
}

pub fn statements(text: &str) -> Vec<Statement> {
    let mut statements: Vec<Statement> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let content = line.split(" #").next().unwrap_or_default().trim_end();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let number = index + 1;
        match statements.last_mut() {
            Some(last) if content.starts_with(' ') => last.under.push((number, content.trim().to_owned())),
            _ => statements.push(Statement { number, text: content.trim().to_owned(), under: vec![] }),
        }
    }
    statements
}

/// `300 s`, `200 ms`, `2 h`.
fn duration(number: &str, unit: &str) -> Result<std::time::Duration, String> {
    let number: u64 = number.parse().map_err(|_| format!("{number:?} is no number"))?;
    let millis = match unit {
        "ms" => number,
        "s" => number * 1000,
        "min" => number * 60_000,
        "h" => number * 3_600_000,
        _ => return Err(format!("{unit:?} is no unit: ms, s, min, h")),
    };
    Ok(std::time::Duration::from_millis(millis))
}
