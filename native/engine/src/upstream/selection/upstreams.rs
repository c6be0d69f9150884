//! All upstreams of a configuration, in their groups.

use std::sync::Arc;

use crate::upstream::selection::group::Group;
use crate::upstream::selection::upstream::Upstream;

/// All upstreams of one configuration, in order of preference.
#[derive(Default)]
pub struct Upstreams {
    pub all: Vec<Arc<Upstream>>,
    /// the default group is first
    pub groups: Vec<Arc<Group>>,
}
