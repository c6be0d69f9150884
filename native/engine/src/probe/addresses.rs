//! Sends one query to an upstream's addresses in their order, until one responds. The report on all of them names the gravest error
//! first, and every address that was tried in vain.

use std::net::SocketAddr;

use tokio::time::Instant;

use super::attempt::Attempt;
use super::course::Course;
use super::report::ProbeReport;
use crate::endpoint::Endpoint;

impl Course<'_> {
    pub async fn run(&self) -> ProbeReport {
        let (mut tried, mut gravest) = (Vec::new(), None::<ProbeReport>);
        for address in &self.addresses() {
            let left = self.end.map(|end| end.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                break;
            }
            let timeout = left.map_or(self.timeout, |left| left.min(self.timeout));
            let report = Attempt::new(self, *address).run(timeout).await;
            if report.ok {
                return report.after(tried);
            }
            tried.extend(report.tried.clone());
            if gravest.as_ref().is_none_or(|before| report.gravity() > before.gravity()) {
                gravest = Some(report);
            }
        }
        gravest.expect("an upstream has an address").after(tried)
    }

    /// An EncDNS server has none of its own: its first hop is named instead, once.
    fn addresses(&self) -> Vec<Endpoint> {
        let Some(encdns) = &self.config.encdns else { return self.config.addresses.clone() };
        let unknown = || Endpoint::from(SocketAddr::from(([0, 0, 0, 0], 0)));
        vec![encdns.first_hop.addresses.first().copied().unwrap_or_else(unknown)]
    }
}
