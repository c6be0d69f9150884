//! Changes to the settings of other programs, so that their queries come to Sotto: policies of browsers, a file of NetworkManager's.
//! docs/decisions/0048-fixes.md says why so.
//!
//! ```text
//! apply ─▶ plan (which file becomes what) ─▶ record (the undo, on disk) ─▶ root_file
//! undo  ─▶ record ─▶ root_file: the text of before, or json_key: our key alone is taken out ─▶ record
//! ```

mod apply;
mod json_key;
mod managed_policies;
mod plan;
mod record;
mod root_file;
mod status;
#[cfg(test)]
mod tests;
mod undo;

pub use apply::apply;
pub use status::status;
pub use undo::{end_with_dns, finish_begun, undo, undo_all};
