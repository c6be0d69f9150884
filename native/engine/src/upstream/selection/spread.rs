//! Gives each registered domain an upstream of its own, so that no operator sees more than its share of the queries (RFC 9076
//! section 6.1.2): rendezvous hashing over the public suffix list.
//!
//! For each domain, the upstreams have an order of their own. When the first one dies, its domains go evenly to their second
//! ones, and come back with it; other domains do not move.
//!
//! The key is derived from the machine's id (machine-id(5)) and never leaves the machine. So orders stay the same over restarts
//! without being stored, and differ between machines: the list of upstreams alone does not show which one gets a domain. Where a
//! system has no such id, the key is a constant: orders are stable, and others can compute them.

use std::cmp::Reverse;
use std::sync::{Arc, LazyLock};

use aws_lc_rs::hmac;

use crate::upstream::selection::upstream::Upstream;
use crate::wire::name::Name;

static KEY: LazyLock<hmac::Key> = LazyLock::new(|| {
    let id = std::fs::read("/etc/machine-id").unwrap_or_default();
    let whole = hmac::Key::new(hmac::HMAC_SHA256, b"sotto: which upstream a domain belongs to");
    hmac::Key::new(hmac::HMAC_SHA256, hmac::sign(&whole, &id).as_ref())
});

pub struct Spread {
    /// by the upstream's id
    shares: Vec<(&'static str, u64)>,
}

impl Spread {
    pub fn over(upstreams: &[Arc<Upstream>]) -> Self {
        Self {
            shares: upstreams.iter().map(|upstream| (upstream.id, keyed(upstream.id.as_bytes()))).collect(),
        }
    }

    /// Sorts upstreams into the order in which they are asked for this name.
    pub fn sort(&self, name: &Name, upstreams: &mut [&Arc<Upstream>]) {
        let domain = keyed(&registered(name));
        upstreams.sort_by_cached_key(|upstream| {
            let share = self.shares.iter().find(|(id, _)| *id == upstream.id).map_or(0, |(_, share)| *share);
            Reverse(mixed(domain ^ share))
        });
    }
}

/// The part of a name that somebody registered, in lower case; a name that is itself a public suffix is returned whole.
fn registered(name: &Name) -> Vec<u8> {
    let labels: Vec<_> = name.labels().map(<[u8]>::to_ascii_lowercase).collect();
    let text = labels.join(&b'.');
    psl::domain(&text).map(|domain| domain.as_bytes().to_vec()).unwrap_or(text)
}

fn keyed(octets: &[u8]) -> u64 {
    let tag = hmac::sign(&KEY, octets);
    u64::from_be_bytes(tag.as_ref()[..8].try_into().expect("a tag has 32 octets"))
}

/// Each bit of the input changes each bit of the output as often as not (the finalizer of MurmurHash3).
fn mixed(mut bits: u64) -> u64 {
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        bits = (bits ^ (bits >> 33)).wrapping_mul(factor);
    }
    bits ^ (bits >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_registrant_go_together() {
        for (name, domain) in [
            ("www.example.com", "example.com"),
            ("a.B.EXAMPLE.com", "example.com"),
            ("example.com", "example.com"),
            ("www.example.co.uk", "example.co.uk"),
            ("x.user.github.io", "user.github.io"),
            ("co.uk", "co.uk"),
            ("com", "com"),
            ("host", "host"),
            (".", ""),
        ] {
            let registered = registered(&Name::parse(name).unwrap());
            assert_eq!(String::from_utf8_lossy(&registered), domain, "{name}");
        }
    }

    #[test]
    fn a_thousand_domains_are_shared_evenly_and_only_those_of_the_dead_move() {
        let shares: Vec<u64> = ["one", "two", "three"].iter().map(|id| keyed(id.as_bytes())).collect();
        let choose = |domain: &str, among: &[usize]| {
            let domain = keyed(domain.as_bytes());
            *among.iter().max_by_key(|index| mixed(domain ^ shares[**index])).unwrap()
        };
        let mut counts = [0; 3];
        for index in 0..999 {
            let domain = format!("d{index}.example");
            let first = choose(&domain, &[0, 1, 2]);
            counts[first] += 1;
            let without_two = choose(&domain, &[0, 1]);
            assert!(first == 2 || first == without_two, "{domain} moved though its upstream lives");
        }
        assert!(counts.iter().all(|count| (250..420).contains(count)), "{counts:?}");
    }
}
