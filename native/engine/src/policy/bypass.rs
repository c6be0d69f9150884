//! Which rule takes a name (docs/design/split-horizon.md): the name alone before a zone it is in, the longer zone before
//! the shorter, a zone before the rule for single labels, and that before the root.

use super::suffix_map::SuffixMap;
use crate::config::BypassConfig;
use crate::intern;
use crate::outcome::ClearClass;
use crate::wire::name::Name;

const ROOT_LENGTH: usize = 1;

#[derive(Debug)]
pub struct BypassRules {
    /// as log and ledger name them, by position in the configuration
    words: Vec<&'static str>,
    /// by position, for lists: the end of the word of each rule in it
    lists: Vec<Option<String>>,
    /// those that hold for everybody
    fixed: Names,
    /// those that depend on who asks
    conditional: Vec<(usize, Names)>,
    /// the names of all of these; few queries are for them
    under_condition: Names,
}

/// Names, each with the position of its rule.
#[derive(Debug)]
struct Names {
    below: SuffixMap<usize>,
    alone: SuffixMap<usize>,
    single_labels: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// position of the rule
    pub rule: usize,
    /// octets at the name's end that the rule names
    pub named: usize,
    /// the greater is the more specific
    rank: Rank,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Root,
    SingleLabels,
    Below(usize),
    Alone,
}

impl BypassRules {
    /// Of two rules for the same zone or name the later stands. `any_refuses`: whether a downgrade holds depends on who asks.
    pub fn of(rules: &[BypassConfig], any_refuses: bool) -> Self {
        let depends =
            |rule: &BypassConfig| rule.when.is_some() || (any_refuses && rule.class == ClearClass::Policy);
        let listed = |wanted: bool| {
            let each = rules.iter().enumerate();
            each.filter(move |(_, rule)| depends(rule) == wanted)
        };
        Self {
            words: rules.iter().map(|rule| intern::word(&rule.rule)).collect(),
            lists: rules.iter().map(|rule| rule.list.as_ref().map(|list| list.after.clone())).collect(),
            fixed: Names::of(listed(false)),
            conditional: listed(true).map(|one| (one.0, Names::of([one].into_iter()))).collect(),
            under_condition: Names::of(listed(true)),
        }
    }

    /// `holds` is called for rules that depend on the asker, by their positions, the most specific first, until one holds.
    pub fn find(&self, name: &Name, holds: &mut dyn FnMut(usize) -> bool) -> Option<Found> {
        let fixed = self.fixed.find(name);
        if self.conditional.is_empty() || self.under_condition.find(name).is_none() {
            return fixed;
        }
        let before = |found: &Found| fixed.is_none_or(|fixed| fixed.place() < found.place());
        let matching = self.conditional.iter().filter_map(|(_, names)| names.find(name)).filter(before);
        let mut matching: Vec<_> = matching.collect();
        matching.sort_unstable_by_key(|found| std::cmp::Reverse(found.place()));
        matching.into_iter().find(|found| holds(found.rule)).or(fixed)
    }

    /// The rule that would take the name from some asker.
    pub fn find_for_any(&self, name: &Name) -> Option<Found> {
        self.find(name, &mut |_| true)
    }

