//! How many responses are kept, and how long they serve beyond their time.

use std::time::Duration;

use serde::Deserialize;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CacheConfig {
    pub entries: usize,
    pub serve_stale: bool,
    /// Expired responses do not wait for new ones, which are asked for behind them.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub stale_at_once: bool,
    pub stale_hours: u32,
    /// Names that are asked for ahead where they are asked often, and queries a minute for them; zero: none.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<usize>"))]
    pub hot_set: usize,
}

impl CacheConfig {
    pub fn nothing() -> Self {
        Self { entries: 1, serve_stale: false, stale_at_once: false, stale_hours: 24, hot_set: 0 }
    }

    /// How long an expired response may still serve (RFC 8767 section 5); zero: it may not.
    pub fn stale_for(&self) -> Duration {
        let hours = if self.serve_stale { self.stale_hours } else { 0 };
        Duration::from_secs(u64::from(hours) * 3600)
    }
}
