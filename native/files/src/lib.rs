//! Reads and writes files where another user may change names: root writes into the folder of a server's account, or reads what that
//! account put there. A name says nothing for longer than the call that used it, so all checks apply to what was opened.
//!
//! * [`appended`] opens a journal.
//! * [`Folder`] writes a whole file in a folder, whoever owns that.
//! * [`regular`] reads what somebody named in settings or on the command line: it may be a link, but nothing that never ends.
//! * [`small_file`] opens what must belong to certain users, and to nobody else.

pub mod appended;
mod folder;
pub mod regular;
pub mod small_file;

pub use folder::Folder;
