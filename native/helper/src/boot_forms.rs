//! What resolved and NetworkManager read when they start: ours alone, until the service tells each link. Below /run, so that a
//! machine without Sotto's boot unit has none of it.
//!
//! resolved prefers its global servers, with the domain `~.`, to those of every link but for names under that link's own domains,
//! which DHCP may choose. NetworkManager therefore tells it nothing of links meanwhile, which is what its global DNS means.

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use tokio::time::{Instant, sleep};
use zbus::zvariant::OwnedObjectPath;

use crate::bus::{Bus, Object};
use crate::link_settings;
use crate::network_manager;
use crate::over_boot::OverBoot;
use crate::place::Place;
use crate::reply::{Code, Failure};
use crate::request::{Mechanism, Server, Servers};

const SYSTEMD: Object = Object {
    title: "systemd",
    service: "org.freedesktop.systemd1",
    path: "/org/freedesktop/systemd1",
    interface: "org.freedesktop.systemd1.Manager",
};
const RESOLVED_UNIT: &str = "systemd-resolved.service";
/// resolved reads its files only when it starts, before 256 at least
const FORGOTTEN_WITHIN: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(20);

pub fn write(place: &Place, wish: &OverBoot) -> Result<(), Failure> {
    if wish.mechanism == Mechanism::Resolved {
        put(&place.resolved_at_boot(), &for_resolved(&wish.servers))?;
    }
    // Whether it runs is not known yet; where it is not installed nobody reads it.
    if place.network_manager_settings().exists() {
        put(&place.network_manager_at_boot(), &for_network_manager(&wish.servers))?;
    }
    Ok(())
}

/// Whoever is not there has nothing to forget.
pub async fn withdraw(place: &Place, bus: &Bus<'_>, wish: &OverBoot) -> Result<(), Failure> {
    if wish.mechanism == Mechanism::Resolved {
        remove(&place.resolved_at_boot())?;
        place.step();
        if link_settings::takes_every_name_globally(bus).await? {
            start_resolved_anew(bus).await?;
        }
    }
    if_there(unmute_network_manager(place, bus).await)
}

/// NetworkManager tells links and resolv.conf again what it knows.
pub async fn unmute_network_manager(place: &Place, bus: &Bus<'_>) -> Result<(), Failure> {
    remove(&place.network_manager_at_boot())?;
    place.step();
    network_manager::read_settings_anew(bus).await
}

pub fn network_manager_is_mute(place: &Place) -> bool {
    place.network_manager_at_boot().exists()
}

async fn start_resolved_anew(bus: &Bus<'_>) -> Result<(), Failure> {
    let words = (RESOLVED_UNIT, "replace");
    let _job: OwnedObjectPath = bus.call(SYSTEMD, "ReloadOrTryRestartUnit", &words).await?;
    let give_up = Instant::now() + FORGOTTEN_WITHIN;
    while link_settings::takes_every_name_globally(bus).await.unwrap_or(true) {
        if Instant::now() > give_up {
            return Err(Failure::new(
                Code::RefusedBySystem,
                "systemd-resolved was restarted and still asks Sotto",
                "see whether a file in resolved.conf.d names Sotto's address",
            ));
        }
        sleep(LOOK_EVERY).await;
    }
    Ok(())
}

fn if_there(done: Result<(), Failure>) -> Result<(), Failure> {
    match done {
        Err(failure) if failure.code == Code::MechanismMissing => Ok(()),
        other => other,
    }
}

/// An empty DNS= forgets the servers that other files name; the domains they name are searched still.
fn for_resolved(servers: &Servers) -> String {
    let servers: Vec<String> = servers.all().iter().map(with_port).collect();
    format!(
        "# sotto-helper wrote this at boot; it goes when DNS is given back.\n[Resolve]\nDNS=\nDNS={}\nDomains=~.\n\
         FallbackDNS=\nDNSOverTLS=no\nDNSSEC=no\nLLMNR=no\nMulticastDNS=no\n",
        servers.join(" ")
    )
}

fn for_network_manager(servers: &Servers) -> String {
    let servers: Vec<String> = servers.all().iter().map(|server| server.address.to_string()).collect();
    format!(
        "# sotto-helper wrote this at boot; it goes once Sotto runs.\n[global-dns-domain-*]\nservers={}\n",
        servers.join(",")
    )
}

fn with_port(server: &Server) -> String {
    match (server.address.is_ipv4(), server.port.get()) {
        (_, 53) => server.address.to_string(),
        (true, port) => format!("{}:{port}", server.address),
        (false, port) => format!("[{}]:{port}", server.address),
    }
}

/// Under another name first, so that nobody reads half of it; what begins with a dot is read by none of them.
fn put(path: &Path, text: &str) -> Result<(), Failure> {
    let Some(folder) = path.parent() else { return Ok(()) };
    let next = folder.join(".sotto.next");
    let written = DirBuilder::new().recursive(true).mode(0o755).create(folder).and_then(|()| {
        fs::set_permissions(folder, Permissions::from_mode(0o755))?;
        absent(fs::remove_file(&next))?;
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&next)?;
        file.write_all(text.as_bytes())?;
        file.set_permissions(Permissions::from_mode(0o644))?;
        fs::rename(&next, path)
    });
    written.map_err(|error| not_possible(path, &error))
}

fn remove(path: &Path) -> Result<(), Failure> {
    absent(fs::remove_file(path)).map_err(|error| not_possible(path, &error))
}

fn absent(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn not_possible(path: &Path, error: &io::Error) -> Failure {
    Failure::new(
        Code::ReadOnly,
        format!("{} can't be changed: {error}", path.display()),
        "make that folder writable for root",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_told_the_servers_in_its_own_words() {
        let servers: Servers = serde_json::from_str(
            r#"[{"address":"127.0.0.1","port":53},{"address":"127.0.0.1","port":5300},{"address":"::1","port":5300}]"#,
        )
        .unwrap();
        assert!(
            for_resolved(&servers).contains("\nDNS=\nDNS=127.0.0.1 127.0.0.1:5300 [::1]:5300\nDomains=~.\n")
        );
        assert!(for_network_manager(&servers).ends_with("\nservers=127.0.0.1,127.0.0.1,::1\n"));
    }
}
