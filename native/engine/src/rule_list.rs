//! Many bypass rules as one: a fleet's list of a hundred thousand names is one rule of the configuration, with one lease.

use serde::Deserialize;

use crate::wire::name::Name;

/// Many rules that differ in their names alone. Log and explanation name the one rule that a query met.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "EngineList"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListConfig {
    #[cfg_attr(test, ts(type = "string"))]
    pub names: ListedNames,
    /// the end of each rule's name in the query log, after the one of these names
    pub after: String,
}

/// A line for each name, which stands for everything below it as well; for itself alone, where `=` stands before it. As a text they
/// take a tenth of the memory.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct ListedNames(String);

impl ListedNames {
    pub fn below(&self) -> impl Iterator<Item = Name> {
        self.0.lines().filter(|line| !line.starts_with('=')).filter_map(|line| Name::parse(line).ok())
    }

    pub fn alone(&self) -> impl Iterator<Item = Name> {
        self.0.lines().filter_map(|line| Name::parse(line.strip_prefix('=')?).ok())
    }
}

impl TryFrom<String> for ListedNames {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        for line in text.lines() {
            let name = line.strip_prefix('=').unwrap_or(line);
            Name::parse(name).map_err(|malformed| format!("{name:?} is no domain name: {}", malformed.0))?;
        }
        Ok(Self(text))
    }
}
