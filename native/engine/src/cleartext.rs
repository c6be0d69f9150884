//! Queries that leave in cleartext: by a bypass rule, for a login page, or because Sotto is off or paused. Never without a lease.

use std::net::SocketAddr;

use tokio::time::Instant;

use crate::draft::Draft;
use crate::events::event::Noted;
use crate::intern;
use crate::loop_guard::LoopGuard;
use crate::outcome::{ClearClass, Outcome, TransportKind};
use crate::pending_response::PendingResponse;
use crate::response::Response;
use crate::snapshot::Snapshot;
use crate::upstream::clear::lease::Lease;
use crate::upstream::failure::Failure;
use crate::upstream::outgoing::{DEADLINE, Outgoing};
use crate::upstream::transport::plain::Plain;
use crate::wire::edns::ExtendedError;
use crate::wire::header::rcode;
use crate::zone;

/// For a rule that leads to a link, or to the network.
pub const NOBODY_KNOWN: &str =
    "nobody knows the resolvers of this bypass rule now: its link or network is not there";

/// Plain resolvers, and the lease under which they may be asked.
pub struct Cleartext<'a> {
    pub servers: Vec<SocketAddr>,
    /// some resolvers were configured, even if none of them may be asked
    pub known: bool,
    pub lease: Option<&'a Lease>,
    pub class: ClearClass,
    pub outcome: Outcome,
}

impl<'a> Cleartext<'a> {
    /// For the network's own resolvers, under this lease.
    pub fn of_portal(loops: &LoopGuard, snapshot: &Snapshot, lease: Option<&'a Lease>) -> Self {
        Cleartext {
            servers: loops.sound(&snapshot.config.portal.resolvers),
            known: !snapshot.config.portal.resolvers.is_empty(),
            lease,
            class: ClearClass::Portal,
            outcome: Outcome::Portal,
        }
    }
}

/// Why there was no response.
pub struct NotHeard {
    pub outcome: Outcome,
    pub error: ExtendedError,
}

impl NotHeard {
    fn refused(text: &str) -> Self {
        let error = ExtendedError::new(ExtendedError::NO_REACHABLE_AUTHORITY, text);
        Self { outcome: Outcome::Refused, error }
    }
}

/// Calls [`hear`], and responds to the client with the result.
pub async fn ask_in_cleartext(
    plain: &Plain,
    mut pending: PendingResponse<'_>,
    clear: Cleartext<'_>,
    outgoing: Outgoing,
) -> Noted {
    let outcome = clear.outcome;
    let outgoing = outgoing.for_one(&pending.draft.presence);
    let heard = hear(plain, &mut pending.draft, clear, &outgoing).await;
    respond(pending, outcome, heard)
}

pub fn respond(pending: PendingResponse<'_>, outcome: Outcome, heard: Result<Response, NotHeard>) -> Noted {
    match heard {
        Ok(response) => pending.plain(outcome, &response),
        Err(NotHeard { outcome, error }) => pending.error(outcome, rcode::SERVFAIL, &[error]),
    }
}

/// The time that it took is added to the draft. If the draft names a resolver already, that one stays.
pub async fn hear(
    plain: &Plain,
    draft: &mut Draft,
    clear: Cleartext<'_>,
    outgoing: &Outgoing,
) -> Result<Response, NotHeard> {
    if clear.servers.is_empty() {
        return Err(NotHeard::refused(match clear.outcome {
            Outcome::Portal => "the network's own resolvers are not known",
            Outcome::Bypassed if clear.known => "the resolvers of this bypass rule lead back to us",
            Outcome::Bypassed => NOBODY_KNOWN,
            _ => "Sotto is off or paused, and the system's own resolvers are not known",
        }));
    }
    let Some(lease) = clear.lease else {
        return Err(NotHeard::refused("no ledger entry allows this query to leave in cleartext"));
    };
    let result = plain.ask(&clear.servers, outgoing, lease, Instant::now() + DEADLINE).await;
    draft.waited();
    draft.transport = TransportKind::Udp;
    draft.traffic = draft.traffic.with(outgoing.traffic());
    if outgoing.has_left_in_cleartext() && draft.clear == ClearClass::None {
        draft.clear = clear.class;
    }
    match result {
        Ok((response, server)) => {
            if draft.upstream.is_empty() {
                draft.upstream = intern::word(&zone::written(&server));
            }
            draft.round_trips += 1;
            Ok(response)
        }
        Err(failure) => {
            let outcome = match failure {
                Failure::NotPermitted(_) => Outcome::Refused,
                Failure::Unwanted => Outcome::Dropped,
                _ => Outcome::Failed,
            };
            Err(NotHeard {
                outcome,
                error: ExtendedError::new(failure.extended_error(), failure.to_string()),
            })
        }
    }
}
