//! What a change affects, for people: outputs first, then functions, on one screen.

use crate::columns::{plural, shortened};
use hydrogen_evidence::affected::{
    Affected, Branches, Dependent, HunkKind, LikelyPlace, Place, Reduced, Side, SidedPlace,
};
use std::collections::BTreeSet;

/// So many of a kind are shown to people.
const SHOWN: usize = 10;
/// So many where none is likely.
const NEAREST: usize = 3;
/// What is at least so likely is told first.
const LIKELY: f64 = 0.5;
/// So many where the reason is asked for.
const SHOWN_WHY: usize = 15;
/// Longer statements are cut.
const WIDTH: usize = 100;

/// The answer; with `why`, the statements and dependences that it comes from.
pub fn text(all: &Affected, why: bool) -> String {
    let mut out = side(&all.side);
    if !all.side.hunks.is_empty() {
        out.push_str(&interference(all));
        if why {
            out.push_str(&(likely_lines(&all.likely) + &dependence_lines(all)));
        }
        out.extend(all.reduced.as_ref().map(reduced));
    }
    out
}

/// What both sides of a merge affect.
pub fn branches_text(all: &Branches) -> String {
    let mut out = format!("ours: {}theirs: {}", side(&all.ours), side(&all.theirs));
    for at in all.both.iter().take(SHOWN) {
        out.push_str(&format!("both affect {}\n", line(at)));
    }
    more(&mut out, all.both.len(), SHOWN, "statements that both affect");
    out + &format!("the branches {}\n", all.verdict)
}

fn line(at: &Place) -> String {
    let text: String = at.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = text.chars().take(WIDTH).collect();
    let cut = if short.len() < text.len() { "…" } else { "" };
    format!("{}:{} {}: {short}{cut}", at.file, at.line, at.function)
}

fn side(all: &Side) -> String {
    let (hunks, unfollowed) = (&all.hunks, &all.not_followed);
    if hunks.is_empty() && unfollowed.is_empty() {
        return "no executable change\n".into();
    }
    let outputs = &all.outputs;
    // Those that compute something else come first; the others do as before, more or less often.
    let computing = all.functions.iter().take_while(|it| !it.only_called).count();
    let (functions, called) = all.functions.split_at(computing);
    let of = all.program.functions;
    let likely = functions.iter().take_while(|it| it.likelihood >= LIKELY).count();
    // What is called more or less often prints more or less often.
    let near = all.functions.iter().filter(|it| it.likelihood >= LIKELY);
    let near: BTreeSet<(&str, &str)> = near.map(|it| (&*it.file, &*it.name)).collect();
    let is_near = |output: &&Place| near.contains(&(&*output.file, &*output.function));
    let seen: Vec<&Place> = outputs.iter().filter(is_near).collect();
    let share = 100.0 * likely as f64 / of.max(1) as f64;
    let mut out = format!(
        "{} likely {} {} of {of} functions ({share:.1} %) and {}\n",
        plural(hunks.len(), "change"),
        if hunks.len() == 1 { "affects" } else { "affect" },
        likely,
        plural(seen.len(), "output"),
    );
    let (others, silent) = (functions.len() - likely, outputs.len() - seen.len());
    if others + silent > 0 {
        let together = 100.0 * functions.len() as f64 / of.max(1) as f64;
        out.push_str(&format!(
            "{} ({together:.1} % with these) and {} may be affected too, by long ways or through memory that is not told apart\n",
            plural(others, "more function"),
            plural(silent, "more output"),
        ));
    }
    if !called.is_empty() {
        out.push_str(&format!(
            "{} may only run more or less often (called so, or behind a possible end of the program), doing as before\n",
            plural(called.len(), "other function")
        ));
    }
    // Where nothing is likely, the nearest are shown.
    let nearest = if likely == 0 { NEAREST } else { likely.min(SHOWN) };
    for output in seen.iter().take(SHOWN) {
        out.push_str(&format!("output   {}\n", line(output)));
    }
    more(&mut out, outputs.len(), seen.len().min(SHOWN), "outputs");
    for function in functions.iter().take(nearest) {
        out.push_str(&format!("function {} {} ({:.2})\n", function.file, function.name, function.likelihood));
    }
    more(&mut out, functions.len(), nearest, "functions");
    for (at, hunk) in hunks.iter().enumerate().take(SHOWN) {
        out.push_str(&format!(
            "change {at} {}:{} {}: {}{}, may affect {} in {}\n",
            hunk.file,
            hunk.line,
            hunk.function,
            plural(hunk.statements, "statement"),
            match hunk.kind {
                HunkKind::Deleted => " deleted",
                HunkKind::Head => " (the head of the function)",
                HunkKind::Gone => " gone with their function",
                HunkKind::Changed => "",
            },
            plural(hunk.affected_statements, "statement"),
            plural(hunk.affected_functions, "function"),
        ));
    }
    more(&mut out, hunks.len(), SHOWN, "changes");
    for missing in unfollowed.iter().take(SHOWN) {
        out.push_str(&format!("not followed: {missing}\n"));
    }
    more(&mut out, unfollowed.len(), SHOWN, "that are not followed");
    if all.program.compiled == Some(false) {
        out.push_str(
            "read from the source alone, where memory is told apart by the names of members; --compiled knows more\n",
        );
    }
    out
}

