//! Removes what a person names, or what was heard on another network.

use serde::Deserialize;

use super::store::Cache;
use crate::config::{ConfigError, DomainName};

/// What to forget; in JSON `{"name": "www.example"}` or `{"suffix": "example"}`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "CacheFilter"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Filter {
    /// every type of one name
    Name(DomainName),
    /// the name and everything below it
    Suffix(DomainName),
}

impl Filter {
    pub fn parse(json: &str) -> Result<Self, ConfigError> {
        serde_json::from_str(json).map_err(|error| {
            let remedy = r#"give {"name": "www.example"} or {"suffix": "example"}"#;
            ConfigError::new("filter-invalid", "filter", error.to_string(), remedy)
        })
    }
}

impl Cache {
    /// Everything without a filter. Failures are forgotten along with responses; what is returned counts responses.
    pub fn flush(&self, filter: Option<&Filter>) -> usize {
        match filter {
            None => self.clear(),
            Some(Filter::Name(name)) => self.remove(|parts| parts.name == name.0.as_wire()),
            Some(Filter::Suffix(suffix)) => self.remove(|parts| parts.is_within(&suffix.0)),
        }
    }

    /// What was heard on networks the machine has left.
    pub fn flush_other_generations(&self, generation: u32) -> usize {
        self.remove(|parts| parts.partition.generation != generation)
    }
}
