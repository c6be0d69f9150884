//! What would happen to many queries under settings that are not in force, beside what happens under those that are. It goes by the
//! functions that real queries go by, and sends nothing. Both configurations are compiled for this alone, so the data plane shares no
//! lock with it but those of its upstreams, whose condition is looked at once for each kind of decision.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, EngineConfig, GroupConfig, Strategy};
use crate::counts::Counts;
use crate::decision::{Decision, place};
use crate::describe::parse_type;
use crate::explain::SupposedAsker;
use crate::pipeline::Pipeline;
use crate::policy::conditions::Condition;
use crate::query::{Query, Received};
use crate::route::Route;
use crate::snapshot::{Lasting, Snapshot};
use crate::upstream::transport::surroundings::Transports;
use crate::wire::header;
use crate::wire::name::Name;
use crate::wire::question::Question;
use crate::wire::types;

/// So many names are remembered of each pair of decisions.
const EXAMPLES: usize = 5;

#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SupposedQueries {
    pub askers: Vec<SupposedAsker>,
    pub queries: Vec<SupposedQuery>,
}

/// Name in presentation form, mnemonic of the type, position of the asker, and how often it was asked.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SupposedQuery(pub String, pub String, pub usize, pub u32);

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Simulated {
    #[cfg_attr(test, ts(type = "number"))]
    pub queries: u64,
    /// of them, those that are never resolved, whatever the settings say, or that are no queries
    #[cfg_attr(test, ts(type = "number"))]
    pub unresolved: u64,
    pub decisions: Vec<Decision>,
    pub pairs: Vec<Pair>,
    /// private upstreams that would be asked and were never reached from here, nor tried without success
    pub untried: Vec<String>,
}

/// The queries that have these two decisions; equal ones where nothing changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Pair {
    /// position in `decisions`
    pub before: usize,
    pub after: usize,
    #[cfg_attr(test, ts(type = "number"))]
    pub queries: u64,
    /// some of their names, no two alike
    pub names: Vec<String>,
}

pub struct Supposition {
    before: Snapshot,
    after: Snapshot,
    /// plain resolvers that lead back to us
    looping: Vec<SocketAddr>,
    work: Mutex<Work>,
}

/// What was found so far.
#[derive(Default)]
struct Work {
    queries: u64,
    unresolved: u64,
    decisions: Vec<Decision>,
    positions: HashMap<Decision, usize>,
    pairs: HashMap<(usize, usize), Pair>,
    /// by configuration: decisions of routes that were met already
    met: [HashMap<Met, usize>; 2],
}

/// Routes that are equal in this lead to the same decision.
#[derive(PartialEq, Eq, Hash)]
enum Met {
    Local(&'static str, &'static str, u16),
    Bypass(usize),
    Portal,
    Direct,
    /// by the group's place in memory; `order`: where each name has its own
    Forward {
        group: usize,
        private_only: bool,
        order: Vec<&'static str>,
    },
}

impl Supposition {
    /// To be called from a thread that no query waits for.
    pub fn new(
        config: EngineConfig,
        pipeline: &Pipeline,
        transports: Arc<dyn Transports>,
    ) -> Result<Self, ConfigError> {
        let running = pipeline.snapshot.load_full();
        let lasting = Lasting::new(transports, Counts::InMemory, Arc::new(|| {}));
        Ok(Self {
            before: Snapshot::suppose(running.config.clone(), &running, &lasting)?,
            after: Snapshot::suppose(config, &running, &lasting)?,
            looping: pipeline.loops.looping(),
            work: Mutex::default(),
        })
    }

    /// Decides about these queries as well. Takes as long as they are many.
    pub fn add(&self, asked: &SupposedQueries) {
        let mut work = self.work.lock().unwrap_or_else(|panicked| panicked.into_inner());
        let nobody = SupposedAsker::default();
        for SupposedQuery(name, kind, asker, times) in &asked.queries {
            work.queries += u64::from(*times);
            let Some(question) = resolved(name, kind) else {
                work.unresolved += u64::from(*times);
                continue;
            };
            let asker = asked.askers.get(*asker).unwrap_or(&nobody);
            let before = self.decide(&self.before, 0, &question, asker, &mut work);
            let after = self.decide(&self.after, 1, &question, asker, &mut work);
            let pair = work.pairs.entry((before, after)).or_default();
            (pair.before, pair.after) = (before, after);
            pair.queries += u64::from(*times);
            if pair.names.len() < EXAMPLES && !pair.names.iter().any(|known| known == name) {
                pair.names.push(name.clone());
            }
        }
    }

