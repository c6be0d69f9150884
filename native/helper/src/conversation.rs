//! Who is heard on a Unix socket, and the lines that are exchanged there: one a request, one a reply.

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
/// Out of descriptors: wait for some to come free.
const PAUSE: Duration = Duration::from_millis(100);

/// One connection's part of whoever serves it.
pub trait Answers {
    type Done: Serialize;
    async fn answer(&mut self, line: &[u8]) -> Result<Self::Done, Failure>;
}

/// Until this process ends. Root and this user are heard; anybody else is closed unread.
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

/// Longer than any request, or ended in the middle of one.
fn cut_off() -> Failure {
    Failure::new(
        Code::BadRequest,
        format!("a request is one line of at most {LONGEST} octets"),
        "send it whole, with a line feed at its end",
    )
}
