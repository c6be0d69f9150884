//! All paths that the helper uses. Tests use a prefix other than `/`; there they can also make the process die at a chosen step.

use std::cell::Cell;
use std::path::{Path, PathBuf};

pub struct Place {
    root: PathBuf,
    steps: Cell<u32>,
    last_step: Option<u32>,
}

impl Place {
    /// `PREFIX/die-at-step` holds the number of the step at which the process dies. Under `/` the file is not read.
    pub fn at(root: &Path) -> Self {
        let last_step = (root != Path::new("/"))
            .then(|| std::fs::read_to_string(root.join("die-at-step")).ok())
            .flatten()
            .and_then(|text| text.trim().parse().ok());
        Self { root: root.to_owned(), steps: Cell::new(0), last_step }
    }

    /// `path` is relative to the root.
    pub fn below(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join(path)
    }

    pub fn resolv_conf(&self) -> PathBuf {
        self.root.join("etc/resolv.conf")
    }

    pub fn resolv_conf_before(&self) -> PathBuf {
        self.root.join("etc/resolv.conf.before-sotto")
    }

    pub fn resolv_conf_next(&self) -> PathBuf {
        self.root.join("etc/resolv.conf.next-sotto")
    }

    pub fn journal_folder(&self) -> PathBuf {
        self.root.join("var/lib/sotto-helper")
    }

    pub fn unit_folder(&self) -> PathBuf {
        self.root.join("etc/systemd/system")
    }

    pub fn network_manager_settings(&self) -> PathBuf {
        self.root.join("etc/NetworkManager")
    }

    /// its name sorts last, so that no other file of that folder overrides it
    pub fn network_manager_mute(&self) -> PathBuf {
        self.root.join("run/NetworkManager/conf.d/zz-sotto.conf")
    }

    /// read after all others
    pub fn network_manager_mute_by_force(&self) -> PathBuf {
        self.root.join("etc/NetworkManager/conf.d/zz-sotto.conf")
    }

    pub fn resolved_at_boot(&self) -> PathBuf {
        self.root.join("run/systemd/resolved.conf.d/zz-sotto.conf")
    }

    pub fn resolvconf_programs(&self) -> [PathBuf; 2] {
        [self.root.join("usr/sbin/resolvconf"), self.root.join("sbin/resolvconf")]
    }

    /// Debian's resolvconf and openresolv keep a record of this name there
    pub fn resolvconf_records(&self, name: &str) -> [PathBuf; 2] {
        ["interface", "interfaces"].map(|folder| self.root.join("run/resolvconf").join(folder).join(name))
    }

    pub fn socket(&self) -> PathBuf {
        self.root.join("run/sotto-helper/helper.sock")
    }

    /// Written by root: why systemd ends the service, `stop`, `restart` or `shutdown` (build/system/sotto-stop).
    pub fn stop_reason(&self) -> PathBuf {
        self.root.join("run/sotto-helper/stop-reason")
    }

    pub fn gate_folder(&self) -> PathBuf {
        self.root.join("run/sotto-gate")
    }

    pub fn gate_socket(&self) -> PathBuf {
        self.gate_folder().join("gate.sock")
    }

    pub fn nft(&self) -> PathBuf {
        self.root.join("usr/sbin/nft")
    }

    /// Called after each change that lasts, so that a test can make the process die there.
    pub fn step(&self) {
        self.steps.set(self.steps.get() + 1);
        if self.last_step == Some(self.steps.get()) {
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        }
    }
}
