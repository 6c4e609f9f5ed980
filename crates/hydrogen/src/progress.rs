//! The progress bar.

use hydrogen_model::{Progress, Quiet};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

/// A bar on standard error when people look at it.
pub fn for_user(quiet: bool) -> Arc<dyn Progress> {
    if quiet || !std::io::stderr().is_terminal() { Arc::new(Quiet) } else { Arc::new(Bar::new()) }
}

/// A bar that counts, when people look at it.
pub fn counter(quiet: bool, total: usize, what: &str) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(total as u64).with_message(what.to_owned());
    let style = ProgressStyle::with_template("{spinner} {pos}/{len} {msg} {wide_bar} {elapsed}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style);
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

/// A line that says how far it is, when people look at it.
pub fn spinner(quiet: bool) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

struct Bar {
    units: ProgressBar,
}

impl Bar {
    fn new() -> Self {
        let units = ProgressBar::new(0);
        let style = ProgressStyle::with_template("{spinner} {pos}/{len} units {wide_bar} {elapsed} {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        units.set_style(style);
        units.enable_steady_tick(Duration::from_millis(120));
        Self { units }
    }
}

impl Progress for Bar {
    fn versions(&self, _total: usize) {}

    fn stage(&self, version: &str, what: &str) {
        self.units.set_message(format!("{what} {}", crate::output::shown(version, false)));
    }

    fn units(&self, count: usize) {
        self.units.inc_length(count as u64);
    }

    fn unit_done(&self, _compiled: bool) {
        self.units.inc(1);
    }

    fn version_done(&self) {}
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.units.finish_and_clear();
    }
}
