//! Sizes and times as people write them.

use std::time::Duration;

/// `500M`, `2GiB`, `77`: powers of 1024, with or without the letters that say so.
pub fn size(text: &str) -> Result<u64, String> {
    parse_size::Config::new()
        .with_binary()
        .parse_size(text)
        .map_err(|error| format!("{error}; write a size such as 500M"))
}

/// A size of which the machine's memory has no more: objects are found by 32 bits.
pub fn heap(text: &str) -> Result<u64, String> {
    at_most(text, u64::from(u32::MAX), "4G")
}

/// The same for the stack.
pub fn stack(text: &str) -> Result<u64, String> {
    at_most(text, 1 << 31, "2G")
}

fn at_most(text: &str, most: u64, words: &str) -> Result<u64, String> {
    match size(text)? {
        // What everybody writes for the most there is.
        found if found == most + 1 => Ok(most),
        found if found > most => Err(format!("the machine has no more than {words} of it")),
        found => Ok(found),
    }
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
        assert_eq!((heap("1G"), heap("4G")), (Ok(1 << 30), Ok(u64::from(u32::MAX))));
        assert!(heap("5G").is_err() && heap("30G").is_err() && stack("3G").is_err());
        assert_eq!(time("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(time("90"), Ok(Duration::from_secs(90)));
        assert_eq!(time("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(time("500ms"), Ok(Duration::from_millis(500)));
        assert!(time("soon").is_err() && time("5x").is_err() && time("").is_err());
    }
}
