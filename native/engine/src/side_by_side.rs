//! One query to one upstream over the upstream's own connection, so that the responses of several can be compared. This skips cache
//! and failover, but not policy: only the upstreams of the name's group are asked.

use std::sync::Arc;
use std::time::Duration;

use data_encoding::BASE64;
use serde::Serialize;
use tokio::time::Instant;

use crate::outcome::{Cost, TransportKind};
use crate::policy::conditions::Fit;
use crate::query::{Query, Received};
use crate::route::Route;
use crate::snapshot::Snapshot;
use crate::upstream::exchange::Exchanged;
use crate::upstream::failure::LastError;
use crate::upstream::outgoing::{DEADLINE, Outgoing};

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ResponseOfOne {
    /// the transport that was used
    #[cfg_attr(test, ts(type = "UpstreamTransport | null"))]
    pub transport: Option<TransportKind>,
    pub cost: Cost,
    pub connect_ms: f64,
    pub wait_ms: f64,
    pub round_trips: u8,
    /// base64, without the OPT
    pub response: Option<String>,
    pub error: Option<LastError>,
}

/// `None`: by policy, this upstream must not get the query. A client of the control socket is nobody whom a condition names.
pub async fn ask(snapshot: &Arc<Snapshot>, id: &str, message: &[u8]) -> Option<ResponseOfOne> {
    let Received::Query(query) = Query::read(message) else { return None };
    let Route::Forward(audience) = snapshot.route(&query.question, &mut |_| Fit::Unknown) else {
        return None;
    };
    let group = snapshot.group(&query.question.name, audience);
    let upstream = group.order(&query.question.name).into_iter().find(|upstream| upstream.id == id)?.clone();
    if audience.private_only && !upstream.is_private() {
        return None;
    }
    let outgoing: Arc<Outgoing> = Arc::new(query.outgoing());
    let exchanged = upstream.transport.exchange(outgoing, Instant::now() + DEADLINE).await;
    Some(match exchanged {
        Ok(Exchanged { response, cost, transport, connect, wait, round_trips, .. }) => ResponseOfOne {
            transport: Some(transport),
            cost,
            connect_ms: ms(connect),
            wait_ms: ms(wait),
            round_trips,
            response: Some(BASE64.encode(&response.message)),
            error: None,
        },
        Err(failure) => ResponseOfOne {
            transport: None,
            cost: Cost::None,
            connect_ms: 0.0,
            wait_ms: 0.0,
            round_trips: 0,
            response: None,
            error: Some(LastError::of(&failure)),
        },
    })
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
