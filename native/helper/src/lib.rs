//! `sotto-helper`: the one part of Sotto that runs as root. It changes the system's DNS, and gives it back.
//!
//! ```text
//! serve (socket, peer) ─▶ request (closed set) ─▶ take ─▶ journal (the undo, on disk) ─▶ mechanism ─▶ reply
//!                                                 give_back ─▶ mechanism ─▶ journal
//!                           holders (a connection each) ─▶ look_after ─▶ orphaned ─▶ give_back, once nobody is left
//! fixes (files of browsers and NetworkManager, with a record of their own)
//! bridges (a process of its own, without root's rights: queries of containers)
//! dhcp_said (dhclient's hook) ─▶ dhcp_answer (what is well-formed) ─▶ journal ─▶ resolv_conf_before
//! ```
//!
//! Which requests there are, what counts as ours, and who gives back when: docs/design/system-dns.md.

#![cfg(target_os = "linux")]

mod arguments;
mod ask;
mod boot;
mod boot_forms;
mod bridges;
mod bus;
mod conversation;
mod desk;
mod dhcp_answer;
mod dhcp_said;
mod durable;
mod entry;
mod failure;
mod fix;
mod fixes;
mod gate;
mod give_back;
mod holders;
mod journal;
mod keep_over_boot;
mod kernel_links;
mod link_settings;
mod look_after;
mod mechanism;
mod network_manager;
mod orphaned;
mod over_boot;
mod place;
mod program;
mod readable;
mod reply;
pub mod request;
mod resolv_conf;
mod resolv_conf_before;
mod resolvconf;
mod serve;
mod servers;
mod settings_file;
mod sockets;
mod start;
mod state;
mod status;
mod take;
mod target;
mod whole_file;

pub use start::main;
