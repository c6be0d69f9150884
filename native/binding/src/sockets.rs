//! Who holds a connection of this machine to a resolver, or waits for queries itself, other than this process.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::net::IpAddr;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Instant;

use napi::bindgen_prelude::{Error, Result};
use napi_derive::napi;
use sotto_attribution::accounts::Accounts;
use sotto_attribution::program::Program;
use sotto_attribution::{ControlGroups, Protocol, Socket, Sockets};
use tokio::task::spawn_blocking;

/// Of each family and protocol.
const MOST_READ: usize = 16_384;
const MOST_TOLD: usize = 256;
const PORTS: [u16; 2] = [DNS, 853];
const DNS: u16 = 53;
const HTTPS: u16 = 443;

/// Connections of one program to one address.
#[napi(object)]
pub struct ResolverConnections {
    pub user: u32,
    pub account: String,
    /// all three empty: its control group has no name
    pub program: String,
    pub unit: String,
    pub container: String,
    /// IPPROTO_
    pub protocol: u32,
    pub to: String,
    pub port: u32,
    pub count: u32,
}

/// Connections to port 53 or 853 past loopback, and to port 443 of these addresses, which live now. At most 256 are told. Rejects where
/// the kernel does not say.
#[napi]
pub async fn resolver_connections(known: Vec<String>) -> Result<Vec<ResolverConnections>> {
    let known: HashSet<IpAddr> = known.iter().filter_map(|address| address.parse().ok()).collect();
    of_sockets(move |sockets| connections(sockets, &known)).await
}

/// Units whose programs wait for queries on port 53, each once, at most 256. Rejects where the kernel does not say.
#[napi]
pub async fn units_on_dns_port() -> Result<Vec<String>> {
    of_sockets(units).await
}

async fn of_sockets<Told: Send + 'static>(
    tell: impl FnOnce(Sockets) -> Told + Send + 'static,
) -> Result<Told> {
    match spawn_blocking(move || Sockets::of_system(MOST_READ).map(tell)).await {
        Ok(Ok(told)) => Ok(told),
        Ok(Err(error)) => Err(Error::from_reason(error.to_string())),
        Err(error) => Err(Error::from_reason(error.to_string())),
    }
}

struct Names {
    groups: ControlGroups,
    accounts: Accounts,
}

static NAMES: LazyLock<Mutex<Names>> = LazyLock::new(|| {
    Mutex::new(Names { groups: ControlGroups::of_system(), accounts: Accounts::in_file("/etc/passwd") })
});

fn connections(sockets: Sockets, known: &HashSet<IpAddr>) -> Vec<ResolverConnections> {
    let ours = own_sockets();
    let mut counts: HashMap<(u32, Option<u64>, u32, IpAddr, u16), u32> = HashMap::new();
    for Socket { protocol, remote, waits, holder, .. } in sockets.all {
        if waits || ours.contains(&holder.inode) || !is_resolver(remote.ip(), remote.port(), known) {
            continue;
        }
        let number = if protocol == Protocol::Tcp { libc::IPPROTO_TCP } else { libc::IPPROTO_UDP };
        let key = (holder.user, holder.cgroup, number as u32, remote.ip(), remote.port());
        *counts.entry(key).or_default() += 1;
    }
    let now = Instant::now();
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let told = counts.into_iter().take(MOST_TOLD);
    told.map(|((user, group, protocol, to, port), count)| {
        let found = group.and_then(|group| names.groups.program(group, now)).unwrap_or_default();
        let Program { name: program, unit, container } = (*found).clone();
        let account = names.accounts.name(user, now).to_string();
        let (to, port) = (to.to_string(), port.into());
        ResolverConnections { user, account, program, unit, container, protocol, to, port, count }
    })
    .collect()
}

fn units(sockets: Sockets) -> Vec<String> {
    let ours = own_sockets();
    let waiting = sockets
        .all
        .into_iter()
        .filter(|socket| socket.waits && socket.local.port() == DNS && !ours.contains(&socket.holder.inode));
    let groups: HashSet<u64> = waiting.filter_map(|socket| socket.holder.cgroup).collect();
    let now = Instant::now();
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let programs = groups.into_iter().filter_map(|group| names.groups.program(group, now));
    let units: BTreeSet<String> = programs.map(|program| program.unit.clone()).collect();
    units.into_iter().filter(|unit| !unit.is_empty()).take(MOST_TOLD).collect()
}

fn is_resolver(address: IpAddr, port: u16, known: &HashSet<IpAddr>) -> bool {
    !address.is_loopback() && (PORTS.contains(&port) || (port == HTTPS && known.contains(&address)))
}

/// Inodes of what this process has open.
fn own_sockets() -> HashSet<u32> {
    let entries = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| std::fs::read_link(entry.path()).ok());
    let inode =
        |name: std::path::PathBuf| name.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok();
    names.filter_map(inode).collect()
}
