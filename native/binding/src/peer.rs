//! Which process is at the other end of a Unix socket, as the kernel reports it.

use napi_derive::napi;

#[napi(object)]
pub struct PeerCredentials {
    pub pid: u32,
    pub uid: u32,
    /// the primary group first, then the others
    pub gids: Vec<u32>,
}

/// The credentials at the moment at which the peer connected. `fd` is an open socket of this process. Null: the system can't tell.
#[napi]
pub fn peer_credentials(fd: i32) -> Option<PeerCredentials> {
    platform::peer(fd)
}

/// Null: there is no group of this name.
#[napi]
pub fn group_id(name: String) -> Option<u32> {
    platform::group(&name)
}

#[cfg(target_os = "linux")]
mod platform {
    use std::ffi::CString;

    use super::PeerCredentials;

    /// NGROUPS_MAX
    const MOST_GROUPS: usize = 65_536;

    pub fn peer(fd: i32) -> Option<PeerCredentials> {
        let mut who = [libc::ucred { pid: 0, uid: libc::uid_t::MAX, gid: libc::gid_t::MAX }];
        if option(fd, libc::SO_PEERCRED, &mut who)? != 1 || who[0].uid == libc::uid_t::MAX {
            return None;
        }
        let [libc::ucred { pid, uid, gid }] = who;
        let mut gids = vec![gid];
        gids.extend(groups(fd)?.into_iter().filter(|other| *other != gid));
        Some(PeerCredentials { pid: pid.try_into().ok()?, uid, gids })
    }

    /// The supplementary groups (Linux 4.13). The kernel refuses if there is too little room.
    fn groups(fd: i32) -> Option<Vec<u32>> {
        for room in [64, MOST_GROUPS] {
            let mut all = vec![0; room];
            if let Some(count) = option(fd, libc::SO_PEERGROUPS, &mut all) {
                all.truncate(count);
                return Some(all);
            }
        }
        None
    }

    /// Returns how many values the kernel wrote.
    fn option<T>(fd: i32, name: i32, values: &mut [T]) -> Option<usize> {
        let mut octets = size_of_val(values) as libc::socklen_t;
        // SAFETY: the kernel writes at most `octets` into `values`, which are whole numbers of C's own types
        let outcome =
            unsafe { libc::getsockopt(fd, libc::SOL_SOCKET, name, values.as_mut_ptr().cast(), &mut octets) };
        (outcome == 0).then(|| octets as usize / size_of::<T>())
    }

    pub fn group(name: &str) -> Option<u32> {
        let name = CString::new(name).ok()?;
        let mut text = vec![0; 64 * 1024];
        let mut found = std::ptr::null_mut();
        // SAFETY: a group of C's is numbers and pointers, for which zero is a value; the buffers outlive the call
        unsafe {
            let mut group: libc::group = std::mem::zeroed();
            let (buffer, room) = (text.as_mut_ptr(), text.len());
            libc::getgrnam_r(name.as_ptr(), &mut group, buffer, room, &mut found);
            (!found.is_null()).then_some(group.gr_gid)
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    use super::PeerCredentials;

    pub fn peer(_: i32) -> Option<PeerCredentials> {
        None
    }

    pub fn group(_: &str) -> Option<u32> {
        None
    }
}
