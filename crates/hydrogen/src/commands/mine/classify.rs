//! `hydrogen mine classify A..B --test CMD`: what a change is for a test, and which of its parts are needed for a regression.

use super::configurations::{Answer, Tester, tally};
use crate::cli::{ClassifyOptions, TableFormat};
use crate::commands::{Outcome, step};
use crate::context::Context;
use crate::progress;
use anyhow::{Result, bail};
use hydrogen_evidence::mined::{Classification, Critical, Needed, Test, Tried};
use hydrogen_history::version::CommitInfo;
use hydrogen_interact::mine::{
    Configuration, ErrorClass, Hopeless, InteractionLabel, Minimal, minimal_failing,
};
use hydrogen_report::mined as report;

pub fn run(context: &Context, options: &ClassifyOptions) -> Result<Outcome> {
    let (old, new) = step::ends(context, &options.what)?;
    let Some(old) = old else { bail!("{} has no parent to compare with; give OLD..NEW", options.what) };
    let oracle = options.oracle.as_deref().map(|name| step::commit(context, name)).transpose()?;
    let tester = Tester::new(context, options, Some(&old), &new)?;
    let mut tests = Vec::new();
    let mut outcome = Outcome::Done;
    for test in &options.test {
        let judged = judge(context, &tester, test, [&old, &new], oracle.as_ref(), options)?;
        outcome = match (outcome, judged.outcome) {
            (Outcome::Undecided, _) | (_, Outcome::Undecided) => Outcome::Undecided,
            (Outcome::Findings, _) | (_, Outcome::Findings) => Outcome::Findings,
            _ => Outcome::Done,
        };
        tests.push(judged.test);
    }
    let answer = Classification {
        old: old.commit,
        new: new.commit,
        oracle: oracle.map(|it| it.commit),
        changes: tester.parts.told(),
        other_files: tester.parts.other_files,
        tests,
    };
    context.output(&match options.format {
        TableFormat::Json => report::json("mine-classify/1", &answer),
        TableFormat::Text => report::classification(&answer),
    })?;
    Ok(outcome)
}

struct Judged {
    test: Test,
    outcome: Outcome,
}

/// What counts as the same behaviour: the code alone, or with what is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Code,
    Output,
}

/// The behaviour that a steady answer shows; nothing where it has to be compared and varies.
fn behaviour(answer: &Answer, by: By) -> Option<(i32, Option<&[u8]>)> {
    match (answer, by) {
        (Answer::Steady(code, _), By::Code) => Some((*code, None)),
        (Answer::Steady(code, Some(output)), By::Output) => Some((*code, Some(output))),
        _ => None,
    }
}

fn judge(
    context: &Context,
    tester: &Tester<'_>,
    test: &str,
    [old, new]: [&CommitInfo; 2],
    oracle: Option<&CommitInfo>,
    options: &ClassifyOptions,
) -> Result<Judged> {
    let was = tester.version(test, old)?;
    let is = tester.version(test, new)?;
    let right = oracle.map(|oracle| tester.version(test, oracle)).transpose()?;
    let mut judged = Test {
        test: test.to_owned(),
        old: sentence(&was),
        new: sentence(&is),
        oracle: right.as_ref().map(sentence),
        class: "unclassified",
        reason: None,
        differential_error: None,
        interaction: None,
    };
    let class = match class(&was, &is, right.as_ref()) {
        Ok(class) => class,
        Err(reason) => {
            judged.reason = Some(reason);
            return Ok(Judged { test: judged, outcome: Outcome::Undecided });
        }
    };
    judged.class = class.name();
    judged.differential_error = Some(class.is_differential_error());
    let found = if class.is_differential_error() { Outcome::Findings } else { Outcome::Done };
    if class != ErrorClass::Regression || options.class_only {
        return Ok(Judged { test: judged, outcome: found });
    }
    let by = if right.is_some() { By::Output } else { By::Code };
    let (passing, failing) = (right.unwrap_or(Answer::Steady(0, None)), is);
    let needed = interaction(context, tester, test, &passing, &failing, by)?;
    let unclassified = needed.label == "unclassified";
    judged.interaction = Some(needed);
    Ok(Judged { test: judged, outcome: if unclassified { Outcome::Undecided } else { found } })
}

