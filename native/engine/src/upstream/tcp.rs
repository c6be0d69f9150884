//! Plain TCP (RFC 7766): no protection, so it exists only under a lease. Each packet is counted against that, and what leaves with
//! a SYN may leave twice: only a question that no ledger counts goes there.

use std::sync::Arc;

use tokio::time::Instant;

use super::dial::{BoxFuture, Dial, How, Link, Protection, open};
use super::early::EarlyData;
use super::failure::DialReason;
use super::meter::Meter;
use super::place::Place;
use crate::clear::Lease;

pub struct Tcp {
    lease: Arc<Lease>,
}

impl Tcp {
    pub fn new(lease: Arc<Lease>) -> Self {
        Self { lease }
    }
}

impl Dial for Tcp {
    fn dial<'a>(&'a self, to: Place, how: &'a How<'a>) -> BoxFuture<'a, Result<Link, DialReason>> {
        Box::pin(async move {
            let Some(address) = to.address() else {
                return Err(DialReason::Connect("no proxy carries questions in clear".into()));
            };
            let started = Instant::now();
            let fast_open = how.fast_open && self.lease.is_unrecorded();
            let (stream, fast_open) = open(address, &How { fast_open, ..*how }).await?;
            let meter = Meter::of(&stream);
            Ok(Link {
                stream: Box::new(stream),
                protection: Protection::Clear(self.lease.clone()),
                early: EarlyData::NotSent,
                round_trips: 1,
                fast_open,
                took: started.elapsed(),
                meter,
            })
        })
    }
}
