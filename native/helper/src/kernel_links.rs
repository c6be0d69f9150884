//! What the kernel reports about links.

use rustix::net::{AddressFamily, SocketType, netdevice, socket};

use crate::failure::{Code, Failure};
use crate::target::Link;

pub fn exists(link: &Link) -> bool {
    let Ok(any) = socket(AddressFamily::UNIX, SocketType::DGRAM, None) else { return false };
    netdevice::index_to_name(&any, link.index.unsigned_abs()).is_ok_and(|name| name == link.name)
}

pub fn require(link: &Link) -> Result<(), Failure> {
    if exists(link) {
        return Ok(());
    }
    Err(Failure::new(
        Code::NoSuchLink,
        format!("there is no link {} with the name {}", link.index, link.name),
        "links come and go: look again which there are",
    ))
}
