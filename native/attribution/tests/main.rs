//! The tests against the real kernel, one program with a module for each file, which run beside each other as threads of one process.

mod holder;
mod race;
mod sockets;
