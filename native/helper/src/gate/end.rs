//! Opens the gate when the system's DNS has been given back: programs may ask other resolvers again, and nothing is counted.

use std::io::{self, ErrorKind};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;

use super::{coverage, record, rules};
use crate::failure::Failure;
use crate::place::Place;

/// Asks the gate's own process first. If that does not run, this process removes the rules, which it can if it has the right to.
pub async fn end(place: &Place) -> Result<(), Failure> {
    // A table that only counts keeps nobody from anything, so what is in its way is no failure of giving back.
    if !matches!(ask(place, "uncount").await, Ok(true)) && coverage::stands() {
        let _ = coverage::remove(place).await;
    }
    if matches!(record::read(place), Ok(None)) || matches!(ask(place, "open").await, Ok(true)) {
        return Ok(());
    }
    rules::open(place).await?;
    let _ = record::remove(place);
    Ok(())
}

async fn ask(place: &Place, verb: &str) -> io::Result<bool> {
    let mut stream = UnixStream::connect(place.gate_socket()).await?;
    stream.write_all(format!("{{\"verb\":\"{verb}\"}}\n").as_bytes()).await?;
    let mut line = String::new();
    match BufReader::new(stream).read_line(&mut line).await? {
        0 => Err(ErrorKind::UnexpectedEof.into()),
        _ => Ok(line.starts_with("{\"ok\"")),
    }
}
