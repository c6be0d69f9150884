#!/bin/sh
# Fuzzes every target, one after the other: fuzz.sh [seconds per target]. Without a number all of them together take about 30 s.
# Skips, and says why, where a nightly toolchain or cargo-fuzz is missing. What it finds stays in artifacts/ beside the target,
# and fails the run. New inputs stay out of the checked-in corpus; they go to a folder of their own under the target folder.
set -eu

seconds=${1:-5}
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
repository=$(CDPATH= cd -- "$here/.." && pwd)

skip() {
    echo "skipped fuzzing: $1"
    exit 0
}

command -v cargo >/dev/null || skip "there is no cargo"
cargo +nightly --version >/dev/null 2>&1 || skip "there is no nightly toolchain (rustup toolchain install nightly)"
cargo fuzz --version >/dev/null 2>&1 || skip "there is no cargo-fuzz (cargo install cargo-fuzz)"

export CARGO_TARGET_DIR="$repository/target/fuzz"
fuzz() {
    crate=$1
    shift
    cd "$here/$crate"
    # the same versions as in the programs; cargo adds those of libFuzzer
    cp "$here/Cargo.lock" fuzz/Cargo.lock
    cargo +nightly fuzz build
    for target in "$@"; do
        grown="$CARGO_TARGET_DIR/corpus/$target"
        mkdir -p "$grown" "fuzz/artifacts/$target"
        log="$CARGO_TARGET_DIR/$target.log"
        if cargo +nightly fuzz run "$target" "$grown" "fuzz/corpus/$target" -- \
            -max_total_time="$seconds" -max_len=4096 -timeout=5 -rss_limit_mb=2048 >"$log" 2>&1; then
            echo "$target: $(tail -n 1 "$log")"
        else
            tail -n 40 "$log"
            echo "$target: found something, see above and $here/$crate/fuzz/artifacts/$target"
            exit 1
        fi
    done
}

fuzz engine wire query answer aliases expand stream starttls conversation boxes
fuzz helper request
