//! A configuration made ready for the pipeline, and swapped as a whole. Parts that did not change are carried over, so that
//! connections and cache outlive a change of other settings.

use std::net::SocketAddr;
use std::sync::Arc;

use crate::cache::hot_set::HotSet;
use crate::cache::store::Cache;
use crate::change_count::ChangeCount;
use crate::clock::Clock;
use crate::config::{BypassConfig, CacheConfig, ConfigError, EngineConfig, LeaseConfig, Mode};
use crate::counts::Counts;
use crate::holding::Holding;
use crate::intern;
use crate::outcome::ClearClass;
use crate::policy::QuestionPolicy;
use crate::policy::bypass::BypassRules;
use crate::policy::conditions::{Audience, Condition, Conditions, Fit};
use crate::policy::group_names::GroupNames;
use crate::policy::response_policy::ResponsePolicy;
use crate::upstream::assemble::upstreams;
use crate::upstream::clear::cookies::Cookies;
use crate::upstream::clear::lease::Lease;
use crate::upstream::dial::ticket_store::TicketStore;
use crate::upstream::memory::connections::Connections;
use crate::upstream::memory::starttls_memory::StarttlsMemory;
use crate::upstream::selection::group::Group;
use crate::upstream::selection::ladder::Ladder;
use crate::upstream::selection::upstreams::Upstreams;
use crate::upstream::transport::surroundings::{Surroundings, Transports};
use crate::wire::name::Name;

pub struct Snapshot {
    pub config: EngineConfig,
    pub question_policy: QuestionPolicy,
    pub response_policy: ResponsePolicy,
    pub upstreams: Upstreams,
    /// by position of the bypass rule
    pub bypass_leases: Vec<Option<Arc<Lease>>>,
    pub bypass: Arc<BypassRules>,
    pub conditions: Conditions,
    group_names: GroupNames,
    pub direct: Option<Direct>,
    pub cache: Arc<Cache>,
    /// of the stay on this network; `None`: the settings want none
    pub hot_set: Option<Arc<HotSet>>,
    /// partitions the cache
    pub generation: u32,
    pub leases: Vec<Arc<Lease>>,
    /// leases of earlier configurations; kept until the ledger has their last count
    pub revoked: Vec<Arc<Lease>>,
}

/// Sotto is off or paused: everything goes to plain resolvers.
pub struct Direct {
    pub class: ClearClass,
    pub servers: Vec<SocketAddr>,
    pub lease: Option<Arc<Lease>>,
}

impl Direct {
    /// It was allowed for a time that has passed: queries are private again, even if the control plane has not noticed.
    pub fn is_over(&self) -> bool {
        self.lease.as_ref().is_some_and(|lease| lease.ended())
    }
}

/// What all configurations share.
pub struct Lasting {
    pub transports: Arc<dyn Transports>,
    pub cookies: Arc<Cookies>,
    pub connections: Arc<Connections>,
    pub ticket_store: Arc<TicketStore>,
    pub clock: Arc<Clock>,
    pub counts: Counts,
    pub change_count: Arc<ChangeCount>,
    pub memory: Arc<StarttlsMemory>,
    pub holding: Arc<Holding>,
    pub on_change: Arc<dyn Fn() + Send + Sync>,
}

impl Lasting {
    pub fn new(
        transports: Arc<dyn Transports>,
        counts: Counts,
        on_change: Arc<dyn Fn() + Send + Sync>,
    ) -> Self {
        let holding = Arc::new(Holding::new(on_change.clone()));
        let (clock, connections) =
            (Arc::new(Clock::system()), Arc::new(Connections::with(transports.chance())));
        Self {
            transports,
            counts,
            change_count: Arc::default(),
            cookies: Arc::default(),
            ticket_store: Arc::new(TicketStore::new(clock.clone(), connections.clone())),
            connections,
            clock,
            memory: Arc::default(),
            holding,
            on_change,
        }
    }
}

