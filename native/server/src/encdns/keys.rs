//! The zone's secret keys: the present one, and older ones that clients may still use.

use std::convert::Infallible;
use std::sync::Arc;

use quick_cache::sync::Cache;
use sotto_encdns::name::BoxedQuery;
use sotto_encdns::{PublicKey, SecretKey, SharedKey};

use crate::stats::Stats;

/// Shared keys that are remembered: computing one costs more than all else of a query.
const SHARED_KEYS: usize = 100_000;

pub struct ZoneKeys {
    /// the present one first
    secrets: Vec<SecretKey>,
    /// by the place among the secrets, and the client
    shared: Cache<(usize, PublicKey), Arc<SharedKey>>,
    stats: Arc<Stats>,
}

/// What was in a box, and the key that opened it: the reply has to be sealed with the same.
pub struct Opened {
    pub text: Vec<u8>,
    pub shared: Arc<SharedKey>,
}

impl ZoneKeys {
    pub fn new(secrets: Vec<SecretKey>, stats: Arc<Stats>) -> Self {
        Self { secrets, shared: Cache::new(SHARED_KEYS), stats }
    }

    /// Whether they are the same, in the same order.
    pub fn are(&self, secrets: &[SecretKey]) -> bool {
        self.secrets.iter().map(SecretKey::public).eq(secrets.iter().map(SecretKey::public))
    }

    /// `None`: the box was sealed for another key, or changed on the way.
    pub fn open(&self, query: &BoxedQuery) -> Option<Opened> {
        self.secrets.iter().enumerate().find_map(|(place, secret)| {
            let compute = || {
                self.stats.shared_key_computed();
                Ok::<_, Infallible>(Arc::new(secret.shared(&query.client)))
            };
            let Ok(shared) = self.shared.get_or_insert_with(&(place, query.client), compute);
            let text = shared.open(query.format, query.nonce, [0; 12], &query.boxed)?;
            if place > 0 {
                self.stats.boxed_for_older_key();
            }
            Some(Opened { text, shared })
        })
    }
}
