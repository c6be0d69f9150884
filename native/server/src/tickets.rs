//! The keys of session tickets. Machines that share a secret derive them alike, so that a client resumes at one what it began at another.
//! The secret moves on each hour and what it was is erased: whoever finds it later opens no ticket from before the hours that it still
//! covers. Resumed TLS 1.3 has a fresh key exchange all the same; in TLS 1.2 a ticket is the session.

use std::fmt::{self, Debug};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};

use arc_swap::ArcSwap;
use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce};
use aws_lc_rs::error::Unspecified;
use rustls::server::ProducesTickets;
use zeroize::Zeroizing;

use crate::ticket_secret::{HOUR, TicketSecret, TicketSecretError, hour};

/// Hours for which a ticket is good, the one in which it was made among them.
const GOOD: u64 = 12;
/// At the front of a ticket, which it authenticates: hour, maker, number.
const HEADER: usize = 4 + MAKER + 8;
const MAKER: usize = 16;

/// Makes and opens tickets. Whoever has it calls [`Tickets::turn`] from time to time.
pub struct Tickets {
    maker: [u8; MAKER],
    number: AtomicU64,
    root: Mutex<Root>,
    keys: ArcSwap<Keys>,
}

/// What all of it starts from again.
struct Root {
    /// of the oldest hour whose tickets are good
    secret: TicketSecret,
    /// the hour of the secret that somebody keeps for the next start
    kept: u32,
}

struct Keys {
    /// of one hour each, without gaps; the last is of the next hour, for machines whose clocks are ahead
    secrets: Vec<TicketSecret>,
    present: TicketSecret,
    own: LessSafeKey,
}

impl Tickets {
    pub fn new(secret: TicketSecret, now: u64) -> Result<Arc<Self>, TicketSecretError> {
        let mut maker = [0; MAKER];
        aws_lc_rs::rand::fill(&mut maker).map_err(|_| TicketSecretError::NoRandomness)?;
        let kept = secret.hour;
        let (secret, keys) = advance(secret, &maker, now).map_err(|_| TicketSecretError::NoRandomness)?;
        let (root, keys) = (Mutex::new(Root { secret, kept }), ArcSwap::from_pointee(keys));
        Ok(Arc::new(Self { maker, number: AtomicU64::new(0), root, keys }))
    }

    /// Moves on to the present hour and forgets what is over.
    pub fn turn(&self, now: u64) {
        let mut root = self.root();
        let is_present = self.keys.load().present.hour == hour(now).max(root.secret.hour);
        if !is_present && let Ok((secret, keys)) = advance(root.secret.clone(), &self.maker, now) {
            self.keys.store(Arc::new(keys));
            root.secret = secret;
        }
    }

    /// Another secret takes the place of the one there was: tickets that it does not cover are good no more.
    pub fn replace(&self, by: TicketSecret, now: u64) {
        let mut root = self.root();
        let kept = by.hour;
        if let Ok((secret, keys)) = advance(by, &self.maker, now) {
            self.keys.store(Arc::new(keys));
            *root = Root { secret, kept };
        }
    }

    /// A secret that is to be kept for the next start instead of an earlier one.
    pub fn to_keep(&self) -> Option<TicketSecret> {
        let root = self.root();
        (root.secret.hour != root.kept).then(|| root.secret.clone())
    }

    pub fn is_kept(&self, secret: &TicketSecret) {
        self.root().kept = secret.hour;
    }

    fn root(&self) -> MutexGuard<'_, Root> {
        self.root.lock().expect("nothing panics while it moves on")
    }
}

/// A clock that is behind the secret does not move it back: then the secret's own hour is the present one.
fn advance(mut secret: TicketSecret, maker: &[u8], now: u64) -> Result<(TicketSecret, Keys), Unspecified> {
    let oldest = u64::from(hour(now)).saturating_sub(GOOD - 1) as u32;
    while secret.hour < oldest {
        secret = secret.next()?;
    }
    let present = hour(now).max(secret.hour);
    let mut secrets = vec![secret.clone()];
    while let Some(last) = secrets.last()
        && last.hour <= present
        && last.hour < u32::MAX
    {
        secrets.push(last.next()?);
    }
    let present = secrets[(present - secret.hour) as usize].clone();
    let own = present.key_of(maker)?;
    Ok((secret, Keys { secrets, present, own }))
}

