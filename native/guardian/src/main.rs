//! `sotto-guardian`: binds the addresses, hands them to the service, and starts it again when it dies.
//!
//! ```text
//! hold (sockets) ─▶ child (service) ─▶ signs (alive?) ─▶ guard (restart) ─▶ outage (stand_in, give back)
//! ```
//!
//! One thread, no settings of its own, nothing of the engine in it: a defect that ends the service must not end the guardian.

#[cfg(target_os = "linux")]
mod arguments;
#[cfg(target_os = "linux")]
mod child;
#[cfg(target_os = "linux")]
mod guard;
#[cfg(target_os = "linux")]
mod handed_over;
#[cfg(target_os = "linux")]
mod helper_lease;
#[cfg(target_os = "linux")]
mod hold;
#[cfg(target_os = "linux")]
mod journal;
#[cfg(target_os = "linux")]
mod outage;
#[cfg(target_os = "linux")]
mod pace;
#[cfg(target_os = "linux")]
mod response;
#[cfg(target_os = "linux")]
mod say;
#[cfg(target_os = "linux")]
mod signals;
#[cfg(target_os = "linux")]
mod signs;
#[cfg(target_os = "linux")]
mod stand_in;
#[cfg(target_os = "linux")]
mod start;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    start::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    eprintln!(
        "sotto-guardian: only Linux needs it; launchd and the service manager of Windows restart what dies"
    );
    std::process::ExitCode::FAILURE
}
