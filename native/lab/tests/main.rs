//! The lab's tests, one program with a module for each file: linked once, and run beside each other as threads of one process.

mod command_line;
mod encdns;
mod load;
mod output;
mod play;
mod replay;
mod replay_dnstap;
mod replay_files;
mod replay_model;
mod replaying;
mod slow_clients;
mod stage;
mod tls;
mod traces;
mod traces_any;
mod wire;