impl ProducesTickets for Tickets {
    fn enabled(&self) -> bool {
        true
    }

    fn lifetime(&self) -> u32 {
        (GOOD * HOUR) as u32
    }

    fn encrypt(&self, plain: &[u8]) -> Option<Vec<u8>> {
        let keys = self.keys.load();
        let mut ticket = Vec::with_capacity(HEADER + plain.len() + AES_256_GCM.tag_len());
        ticket.extend(keys.present.hour.to_be_bytes());
        ticket.extend(self.maker);
        ticket.extend(self.number.fetch_add(1, Relaxed).to_be_bytes());
        let mut sealed = Zeroizing::new(plain.to_vec());
        let (nonce, header) = (nonce(&ticket), Aad::from(&ticket));
        let tag = keys.own.seal_in_place_separate_tag(nonce, header, &mut sealed).ok()?;
        ticket.extend_from_slice(&sealed);
        ticket.extend_from_slice(tag.as_ref());
        Some(ticket)
    }

    fn decrypt(&self, ticket: &[u8]) -> Option<Vec<u8>> {
        let (header, sealed) = ticket.split_at_checked(HEADER)?;
        let hour = u32::from_be_bytes(*header.first_chunk()?);
        let maker = &header[4..4 + MAKER];
        let keys = self.keys.load();
        let mut plain = sealed.to_vec();
        let opened = match hour == keys.present.hour && maker == self.maker {
            true => keys.own.open_in_place(nonce(header), Aad::from(header), &mut plain),
            false => {
                let secret = keys.secrets.iter().find(|secret| secret.hour == hour)?;
                secret.key_of(maker).ok()?.open_in_place(nonce(header), Aad::from(header), &mut plain)
            }
        };
        let length = opened.ok()?.len();
        plain.truncate(length);
        Some(plain)
    }
}

/// A maker uses each number once in its life.
fn nonce(header: &[u8]) -> Nonce {
    let mut octets = [0; NONCE_LEN];
    octets[NONCE_LEN - 8..].copy_from_slice(&header[HEADER - 8..]);
    Nonce::assume_unique_for_key(octets)
}

