//! Whose connections on a Unix socket are served, and the lines exchanged there: a request is one line, and so is its reply.

use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::task::spawn_local;
use tokio::time::sleep;

use crate::failure::{Code, Failure};
use crate::reply::Reply;
use crate::request::LONGEST;
use crate::sockets;

const CONNECTIONS: usize = 16;
/// After running out of descriptors, until some are free.
const PAUSE: Duration = Duration::from_millis(100);

/// What the server of a socket does with one connection.
pub trait Answers {
    type Done: Serialize;
    async fn answer(&mut self, line: &[u8]) -> Result<Self::Done, Failure>;
}

/// Runs until this process ends. Connections of root and of this user are served; all others are closed unread.
pub async fn accept<A: Answers + 'static>(listener: UnixListener, user: &str, begin: Rc<dyn Fn() -> A>) {
    let seats = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        if !sockets::is_heard(&stream, user) {
            continue;
        }
        if let Ok(seat) = seats.clone().try_acquire_owned() {
            let begin = begin.clone();
            spawn_local(async move {
                let _ = converse(stream, begin()).await;
                drop(seat);
            });
        }
    }
}

async fn converse(stream: UnixStream, mut desk: impl Answers) -> io::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    loop {
        let mut line = vec![];
        if (&mut read).take(LONGEST as u64).read_until(b'\n', &mut line).await? == 0 {
            return Ok(());
        }
        let whole = line.pop_if(|last| *last == b'\n').is_some();
        let done = if whole { desk.answer(&line).await } else { Err(cut_off()) };
        let mut reply = json!(done.map_or_else(Reply::Failed, Reply::Ok)).to_string();
        reply.push('\n');
        write.write_all(reply.as_bytes()).await?;
        if !whole {
            return Ok(());
        }
    }
}

/// The line is longer than any request may be, or the connection ended before the line did.
fn cut_off() -> Failure {
    Failure::new(
        Code::BadRequest,
        format!("a request is one line of at most {LONGEST} octets"),
        "send it whole, with a line feed at its end",
    )
}