impl Snapshot {
    pub fn compile(
        config: EngineConfig,
        before: Option<&Snapshot>,
        lasting: &Lasting,
    ) -> Result<Self, ConfigError> {
        Self::with_upstreams_of(before, config, before, lasting)
    }

    /// As it would be beside the one in force, whose upstreams it knows and does not change. It is asked, never put into force.
    pub fn suppose(config: EngineConfig, running: &Snapshot, lasting: &Lasting) -> Result<Self, ConfigError> {
        let cache = CacheConfig { entries: 1, hot_set: 0, ..config.cache };
        Self::with_upstreams_of(Some(running), EngineConfig { cache, ..config }, None, lasting)
    }

    fn with_upstreams_of(
        known: Option<&Snapshot>,
        config: EngineConfig,
        before: Option<&Snapshot>,
        lasting: &Lasting,
    ) -> Result<Self, ConfigError> {
        let each_lease = config.leases.iter().enumerate();
        let leases: Vec<_> = each_lease
            .map(|(index, lease)| carried_lease(lease, before, lasting, index))
            .collect::<Result<_, _>>()?;
        let groups = upstreams::groups(&config)?;
        let of_class = |class| leases.iter().find(|lease| lease.class == class).cloned();
        let conditions = Conditions::of(&config, &groups, before.map(|before| &before.conditions));
        let bypass = Arc::new(BypassRules::of(&config.bypass, conditions.any_refuses()));
        let bypass_leases = config.bypass.iter().map(|rule| bypass_lease(rule, &config, &leases)).collect();
        let same_network = before.filter(|before| before.config.network == config.network);
        let known_here = known.filter(|known| known.config.network == config.network);
        let around = Surroundings {
            network: config.network.as_str().into(),
            transports: lasting.transports.clone(),
            memory: lasting.memory.clone(),
            cookies: lasting.cookies.clone(),
            connections: lasting.connections.clone(),
            ticket_store: lasting.ticket_store.clone(),
            lease: None,
            holding: lasting.holding.clone(),
        };
        let group_names = GroupNames::of(&groups);
        let question_policy = question_policy(&config, bypass.clone())?;
        let upstreams_before = known_here.map(|known| &known.upstreams);
        let allow_private = config.allow_private.iter().map(|name| name.0).collect();
        let cache = match before {
            Some(before) if before.config.cache.entries == config.cache.entries => before.cache.clone(),
            _ => Arc::new(Cache::new(config.cache.entries)),
        };
        cache.serve_stale_for(config.cache.stale_for());
        Ok(Self {
            response_policy: ResponsePolicy::new(allow_private, bypass.clone()),
            question_policy,
            upstreams: upstreams::upstreams(&config, groups, &leases, upstreams_before, &around)?,
            bypass_leases,
            bypass,
            conditions,
            group_names,
            direct: match &config.mode {
                Mode::Private => None,
                Mode::Direct { class, servers } => {
                    Some(Direct { class: *class, servers: servers.clone(), lease: of_class(*class) })
                }
            },
            cache,
            hot_set: hot_set(&config, same_network),
            generation: before.map_or(0, |before| before.generation + u32::from(same_network.is_none())),
            revoked: before.map_or_else(Vec::new, |before| before.outlived_by(&leases)),
            leases,
            config,
        })
    }
}

/// It goes on where each query takes the way that it took before. There is none while upstreams are not used, or a battery is spared.
fn hot_set(config: &EngineConfig, same_network: Option<&Snapshot>) -> Option<Arc<HotSet>> {
    let is_wanted = config.mode == Mode::Private && !config.connections.spare_battery;
    let names = if is_wanted { config.cache.hot_set } else { 0 };
    let before = same_network.filter(|before| config.leads_like(&before.config));
    let going_on =
        before.and_then(|before| before.hot_set.clone()).filter(|hot_set| hot_set.names() == names);
    (names > 0).then(|| going_on.unwrap_or_else(|| Arc::new(HotSet::new(names))))
}

