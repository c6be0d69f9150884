//! What would happen to a query now, for people who ask before they send it.

use serde::{Deserialize, Serialize};
use sotto_attribution::UnitFound;

use crate::cache::store::Known;
use crate::cleartext::{Cleartext, NOBODY_KNOWN};
use crate::describe::{rcode_name, type_name};
use crate::outcome::ClearClass;
use crate::pipeline::Pipeline;
use crate::policy::conditions::{Audience, Condition, Conditional, Conditions, Fit};
use crate::query::{Query, Received};
use crate::route::Route;
use crate::snapshot::Snapshot;
use crate::upstream::selection::group::Group;
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
    fn fit(&self, conditions: &Conditions, condition: &Condition) -> Fit {
        conditions.fit_of(condition, self.user, || match self.unit.as_deref() {
            None => UnitFound::Unknown,
            Some("") => UnitFound::Other,
            Some(unit) => UnitFound::Named(unit.into()),
        })
    }
}

words!(
    Destination {
        /// answered on this machine
        Local = "local",
        /// in cleartext, to the rule's resolvers
        Bypass = "bypass",
        /// in cleartext, to the system's resolvers, because Sotto is off or paused
        Direct = "direct",
        /// in cleartext, to the network's resolvers, for a login
        Portal = "portal",
        /// to the upstreams of its group
        Forward = "forward",
    }
);

words!(
    /// What the cache would respond with.
    Kept {
        Fresh = "fresh",
        /// a name above it does not exist
        Denied = "denied",
        /// its resolution has just failed
        Failed = "failed",
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
    let said = Explanation {
        name: query.question.name.to_string(),
        kind: type_name(query.question.kind),
        verdict: Destination::Forward,
        rule: "",
        reason: "",
        rcode: None,
        servers: vec![],
        group: None,
        clear: ClearClass::None,
        cached: None,
        private_only,
        conditions,
    };
    Some(match route {
        Route::Local(local) => Explanation {
            verdict: Destination::Local,
            rule: local.rule,
            reason: local.reason,
            rcode: Some(rcode_name(local.rcode)),
            ..said
        },
        Route::Bypass(rule) => {
            let leased = snapshot.bypass_leases[rule].as_ref().is_some_and(|lease| !lease.ended());
            let given = &snapshot.config.bypass[rule];
            let servers = pipeline.loops.sound(&given.to);
            Explanation {
                verdict: Destination::Bypass,
                rule: snapshot.bypass.word(rule, &query.question.name),
                reason: if given.to.is_empty() { NOBODY_KNOWN } else { "" },
                servers: servers.iter().map(ToString::to_string).collect(),
                clear: if leased && !servers.is_empty() { given.class } else { ClearClass::None },
                ..said
            }
        }
        Route::Portal => Explanation {
            verdict: Destination::Portal,
            servers: Cleartext::of_portal(&pipeline.loops, &snapshot, None)
                .servers
                .iter()
                .map(ToString::to_string)
                .collect(),
            clear: ClearClass::Portal,
            ..said
        },
        Route::Direct(direct) => {
            let leased = direct.lease.as_ref().is_some_and(|lease| !lease.ended());
            Explanation {
                verdict: Destination::Direct,
                servers: direct.servers.iter().map(ToString::to_string).collect(),
                clear: if leased && !direct.servers.is_empty() { direct.class } else { ClearClass::None },
                ..said
            }
        }
        Route::Forward(audience) => {
            let group = snapshot.group(&query.question.name, audience);
            Explanation {
                servers: group
                    .order(&query.question.name)
                    .iter()
                    .map(|upstream| upstream.id.into())
                    .collect(),
                group: Some(group.config.id.clone()),
                clear: match leaves_in_cleartext(group) && !private_only {
                    true => ClearClass::Policy,
                    false => ClearClass::None,
                },
                cached: kept(pipeline, &snapshot, audience, &query),
                ..said
            }
        }
    })
}

fn leaves_in_cleartext(group: &Group) -> bool {
    !group.is_private() || (group.is_cut_off() && group.live_ladder().is_some())
}

fn kept(pipeline: &Pipeline, snapshot: &Snapshot, audience: Audience, query: &Query) -> Option<Kept> {
    let asked = query.parts(snapshot.partition(audience));
    Some(match snapshot.cache.known(asked, pipeline.clock.now())? {
        Known::Fresh(_) => Kept::Fresh,
        Known::Cut(_) => Kept::Denied,
        Known::Failed { .. } => Kept::Failed,
    })
}
