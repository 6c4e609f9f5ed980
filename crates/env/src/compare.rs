//! In what two environments differ: the answers of two runs, resource by resource.

use std::collections::BTreeMap;

use crate::record::{Call, Start};
use crate::resource::Resource;
use crate::show;
use crate::substitute::{differing_variables, value_of};
use crate::table::{self, Kind};
use crate::world::{World, names};

/// A difference between the recorded environment and this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What differs.
    pub resource: Resource,
    /// The first recorded call that was answered otherwise; 0 is the start.
    pub call: usize,
    /// That call as recorded.
    pub recorded: String,
    /// The same here.
    pub here: String,
    /// What both returned, in words; nothing for the start.
    pub results: Option<[String; 2]>,
    /// It differs between any two runs, such as a time: looked at last.
    pub is_weak: bool,
}

/// Every difference, in the order of the recorded calls.
pub fn differences(recorded: &World<'_>, here: &World<'_>) -> Vec<Difference> {
    let mut all = of_start(&recorded.record.start, &here.record.start);
    let mut found: BTreeMap<&Resource, Difference> = BTreeMap::new();
    for resource in recorded.about.iter().filter(|resource| **resource != Resource::Inside) {
        if !found.contains_key(resource)
            && let Some(difference) = first(resource, recorded, here, |_| true)
        {
            found.insert(resource, difference);
        }
    }
    all.extend(found.into_values());
    all.sort_by_key(|difference| difference.call);
    all
}

fn of_start(recorded: &Start, here: &Start) -> Vec<Difference> {
    let mut all = Vec::new();
    let mut add = |resource: Resource, recorded: String, here: String| {
        if recorded != here {
            let is_weak = resource.is_volatile();
            all.push(Difference { resource, call: 0, recorded, here, results: None, is_weak });
        }
    };
    let value = |start: &Start, name: &[u8]| {
        value_of(start, name).map_or_else(|| "not set".to_owned(), |value| show::quoted(value, 200))
    };
    for (name, _) in differing_variables(here, recorded) {
        add(Resource::Variable(name.clone()), value(recorded, &name), value(here, &name));
    }
    let words = |start: &Start| {
        start.arguments.iter().map(|word| show::quoted(word, 200)).collect::<Vec<_>>().join(" ")
    };
    add(Resource::Arguments, words(recorded), words(here));
    add(Resource::Folder, show::text(&recorded.folder), show::text(&here.folder));
    add(Resource::Umask, format!("{:03o}", recorded.umask), format!("{:03o}", here.umask));
    let limit = |limit: &(u64, u64)| match limit.0 {
        u64::MAX => "unlimited".to_owned(),
        soft => soft.to_string(),
    };
    for (number, (then, now)) in recorded.limits.iter().zip(&here.limits).enumerate() {
        add(Resource::Limit(number as u8), limit(then), limit(now));
    }
    all
}

/// The first call about a resource that was answered otherwise, among those of some kind.
pub fn first(
    resource: &Resource,
    recorded: &World<'_>,
    here: &World<'_>,
    is_wanted: impl Fn(u64) -> bool,
) -> Option<Difference> {
    let now = here.of(resource);
    let mut first: Option<Difference> = None;
    for (number, then) in recorded.of(resource) {
        if !is_wanted(number) {
            continue;
        }
        for (then, now) in then.iter().zip(now.get(&number).copied().unwrap_or_default()) {
            let (one, other) = (recorded.calls[*then], here.calls[*now]);
            let Some(how) = answers_differ(one, other) else { continue };
            let is_weak = how == How::Weakly || resource.is_volatile();
            let earlier =
                first.as_ref().is_none_or(|first| (is_weak, then + 1) < (first.is_weak, first.call));
            if earlier {
                first = Some(Difference {
                    resource: resource.clone(),
                    call: then + 1,
                    recorded: show::call(one),
                    here: show::call(other),
                    results: Some(
                        [one, other].map(|call| show::result(&table::name(call.number), call.result)),
                    ),
                    is_weak,
                });
            }
            if how == How::Clearly {
                break;
            }
        }
    }
    first
}

/// The number of an owner that has none.
const NOBODY: u32 = 65534;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Clearly,
    /// In times and numbers that differ anyway.
    Weakly,
}

/// Whether two answers to the same call differ.
fn answers_differ(then: &Call, now: &Call) -> Option<How> {
    let known = table::call(then.number)?;
    if then.error() != now.error() {
        return Some(How::Clearly);
    }
    if then.error().is_some() {
        return None;
    }
    let is_same = |what: bool| (!what).then_some(How::Clearly);
    // Some parts differ between any two runs, and some between any two file systems: the latter say nothing at all.
    let masked = |arg: usize, weak: &[std::ops::Range<usize>], nothing: &[std::ops::Range<usize>]| {
        let of = |call: &Call, ranges: &mut dyn Iterator<Item = &std::ops::Range<usize>>| {
            let mut bytes = call.taken(arg).unwrap_or_default().to_vec();
            for range in ranges {
                if let Some(part) = bytes.get_mut(range.clone()) {
                    part.fill(0);
                }
            }
            bytes
        };
        let same = |both: bool| {
            let more = if both { weak } else { &[] };
            of(then, &mut nothing.iter().chain(more)) == of(now, &mut nothing.iter().chain(more))
        };
        match (same(true), same(false)) {
            (false, _) => Some(How::Clearly),
            (true, false) => Some(How::Weakly),
            (true, true) => None,
        }
    };
    // In copies of files that an ordinary user makes, owners other than that user have no number.
    let nobody = |arg: usize, from: usize| {
        let owner = now.taken(arg).and_then(|bytes| bytes.get(from..from + 8));
        let is_nobody =
            owner.is_some_and(|owner| owner.chunks_exact(4).any(|number| number == NOBODY.to_le_bytes()));
        from..if is_nobody { from + 8 } else { from }
    };
    match known.name {
        // Device, number, links, blocks, times.
        "stat" | "lstat" | "fstat" => masked(1, &[16..24, 56..144], &[0..16, 56..64, nobody(1, 28)]),
        "newfstatat" => masked(2, &[16..24, 56..144], &[0..16, 56..64, nobody(2, 28)]),
        "statx" => masked(4, &[4..20, 48..256], &[4..8, 32..40, 128..256, nobody(4, 20)]),
        "statfs" | "fstatfs" | "sysinfo" => (then.taken != now.taken).then_some(How::Weakly),
        "getdents64" => {
            let sorted = |call: &Call| {
                let mut all = names(call.taken(1).unwrap_or_default());
                all.sort();
                all
            };
            is_same(sorted(then) == sorted(now))
        }
        "mmap" => is_same(then.mapped == now.mapped),
        "poll" | "select" | "ppoll" | "pselect6" | "epoll_wait" | "epoll_pwait" => None,
        "getsockname" | "getpeername" => (then.taken != now.taken).then_some(How::Weakly),
        _ => match known.kind {
            Kind::Info | Kind::Fd => {
                let bytes = |call: &Call| {
                    call.taken.iter().map(|memory| (memory.arg, memory.bytes.clone())).collect::<Vec<_>>()
                };
                let results = known.name == "write"
                    || known.name == "lseek"
                    || then.result == now.result
                    || !bytes(then).is_empty();
                is_same(results && bytes(then) == bytes(now))
            }
            _ => None,
        },
    }
}
