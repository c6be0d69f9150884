//! The certificates that the machine trusts. Reading them takes about 15 milliseconds, on the thread that handles queries, so they
//! are read once, and again when the machine has changed them.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use crate::upstream::dial::trust::Roots;

/// Fails where the machine holds none.
pub fn system_roots() -> Result<Roots, String> {
    static KEPT: Kept = Kept(Mutex::new(None));
    KEPT.roots(stamp(), || Roots::of(&rustls_native_certs::load_native_certs().certs))
}

struct Kept(Mutex<Option<(Stamp, Roots)>>);

/// The files and folders from which they are read, each with the time of its last change. A folder changes when a file in it is
/// added, removed or replaced.
type Stamp = Vec<(PathBuf, Option<SystemTime>)>;

/// `None`: on systems other than Linux and the BSDs they are not files, so a change can't be seen.
fn stamp() -> Option<Stamp> {
    if cfg!(any(target_os = "macos", windows)) {
        return None;
    }
    let found = openssl_probe::probe();
    let changed = |path: &PathBuf| fs::metadata(path).and_then(|seen| seen.modified()).ok();
    // as in OpenSSL, the variable may name several folders
    let folders = found.cert_dir.iter().flat_map(env::split_paths);
    let paths = found.cert_file.into_iter().chain(folders);
    Some(paths.map(|path| (path.clone(), changed(&path))).collect())
}

impl Kept {
    fn roots(
        &self,
        now: Option<Stamp>,
        read: impl FnOnce() -> Result<Roots, String>,
    ) -> Result<Roots, String> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some((then, roots)), Some(now)) = (kept.as_ref(), &now)
            && then == now
        {
            return Ok(roots.clone());
        }
        let mut roots = read()?;
        // changed files may have the same content: then the earlier value stays
        if let Some((_, before)) = kept.as_ref().filter(|(_, before)| *before == roots) {
            roots = before.clone();
        }
        *kept = now.map(|now| (now, roots.clone()));
        Ok(roots)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rcgen::{CertifiedKey, generate_simple_self_signed};

    use super::*;

    fn some_roots(name: &str) -> Result<Roots, String> {
        let CertifiedKey { cert, .. } = generate_simple_self_signed([name.to_owned()]).unwrap();
        Ok(Roots::of(&[cert.der().clone()]).unwrap())
    }

    fn at(seconds: u64) -> Option<Stamp> {
        Some(vec![("/store".into(), Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)))])
    }

    #[test]
    fn they_are_read_again_when_the_machine_has_changed_them() {
        let kept = Kept(Mutex::default());
        let first = kept.roots(at(1), || some_roots("first")).unwrap();
        assert_eq!(kept.roots(at(1), || panic!("they are known")).unwrap(), first);
        let second = kept.roots(at(2), || some_roots("second")).unwrap();
        assert_ne!(second, first);
        assert_eq!(kept.roots(at(2), || panic!("they are known")).unwrap(), second);
    }

    #[test]
    fn what_could_not_be_read_is_tried_again() {
        let kept = Kept(Mutex::default());
        assert!(kept.roots(at(1), || Err("this system holds no CA certificates".into())).is_err());
        let read = kept.roots(at(1), || some_roots("now there are")).unwrap();
        assert!(kept.roots(at(2), || Err("gone".into())).is_err());
        assert_eq!(kept.roots(at(1), || panic!("they are known")).unwrap(), read);
    }

    #[test]
    fn where_nobody_can_tell_they_are_read_each_time() {
        let kept = Kept(Mutex::default());
        let first = kept.roots(None, || some_roots("first")).unwrap();
        assert_ne!(kept.roots(None, || some_roots("second")).unwrap(), first);
    }

    #[test]
    fn the_machine_of_this_test_has_some() {
        assert_eq!(system_roots().unwrap(), system_roots().unwrap());
    }
}