    /// As the log names the rule at this position that took the name: of a list the one rule in it.
    pub fn word(&self, rule: usize, name: &Name) -> &'static str {
        let Some(after) = &self.lists[rule] else { return self.words[rule] };
        match self.listed(rule, name) {
            Some((Rank::Alone, listed)) => intern::word(&format!("={listed}{after}")),
            Some((_, listed)) => intern::word(&format!("{listed}{after}")),
            None => self.words[rule],
        }
    }

    /// As the configuration names it: a list as a whole.
    pub fn configured_word(&self, rule: usize) -> &'static str {
        self.words[rule]
    }

    /// The name in the list at this position that took `name`.
    pub fn in_list(&self, rule: usize, name: &Name) -> Option<Name> {
        self.lists[rule].as_ref()?;
        self.listed(rule, name).map(|(_, listed)| listed)
    }

    /// No list depends on who asks.
    fn listed(&self, rule: usize, name: &Name) -> Option<(Rank, Name)> {
        let found = self.fixed.find(name).filter(|found| found.rule == rule)?;
        let wire = name.as_wire();
        let (listed, _) = Name::read(&wire[wire.len() - found.named..], 0).ok()?;
        Some((found.rank, listed))
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

impl Names {
    fn of<'a>(rules: impl Iterator<Item = (usize, &'a BypassConfig)> + Clone) -> Self {
        let below = rules.clone().flat_map(|(position, rule)| {
            let listed = rule.list.iter().flat_map(|list| list.names.below());
            rule.below.iter().map(|name| name.0).chain(listed).map(move |name| (name, position))
        });
        let alone = rules.clone().flat_map(|(position, rule)| {
            let listed = rule.list.iter().flat_map(|list| list.names.alone());
            rule.alone.iter().map(|name| name.0).chain(listed).map(move |name| (name, position))
        });
        Self {
            below: below.collect(),
            alone: alone.collect(),
            single_labels: rules.clone().filter(|(_, rule)| rule.single_labels).map(|(at, _)| at).last(),
        }
    }

    fn find(&self, name: &Name) -> Option<Found> {
        let length = name.as_wire().len();
        let alone = self.alone.longest(name).filter(|(_, suffix)| suffix.len() == length);
        if let Some((rule, _)) = alone {
            return Some(Found { rule: *rule, named: length, rank: Rank::Alone });
        }
        let zone = self.below.longest(name).map(|(rule, suffix)| {
            let named = suffix.len();
            let rank = if named > ROOT_LENGTH { Rank::Below(named) } else { Rank::Root };
            Found { rule: *rule, named, rank }
        });
        match (zone, self.single_labels) {
            (Some(zone), _) if zone.rank > Rank::Root => Some(zone),
            (_, Some(rule)) if is_internal_label(name) => {
                Some(Found { rule, named: ROOT_LENGTH, rank: Rank::SingleLabels })
            }
            (zone, _) => zone,
        }
    }
}

impl Found {
    fn place(&self) -> (Rank, usize) {
        (self.rank, self.rule)
    }
}

