//! Runs that a seed makes up, as scenarios (`script`), and what holds in each of them at any time, whatever fails.
//!
//! `SOTTO_SEEDS=10000 cargo test … --test main simulation::` plays so many seeds, from `SOTTO_SEED` on. A seed that breaks something
//! is printed with its lines, and `SOTTO_SEED=… cargo test …` alone plays it again.

mod plan;

use std::sync::{MutexGuard, mpsc};
use std::time::Duration;

use sotto_engine::describe::describe;
use tokio::time::{Instant, timeout};

use crate::script::peer::State;
use crate::script::stage::{Heard, Stage};
use crate::script::{Statement, statements};

const SEEDS: u64 = 200;
/// Every so many seeds, one is played twice.
const TWICE: u64 = 10;
/// The C library's resolver asks somebody else then. The engine gives up after 4.5 s, and may wait 0.3 s for a loop probe before.
const CLIENT_GIVES_UP: Duration = Duration::from_secs(5);
/// On the machine's clock; a run takes some milliseconds of it.
const WORKS_FOR_EVER: Duration = Duration::from_secs(60);
/// No step waits as long as this, unless it waits for ever.
const FOR_EVER: Duration = Duration::from_secs(24 * 3600);

#[test]
fn whatever_fails_what_must_hold_holds() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect(name));
    let (first, seeds) = (number("SOTTO_SEED"), number("SOTTO_SEEDS"));
    let seeds = seeds.unwrap_or(if first.is_some() { 1 } else { SEEDS });
    let first = first.unwrap_or(0);
    let broken: Vec<String> = (first..first + seeds).filter_map(|seed| watched(seed).err()).collect();
    println!("{seeds} seeds from {first} on, {} broke something", broken.len());
    broken.iter().rev().for_each(|one| println!("{one}\n"));
    assert!(broken.is_empty(), "{} of {seeds} seeds broke something", broken.len());
}

/// An engine that works without an end lets no time pass.
fn watched(seed: u64) -> Result<(), String> {
    let steps = plan::plan(seed);
    let lines = steps.join("\n");
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || tell.send(broken_by(seed, &steps)));
    let never =
        |_| Err(format!("{lines}\n\nseed {seed}: it panicked, or works for ever while no time passes"));
    told.recv_timeout(WORKS_FOR_EVER).unwrap_or_else(never)
}

fn broken_by(seed: u64, steps: &[String]) -> Result<(), String> {
    let say = |why: String| {
        let again =
            format!("SOTTO_SEED={seed} cargo test --release -p sotto-engine --test main simulation::");
        format!("{}\n\nseed {seed}: {why}\n{again}", steps.join("\n"))
    };
    let transcript = Run::through(steps).map_err(say)?;
    if !seed.is_multiple_of(TWICE) {
        return Ok(());
    }
    let again = Run::through(steps).map_err(say)?;
    match transcript.iter().zip(&again).find(|(one, other)| one != other) {
        None => Ok(()),
        Some((one, other)) => Err(say(format!("once\n  {one}\nand once\n  {other}"))),
    }
}

struct Run {
    stage: Stage,
    began: Instant,
    /// classes of leases after the step before
    open: Vec<String>,
    /// so many packets in cleartext were judged
    judged: usize,
    transcript: Vec<String>,
}

impl Run {
    /// The transcript: what everybody heard, and when, and how much every peer was asked.
    fn through(steps: &[String]) -> Result<Vec<String>, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        runtime.expect("a runtime").block_on(async {
            let stage = Stage::new();
            let mut run = Self { stage, began: Instant::now(), open: vec![], judged: 0, transcript: vec![] };
            for step in steps {
                for statement in statements(step) {
                    run.play(&statement).await.map_err(|why| format!("{}: {why}", statement.text))?;
                }
                run.judge_cleartext().map_err(|why| format!("after {step}: {why}"))?;
            }
            run.stage.end().await?;
            Ok(run.transcript)
        })
    }

    async fn play(&mut self, statement: &Statement) -> Result<(), String> {
        let is_client = statement.text.starts_with("client");
        if is_client {
            self.stage.heard = None;
        }
        timeout(FOR_EVER, self.stage.play(statement)).await.map_err(|_| "nobody ever answers")??;
        let heard = self.stage.heard.as_ref().filter(|_| is_client);
        let heard = heard.map(judge_response).transpose()?.unwrap_or_default();
        let mut asked: Vec<_> = self.stage.peers.iter().collect();
        asked.sort_by_key(|(name, _)| *name);
        let count = |state: MutexGuard<'_, State>| (state.asked.len(), state.dials);
        let asked: Vec<_> = asked.into_iter().map(|(_, peer)| count(peer.state())).collect();
        self.transcript.push(format!("{:?} {} {heard} {asked:?}", self.began.elapsed(), statement.text));
        Ok(())
    }

    /// Each packet went where an open lease allows it to go, and was counted under it.
    fn judge_cleartext(&mut self) -> Result<(), String> {
        let (open, seen) = (self.stage.open_leases(), self.stage.transports.0.in_cleartext());
        for packet in &seen[self.judged..] {
            let (who, _) =
                self.stage.peers.iter().find(|(_, peer)| peer.address == packet.to).ok_or("to nobody")?;
            let fits = classes_for(who);
            if !self.open.iter().chain(&open).any(|class| fits.contains(&class.as_str())) {
                return Err(format!("{} left in cleartext for {who} under {open:?}", packet.name));
            }
        }
        (self.open, self.judged) = (open, seen.len());
        let counted: u64 = self.stage.engine.status().clear.iter().map(|lease| lease.count).sum();
        match counted == seen.len() as u64 {
            true => Ok(()),
            false => Err(format!("{counted} packets were counted, and {} left in cleartext", seen.len())),
        }
    }
}

/// Which leases allow cleartext to this peer. An upstream of a private transport never gets any.
fn classes_for(who: &str) -> &'static [&'static str] {
    match who {
        "office" => &["bypass"],
        "isp" => &["policy", "off", "paused"],
        "plain" | "plainer" | "plainest" => &["policy"],
        _ => &[],
    }
}

/// It came in time, and is what this client asked for; the stage has compared ids and questions.
fn judge_response(heard: &Heard) -> Result<String, String> {
    let said = describe(&heard.reply).map_err(|error| format!("no response to read: {error}"))?;
    if heard.took >= CLIENT_GIVES_UP {
        return Err(format!("the response took {:?}", heard.took));
    }
    let asked = describe(&heard.asked).expect("we wrote it").question.expect("it has one").name;
    for record in &said.answer {
        if record.name.to_ascii_lowercase() != asked || record.data != address_of(&asked) {
            return Err(format!("{} {} is no answer to {asked}", record.name, record.data));
        }
    }
    // cut short: the resolver behind takes no TCP at the moment, and the client asks again by TCP
    let is_cut = said.flags.contains(&"tc");
    if said.rcode == "NOERROR" && said.answer.is_empty() && !is_cut {
        return Err("an empty answer came".into());
    }
    let outcome = heard.event.as_ref().map(|event| event.outcome.word());
    Ok(format!("{} {outcome:?} after {:?}", said.rcode, heard.took))
}

fn address_of(name: &str) -> String {
    let network = if name.starts_with('h') { "10.0.0" } else { "198.51.100" };
    format!("{network}.{}", &name[1..2])
}
