//! What would happen to a query now, for people who ask before they send it.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};
use sotto_attribution::UnitFound;

use crate::cache::store::Known;
use crate::decision::{Decision, Destination};
use crate::describe::type_name;
use crate::outcome::ClearClass;
use crate::pipeline::Pipeline;
use crate::policy::conditions::{Audience, Condition, Conditional, Conditions, Fit};
use crate::query::{Query, Received};
use crate::route::Route;
use crate::snapshot::Snapshot;
use crate::words::words;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub verdict: Destination,
    /// as the event names it
    pub rule: &'static str,
    pub reason: &'static str,
    /// of a response made on this machine
    pub rcode: Option<String>,
    /// ip:port of plain resolvers, or ids of upstreams, in the order they would be asked
    pub servers: Vec<String>,
    /// id of the group that is asked
    pub group: Option<String>,
    pub clear: ClearClass,
    pub cached: Option<Kept>,
    /// the query never leaves in cleartext, except by bypass rules that are no downgrade
    pub private_only: bool,
    /// those that were judged, each once
    pub conditions: Vec<Judged>,
}

/// Who asks, as a person supposes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SupposedAsker {
    /// number of a user; absent: nobody knows
    pub user: Option<u32>,
    /// such as `backup.service`; empty: no unit of the system's manager; absent: nobody knows
    pub unit: Option<String>,
}

/// A condition, and whether it fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "JudgedCondition"))]
#[serde(rename_all = "camelCase")]
pub struct Judged {
    pub of: Conditional,
    /// the rule's word, the group's id, the position in `refuseFor`
    pub name: &'static str,
    pub fit: Fit,
}

impl SupposedAsker {
    pub fn fit(&self, conditions: &Conditions, condition: &Condition) -> Fit {
        conditions.fit_of(condition, self.user, || match self.unit.as_deref() {
            None => UnitFound::Unknown,
            Some("") => UnitFound::Other,
            Some(unit) => UnitFound::Named(unit.into()),
        })
    }
}

words!(
    /// What the cache would respond with.
    Kept {
        Fresh = "fresh",
        /// a name above it does not exist
        Denied = "denied",
        /// its resolution has just failed
        Failed = "failed",
        /// it has expired, and is given at once while a new one is asked for
        Expired = "expired",
    }
);

/// `None`: such a query is never resolved, whatever the rules say.
pub fn explain(pipeline: &Pipeline, message: &[u8], asker: &SupposedAsker) -> Option<Explanation> {
    let Received::Query(query) = Query::read(message) else { return None };
    let snapshot = pipeline.snapshot.load();
    let mut conditions: Vec<Judged> = vec![];
    let mut fit = |condition: &Condition| {
        let fit = asker.fit(&snapshot.conditions, condition);
        let judged = Judged { of: condition.of, name: condition.name, fit };
        if !conditions.contains(&judged) {
            conditions.push(judged);
        }
        fit
    };
    let route = snapshot.route(&query.question, &mut fit);
    let private_only = snapshot.conditions.refuse(&mut fit);
    let sound = |servers: &[SocketAddr]| pipeline.loops.sound(servers);
    let decision = snapshot.decision(&route, &query.question.name, &sound);
    let cached = match route {
        Route::Forward(audience) => kept(pipeline, &snapshot, audience, &query),
        _ => None,
    };
    let Decision { verdict, rule, reason, rcode, servers, group, clear, .. } = decision;
    Some(Explanation {
        name: query.question.name.to_string(),
        kind: type_name(query.question.kind),
        verdict,
        rule,
        reason,
        rcode,
        servers,
        group,
        clear,
        cached,
        private_only,
        conditions,
    })
}

fn kept(pipeline: &Pipeline, snapshot: &Snapshot, audience: Audience, query: &Query) -> Option<Kept> {
    let asked = query.parts(snapshot.partition(audience));
    match snapshot.cache.known(asked, pipeline.clock.now()) {
        Some(Known::Fresh(_)) => Some(Kept::Fresh),
        Some(Known::Cut(_)) => Some(Kept::Denied),
        Some(Known::Failed { .. }) => Some(Kept::Failed),
        None => pipeline.expired_at_once(snapshot, query, audience).map(|_| Kept::Expired),
    }
}