/// The class of a test; else why there is none.
fn class(was: &Answer, is: &Answer, right: Option<&Answer>) -> Result<ErrorClass, String> {
    for (name, answer) in [("old", Some(was)), ("new", Some(is)), ("oracle", right)] {
        match answer {
            Some(Answer::Steady(..)) | None => {}
            Some(other) => return Err(format!("the {name} version {}", sentence(other))),
        }
    }
    let correct = |answer: &Answer| match right {
        Some(right) => {
            let by = By::Output;
            behaviour(answer, by).zip(behaviour(right, by)).map(|(a, b)| a == b)
        }
        None => behaviour(answer, By::Code).map(|(code, _)| code == 0),
    };
    let varies = || "what the test writes varies from run to run, so that it cannot be compared".to_owned();
    let (Some(old), Some(new)) = (correct(was), correct(is)) else { return Err(varies()) };
    let same = match (old, new) {
        (true, true) => true,
        (false, false) => match behaviour(was, By::Output).zip(behaviour(is, By::Output)) {
            Some((a, b)) => a == b,
            // Different codes are different, whatever is written.
            None if behaviour(was, By::Code) != behaviour(is, By::Code) => false,
            None => return Err(varies()),
        },
        _ => false,
    };
    ErrorClass::of(same, old, new).ok_or_else(|| "the answers contradict each other".to_owned())
}

/// Which parts of the change are needed, and whether one alone is enough.
fn interaction(
    context: &Context,
    tester: &Tester<'_>,
    test: &str,
    passing: &Answer,
    failing: &Answer,
    by: By,
) -> Result<Needed> {
    let budget = tester.budget();
    let bar = progress::counter(context.quiet(), budget, "configurations at most");
    let mut asked: Vec<(Vec<usize>, String)> = Vec::new();
    let mut flaky = None;
    let found = minimal_failing(tester.parts.all.len(), budget, |chosen| -> Result<Configuration> {
        let answer = tester.configuration(test, chosen)?;
        bar.inc(1);
        let shown = behaviour(&answer, by);
        let said = match shown {
            Some(_) if shown == behaviour(passing, by) => Configuration::Passes,
            Some(_) if shown == behaviour(failing, by) => Configuration::Fails,
            Some(_) => Configuration::Unresolved("fails in another way".into()),
            None => Configuration::Unresolved(sentence(&answer)),
        };
        if matches!(answer, Answer::Flaky(_)) {
            flaky = Some(chosen.to_vec());
        }
        let words = match &said {
            Configuration::Passes => "passes".to_owned(),
            Configuration::Fails => "fails".to_owned(),
            Configuration::Unresolved(reason) => reason.clone(),
        };
        tracing::info!("changes {chosen:?}: {words}");
        asked.push((chosen.to_vec(), words));
        Ok(said)
    });
    bar.finish_and_clear();
    let (label, mut reason, critical) = match found? {
        Ok(minimal) => described(&minimal),
        Err(Hopeless::WholeDoesNotFail(_)) => {
            let reason = "the change did not fail again when it was put together from its parts";
            ("unclassified", Some(reason.to_owned()), None)
        }
        Err(Hopeless::NothingDoesNotPass(said)) => {
            let why = match said {
                Configuration::Unresolved(reason) => format!("the version {reason}"),
                _ => "the test still fails: the cause is in other files".to_owned(),
            };
            ("unclassified", Some(format!("with all changes of C files taken back {why}")), None)
        }
    };
    if let (Some(chosen), "unclassified") = (flaky, label) {
        let before = reason.unwrap_or_default();
        reason = Some(format!("{before}; the test is flaky with changes {chosen:?}"));
    }
    Ok(Needed {
        label,
        reason,
        critical,
        configurations: asked.len(),
        answers: tally(&asked),
        asked: asked.into_iter().map(|(changes, said)| Tried { changes, said }).collect(),
    })
}

fn described(minimal: &Minimal) -> (&'static str, Option<String>, Option<Critical>) {
    let label = InteractionLabel::of(minimal);
    let critical = Critical {
        critical: minimal.critical.clone(),
        skippable: minimal.skippable(),
        smallest: !minimal.cut_short,
    };
    let name = label.name();
    let reason = match label {
        InteractionLabel::Unclassified(reason) => Some(reason.to_string()),
        _ => None,
    };
    (name, reason, Some(critical))
}

fn sentence(answer: &Answer) -> String {
    match answer {
        Answer::Steady(0, _) => "ends with 0".into(),
        Answer::Steady(code, _) if *code > 128 => format!("is ended by signal {}", code - 128),
        Answer::Steady(code, _) => format!("ends with {code}"),
        Answer::Flaky(codes) => format!("is flaky: it ends with {codes:?}"),
        Answer::Misfit => "does not fit together".into(),
        Answer::NotBuilt => "does not build".into(),
        Answer::Skipped(reason) => format!("cannot be tested: {reason}"),
    }
}
