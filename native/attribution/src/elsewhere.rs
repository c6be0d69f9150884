//! Systems on which nobody is asked.

use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crate::program::Program;
use crate::{Holder, Peer, Sockets, UnitFound};

pub struct Kernel;

impl Kernel {
    pub fn open() -> Result<Self> {
        Err(Error::from(ErrorKind::Unsupported))
    }

    pub fn given_ports(&self) -> usize {
        0
    }

    pub fn holder(&mut self, _peer: &Peer) -> Result<Option<Holder>> {
        Err(Error::from(ErrorKind::Unsupported))
    }
}

impl Sockets {
    pub fn of_system(_most: usize) -> Result<Self> {
        Err(Error::from(ErrorKind::Unsupported))
    }
}

pub struct Executables;

impl Executables {
    pub fn at(_proc: impl Into<PathBuf>) -> Self {
        Self
    }

    pub fn may_know(&self, _group: u64, _now: Instant) -> bool {
        false
    }

    pub fn look(&mut self, _group: u64, _folder: &Path, _socket: u32, _now: Instant) -> bool {
        false
    }

    pub fn of(&self, _group: u64, _socket: u32, _now: Instant) -> Option<Arc<str>> {
        None
    }
}

pub struct ControlGroups;

impl ControlGroups {
    pub fn of_system() -> Self {
        Self
    }

    pub fn at(_root: impl Into<PathBuf>) -> Self {
        Self
    }

    pub fn program(&mut self, _number: u64, _now: Instant) -> Option<Arc<Program>> {
        None
    }

    pub fn readable_from(&self, _now: Instant) -> Option<Instant> {
        None
    }

    pub fn knows(&self, _number: u64) -> bool {
        false
    }

    pub fn folder(&self, _number: u64) -> Option<PathBuf> {
        None
    }
}

pub struct SystemUnits {
    names: Vec<Arc<str>>,
}

impl SystemUnits {
    pub fn of_system(names: Vec<Arc<str>>) -> Self {
        Self { names }
    }

    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    pub fn unit(&mut self, _group: u64, _now: Instant) -> UnitFound {
        UnitFound::Unknown
    }
}
