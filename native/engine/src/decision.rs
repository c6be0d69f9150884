//! A route in words and facts: what policy and the condition of the upstreams make of a query. Pure; nothing is sent.

use std::net::SocketAddr;

use serde::Serialize;

use crate::cleartext::NOBODY_KNOWN;
use crate::config::{EncDnsConfig, UpstreamConfig};
use crate::describe::rcode_name;
use crate::outcome::{ClearClass, Downgrade};
use crate::policy::conditions::Audience;
use crate::route::Route;
use crate::snapshot::Snapshot;
use crate::upstream::clear::lease::Lease;
use crate::upstream::selection::group::Group;
use crate::wire::name::Name;
use crate::words::words;
use crate::zone;

/// What happens to a query.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    pub verdict: Destination,
    pub fate: Fate,
    /// as the event names it
    pub rule: &'static str,
    pub reason: &'static str,
    /// of a response made on this machine
    pub rcode: Option<String>,
    /// ip:port of plain resolvers, or ids of upstreams, in the order they would be asked
    pub servers: Vec<String>,
    /// how the first of the upstreams is reached, as in `dot://192.0.2.1:853#dns.example`
    pub at: Option<String>,
    /// id of the group that is asked
    pub group: Option<String>,
    pub clear: ClearClass,
    /// what follows where none of its upstreams can be reached privately; null: they are not private, or none is asked
    #[cfg_attr(test, ts(type = "'refuse' | 'warn' | 'fallback' | null"))]
    pub below: Option<Downgrade>,
}

words!(
    Destination {
        /// answered on this machine
        Local = "local",
        /// in cleartext, to the rule's resolvers
        Bypass = "bypass",
        /// in cleartext, to the system's resolvers, because Sotto is off or paused
        Direct = "direct",
        /// in cleartext, to the network's resolvers, for a login
        Portal = "portal",
        /// to the upstreams of its group
        Forward = "forward",
    }
);

words!(
    /// How a query leaves, if it does.
    Fate {
        /// it is answered on this machine
        Here = "here",
        /// inside TLS, as long as an upstream can be reached that way
        Private = "private",
        Clear = "clear",
        /// it is not sent
        Refused = "refused",
    }
);

impl Snapshot {
    /// What this route means for a query for `name`. `sound` leaves out resolvers that lead back to us.
    pub fn decision(
        &self,
        route: &Route<'_>,
        name: &Name,
        sound: &dyn Fn(&[SocketAddr]) -> Vec<SocketAddr>,
    ) -> Decision {
        let live = |lease: Option<&Lease>| lease.is_some_and(|lease| !lease.ended());
        match route {
            Route::Local(local) => Decision {
                fate: Fate::Here,
                rule: local.rule,
                reason: local.reason,
                rcode: Some(rcode_name(local.rcode)),
                ..Decision::of(Destination::Local)
            },
            Route::Bypass(rule) => {
                let given = &self.config.bypass[*rule];
                let permitted = live(self.bypass_leases[*rule].as_deref()).then_some(given.class);
                Decision {
                    rule: self.bypass.word(*rule, name),
                    reason: if given.to.is_empty() { NOBODY_KNOWN } else { "" },
                    ..Decision::plain(Destination::Bypass, &sound(&given.to), permitted)
                }
            }
            Route::Portal => {
                let servers = sound(&self.config.portal.resolvers);
                Decision::plain(Destination::Portal, &servers, Some(ClearClass::Portal))
            }
            Route::Direct(direct) => {
                let permitted = live(direct.lease.as_deref()).then_some(direct.class);
                Decision::plain(Destination::Direct, &direct.servers, permitted)
            }
            Route::Forward(audience) => self.forwarded(name, *audience),
        }
    }

    fn forwarded(&self, name: &Name, audience: Audience) -> Decision {
        let group = self.group(name, audience);
        let order = group.order(name);
        let at = order.first().map(|upstream| place(&upstream.config));
        let servers: Vec<String> = order.iter().map(|upstream| upstream.id.into()).collect();
        let fate = match servers.is_empty() {
            true => Fate::Refused,
            false => fate_in(group, audience),
        };
        let refuses = audience.private_only || group.config.rungs.is_empty();
        let below = if refuses { Downgrade::Refuse } else { group.config.policy };
        Decision {
            fate,
            servers,
            at,
            group: Some(group.config.id.clone()),
            clear: if fate == Fate::Clear { ClearClass::Policy } else { ClearClass::None },
            below: group.is_private().then_some(below),
            ..Decision::of(Destination::Forward)
        }
    }
}

/// As [`Group::exchange`] goes: upstreams, then the ladder.
fn fate_in(group: &Group, audience: Audience) -> Fate {
    match (group.is_private(), audience.private_only) {
        (true, _) if !group.is_cut_off() => Fate::Private,
        (true, false) if group.live_ladder().is_some() => Fate::Clear,
        (false, false) if group.is_permitted() => Fate::Clear,
        _ => Fate::Refused,
    }
}

pub fn place(config: &UpstreamConfig) -> String {
    if let Some(EncDnsConfig { zone, first_hop, .. }) = &config.encdns {
        return format!("encdns://{} over {}", zone.0, place(first_hop));
    }
    let addresses: Vec<_> = config.addresses.iter().map(ToString::to_string).collect();
    let proxy = config.proxy.map_or_else(String::new, |proxy| format!(" through {}", zone::written(&proxy)));
    let names = config.names.join(",");
    let name = if names.is_empty() { names } else { format!("#{names}") };
    format!("{}://{}{name}{proxy}", config.transport.word(), addresses.join(","))
}

impl Decision {
    fn of(verdict: Destination) -> Self {
        Self {
            verdict,
            fate: Fate::Refused,
            rule: "",
            reason: "",
            rcode: None,
            servers: vec![],
            at: None,
            group: None,
            clear: ClearClass::None,
            below: None,
        }
    }

    /// To plain resolvers, where a lease of this class permits it.
    fn plain(verdict: Destination, servers: &[SocketAddr], permitted: Option<ClearClass>) -> Self {
        let leaves = permitted.filter(|_| !servers.is_empty());
        Self {
            fate: if leaves.is_some() { Fate::Clear } else { Fate::Refused },
            servers: servers.iter().map(zone::written).collect(),
            clear: leaves.unwrap_or(ClearClass::None),
            ..Self::of(verdict)
        }
    }
}
