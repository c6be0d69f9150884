//! What became of a question, and what it cost. Names and order are the contract's (`app/contract/query-log/query-event.ts`).

use std::time::Duration;

/// Declares an enum whose names cross to Node as words and in event records as their position.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize)]
        pub enum $name { $(#[serde(rename = $word)] $variant),+ }

        impl $name {
            pub const WORDS: &'static [&'static str] = &[$($word),+];
            pub const COUNT: usize = Self::WORDS.len();

            pub fn word(self) -> &'static str {
                Self::WORDS[self as usize]
            }
        }
    };
}

words!(Outcome {
    Forwarded = "forwarded",
    Cached = "cached",
    Stale = "stale",
    Bypassed = "bypassed",
    Local = "local",
    Portal = "portal",
    Refused = "refused",
    Failed = "failed",
    Dropped = "dropped",
});

words!(
    /// What the connection cost this question: nothing new, an abbreviated handshake, a full one, or the wait for another's.
    Cost { None = "none", Reused = "reused", Resumed = "resumed", Cold = "cold", Queued = "queued" }
);

words!(TransportKind { None = "none", Tdns = "tdns", Dot = "dot", Tcp = "tcp", Udp = "udp" });

words!(ClientProtocol { Udp = "udp", Tcp = "tcp", Control = "control" });

words!(
    /// Why a question may leave in clear: the class of its entry in the downgrade ledger.
    ClearClass {
        None = "none",
        Policy = "policy",
        Off = "off",
        Paused = "paused",
        Bypass = "bypass",
        Portal = "portal",
        ServiceDown = "service-down",
        Contested = "contested",
        Explicit = "explicit",
    }
);

impl TransportKind {
    /// Whether everything but the dummy question travels inside authenticated TLS.
    pub fn is_private(self) -> bool {
        matches!(self, Self::Tdns | Self::Dot)
    }
}

/// Where the time went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stages {
    pub policy: Duration,
    pub cache: Duration,
    /// waiting for a connection: dial, STARTTLS, TLS
    pub connect: Duration,
    /// waiting for the upstream's answer
    pub wait: Duration,
    pub reply: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contract's tuples, in their order, must be these words.
    #[test]
    fn the_words_are_the_contracts() {
        let contract = include_str!("../../../app/contract/query-log/query-event.ts");
        for (tuple, words) in [
            ("outcomes", Outcome::WORDS),
            ("costs", Cost::WORDS),
            ("transports", TransportKind::WORDS),
            ("clientProtocols", ClientProtocol::WORDS),
            ("clearClasses", ClearClass::WORDS),
        ] {
            let start = contract.find(&format!("export const {tuple} = [")).unwrap();
            let text = &contract[start..start + contract[start..].find(']').unwrap()];
            let declared: Vec<&str> = text.split('\'').skip(1).step_by(2).collect();
            assert_eq!(declared, words, "{tuple}");
        }
    }
}
