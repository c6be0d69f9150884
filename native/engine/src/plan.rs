//! What has to be done for a query that needs the network.

use std::sync::Arc;

use crate::cache::key::Key;
use crate::policy::Local;
use crate::policy::conditions::Audience;
use crate::query::Query;
use crate::route::Route;
use crate::snapshot::Snapshot;
use crate::upstream::clear::lease::Lease;

#[allow(clippy::large_enum_variant)] // it lives in a box already
pub(crate) enum Plan {
    Upstream(Key, Audience),
    Bypass(usize),
    Portal,
    Direct,
    /// it became one while the query waited
    Local(Local),
}

impl Plan {
    pub(crate) fn of(route: Route<'_>, query: &Query, snapshot: &Snapshot) -> Self {
        match route {
            Route::Local(local) => Self::Local(local),
            Route::Bypass(rule) => Self::Bypass(rule),
            Route::Portal => Self::Portal,
            Route::Direct(_) => Self::Direct,
            Route::Forward(audience) => {
                Self::Upstream(Key::of(query.parts(snapshot.partition(audience))), audience)
            }
        }
    }
}

impl Snapshot {
    /// The lease of a query that goes out in cleartext from the start.
    pub(crate) fn lease_of(&self, plan: &Plan, query: &Query) -> Option<&Lease> {
        match plan {
            Plan::Bypass(rule) => self.bypass_leases[*rule].as_deref(),
            Plan::Portal => self.portal_lease(Some(&query.question.name)).map(Arc::as_ref),
            Plan::Direct => self.direct.as_ref()?.lease.as_deref(),
            Plan::Upstream(..) | Plan::Local(_) => None,
        }
    }
}
