//! What a run says on standard output, and what becomes of it where that cannot be written.

use std::io::{self, ErrorKind, Write};

/// Lines with their ends. If the reader has gone (`| head -1`), nothing is lost.
pub fn print(text: &str) -> Result<(), String> {
    let mut out = io::stdout().lock();
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush()), "the result")
}

/// Why `what` could not be written. Whoever reads no further has enough.
pub fn written(result: io::Result<()>, what: &str) -> Result<(), String> {
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(|error| format!("can't write {what} to standard output: {error}")),
    }
}
