//! Whether queries that somebody records today stay unread when there are quantum computers, as the configuration says it.

use crate::words::words;

words!(
    #[derive(Default)]
    PostQuantum {
        /// full handshakes offer X25519MLKEM768, and X25519 alone on a path that does not let so large a hello pass
        #[default]
        Prefer = "prefer",
        /// no other key exchange is accepted
        Require = "require",
        /// it is not offered
        Off = "off",
    }
);
