//! Every fix: whether its program is here, what was written, whether it still says so, and why it would be refused.

use super::plan;
use super::record::{Done, Record};
use super::root_file;
use crate::failure::Failure;
use crate::fix::Fix;
use crate::place::Place;
use crate::reply::{self, FixNow};

pub fn status(place: &Place) -> Result<reply::Done, Failure> {
    let all = Record::of_what_was_done(place)?.all().to_vec();
    let fixes = Fix::ALL.map(|fix| now(place, fix, all.iter().find(|done| done.fix == fix)));
    Ok(reply::Done::Fixes { fixes: fixes.into() })
}

fn now(place: &Place, fix: Fix, done: Option<&Done>) -> FixNow {
    FixNow {
        fix,
        present: fix.is_present(place),
        since: done.map(|done| done.since),
        in_place: done.map(|done| {
            done.files.iter().all(|written| {
                let found = root_file::read(place, &written.file).ok().flatten();
                found.is_some_and(|found| plan::says(fix, &found.text))
            })
        }),
        files: fix.files(place),
        refused: match done {
            None => plan::plan(place, fix).err(),
            Some(_) => None,
        },
    }
}
