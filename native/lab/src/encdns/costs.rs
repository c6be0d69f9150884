//! What the parts of a boxed query cost here and now, to compare a server with.

use std::hint::black_box;
use std::time::Instant;

use serde::Serialize;
use sotto_encdns::SecretKey;
use sotto_encdns::name::Format;

/// The median of so many is taken, because other programs run meanwhile.
const BATCHES: usize = 21;
/// Octets of a usual query; those of a response are few more.
const TEXT: [u8; 64] = [7; 64];

/// Microseconds.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Costs {
    pub key_pair_us: f64,
    /// an X25519 and a hash
    pub shared_key_us: f64,
    pub seal_us: f64,
    pub open_us: f64,
}

impl Costs {
    pub fn measure() -> Result<Self, getrandom::Error> {
        let (own, other) = (SecretKey::generate()?, SecretKey::generate()?.public());
        let shared = own.shared(&other);
        let (client, server) = ([1; 12], [2; 12]);
        let boxed = shared.seal(Format::Published, client, server, &TEXT);
        Ok(Self {
            key_pair_us: microseconds(50, || SecretKey::generate().map(|secret| secret.public())),
            shared_key_us: microseconds(50, || own.shared(&other)),
            seal_us: microseconds(1000, || shared.seal(Format::Published, client, server, &TEXT)),
            open_us: microseconds(1000, || shared.open(Format::Published, client, server, &boxed)),
        })
    }
}

fn microseconds<T>(times: u32, work: impl Fn() -> T) -> f64 {
    let mut batches: Vec<f64> = (0..BATCHES)
        .map(|_| {
            let start = Instant::now();
            (0..times).for_each(|_| drop(black_box(work())));
            start.elapsed().as_secs_f64() * 1e6 / f64::from(times)
        })
        .collect();
    batches.sort_by(f64::total_cmp);
    batches[BATCHES / 2]
}
