//! Durations as people write them.

use std::time::Duration;

use serde::{Deserialize, Deserializer, de::Error};

/// Reads `"90s"`, `"2m"`, `"1h"`, `"500ms"`, or a number of seconds.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Seconds(u64),
        Text(String),
    }
    let text = match Written::deserialize(from)? {
        Written::Seconds(seconds) => return Ok(Some(Duration::from_secs(seconds))),
        Written::Text(text) => text,
    };
    parse(&text).map(Some).ok_or_else(|| {
        D::Error::custom(format!("`{text}` is not a duration; write `90s`, `2m`, `1h` or `500ms`"))
    })
}

fn parse(text: &str) -> Option<Duration> {
    match text.trim().parse() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => humantime::parse_duration(text).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_understood() {
        for (text, expect) in [
            ("90s", Some(Duration::from_secs(90))),
            ("2m", Some(Duration::from_secs(120))),
            ("1h", Some(Duration::from_secs(3600))),
            ("500ms", Some(Duration::from_millis(500))),
            ("7", Some(Duration::from_secs(7))),
            ("1 parsec", None),
            ("", None),
            ("-1s", None),
        ] {
            assert_eq!(parse(text), expect, "{text}");
        }
    }
}
