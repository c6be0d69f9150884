//! Which group of upstreams a name belongs to: the one with the longest suffix of it. Where a group has a condition, that depends on
//! who asks.

use super::conditions::Fit;
use super::suffix_map::SuffixMap;
use crate::config::GroupConfig;
use crate::outcome::Downgrade;
use crate::wire::name::Name;

/// The first group takes what no other does.
const DEFAULT: usize = 0;

pub struct GroupNames {
    /// those that hold for everybody, each with the position of its group
    fixed: SuffixMap<usize>,
    /// the longest first; of equal ones the earlier group's
    conditional: Vec<(Name, usize)>,
    /// their names
    under_condition: SuffixMap<()>,
    policies: Vec<Downgrade>,
}

/// The position of a name's group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    pub by: usize,
    /// the name may have another group for others
    pub depends: bool,
    /// nobody knows whether a condition fits, so neither group's permission to send in cleartext is certain
    pub doubtful: bool,
}

impl GroupNames {
    /// The default group is the first.
    pub fn of(groups: &[GroupConfig]) -> Self {
        let listed = |depends: bool| {
            let each = groups.iter().enumerate().filter(move |(_, group)| group.when.is_some() == depends);
            each.flat_map(|(position, group)| group.names.iter().map(move |name| (name.0, position)))
        };
        let mut conditional: Vec<_> = listed(true).collect();
        conditional.sort_by_key(|(name, _)| std::cmp::Reverse(name.as_wire().len()));
        Self {
            fixed: listed(false).collect(),
            under_condition: conditional.iter().map(|(name, _)| (*name, ())).collect(),
            conditional,
            policies: groups.iter().map(|group| group.policy).collect(),
        }
    }

    /// The group that takes the name from everybody for whom no condition fits.
    pub fn for_others(&self, name: &Name) -> usize {
        self.fixed.longest(name).map_or(DEFAULT, |(position, _)| *position)
    }

    /// `fit` is called for the group at this position. Where nobody knows whether it fits, the name belongs to the group with the
    /// stricter policy, and of equally strict ones to that which would take it otherwise. Cleartext is for nobody then.
    pub fn find(&self, name: &Name, fit: &mut dyn FnMut(usize) -> Fit) -> Taken {
        let by = self.for_others(name);
        if self.under_condition.longest(name).is_none() {
            return Taken { by, depends: false, doubtful: false };
        }
        let named = self.fixed.longest(name).map_or(0, |(_, suffix)| suffix.len());
        let mut unknown = vec![];
        let matching = self
            .conditional
            .iter()
            .filter(|(zone, _)| zone.as_wire().len() >= named && (zone == name || name.ends_with(zone)));
        let mut certain = by;
        for (_, group) in matching {
            match fit(*group) {
                Fit::Yes => {
                    certain = *group;
                    break;
                }
                Fit::Unknown => unknown.push(*group),
                Fit::No => {}
            }
        }
        let doubtful = !unknown.is_empty();
        let strictest = unknown.into_iter().min_by_key(|group| self.policies[*group]);
        let stricter = strictest.filter(|group| self.policies[*group] < self.policies[certain]);
        Taken { by: stricter.unwrap_or(certain), depends: true, doubtful }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(groups: serde_json::Value) -> GroupNames {
        GroupNames::of(&serde_json::from_value::<Vec<GroupConfig>>(groups).unwrap())
    }

    fn name(text: &str) -> Name {
        Name::parse(text).unwrap()
    }

    #[test]
    fn a_name_belongs_to_the_group_with_its_longest_suffix() {
        let names = names(json!([
            {"id": ""},
            {"id": "corp", "names": ["corp.example", "example.org"]},
            {"id": "lab", "names": ["lab.corp.example"]},
        ]));
        for (asked, group) in [
            ("example.com", 0),
            ("example", 0),
            ("corp.example", 1),
            ("a.CORP.example", 1),
            ("notcorp.example", 0),
            ("x.lab.corp.example", 2),
            ("www.example.org", 1),
        ] {
            let taken = names.find(&name(asked), &mut |group| panic!("{group} has no condition"));
            assert_eq!(taken, Taken { by: group, depends: false, doubtful: false }, "{asked}");
        }
    }

    #[test]
    fn a_condition_decides_and_who_is_unknown_gets_the_stricter_policy() {
        let when = json!({"users": [7]});
        let names = names(json!([
            {"id": "", "policy": "warn"},
            {"id": "strict", "names": ["strict.example"], "policy": "refuse", "when": when},
            {"id": "loose", "names": ["loose.example"], "policy": "fallback", "when": when},
            {"id": "equal", "names": ["equal.example"], "policy": "warn", "when": when},
            {"id": "inner", "names": ["in.strict.example"], "policy": "fallback"},
            {"id": "both", "names": ["strict.example"], "policy": "fallback", "when": {"users": [8]}},
        ]));
        use Fit::{No, Unknown, Yes};
        for (asked, fits, by) in [
            ("a.strict.example", [Yes, No], 1),
            ("a.strict.example", [No, No], 0),
            ("a.strict.example", [No, Yes], 5),
            ("a.strict.example", [Unknown, Unknown], 1),
            ("a.strict.example", [Unknown, Yes], 1),
            ("loose.example", [Yes, No], 2),
            ("loose.example", [Unknown, No], 0),
            ("loose.example", [No, No], 0),
            ("equal.example", [Unknown, No], 0),
            ("equal.example", [Yes, No], 3),
        ] {
            let found = names.find(&name(asked), &mut |group| fits[usize::from(group == 5)]);
            assert_eq!((found.by, found.depends), (by, true), "{asked} where it fits {fits:?}");
            assert_eq!(found.doubtful, fits[0] == Unknown, "{asked} where it fits {fits:?}");
        }
        let longer = names.find(&name("in.strict.example"), &mut |group| panic!("{group} is shorter"));
        assert_eq!(longer.by, 4);
    }
}
