//! The hellos that begin handshakes with one upstream. A full one that offers X25519MLKEM768 is longer than a segment of 1400
//! octets, and some middleboxes do not let it pass; a smaller one offers X25519 alone. A hello that resumes a session begins with
//! X25519, so that it fits into one SYN together with its ticket; the session's secret protects it as well as it did before.

use std::sync::Arc;

use rustls::ClientConfig;
use rustls::client::Resumption;
use rustls::crypto::CryptoProvider;
use rustls::crypto::aws_lc_rs::{default_provider, kx_group};
use rustls::{SupportedProtocolVersion, version};
use tokio_rustls::TlsConnector;

use crate::post_quantum::PostQuantum;
use crate::upstream::dial::tickets::{Incoming, Resuming, Tickets};

/// What a dial begins its handshake with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hello {
    /// what the configuration prefers
    #[default]
    Usual,
    /// where the usual one did not come through
    Smaller,
}

static TLS13_ALONE: &[&SupportedProtocolVersion] = &[&version::TLS13];

/// What full handshakes offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// X25519MLKEM768, and others behind it
    Hybrid,
    /// X25519MLKEM768 and nothing else, which only TLS 1.3 has
    HybridAlone,
    X25519,
}

impl Share {
    /// The usual one, and the smaller one where that is allowed.
    pub fn of(wanted: PostQuantum) -> (Self, Option<Self>) {
        match wanted {
            PostQuantum::Prefer => (Self::Hybrid, Some(Self::X25519)),
            PostQuantum::Require => (Self::HybridAlone, None),
            PostQuantum::Off => (Self::X25519, None),
        }
    }

    pub fn versions(self) -> &'static [&'static SupportedProtocolVersion] {
        match self {
            Self::HybridAlone => TLS13_ALONE,
            Self::Hybrid | Self::X25519 => rustls::DEFAULT_VERSIONS,
        }
    }

    fn full(self) -> CryptoProvider {
        match self {
            Self::Hybrid => default_provider(),
            Self::HybridAlone | Self::X25519 => self.resuming(),
        }
    }

    /// A server that does not accept the ticket makes a full handshake of it.
    fn resuming(self) -> CryptoProvider {
        let kx_groups = match self {
            Self::HybridAlone => vec![kx_group::X25519MLKEM768],
            Self::Hybrid | Self::X25519 => vec![kx_group::X25519, kx_group::SECP256R1, kx_group::SECP384R1],
        };
        CryptoProvider { kx_groups, ..default_provider() }
    }
}

/// The hellos with one share. The tickets are those of handshakes that began so: a session without X25519MLKEM768 is not resumed
/// where a full handshake would have it.
pub struct Sessions {
    share: Share,
    full: TlsConnector,
    resuming: TlsConnector,
    /// like `resuming`, and asks to be allowed early data
    early: TlsConnector,
    /// none are kept of a server that proved nothing
    pub tickets: Option<Arc<Tickets>>,
}

impl Sessions {
    /// `config` makes what all hellos of the upstream have in common.
    pub fn new(
        share: Share,
        tickets: Option<Arc<Tickets>>,
        config: impl Fn(CryptoProvider, Option<&Arc<Tickets>>) -> ClientConfig,
    ) -> Self {
        let resuming = config(share.resuming(), tickets.as_ref());
        let mut early = resuming.clone();
        early.enable_early_data = true;
        let mut full = config(share.full(), tickets.as_ref());
        if let Some(tickets) = &tickets {
            full.resumption = Resumption::store(Arc::new(Incoming(tickets.clone())));
        }
        let connector = |config| TlsConnector::from(Arc::new(config));
        let (full, resuming, early) = (connector(full), connector(resuming), connector(early));
        Self { share, full, resuming, early, tickets }
    }

    /// For a handshake that resumes a session or does not, with early data or without.
    pub fn connector(&self, resuming: Option<&Resuming<'_>>, early: bool) -> &TlsConnector {
        match resuming {
            None => &self.full,
            Some(_) if early => &self.early,
            Some(_) => &self.resuming,
        }
    }

    pub fn has_ticket(&self) -> bool {
        self.tickets.as_ref().is_some_and(|tickets| tickets.has_one())
    }

    /// Whether the next hello fits into one SYN.
    pub fn fits_a_syn(&self) -> bool {
        match self.share {
            Share::Hybrid => self.has_ticket(),
            Share::HybridAlone => false,
            Share::X25519 => true,
        }
    }
}
