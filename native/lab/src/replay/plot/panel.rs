//! One diagram: the timeout from left to right, logarithmic, and a share or a number upwards.

use std::fmt::Write as _;

const LEFT: f64 = 60.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 36.0;
/// Seconds that people think in.
const TICKS: [f64; 11] = [1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 120.0, 240.0, 480.0, 1_200.0, 3_600.0];
/// Labels closer than this would cover each other.
const LABEL: f64 = 13.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// from here to 1, as percent
    Share { low: f64 },
    /// powers of ten
    Log { low: i32, high: i32 },
}

#[derive(Debug)]
pub struct Panel {
    pub title: &'static str,
    /// what the thick line and the band show
    pub ours: &'static str,
    /// seconds
    pub from: f64,
    pub to: f64,
    pub scale: Scale,
    /// seconds, low, high
    pub band: Vec<(f64, f64, f64)>,
    pub line: Vec<(f64, f64)>,
    pub thin: Vec<(f64, f64)>,
    pub dashed: Vec<(f64, f64)>,
    pub dots: Vec<Dot>,
}

/// A value or a range that somebody else published.
#[derive(Debug)]
pub struct Dot {
    pub label: &'static str,
    pub seconds: f64,
    pub low: f64,
    pub high: f64,
}

/// Where on the page the panel's values are.
struct Place<'a> {
    panel: &'a Panel,
    top: f64,
    width: f64,
    height: f64,
}

impl Panel {
    pub fn draw(&self, top: f64, width: f64, height: f64) -> String {
        let place = Place { panel: self, top, width, height };
        let mut svg = String::new();
        let _ = writeln!(svg, "{}", label(8.0, top + 24.0, self.title, "title", "start"));
        place.grid(&mut svg);
        if !self.band.is_empty() {
            let upper = self.band.iter().map(|&(seconds, _, high)| (seconds, high));
            let lower = self.band.iter().rev().map(|&(seconds, low, _)| (seconds, low));
            let _ =
                writeln!(svg, "<polygon class=\"band\" points=\"{}\"/>", place.points(upper.chain(lower)));
        }
        for (class, line) in [("oursLine", &self.line), ("otherLine", &self.thin), ("warmLine", &self.dashed)]
        {
            if line.len() > 1 {
                let points = place.points(line.iter().copied());
                let _ = writeln!(svg, "<polyline class=\"{class}\" points=\"{points}\"/>");
            }
        }
        for &(seconds, value) in &self.line {
            let (x, y) = (place.x(seconds), place.y(value));
            let _ = writeln!(svg, "<circle class=\"ours\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>");
        }
        place.dots(&mut svg);
        place.legend(&mut svg);
        svg
    }
}

impl Place<'_> {
    fn x(&self, seconds: f64) -> f64 {
        let (from, to) = (self.panel.from.ln(), self.panel.to.ln().max(self.panel.from.ln() + 1e-9));
        LEFT + (seconds.ln() - from) / (to - from) * (self.width - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        let share = match self.panel.scale {
            Scale::Share { low } => (value - low) / (1.0 - low),
            Scale::Log { low, high } => {
                let (low, high) = (f64::from(low), f64::from(high));
                (value.max(f64::MIN_POSITIVE).log10() - low) / (high - low)
            }
        };
        self.top + TOP + (1.0 - share.clamp(0.0, 1.0)) * (self.height - TOP - BOTTOM)
    }

    fn points(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        let each: Vec<_> =
            points.map(|(seconds, value)| format!("{:.1},{:.1}", self.x(seconds), self.y(value))).collect();
        each.join(" ")
    }

    fn grid(&self, svg: &mut String) {
        let bottom = self.top + self.height - BOTTOM;
        for (value, text) in self.heights() {
            let (y, right) = (self.y(value), self.width - RIGHT);
            let _ = writeln!(
                svg,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>"
            );
            let _ = writeln!(svg, "{}", label(LEFT - 8.0, y + 4.0, &text, "small", "end"));
        }
        for seconds in TICKS.into_iter().filter(|seconds| (self.panel.from..=self.panel.to).contains(seconds))
        {
            let x = self.x(seconds);
            let (start, end) = (self.top + TOP, bottom + 4.0);
            let _ = writeln!(
                svg,
                "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{start:.1}\" y2=\"{end:.1}\"/>"
            );
            let _ = writeln!(svg, "{}", label(x, bottom + 18.0, &format!("{seconds} s"), "small", "middle"));
        }
    }

    fn heights(&self) -> Vec<(f64, String)> {
        match self.panel.scale {
            Scale::Share { low } => {
                let at = |part: i32| low + (1.0 - low) * f64::from(part) / 5.0;
                (0..=5).map(|part| (at(part), format!("{:.0} %", at(part) * 100.0))).collect()
            }
            Scale::Log { low, high } => {
                let at = |power: i32| 10f64.powi(power);
                (low..=high).map(|power| (at(power), grouped(at(power) as u64))).collect()
            }
        }
    }

    /// Labels that would cover each other move down.
    fn dots(&self, svg: &mut String) {
        let mut dots: Vec<_> = self.panel.dots.iter().collect();
        dots.sort_by(|one, other| {
            one.seconds.total_cmp(&other.seconds).then(other.high.total_cmp(&one.high))
        });
        let mut before: Option<(f64, f64)> = None;
        for (number, dot) in dots.into_iter().enumerate() {
            // side by side, where several are at the same timeout
            let x = self.x(dot.seconds) - 6.0 + 6.0 * (number % 3) as f64;
            let (low, high) = (self.y(dot.low), self.y(dot.high));
            let _ = writeln!(
                svg,
                "<line class=\"otherLine\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{high:.1}\" y2=\"{low:.1}\"/>"
            );
            let _ = writeln!(svg, "<circle class=\"other\" cx=\"{x:.1}\" cy=\"{low:.1}\" r=\"3.5\"/>");
            let wanted = low + 4.0;
            let y = match before {
                Some((at, y)) if at == dot.seconds => wanted.max(y + LABEL),
                _ => wanted,
            };
            before = Some((dot.seconds, y));
            let _ = writeln!(svg, "{}", label(self.x(dot.seconds) + 14.0, y, &text_of(dot), "over", "start"));
        }
    }

    fn legend(&self, svg: &mut String) {
        let mut parts = vec![self.panel.ours];
        if !self.panel.thin.is_empty() {
            parts.push("thin: the most");
        }
        if !self.panel.dashed.is_empty() {
            parts.push("dashed: clients keep warm");
        }
        if !self.panel.dots.is_empty() {
            parts.push("dots: the report's traces, 2015");
        }
        let _ = writeln!(svg, "{}", label(8.0, self.top + 42.0, &parts.join(" · "), "small", "start"));
    }
}

fn text_of(dot: &Dot) -> String {
    let value = |value: f64| match value {
        value if value <= 1.0 => format!("{:.0}", value * 100.0),
        value => grouped(value as u64),
    };
    let unit = if dot.high <= 1.0 { " %" } else { "" };
    match dot.low < dot.high {
        true => format!("{} {}–{}{unit}", dot.label, value(dot.low), value(dot.high)),
        false => format!("{} {}{unit}", dot.label, value(dot.low)),
    }
}

/// 1,234,567
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn label(x: f64, y: f64, text: &str, class: &str, anchor: &str) -> String {
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{text}</text>")
}
