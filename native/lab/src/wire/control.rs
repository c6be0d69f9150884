//! Orders while the cable is in use: lines of JSON. Each is carried out whole or not at all, and gets a line in return.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Direction;
use super::line::Shape;
use super::rule::{Match, Protocol, Rule};

const LONGEST_LINE: usize = 1 << 20;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// comes back in the response
    pub id: Option<Value>,
    pub set: Option<Change>,
    /// replace the earlier ones
    pub rules: Option<Vec<Rule>>,
    /// reset the established connections that match
    pub cut: Option<Match>,
    /// chance starts anew
    pub seed: Option<u64>,
    #[serde(default)]
    pub stats: bool,
}

/// Fields that are left out stay as they are.
#[derive(Debug, Default, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Change {
    /// both, if left out
    pub direction: Option<Direction>,
    pub delay_ms: Option<f64>,
    pub jitter_ms: Option<f64>,
    pub loss_percent: Option<f64>,
    pub reorder_percent: Option<f64>,
    pub reorder_by_ms: Option<f64>,
    /// 0 is unlimited
    pub rate_mbit: Option<f64>,
    pub queue_packets: Option<usize>,
}

impl Order {
    pub fn read(line: &str) -> Result<Self, String> {
        let order: Order = serde_json::from_str(line).map_err(|error| format!("not an order: {error}"))?;
        for (index, rule) in order.rules.iter().flatten().enumerate() {
            rule.check().map_err(|error| format!("rules[{index}]: {error}"))?;
        }
        if let Some(cut) = &order.cut
            && (cut.direction.is_some() || cut.protocol.is_some_and(|protocol| protocol != Protocol::Tcp))
        {
            return Err(
                "cut: connections are TCP's and have both directions; give port and address only".into()
            );
        }
        if let Some(change) = &order.set {
            change.apply(Shape::default()).map_err(|error| format!("set: {error}"))?;
        }
        Ok(order)
    }
}

impl Change {
    pub fn apply(&self, mut shape: Shape) -> Result<Shape, String> {
        let within = |name: &str, value: Option<f64>, most: f64| match value {
            Some(value) if !(0.0..=most).contains(&value) => {
                Err(format!("{name} is {value}; give a number from 0 to {most}"))
            }
            value => Ok(value),
        };
        let ms = |name, value| Ok::<_, String>(within(name, value, 60_000.0)?.map(milliseconds));
        let percent = |name, value| Ok::<_, String>(within(name, value, 100.0)?.map(|part| part / 100.0));
        shape.delay = ms("delayMs", self.delay_ms)?.unwrap_or(shape.delay);
        shape.jitter = ms("jitterMs", self.jitter_ms)?.unwrap_or(shape.jitter);
        shape.loss = percent("lossPercent", self.loss_percent)?.unwrap_or(shape.loss);
        shape.reorder = percent("reorderPercent", self.reorder_percent)?.unwrap_or(shape.reorder);
        shape.reorder_by = ms("reorderByMs", self.reorder_by_ms)?.unwrap_or(shape.reorder_by);
        if let Some(rate) = within("rateMbit", self.rate_mbit, 100_000.0)? {
            shape.rate = (rate > 0.0).then_some(rate * 1e6);
        }
        shape.queue = self.queue_packets.unwrap_or(shape.queue);
        Ok(shape)
    }

    pub fn is_for(&self, direction: Direction) -> bool {
        self.direction.is_none_or(|wanted| wanted == direction)
    }
}

fn milliseconds(number: f64) -> Duration {
    Duration::from_secs_f64(number / 1000.0)
}

/// Standard input, and the connections to the socket.
pub struct Controls {
    listener: Option<Listener>,
    speakers: Vec<Speaker>,
}

struct Listener {
    socket: UnixListener,
    path: PathBuf,
}

struct Speaker {
    input: File,
    output: File,
    /// a line that has begun
    begun: Vec<u8>,
}

impl Controls {
    pub fn open(socket: Option<&Path>) -> Result<Self, String> {
        let listener = socket.map(Listener::open).transpose()?;
        let input = io::stdin().as_fd().try_clone_to_owned();
        let output = io::stdout().as_fd().try_clone_to_owned();
        let speakers = match (input, output) {
            (Ok(input), Ok(output)) => vec![Speaker::new(input, output)],
            _ => Vec::new(),
        };
        Ok(Controls { listener, speakers })
    }

