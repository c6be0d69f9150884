//! Which names queries are for: those of a file in turn, or made-up ones, as often as people ask for them.

use std::fs;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use domain::base::iana::Rtype;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::question::Question;

/// The most popular name is asked for n to this power times as often as the n-th.
const ZIPF_EXPONENT: f64 = 1.0;

#[derive(Debug)]
pub struct Names {
    questions: Arc<[Question]>,
    order: Order,
}

#[derive(Debug)]
enum Order {
    InTurn { next: usize },
    Zipf { zipf: Zipf, random: Box<StdRng> },
}

/// Numbers of names, few of them often.
#[derive(Debug)]
pub struct Zipf {
    /// `upto[n]`: the probability of the first n + 1 names together
    upto: Vec<f64>,
}

impl Zipf {
    pub fn new(count: usize) -> Self {
        let mut upto = Vec::with_capacity(count);
        let mut sum = 0.0;
        for rank in 1..=count {
            sum += (rank as f64).powf(-ZIPF_EXPONENT);
            upto.push(sum);
        }
        upto.iter_mut().for_each(|weight| *weight /= sum);
        Zipf { upto }
    }

    pub fn draw(&self, random: &mut StdRng) -> usize {
        let drawn: f64 = random.random();
        self.upto.partition_point(|&upto| upto < drawn).min(self.upto.len().saturating_sub(1))
    }
}

impl Names {
    /// One name a line, `NAME` or `NAME TYPE`; empty lines and lines that begin with # are skipped.
    pub fn from_file(file: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(file).map_err(|error| {
            format!(
                "--names {}: {error}; give a file with a NAME, or a NAME and a TYPE, on each line",
                file.display()
            )
        })?;
        Self::from_text(&text).map_err(|error| format!("--names {}: {error}", file.display()))
    }

    fn from_text(text: &str) -> Result<Self, String> {
        let mut questions = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                questions.push(read_line(line).map_err(|error| format!("line {}: {error}", index + 1))?);
            }
        }
        if questions.is_empty() {
            return Err("it has no names: write a NAME, or a NAME and a TYPE, on each line".into());
        }
        Ok(Names { questions: questions.into(), order: Order::InTurn { next: 0 } })
    }

    /// `n0.SUFFIX` to `n{count - 1}.SUFFIX`, type A, in the same order for the same seed.
    pub fn zipf(count: usize, suffix: &str, seed: u64) -> Result<Self, String> {
        let questions = (0..count)
            .map(|number| Question::new(&format!("n{number}.{suffix}"), Rtype::A))
            .collect::<Result<_, _>>()?;
        let (zipf, random) = (Zipf::new(count), Box::new(StdRng::seed_from_u64(seed)));
        Ok(Names { questions, order: Order::Zipf { zipf, random } })
    }

    /// The number of the next name.
    pub fn draw(&mut self) -> usize {
        let last = self.questions.len() - 1;
        match &mut self.order {
            Order::InTurn { next } => {
                let now = *next;
                *next = if now == last { 0 } else { now + 1 };
                now
            }
            Order::Zipf { zipf, random } => zipf.draw(random),
        }
    }

    pub fn questions(&self) -> &Arc<[Question]> {
        &self.questions
    }
}

fn read_line(line: &str) -> Result<Question, String> {
    let mut words = line.split_whitespace();
    let name = words.next().unwrap_or_default();
    let rtype = match words.next() {
        None => Rtype::A,
        Some(word) => Rtype::from_str(word)
            .map_err(|_| format!("{word:?} is not a type: write A, AAAA, HTTPS, … or TYPE65280"))?,
    };
    if let Some(more) = words.next() {
        return Err(format!("{more:?} is one word too many: a line is NAME or NAME TYPE"));
    }
    Question::new(name, rtype)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_asked_in_turn() {
        let mut names = Names::from_text("# of a day\n\na.example\nb.example AAAA\n").unwrap();
        assert_eq!(names.questions()[1], Question::new("b.example", Rtype::AAAA).unwrap());
        let asked: Vec<_> = (0..5).map(|_| names.draw()).collect();
        assert_eq!(asked, [0, 1, 0, 1, 0]);
    }

    #[test]
    fn a_wrong_line_is_named_with_the_remedy() {
        let error = |text| Names::from_text(text).unwrap_err();
        assert!(error("a.example\nb.example ADRESS\n").starts_with("line 2: \"ADRESS\" is not a type"));
        assert!(error("a.example A IN\n").contains("one word too many"));
        assert!(error("# nothing\n").contains("no names"));
    }

    #[test]
    fn few_names_are_asked_for_often_and_the_same_again_with_the_same_seed() {
        let draw = |seed| {
            let mut names = Names::zipf(1000, "zipf.example", seed).unwrap();
            (0..20_000).map(|_| names.draw()).collect::<Vec<_>>()
        };
        let drawn = draw(1);
        let first_ten = drawn.iter().filter(|&&number| number < 10).count();
        // the harmonic sums: H(10) / H(1000) = 39 %
        assert!((7_000..8_700).contains(&first_ten), "{first_ten}");
        assert!(drawn.iter().any(|&number| number > 900));
        assert_eq!(drawn, draw(1));
        assert_ne!(drawn, draw(2));
    }
}
