//! Which program a control group belongs to, by the names that systemd, desktops and container engines give to groups. A group may
//! hold several executables: a shell and all that was started in it share one.

/// All empty: the group says nothing of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Program {
    /// `firefox`, `sshd`, `org.mozilla.firefox`; `session` where a person starts programs of all kinds
    pub name: String,
    /// the innermost unit of systemd's
    pub unit: String,
    /// the name of the container, or its short id
    pub container: String,
}

/// Units in which a person starts programs of all kinds: logins, the person's own manager, tabs of terminals, and what systemd-run gave no
/// name.
const SHARED: [&str; 6] = ["session-", "user@", "vte-spawn-", "tmux-spawn-", "run-u", "run-r"];

/// Container engines show so much of an id.
const SHOWN_ID: usize = 12;
const ID: usize = 64;

/// What stands before a container's name or id, and what its program is called. Where systemd makes the group it ends with `.scope`.
const CONTAINERS: [(&str, &str); 6] = [
    ("docker-", "docker"),
    ("libpod-", "podman"),
    ("crio-", "cri-o"),
    ("cri-containerd-", "containerd"),
    (LXC, "lxc"),
    ("machine-", "machine"),
];
const LXC: &str = "lxc.payload.";
/// Podman's own process beside a container.
const BESIDE_CONTAINER: &str = "libpod-conmon-";

impl Program {
    /// `path`: from the root of the hierarchy, `/user.slice/…`.
    pub fn of_group(path: &str) -> Self {
        let parts: Vec<&str> = path.split('/').collect();
        let is_unit = |part: &&&str| part.ends_with(".service") || part.ends_with(".scope");
        let unit = parts.iter().rfind(is_unit).copied().unwrap_or_default();
        match parts.iter().find_map(|part| container(part)) {
            Some((name, container)) => Self { name, unit: unit.into(), container },
            None => Self { name: of_unit(unit), unit: unit.into(), container: String::new() },
        }
    }
}

fn container(part: &str) -> Option<(String, String)> {
    if is_id(part) {
        return Some(("container".into(), part[..SHOWN_ID].into()));
    }
    if part.starts_with(BESIDE_CONTAINER) {
        return None;
    }
    let scope = part.strip_suffix(".scope");
    CONTAINERS.iter().find_map(|(before, engine)| {
        let name = unescaped(scope.unwrap_or(part).strip_prefix(before)?);
        if scope.is_none() && !is_id(&name) && *before != LXC {
            return None;
        }
        let short = if is_id(&name) { name[..SHOWN_ID].into() } else { name };
        Some(((*engine).into(), short))
    })
}

fn is_id(text: &str) -> bool {
    text.len() == ID && text.bytes().all(|octet| octet.is_ascii_hexdigit())
}

fn of_unit(unit: &str) -> String {
    let (name, is_scope) = match unit.strip_suffix(".scope") {
        Some(name) => (name, true),
        None => (unit.strip_suffix(".service").unwrap_or(unit), false),
    };
    if SHARED.iter().any(|before| name.starts_with(before)) {
        return "session".into();
    }
    let before_instance = name.split('@').next().unwrap_or(name);
    let found = snap(name).or_else(|| application(name, before_instance, is_scope));
    unescaped(found.unwrap_or(before_instance))
}

/// `snap.firefox.firefox-NUMBER`: the snap, the program in it, and what tells its runs apart.
fn snap(name: &str) -> Option<&str> {
    name.strip_prefix("snap.")?.split('.').next()
}

/// `app-LAUNCHER-ID-NUMBER.scope` or `app-LAUNCHER-ID@NUMBER.service`; some leave out the launcher, and services the number
/// (<https://systemd.io/DESKTOP_ENVIRONMENTS>).
fn application<'a>(name: &'a str, before_instance: &'a str, is_scope: bool) -> Option<&'a str> {
    let parts = match is_scope {
        true => name.strip_prefix("app-")?.rsplit_once('-')?.0,
        false => before_instance.strip_prefix("app-")?,
    };
    parts.rsplit('-').next()
}

