//! The files that resolved reads when it starts. They name our servers alone; the service sets each link's servers later. They are
//! below /run, so that a machine without Sotto's boot unit has none of them.
//!
//! resolved prefers its global servers with the domain `~.` to those of every link, except for names under that link's own domains,
//! which DHCP may choose. NetworkManager therefore tells resolved nothing about links (`network_manager.rs`).

use std::time::Duration;

use tokio::time::{Instant, sleep};
use zbus::zvariant::OwnedObjectPath;

use crate::bus::{Bus, Object};
use crate::failure::{Code, Failure};
use crate::over_boot::OverBoot;
use crate::place::Place;
use crate::servers::{Server, Servers};
use crate::target::Mechanism;
use crate::{link_settings, network_manager, settings_file};

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
        settings_file::put(&place.resolved_at_boot(), &for_resolved(&wish.servers))?;
    }
    network_manager::mute_from_its_start(place)
}

/// A program that does not run has nothing to forget.
pub async fn withdraw(place: &Place, bus: &Bus<'_>, stays_mute: bool) -> Result<(), Failure> {
    if place.resolved_at_boot().exists() {
        settings_file::remove(&place.resolved_at_boot())?;
        place.step();
        if link_settings::takes_every_name_globally(bus).await? {
            start_resolved_anew(bus).await?;
        }
    }
    if stays_mute { Ok(()) } else { network_manager::unmute(place, bus).await }
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

/// An empty DNS= removes the servers that other files name. The domains that they name are still searched.
fn for_resolved(servers: &Servers) -> String {
    let servers: Vec<String> = servers.all().iter().map(with_port).collect();
    format!(
        "# sotto-helper wrote this at boot; it goes when DNS is given back.\n[Resolve]\nDNS=\nDNS={}\nDomains=~.\n\
         FallbackDNS=\nDNSOverTLS=no\nDNSSEC=no\nLLMNR=no\nMulticastDNS=no\n",
        servers.join(" ")
    )
}

fn with_port(server: &Server) -> String {
    match (server.address.is_ipv4(), server.port.get()) {
        (_, 53) => server.address.to_string(),
        (true, port) => format!("{}:{port}", server.address),
        (false, port) => format!("[{}]:{port}", server.address),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolved_is_told_the_servers_in_its_own_words() {
        let servers: Servers = serde_json::from_str(
            r#"[{"address":"127.0.0.1","port":53},{"address":"127.0.0.1","port":5300},{"address":"::1","port":5300}]"#,
        )
        .unwrap();
        assert!(
            for_resolved(&servers).contains("\nDNS=\nDNS=127.0.0.1 127.0.0.1:5300 [::1]:5300\nDomains=~.\n")
        );
    }
}
