//! Questions that leave in clear: by a bypass rule, or because Sotto is off or paused. Never without a lease.

use std::net::SocketAddr;

use tokio::time::Instant;

use crate::clear::Lease;
use crate::events::event::Noted;
use crate::intern;
use crate::outcome::{ClearClass, Outcome, TransportKind};
use crate::resolution::DEADLINE;
use crate::telling::Telling;
use crate::upstream::failure::Failure;
use crate::upstream::outgoing::Outgoing;
use crate::upstream::plain::Plain;
use crate::wire::edns::ExtendedError;
use crate::wire::header::rcode;

/// Plain resolvers and what allows asking them.
pub struct InClear<'a> {
    pub servers: Vec<SocketAddr>,
    pub lease: Option<&'a Lease>,
    pub class: ClearClass,
    pub outcome: Outcome,
}

pub async fn ask_in_clear(
    plain: &Plain,
    mut telling: Telling<'_>,
    clear: InClear<'_>,
    outgoing: &Outgoing,
) -> Noted {
    let refused = |text: &str| [ExtendedError::new(ExtendedError::NO_REACHABLE_AUTHORITY, text)];
    if clear.servers.is_empty() {
        let error = refused(match clear.class {
            ClearClass::Bypass => "the resolvers of this bypass rule lead back to us",
            _ => "Sotto is off or paused, and the system's own resolvers are not known",
        });
        return telling.error(Outcome::Refused, rcode::SERVFAIL, &error);
    }
    let Some(lease) = clear.lease else {
        let error = refused("no ledger entry allows this question to leave in clear");
        return telling.error(Outcome::Refused, rcode::SERVFAIL, &error);
    };
    let asked = Instant::now();
    let result = plain.ask(&clear.servers, outgoing, lease, Instant::now() + DEADLINE).await;
    telling.account.stages.wait = asked.elapsed();
    telling.account.waited();
    telling.account.transport = TransportKind::Udp;
    telling.account.traffic = outgoing.traffic();
    if outgoing.has_left_in_clear() {
        telling.account.clear = clear.class;
    }
    match result {
        Ok((answer, server)) => {
            telling.account.upstream = intern::word(&server.to_string());
            telling.account.round_trips = 1;
            telling.plain(clear.outcome, &answer)
        }
        Err(failure) => {
            let ended = matches!(failure, Failure::NotPermitted(_));
            let outcome = if ended { Outcome::Refused } else { Outcome::Failed };
            let error = ExtendedError::new(failure.extended_error(), failure.to_string());
            telling.error(outcome, rcode::SERVFAIL, &[error])
        }
    }
}
