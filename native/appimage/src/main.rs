//! `sotto-appimage`: the runtime of an AppImage (type 2). Behind this program in its file lie a squashfs and the squashfs's name.
//!
//! ```text
//! | this program | squashfs, zstd | 32 hexadecimal digits |
//! ```
//!
//! It unpacks the squashfs into a cache of the person's, once for each name, and becomes the AppRun in it.

#[cfg(target_os = "linux")]
mod image;
#[cfg(target_os = "linux")]
mod start;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    start::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    eprintln!("sotto-appimage: AppImages are for Linux");
    std::process::ExitCode::FAILURE
}
