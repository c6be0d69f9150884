//! Writes Rust types as a TypeScript module, and compares it with the one that is checked in (decision 0043). A test does both;
//! `npm run boundary` runs these tests and lets them write.

mod layout;

use std::fmt::Write;
use std::path::Path;

use ts_rs::{Config, TS};

/// With this variable in its environment a test writes the file instead of comparing it.
const WRITES: &str = "SOTTO_WRITES_BOUNDARY";

pub struct Module {
    config: Config,
    text: String,
}

impl Module {
    /// `about` says in a sentence what the module holds.
    pub fn new(about: &str) -> Self {
        let text = format!(
            "/**\n * {about}\n * Written by `npm run boundary` from the Rust types; changes belong there.\n */\n"
        );
        Self { config: Config::new().with_large_int("number"), text }
    }

    /// Words in their order, and the type of one of them. `list` is the plural, `one` the type's name.
    pub fn words(&mut self, list: &str, one: &str, words: &[&str]) {
        let lines: String = words.iter().map(|word| format!("  '{word}',\n")).collect();
        self.raw(&format!(
            "export const {list} = [\n{lines}] as const;\nexport type {one} = (typeof {list})[number];"
        ));
    }

    /// The type, under its own name, with what its comments say.
    pub fn shape<T: TS>(&mut self) {
        let docs = T::docs().map(|docs| layout::comment(&docs, "")).unwrap_or_default();
        let declared = layout::lines(&T::decl(&self.config));
        self.raw(&format!("{docs}export {declared}"));
    }

    /// Appends TypeScript unchanged.
    pub fn raw(&mut self, text: &str) {
        let _ = writeln!(self.text, "\n{}", text.trim_end());
    }

    /// Panics if `file`, a path from the root of the repository, has another text.
    pub fn must_be(self, file: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
        if std::env::var_os(WRITES).is_some() {
            std::fs::write(&path, self.text).expect("the file can be written");
            return;
        }
        let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(checked_in == self.text, "{file} is not what the Rust types say: run \"npm run boundary\"");
    }
}

/// `client_port` as TypeScript writes it: `clientPort`.
pub fn camel_case(name: &str) -> String {
    let mut words = name.trim_start_matches("r#").split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |text, word| {
        let (head, tail) = word.split_at(1);
        text + &head.to_uppercase() + tail
    })
}
