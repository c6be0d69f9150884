//! One key in the text of a JSON object: set and taken out again, while every other octet stays as it is.

use std::ops::Range;

use serde_json::Value;

/// Why a text can't be changed, as the end of a sentence.
pub type Why = &'static str;

const NO_JSON: Why = "it is no JSON";
const NO_OBJECT: Why = "a part of it is no object where one is needed";
const TWICE: Why = "it has the same key twice";

struct Member {
    key: Range<usize>,
    value: Range<usize>,
}

/// The text in which the key has the value. Missing objects on the path are made.
pub fn set(text: &str, path: &[&str], value: &str) -> Result<String, Why> {
    let mut object = whole(text)?;
    for (depth, key) in path.iter().enumerate() {
        let rest = &path[depth + 1..];
        match find(text, &object, key)? {
            None => return Ok(inserted(text, &object, key, &wrapped(rest, value))),
            Some(member) if rest.is_empty() => return Ok(replaced(text, &member.value, value)),
            Some(member) => object = member.value,
        }
    }
    Err(NO_OBJECT)
}

/// The key's value as it is written; `None`: the key, or an object on its path, is missing.
pub fn get<'a>(text: &'a str, path: &[&str]) -> Result<Option<&'a str>, Why> {
    let mut at = whole(text)?;
    for key in path {
        match find(text, &at, key)? {
            None => return Ok(None),
            Some(member) => at = member.value,
        }
    }
    Ok(Some(&text[at]))
}

/// Undoes `set` in a text that has changed since: what `before` said at this path is put back. Objects that only `set` made go
/// once they are empty.
pub fn put_back(text: &str, path: &[&str], before: &str) -> Result<String, Why> {
    if let Some(value) = get(before, path)? {
        return set(text, path, value);
    }
    let mut text = taken_out(text, path)?;
    for depth in (1..path.len()).rev() {
        let above = &path[..depth];
        let is_empty = get(&text, above)?.is_some_and(|object| means(object, "{}"));
        if !is_empty || get(before, above)?.is_some() {
            break;
        }
        text = taken_out(&text, above)?;
    }
    Ok(text)
}

/// Whether two texts are the same JSON.
pub fn means(one: &str, other: &str) -> bool {
    let read = |text| serde_json::from_str::<Value>(text).ok();
    read(one).is_some_and(|one| Some(one) == read(other))
}

fn taken_out(text: &str, path: &[&str]) -> Result<String, Why> {
    let Some((key, above)) = path.split_last() else { return Err(NO_OBJECT) };
    let mut object = whole(text)?;
    for key in above {
        match find(text, &object, key)? {
            None => return Ok(text.into()),
            Some(member) => object = member.value,
        }
    }
    let members = members(text, &object)?;
    let Some(at) = members.iter().position(|member| is_key(text, member, key)) else {
        return Ok(text.into());
    };
    let own = members[at].key.start..members[at].value.end;
    let range = match (at.checked_sub(1).map(|before| &members[before]), members.get(at + 1)) {
        (_, Some(next)) => own.start..next.key.start,
        (Some(last), None) => last.value.end..own.end,
        (None, None) => own,
    };
    Ok(replaced(text, &range, ""))
}

fn whole(text: &str) -> Result<Range<usize>, Why> {
    match serde_json::from_str::<Value>(text) {
        Err(_) => Err(NO_JSON),
        Ok(value) if !value.is_object() => Err(NO_OBJECT),
        Ok(_) => {
            let start = after_space(text.as_bytes(), 0);
            Ok(start..end_of_value(text.as_bytes(), start))
        }
    }
}

fn find(text: &str, object: &Range<usize>, key: &str) -> Result<Option<Member>, Why> {
    let mut found = members(text, object)?.into_iter().filter(|member| is_key(text, member, key));
    let first = found.next();
    match found.next() {
        Some(_) => Err(TWICE),
        None => Ok(first),
    }
}

/// A key may be written with escapes.
fn is_key(text: &str, member: &Member, key: &str) -> bool {
    serde_json::from_str::<String>(&text[member.key.clone()]).is_ok_and(|written| written == key)
}

/// Of an object in a text that is known to be JSON.
fn members(text: &str, object: &Range<usize>) -> Result<Vec<Member>, Why> {
    let octets = text.as_bytes();
    if octets[object.start] != b'{' {
        return Err(NO_OBJECT);
    }
    let mut members = vec![];
    let mut at = after_space(octets, object.start + 1);
    while octets[at] != b'}' {
        let key = at..end_of_value(octets, at);
        let colon = after_space(octets, key.end);
        let start = after_space(octets, colon + 1);
        let value = start..end_of_value(octets, start);
        at = after_space(octets, value.end);
        if octets[at] == b',' {
            at = after_space(octets, at + 1);
        }
        members.push(Member { key, value });
    }
    Ok(members)
}