/// systemd writes an octet that may not stand in a unit's name as `\x2d`.
fn unescaped(name: &str) -> String {
    let mut parts = name.split("\\x");
    let mut octets = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            // a control character would end the text elsewhere
            Some(octet) if !octet.is_ascii_control() => {
                octets.push(octet);
                octets.extend_from_slice(&part.as_bytes()[2..]);
            }
            _ => octets.extend_from_slice(format!("\\x{part}").as_bytes()),
        }
    }
    String::from_utf8_lossy(&octets).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const USER: &str = "/user.slice/user-1000.slice/user@1000.service/app.slice";

    fn named(path: &str) -> (String, String) {
        let Program { name, container, .. } = Program::of_group(path);
        (name, container)
    }

    #[test]
    fn applications_of_a_desktop() {
        for (unit, name) in [
            ("app-gnome-firefox-4711.scope", "firefox"),
            ("app-flatpak-org.mozilla.firefox-4711.scope", "org.mozilla.firefox"),
            ("app-org.gnome.Evolution-4711.scope", "org.gnome.Evolution"),
            ("app-gnome-org.gnome.Terminal@4711.service", "org.gnome.Terminal"),
            ("app-gnome-google\\x2dchrome-4711.scope", "google-chrome"),
            ("snap.chromium.chromium-0b1e5a2c-1111-2222-3333-444455556666.scope", "chromium"),
            ("pipewire.service", "pipewire"),
        ] {
            assert_eq!(named(&format!("{USER}/{unit}")), (name.into(), String::new()), "{unit}");
        }
    }

    #[test]
    fn services_and_sessions() {
        for (path, name) in [
            ("/user.slice/user-1000.slice/session-2.scope", "session"),
            ("/user.slice/user-1000.slice/user@1000.service/init.scope", "init"),
            ("/user.slice/user-1000.slice/user@1000.service", "session"),
            ("/user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn-1b2c.scope", "session"),
            ("/system.slice/run-u12.service", "session"),
            ("/system.slice/x\\x00y\\x2dz.service", "x\\x00y-z"),
            ("/system.slice/sshd.service", "sshd"),
            ("/system.slice/system-getty.slice/getty@tty1.service", "getty"),
            ("/system.slice/apt-daily-upgrade.service", "apt-daily-upgrade"),
        ] {
            assert_eq!(named(path), (name.into(), String::new()), "{path}");
        }
    }

    #[test]
    fn containers_by_name_or_short_id() {
        let id = "4f2a".repeat(16);
        for (path, name, container) in [
            (format!("/system.slice/docker-{id}.scope"), "docker", &id[..12]),
            (format!("/machine.slice/libpod-{id}.scope/container"), "podman", &id[..12]),
            (format!("/libpod_parent/libpod-{id}"), "podman", &id[..12]),
            (format!("/machine.slice/libpod-conmon-{id}.scope"), &format!("libpod-conmon-{id}"), ""),
            ("/system.slice/docker-registry.service".into(), "docker-registry", ""),
            (format!("/docker/{id}"), "container", &id[..12]),
            ("/lxc.payload.web/system.slice/nginx.service".into(), "lxc", "web"),
            ("/machine.slice/machine-debian\\x2d12.scope/payload".into(), "machine", "debian-12"),
        ] {
            assert_eq!(named(&path), (name.into(), container.into()), "{path}");
        }
    }

    #[test]
    fn the_innermost_unit() {
        let path = format!("{USER}/app-gnome-firefox-4711.scope/worker");
        assert_eq!(Program::of_group(&path).unit, "app-gnome-firefox-4711.scope");
    }

    #[test]
    fn some_groups_say_nothing() {
        for path in ["/", "", "/user.slice", "/../../somewhere"] {
            assert_eq!(Program::of_group(path), Program::default(), "{path}");
        }
    }

    #[test]
    fn odd_names_are_no_panic() {
        for unit in
            ["app-.scope", "app-é-1.scope", "\\xzz.service", "\\x2.service", "snap..scope", "@.service"]
        {
            let _ = Program::of_group(&format!("/{unit}"));
        }
    }
}