    pub fn result(&self) -> Simulated {
        let work = self.work.lock().unwrap_or_else(|panicked| panicked.into_inner());
        let mut pairs: Vec<_> = work.pairs.values().cloned().collect();
        pairs.sort_by_key(|pair| (std::cmp::Reverse(pair.queries), pair.before, pair.after));
        Simulated {
            queries: work.queries,
            unresolved: work.unresolved,
            decisions: work.decisions.clone(),
            pairs,
            untried: untried(&self.after),
        }
    }

    fn decide(
        &self,
        snapshot: &Snapshot,
        side: usize,
        question: &Question,
        asker: &SupposedAsker,
        work: &mut Work,
    ) -> usize {
        let mut fit = |condition: &Condition| asker.fit(&snapshot.conditions, condition);
        let route = snapshot.route(question, &mut fit);
        let met = met(snapshot, &route, &question.name);
        match work.met[side].entry(met) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                let sound = |servers: &[SocketAddr]| {
                    servers.iter().filter(|server| !self.looping.contains(server)).copied().collect()
                };
                let mut decision = snapshot.decision(&route, &question.name, &sound);
                in_settled_order(snapshot, &mut decision);
                if let Route::Bypass(rule) = route {
                    decision.rule = snapshot.bypass.configured_word(rule);
                }
                let next = work.decisions.len();
                let position = *work.positions.entry(decision.clone()).or_insert(next);
                if position == next {
                    work.decisions.push(decision);
                }
                *place.insert(position)
            }
        }
    }
}

/// The question of a query that is resolved by some settings.
fn resolved(name: &str, kind: &str) -> Option<Question> {
    let (name, kind) = (Name::parse(name).ok()?, parse_type(kind)?);
    let message = Question { name, kind, class: types::IN }.query(0, header::RD);
    match Query::read(&message) {
        Received::Query(query) => Some(query.question),
        _ => None,
    }
}

fn met(snapshot: &Snapshot, route: &Route<'_>, name: &Name) -> Met {
    match route {
        Route::Local(local) => Met::Local(local.rule, local.reason, local.rcode),
        Route::Bypass(rule) => Met::Bypass(*rule),
        Route::Portal => Met::Portal,
        Route::Direct(_) => Met::Direct,
        Route::Forward(audience) => {
            let group = snapshot.group(name, *audience);
            let order = match group.config.strategy {
                Strategy::Spread => group.order(name).iter().map(|upstream| upstream.id).collect(),
                _ => vec![],
            };
            Met::Forward { group: Arc::as_ptr(group).addr(), private_only: audience.private_only, order }
        }
    }
}

/// Which upstream is the fastest changes while this goes on, and is no difference between settings.
fn in_settled_order(snapshot: &Snapshot, decision: &mut Decision) {
    let Some(id) = &decision.group else { return };
    let is_fastest = |one: &GroupConfig| one.id == *id && one.strategy == Strategy::Fastest;
    if !snapshot.config.groups.iter().any(is_fastest) {
        return;
    }
    let upstreams = || snapshot.config.upstreams.iter().filter(|upstream| upstream.group == *id);
    decision.servers.sort_by_key(|id| upstreams().position(|upstream| upstream.id == *id));
    decision.at = upstreams().find(|upstream| decision.servers.first() == Some(&upstream.id)).map(place);
}

fn untried(snapshot: &Snapshot) -> Vec<String> {
    let private = snapshot.upstreams.all.iter().filter(|upstream| upstream.is_private());
    let untried = private.filter(|upstream| {
        let condition = upstream.transport.condition();
        condition.path.is_none() && condition.last_error.is_none() && condition.answered == 0
    });
    untried.map(|upstream| upstream.id.to_owned()).collect()
}
