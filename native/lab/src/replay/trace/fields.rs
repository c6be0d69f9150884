//! The fields of a row of CSV (RFC 4180), without a copy of them.

/// A doubled quote stays doubled: none of the fields that a trace needs can have one.
pub struct Fields<'a>(Option<&'a [u8]>);

impl<'a> Fields<'a> {
    pub fn of(row: &'a [u8]) -> Self {
        Fields(Some(row))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<&'a [u8], String>;

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.0.take()?;
        if text.first() == Some(&b'"') {
            return Some(self.quoted(&text[1..]));
        }
        let Some(comma) = text.iter().position(|&octet| octet == b',') else { return Some(Ok(text)) };
        self.0 = Some(&text[comma + 1..]);
        Some(Ok(&text[..comma]))
    }
}

impl<'a> Fields<'a> {
    fn quoted(&mut self, text: &'a [u8]) -> Result<&'a [u8], String> {
        let mut from = 0;
        while let Some(quote) = text[from..].iter().position(|&octet| octet == b'"').map(|place| from + place)
        {
            match text.get(quote + 1) {
                None => return Ok(&text[..quote]),
                Some(b',') => {
                    self.0 = Some(&text[quote + 2..]);
                    return Ok(&text[..quote]);
                }
                Some(b'"') => from = quote + 2,
                Some(_) => break,
            }
        }
        Err("a quoted field has no end: the row is cut, or a quote in it is not doubled".into())
    }
}

/// The fields with these numbers; none where the row ends before.
pub fn fields<const COUNT: usize>(
    row: &[u8],
    wanted: [Option<usize>; COUNT],
) -> Result<[Option<&[u8]>; COUNT], String> {
    let last = wanted.iter().flatten().max().copied().unwrap_or(0);
    let mut found = [None; COUNT];
    for (number, field) in Fields::of(row).take(last + 1).enumerate() {
        let field = field?;
        for (place, wanted) in found.iter_mut().zip(wanted) {
            if wanted == Some(number) {
                *place = Some(field);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_taken_apart() {
        for (row, expected) in [
            ("", &[""][..]),
            ("a,b", &["a", "b"]),
            (",", &["", ""]),
            ("a,\"b,c\",d", &["a", "b,c", "d"]),
            ("\"a \"\"b\"\"\",\"\"", &["a \"\"b\"\"", ""]),
        ] {
            let found: Vec<_> = Fields::of(row.as_bytes()).map(Result::unwrap).collect();
            assert_eq!(found, expected.iter().map(|text| text.as_bytes()).collect::<Vec<_>>(), "{row}");
        }
        for row in ["\"", "\"a", "\"a\"b", "a,\"b\"\"", "\"\"\""] {
            assert!(Fields::of(row.as_bytes()).any(|field| field.is_err()), "{row}");
        }
    }
}
