//! What every answer in JSON begins with.

use serde_json::Value;

/// The answer of a command as JSON, with who made it and which of the published schemas it follows.
pub fn json(schema: &str, value: &Value) -> String {
    let mut value = value.clone();
    if let Some(object) = value.as_object_mut() {
        object.insert("tool".into(), "hydrogen".into());
        object.insert("version".into(), env!("CARGO_PKG_VERSION").into());
        object.insert("schema".into(), schema.into());
    }
    pretty(&value)
}

/// The same for an object that is text already and may be large.
pub fn headed(schema: &str, object: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let head =
        format!("{{\n  \"tool\": \"hydrogen\",\n  \"version\": \"{version}\",\n  \"schema\": \"{schema}\",");
    object.replacen('{', &head, 1)
}

/// JSON for people and programs, as it is.
pub fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
