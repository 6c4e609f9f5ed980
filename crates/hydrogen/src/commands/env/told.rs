//! What a search found, in the words of reports.

use hydrogen_env::record::{End, Record};
use hydrogen_env::{Answer, show};
use hydrogen_evidence::environment::{Boundary, Cause, Compared, Detail, Difference, Outcome, Searched};
use std::ffi::OsString;

fn typed(command: &[OsString]) -> String {
    command.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn difference(one: &hydrogen_env::Difference) -> Difference {
    Difference {
        kind: one.resource.kind(),
        name: one.resource.to_string(),
        call: one.call,
        recorded: one.recorded.clone(),
        here: one.here.clone(),
        results: one.results.clone(),
        volatile: one.is_weak,
    }
}

fn detail(one: &hydrogen_env::Detail) -> Detail {
    use hydrogen_env::Detail as Of;
    let of = |kind, which: String, here: Option<String>, recorded: Option<String>, confirmed| Detail {
        kind,
        which,
        here,
        recorded,
        confirmed,
    };
    match one.clone() {
        Of::Line { here, recorded, is_confirmed } => {
            let number = here.as_ref().or(recorded.as_ref()).map_or(0, |(number, _)| *number);
            let text = |line: Option<(usize, String)>| line.map(|(_, text)| text);
            of("line", number.to_string(), text(here), text(recorded), is_confirmed)
        }
        Of::Name { name, is_here } => {
            let there = |is: bool| is.then(|| name.clone());
            of("name", name.clone(), there(is_here), there(!is_here), true)
        }
        Of::Byte { at, here, recorded } => of("byte", at.to_string(), Some(here), Some(recorded), false),
        Of::Missing { folder } => of("folder", folder.clone(), None, Some(folder), true),
        Of::Field { name, here, recorded } => of("field", name.into(), Some(here), Some(recorded), false),
        Of::Package { here, recorded } => of("package", "package".into(), Some(here), Some(recorded), true),
    }
}

/// What differs.
pub fn compared(command: &[OsString], here: String, differences: &[hydrogen_env::Difference]) -> Compared {
    Compared { command: typed(command), here, differences: differences.iter().map(difference).collect() }
}

/// The answer of a search.
pub fn searched(command: &[OsString], record: &Record, answer: &Answer) -> Searched {
    use hydrogen_env::Outcome as Of;
    let (outcome, reason) = match &answer.outcome {
        Of::Found => (Outcome::Found, None),
        Of::PassesHere => (Outcome::PassesHere, None),
        Of::Flaky(why) => (Outcome::Flaky, Some(why.clone())),
        Of::NotFound(why) => (Outcome::NotFound, Some(why.clone())),
    };
    let recorded = match &record.end {
        End::Ended(status) => format!("it {}", show::ended(*status)),
        End::Partial(why) => format!("the record ended early ({why})"),
        End::Unknown => "how it ended is not known".into(),
    };
    let cause = |one: &hydrogen_env::Cause| Cause {
        difference: difference(&one.difference),
        details: one.details.iter().map(detail).collect(),
    };
    Searched {
        command: typed(command),
        outcome,
        reason,
        here: answer.here.clone(),
        recorded,
        causes: answer.causes.iter().map(cause).collect(),
        boundary: answer.boundary.as_ref().map(|one| Boundary {
            call: one.call,
            shown: one.shown.clone(),
            replays: one.replays,
        }),
        calls: answer.calls,
        runs: answer.runs,
        differences: answer.differences.iter().map(difference).collect(),
        source: Vec::new(),
        notes: answer.notes.iter().cloned().collect(),
    }
}
