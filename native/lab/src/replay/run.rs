//! A trace from its first query to the summary.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::replay::latency::Assumptions;
use crate::replay::model::{Model, Settings};
use crate::replay::query::SECOND;
use crate::replay::summary::{Parts, Speed, Summary};
use crate::replay::trace::{Reading, Trace};
use crate::replay::transport::Costs;

#[derive(Debug)]
pub struct Replay {
    pub trace: PathBuf,
    pub reading: Reading,
    pub settings: Settings,
    pub costs: Costs,
    pub assumptions: Assumptions,
}

/// How far it has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    pub queries: u64,
    /// of the trace
    pub hours: f64,
    pub pairs: usize,
}

const REPORT_EVERY: Duration = Duration::from_secs(1);

impl Replay {
    /// The error names the trace, and where in it something is wrong.
    pub fn run(self, on_progress: &dyn Fn(Progress)) -> Result<Summary, String> {
        let named = |error: String| format!("{}: {error}", self.trace.display());
        let mut trace = Trace::open(&self.trace, &self.reading)?;
        let ignored = self.settings.ignored;
        let timeouts = self.settings.timeouts.clone();
        let mut model = Model::new(self.settings);
        let mut speed = Speed::default();
        let mut batch = Vec::new();
        let (started, mut first) = (Instant::now(), None);
        let mut reported = started;
        loop {
            let before = Instant::now();
            trace.next(&mut batch).map_err(named)?;
            let read = Instant::now();
            batch.iter().for_each(|query| model.query(*query));
            let modelled = Instant::now();
            speed.reading_seconds += (read - before).as_secs_f64();
            speed.model_seconds += (modelled - read).as_secs_f64();
            speed.queries += batch.len() as u64;
            let Some(last) = batch.last() else { break };
            let first = *first.get_or_insert(batch[0].at);
            if modelled - reported >= REPORT_EVERY {
                reported = modelled;
                let hours = (last.at - first) as f64 / SECOND as f64 / 3_600.0;
                on_progress(Progress { queries: speed.queries, hours, pairs: model.pairs() });
            }
        }
        let before = Instant::now();
        let finished = model.finish().filter(|_| model.sums.all() > 0);
        let Some(finished) = finished else {
            let cut = trace.ends_within().map(|place| format!("; it ends in the middle of {place}"));
            let nothing = nothing_counts(speed.queries, trace.skipped(), ignored);
            return Err(named(nothing + &cut.unwrap_or_default()));
        };
        speed.model_seconds += before.elapsed().as_secs_f64();
        if finished.window.seconds() <= 0.0 {
            return Err(named("its queries came all at the same moment, so no time can be simulated".into()));
        }
        let parts = Parts {
            model: &model,
            finished: &finished,
            timeouts: &timeouts,
            servers: &trace.servers,
            costs: &self.costs,
            assumptions: &self.assumptions,
        };
        let ends_within = trace.ends_within().map(str::to_owned);
        Ok(Summary { skipped: trace.skipped(), late: trace.late(), ends_within, speed, ..parts.summary() })
    }
}

fn nothing_counts(queries: u64, skipped: u64, ignored: u64) -> String {
    if queries > 0 {
        return format!(
            "all {queries} queries are in the first {} minutes, which are ignored; --ignore-minutes 0 counts them",
            ignored / SECOND / 60
        );
    }
    format!(
        "no query is in it ({skipped} other records); --port says to which port queries in packets go, --dnstap which messages count"
    )
}
