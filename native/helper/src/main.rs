#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    sotto_helper::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    eprintln!("sotto-helper: only Linux has what it changes");
    std::process::ExitCode::FAILURE
}
