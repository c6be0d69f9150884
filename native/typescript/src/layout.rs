//! ts-rs writes a declaration on one line. This gives each field and each comment a line of its own.

/// A comment of one or more lines, with a line's end.
pub fn comment(text: &str, indent: &str) -> String {
    let lines: Vec<&str> = text.trim().trim_start_matches("/**").trim_end_matches("*/").lines().collect();
    let said: Vec<&str> = lines
        .iter()
        .map(|line| line.trim().trim_start_matches('*').trim())
        .filter(|line| !line.is_empty())
        .collect();
    match said.as_slice() {
        [] => String::new(),
        [one] => format!("{indent}/** {one} */\n"),
        many => {
            let inner: String = many.iter().map(|line| format!("{indent} * {line}\n")).collect();
            format!("{indent}/**\n{inner}{indent} */\n")
        }
    }
}

pub fn lines(declaration: &str) -> String {
    let (mut out, mut rest, mut depth, mut inner) = (String::new(), declaration.trim(), 0_usize, 0_i32);
    // whether the next token begins a line
    let mut begins = false;
    while let Some(next) = rest.chars().next() {
        if rest.starts_with("/**") {
            let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
            break_line(&mut out);
            out.push_str(&comment(&rest[..end], &indent(depth)));
            (rest, begins) = (&rest[end..], true);
            continue;
        }
        if next.is_whitespace() {
            if !begins && !out.ends_with(' ') {
                out.push(' ');
            }
        } else {
            if next == '}' {
                depth -= 1;
                break_line(&mut out);
                begins = true;
            }
            if begins {
                out.push_str(&indent(depth));
            }
            begins = false;
            inner += i32::from("[<(".contains(next)) - i32::from("]>)".contains(next));
            let ends_field = next == ',' && depth > 0 && inner == 0;
            out.push(if ends_field { ';' } else { next });
            if next == '{' {
                depth += 1;
            }
            if next == '{' || ends_field {
                out.push('\n');
                begins = true;
            }
        }
        rest = &rest[next.len_utf8()..];
    }
    let lines = out.lines().map(may_be_undefined);
    lines.collect::<Vec<_>>().join("\n").replace('"', "'")
}

/// A field that may be absent may be `undefined`, too.
fn may_be_undefined(line: &str) -> String {
    match line.strip_suffix(';') {
        Some(field) if field.contains("?: ") => format!("{field} | undefined;"),
        _ => line.to_owned(),
    }
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

fn break_line(out: &mut String) {
    out.truncate(out.trim_end().len());
    if out.ends_with(|end| !"{;".contains(end)) {
        out.push(';');
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn each_field_and_each_comment_has_a_line() {
        let one = "type A = { a?: number, \n/**\n * two\n */\nb: \"x\" | \"y\", c: { d: string, } | null, };";
        let many = "type A = {\n  a?: number | undefined;\n  /** two */\n  b: 'x' | 'y';\n  c: {\n    d: string;\n  } | null;\n};";
        assert_eq!(lines(one), many);
    }
}
