//! How a program may call this machine when it asks for figures. A site that leads its own name here knows none of these names.

use std::net::{IpAddr, SocketAddr};

use arc_swap::ArcSwapOption;

use crate::identities::Identities;

#[derive(Default)]
pub struct Names {
    certificates: ArcSwapOption<Identities>,
}

impl Names {
    pub fn serves_as(&self, identities: &Identities) {
        self.certificates.store(Some(identities.clone().into()));
    }

    /// `host`: as a request has it, with a port or without.
    pub fn have(&self, host: &str) -> bool {
        let is_address =
            host.parse::<SocketAddr>().is_ok() || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
        let name =
            host.rsplit_once(':').map_or(host, |(name, _)| name).trim_end_matches('.').to_ascii_lowercase();
        is_address || name == "localhost" || is_of_machine(&name) || self.is_certified(&name)
    }

    fn is_certified(&self, name: &str) -> bool {
        self.certificates.load().as_ref().is_some_and(|identities| identities.have(name))
    }
}

/// The name that the system has.
fn is_of_machine(name: &str) -> bool {
    let own = std::fs::read_to_string("/proc/sys/kernel/hostname");
    own.is_ok_and(|own| !name.is_empty() && own.trim().eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Identity;

    #[test]
    fn addresses_and_own_names_are_good_and_those_of_a_site_are_not() {
        let names = Names::default();
        let identity = Identity::self_signed(&["dns.test".to_owned(), "*.pool.test".to_owned()]).unwrap();
        names.serves_as(&identity.into());
        for host in [
            "127.0.0.1",
            "127.0.0.1:9153",
            "[::1]:9153",
            "[::1]",
            "192.0.2.7:80",
            "localhost",
            "LocalHost:9153",
            "dns.test",
            "DNS.test.:9153",
            "a.pool.test",
        ] {
            assert!(names.have(host), "{host}");
        }
        for host in [
            "",
            ":9153",
            "rebound.example",
            "rebound.example:9153",
            "127.0.0.1.example",
            "a.b.pool.test",
            "pool.test",
        ] {
            assert!(!names.have(host), "{host}");
        }
    }
}