fn likely_lines(all: &[LikelyPlace]) -> String {
    all.iter().map(|at| format!("likely {:.4} {}\n", at.likelihood, line(&at.place))).collect()
}

/// Says how many are not shown.
fn more(out: &mut String, count: usize, shown: usize, what: &str) {
    match count.saturating_sub(shown) {
        0 => {}
        _ if shown == 0 => {
            out.push_str(&format!("{count} {what} are less likely; --format json lists all\n"))
        }
        left => out.push_str(&format!("and {left} more {what}; --format json lists all\n")),
    }
}

fn dependence_lines(all: &Affected) -> String {
    let dependences = &all.dependences;
    let (mut out, mut counts) = (String::new(), Vec::new());
    let lists: [(&str, &str, &[Dependent]); 2] = [
        ("begun", "now depends on", &dependences.begun),
        ("ceased", "no longer depends on", &dependences.ceased),
    ];
    for (key, verb, list) in lists {
        for one in list.iter().take(SHOWN_WHY) {
            let on = one.on.iter().map(short).collect();
            out.push_str(&format!("{} {verb} {}\n", line(&one.dependent.place), shortened(on, ", ")));
        }
        more(&mut out, list.len(), SHOWN_WHY, &format!("statements with {key} dependences"));
        counts.push(format!("{} {key}", list.iter().map(|one| one.on.len()).sum::<usize>()));
    }
    let unlisted = match dependences.counted_only {
        0 => String::new(),
        count => format!(", {count} more counted only"),
    };
    out + &format!("dependences: {} kept, {}{unlisted}\n", dependences.kept, counts.join(", "))
}

/// A place as file and line; `old` where it is one of the old version.
fn short(at: &SidedPlace) -> String {
    let old = if at.old { " (old)" } else { "" };
    format!("{}:{}{old}", at.place.file, at.place.line)
}

fn interference(all: &Affected) -> String {
    let mut out = String::new();
    // One line for all that meet at a place.
    let mut places: Vec<(&Place, BTreeSet<usize>)> = Vec::new();
    let same = |a: &Place, b: &Place| {
        (a.line, &a.file, &a.function, &a.text) == (b.line, &b.file, &b.function, &b.text)
    };
    for pair in &all.interference {
        match places.iter_mut().find(|(place, _)| same(place, &pair.first)) {
            Some((_, changes)) => changes.extend(pair.hunks),
            None => places.push((&pair.first, pair.hunks.into_iter().collect())),
        }
    }
    for (place, changes) in places.iter().take(SHOWN) {
        let names: Vec<String> = changes.iter().map(usize::to_string).collect();
        let (last, before) = names.split_last().expect("a pair has two");
        let names = format!("{} and {last}", before.join(", "));
        out.push_str(&format!("changes {names} may affect the same, likeliest {}\n", line(place)));
    }
    more(&mut out, places.len(), SHOWN, "places where changes may affect the same");
    if out.is_empty() && all.side.hunks.len() > 1 && all.side.not_followed.is_empty() {
        out.push_str("no two changes affect the same statement: they can be tested one by one\n");
    }
    out
}

fn reduced(all: &Reduced) -> String {
    let (statements, functions, files) = (&all.statements, &all.functions, &all.files);
    let mut out = format!(
        "reduced to {} {}: {} of {} functions and {} statements are gone; {} statements are left\n",
        all.criterion_statements,
        all.criterion,
        functions.removed,
        functions.removed + functions.kept,
        statements.removed,
        statements.kept
    );
    if let Some(count) = statements.not_cut.filter(|count| *count > 0) {
        out.push_str(&format!("{count} places could not be cut and were left in\n"));
    }
    out + &format!(
        "{} reduced files compile, {} did not and are written as they were, {} do not compile without the project's own flags and were not checked\n",
        files.compile.len(),
        files.restored.len(),
        files.not_checked.len()
    )
}
