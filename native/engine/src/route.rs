//! Where policy and mode send a query. The pipeline carries it out, and `explain` reports it.

use std::sync::Arc;

use crate::attribution::Asker;
use crate::outcome::ClearClass;
use crate::policy::conditions::{Audience, Condition, Fit};
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
    Forward(Audience),
}

impl Snapshot {
    /// `fit` judges a condition for whoever asks; it is called only where the answer depends on that.
    pub fn route(&self, question: &Question, fit: &mut dyn FnMut(&Condition) -> Fit) -> Route<'_> {
        let private_only = self.conditions.refuse(fit);
        if self.direct.is_none() && !private_only && self.portal_lease(Some(&question.name)).is_some() {
            return Route::Portal;
        }
        let direct = self.direct.as_ref().filter(|direct| !direct.is_over() && !private_only);
        let verdict = self.question_policy.judge(question, &mut |rule| self.holds(rule, private_only, fit));
        match (verdict, direct) {
            (Verdict::Local(local), _) => Route::Local(local),
            (Verdict::Bypass(rule), _) => Route::Bypass(rule),
            (Verdict::Forward, Some(direct)) => Route::Direct(direct),
            (Verdict::Forward, None) => Route::Forward(self.audience(&question.name, fit)),
        }
    }

    /// Whether a query would be led otherwise if whoever seems to ask were proven to ask. `proven` is its route without that.
    pub fn leads_otherwise(&self, question: &Question, proven: &Route<'_>, asker: Asker) -> bool {
        if asker.proven() == asker {
            return false;
        }
        let seeming = self.route(question, &mut |condition| self.conditions.fit(condition, asker));
        match (proven, seeming) {
            (Route::Local(_), Route::Local(_))
            | (Route::Portal, Route::Portal)
            | (Route::Direct(_), Route::Direct(_)) => false,
            (Route::Bypass(proven), Route::Bypass(seeming)) => *proven != seeming,
            (Route::Forward(proven), Route::Forward(seeming)) => {
                let group = self.group(&question.name, seeming);
                proven.group != seeming.group
                    || (proven.private_only != seeming.private_only && group.may_leave_in_cleartext())
            }
            _ => true,
        }
    }

    /// The position of the bypass rule that takes the name from whoever asks.
    pub fn rule_of(&self, name: &Name, fit: &mut dyn FnMut(&Condition) -> Fit) -> Option<usize> {
        let private_only = self.conditions.refuse(fit);
        Some(self.bypass.find(name, &mut |rule| self.holds(rule, private_only, fit))?.rule)
    }

    fn holds(&self, rule: usize, private_only: bool, fit: &mut dyn FnMut(&Condition) -> Fit) -> bool {
        let is_allowed = !private_only || self.config.bypass[rule].class != ClearClass::Policy;
        is_allowed && self.conditions.of_rule(rule).is_none_or(|condition| fit(condition) == Fit::Yes)
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
