//! A panic while a file is read is our bug. It costs that file, never the run.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// How the reason of a file begins that could not be read because of a bug of ours.
pub const OUR_BUG: &str = "Hydrogen failed on this file, which is a bug of ours: please send us the file";

/// What work on one file gives, or what the panic said. What readers share between files holds only finished values, so a panic
/// leaves nothing half done behind.
pub fn guarded<T>(path: &str, read: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(read)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let said = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it did not say why");
        format!("{path}: {OUR_BUG} ({said})")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_reason() {
        let reason = guarded("a.c", || -> u32 { panic!("number {}", 7) }).expect_err("it panics");
        assert!(reason.starts_with("a.c: ") && reason.contains(OUR_BUG) && reason.contains("number 7"));
        assert_eq!(guarded("a.c", || 3), Ok(3));
    }
}
