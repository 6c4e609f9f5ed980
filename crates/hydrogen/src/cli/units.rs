//! Sizes and times as people write them.

use std::time::Duration;

/// `500M`, `2GiB`, `77`: powers of 1024, with or without the letters that say so.
pub fn size(text: &str) -> Result<u64, String> {
    parse_size::Config::new()
        .with_binary()
        .parse_size(text)
        .map_err(|error| format!("{error}; write a size such as 500M"))
}

/// `90s`, `500ms`, `1h 30m`; a number alone is seconds.
pub fn time(text: &str) -> Result<Duration, String> {
    match text.trim().parse() {
        Ok(seconds) => Ok(Duration::from_secs(seconds)),
        Err(_) => {
            humantime::parse_duration(text).map_err(|error| format!("{error}; write a time such as 90s"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_have_units() {
        assert_eq!(size("500M"), Ok(500 << 20));
        assert_eq!(size("2GiB"), Ok(2 << 30));
        assert_eq!(size("77"), Ok(77));
        assert!(size("M").is_err() && size("5X").is_err() && size("99999999999T").is_err());
        assert_eq!(time("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(time("90"), Ok(Duration::from_secs(90)));
        assert_eq!(time("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(time("500ms"), Ok(Duration::from_millis(500)));
        assert!(time("soon").is_err() && time("5x").is_err() && time("").is_err());
    }
}
