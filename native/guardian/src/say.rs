//! The guardian's log: JSON lines among the service's own, on standard error or in the file of `sotto run --journal`; `time` in unix
//! milliseconds.

use std::io::{self, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};
use sotto_files::appended;

pub fn info(message: &str, fields: Value) {
    say("info", message, fields);
}

pub fn warn(message: &str, fields: Value) {
    say("warn", message, fields);
}

fn say(level: &str, message: &str, fields: Value) {
    let mut line = Map::from_iter([
        ("level".into(), json!(level)),
        ("time".into(), json!(now_ms())),
        ("pid".into(), json!(std::process::id())),
        ("part".into(), json!("guardian")),
    ]);
    if let Value::Object(fields) = fields {
        line.extend(fields);
    }
    line.insert("message".into(), json!(message));
    // whoever reads it may be gone, or the disk full; the guardian goes on
    let _ = write(format!("{}\n", Value::Object(line)).as_bytes());
}

fn write(line: &[u8]) -> io::Result<()> {
    match std::env::var_os("SOTTO_JOURNAL") {
        Some(file) => appended::open(file.as_ref())?.write_all(line),
        None => io::stderr().write_all(line),
    }
}

/// Unix milliseconds.
pub fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_millis() as u64
}
