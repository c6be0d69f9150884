//! Which boot this is, and whether the service will come in it.

use std::io;
use std::path::Path;

use crate::failure::{Code, Failure};
use crate::place::Place;

/// The kernel's identifier of this boot. It is not the machine's own.
pub fn id() -> io::Result<String> {
    Ok(std::fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim().to_owned())
}

pub fn unknown(error: &io::Error) -> Failure {
    Failure::new(Code::JournalFailed, format!("the kernel names no boot: {error}"), "mount /proc")
}

/// Whether the unit is enabled and not masked. Read from the links that systemd makes for it: early in a boot, systemd may not
/// answer.
pub fn is_enabled(place: &Place, unit: &str) -> bool {
    let folder = place.unit_folder();
    if std::fs::read_link(folder.join(unit)).is_ok_and(|target| target == Path::new("/dev/null")) {
        return false;
    }
    let Ok(folders) = std::fs::read_dir(folder) else { return false };
    folders.flatten().any(|each| {
        let name = each.file_name();
        let wants = name.to_str().is_some_and(|name| name.ends_with(".wants") || name.ends_with(".requires"));
        wants && each.path().join(unit).symlink_metadata().is_ok()
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_unit_comes_where_a_target_wants_it_and_nobody_masked_it() {
        let root = std::env::temp_dir().join(format!("sotto-helper-units-{}", std::process::id()));
        let place = Place::at(&root);
        assert!(!is_enabled(&place, "sotto.service"));
        let wants = place.unit_folder().join("multi-user.target.wants");
        std::fs::create_dir_all(&wants).unwrap();
        assert!(!is_enabled(&place, "sotto.service"));
        symlink("/lib/systemd/system/sotto.service", wants.join("sotto.service")).unwrap();
        assert!(is_enabled(&place, "sotto.service"));
        assert!(!is_enabled(&place, "other.service"));
        symlink("/dev/null", place.unit_folder().join("sotto.service")).unwrap();
        assert!(!is_enabled(&place, "sotto.service"));
        std::fs::remove_dir_all(root).unwrap();
    }
}
