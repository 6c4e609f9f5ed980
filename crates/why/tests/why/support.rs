//! Questions about small programs, and answers on few lines.

use hydrogen_evidence::{Input, escape};
use hydrogen_explore::Symbolic;
use hydrogen_machine::{Limits, Program, World};
use hydrogen_pair::{Observable, Setting};
use hydrogen_testkit::{Compile, HEADER, archive};
use hydrogen_why::{Ask, Change, Counterpart, Explanation, Metric, Mode, Side, explain};
use std::fmt::Write;

/// A program; with the C library where it includes anything. None where the library is needed and missing.
pub fn program(source: &str) -> Option<Program> {
    let header =
        format!("{HEADER} static int in(const char *n) {{ int v; hydrogen_symbolic(&v, 4, n); return v; }}");
    let model = Compile { header: &header, flags: &[] }.model(source);
    let library = match source.contains("#include") {
        true => Some(archive()?),
        false => None,
    };
    Some(Program::load(vec![model], library))
}

/// `x=5 y=-3 stdin=ab\n arg=12`: numbers are named, the rest is text. With what of it may change.
pub fn input(words: &[String]) -> (Input, Symbolic) {
    let (mut input, mut symbolic) = (Input::default(), Symbolic::default());
    let text = |value: &str| value.replace("\\n", "\n").replace("\\r", "\r").replace("\\s", " ").into_bytes();
    for word in words {
        let Some((name, value)) = word.split_once('=') else { continue };
        match name {
            "stdin" => {
                input.stdin = text(value);
                input.exact = true;
                symbolic.stdin = input.stdin.len();
            }
            "arg" => {
                let number = input.args.len() + 1;
                symbolic.args.insert(number, value.len());
                input.args.insert(number, text(value));
            }
            _ => {
                let number: i32 = value.parse().expect("a number");
                input.named.insert(name.into(), number.to_le_bytes().to_vec());
            }
        }
    }
    (input, symbolic)
}

/// Asks why the new program is wrong: whether about its own source alone, and whether about predicates too.
pub fn ask(
    old: &Program,
    new: &Program,
    given: &(Input, Symbolic),
    mode: Mode,
    words: [bool; 2],
) -> Explanation {
    let world = World::new(["test"].into_iter().chain(given.0.args.iter().map(|_| "")));
    ask_in(old, new, given, (mode, hydrogen_why::LONG), words, &world)
}

/// The same for programs that start with another function.
pub fn ask_at(
    old: &Program,
    new: &Program,
    given: &(Input, Symbolic),
    mode: Mode,
    entry: &str,
) -> Explanation {
    let mut world = World::default();
    world.entry = entry.to_owned();
    ask_in(old, new, given, (mode, hydrogen_why::LONG), [false; 2], &world)
}

/// The same as if the runs were long: terms and conditions are only there for what the wrong output depends on.
pub fn ask_as_long(old: &Program, new: &Program, given: &(Input, Symbolic), entry: &str) -> Explanation {
    let mut world = World::default();
    world.entry = entry.to_owned();
    ask_in(old, new, given, (Mode::Relevant, 0), [false; 2], &world)
}

fn ask_in(
    old: &Program,
    new: &Program,
    given: &(Input, Symbolic),
    (mode, long): (Mode, u64),
    [only_source, predicates]: [bool; 2],
    world: &World,
) -> Explanation {
    let limits = Limits { steps: 5_000_000, ..Limits::default() };
    let observables = Observable::usual();
    let question = Ask {
        old,
        new,
        setting: Setting { world, symbolic: &given.1, limits: &limits },
        input: &given.0,
        observables: &observables,
        mode,
        long,
        only_source,
        metric: Metric::default(),
        preconditions: false,
        predicates,
        trusted: &[],
        deadline: None,
        oracle: None,
    };
    explain(&question).expect("the runs come to an end")
}

/// The answer on few lines.
pub fn told(found: &Explanation) -> String {
    let mut out = String::new();
    if found.wrong.is_none() {
        out.push_str("same outcome\n");
    }
    if let Some(equivalent) = found.equivalent {
        out.push_str(if equivalent { "equivalent conditions\n" } else { "" });
    }
    for suspect in &found.suspects {
        let spot = &suspect.spot;
        let _ = write!(out, "{} {} `{}`", spot.side, spot.line, spot.text);
        let _ = match &suspect.counterpart {
            Counterpart::Same(_) => Ok(()),
            Counterpart::Moved(_) => write!(out, " moved"),
            Counterpart::Redefined(_) => write!(out, " redefined"),
            Counterpart::Other(other) => write!(out, " for {} {} `{}`", other.side, other.line, other.text),
            Counterpart::Missing(_) => {
                write!(out, " {}", if spot.side == Side::Old { "missing in new" } else { "added" })
            }
        };
        if suspect.origin.is_some() || suspect.first {
            out.push_str(" origin");
        }
        out.push('\n');
        for one in &suspect.alternates {
            let changes: Vec<String> =
                one.changes.iter().map(|it| format!("{}={}", it.name, value(it))).collect();
            let word = match one.passes {
                Some(true) => "passes",
                Some(false) => "fails",
                None => "?",
            };
            let text = if one.spot.text == spot.text { "" } else { &format!(" `{}`", one.spot.text) };
            let asked = one.predicate.as_ref().map_or(String::new(), |words| format!(" ({words})"));
            let _ = writeln!(out, "  {word} {} #{} {}{text}{asked}", one.side, one.nth, changes.join(" "));
        }
    }
    for other in &found.others {
        let _ = writeln!(out, "also {} {} `{}`", other.spot.side, other.spot.line, other.spot.text);
    }
    if let Some(expressions) = &found.expressions {
        let _ = writeln!(out, "computes {} instead of {}", expressions.new, expressions.old);
    }
    if let Some((_, changes)) = &found.agreeing {
        let changes: Vec<String> = changes.iter().map(|it| format!("{}={}", it.name, value(it))).collect();
        let _ = writeln!(out, "agree for {}", changes.join(" "));
    }
    for one in &found.invalid {
        let _ =
            writeln!(out, "invalid {} {}: {}", one.side, one.spot.line, one.invalid.as_deref().unwrap_or(""));
    }
    out
}

/// Named memory as a number, all else as text.
fn value(change: &Change) -> String {
    let outside = ["stdin", "arg:", "file:", "env:"].iter().any(|one| change.name.starts_with(one));
    match <[u8; 4]>::try_from(change.to.as_slice()) {
        Ok(number) if !outside => i32::from_le_bytes(number).to_string(),
        _ => escape(&change.to),
    }
}
