//! The lines of a text, from its beginning or from its end.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// Whatever has longer lines is no trace.
pub const LONGEST: usize = 1 << 16;

pub enum Lines {
    Forwards(BufReader<Box<dyn Read + Send>>),
    Backwards(Backwards),
}

impl Lines {
    pub fn forwards(input: BufReader<Box<dyn Read + Send>>) -> Self {
        Lines::Forwards(input)
    }

    /// Puts the next line into `line`, without its end. False: there is none.
    pub fn next(&mut self, line: &mut Vec<u8>) -> Result<bool, String> {
        line.clear();
        let found = match self {
            Lines::Forwards(input) => forwards(input, line),
            Lines::Backwards(backwards) => backwards.next(line),
        };
        let found = found.map_err(|error| error.to_string())?;
        if line.len() > LONGEST {
            return Err(format!("it is longer than {LONGEST} octets, so this is no trace"));
        }
        while let [.., b'\n' | b'\r'] = line[..] {
            line.pop();
        }
        Ok(found)
    }
}

fn forwards(input: &mut BufReader<Box<dyn Read + Send>>, line: &mut Vec<u8>) -> io::Result<bool> {
    Ok(input.take(LONGEST as u64 + 2).read_until(b'\n', line)? > 0)
}

/// Reads a file from its end, block by block.
pub struct Backwards {
    file: File,
    /// the file from here on has been read
    position: u64,
    /// what was read, up to the next line
    block: Vec<u8>,
}

const BLOCK: u64 = 1 << 18;

impl Backwards {
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let position = file.metadata()?.len();
        Ok(Backwards { file, position, block: Vec::new() })
    }

    fn next(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        loop {
            // the end of a line belongs to it
            let content = self.block.strip_suffix(b"\n").unwrap_or(&self.block);
            if let Some(newline) = content.iter().rposition(|&octet| octet == b'\n') {
                line.extend_from_slice(&content[newline + 1..]);
                self.block.truncate(newline + 1);
                return Ok(true);
            }
            if self.position == 0 || self.block.len() > LONGEST {
                line.append(&mut self.block);
                return Ok(!line.is_empty());
            }
            self.read_block()?;
        }
    }

    fn read_block(&mut self) -> io::Result<()> {
        let from = self.position.saturating_sub(BLOCK);
        let mut block = vec![0; (self.position - from) as usize];
        self.file.seek(SeekFrom::Start(from))?;
        self.file.read_exact(&mut block)?;
        block.append(&mut self.block);
        (self.block, self.position) = (block, from);
        Ok(())
    }
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(if matches!(self, Lines::Forwards(_)) { "forwards" } else { "backwards" })
    }
}
