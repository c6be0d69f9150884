//! The summary as a picture, in the manner of the report's figures 3, 8 and 9, with the report's published points in it.

mod panel;

pub use self::panel::grouped;
use self::panel::{Dot, Panel, Scale};
use crate::replay::published::{CLIENT_SIDE, CONNECTIONS, Published, SERVER_SIDE};
use crate::replay::summary::{Outcome, Summary};
use crate::replay::view::Quartiles;

const WIDTH: f64 = 760.0;
const PANEL: f64 = 250.0;

/// One accent, greys that a dark page inverts: as the pictures of the other measurements.
const SHEET: &str = "<style>
  text { font: 13px system-ui, sans-serif; fill: #3f3f46 }
  .title { font-size: 15px; font-weight: 600; fill: #18181b }
  .small { font-size: 11px; fill: #71717a }
  .over { font-size: 11px; stroke: #fff; stroke-width: 3px; paint-order: stroke }
  .ours { fill: #0f766e } .oursLine { stroke: #0f766e; stroke-width: 2.5; fill: none }
  .warmLine { stroke: #0f766e; stroke-width: 1.5; stroke-dasharray: 5 4; fill: none }
  .band { fill: #0f766e; fill-opacity: 0.15 }
  .other { fill: #71717a } .otherLine { stroke: #71717a; stroke-width: 1.4; fill: none }
  .grid { stroke: #e4e4e7 }
  .strong { font-weight: 600; fill: #0f766e }
  @media (prefers-color-scheme: dark) {
    text { fill: #d4d4d8 } .title { fill: #fafafa } .small { fill: #a1a1aa } .over { stroke: #18181b }
    .ours, .band { fill: #2dd4bf } .oursLine, .warmLine { stroke: #2dd4bf } .strong { fill: #2dd4bf }
    .other { fill: #a1a1aa } .otherLine { stroke: #a1a1aa } .grid { stroke: #3f3f46 }
  }
</style>";

/// An SVG file. What was not counted is left out.
pub fn svg(summary: &Summary) -> String {
    let panels = [connections(summary), server_side(summary), client_side(summary)];
    let body: String = panels
        .iter()
        .flatten()
        .enumerate()
        .map(|(index, panel)| panel.draw(index as f64 * PANEL, WIDTH, PANEL))
        .collect();
    let height = panels.iter().flatten().count() as f64 * PANEL;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\">\n\
         <title>Reuse of connections by idle timeout</title>\n{SHEET}\n{body}</svg>\n"
    )
}

fn connections(summary: &Summary) -> Option<Panel> {
    let mut panel = panel(summary, "Open connections", "line and band: quartiles over all seconds");
    let of = |outcome: &Outcome| outcome.connections.quartiles;
    panel.band = band(summary, of);
    panel.line = points(summary, |outcome| Some(of(outcome)?.median));
    panel.thin = points(summary, |outcome| Some(outcome.connections.most as f64));
    panel.dashed = points(summary, |outcome| Some(outcome.keep_warm.as_ref()?.connections.quartiles?.median));
    panel.dots = dots(&CONNECTIONS, summary);
    let published = panel.dots.iter().map(|dot| dot.high);
    let highest = panel.thin.iter().map(|point| point.1).chain(published).fold(1.0, f64::max);
    let lowest = panel.band.iter().map(|part| part.1).fold(highest, f64::min).max(1.0);
    let low = lowest.log10().floor() as i32;
    panel.scale = Scale::Log { low, high: (highest.log10().ceil() as i32).max(low + 1) };
    (!panel.line.is_empty()).then_some(panel)
}

fn server_side(summary: &Summary) -> Option<Panel> {
    let mut panel = panel(summary, "Queries that find a connection open, server side", "line: all queries");
    panel.line = points(summary, |outcome| Some(outcome.hit_fraction));
    panel.dashed = points(summary, |outcome| Some(outcome.keep_warm.as_ref()?.hit_fraction));
    panel.dots = dots(&SERVER_SIDE, summary);
    let published = panel.dots.iter().map(|dot| dot.low);
    let lowest = panel.line.iter().map(|point| point.1).chain(published).fold(1.0, f64::min);
    // most of the picture would be empty below the lowest
    panel.scale = Scale::Share { low: ((lowest * 20.0).floor() / 20.0).clamp(0.0, 0.9) };
    Some(panel)
}

fn client_side(summary: &Summary) -> Option<Panel> {
    let mut panel = panel(
        summary,
        "Queries that find a connection open, client side",
        "line and band: quartiles over all clients",
    );
    panel.band = band(summary, |outcome| outcome.by_client);
    panel.line = points(summary, |outcome| Some(outcome.by_client?.median));
    panel.dots = dots(&CLIENT_SIDE, summary);
    (!panel.line.is_empty()).then_some(panel)
}

fn panel(summary: &Summary, title: &'static str, ours: &'static str) -> Panel {
    let seconds = |outcome: Option<&Outcome>| outcome.map_or(1.0, |outcome| f64::from(outcome.timeout));
    Panel {
        title,
        ours,
        from: seconds(summary.timeouts.first()),
        to: seconds(summary.timeouts.last()),
        scale: Scale::Share { low: 0.0 },
        band: Vec::new(),
        line: Vec::new(),
        thin: Vec::new(),
        dashed: Vec::new(),
        dots: Vec::new(),
    }
}

fn points(summary: &Summary, value: impl Fn(&Outcome) -> Option<f64>) -> Vec<(f64, f64)> {
    summary
        .timeouts
        .iter()
        .filter_map(|outcome| Some((f64::from(outcome.timeout), value(outcome)?)))
        .collect()
}

fn band(summary: &Summary, of: impl Fn(&Outcome) -> Option<Quartiles>) -> Vec<(f64, f64, f64)> {
    let each = summary.timeouts.iter();
    each.filter_map(|outcome| of(outcome).map(|q| (f64::from(outcome.timeout), q.lower, q.upper))).collect()
}

/// Those at a timeout that the picture has room for.
fn dots(published: &[Published], summary: &Summary) -> Vec<Dot> {
    let shown = panel(summary, "", "");
    let inside = |seconds: f64| (shown.from..=shown.to).contains(&seconds);
    let dots = published.iter().map(|published| Dot {
        label: published.trace,
        seconds: f64::from(published.timeout),
        low: published.low,
        high: published.high,
    });
    dots.filter(|dot| inside(dot.seconds)).collect()
}
