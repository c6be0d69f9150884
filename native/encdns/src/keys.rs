//! Key pairs, what two of them share, and boxes: Curve25519, Poly1305, and XSalsa20 as NaCl's crypto_box has it, or XChaCha20 as
//! libsodium's crypto_box_curve25519xchacha20poly1305 and the second suite of DNSCrypt have it.

use std::fmt;

use aws_lc_rs::agreement::{PrivateKey, UnparsedPublicKey, X25519, agree};
use aws_lc_rs::encoding::{AsBigEndian, Curve25519SeedBin};
use crypto_secretbox::aead::Aead;
use crypto_secretbox::{KeyInit, XChaCha20Poly1305, XSalsa20Poly1305};
use data_encoding::HEXLOWER_PERMISSIVE;
use salsa20::cipher::consts::U10;
use zeroize::Zeroizing;

use crate::HalfNonce;
use crate::name::Format;

const LENGTH: usize = 32;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey(pub [u8; LENGTH]);

pub struct SecretKey(PrivateKey);

/// What a key pair has in common with another's public key. Computed once, it serves for all their boxes.
pub struct SharedKey {
    published: XSalsa20Poly1305,
    extended: XChaCha20Poly1305,
}

impl SecretKey {
    pub fn from_octets(octets: [u8; LENGTH]) -> Self {
        Self(PrivateKey::from_private_key(&X25519, &octets).expect("any 32 octets are a secret key"))
    }

    /// A new one, from the system's randomness.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut octets = [0; LENGTH];
        getrandom::fill(&mut octets)?;
        Ok(Self::from_octets(octets))
    }

    pub fn public(&self) -> PublicKey {
        let public = self.0.compute_public_key().expect("a secret key has a public one");
        PublicKey(public.as_ref().try_into().expect("it has 32 octets"))
    }

    pub fn to_octets(&self) -> [u8; LENGTH] {
        let seed: Curve25519SeedBin = self.0.as_be_bytes().expect("a secret key has octets");
        seed.as_ref().try_into().expect("there are 32 of them")
    }

    pub fn shared(&self, other: &PublicKey) -> SharedKey {
        let other = UnparsedPublicKey::new(&X25519, other.0);
        let computed = agree(&self.0, other, (), |product| Ok(SharedKey::of(product)));
        // aws-lc refuses points of low order, with which every product is zero
        computed.unwrap_or_else(|()| SharedKey::of(&[0; LENGTH]))
    }
}

impl SharedKey {
    /// Octets before the text in a box.
    pub const OVERHEAD: usize = 16;

    fn of(product: &[u8]) -> Self {
        let salsa = Zeroizing::new(salsa20::hsalsa::<U10>(product.into(), &Default::default()));
        let chacha = Zeroizing::new(chacha20::hchacha::<U10>(product.into(), &Default::default()));
        Self { published: XSalsa20Poly1305::new(&salsa), extended: XChaCha20Poly1305::new(&chacha) }
    }

    /// A query has the client's half of the nonce alone, a response both. A nonce must never come twice.
    pub fn seal(&self, format: Format, client: HalfNonce, server: HalfNonce, text: &[u8]) -> Vec<u8> {
        let nonce = whole(client, server).into();
        let sealed = match format {
            Format::Published => self.published.encrypt(&nonce, text),
            Format::Extended => self.extended.encrypt(&nonce, text),
        };
        sealed.expect("messages are far shorter than a box may be")
    }

    /// `None`: somebody else sealed it, or it was changed.
    pub fn open(
        &self,
        format: Format,
        client: HalfNonce,
        server: HalfNonce,
        boxed: &[u8],
    ) -> Option<Vec<u8>> {
        let nonce = whole(client, server).into();
        let opened = match format {
            Format::Published => self.published.decrypt(&nonce, boxed),
            Format::Extended => self.extended.decrypt(&nonce, boxed),
        };
        opened.ok()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_key_keeps_its_octets() {
        let octets = std::array::from_fn(|at| at as u8 ^ 0xff);
        assert_eq!(SecretKey::from_octets(octets).to_octets(), octets);
    }

    #[test]
    fn a_point_of_low_order_shares_the_same_with_everybody() {
        let [one, other] = [3, 4].map(|octet| SecretKey::from_octets([octet; LENGTH]));
        let low = PublicKey([0; LENGTH]);
        for format in [Format::Published, Format::Extended] {
            let boxed = one.shared(&low).seal(format, [1; 12], [2; 12], b"text");
            let opened = other.shared(&low).open(format, [1; 12], [2; 12], &boxed);
            assert_eq!(opened, Some(b"text".to_vec()));
        }
    }
}
