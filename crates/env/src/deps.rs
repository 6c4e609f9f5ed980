//! Which calls use what which other calls made.

use std::collections::HashMap;
use std::fmt::Write;

use crate::record::{Event, Record};
use crate::resource::Resource;
use crate::show;
use crate::table::{self, Arg, Kind};
use crate::tracker::Tracker;

/// For every call, the numbers of the calls it depends on: those that made its descriptors, and the last one that changed what its paths
/// lead to.
pub fn of(record: &Record) -> Vec<Vec<usize>> {
    let mut tracker = Tracker::new(&record.start);
    let mut changed: HashMap<Resource, usize> = HashMap::new();
    let mut all = Vec::new();
    for event in &record.events {
        if let Event::Call(call) = event {
            let mut on = Vec::new();
            let kinds = table::call(call.number).map_or(&[][..], |known| &known.args);
            for (arg, kind) in kinds.iter().enumerate() {
                if matches!(kind, Arg::Fd | Arg::Dir) {
                    on.extend(tracker.open(call.tid, call.args[arg] as i32).map(|open| open.made_by));
                }
                on.extend(
                    tracker.of_path(call.into(), arg).and_then(|resource| changed.get(&resource)).copied(),
                );
            }
            on.retain(|&number| number > 0);
            on.sort_unstable();
            on.dedup();
            all.push(on);
            if call.error().is_none() && table::call(call.number).is_some_and(|known| known.kind == Kind::Fs)
            {
                for arg in 0..kinds.len() {
                    changed.extend(tracker.of_path(call.into(), arg).map(|resource| (resource, all.len())));
                }
            }
        }
        tracker.event(event);
    }
    all
}

/// The calls that depend on others, as text.
pub fn text(record: &Record) -> String {
    let mut out = String::new();
    for (at, (call, on)) in record.calls().zip(of(record)).enumerate() {
        if !on.is_empty() {
            let on: Vec<String> = on.iter().map(ToString::to_string).collect();
            let _ = writeln!(out, "{:>6}  {} needs {}", at + 1, show::call(call), on.join(", "));
        }
    }
    out
}
