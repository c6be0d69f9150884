//! Whoever is not root asks the helper that serves. If that helper has just been killed, systemd starts it again, and this waits
//! for it.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

const TRY_FOR: Duration = Duration::from_secs(4);
const PAUSE: Duration = Duration::from_millis(50);
const ANSWER_WITHIN: Duration = Duration::from_secs(20);

/// Whether everything could be given back.
pub fn give_back(socket: &Path) -> Result<bool, String> {
    let give_up = Instant::now() + TRY_FOR;
    let line = loop {
        match exchange(socket) {
            Ok(line) => break line,
            Err(error) if Instant::now() > give_up => {
                return Err(format!(
                    "nobody answers on {}: {error} – is its service running?",
                    socket.display()
                ));
            }
            Err(_) => sleep(PAUSE),
        }
    };
    println!("{}", line.trim_end());
    let reply: Value = serde_json::from_str(&line).map_err(|error| error.to_string())?;
    Ok(reply["ok"]["kept"].as_array().is_some_and(Vec::is_empty))
}

/// If the helper dies meanwhile, it closes the connection. Giving back twice does the same as giving back once.
fn exchange(socket: &Path) -> io::Result<String> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(ANSWER_WITHIN))?;
    stream.write_all(b"{\"verb\":\"give-back\"}\n")?;
    let mut line = String::new();
    match BufReader::new(stream).read_line(&mut line)? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(line),
    }
}
