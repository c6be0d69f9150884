//! NetworkManager writes resolv.conf, or tells systemd-resolved, at every change of a connection. While the system's DNS is ours,
//! it leaves both alone (`dns=none`, NetworkManager.conf(5)) and still reports on the bus what each network has. Its connections
//! and stored profiles are never changed.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use zbus::zvariant::OwnedValue;

use crate::bus::{Bus, Object, Refusal};
use crate::entry::{Entry, OldFile};
use crate::failure::{Code, Failure};
use crate::place::Place;
use crate::state::State;
use crate::{resolv_conf, settings_file};

const MANAGER: Object = Object {
    title: "NetworkManager",
    service: "org.freedesktop.NetworkManager",
    path: "/org/freedesktop/NetworkManager",
    interface: "org.freedesktop.NetworkManager",
};
/// NM_MANAGER_RELOAD_FLAG_CONF and _DNS_RC
const RELOAD_FILES: u32 = 1;
const RELOAD_DNS: u32 = 2;
/// How long NetworkManager may take to apply settings that it has accepted.
const MUTE_WITHIN: Duration = Duration::from_millis(500);
const LOOK_EVERY: Duration = Duration::from_millis(20);

const SETTINGS: &str = "# sotto-helper wrote this; it goes when DNS is given back (\"sotto system give-back\").\n\
                        [main]\ndns=none\nrc-manager=unmanaged\nsystemd-resolved=false\n";

pub fn state(place: &Place, entry: &Entry, before: &OldFile) -> Result<State, Failure> {
    let file = resolv_conf::state(place, entry, before)?;
    Ok(match (file, is_mute(place)) {
        (State::Ours, true) => State::Ours,
        (State::Ours, false) | (_, true) => State::Partly,
        (others, false) => others,
    })
}

pub async fn apply(place: &Place, bus: &Bus<'_>, entry: &Entry, before: &OldFile) -> Result<(), Failure> {
    mute(place, bus).await?;
    resolv_conf::apply(place, entry, before)
}

/// Restores the file unless another program has written it since. Then lets NetworkManager write what it knows, unless it
/// `stays_mute`.
pub async fn restore(
    place: &Place,
    bus: &Bus<'_>,
    entry: &Entry,
    before: &OldFile,
    stays_mute: bool,
) -> Result<(), Failure> {
    match resolv_conf::state(place, entry, before)? {
        State::Other => resolv_conf::leave(place),
        _ => resolv_conf::restore(place, entry, before)?,
    }
    if stays_mute { Ok(()) } else { unmute(place, bus).await }
}

/// Writes the file that NetworkManager reads when it starts. Without NetworkManager, nothing is written.
pub fn mute_from_its_start(place: &Place) -> Result<(), Failure> {
    match place.network_manager_settings().exists() {
        true => settings_file::put(&place.network_manager_mute(), SETTINGS),
        false => Ok(()),
    }
}

pub fn is_mute(place: &Place) -> bool {
    place.network_manager_mute().exists() || place.network_manager_mute_by_force().exists()
}

/// NetworkManager reads the folders of /usr/lib and /run first, in which distributions say what DNS they want. A file
/// of the administrator in /etc overrides those; if it does, the helper writes a file there, too, which a give-back removes.
pub async fn mute(place: &Place, bus: &Bus<'_>) -> Result<(), Failure> {
    if is_mute(place) && says_nothing(bus, Duration::ZERO).await? {
        return Ok(());
    }
    for file in [place.network_manager_mute(), place.network_manager_mute_by_force()] {
        settings_file::put(&file, SETTINGS)?;
        place.step();
        read_settings_anew(bus).await?;
        if says_nothing(bus, MUTE_WITHIN).await? {
            return Ok(());
        }
    }
    unmute(place, bus).await?;
    Err(Failure::new(
        Code::RefusedBySystem,
        "NetworkManager goes on telling others whom to ask",
        "see whether another file in /etc/NetworkManager/conf.d sets dns=, or choose another systemDns.mechanism",
    ))
}

/// Lets NetworkManager manage resolv.conf or resolved again. It is no error if NetworkManager does not run.
pub async fn unmute(place: &Place, bus: &Bus<'_>) -> Result<(), Failure> {
    for file in [place.network_manager_mute(), place.network_manager_mute_by_force()] {
        settings_file::remove(&file)?;
        place.step();
    }
    if_there(read_settings_anew(bus).await)
}

/// Reads its files anew, and waits until it manages no DNS.
pub async fn leaves_dns_alone(bus: &Bus<'_>) -> Result<(), Failure> {
    read_settings_anew(bus).await?;
    match says_nothing(bus, MUTE_WITHIN).await? {
        true => Ok(()),
        false => Err(Failure::new(
            Code::RefusedBySystem,
            "NetworkManager goes on managing DNS in spite of the new file",
            "see whether a file in /etc/NetworkManager/conf.d that sorts after ours sets dns=",
        )),
    }
}

pub fn if_there(done: Result<(), Failure>) -> Result<(), Failure> {
    match done {
        Err(failure) if failure.code == Code::MechanismMissing => Ok(()),
        other => other,
    }
}

pub async fn read_settings_anew(bus: &Bus<'_>) -> Result<(), Failure> {
    Ok(bus.call(MANAGER, "Reload", &(RELOAD_FILES | RELOAD_DNS,)).await?)
}

async fn says_nothing(bus: &Bus<'_>, within: Duration) -> Result<bool, Refusal> {
    let properties = Object {
        path: "/org/freedesktop/NetworkManager/DnsManager",
        interface: "org.freedesktop.DBus.Properties",
        ..MANAGER
    };
    let give_up = Instant::now() + within;
    loop {
        let mode: OwnedValue =
            bus.call(properties, "Get", &("org.freedesktop.NetworkManager.DnsManager", "Mode")).await?;
        if String::try_from(mode).is_ok_and(|mode| mode == "none") {
            return Ok(true);
        }
        if Instant::now() >= give_up {
            return Ok(false);
        }
        sleep(LOOK_EVERY).await;
    }
}