    /// What to wait for; `attend` takes what is ready in the same order.
    pub fn descriptors(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let listener = self.listener.iter().map(|listener| listener.socket.as_fd());
        self.speakers.iter().map(|speaker| speaker.input.as_fd()).chain(listener)
    }

    /// Reads from those that are ready, and responds to each line. Connections that have ended are dropped.
    pub fn attend(&mut self, ready: &[bool], mut carry_out: impl FnMut(&str) -> Vec<String>) {
        let connects = ready.get(self.speakers.len()) == Some(&true);
        let mut ready = ready.iter();
        self.speakers.retain_mut(|speaker| {
            !ready.next().copied().unwrap_or(false) || speaker.attend(&mut carry_out).is_ok()
        });
        let accepted = self.listener.as_ref().filter(|_| connects).map(|listener| listener.socket.accept());
        if let Some(Ok((stream, _))) = accepted
            && let Ok(()) = stream.set_nonblocking(true)
            && let Ok(output) = stream.try_clone()
        {
            self.speakers.push(Speaker::new(OwnedFd::from(stream), OwnedFd::from(output)));
        }
    }
}

impl Listener {
    /// A socket file left by another run is replaced, any other file is not.
    fn open(path: &Path) -> Result<Self, String> {
        if fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket()) {
            let _ = fs::remove_file(path);
        }
        let socket =
            UnixListener::bind(path).and_then(|socket| socket.set_nonblocking(true).map(|()| socket));
        let socket = socket.map_err(|error| {
            format!("--control {}: {error}; give a path of a file that is not there yet", path.display())
        })?;
        Ok(Listener { socket, path: path.to_owned() })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

impl Speaker {
    fn new(input: OwnedFd, output: OwnedFd) -> Self {
        Speaker { input: input.into(), output: output.into(), begun: Vec::new() }
    }

    fn attend(&mut self, carry_out: &mut impl FnMut(&str) -> Vec<String>) -> io::Result<()> {
        let mut octets = [0; 16_384];
        let length = self.input.read(&mut octets)?;
        if length == 0 || self.begun.len() > LONGEST_LINE {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.begun.extend_from_slice(&octets[..length]);
        while let Some(end) = self.begun.iter().position(|&octet| octet == b'\n') {
            let line: Vec<u8> = self.begun.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            if !line.trim().is_empty() {
                carry_out(&line).iter().try_for_each(|answer| self.output.write_all(answer.as_bytes()))?;
            }
        }
        Ok(())
    }
}

#[derive(Serialize)]
struct Event<'a, T> {
    event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Value>,
    #[serde(flatten)]
    value: T,
}

/// A line with its end.
pub fn event(event: &'static str, id: Option<&Value>, value: impl Serialize) -> String {
    let line = serde_json::to_string(&Event { event, id, value });
    line.expect("an event is strings, numbers and lists") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_leaves_the_rest_as_it_is() {
        let shape = Shape { loss: 0.5, ..Shape::default() };
        let order = Order::read(r#"{"set":{"delayMs":20,"rateMbit":10},"rules":[]}"#).unwrap();
        let changed = order.set.unwrap().apply(shape).unwrap();
        assert_eq!((changed.delay, changed.loss, changed.rate), (Duration::from_millis(20), 0.5, Some(1e7)));
        let unlimited = Change { rate_mbit: Some(0.0), ..Change::default() };
        assert_eq!(unlimited.apply(changed).unwrap().rate, None);
    }

    #[test]
    fn a_wrong_order_is_refused_with_the_field_and_the_remedy() {
        for (line, named) in [
            ("nonsense", "not an order"),
            (r#"{"set":{"delay":20}}"#, "delayMs"),
            (r#"{"set":{"lossPercent":101}}"#, "0 to 100"),
            (r#"{"rules":[{"do":"drop"},{"do":{"delay":{"ms":-1}}}]}"#, "rules[1]"),
            (r#"{"cut":{"protocol":"udp"}}"#, "port and address only"),
            (r#"{"seed":-1}"#, "-1"),
        ] {
            let error = Order::read(line).map(|_| ()).unwrap_err();
            assert!(error.contains(named), "{line}: {error}");
        }
    }
}
