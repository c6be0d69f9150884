//! Queries to the resolvers of a network that wants a login. Afterwards, what was learned there is dropped
//! (docs/design/portals.md).
//!
//! Only the network's own resolvers are asked. Two kinds of names may leave: those of probes, which are in the configuration and
//! which no client asked for; and any name that the login needs, while a lease of class `portal` without a rule lasts. A lease
//! with a rule lets any client ask for its one name (`route.rs`).

use std::sync::Arc;

use tokio::time::Instant;

use crate::cleartext::{Cleartext, hear, respond};
use crate::draft::Draft;
use crate::events::event::Noted;
use crate::outcome::{ClearClass, ClientProtocol, Outcome};
use crate::pending_response::PendingResponse;
use crate::pipeline::Pipeline;
use crate::query::{Client, NOBODY, Query, Received};
use crate::snapshot::{Lasting, Snapshot};
use crate::upstream::clear::lease::Lease;
use crate::upstream::outgoing::{DEADLINE, Outgoing};

/// Why the network is asked. The same name may be both: a login page often lives where the network's API does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// to find out whether a login is wanted; no client asked for this
    Probe,
    /// counted against the login's lease
    Login,
}

/// The response, and for a query of the login its event; a probe has none. `None`: the message is no query, or a probe that got no
/// response.
pub async fn ask_network(
    pipeline: &Pipeline,
    message: &[u8],
    purpose: Purpose,
) -> Option<(Vec<u8>, Option<Noted>)> {
    let Received::Query(query) = Query::read(message) else { return None };
    let snapshot = pipeline.snapshot.load_full();
    let outgoing = query.outgoing().of_ours();
    if purpose == Purpose::Probe && snapshot.is_portal_probe(&query.question.name) {
        let octets = probe(pipeline, &snapshot, &outgoing).await?;
        return Some((octets, None));
    }
    let client = Client::now(ClientProtocol::Control, NOBODY, NOBODY);
    let draft = Draft::open(client, &query, &pipeline.events);
    let mut octets = Vec::new();
    let mut pending = PendingResponse { query: &query, draft, octets: &mut octets, events: &pipeline.events };
    let deadline = Instant::now() + DEADLINE;
    let lease_of = |snapshot: &Snapshot| match purpose {
        Purpose::Login => snapshot.portal_lease(None).cloned(),
        Purpose::Probe => None,
    };
    let is_suspended = |lease: &Option<Arc<Lease>>| lease.as_ref().is_some_and(|lease| lease.is_suspended());
    let heard = loop {
        let snapshot = pipeline.once(|snapshot| !is_suspended(&lease_of(snapshot))).await;
        let lease = lease_of(&snapshot);
        let clear = Cleartext::of_portal(&pipeline.loops, &snapshot, lease.as_deref());
        let heard = hear(&pipeline.plain, &mut pending.draft, clear, &outgoing).await;
        // the machine has changed its network meanwhile
        let may_be_confirmed =
            is_suspended(&lease) && pipeline.network_just_changed() && Instant::now() < deadline;
        if heard.is_ok() || !may_be_confirmed {
            break heard;
        }
    };
    let noted = respond(pending, Outcome::Portal, heard);
    Some((octets, Some(noted)))
}

async fn probe(pipeline: &Pipeline, snapshot: &Snapshot, outgoing: &Outgoing) -> Option<Vec<u8>> {
    let servers = pipeline.loops.sound(&snapshot.config.portal.resolvers);
    let nobodys = Lease::of_ours(ClearClass::Portal, pipeline.portal_probes.clone());
    let asked = pipeline.plain.ask(&servers, outgoing, &nobodys, Instant::now() + DEADLINE).await;
    asked.ok().map(|(response, _)| response.message.into_vec())
}

/// A login has ended. What servers seemed to decline, paths to swallow, and names to fail may have come from the portal.
pub fn forget_captivity(snapshot: &Snapshot, lasting: &Lasting) {
    snapshot.cache.forget_unauthenticated();
    lasting.cookies.forget();
    lasting.connections.forget_paths();
    lasting.memory.forget_refusals();
    lasting.memory.downgrade_evidence.forget(&snapshot.config.network);
}
