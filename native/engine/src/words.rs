//! Enums that cross to Node: as words in JSON, and as their position in event records.

/// Declares such an enum. The words, in this order, are generated into the contract (`boundary.rs`).
macro_rules! words {
    ($(#[$attribute:meta])* $name:ident {
        $($(#[$of_variant:meta])* $variant:ident = $word:literal),+ $(,)?
    }) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
        #[cfg_attr(test, derive(ts_rs::TS))]
        $(#[$attribute])*
        pub enum $name { $($(#[$of_variant])* #[serde(rename = $word)] $variant),+ }

        #[allow(dead_code, reason = "not every enum needs all of them")]
        impl $name {
            pub const WORDS: &'static [&'static str] = &[$($word),+];
            pub const COUNT: usize = Self::WORDS.len();

            pub fn word(self) -> &'static str {
                Self::WORDS[self as usize]
            }
        }
    };
}

pub(crate) use words;
