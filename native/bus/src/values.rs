//! D-Bus values as JSON. Octets (`ay`) become a list of numbers, a dictionary an object, a structure a list, a variant its
//! content. In the other direction the signature decides the types, and a variant is written `["its signature", value]`.

use serde::{Serialize, Serializer};
use serde_json::{Map, Number, Value as Json};
use zbus::message::{Body, Message};
use zbus::zvariant::{Array, Dict, DynamicType, ObjectPath, Signature, Structure, StructureBuilder, Value};

use crate::error::Error;

/// Octets of a message's body; a larger body is not read. What Sotto calls for has a few thousand.
const MOST_OCTETS: usize = 256 * 1024;

/// The body of a message: nothing, or a value for each type in its signature.
pub struct Arguments(Option<Structure<'static>>);

impl Arguments {
    /// `values` has a value for each complete type in `signature`.
    pub fn new(signature: &str, values: &[Json]) -> Result<Self, Error> {
        if signature.is_empty() && values.is_empty() {
            return Ok(Self(None));
        }
        let wrong = || mismatch(&Json::from(values), signature);
        // Parentheses make it one type, however many types there are.
        let parsed = Signature::try_from(format!("({signature})").as_str()).map_err(|_| wrong())?;
        let Signature::Structure(fields) = parsed else { return Err(wrong()) };
        Ok(Self(Some(structure(fields.iter(), values).ok_or_else(wrong)?)))
    }
}

impl DynamicType for Arguments {
    fn signature(&self) -> Signature {
        self.0.as_ref().map_or(Signature::Unit, |values| values.signature().clone())
    }
}

impl Serialize for Arguments {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(values) => values.serialize(serializer),
            None => serializer.serialize_unit(),
        }
    }
}

/// The values of a message. A body of one structure can't be told from a body of its fields, and reads as these.
pub fn read_body(message: &Message) -> Result<Vec<Json>, Error> {
    let body = message.body();
    if body.len() > MOST_OCTETS {
        return Err(Error::TooLarge(body.len()));
    }
    of_body(&body)
}

/// However many there are.
pub fn of_body(body: &Body) -> Result<Vec<Json>, Error> {
    if body.signature() == &Signature::Unit {
        return Ok(Vec::new());
    }
    let values: Structure<'_> = body.deserialize()?;
    Ok(values.fields().iter().map(to_json).collect())
}

/// Descriptors, and numbers that JSON cannot write, become null.
fn to_json(value: &Value<'_>) -> Json {
    match value {
        Value::U8(number) => (*number).into(),
        Value::Bool(flag) => (*flag).into(),
        Value::I16(number) => (*number).into(),
        Value::U16(number) => (*number).into(),
        Value::I32(number) => (*number).into(),
        Value::U32(number) => (*number).into(),
        Value::I64(number) => (*number).into(),
        Value::U64(number) => (*number).into(),
        Value::F64(number) => Number::from_f64(*number).map_or(Json::Null, Json::Number),
        Value::Str(text) => text.as_str().into(),
        Value::Signature(signature) => signature.to_string().into(),
        Value::ObjectPath(path) => path.as_str().into(),
        Value::Value(inner) => to_json(inner),
        Value::Array(elements) => elements.iter().map(to_json).collect(),
        Value::Dict(entries) => {
            entries.iter().map(|(key, value)| (key_of(key), to_json(value))).collect::<Map<_, _>>().into()
        }
        Value::Structure(fields) => fields.fields().iter().map(to_json).collect(),
        #[cfg(unix)]
        Value::Fd(_) => Json::Null,
    }
}

fn key_of(key: &Value<'_>) -> String {
    match to_json(key) {
        Json::String(text) => text,
        other => other.to_string(),
    }
}

/// `None`: the JSON is no value of this type.
#[expect(clippy::cognitive_complexity, reason = "one table: each type of D-Bus has a row")]
fn from_json(signature: &Signature, json: &Json) -> Option<Value<'static>> {
    Some(match signature {
        Signature::U8 => Value::U8(json.as_u64()?.try_into().ok()?),
        Signature::Bool => Value::Bool(json.as_bool()?),
        Signature::I16 => Value::I16(json.as_i64()?.try_into().ok()?),
        Signature::U16 => Value::U16(json.as_u64()?.try_into().ok()?),
        Signature::I32 => Value::I32(json.as_i64()?.try_into().ok()?),
        Signature::U32 => Value::U32(json.as_u64()?.try_into().ok()?),
        Signature::I64 => Value::I64(json.as_i64()?),
        Signature::U64 => Value::U64(json.as_u64()?),
        Signature::F64 => Value::F64(json.as_f64()?),
        Signature::Str => Value::Str(text(json)?.into()),
        Signature::Signature => Value::Signature(Signature::try_from(json.as_str()?).ok()?),
        Signature::ObjectPath => Value::ObjectPath(ObjectPath::try_from(text(json)?).ok()?),
        Signature::Variant => Value::Value(Box::new(variant(json)?)),
        Signature::Array(child) => Value::Array(array(child.signature(), json)?),
        Signature::Dict { key, value } => Value::Dict(dictionary(key.signature(), value.signature(), json)?),
        Signature::Structure(fields) => Value::Structure(structure(fields.iter(), json.as_array()?)?),
        _ => return None,
    })
}