impl Snapshot {
    /// The group whose upstreams are asked for this name. One that depended on the asker, and is gone, leaves it to the next.
    pub fn group(&self, name: &Name, audience: Audience) -> &Arc<Group> {
        let chosen =
            audience.group.and_then(|id| self.upstreams.groups.iter().find(|group| group.config.id == id));
        chosen.unwrap_or_else(|| &self.upstreams.groups[self.group_names.for_others(name)])
    }

    /// For whom the response to a query for this name will be.
    pub fn audience(&self, name: &Name, fit: &mut dyn FnMut(&Condition) -> Fit) -> Audience {
        let refused = self.conditions.refuse(fit);
        let taken = self
            .group_names
            .find(name, &mut |group| self.conditions.of_group(group).map_or(Fit::Yes, &mut *fit));
        let group = taken.depends.then(|| intern::word(&self.upstreams.groups[taken.by].config.id));
        Audience { group, private_only: refused || taken.doubtful }
    }

    /// The number by which cache and queries in flight keep apart what is for others, or of another network.
    pub fn partition(&self, audience: Audience) -> u32 {
        self.generation.wrapping_add(u32::from(self.conditions.mark(audience)) << 16)
    }

    /// The machine may be elsewhere, or a person wants it.
    pub fn forget_hot_names(&self) {
        self.hot_set.iter().for_each(|hot_set| hot_set.clear());
    }

    pub fn ladders(&self) -> impl Iterator<Item = &Arc<Ladder>> {
        self.upstreams.groups.iter().filter_map(|group| group.ladder.as_ref())
    }

    /// Leases that are not among those kept, and whose last count the ledger does not have yet.
    fn outlived_by(&self, kept: &[Arc<Lease>]) -> Vec<Arc<Lease>> {
        let gone = self.leases.iter().filter(|old| !kept.iter().any(|new| Arc::ptr_eq(new, old)));
        let unread = self.revoked.iter().filter(|lease| !lease.is_settled());
        gone.chain(unread).cloned().collect()
    }
}

/// If an entry stays, its lease stays and with it the count, even if the ledger has changed its end.
fn carried_lease(
    config: &LeaseConfig,
    before: Option<&Snapshot>,
    lasting: &Lasting,
    index: usize,
) -> Result<Arc<Lease>, ConfigError> {
    let same = |lease: &&Arc<Lease>| lease.entry == config.entry && lease.class == config.class;
    match before.and_then(|before| before.leases.iter().find(same)) {
        Some(lease) => Ok(lease.clone()),
        None => {
            let (counts, change_count) = (&lasting.counts, lasting.change_count.clone());
            let lease = Lease::new(config.entry, config.class, config.until, counts, change_count);
            lease.map(Arc::new).map_err(|error| {
                let remedy = "make room on the disk and the state folder writable, then restart Sotto";
                ConfigError::new("counts-unwritable", format!("leases[{index}]"), error.to_string(), remedy)
            })
        }
    }
}

fn bypass_lease(rule: &BypassConfig, config: &EngineConfig, leases: &[Arc<Lease>]) -> Option<Arc<Lease>> {
    let of_class = config.leases.iter().zip(leases).filter(|(lease, _)| lease.class == rule.class);
    let mut fitting = of_class.filter(|(lease, _)| match &lease.rule {
        Some(word) => *word == rule.rule,
        None => rule.class == ClearClass::Bypass,
    });
    fitting.next().map(|(_, lease)| lease.clone())
}

fn question_policy(config: &EngineConfig, bypass: Arc<BypassRules>) -> Result<QuestionPolicy, ConfigError> {
    let forward_special: Vec<_> = config.forward_special.iter().map(|name| name.0).collect();
    QuestionPolicy::new(bypass, &forward_special).map_err(|error| {
        let remedy = "remove it; only the names that RFC 6761 lets a resolver forward may be listed";
        ConfigError::new("field-invalid", "forwardSpecial", error.to_string(), remedy)
    })
}