/// Without keys.
impl Debug for Tickets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Tickets")
            .field("hour", &self.keys.load().present.hour)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 500_000 * HOUR + 1800;

    fn of(secret: &TicketSecret, now: u64) -> Arc<Tickets> {
        Tickets::new(secret.clone(), now).unwrap()
    }

    fn secret() -> TicketSecret {
        TicketSecret::generate(NOW).unwrap()
    }

    #[test]
    fn machines_with_one_secret_open_each_others_tickets_and_nobody_else_does() {
        let secret = secret();
        let (one, other) = (of(&secret, NOW), of(&secret, NOW));
        let tickets = [one.encrypt(b"session").unwrap(), one.encrypt(b"session").unwrap()];
        assert_ne!(tickets[0], tickets[1]);
        for ticket in tickets {
            assert_eq!(one.decrypt(&ticket).unwrap(), b"session");
            assert_eq!(other.decrypt(&ticket).unwrap(), b"session");
            assert!(of(&self::secret(), NOW).decrypt(&ticket).is_none());
        }
    }

    #[test]
    fn a_ticket_is_good_for_twelve_hours_and_not_for_thirteen() {
        let tickets = of(&secret(), NOW);
        let ticket = tickets.encrypt(b"session").unwrap();
        for later in 1..GOOD {
            tickets.turn(NOW + later * HOUR);
            assert!(tickets.decrypt(&ticket).is_some(), "{later} h later");
        }
        tickets.turn(NOW + GOOD * HOUR);
        assert!(tickets.decrypt(&ticket).is_none());
    }

    #[test]
    fn what_is_kept_opens_nothing_that_is_over() {
        let tickets = of(&secret(), NOW);
        let ticket = tickets.encrypt(b"session").unwrap();
        tickets.turn(NOW + GOOD * HOUR);
        let kept = tickets.to_keep().unwrap();
        for now in [NOW, NOW + HOUR, NOW + GOOD * HOUR] {
            assert!(of(&kept, now).decrypt(&ticket).is_none());
        }
        assert_eq!(kept.begins(), 500_001 * HOUR);
    }

    #[test]
    fn a_machine_that_starts_later_with_an_old_file_catches_up() {
        let secret = secret();
        let running = of(&secret, NOW);
        running.turn(NOW + 1000 * HOUR);
        let ticket = running.encrypt(b"session").unwrap();
        assert!(of(&secret, NOW + 1000 * HOUR).decrypt(&ticket).is_some());
    }

    #[test]
    fn clocks_an_hour_apart_do_not_matter() {
        let secret = secret();
        let (behind, ahead) = (of(&secret, NOW), of(&secret, NOW + HOUR));
        assert!(behind.decrypt(&ahead.encrypt(b"session").unwrap()).is_some());
        assert!(ahead.decrypt(&behind.encrypt(b"session").unwrap()).is_some());
    }

    #[test]
    fn a_clock_that_goes_back_moves_nothing_back() {
        let tickets = of(&secret(), NOW);
        tickets.turn(NOW + 50 * HOUR);
        let kept = tickets.to_keep().unwrap();
        tickets.turn(1800);
        assert_eq!(tickets.to_keep(), Some(kept.clone()));
        let ticket = tickets.encrypt(b"session").unwrap();
        assert!(tickets.decrypt(&ticket).is_some() && of(&kept, NOW).decrypt(&ticket).is_some());
    }

    #[test]
    fn there_is_something_to_keep_once_an_hour_is_over_and_until_it_is_kept() {
        let tickets = of(&secret(), NOW);
        tickets.turn(NOW + (GOOD - 1) * HOUR);
        assert_eq!(tickets.to_keep(), None, "tickets of the first hour are still good");
        tickets.turn(NOW + GOOD * HOUR);
        let secret = tickets.to_keep().unwrap();
        assert_eq!(tickets.to_keep(), Some(secret.clone()));
        tickets.is_kept(&secret);
        assert_eq!(tickets.to_keep(), None);
    }

    #[test]
    fn an_old_secret_is_to_be_kept_as_it_is_now() {
        let old = secret();
        let now = NOW + 100 * HOUR;
        let tickets = of(&old, now);
        let moved = tickets.to_keep().unwrap();
        assert_eq!(moved.begins(), (500_100 - GOOD + 1) * HOUR);
        tickets.is_kept(&moved);
        tickets.replace(old, now);
        assert_eq!(tickets.to_keep(), Some(moved));
    }

    #[test]
    fn a_new_secret_ends_the_tickets_of_the_old_one() {
        let tickets = of(&secret(), NOW);
        let ticket = tickets.encrypt(b"session").unwrap();
        tickets.replace(secret(), NOW);
        assert!(tickets.decrypt(&ticket).is_none());
        let ticket = tickets.encrypt(b"session").unwrap();
        assert!(tickets.decrypt(&ticket).is_some());
    }

    #[test]
    fn a_changed_octet_anywhere_makes_it_no_ticket() {
        let tickets = of(&secret(), NOW);
        let ticket = tickets.encrypt(b"session").unwrap();
        for at in 0..ticket.len() {
            let mut changed = ticket.clone();
            changed[at] ^= 1;
            assert!(tickets.decrypt(&changed).is_none(), "octet {at}");
            assert!(tickets.decrypt(&ticket[..at]).is_none(), "{at} octets");
        }
    }

    #[test]
    fn the_end_of_all_hours_is_no_reason_to_panic() {
        let tickets = of(&secret(), NOW);
        let last = TicketSecret::parse(&secret().to_string().replace("500000", "4294967295")).unwrap();
        tickets.replace(last, NOW);
        let ticket = tickets.encrypt(b"session").unwrap();
        assert!(tickets.decrypt(&ticket).is_some());
    }
}