/// D-Bus has no octet 0 inside a text.
fn text(json: &Json) -> Option<String> {
    json.as_str().filter(|text| !text.contains('\0')).map(str::to_owned)
}

fn variant(json: &Json) -> Option<Value<'static>> {
    let [signature, value] = json.as_array()?.as_slice() else { return None };
    from_json(&Signature::try_from(signature.as_str()?).ok()?, value)
}

fn array(child: &Signature, json: &Json) -> Option<Array<'static>> {
    let mut elements = Array::new(child);
    for element in json.as_array()? {
        elements.append(from_json(child, element)?).ok()?;
    }
    Some(elements)
}

/// Its keys are texts: Sotto needs no other ones.
fn dictionary(key: &Signature, value: &Signature, json: &Json) -> Option<Dict<'static, 'static>> {
    let mut entries = Dict::new(key, value);
    for (name, entry) in json.as_object()? {
        entries.append(from_json(key, &Json::from(name.as_str()))?, from_json(value, entry)?).ok()?;
    }
    Some(entries)
}

fn structure<'a>(fields: impl Iterator<Item = &'a Signature>, values: &[Json]) -> Option<Structure<'static>> {
    let fields: Vec<_> = fields.collect();
    if fields.len() != values.len() {
        return None;
    }
    let mut building = StructureBuilder::new();
    for (field, value) in fields.into_iter().zip(values) {
        building.push_value(from_json(field, value)?);
    }
    building.build().ok()
}

fn mismatch(value: &Json, wanted: &str) -> Error {
    Error::Value { value: value.clone(), wanted: wanted.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What somebody on the bus reads of these values.
    fn crosses(signature: &str, values: Json) -> Json {
        let arguments = Arguments::new(signature, values.as_array().expect("a list")).expect("they fit");
        let message = Message::method_call("/", "Test").and_then(|message| message.build(&arguments));
        let message = message.expect("a message");
        let written = message.body().signature().to_string_no_parens();
        assert_eq!(written, signature);
        read_body(&message).expect("readable").into()
    }

    #[test]
    fn values_of_each_type_come_as_they_were_sent() {
        for (signature, values) in [
            ("", json!([])),
            ("b", json!([true])),
            ("ybnqiuxt", json!([255, false, -2, 2, -3, 3, -4_000_000_000_i64, u64::MAX])),
            ("dsog", json!([0.5, "grüß", "/org/example", "a{sv}"])),
            ("a(iiayqs)", json!([[[2, 2, [192, 0, 2, 53], 853, "dns.example"], [3, 10, [], 0, ""]]])),
            ("aa{sas}", json!([[{"a": ["b", "c"]}, {}]])),
            ("as", json!([[]])),
        ] {
            assert_eq!(crosses(signature, values.clone()), values, "{signature}");
        }
    }

    #[test]
    fn a_variant_is_written_with_its_type_and_read_without() {
        assert_eq!(crosses("v", json!([["y", 2]])), json!([2]));
        assert_eq!(
            crosses("a{sv}", json!([{"vpn": ["b", true], "to": ["as", ["a"]]}])),
            json!([{"vpn": true, "to": ["a"]}])
        );
    }

    #[test]
    fn what_does_not_fit_its_type_is_refused() {
        for (signature, values) in [
            ("y", json!([256])),
            ("i", json!(["1"])),
            ("s", json!([1])),
            ("s", json!(["a\0b"])),
            ("o", json!(["no path"])),
            ("v", json!([1])),
            ("v", json!([["??", 1]])),
            ("as", json!(["a"])),
            ("a{sv}", json!([[]])),
            ("(ii)", json!([[1]])),
            ("ss", json!(["a"])),
            ("", json!(["a"])),
            ("h", json!([0])),
            ("a", json!([[]])),
        ] {
            let values = values.as_array().expect("a list");
            assert!(Arguments::new(signature, values).is_err(), "{signature} {values:?}");
        }
    }

    #[test]
    fn what_json_has_no_number_for_is_null() {
        assert_eq!(to_json(&Value::F64(f64::NAN)), Json::Null);
    }

    #[test]
    fn a_body_that_is_too_large_is_not_read() {
        let message =
            Message::method_call("/", "Test").and_then(|message| message.build(&vec![0_u8; 300_000]));
        assert!(matches!(read_body(&message.expect("a message")), Err(Error::TooLarge(_))));
    }
}
