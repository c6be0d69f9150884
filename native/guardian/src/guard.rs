//! The guardian's one loop: start the service, watch it until it ends, pause, start it again.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use serde_json::json;
use tokio::process::Child;
use tokio::time::{Instant, sleep, sleep_until};

use crate::arguments::Arguments;
use crate::handed_over::Superior;
use crate::hold::Held;
use crate::outage::Outage;
use crate::pace::Pace;
use crate::signals::{Signals, Wish, is_at_terminal};
use crate::signs::{Sign, Signs};
use crate::{child, outage, say};

/// The service exits with this status where a restart would not help: bad settings, or another service that runs.
const HOPELESS_CODES: [i32; 2] = [2, 3];
/// If the guardian notices a deadline this late, it did not run either: the machine slept, or the whole process group was stopped.
const OVERSLEPT: Duration = Duration::from_millis(1000);
/// If the service was stopped together with us, and goes on just now, its overdue sign comes within this time.
const LAST_LOOK: Duration = Duration::from_millis(500);
const NEVER: Duration = Duration::from_secs(100 * 365 * 86_400);

pub struct Guard {
    pub arguments: Arguments,
    pub superior: Superior,
    pub held: Held,
    pub signs: Signs,
    pub signals: Signals,
    pub pace: Pace,
    /// while the service does not start
    pub outage: Option<Outage>,
}

enum Ending {
    Died { status: ExitStatus, reason: String },
    Stopped { status: ExitStatus, signal: i32 },
}

impl Guard {
    /// Runs until a signal ends it, or until the service exits with 0, which it only does on request. Returns the service's status.
    pub async fn run(mut self) -> io::Result<u8> {
        let mut was_ever_ready = false;
        loop {
            let (status, reason) = match child::start(&self.arguments.command, self.held.count()) {
                Err(error) if was_ever_ready => (None, format!("can't be started: {error}")),
                Err(error) => return Err(error),
                Ok(child) => match self.attend(child, &mut was_ever_ready).await? {
                    Ending::Stopped { status, signal } => {
                        return Ok(self.leave(child::exit_code(status), signal).await);
                    }
                    Ending::Died { status, reason } => (Some(status), reason),
                },
            };
            if let Some(code) = status.and_then(|status| status.code())
                && (code == 0 || (!was_ever_ready && HOPELESS_CODES.contains(&code)))
            {
                return Ok(child::exit_code(status.unwrap_or_default()));
            }
            let next = self.pace.died(Instant::now());
            let pause_ms = next.pause.as_millis() as u64;
            say::warn(
                "the service is gone, starting it again",
                json!({ "reason": reason, "pauseMs": pause_ms }),
            );
            if next.hopeless && self.outage.is_none() {
                self.outage = Some(Outage::begin(&self.arguments, &self.held, &reason)?);
                self.superior.tell("READY=1\nSTATUS=The service does not start; queries get SERVFAIL");
            }
            if let Wish::Stop(signal) = self.pause(next.pause).await {
                return Ok(self.leave(child::code_of(signal), signal).await);
            }
        }
    }

    /// Runs the service once, until it ends. Kills it if it is silent for too long.
    async fn attend(&mut self, mut child: Child, was_ever_ready: &mut bool) -> io::Result<Ending> {
        let mut vigil = Vigil::new(&self.arguments);
        loop {
            let pid = child.id();
            tokio::select! {
                status = child.wait() => {
                    let status = status?;
                    let reason = vigil.verdict.take().unwrap_or_else(|| child::describe(status));
                    return Ok(Ending::Died { status, reason });
                }
                signs = self.signs.next(pid) => {
                    if signs.contains(&Sign::Ready) {
                        *was_ever_ready = true;
                        self.service_is_ready();
                    }
                    signs.into_iter().for_each(|sign| vigil.hear(sign));
                }
                wish = self.signals.next() => match wish {
                    Wish::Reload => child::signal(&child, libc::SIGHUP),
                    Wish::Stop(signal) => {
                        let status = self.stop(child, signal).await?;
                        return Ok(Ending::Stopped { status, signal });
                    }
                },
                () = sleep_until(vigil.deadline) => if vigil.is_over() {
                    say::warn("the service is silent, killing it", json!({ "reason": vigil.verdict }));
                    child.start_kill()?;
                },
                () = sleep_until(vigil.decision_due) => vigil.miss_decisions(),
            }
        }
    }

    fn service_is_ready(&mut self) {
        self.pace.ready(Instant::now());
        self.outage.take().into_iter().for_each(Outage::end);
        self.superior.tell("READY=1\nSTATUS=Queries are answered");
    }

