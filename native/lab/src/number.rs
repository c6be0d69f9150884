//! Numbers on the command line.

pub fn number(text: &str, least: f64, most: f64, what: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(format!("{what} must be a number from {least} to {most}")),
    }
}
