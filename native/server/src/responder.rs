//! What becomes of one message, whatever brought it: the rules that hold before any backend is asked.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::forward::Forwarder;
use crate::query::{FORMERR, Fault, Query};
use crate::reply::{bad_version, bare_header, refuse};
use crate::starttls;
use crate::stats::Stats;
use crate::transport::Transport;
use crate::zone::{REFUSED, Zone};

const IXFR: u16 = 251;
const AXFR: u16 = 252;
const OPT: u16 = 41;
/// RFC 9824 section 3.5: a type that is never asked for.
const NXNAME: u16 = 128;
const IN: u16 = 1;

#[derive(Debug, Clone)]
pub enum Backend {
    Zone(Arc<Zone>),
    Forward(Arc<Forwarder>),
}

#[derive(Debug)]
pub struct Responder {
    pub backend: Backend,
    pub stats: Arc<Stats>,
}

pub type Reply = Pin<Box<dyn Future<Output = Vec<u8>> + Send>>;

pub enum Answer {
    /// Appended to the buffer.
    Written,
    /// Nobody is answered.
    Silence,
    /// The whole reply, when it is known.
    Later(Reply),
}

impl Responder {
    pub fn respond(&self, message: &[u8], transport: Transport, out: &mut Vec<u8>) -> Answer {
        self.stats.question(transport);
        let query = match Query::parse(message) {
            Ok(query) => query,
            Err(Fault::Silence) => return Answer::Silence,
            Err(Fault::Code { id, flags, rcode }) => {
                bare_header(id, flags, rcode, out);
                return Answer::Written;
            }
        };
        if query.edns.is_some_and(|edns| edns.version > 0) {
            bad_version(&query, transport, out);
        } else if starttls::is_dummy(&query) {
            self.stats.declined();
            starttls::decline(&query, transport, out);
        } else if matches!(query.rtype, OPT | NXNAME) {
            refuse(&query, transport, FORMERR, &[], out);
        } else if query.class != IN || matches!(query.rtype, AXFR | IXFR) {
            refuse(&query, transport, REFUSED, &[], out);
        } else {
            return self.ask_backend(&query, message, transport, out);
        }
        Answer::Written
    }

    fn ask_backend(&self, query: &Query, message: &[u8], transport: Transport, out: &mut Vec<u8>) -> Answer {
        match &self.backend {
            Backend::Zone(zone) => {
                zone.answer(query, transport, out);
                Answer::Written
            }
            Backend::Forward(forwarder) => {
                let (forwarder, message) = (forwarder.clone(), message.to_vec());
                Answer::Later(Box::pin(async move { forwarder.answer(message, transport).await }))
            }
        }
    }
}
