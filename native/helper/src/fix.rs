//! Every fix there is, the files that it writes, and what they say then.

use std::net::Ipv4Addr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::bridges;
use crate::place::Place;

#[derive(Debug, PartialEq, Eq, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fix {
    Firefox,
    Chromium,
    Chrome,
    Edge,
    Brave,
    NetworkManager,
    Docker,
}

/// What a file has to say.
#[derive(Debug)]
pub enum Says {
    /// a key of a JSON object that others write, too
    Key { path: &'static [&'static str], value: String },
    /// a file of ours alone
    Whole(&'static str),
}

/// Firefox asks the system's resolver, and its user can't choose another (Mozilla's policy templates, DNSOverHTTPS).
const FIREFOX: (&[&str], &str) = (&["policies", "DNSOverHTTPS"], r#"{ "Enabled": false, "Locked": true }"#);
/// The resolvers of containers (dockerd's configuration file).
const DOCKER: &[&str] = &["dns"];
/// The same for browsers built from Chromium (its list of enterprise policies).
const CHROMIUM: Says = Says::Whole("{ \"DnsOverHttpsMode\": \"off\" }\n");
const NETWORK_MANAGER: Says = Says::Whole(
    "# Sotto wrote this; \"sotto fix --undo network-manager\" takes it away, and so does giving DNS back.\n\
     [main]\ndns=none\nrc-manager=unmanaged\nsystemd-resolved=false\n",
);

impl Fix {
    pub const ALL: [Self; 7] = [
        Self::Firefox,
        Self::Chromium,
        Self::Chrome,
        Self::Edge,
        Self::Brave,
        Self::NetworkManager,
        Self::Docker,
    ];

    pub fn says(self) -> Says {
        match self {
            Self::Firefox => Says::Key { path: FIREFOX.0, value: FIREFOX.1.into() },
            Self::Docker => Says::Key { path: DOCKER, value: format!("[\"{}\"]", bridge_address()) },
            Self::Chromium | Self::Chrome | Self::Edge | Self::Brave => CHROMIUM,
            Self::NetworkManager => NETWORK_MANAGER,
        }
    }

    /// The first always, the others where the build that reads them is installed.
    pub fn files(self, place: &Place) -> Vec<PathBuf> {
        let (always, others) = self.places();
        let others = others.iter().filter(|(mark, _)| place.below(mark).symlink_metadata().is_ok());
        let all = [always].into_iter().chain(others.map(|(_, file)| *file));
        all.map(|file| place.below(file)).collect()
    }

    /// Whether the program, or a folder for its settings, is on this machine.
    pub fn is_present(self, place: &Place) -> bool {
        self.marks().iter().any(|mark| place.below(mark).symlink_metadata().is_ok())
    }

    fn places(self) -> (&'static str, &'static [(&'static str, &'static str)]) {
        match self {
            Self::Firefox => (
                "etc/firefox/policies/policies.json",
                &[("usr/lib/firefox-esr", "etc/firefox-esr/policies/policies.json")],
            ),
            Self::Chromium => (
                "etc/chromium/policies/managed/sotto.json",
                &[("snap/bin/chromium", "etc/chromium-browser/policies/managed/sotto.json")],
            ),
            Self::Chrome => ("etc/opt/chrome/policies/managed/sotto.json", &[]),
            Self::Edge => ("etc/opt/edge/policies/managed/sotto.json", &[]),
            Self::Brave => ("etc/brave/policies/managed/sotto.json", &[]),
            Self::Docker => ("etc/docker/daemon.json", &[]),
            Self::NetworkManager => ("etc/NetworkManager/conf.d/zzz-sotto-fix.conf", &[]),
        }
    }

    fn marks(self) -> &'static [&'static str] {
        match self {
            Self::Firefox => &[
                "usr/bin/firefox",
                "usr/bin/firefox-esr",
                "usr/lib/firefox-esr",
                "snap/bin/firefox",
                "etc/firefox",
            ],
            Self::Chromium => {
                &["usr/bin/chromium", "usr/bin/chromium-browser", "snap/bin/chromium", "etc/chromium"]
            }
            Self::Chrome => &["opt/google/chrome", "etc/opt/chrome"],
            Self::Edge => &["opt/microsoft/msedge", "etc/opt/edge"],
            Self::Brave => &["opt/brave.com/brave", "etc/brave"],
            Self::NetworkManager => &["etc/NetworkManager"],
            Self::Docker => &["usr/bin/dockerd", "etc/docker", "var/lib/docker"],
        }
    }
}

/// Without docker0, none that a file would name.
fn bridge_address() -> Ipv4Addr {
    bridges::docker_address().unwrap_or(Ipv4Addr::UNSPECIFIED)
}
