//! Frame Streams over a Unix socket, as its sender (https://farsightsec.github.io/fstrm/): READY, ACCEPT and START before the first
//! frame, STOP and FINISH after the last.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::timeout;

const CONTENT_TYPE: &[u8] = b"protobuf:dnstap.Dnstap";
const ACCEPT: u32 = 1;
const START: u32 = 2;
const STOP: u32 = 3;
const READY: u32 = 4;
const FINISH: u32 = 5;
/// The one field of a control frame.
const CONTENT_TYPE_FIELD: u32 = 1;
const LONGEST_CONTROL: usize = 512;
const HANDSHAKE: Duration = Duration::from_secs(5);
const FAREWELL: Duration = Duration::from_secs(1);

pub struct FrameStream(UnixStream);

impl FrameStream {
    pub async fn open(path: &Path) -> io::Result<Self> {
        timeout(HANDSHAKE, Self::shake_hands(path)).await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))
    }

    async fn shake_hands(path: &Path) -> io::Result<Self> {
        let mut stream = UnixStream::connect(path).await?;
        is_trusted(stream.peer_cred()?.uid())?;
        stream.write_all(&control(READY, Some(CONTENT_TYPE))).await?;
        let (kind, types) = read_control(&mut stream).await?;
        let is_ours = types.is_empty() || types.windows(CONTENT_TYPE.len()).any(|part| part == CONTENT_TYPE);
        if kind != ACCEPT || !is_ours {
            return Err(io::Error::new(ErrorKind::InvalidData, "the reader does not take dnstap"));
        }
        stream.write_all(&control(START, Some(CONTENT_TYPE))).await?;
        Ok(FrameStream(stream))
    }

    /// Whole frames, each with its length before it.
    pub async fn send(&mut self, frames: &[u8]) -> io::Result<()> {
        self.0.write_all(frames).await
    }

    /// Returns when the reader has gone, or says what it may not.
    pub async fn is_gone(&self) {
        while self.0.readable().await.is_ok()
            && self.0.try_read(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
        {}
    }

    /// Waits a moment for the reader's word that it has all.
    pub async fn finish(mut self) {
        let farewell = async {
            self.0.write_all(&control(STOP, None)).await?;
            while read_control(&mut self.0).await?.0 != FINISH {}
            io::Result::Ok(())
        };
        let _ = timeout(FAREWELL, farewell).await;
    }
}

/// Whether the reader's account may have all names that clients ask for: the socket of another one may lie where ours was to be. The
/// kernel says who listens.
fn is_trusted(account: u32) -> io::Result<()> {
    let own = UnixStream::pair()?.0.peer_cred()?.uid();
    if account == own || account == 0 {
        return Ok(());
    }
    Err(io::Error::new(
        ErrorKind::PermissionDenied,
        format!(
            "account {account} listens there: run the reader as root, or as the account of this server ({own})"
        ),
    ))
}

/// An escape of four zeros, the length, the type, and a field with a type and a length.
fn control(kind: u32, content: Option<&[u8]>) -> Vec<u8> {
    let mut body = kind.to_be_bytes().to_vec();
    if let Some(content) = content {
        body.extend(CONTENT_TYPE_FIELD.to_be_bytes());
        body.extend((content.len() as u32).to_be_bytes());
        body.extend(content);
    }
    let mut frame = vec![0; 4];
    frame.extend((body.len() as u32).to_be_bytes());
    frame.extend(body);
    frame
}

/// The type, and the fields as they came. Readers send control frames alone.
async fn read_control(stream: &mut UnixStream) -> io::Result<(u32, Vec<u8>)> {
    let malformed = || io::Error::new(ErrorKind::InvalidData, "the reader does not speak Frame Streams");
    let escape = stream.read_u32().await?;
    let length = stream.read_u32().await? as usize;
    if escape != 0 || !(4..=LONGEST_CONTROL).contains(&length) {
        return Err(malformed());
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    let (kind, fields) = body.split_first_chunk().ok_or_else(malformed)?;
    Ok((u32::from_be_bytes(*kind), fields.to_vec()))
}
