//! Partitions of inputs for people.

use crate::columns::plural;
use crate::runs::input;
use hydrogen_evidence::partitioned::{
    Baselined, Confirmed, Coverage, Judgement, Measure, Part, Partitioned, Status,
};
use hydrogen_evidence::{Ending, Outcome, escape};
use std::fmt::Write;

/// What native runs of a difference did.
pub fn confirmed_words(confirmed: &Confirmed) -> String {
    match confirmed {
        Confirmed::Same => "natively the same".to_owned(),
        Confirmed::Stopped => "not compared natively: behaviour is undefined".to_owned(),
        Confirmed::Otherwise(how) => format!("natively otherwise, so this is not called a difference: {how}"),
        Confirmed::Impossible(why) => format!("not run natively: {why}"),
        Confirmed::NotAsked => "not run natively".to_owned(),
    }
}

/// The answer in one word.
pub(super) fn verdict(report: &Partitioned) -> &'static str {
    match () {
        () if report.has_difference() => "differs",
        () if report.is_equal() => "equal",
        () => "open",
    }
}

/// So many tests of another form are named.
const NAMED: usize = 5;

/// Whether a test is in a partition.
pub(super) fn is_covered(suite: &Coverage, part: usize) -> bool {
    suite.tests.iter().any(|(_, own)| *own == Some(part))
}

/// Which partitions the tests of a suite are in.
fn coverage(report: &Partitioned, suite: &Coverage) -> String {
    let mut out = String::new();
    let all = report.parts.len();
    let covered = (0..all).filter(|part| is_covered(suite, *part)).count();
    let differ = (0..all).filter(|part| !report.parts[*part].is_equal);
    let (of_them, tried) = (differ.clone().count(), differ.filter(|part| is_covered(suite, *part)).count());
    let percent = if all == 0 { 0.0 } else { covered as f64 * 100.0 / all as f64 };
    let _ = writeln!(
        out,
        "the {} tests are in {covered} of {all} partitions ({percent:.1} %); of {of_them} in which the versions differ, in {tried}",
        suite.tests.len()
    );
    let outside = suite.tests.iter().filter(|(_, part)| part.is_none()).count();
    if outside > 0 {
        let _ = writeln!(out, "{outside} tests are in none that was found");
    }
    if !suite.others.is_empty() {
        let (count, names) = (suite.others.len(), &suite.others[..suite.others.len().min(NAMED)]);
        let more = if count > NAMED { ", …" } else { "" };
        let _ = writeln!(out, "{count} tests have another form than --inputs: {}{more}", names.join(", "));
    }
    out
}

/// Differences that the text shows.
const SHOWN: usize = 5;

/// How a run ended and what it wrote, on one line.
pub fn outcome(outcome: &Outcome) -> String {
    let mut words = match &outcome.ending {
        Ending::Exit(_) if !outcome.memory.is_empty() => {
            format!("returns with {}", outcome.memory.join(", "))
        }
        Ending::Exit(status) => format!("exits with {status}"),
        Ending::Signal(signal) => format!("ends by signal {signal}"),
        Ending::Fault(kind, _) => format!("faults ({kind})"),
        Ending::Assumption => "ends by an assumption".to_owned(),
        Ending::Cut(why) => format!("was cut short: {why}"),
    };
    if let Some(behind) = outcome.went_on() {
        let _ = write!(words, ", {behind}");
    }
    for (bytes, name) in [(&outcome.stdout, "writes"), (&outcome.stderr, "writes to standard error")] {
        if !bytes.is_empty() {
            let _ = write!(words, ", {name} \"{}\"", escape(bytes));
        }
    }
    for (name, value) in &outcome.named {
        let _ = write!(words, ", {name} = {}", *value as i64);
    }
    for (name, bytes) in &outcome.files {
        let _ = write!(words, ", file {name}: \"{}\"", escape(bytes));
    }
    words
}

pub(super) fn percent(measure: Measure) -> String {
    let number = |part: f64| {
        let percent = part * 100.0;
        match () {
            () if percent == 0.0 || percent == 100.0 => format!("{percent:.0} %"),
            () if percent < 0.01 => format!("{percent:.1e} %"),
            () if percent > 99.99 => format!("100 % but for {:.1e} %", 100.0 - percent),
            () => format!("{percent:.2} %"),
        }
    };
    match measure.exact {
        true => number(measure.low),
        false => format!("{} to {}", number(measure.low), number(measure.high)),
    }
}

fn changes(part: &Part, names: &[String]) -> String {
    let lines =
        part.executed.iter().map(|(version, file, line)| format!("{file}:{line} ({})", names[*version]));
    lines.collect::<Vec<_>>().join(", ")
}

