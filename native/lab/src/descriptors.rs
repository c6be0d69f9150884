//! Room for many sockets.

/// Lets this process have `wanted` descriptors, or says how to allow it.
#[cfg(unix)]
pub fn allow(wanted: u64) -> Result<(), String> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel writes one rlimit there
    if unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) } != 0 {
        return Err(format!("can't read the limit of descriptors: {}", std::io::Error::last_os_error()));
    }
    if limit.rlim_cur >= wanted as libc::rlim_t {
        return Ok(());
    }
    let hard = limit.rlim_max;
    limit.rlim_cur = wanted as libc::rlim_t;
    limit.rlim_max = hard.max(limit.rlim_cur);
    // SAFETY: the kernel reads one rlimit there
    if unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) } == 0 {
        return Ok(());
    }
    Err(format!(
        "{wanted} descriptors are needed and at most {hard} allowed here: give a smaller --count, or raise the limit \
         (as root: ulimit -Hn {wanted}, then start again from the same shell)"
    ))
}

#[cfg(not(unix))]
pub fn allow(_wanted: u64) -> Result<(), String> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_enough_and_what_nobody_has_is_refused_with_the_remedy() {
        assert_eq!(allow(8), Ok(()));
        let error = allow(1 << 40).unwrap_err();
        assert!(error.contains("--count") && error.contains("ulimit"), "{error}");
    }
}