fn inserted(text: &str, object: &Range<usize>, key: &str, value: &str) -> String {
    let start = object.start + 1;
    let first = after_space(text.as_bytes(), start);
    let (space, comma) = match text.as_bytes()[first] {
        b'}' => ("", ""),
        _ => (&text[start..first], ","),
    };
    replaced(text, &(start..start), &format!("{space}\"{key}\": {value}{comma}"))
}

fn wrapped(path: &[&str], value: &str) -> String {
    path.iter().rev().fold(value.to_owned(), |inner, key| format!("{{ \"{key}\": {inner} }}"))
}

fn replaced(text: &str, range: &Range<usize>, by: &str) -> String {
    format!("{}{by}{}", &text[..range.start], &text[range.end..])
}

fn after_space(octets: &[u8], mut at: usize) -> usize {
    while octets[at].is_ascii_whitespace() {
        at += 1;
    }
    at
}

fn end_of_value(octets: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0);
    loop {
        match octets.get(at) {
            Some(b'"') => at = end_of_string(octets, at) - 1,
            Some(b'{' | b'[') => depth += 1,
            Some(b'}' | b']') if depth == 0 => return at,
            Some(b'}' | b']') => depth -= 1,
            Some(b',' | b':' | b' ' | b'\t' | b'\r' | b'\n') if depth == 0 => return at,
            None => return at,
            Some(_) => {}
        }
        at += 1;
        if depth == 0 && matches!(octets[at - 1], b'"' | b'}' | b']') {
            return at;
        }
    }
}

fn end_of_string(octets: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while octets[at] != b'"' {
        at += if octets[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &[&str] = &["policies", "DNSOverHTTPS"];
    const VALUE: &str = r#"{ "Enabled": false, "Locked": true }"#;

    const OBJECTS: [&str; 12] = [
        "{}",
        "{}\n",
        " { \n } ",
        r#"{"policies":{}}"#,
        r#"{"policies":{"DisableTelemetry":true}}"#,
        "{\n  \"policies\": {\n    \"DisableTelemetry\": true,\n    \"Homepage\": { \"URL\": \"a}{\\\"\" }\n  }\n}\n",
        "{\n\t\"policies\": { \"DNSOverHTTPS\": { \"Enabled\": true, \"ProviderURL\": \"https://x\" } }\n}",
        r#"{"policies":{"DNSOverHTTPS":{"Enabled":true},"Other":[1,{"a":null}]},"more":-1.5e3}"#,
        r#"{"policies":{"Other":"\\"}}"#,
        r#"{"p\u006flicies":{"a":"ü…𝄞"}}"#,
        r#"{"more":[{"policies":1}]}"#,
        "{\r\n  \"z\": [],\r\n  \"policies\": {\r\n  }\r\n}\r\n",
    ];

    #[test]
    fn other_octets_stay_and_come_back() {
        for text in OBJECTS {
            let with = set(text, PATH, VALUE).unwrap();
            assert_eq!(get(&with, PATH).unwrap(), Some(VALUE), "{text}");
            assert_eq!(set(&with, PATH, VALUE).unwrap(), with, "{text}");
            assert_eq!(put_back(&with, PATH, text).unwrap(), text);
        }
    }

    #[test]
    fn what_others_added_since_stays() {
        for text in OBJECTS {
            let with = set(text, PATH, VALUE).unwrap();
            for added in [&["later"][..], &["policies", "Later"]] {
                let since = set(&with, added, "[1]").unwrap();
                let back = put_back(&since, PATH, text).unwrap();
                assert!(means(&back, &set(text, added, "[1]").unwrap()), "{text}: {back}");
            }
        }
    }

    #[test]
    fn what_is_no_such_object_is_refused() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for (text, why) in [
            ("", NO_JSON),
            ("{", NO_JSON),
            ("\u{feff}{}", NO_JSON),
            ("{} // a comment", NO_JSON),
            ("{\"a\":1,}", NO_JSON),
            (deep.as_str(), NO_JSON),
            ("[]", NO_OBJECT),
            ("null", NO_OBJECT),
            (r#"{"policies":7}"#, NO_OBJECT),
            (r#"{"policies":[]}"#, NO_OBJECT),
            (r#"{"policies":"{}"}"#, NO_OBJECT),
            (r#"{"policies":{},"policies":{}}"#, TWICE),
            (r#"{"policies":{"DNSOverHTTPS":1,"DNSOverHTTP\u0053":2}}"#, TWICE),
        ] {
            assert_eq!(set(text, PATH, VALUE), Err(why), "{text:.40}");
        }
    }
}
