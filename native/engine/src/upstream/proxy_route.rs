//! How a private connection gets to its server: straight, or through a proxy, which hides each from the other.

use std::sync::Arc;

use tokio::net::TcpStream;

use super::dial::{How, Link, Step, open};
use super::failure::DialReason;
use super::fast_open::{self, FastOpen};
use super::place::Place;
use super::socks5::{PATIENCE, Socks5};

#[derive(Clone)]
pub enum ProxyRoute {
    Straight,
    Through(Arc<Socks5>),
}

impl ProxyRoute {
    pub async fn open(&self, to: Place, how: &How<'_>) -> Result<(TcpStream, FastOpen), DialReason> {
        match (self, to) {
            (Self::Through(proxy), to) => {
                let stream = proxy.open(to).await?;
                (how.watch)(Step::Connected);
                Ok((stream, FastOpen::Off))
            }
            (Self::Straight, Place::Address(address)) => open(address, how).await,
            // build refuses it
            (Self::Straight, Place::Named(..)) => Err(DialReason::Connect("a name needs a proxy".into())),
        }
    }

    /// See [`Link::opened_with`].
    pub fn arrived(&self, link: Link, fast_open: FastOpen, fits: bool) -> Link {
        match self {
            Self::Straight => link.opened_with(fast_open, fits),
            // what the kernel measures is the way to the proxy
            Self::Through(_) => Link { meter: None, ..link },
        }
    }

    pub fn fast_opens(&self) -> bool {
        matches!(self, Self::Straight) && fast_open::is_available()
    }

    /// How many times longer than a straight one everything may take.
    pub fn patience(&self) -> u32 {
        match self {
            Self::Straight => 1,
            Self::Through(_) => PATIENCE,
        }
    }
}
