//! A domain name as the configuration writes it.

use serde::Deserialize;

use crate::wire::name::Name;

/// A name in presentation form, checked as it is read.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "string"))]
#[serde(try_from = "String")]
pub struct DomainName(pub Name);

impl TryFrom<String> for DomainName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Name::parse(&text)
            .map(DomainName)
            .map_err(|malformed| format!("{text:?} is no domain name: {}", malformed.0))
    }
}
