//! A condition as the configuration writes it; `policy/conditions.rs` judges it.

use serde::Deserialize;

/// Whose queries are meant. All that is given must fit; in a list one must.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "EngineWhen"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WhenConfig {
    /// numbers of users; absent: any
    #[serde(default)]
    pub users: Option<Vec<u32>>,
    /// some accounts have no number here, so nobody is certain to be another
    #[serde(default)]
    pub unknown_users: bool,
    /// first number and how many: under these, too, somebody of `users` may run programs (subuid(5))
    #[serde(default)]
    pub subordinates: Vec<(u32, u32)>,
    /// units of the system's manager; absent: any program
    #[serde(default)]
    pub units: Option<Vec<String>>,
}
