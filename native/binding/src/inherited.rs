//! What the process that started us (systemd or the guardian) hands over: sockets (sd_listen_fds(3)), and an address to which we
//! report that we are ready and alive (sd_notify(3)).

use std::io;
use std::sync::OnceLock;
use std::time::Duration;

use napi_derive::napi;
use sotto_engine::engine::Engine;
use sotto_engine::listen::inherited;

/// Signs of life in each watchdog interval, so that one may be lost or late.
const SIGNS_IN_TIME: u32 = 4;

/// Takes over what the environment names, and makes the engine's own thread report that it is alive. The variables are not read
/// again after this.
pub fn take_over(engine: &Engine) {
    inherited::sockets();
    if let Some(guardian) = guardian()
        && let Some(watchdog) = guardian.watchdog
    {
        engine.every(watchdog / SIGNS_IN_TIME, || {
            let _ = guardian.tell("WATCHDOG=1");
        });
    }
}

/// "ip:port" of each socket that was handed to this process.
#[napi]
pub fn inherited_addresses() -> Vec<String> {
    inherited::sockets().addresses().iter().map(ToString::to_string).collect()
}

#[napi(object)]
pub struct Guarded {
    /// the control plane should report within so many milliseconds; null: nobody waits for it
    pub watchdog_ms: Option<u32>,
}

/// Null: no process waits for our signs of life.
#[napi]
pub fn guarded() -> Option<Guarded> {
    let watchdog_ms = guardian()?.watchdog.map(|pause| pause.as_millis().min(u32::MAX.into()) as u32);
    Some(Guarded { watchdog_ms })
}

/// `state` holds assignments as in sd_notify(3), one a line. False: it could not be sent.
#[napi]
pub fn notify_guardian(state: String) -> bool {
    guardian().is_some_and(|guardian| guardian.tell(&state).is_ok())
}

struct Guardian {
    #[cfg_attr(not(unix), allow(dead_code))]
    address: String,
    watchdog: Option<Duration>,
}

fn guardian() -> Option<&'static Guardian> {
    static GUARDIAN: OnceLock<Option<Guardian>> = OnceLock::new();
    GUARDIAN.get_or_init(read_environment).as_ref()
}

fn read_environment() -> Option<Guardian> {
    let number = |variable: &str| std::env::var(variable).ok()?.parse::<u64>().ok();
    let address = std::env::var("NOTIFY_SOCKET").ok().filter(|address| address.starts_with(['/', '@']))?;
    let mine = number("WATCHDOG_PID").is_none_or(|pid| pid == u64::from(std::process::id()));
    let watchdog = number("WATCHDOG_USEC").filter(|pause| mine && *pause > 0).map(Duration::from_micros);
    Some(Guardian { address, watchdog })
}

impl Guardian {
    /// Never waits: a guardian that reads nothing must not stop an engine that works.
    #[cfg(target_os = "linux")]
    fn tell(&self, state: &str) -> io::Result<()> {
        use std::os::linux::net::SocketAddrExt;
        use std::os::unix::net::{SocketAddr, UnixDatagram};

        let socket = UnixDatagram::unbound()?;
        socket.set_nonblocking(true)?;
        let to = match self.address.strip_prefix('@') {
            Some(name) => SocketAddr::from_abstract_name(name)?,
            None => SocketAddr::from_pathname(&self.address)?,
        };
        socket.send_to_addr(state.as_bytes(), &to).map(drop)
    }

    #[cfg(not(target_os = "linux"))]
    fn tell(&self, _: &str) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
