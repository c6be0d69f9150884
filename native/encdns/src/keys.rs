//! Key pairs, what two of them share, and boxes: Curve25519, XSalsa20 and Poly1305, as NaCl's crypto_box has them.

use std::fmt;

use crypto_box::SalsaBox;
use crypto_box::aead::Aead;
use data_encoding::HEXLOWER_PERMISSIVE;

use crate::HalfNonce;

const LENGTH: usize = 32;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey(pub [u8; LENGTH]);

pub struct SecretKey(crypto_box::SecretKey);

/// What a key pair has in common with another's public key. Computed once, it serves for all their boxes.
pub struct SharedKey(SalsaBox);

impl SecretKey {
    pub fn from_octets(octets: [u8; LENGTH]) -> Self {
        Self(octets.into())
    }

    /// A new one, from the system's randomness.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut octets = [0; LENGTH];
        getrandom::fill(&mut octets)?;
        Ok(Self::from_octets(octets))
    }

    pub fn public(&self) -> PublicKey {
        PublicKey(*self.0.public_key().as_bytes())
    }

    pub fn to_octets(&self) -> [u8; LENGTH] {
        self.0.to_bytes()
    }

    pub fn shared(&self, other: &PublicKey) -> SharedKey {
        SharedKey(SalsaBox::new(&crypto_box::PublicKey::from(other.0), &self.0))
    }
}

impl SharedKey {
    /// Octets before the text in a box.
    pub const OVERHEAD: usize = 16;

    /// A query has the client's half of the nonce alone, a response both. A nonce must never come twice.
    pub fn seal(&self, client: HalfNonce, server: HalfNonce, text: &[u8]) -> Vec<u8> {
        self.0
            .encrypt(&whole(client, server).into(), text)
            .expect("messages are far shorter than a box may be")
    }

    /// `None`: somebody else sealed it, or it was changed.
    pub fn open(&self, client: HalfNonce, server: HalfNonce, boxed: &[u8]) -> Option<Vec<u8>> {
        self.0.decrypt(&whole(client, server).into(), boxed).ok()
    }
}

fn whole(client: HalfNonce, server: HalfNonce) -> [u8; 24] {
    let mut nonce = [0; 24];
    nonce[..12].copy_from_slice(&client);
    nonce[12..].copy_from_slice(&server);
    nonce
}

impl PublicKey {
    /// 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let octets = HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok()?;
        octets.try_into().ok().map(Self)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER_PERMISSIVE.encode(&self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