    /// Stops the service: with the signal that was received, and with SIGKILL if that takes too long or a second signal comes.
    async fn stop(&mut self, mut child: Child, signal: i32) -> io::Result<ExitStatus> {
        self.outage = None;
        self.superior.tell("STOPPING=1");
        child::signal(&child, signal);
        // a suspended process receives the signal only once it runs again
        child::signal(&child, libc::SIGCONT);
        let give_up = Instant::now() + self.arguments.stop_within;
        let asked = Instant::now();
        loop {
            tokio::select! {
                status = child.wait() => return status,
                () = sleep_until(give_up) => break,
                wish = self.signals.next() => if wish != Wish::Reload && asked.elapsed() > OVERSLEPT { break },
            }
        }
        say::warn("the service does not end, killing it", json!({}));
        child.start_kill()?;
        child.wait().await
    }

    /// On Ctrl-C the guardian gives DNS back if the service has not lived to do it. After any other signal, the helper decides.
    async fn leave(&self, code: u8, signal: i32) -> u8 {
        if code != 0 && signal == libc::SIGINT && is_at_terminal() {
            outage::give_back_taken(&self.arguments).await;
        }
        code
    }

    async fn pause(&mut self, pause: Duration) -> Wish {
        let over = sleep(pause);
        tokio::pin!(over);
        loop {
            tokio::select! {
                () = &mut over => return Wish::Reload,
                wish = self.signals.next() => if wish != Wish::Reload { return wish },
            }
        }
    }
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Phase {
    Starting,
    Ready,
    Stopping,
}

/// By when the service must have given a sign of life.
struct Vigil {
    watchdog: Duration,
    stop_within: Duration,
    phase: Phase,
    deadline: Instant,
    /// the deadline passed, and this one is for the last look
    is_overdue: bool,
    /// the control plane's deadline; if it passes, the guardian logs that and does nothing else
    decision_due: Instant,
    decision_missed: bool,
    /// why the guardian killed it
    verdict: Option<String>,
}

impl Vigil {
    fn new(arguments: &Arguments) -> Self {
        let now = Instant::now();
        Self {
            watchdog: arguments.watchdog,
            stop_within: arguments.stop_within,
            phase: Phase::Starting,
            deadline: now + arguments.start_within,
            is_overdue: false,
            decision_due: now + NEVER,
            decision_missed: false,
            verdict: None,
        }
    }

    fn hear(&mut self, sign: Sign) {
        match sign {
            Sign::Ready => {
                say::info("the service is ready", json!({}));
                self.phase = Phase::Ready;
                self.allow(self.watchdog);
            }
            Sign::Alive if self.phase == Phase::Ready => self.allow(self.watchdog),
            Sign::Deciding => {
                self.decision_due = Instant::now() + self.watchdog;
                if std::mem::take(&mut self.decision_missed) {
                    say::info("the control plane is back", json!({}));
                }
            }
            Sign::Stopping => {
                self.phase = Phase::Stopping;
                self.allow(self.stop_within);
                self.decision_due = Instant::now() + NEVER;
            }
            Sign::Alive => {}
        }
    }

    fn allow(&mut self, time: Duration) {
        self.deadline = Instant::now() + time;
        self.is_overdue = false;
    }

    fn is_over(&mut self) -> bool {
        let late = self.deadline.elapsed();
        if late > OVERSLEPT {
            self.allow(self.watchdog);
            return false;
        }
        if !std::mem::replace(&mut self.is_overdue, true) {
            self.deadline = Instant::now() + LAST_LOOK;
            return false;
        }
        let what = match self.phase {
            Phase::Starting => "did not become ready in time",
            Phase::Ready => "hung: no sign of life from its engine",
            Phase::Stopping => "did not end in time",
        };
        self.verdict = Some(what.into());
        self.deadline = Instant::now() + NEVER;
        true
    }

    fn miss_decisions(&mut self) {
        say::warn("the control plane is silent; queries are still answered", json!({}));
        self.decision_missed = true;
        self.decision_due = Instant::now() + NEVER;
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn vigil_after(signs: &[Sign]) -> Vigil {
        let words = ["sotto-guardian", "--state", "/s", "--", "true"];
        let mut vigil = Vigil::new(&Arguments::parse_from(words));
        signs.iter().for_each(|sign| vigil.hear(*sign));
        vigil
    }

    /// Whether it is over when the deadline passes, noticed at that moment however late this test is.
    fn passes(vigil: &mut Vigil) -> bool {
        vigil.deadline = Instant::now() + NEVER;
        vigil.is_over()
    }

    #[test]
    fn a_service_that_goes_on_together_with_us_is_not_killed() {
        let mut vigil = vigil_after(&[Sign::Ready]);
        assert!(!passes(&mut vigil));
        vigil.hear(Sign::Alive);
        assert!(!passes(&mut vigil));
        assert!(passes(&mut vigil));
        assert!(vigil.verdict.is_some());
    }

    #[test]
    fn an_engine_that_lives_is_no_excuse_for_a_service_that_does_not_become_ready_or_end() {
        for signs in [&[][..], &[Sign::Ready, Sign::Stopping][..]] {
            let mut vigil = vigil_after(signs);
            assert!(!passes(&mut vigil));
            vigil.hear(Sign::Alive);
            assert!(passes(&mut vigil));
        }
    }
}
