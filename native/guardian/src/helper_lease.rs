//! A connection to sotto-helper that lasts as long as this process. When it ends, the helper knows that nobody will start the
//! service again.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::sleep;

/// A helper that starts again waits longer than this for its holders.
const PAUSE: Duration = Duration::from_millis(250);

pub async fn hold(socket: PathBuf) {
    loop {
        // connect again, whatever ended the connection
        let _ = until_it_ends(&socket).await;
        sleep(PAUSE).await;
    }
}

async fn until_it_ends(socket: &Path) -> io::Result<()> {
    let mut stream = UnixStream::connect(socket).await?;
    stream.write_all(b"{\"verb\":\"hold\"}\n").await?;
    let mut answers = [0; 256];
    while stream.read(&mut answers).await? > 0 {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use tokio::net::UnixListener;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_holds_again_when_the_helper_is_another() {
        let path = std::env::temp_dir().join(format!("sotto-helper-lease-{}", std::process::id()));
        let holding = tokio::spawn(hold(path.clone()));
        for _ in 0..2 {
            let helper = UnixListener::bind(&path).unwrap();
            let (mut stream, _) = helper.accept().await.unwrap();
            let mut line = [0; 16];
            stream.read_exact(&mut line).await.unwrap();
            assert_eq!(&line, b"{\"verb\":\"hold\"}\n");
            std::fs::remove_file(&path).unwrap();
        }
        holding.abort();
    }
}
