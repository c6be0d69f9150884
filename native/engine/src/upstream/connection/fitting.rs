//! Dials with a hello that the path lets pass. Where the usual one leads to a reset, an alert or silence, the same address is tried
//! with a [smaller one](Hello::Smaller) before anything else is. A path that let the smaller one through and not the usual one is
//! remembered, so that it costs one connection its time.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::endpoint::Endpoint;
use crate::upstream::connection::link::{Dial, How, Link};
use crate::upstream::dial::hello::Hello;
use crate::upstream::dial::step::Step;
use crate::upstream::failure::dial_error::DialReason;
use crate::upstream::memory::black_holes::BlackHoles;

/// How long the usual hello may be silent beyond one round trip. Shorter than what another path or cleartext waits for.
const ALLOWANCE: Duration = Duration::from_millis(150);

type Dialled = Result<Link, DialReason>;

/// Where it is dialled, and which paths there do not let large hellos pass.
pub struct Place<'a> {
    pub network: &'a Arc<str>,
    pub large_hellos: &'a BlackHoles,
}

/// The hello in `how` is chosen here.
pub async fn dial(dialer: &dyn Dial, to: Endpoint, how: &How<'_>, place: &Place<'_>) -> Dialled {
    if !dialer.has_smaller_hello() {
        return with(Hello::Usual, dialer, to, how).await;
    }
    match place.large_hellos.is_known(place.network, to) {
        true => with(Hello::Smaller, dialer, to, how).await,
        false => usual_first(dialer, to, how, place).await,
    }
}

async fn usual_first(dialer: &dyn Dial, to: Endpoint, how: &How<'_>, place: &Place<'_>) -> Dialled {
    let (note, noted) = watch::channel(None);
    let began = Instant::now();
    let noting = |step: Step<'_>| {
        note_sign(&note, &step, began);
        (how.watch)(step);
    };
    let mut usual = Box::pin(async { with(Hello::Usual, dialer, to, &How { watch: &noting, ..*how }).await });
    let patience = ALLOWANCE * how.patience;
    let soon = tokio::select! {
        result = &mut usual => Some(result),
        () = silence(noted, patience) => None,
    };
    let smaller = smaller(dialer, to, how, place);
    match soon {
        Some(result) if is_of_the_hello(&result) => or_graver(result, smaller).await,
        Some(result) => passed(result, to, place),
        None => whichever_is_answered(usual, Box::pin(smaller), to, place).await,
    }
}

async fn with(hello: Hello, dialer: &dyn Dial, to: Endpoint, how: &How<'_>) -> Dialled {
    dialer.dial(to, &How { hello, ..*how }).await
}

/// After the usual hello failed, or was silent for too long.
async fn smaller(dialer: &dyn Dial, to: Endpoint, how: &How<'_>, place: &Place<'_>) -> Dialled {
    (how.watch)(Step::Smaller);
    let link = with(Hello::Smaller, dialer, to, how).await?;
    place.large_hellos.swallowed(place.network, to);
    Ok(link)
}

/// Both hellos at once, from the moment at which the usual one has been silent for too long.
async fn whichever_is_answered(
    mut usual: impl Future<Output = Dialled> + Unpin,
    mut smaller: impl Future<Output = Dialled> + Unpin,
    to: Endpoint,
    place: &Place<'_>,
) -> Dialled {
    tokio::select! {
        biased;
        result = &mut usual => match is_of_the_hello(&result) {
            true => or_graver(result, smaller).await,
            false => passed(result, to, place),
        },
        result = &mut smaller => match result {
            Ok(link) => Ok(link),
            Err(without) => passed(usual.await.map_err(|with| with.or_graver(without)), to, place),
        },
    }
}

fn passed(usual: Dialled, to: Endpoint, place: &Place<'_>) -> Dialled {
    if usual.is_ok() {
        place.large_hellos.passed(place.network, to);
    }
    usual
}

/// The usual hello has failed.
async fn or_graver(usual: Dialled, smaller: impl Future<Output = Dialled>) -> Dialled {
    match (usual, smaller.await) {
        (Err(with), Err(without)) => Err(with.or_graver(without)),
        (_, smaller) => smaller,
    }
}

fn is_of_the_hello(result: &Dialled) -> bool {
    result.as_ref().err().is_some_and(DialReason::may_be_of_the_hello)
}

/// The latest sign of the server, after which its TLS hello is due, and how long it took.
fn note_sign(note: &watch::Sender<Option<(Instant, Duration)>>, step: &Step<'_>, began: Instant) {
    match step {
        Step::Connected | Step::Agreed(_) => {
            let now = Instant::now();
            note.send_modify(|sign| {
                let before = sign.map_or(began, |(at, _)| at);
                *sign = Some((now, now.duration_since(before)));
            });
        }
        Step::Deferred | Step::Smaller | Step::Secured(..) => {}
    }
}

/// Returns when a server that gave a sign has been silent for longer than that took. Before the first sign it never returns: it is
/// not the hello then that is not answered.
async fn silence(mut signs: watch::Receiver<Option<(Instant, Duration)>>, patience: Duration) {
    loop {
        let sign = *signs.borrow_and_update();
        let due = async {
            match sign {
                Some((at, took)) => sleep_until(at + took + patience).await,
                None => pending().await,
            }
        };
        tokio::select! {
            () = due => return,
            changed = signs.changed() => if changed.is_err() { return pending().await },
        }
    }
}
