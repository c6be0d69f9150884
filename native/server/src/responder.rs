//! Responds to one message, however it arrived: the rules that come before any backend.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use sotto_wire::header::rcode;
use sotto_wire::starttls::is_dummy;

use crate::allowances::Allowances;
use crate::backend::{Backend, Responded};
use crate::cookies::{CookieOption, Cookies, Shown, Unproven};
use crate::encdns::{BoxedZone, FirstHop};
use crate::network::neighbourhood;
use crate::query::{Fault, Query};
use crate::response::{bare_header, refuse, refuse_unasked};
use crate::starttls;
use crate::stats::Stats;
use crate::transport::{Terms, Transport};
use crate::watchers::tap::{Arrival, Tap};

pub struct Responder {
    pub backend: Backend,
    pub encdns: Option<Arc<BoxedZone>>,
    pub cookies: Cookies,
    pub unproven: Unproven,
    /// Responses over UDP to each neighbourhood, where the sender may be forged.
    pub strangers: Allowances<IpAddr>,
    pub stats: Arc<Stats>,
    /// Where somebody reads along.
    pub tap: Option<Arc<Tap>>,
}

impl Responder {
    pub fn respond(
        &self,
        message: &[u8],
        transport: Transport,
        client: IpAddr,
        out: &mut Vec<u8>,
    ) -> Responded {
        let Some(tap) = &self.tap else {
            return self.judge(message, transport, client, out);
        };
        let (arrival, start) = (Arrival { client, transport, at: SystemTime::now() }, out.len());
        let responded = self.judge(message, transport, client, out);
        tap.watch((message, arrival), responded, out, start)
    }

    fn judge(&self, message: &[u8], transport: Transport, client: IpAddr, out: &mut Vec<u8>) -> Responded {
        self.stats.query(transport);
        let query = match Query::parse(message) {
            Ok(query) => query,
            Err(Fault::Silence) => return Responded::Silence,
            Err(Fault::CookieWish { header, edns, cookie }) => {
                let (shown, fresh) = self.cookies.judge(Some(cookie), client, now());
                if self.may_be_forged(transport, shown) && !self.has_allowance(client) {
                    return Responded::Silence;
                }
                let rcode = if shown == Shown::Wrong { rcode::BADCOOKIE } else { rcode::NOERROR };
                bare_header(header, rcode, Some(&edns), Terms::from(transport).with(fresh), out);
                return Responded::Written;
            }
            Err(Fault::Code { header, rcode, edns }) => {
                let cookie = CookieOption::of_wrong(message);
                let (shown, fresh) = self.cookies.judge(cookie, client, now());
                if self.may_be_forged(transport, shown) && !self.has_allowance(client) {
                    return Responded::Silence;
                }
                let mut terms = Terms::from(transport).with(fresh);
                if self.may_be_forged(transport, shown) {
                    terms = terms.at_most(message.len());
                }
                bare_header(header, rcode, edns.as_ref(), terms, out);
                return Responded::Fault;
            }
        };
        let (shown, fresh) = self.cookies.judge(query.cookie, client, now());
        let mut terms = Terms::from(transport).with(fresh);
        let may_be_forged = self.may_be_forged(transport, shown);
        if may_be_forged && !self.has_allowance(client) {
            return Responded::Silence;
        }
        if may_be_forged {
            terms = terms.at_most(message.len());
        }
        let is_wrong = may_be_forged && shown == Shown::Wrong;
        if is_wrong && !query.is_of_later_version() {
            refuse(&query, terms, rcode::BADCOOKIE, &[], out);
        } else if is_dummy(&query.question) && query.key_refusal.is_none() && !query.is_of_later_version() {
            self.stats.declined();
            starttls::decline(&query, terms, out);
        } else if !refuse_unasked(&query, terms, out) {
            return self.ask_backend(
                &query,
                message,
                terms,
                FirstHop { address: client, may_be_forged },
                out,
            );
        }
        Responded::Written
    }

    fn may_be_forged(&self, transport: Transport, shown: Shown) -> bool {
        transport == Transport::Udp && shown != Shown::Valid && self.unproven == Unproven::Truncated
    }

    fn has_allowance(&self, stranger: IpAddr) -> bool {
        let has = self.strangers.take(&neighbourhood(stranger));
        if !has {
            self.stats.stranger_unanswered();
        }
        has
    }

    fn ask_backend(
        &self,
        query: &Query,
        message: &[u8],
        terms: Terms,
        first_hop: FirstHop,
        out: &mut Vec<u8>,
    ) -> Responded {
        if let Some(encdns) = self.encdns.as_ref().filter(|encdns| encdns.has(&query.question.name)) {
            return encdns.respond(query, message, terms, first_hop, out);
        }
        match &self.backend {
            Backend::Zone(zone) => {
                zone.load().answer(query, terms, out);
                Responded::Written
            }
            Backend::Forward(forwarder) => {
                let (forwarder, message, client) = (forwarder.clone(), message.to_vec(), first_hop.address);
                Responded::Later(Box::pin(async move { forwarder.answer(message, terms, client).await }))
            }
        }
    }
}

/// Seconds since the epoch, as cookies count them.
pub fn now() -> u32 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as u32)
}
