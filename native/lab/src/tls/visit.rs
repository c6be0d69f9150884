//! One connection after another, each with one query.

use std::io;
use std::time::Duration;

use rustls::HandshakeKind;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, timeout};

use super::client::{Client, Stream};
use super::tally::{Shared, Tally};
use crate::question::Question;

const SLOWEST_RESPONSE: Duration = Duration::from_secs(5);

/// `resumes`: the first visit is not counted, because it gets the ticket for the second.
pub async fn again_and_again(
    client: Client,
    question: Question,
    resumes: bool,
    until: Instant,
    tally: Shared,
) {
    let mut counts = Tally::default();
    if resumes {
        let _ = visit(&client, &question).await;
    }
    while Instant::now() < until {
        let begun = Instant::now();
        match visit(&client, &question).await {
            Ok(kind) => {
                counts.done += 1;
                counts.resumed += u64::from(kind == Some(HandshakeKind::Resumed));
                counts.latencies.record(begun.elapsed());
            }
            Err(_) => counts.failed += 1,
        }
    }
    tally.lock().expect("no task panics while it counts").add(&counts);
}

async fn visit(client: &Client, question: &Question) -> io::Result<Option<HandshakeKind>> {
    let mut stream = client.connect().await?;
    ask_once(&mut stream, question).await?;
    let kind = stream.get_ref().1.handshake_kind();
    stream.shutdown().await?;
    Ok(kind)
}

pub async fn ask_once(stream: &mut Stream, question: &Question) -> io::Result<()> {
    let asking = async {
        stream.write_all(&question.framed(0)).await?;
        stream.flush().await?;
        let mut response = vec![0; usize::from(stream.read_u16().await?)];
        stream.read_exact(&mut response).await?;
        match question.is_asked_in(&response) {
            true => Ok(()),
            false => Err(io::Error::other("a response to another question")),
        }
    };
    timeout(SLOWEST_RESPONSE, asking).await?
}
