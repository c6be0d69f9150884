//! Makes the upstreams, groups and leases of a configuration into what can be asked. What did not change is carried over.

use std::sync::Arc;

use crate::config::{ConfigError, EngineConfig, GroupConfig};
use crate::outcome::ClearClass;
use crate::upstream::assemble::{rungs, upstream};
use crate::upstream::clear::lease::Lease;
use crate::upstream::selection::group::Group;
use crate::upstream::selection::ladder::{Ladder, Materials};
use crate::upstream::selection::upstream::Upstream;
use crate::upstream::selection::upstreams::Upstreams;
use crate::upstream::transport::surroundings::Surroundings;

/// All groups, the default one first.
pub fn groups(config: &EngineConfig) -> Result<Vec<GroupConfig>, ConfigError> {
    let mut groups = config.groups.clone();
    match groups.iter().position(|group| group.id.is_empty()) {
        Some(position) => groups.swap(0, position),
        None => groups.insert(0, GroupConfig::default()),
    }
    for (index, group) in config.groups.iter().enumerate() {
        if config.groups[..index].iter().any(|earlier| earlier.id == group.id) {
            let message = format!("there are two groups {:?}", group.id);
            return Err(ConfigError::new(
                "group-duplicate",
                format!("groups[{index}].id"),
                message,
                "name one of them otherwise",
            ));
        }
    }
    let upstreams = config.upstreams.iter().map(|upstream| &upstream.group).enumerate();
    let leases = config.leases.iter().map(|lease| &lease.group).enumerate();
    let named = upstreams.map(|(index, id)| ("upstreams", index, id));
    for (list, index, id) in named.chain(leases.map(|(index, id)| ("leases", index, id))) {
        if !groups.iter().any(|group| group.id == *id) {
            let message = format!("there is no group {id:?}");
            return Err(ConfigError::new(
                "group-unknown",
                format!("{list}[{index}].group"),
                message,
                "add it to groups, or leave it out",
            ));
        }
    }
    Ok(groups)
}

/// `leases` are in the configuration's order. `before` is the set of the configuration before, if it is of the same network.
pub fn upstreams(
    config: &EngineConfig,
    groups: Vec<GroupConfig>,
    leases: &[Arc<Lease>],
    before: Option<&Upstreams>,
    around: &Surroundings,
) -> Result<Upstreams, ConfigError> {
    let lease_of = |group: &str| policy_lease(config, leases, group);
    let all = config.upstreams.iter().enumerate().map(|(index, wanted)| {
        let lease = lease_of(&wanted.group);
        let kept = before.into_iter().flat_map(|before| &before.all).find(|upstream| {
            upstream.config == *wanted && (upstream.is_private() || is_same(&upstream.lease, &lease))
        });
        match kept {
            Some(kept) => Ok(kept.clone()),
            None => {
                let around = Surroundings { lease, ..around.clone() };
                upstream::upstream(wanted, &format!("upstreams[{index}]"), &around).map(Arc::new)
            }
        }
    });
    let all: Vec<Arc<Upstream>> = all.collect::<Result<_, _>>()?;
    let groups = groups.into_iter().map(|group| {
        let members: Vec<_> =
            all.iter().filter(|upstream| upstream.config.group == group.id).cloned().collect();
        let ladder = match lease_of(&group.id) {
            Some(lease) => {
                let network_resolvers = &config.network_resolvers;
                let from = Materials { group: &group, upstreams: &members, network_resolvers, lease };
                ladder(&from, before, around)?
            }
            None => None,
        };
        Ok(Arc::new(Group::new(group, &members, ladder, around.connections.clone())))
    });
    let groups = groups.collect::<Result<_, _>>()?;
    Ok(Upstreams { all, groups })
}

fn ladder(
    from: &Materials<'_>,
    before: Option<&Upstreams>,
    around: &Surroundings,
) -> Result<Option<Arc<Ladder>>, ConfigError> {
    let ladders =
        before.into_iter().flat_map(|before| &before.groups).filter_map(|group| group.ladder.as_ref());
    match ladders.into_iter().find(|ladder| ladder.is_made_of(from)) {
        Some(kept) => Ok(Some(kept.clone())),
        None => Ok(rungs::ladder(from, around)?.map(Arc::new)),
    }
}

fn policy_lease(config: &EngineConfig, leases: &[Arc<Lease>], group: &str) -> Option<Arc<Lease>> {
    let mut both = config.leases.iter().zip(leases);
    let fitting = both
        .find(|(lease, _)| lease.class == ClearClass::Policy && lease.rule.is_none() && lease.group == group);
    fitting.map(|(_, lease)| lease.clone())
}

fn is_same(one: &Option<Arc<Lease>>, other: &Option<Arc<Lease>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        (one, other) => one.is_none() && other.is_none(),
    }
}
