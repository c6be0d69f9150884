//! The tests of the published format, one program with a module for each file.

mod format;
mod vectors;
