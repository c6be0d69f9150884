//! The unit that listens on bridges: off until it is asked for, then also after each boot.

use zbus::zvariant::OwnedObjectPath;

use crate::bus::{Bus, Object};
use crate::failure::Failure;

const MANAGER: Object = Object {
    title: "systemd",
    service: "org.freedesktop.systemd1",
    path: "/org/freedesktop/systemd1",
    interface: "org.freedesktop.systemd1.Manager",
};
const UNIT: &str = "sotto-bridges.service";
type Links = Vec<(String, String, String)>;

pub async fn start(bus: &Bus<'_>) -> Result<(), Failure> {
    let (_, _): (bool, Links) = bus.call(MANAGER, "EnableUnitFiles", &(vec![UNIT], false, false)).await?;
    let _: OwnedObjectPath = bus.call(MANAGER, "StartUnit", &(UNIT, "replace")).await?;
    Ok(())
}

/// It is no error if it does not run.
pub async fn stop(bus: &Bus<'_>) -> Result<(), Failure> {
    let stopped: Result<OwnedObjectPath, _> = bus.call(MANAGER, "StopUnit", &(UNIT, "replace")).await;
    match stopped {
        Err(refusal) if !refusal.name.ends_with("NoSuchUnit") => return Err(refusal.into()),
        _ => {}
    }
    let _: Links = bus.call(MANAGER, "DisableUnitFiles", &(vec![UNIT], false)).await?;
    Ok(())
}
