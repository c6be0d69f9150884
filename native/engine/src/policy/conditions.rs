//! For whom a rule, a group or a refusal holds (docs/decisions/0045-conditions.md). Time and network are judged by the control plane,
//! which hands over only what holds here and now; users and units are judged for each query that depends on them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use sotto_attribution::{SystemUnits, UnitFound};

use crate::attribution::Asker;
use crate::config::{EngineConfig, GroupConfig};
use crate::intern;
use crate::when::WhenConfig;
use crate::words::words;

words!(
    /// Whether an asker is one of those meant. Unknown counts as whatever is stricter.
    Fit { No = "no", Unknown = "unknown", Yes = "yes" }
);

words!(
    /// What has a condition.
    Conditional { Rule = "rule", Group = "group", RefuseFor = "refuse-for" }
);

#[derive(Debug)]
pub struct Condition {
    pub of: Conditional,
    /// the rule's word, the group's id, the position in `refuseFor`
    pub name: &'static str,
    when: WhenConfig,
}

/// Where the response for a query depends on who asks: whom it is for. Others do not get it from the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Audience {
    /// id of the group; `None`: the name has one group for everybody
    pub group: Option<&'static str>,
    /// the query never leaves in cleartext
    pub private_only: bool,
}

/// All conditions of a configuration.
pub struct Conditions {
    /// by position of the bypass rule
    rules: Vec<Option<Condition>>,
    /// by position of the group
    groups: Vec<Option<Condition>>,
    refuse_for: Vec<Condition>,
    forwarders: Vec<String>,
    units: Mutex<SystemUnits>,
    /// numbers of the groups' ids, which the cache tells apart by them
    numbers: HashMap<&'static str, u16>,
}

impl Condition {
    fn new(of: Conditional, name: &str, when: &WhenConfig) -> Self {
        Self { of, name: intern::word(name), when: when.clone() }
    }

    fn fit_user(&self, user: Option<u32>) -> Fit {
        match (&self.when.users, user) {
            (None, _) => Fit::Yes,
            (Some(users), Some(user)) if users.contains(&user) => Fit::Yes,
            (Some(_), Some(user)) if !self.when.unknown_users && !self.is_subordinate(user) => Fit::No,
            _ => Fit::Unknown,
        }
    }

    fn is_subordinate(&self, user: u32) -> bool {
        self.when
            .subordinates
            .iter()
            .any(|(first, count)| user.checked_sub(*first).is_some_and(|at| at < *count))
    }

    fn fit_unit(&self, unit: impl FnOnce() -> UnitFound) -> Fit {
        let Some(units) = &self.when.units else { return Fit::Yes };
        match unit() {
            UnitFound::Named(unit) if units.iter().any(|one| **one == *unit) => Fit::Yes,
            UnitFound::Named(_) | UnitFound::Other => Fit::No,
            UnitFound::Unknown => Fit::Unknown,
        }
    }

    /// `unit` is called only where it matters.
    fn fit(&self, user: Option<u32>, unit: impl FnOnce() -> UnitFound) -> Fit {
        match self.fit_user(user) {
            Fit::No => Fit::No,
            user => user.min(self.fit_unit(unit)),
        }
    }

    /// Whoever asks, it fits.
    pub fn is_for_everybody(&self) -> bool {
        self.when.users.is_none() && self.when.units.is_none()
    }
}

impl Conditions {
    /// `groups`: all of them, the default one first.
    pub fn of(config: &EngineConfig, groups: &[GroupConfig], before: Option<&Conditions>) -> Self {
        let condition = |of, name: &str, when: &Option<WhenConfig>| {
            when.as_ref().map(|when| Condition::new(of, name, when))
        };
        let rules = config.bypass.iter();
        let whens = config.bypass.iter().filter_map(|rule| rule.when.as_ref());
        let whens = whens.chain(groups.iter().filter_map(|group| group.when.as_ref()));
        let mut units: Vec<Arc<str>> = whens
            .chain(&config.refuse_for)
            .flat_map(|when| when.units.iter().flatten())
            .chain(&config.forwarders)
            .map(|unit| unit.as_str().into())
            .collect();
        units.sort();
        units.dedup();
        let mut numbers = before.map_or_else(HashMap::new, |before| before.numbers.clone());
        for group in groups {
            let next = numbers.len() as u16 + 1;
            numbers.entry(intern::word(&group.id)).or_insert(next);
        }
        let refuse_for = config.refuse_for.iter().enumerate();
        Self {
            rules: rules.map(|rule| condition(Conditional::Rule, &rule.rule, &rule.when)).collect(),
            groups: groups
                .iter()
                .map(|group| condition(Conditional::Group, &group.id, &group.when))
                .collect(),
            refuse_for: refuse_for
                .map(|(index, when)| Condition::new(Conditional::RefuseFor, &index.to_string(), when))
                .collect(),
            forwarders: config.forwarders.clone(),
            units: Mutex::new(SystemUnits::of_system(units)),
            numbers,
        }
    }

    pub fn of_rule(&self, position: usize) -> Option<&Condition> {
        self.rules[position].as_ref()
    }

    pub fn of_group(&self, position: usize) -> Option<&Condition> {
        self.groups.get(position)?.as_ref()
    }

    pub fn any_refuses(&self) -> bool {
        !self.refuse_for.is_empty()
    }

    /// Whether queries of this asker must not leave in cleartext.
    pub fn refuse(&self, fit: &mut dyn FnMut(&Condition) -> Fit) -> bool {
        self.refuse_for.iter().any(|condition| fit(condition) != Fit::No)
    }

