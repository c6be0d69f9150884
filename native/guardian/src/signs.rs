//! What the service says of itself: datagrams as in sd_notify(3), from the child's own number only.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags};
use tokio::io::Interest;
use tokio::net::UnixDatagram;

/// sun_path has 108 octets, the last one a zero.
const LONGEST_PATH: usize = 107;

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum Sign {
    /// queries are answered
    Ready,
    /// the thread that answers queries is alive
    Alive,
    /// the control plane's thread is alive
    Deciding,
    Stopping,
}

/// Only the owner may enter the folder, so only the owner's processes can send signs.
pub fn socket_path(state: &Path) -> Result<PathBuf, String> {
    let path = state.join("notify.sock");
    let octets = path.as_os_str().len();
    if octets <= LONGEST_PATH {
        return Ok(path);
    }
    Err(format!(
        "{} has {octets} octets, and the system allows {LONGEST_PATH} – choose a shorter --state",
        path.display()
    ))
}

pub struct Signs {
    socket: UnixDatagram,
}

impl Signs {
    pub fn open(path: &Path) -> io::Result<Self> {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let socket = UnixDatagram::bind(path)?;
        rustix::net::sockopt::set_socket_passcred(&socket, true)?;
        Ok(Self { socket })
    }

    /// Ignores signs of other processes, and of a service that has ended.
    pub async fn next(&self, child: Option<u32>) -> Vec<Sign> {
        loop {
            match self.socket.async_io(Interest::READABLE, || receive(&self.socket)).await {
                Ok((from, text)) if from.is_some() && from == child => return read(&text),
                Ok(_) => {}
                // a socket that can't be read yields no signs, and missing signs are noticed elsewhere
                Err(_) => std::future::pending().await,
            }
        }
    }
}

fn receive(socket: impl AsFd) -> io::Result<(Option<u32>, Vec<u8>)> {
    let mut text = [0; 4096];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmCredentials(1), ScmRights(8))];
    let mut extra = RecvAncillaryBuffer::new(&mut space);
    let mut parts = [io::IoSliceMut::new(&mut text)];
    let received = rustix::net::recvmsg(socket, &mut parts, &mut extra, RecvFlags::CMSG_CLOEXEC)?;
    let from = extra.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmCredentials(sender) => Some(sender.pid.as_raw_nonzero().get() as u32),
        _ => None,
    });
    Ok((from, text[..received.bytes].to_vec()))
}

/// Ignores unknown assignments.
fn read(text: &[u8]) -> Vec<Sign> {
    let assignments = text.split(|octet| *octet == b'\n');
    let signs = assignments.filter_map(|assignment| match assignment {
        b"READY=1" => Some(Sign::Ready),
        b"WATCHDOG=1" => Some(Sign::Alive),
        b"X_SOTTO_CONTROL=1" => Some(Sign::Deciding),
        b"STOPPING=1" => Some(Sign::Stopping),
        _ => None,
    });
    signs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_are_lines() {
        assert_eq!(read(b"READY=1\nSTATUS=READY=1\nWATCHDOG=1"), [Sign::Ready, Sign::Alive]);
        assert_eq!(read(b"STOPPING=1\n"), [Sign::Stopping]);
        assert_eq!(read(b"READY=0\nready=1\n READY=1\nREADY=1\0"), []);
        assert_eq!(read(b"\xff\n\n=\n"), []);
    }

    #[test]
    fn a_path_that_the_system_can_not_bind_is_refused() {
        let long = PathBuf::from(format!("/{}", "x".repeat(100)));
        assert!(socket_path(&long).unwrap_err().contains("113 octets"));
        assert!(socket_path(Path::new("/run/sotto")).is_ok());
    }

    #[tokio::test]
    async fn a_stranger_is_not_heard() {
        let folder = std::env::temp_dir().join(format!("sotto-signs-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("notify.sock");
        let signs = Signs::open(&path).unwrap();
        let service = UnixDatagram::unbound().unwrap();
        service.send_to(b"READY=1", &path).await.unwrap();
        let other = signs.next(Some(1));
        tokio::select! {
            biased;
            heard = other => panic!("{heard:?}"),
            () = tokio::task::yield_now() => {}
        }
        service.send_to(b"WATCHDOG=1", &path).await.unwrap();
        assert_eq!(signs.next(Some(std::process::id())).await, [Sign::Alive]);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
