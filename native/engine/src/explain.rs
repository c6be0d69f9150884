//! What would happen to a query now, for people who ask before they send it.

use serde::Serialize;

use crate::cache::store::Known;
use crate::cleartext::{Cleartext, NOBODY_KNOWN};
use crate::describe::{rcode_name, type_name};
use crate::outcome::ClearClass;
use crate::pipeline::Pipeline;
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
pub fn explain(pipeline: &Pipeline, message: &[u8]) -> Option<Explanation> {
    let Received::Query(query) = Query::read(message) else { return None };
    let snapshot = pipeline.snapshot.load();
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
    };
    Some(match snapshot.route(&query.question) {
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
                rule: snapshot.bypass.word(rule),
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
        Route::Forward => {
            let group = snapshot.group(&query.question.name);
            Explanation {
                servers: group
                    .order(&query.question.name)
                    .iter()
                    .map(|upstream| upstream.id.into())
                    .collect(),
                group: Some(group.config.id.clone()),
                clear: if leaves_in_cleartext(group) { ClearClass::Policy } else { ClearClass::None },
                cached: kept(pipeline, &snapshot, &query),
                ..said
            }
        }
    })
}

fn leaves_in_cleartext(group: &Group) -> bool {
    !group.is_private() || (group.is_cut_off() && group.live_ladder().is_some())
}

fn kept(pipeline: &Pipeline, snapshot: &Snapshot, query: &Query) -> Option<Kept> {
    let asked = query.parts(snapshot.generation);
    Some(match snapshot.cache.known(asked, pipeline.clock.now())? {
        Known::Fresh(_) => Kept::Fresh,
        Known::Cut(_) => Kept::Denied,
        Known::Failed { .. } => Kept::Failed,
    })
}
