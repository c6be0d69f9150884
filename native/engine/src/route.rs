//! Where policy and mode send a query. The pipeline carries it out, and `explain` reports it.

use std::sync::Arc;

use crate::outcome::ClearClass;
use crate::policy::{Local, Verdict};
use crate::snapshot::{Direct, Snapshot};
use crate::upstream::clear::lease::Lease;
use crate::wire::name::Name;
use crate::wire::question::Question;

pub enum Route<'a> {
    /// answered on this machine
    Local(Local),
    /// in cleartext, to the resolvers of the rule at this position
    Bypass(usize),
    /// in cleartext, to the network's own resolvers: the login page's one site
    Portal,
    /// in cleartext, to the system's resolvers
    Direct(&'a Direct),
    /// the cache, or else its group's upstreams
    Forward,
}

impl Snapshot {
    pub fn route(&self, question: &Question) -> Route<'_> {
        if self.direct.is_none() && self.portal_lease(Some(&question.name)).is_some() {
            return Route::Portal;
        }
        match (self.question_policy.judge(question), self.direct.as_ref().filter(|direct| !direct.is_over()))
        {
            (Verdict::Local(local), _) => Route::Local(local),
            (Verdict::Bypass(rule), _) => Route::Bypass(rule),
            (Verdict::Forward, Some(direct)) => Route::Direct(direct),
            (Verdict::Forward, None) => Route::Forward,
        }
    }

    /// The lease of the login itself, or of the one site.
    pub fn portal_lease(&self, site: Option<&Name>) -> Option<&Arc<Lease>> {
        let each = self.config.leases.iter().zip(&self.leases);
        each.filter(|(config, lease)| {
            lease.class == ClearClass::Portal
                && match (&config.rule, site) {
                    (Some(rule), Some(site)) => Name::parse(rule).is_ok_and(|rule| rule == *site),
                    (rule, site) => rule.is_none() && site.is_none(),
                }
        })
        .map(|(_, lease)| lease)
        .find(|lease| !lease.ended())
    }

    pub fn is_portal_probe(&self, name: &Name) -> bool {
        self.config.portal.probes.iter().any(|probe| probe.0 == *name)
    }
}
