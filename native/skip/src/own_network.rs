//! A network of a test's own, in which this machine drops what it sends itself, as a VPN's kill switch does.

use std::process::Command;

/// The test, and all that it starts, has it. It is skipped where there can be none.
pub fn in_own_network(test: impl FnOnce() + Send + 'static) {
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    let thread = std::thread::Builder::new().name(name).spawn(|| {
        if unshare() {
            test();
        } else {
            crate::skip("no network of its own: it needs root, and the packages nftables and iproute2");
        }
    });
    if let Err(panic) = thread.unwrap().join() {
        std::panic::resume_unwind(panic);
    }
}

/// What goes out on each connection that is open to this port now.
pub fn drop_what_is_open(port: u16) {
    let open = run("ss", &["-tnHo", "state", "established", "dport", "=", &format!(":{port}")]).unwrap();
    let ports: Vec<_> =
        open.lines().filter_map(|line| line.split_whitespace().nth(2)?.rsplit(':').next()).collect();
    assert!(!ports.is_empty(), "a connection is open: {open}");
    let rule = format!("add rule inet own output tcp dport {port} tcp sport {{ {} }} drop", ports.join(", "));
    let chain = "add chain inet own output { type filter hook output priority 0; }";
    for words in ["add table inet own", "flush table inet own", chain, &rule] {
        run("nft", &[words]).unwrap_or_else(|| panic!("nft takes {words}"));
    }
}

fn unshare() -> bool {
    // SAFETY: no pointer is passed
    let unshared = unsafe { libc::unshare(libc::CLONE_NEWNET) };
    unshared == 0
        && run("ip", &["link", "set", "lo", "up"]).is_some()
        && run("nft", &["list", "ruleset"]).is_some()
        && run("ss", &["-V"]).is_some()
}

fn run(command: &str, words: &[&str]) -> Option<String> {
    let output = Command::new(command).args(words).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