    pub fn fit(&self, condition: &Condition, asker: Asker) -> Fit {
        let holder = asker.holder();
        let group = holder.and_then(|holder| holder.cgroup);
        self.fit_of(condition, holder.map(|holder| holder.user), || {
            group.map_or(UnitFound::Unknown, |group| self.unit(group))
        })
    }

    /// A forwarder that does not fit itself may ask for somebody who does.
    pub fn fit_of(&self, condition: &Condition, user: Option<u32>, unit: impl Fn() -> UnitFound) -> Fit {
        let is_forwarder = |unit: UnitFound| match unit {
            UnitFound::Named(unit) => self.forwarders.iter().any(|one| **one == *unit),
            UnitFound::Other | UnitFound::Unknown => false,
        };
        match condition.fit(user, &unit) {
            Fit::No if is_forwarder(unit()) => Fit::Unknown,
            fit => fit,
        }
    }

    fn unit(&self, group: u64) -> UnitFound {
        match self.units.lock() {
            Ok(mut units) => units.unit(group, Instant::now()),
            Err(_) => UnitFound::Unknown,
        }
    }

    /// Responses for audiences with different marks are kept apart; zero where everybody may have them.
    pub fn mark(&self, audience: Audience) -> u16 {
        let group = audience.group.and_then(|id| self.numbers.get(id)).copied().unwrap_or_default();
        group << 1 | u16::from(audience.private_only)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn condition(when: serde_json::Value) -> Condition {
        Condition::new(Conditional::Rule, "corp.example", &serde_json::from_value(when).unwrap())
    }

    fn backup() -> UnitFound {
        UnitFound::Named("backup.service".into())
    }

    #[test]
    fn all_that_is_given_must_fit() {
        let both = json!({"users": [7, 8], "units": ["backup.service", "mail.service"]});
        let not_all_known = json!({"users": [7], "unknownUsers": true});
        let with_containers = json!({"users": [7], "subordinates": [[100, 2], [4294967295u32, 1]]});
        for (when, user, unit, expected) in [
            (json!({}), None, UnitFound::Unknown, Fit::Yes),
            (json!({"users": [7]}), Some(7), UnitFound::Unknown, Fit::Yes),
            (json!({"users": [7]}), Some(8), UnitFound::Unknown, Fit::No),
            (json!({"users": [7]}), None, backup(), Fit::Unknown),
            (not_all_known.clone(), Some(7), UnitFound::Other, Fit::Yes),
            (not_all_known, Some(8), UnitFound::Other, Fit::Unknown),
            (with_containers.clone(), Some(99), UnitFound::Other, Fit::No),
            (with_containers.clone(), Some(100), UnitFound::Other, Fit::Unknown),
            (with_containers.clone(), Some(101), UnitFound::Other, Fit::Unknown),
            (with_containers.clone(), Some(102), UnitFound::Other, Fit::No),
            (with_containers, Some(u32::MAX), UnitFound::Other, Fit::Unknown),
            (json!({"units": ["backup.service"]}), None, backup(), Fit::Yes),
            (json!({"units": ["mail.service"]}), None, backup(), Fit::No),
            (json!({"units": ["mail.service"]}), Some(7), UnitFound::Unknown, Fit::Unknown),
            (both.clone(), Some(8), backup(), Fit::Yes),
            (both.clone(), Some(8), UnitFound::Other, Fit::No),
            (both.clone(), Some(9), UnitFound::Unknown, Fit::No),
            (both.clone(), Some(8), UnitFound::Unknown, Fit::Unknown),
            (both, None, UnitFound::Other, Fit::No),
        ] {
            let text = format!("{when} of {user:?} in {unit:?}");
            assert_eq!(condition(when).fit(user, || unit), expected, "{text}");
        }
    }

    #[test]
    fn a_forwarder_may_ask_for_anybody() {
        let config = EngineConfig { forwarders: vec!["dnsmasq.service".into()], ..EngineConfig::nothing() };
        let conditions = Conditions::of(&config, &[], None);
        let dnsmasq = || UnitFound::Named("dnsmasq.service".into());
        for (when, user, expected) in [
            (json!({"users": [7]}), 7, Fit::Yes),
            (json!({"users": [7]}), 8, Fit::Unknown),
            (json!({"units": ["dnsmasq.service"]}), 8, Fit::Yes),
            (json!({"units": ["backup.service"]}), 8, Fit::Unknown),
            (json!({}), 8, Fit::Yes),
        ] {
            let text = format!("{when} of {user}");
            assert_eq!(conditions.fit_of(&condition(when), Some(user), dnsmasq), expected, "{text}");
        }
        let other = conditions.fit_of(&condition(json!({"users": [7]})), Some(8), backup);
        assert_eq!(other, Fit::No);
    }

    #[test]
    fn a_number_stays_with_its_group() {
        let config = EngineConfig::nothing();
        let groups = |ids: &[&str]| -> Vec<GroupConfig> {
            ids.iter().map(|id| GroupConfig { id: (*id).into(), ..Default::default() }).collect()
        };
        let marks = |conditions: &Conditions, id| {
            [false, true].map(|private_only| conditions.mark(Audience { group: Some(id), private_only }))
        };
        let first = Conditions::of(&config, &groups(&["", "corp"]), None);
        let second = Conditions::of(&config, &groups(&["", "lab", "corp"]), Some(&first));
        assert_eq!(marks(&first, "corp"), marks(&second, "corp"));
        let mut all: Vec<u16> = ["", "lab", "corp"].iter().flat_map(|id| marks(&second, id)).collect();
        all.push(second.mark(Audience::default()));
        all.push(second.mark(Audience { group: None, private_only: true }));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 8);
        assert_eq!(second.mark(Audience::default()), 0);
    }
}
