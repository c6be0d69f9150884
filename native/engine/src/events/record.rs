//! An event as octets: the layout of docs/decisions/0001-engine-boundary.md.

use std::time::{Duration, UNIX_EPOCH};

use super::event::Event;
use crate::upstream::outgoing::Traffic;

const VERSION: u8 = 2;
const NO_EXTENDED_ERROR: u16 = u16::MAX;
const AUTHENTIC: u8 = 1;

pub fn append(event: &Event, batch: &mut Vec<u8>) {
    let start = batch.len();
    let at = event.at.duration_since(UNIX_EPOCH).unwrap_or_default();
    batch.extend_from_slice(&[0, 0, VERSION]);
    batch.extend_from_slice(&[
        event.outcome as u8,
        event.cost as u8,
        event.transport as u8,
        event.protocol as u8,
        event.clear as u8,
    ]);
    batch.extend_from_slice(&event.id.to_le_bytes());
    batch.extend_from_slice(&(at.as_micros() as u64).to_le_bytes());
    for number in [
        event.question.kind,
        event.question.class,
        event.rcode,
        event.extended_error.unwrap_or(NO_EXTENDED_ERROR),
    ] {
        batch.extend_from_slice(&number.to_le_bytes());
    }
    let stages = &event.stages;
    for duration in [event.total, stages.policy, stages.cache, stages.connect, stages.wait, stages.reply] {
        batch.extend_from_slice(&micros(duration).to_le_bytes());
    }
    for number in [event.question_octets, event.answer_octets, event.client.port()] {
        batch.extend_from_slice(&number.to_le_bytes());
    }
    batch.extend_from_slice(&[event.round_trips, if event.authentic { AUTHENTIC } else { 0 }]);
    let octets = |octets: u64| u32::try_from(octets).unwrap_or(u32::MAX);
    let Traffic { sent, received } = event.traffic;
    for number in [octets(sent), octets(received), micros(event.handshake)] {
        batch.extend_from_slice(&number.to_le_bytes());
    }
    let name = event.question.name.to_string();
    batch.extend_from_slice(&(name.len() as u16).to_le_bytes());
    batch.extend_from_slice(name.as_bytes());
    let reason = event.reason.as_deref().unwrap_or_default();
    for text in [event.upstream, event.rule, reason, &event.client.ip().to_string()] {
        append_text(text, batch);
    }
    let length = (batch.len() - start) as u16;
    batch[start..start + 2].copy_from_slice(&length.to_le_bytes());
}

/// Cut at 255 octets, between characters.
fn append_text(text: &str, batch: &mut Vec<u8>) {
    let end = (0..=text.len().min(255)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    batch.push(end as u8);
    batch.extend_from_slice(&text.as_bytes()[..end]);
}

fn micros(duration: Duration) -> u32 {
    u32::try_from(duration.as_micros()).unwrap_or(u32::MAX)
}
