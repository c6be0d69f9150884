//! Finds the line of each entry in a zone file. The parser gives lines only in syntax errors.

/// The line of each record and `$INCLUDE`, in order; other directives yield no entry.
pub fn entry_lines(text: &[u8]) -> Vec<usize> {
    let mut lines = Vec::new();
    let mut line = 1;
    let mut begun: Option<(usize, usize)> = None;
    let (mut depth, mut quoted, mut comment, mut escaped) = (0usize, false, false, false);
    for (at, &octet) in text.iter().enumerate() {
        let was_escaped = std::mem::take(&mut escaped);
        match octet {
            b'\n' => {
                comment = false;
                if depth == 0 && !quoted {
                    lines.extend(
                        begun.take().filter(|(start, _)| yields(&text[*start..])).map(|(_, line)| line),
                    );
                }
                line += 1;
                continue;
            }
            _ if comment || octet.is_ascii_whitespace() => continue,
            b';' if !quoted && !was_escaped => {
                comment = true;
                continue;
            }
            b'\\' if !was_escaped => escaped = true,
            b'"' if !was_escaped => quoted = !quoted,
            b'(' if !quoted && !was_escaped => depth += 1,
            b')' if !quoted && !was_escaped => depth = depth.saturating_sub(1),
            _ => {}
        }
        begun.get_or_insert((at, line));
    }
    lines.extend(begun.filter(|(start, _)| yields(&text[*start..])).map(|(_, line)| line));
    lines
}

fn yields(entry: &[u8]) -> bool {
    let is = |directive: &[u8]| {
        entry.get(..directive.len()).is_some_and(|start| start.eq_ignore_ascii_case(directive))
    };
    !is(b"$ORIGIN") && !is(b"$TTL")
}

#[cfg(test)]
mod tests {
    use super::entry_lines;

    #[test]
    fn entries_begin_where_their_first_octet_stands() {
        let text = b"$TTL 60\n\n; a comment (\n@ SOA a b (\n 1 2\n ) ; \"\nw TXT \"a;b\n\" ; c\n  A 1\n$INCLUDE x\nlast";
        assert_eq!(entry_lines(text), [4, 7, 9, 10, 11]);
    }

    #[test]
    fn escapes_hide_what_would_mean_something() {
        assert_eq!(entry_lines(b"a\\( A 1\nb\\; TXT \"\\\"\"\nc\\\\ A 1\n"), [1, 2, 3]);
    }
}