/// Whether this is a single label that is no top-level domain.
fn is_internal_label(name: &Name) -> bool {
    let mut labels = name.labels();
    match (labels.next(), labels.next()) {
        (Some(label), None) => !psl::suffix(label).is_some_and(|suffix| suffix.is_known()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rules(given: serde_json::Value) -> BypassRules {
        BypassRules::of(&serde_json::from_value::<Vec<BypassConfig>>(given).unwrap(), true)
    }

    fn word(rules: &BypassRules, name: &str) -> &'static str {
        word_for(rules, name, &mut |_| true)
    }

    fn word_for(rules: &BypassRules, name: &str, holds: &mut dyn FnMut(usize) -> bool) -> &'static str {
        let name = Name::parse(name).unwrap();
        rules.find(&name, holds).map_or("none", |found| rules.word(found.rule, &name))
    }

    #[test]
    fn the_most_specific_rule_takes_a_name() {
        let rules = rules(json!([
            {"rule": ".", "below": ["."], "to": []},
            {"rule": "corp.example", "below": ["corp.example"], "to": []},
            {"rule": "=www.corp.example", "alone": ["www.corp.example"], "to": []},
            {"rule": "*", "singleLabels": true, "to": []},
            {"rule": "lan", "below": ["lan"], "to": []},
            {"rule": "10.0.0.0/8", "below": ["10.in-addr.arpa"], "to": []},
            {"rule": "10.0.0.0/9", "below": ["0.10.in-addr.arpa", "1.10.in-addr.arpa"], "to": []},
        ]));
        for (name, expected) in [
            ("corp.example", "corp.example"),
            ("WWW.corp.example", "=www.corp.example"),
            ("a.www.corp.example", "corp.example"),
            ("intranet", "*"),
            ("lan", "lan"),
            ("printer.lan", "lan"),
            ("com", "."),
            ("example", "*"),
            ("museum", "."),
            ("example.com", "."),
            (".", "."),
            ("9.9.2.10.in-addr.arpa", "10.0.0.0/8"),
            ("9.9.1.10.in-addr.arpa", "10.0.0.0/9"),
        ] {
            assert_eq!(word(&rules, name), expected, "{name}");
        }
    }

    #[test]
    fn top_level_domains_are_no_internal_labels() {
        let rules = rules(json!([{"rule": "*", "singleLabels": true, "to": []}]));
        for (name, expected) in
            [("com", "none"), ("de", "none"), ("arpa", "none"), (".", "none"), ("db", "*"), ("a.b", "none")]
        {
            assert_eq!(word(&rules, name), expected, "{name}");
        }
    }

    #[test]
    fn a_name_alone_takes_nothing_along() {
        let rules = rules(json!([{"rule": "=b.example", "alone": ["b.example"], "to": []}]));
        for (name, expected) in [("b.example", "=b.example"), ("a.b.example", "none"), ("example", "none")] {
            assert_eq!(word(&rules, name), expected, "{name}");
        }
    }
    /// `holding`: the words of the rules that hold, of those that depend on the asker.
    fn word_where(rules: &BypassRules, name: &str, holding: &[&str]) -> &'static str {
        word_for(rules, name, &mut |rule| holding.contains(&rules.words[rule]))
    }

    #[test]
    fn a_rule_that_does_not_hold_for_an_asker_leaves_the_name_to_the_next() {
        let when = json!({"users": [7]});
        let rules = rules(json!([
            {"rule": "corp.example", "below": ["corp.example"], "to": []},
            {"rule": "corp.example for 7", "below": ["corp.example"], "to": [], "when": when},
            {"rule": "db.corp.example for 7", "below": ["db.corp.example"], "to": [], "when": when},
            {"rule": "=www.corp.example", "alone": ["www.corp.example"], "to": []},
            {"rule": "lan for 7", "below": ["lan"], "to": [], "when": when},
            {"rule": "* for 7", "singleLabels": true, "to": [], "when": when},
            {"rule": "com", "below": ["com"], "class": "policy", "to": []},
        ]));
        for (name, holding, expected) in [
            ("corp.example", &["corp.example for 7"][..], "corp.example for 7"),
            ("corp.example", &[], "corp.example"),
            ("a.db.corp.example", &["db.corp.example for 7"], "db.corp.example for 7"),
            ("a.db.corp.example", &["corp.example for 7"], "corp.example for 7"),
            ("a.db.corp.example", &[], "corp.example"),
            ("www.corp.example", &["corp.example for 7"], "=www.corp.example"),
            ("lan", &["lan for 7", "* for 7"], "lan for 7"),
            ("lan", &["* for 7"], "* for 7"),
            ("lan", &[], "none"),
            ("x.lan", &["* for 7"], "none"),
            ("example.com", &["com"], "com"),
            ("example.com", &[], "none"),
        ] {
            assert_eq!(word_where(&rules, name, holding), expected, "{name} where {holding:?} hold");
        }
    }

    #[test]
    fn a_rule_of_a_list_is_named_as_if_it_stood_alone() {
        let rules = rules(json!([
            {"rule": "list:1", "to": [], "list": {"names": "corp.example\n=www.lab.example\nlan", "after": ""}},
            {"rule": "list:2", "to": [], "list": {"names": "net.example", "after": " when network At%20work"}},
            {"rule": "db.corp.example", "below": ["db.corp.example"], "to": []},
        ]));
        for (name, expected) in [
            ("WWW.Corp.example", "corp.example"),
            ("www.lab.example", "=www.lab.example"),
            ("x.www.lab.example", "none"),
            ("lan", "lan"),
            ("a.net.example", "net.example when network At%20work"),
            ("a.db.corp.example", "db.corp.example"),
        ] {
            assert_eq!(word(&rules, name), expected, "{name}");
        }
        let asked = Name::parse("a.www.corp.example").unwrap();
        assert_eq!(rules.in_list(0, &asked), Some(Name::parse("corp.example").unwrap()));
        assert_eq!(rules.in_list(2, &Name::parse("db.corp.example").unwrap()), None);
    }

    #[test]
    fn a_list_with_a_name_that_is_none_is_refused() {
        let list =
            json!({"rule": "list:1", "to": [], "list": {"names": "a.example\na..example", "after": ""}});
        let error = serde_json::from_value::<BypassConfig>(list).unwrap_err().to_string();
        assert!(error.contains("\"a..example\" is no domain name"), "{error}");
    }

    #[test]
    fn nobody_is_asked_about_for_names_without_a_condition() {
        let rules = rules(json!([
            {"rule": "corp.example", "below": ["corp.example"], "to": []},
            {"rule": "db.example for 7", "below": ["db.example"], "to": [], "when": {"users": [7]}},
        ]));
        let mut asked = 0;
        let mut holds = |_| {
            asked += 1;
            false
        };
        for name in ["www.corp.example", "example", "xdb.example", "www.example.com"] {
            word_for(&rules, name, &mut holds);
        }
        word_for(&rules, "a.db.example", &mut holds);
        assert_eq!(asked, 1);
    }
}
