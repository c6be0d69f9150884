//! Runs every `tests/scenarios/*.scenario`, each with an engine and a clock of its own. `tests/scenarios/README.md` describes the
//! format. `SCENARIO=word cargo test … --test main scenarios::` runs those whose names contain the word.

use std::path::PathBuf;

use crate::script;

#[test]
fn every_scenario_goes_as_written() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let wanted = std::env::var("SCENARIO").unwrap_or_default();
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "scenario"))
        .filter(|path| path.file_stem().is_some_and(|stem| stem.to_string_lossy().contains(&wanted)))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no scenario is called {wanted:?}");
    let failures: Vec<String> = files.iter().filter_map(|file| script::run(file).err()).collect();
    println!("{} scenarios, {} failed", files.len(), failures.len());
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n"));
}