/// The partitions as lines.
pub fn text(report: &Partitioned) -> String {
    let mut out = String::new();
    if report.explain {
        for (at, part) in (1..).zip(&report.parts) {
            let from = part.beside.map_or(String::new(), |from| format!(", beside {}", from + 1));
            let _ = writeln!(out, "{at:4} {} {}", part.letter, part.condition);
            let _ = writeln!(out, "       {} ({}{from})", input(&part.input), part.why);
        }
    }
    let tried = report.parts.iter().filter_map(|part| Some((part, part.confirmed.as_ref()?)));
    for (part, confirmed) in tried.take(SHOWN) {
        let _ = writeln!(out, "differs  {}", input(&part.input));
        for (name, side) in report.names.iter().zip(&part.outcomes) {
            let _ = writeln!(out, "           {name}: {}", outcome(side));
        }
        let _ = writeln!(out, "           when {}", part.condition);
        if !part.executed.is_empty() {
            let _ =
                writeln!(out, "           changed statements on the way: {}", changes(part, &report.names));
        }
        let _ = writeln!(out, "           {}", confirmed_words(confirmed));
        if let Some(Some(judged)) = part.judged {
            let _ = writeln!(out, "           {judged}");
        }
    }
    let more = report.parts.iter().filter(|part| !part.is_equal).count().saturating_sub(SHOWN);
    if more > 0 {
        let _ = writeln!(out, "and {} more where they differ", plural(more, "partition"));
    }
    if report.parts.iter().any(|part| part.judged.is_some()) {
        let count =
            |which: Judgement| report.parts.iter().filter(|part| part.judged == Some(Some(which))).count();
        let _ = writeln!(
            out,
            "judged: {}, {}, {}",
            plural(count(Judgement::Regression), "regression"),
            plural(count(Judgement::Progression), "progression"),
            plural(count(Judgement::Intermediate), "intermediate change"),
        );
    }
    if let Some(share) = &report.share {
        let how = if share.equal.exact { "counted" } else { "estimated, 95 % confidence" };
        let rest = if report.is_complete() { "left out" } else { "open" };
        let _ = writeln!(
            out,
            "equal for {} of the inputs, different for {}, {rest} {} ({how})",
            percent(share.equal),
            percent(share.different),
            percent(share.rest)
        );
    }
    let _ = writeln!(
        out,
        "{}, {} equal; {} in {:.1} s",
        plural(report.parts.len(), "partition"),
        report.parts.iter().filter(|part| part.is_equal).count(),
        plural(report.asked as usize, "question"),
        report.time.as_secs_f64()
    );
    out.extend(report.suite.as_ref().map(|suite| coverage(report, suite)));
    let _ = writeln!(out, "{}", summary(report));
    notes(report, &mut out);
    out
}

pub(super) fn summary(report: &Partitioned) -> String {
    let all = match &report.status {
        Status::Complete => "the partitions hold every input".to_owned(),
        Status::Difference => "stopped at the first difference".to_owned(),
        Status::Open(why) => format!("not complete: {why}"),
    };
    match verdict(report) {
        "equal" => format!("equal: proved for every input ({all})"),
        "differs" => format!("differs ({all})"),
        _ => format!("open ({all})"),
    }
}

fn notes(report: &Partitioned, out: &mut String) {
    const MOST: usize = 12;
    for line in &report.shaken {
        let _ = writeln!(out, "note: {line}");
    }
    for (at, note) in report.missing.iter().enumerate() {
        if at == MOST {
            let _ = writeln!(out, "and {} more notes; --format json has all", report.missing.len() - MOST);
            break;
        }
        let _ = writeln!(out, "note: {note}");
    }
    for (test, why) in report.unresolved.iter().take(MOST) {
        let _ = writeln!(out, "note: a run was cut short ({why}): {}", input(test));
    }
    for (test, wrong) in &report.alarms {
        let _ = writeln!(out, "a bug of hydrogen's, please report it: {}: {wrong}", input(test));
    }
}

/// What a simpler method found.
pub fn baseline_text(found: &Baselined) -> String {
    let first = found
        .first
        .map_or("none found".to_owned(), |time| format!("the first after {:.2} s", time.as_secs_f64()));
    let rate =
        found.rate.map_or(String::new(), |rate| format!("; a difference in {} of the inputs", percent(rate)));
    format!(
        "{}, {} differ, {first}, in {:.2} s{rate}\n",
        plural(found.tests as usize, "test"),
        found.differences,
        found.time.as_secs_f64()
    )
}
