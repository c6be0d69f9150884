//! Which rule takes a name (docs/design/split-horizon.md): the name alone before a zone it is in, the longer zone before
//! the shorter, a zone before the rule for single labels, and that before the root.

use super::suffix_map::SuffixMap;
use crate::config::BypassConfig;
use crate::intern;
use crate::wire::name::Name;

const ROOT_LENGTH: usize = 1;

#[derive(Debug)]
pub struct BypassRules {
    /// as log and ledger name them, by position in the configuration
    words: Vec<&'static str>,
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
}

impl BypassRules {
    /// Of two rules for the same zone or name the later stands.
    pub fn of(rules: &[BypassConfig]) -> Self {
        let listed = |names: fn(&BypassConfig) -> &[crate::config::DomainName]| {
            let each = rules.iter().enumerate();
            each.flat_map(move |(position, rule)| names(rule).iter().map(move |name| (name.0, position)))
                .collect()
        };
        Self {
            words: rules.iter().map(|rule| intern::word(&rule.rule)).collect(),
            below: listed(|rule| &rule.below),
            alone: listed(|rule| &rule.alone),
            single_labels: rules.iter().rposition(|rule| rule.single_labels),
        }
    }

    pub fn find(&self, name: &Name) -> Option<Found> {
        let length = name.as_wire().len();
        let alone = self.alone.longest(name).filter(|(_, suffix)| suffix.len() == length);
        if let Some((rule, _)) = alone {
            return Some(Found { rule: *rule, named: length });
        }
        let zone = self.below.longest(name).map(|(rule, suffix)| Found { rule: *rule, named: suffix.len() });
        match (zone, self.single_labels) {
            (Some(zone), _) if zone.named > ROOT_LENGTH => Some(zone),
            (_, Some(rule)) if is_internal_label(name) => Some(Found { rule, named: ROOT_LENGTH }),
            (zone, _) => zone,
        }
    }

    pub fn word(&self, rule: usize) -> &'static str {
        self.words[rule]
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
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
        BypassRules::of(&serde_json::from_value::<Vec<BypassConfig>>(given).unwrap())
    }

    fn word(rules: &BypassRules, name: &str) -> &'static str {
        rules.find(&Name::parse(name).unwrap()).map_or("none", |found| rules.word(found.rule))
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
}
