//! Whether two configurations lead every query the same way.

use crate::config::EngineConfig;

impl EngineConfig {
    /// What was learned of queries under one of them holds under the other. Leases differ in their ends, and have no part in it.
    pub(crate) fn leads_like(&self, other: &Self) -> bool {
        let Self {
            mode,
            network,
            upstreams,
            groups,
            bypass,
            refuse_for,
            forwarders,
            forward_special,
            portal,
            listen: _,
            network_changes: _,
            network_resolvers: _,
            known_private: _,
            allow_private: _,
            cache: _,
            connections: _,
            leases: _,
            events: _,
            programs: _,
            audit: _,
        } = self;
        *mode == other.mode
            && *network == other.network
            && *upstreams == other.upstreams
            && *groups == other.groups
            && *bypass == other.bypass
            && *refuse_for == other.refuse_for
            && *forwarders == other.forwarders
            && *forward_special == other.forward_special
            && *portal == other.portal
    }
}
