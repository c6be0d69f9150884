//! What answers a query, and when the response is there.

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;

use arc_swap::ArcSwap;

use crate::behind::Forwarder;
use crate::query::Query;
use crate::transport::Terms;
use crate::zone::Zone;

#[derive(Debug, Clone)]
pub enum Backend {
    /// Another one may take its place.
    Zone(Arc<ArcSwap<Zone>>),
    Forward(Arc<Forwarder>),
}

pub type LaterResponse = Pin<Box<dyn Future<Output = Vec<u8>> + Send>>;

pub enum Responded {
    /// The response was appended to the buffer.
    Written,
    /// The same, but the message was no query.
    Fault,
    /// There is no response.
    Silence,
    /// The whole response, when it is known.
    Later(LaterResponse),
}

impl From<Zone> for Backend {
    fn from(zone: Zone) -> Self {
        Backend::Zone(Arc::new(ArcSwap::from_pointee(zone)))
    }
}

impl Backend {
    /// The whole response to a query that was parsed before. `client`: who brought it.
    pub async fn answer(&self, message: Vec<u8>, terms: Terms, client: IpAddr) -> Vec<u8> {
        match self {
            Backend::Zone(zone) => {
                let mut out = Vec::new();
                if let Ok(query) = Query::parse(&message) {
                    zone.load().answer(&query, terms, &mut out);
                }
                out
            }
            Backend::Forward(forwarder) => forwarder.answer(message, terms, client).await,
        }
    }
}
