//! A TLS server that can be told to accept or refuse early data, and to lose its ticket keys.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::crypto::aws_lc_rs;
use rustls::server::{ProducesTickets, ServerSessionMemoryCache, StoresServerSessions};
use rustls::{HandshakeKind, ServerConfig, ServerConnection};
use rustls_pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use sotto_engine::wire::header;

use super::{NAME, resolver};

/// Octets of early data that its tickets allow, if they allow any.
pub const ALLOWED: u32 = 1024;

pub struct EarlyServer {
    pub address: SocketAddr,
    pub authority: String,
    identity: CertifiedKey<rcgen::KeyPair>,
    shared: Arc<Shared>,
}

struct Shared {
    config: Mutex<Arc<ServerConfig>>,
    seen: Mutex<Seen>,
    open: Mutex<Vec<TcpStream>>,
}

#[derive(Debug, Default, Clone)]
pub struct Seen {
    pub full: usize,
    pub resumed: usize,
    /// read with the hello
    pub early: usize,
    /// all queries
    pub queries: usize,
}

impl EarlyServer {
    pub fn start(early_data: u32) -> Self {
        let identity = generate_simple_self_signed(vec![NAME.to_owned()]).unwrap();
        let authority = identity.cert.pem();
        let config = Mutex::new(config(&identity, memory(), early_data));
        let shared = Arc::new(Shared { config, seen: Mutex::default(), open: Mutex::default() });
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let serving = shared.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let shared = serving.clone();
                std::thread::spawn(move || shared.serve(stream));
            }
        });
        Self { address, authority, identity, shared }
    }

    /// Holds from the next connection on, also for tickets from before.
    pub fn allow(&self, early_data: u32) {
        let mut config = self.shared.config.lock().unwrap();
        *config = self::config(&self.identity, config.session_storage.clone(), early_data);
    }

    pub fn lose_keys(&self, early_data: u32) {
        *self.shared.config.lock().unwrap() = config(&self.identity, memory(), early_data);
    }

    pub fn give_tickets_for(&self, seconds: u32) {
        let mut config = ServerConfig::clone(&self.shared.config.lock().unwrap());
        let sealer = aws_lc_rs::Ticketer::new().unwrap();
        config.ticketer = Arc::new(Lasting { sealer, seconds });
        *self.shared.config.lock().unwrap() = Arc::new(config);
    }

    pub fn cut(&self) {
        for stream in self.shared.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    pub fn seen(&self) -> Seen {
        self.shared.seen.lock().unwrap().clone()
    }
}

impl Shared {
    /// Runs until the connection ends, from either side.
    fn serve(&self, mut stream: TcpStream) -> Option<()> {
        self.open.lock().unwrap().push(stream.try_clone().ok()?);
        start_tls(&mut stream)?;
        let config = self.config.lock().unwrap().clone();
        let mut tls = ServerConnection::new(config).unwrap();
        let (mut inbox, mut counted) = (Vec::new(), false);
        loop {
            while tls.wants_write() {
                tls.write_tls(&mut stream).ok()?;
            }
            if tls.read_tls(&mut stream).ok()? == 0 {
                return None;
            }
            let state = tls.process_new_packets().ok()?;
            if let Some(mut early) = tls.early_data() {
                let before = inbox.len();
                let _ = early.read_to_end(&mut inbox);
                self.seen.lock().unwrap().early += usize::from(inbox.len() > before);
            }
            if state.plaintext_bytes_to_read() > 0 {
                let mut read = vec![0; state.plaintext_bytes_to_read()];
                tls.reader().read_exact(&mut read).ok()?;
                inbox.extend(read);
            }
            if !counted && let Some(kind) = tls.handshake_kind() {
                counted = true;
                let mut seen = self.seen.lock().unwrap();
                let count = if kind == HandshakeKind::Resumed { &mut seen.resumed } else { &mut seen.full };
                *count += 1;
            }
            self.respond(&mut inbox, &mut tls)?;
        }
    }

    fn respond(&self, inbox: &mut Vec<u8>, tls: &mut ServerConnection) -> Option<()> {
        while let Some((length, rest)) = inbox.split_first_chunk() {
            let length = usize::from(u16::from_be_bytes(*length));
            let Some(question) = rest.get(..length) else { return Some(()) };
            self.seen.lock().unwrap().queries += 1;
            let reply = resolver::answered(question);
            tls.writer().write_all(&(reply.len() as u16).to_be_bytes()).ok()?;
            tls.writer().write_all(&reply).ok()?;
            inbox.drain(..2 + length);
        }
        Some(())
    }
}

/// If the client wants TLS: a hello begins with 22.
fn start_tls(stream: &mut TcpStream) -> Option<()> {
    let mut first = [0];
    stream.peek(&mut first).ok()?;
    if first[0] == 22 {
        return Some(());
    }
    let mut dummy = vec![0; 2];
    stream.read_exact(&mut dummy).ok()?;
    dummy.resize(2 + usize::from(u16::from_be_bytes([dummy[0], dummy[1]])), 0);
    stream.read_exact(&mut dummy[2..]).ok()?;
    let mut reply = dummy[2..2 + header::LENGTH + b"\x08STARTTLS\0".len() + 4].to_vec();
    reply[2] |= (header::QR >> 8) as u8;
    (reply[7], reply[11]) = (1, 0);
    reply.extend_from_slice(b"\xc0\x0c\0\x10\0\x03\0\0\0\0\0\x09\x08STARTTLS");
    stream.write_all(&(reply.len() as u16).to_be_bytes()).ok()?;
    stream.write_all(&reply).ok()
}

/// Early data needs a server that remembers its sessions: a ticket that is accepted twice would be a replay.
fn config(
    identity: &CertifiedKey<rcgen::KeyPair>,
    memory: Arc<dyn StoresServerSessions>,
    early_data: u32,
) -> Arc<ServerConfig> {
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(identity.signing_key.serialize_der()));
    let mut config = ServerConfig::builder_with_provider(aws_lc_rs::default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![identity.cert.der().clone()], key)
        .unwrap();
    config.session_storage = memory;
    config.max_early_data_size = early_data;
    config.send_half_rtt_data = true;
    Arc::new(config)
}

#[derive(Debug)]
struct Lasting {
    sealer: Arc<dyn ProducesTickets>,
    seconds: u32,
}

impl ProducesTickets for Lasting {
    fn enabled(&self) -> bool {
        true
    }

    fn lifetime(&self) -> u32 {
        self.seconds
    }

    fn encrypt(&self, plain: &[u8]) -> Option<Vec<u8>> {
        self.sealer.encrypt(plain)
    }

    fn decrypt(&self, cipher: &[u8]) -> Option<Vec<u8>> {
        self.sealer.decrypt(cipher)
    }
}

fn memory() -> Arc<dyn StoresServerSessions> {
    ServerSessionMemoryCache::new(64)
}
