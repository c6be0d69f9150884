//! How a private connection reaches its server: directly, or through a proxy, which hides server and client from each other.

use crate::upstream::dial::open::open;
use crate::upstream::dial::step::{Step, Watch};
use std::sync::Arc;

use tokio::net::TcpStream;

use crate::endpoint::Endpoint;
use crate::upstream::dial::fast_open::{self, FastOpen};
use crate::upstream::dial::socks5::{PATIENCE, Socks5};
use crate::upstream::failure::dial_error::DialReason;

#[derive(Clone)]
pub enum ProxyRoute {
    Straight,
    Through(Arc<Socks5>),
}

impl ProxyRoute {
    pub async fn open(
        &self,
        to: Endpoint,
        fast_open: bool,
        watch: &Watch<'_>,
    ) -> Result<(TcpStream, FastOpen), DialReason> {
        match (self, to) {
            (Self::Through(proxy), to) => {
                let stream = proxy.open(to).await?;
                watch(Step::Connected);
                Ok((stream, FastOpen::Off))
            }
            (Self::Straight, Endpoint::Address(address)) => open(address, fast_open, watch).await,
            // assembling the upstream refuses this
            (Self::Straight, Endpoint::Named(..)) => Err(DialReason::Connect("a name needs a proxy".into())),
        }
    }

    /// If it leads through a proxy, the kernel only measures the path to the proxy.
    pub fn is_straight(&self) -> bool {
        matches!(self, Self::Straight)
    }

    pub fn fast_opens(&self) -> bool {
        self.is_straight() && fast_open::is_available()
    }

    /// How many times longer than on a direct path everything may take.
    pub fn patience(&self) -> u32 {
        match self {
            Self::Straight => 1,
            Self::Through(_) => PATIENCE,
        }
    }
}
