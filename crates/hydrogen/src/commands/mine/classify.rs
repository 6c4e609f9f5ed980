//! `hydrogen mine classify A..B --test CMD`: what a change is for a test, and which of its parts are needed for a regression.

use super::configurations::{Answer, Tester, tally};
use crate::cli::{ClassifyOptions, TableFormat};
use crate::commands::{Outcome, step};
use crate::context::Context;
use crate::{output, progress};
use anyhow::{Result, bail};
use hydrogen_history::version::CommitInfo;
use hydrogen_interact::mine::{
    Configuration, ErrorClass, Hopeless, InteractionLabel, Minimal, minimal_failing,
};
use serde_json::{Value, json};

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
        tests.push(judged.value);
    }
    let parts: Vec<Value> = tester
        .parts
        .all
        .iter()
        .enumerate()
        .map(|(number, part)| {
            json!({ "change": number, "kind": part.kind, "file": part.path, "line": part.line, "text": part.text })
        })
        .collect();
    let value = json!({
        "old": old.commit, "new": new.commit, "oracle": oracle.map(|it| it.commit),
        "changes": parts, "other_files": tester.parts.other_files, "tests": tests,
    });
    context.output(&match options.format {
        TableFormat::Json => output::json("mine-classify/1", &value),
        TableFormat::Text => text(&value),
    })?;
    Ok(outcome)
}

struct Judged {
    value: Value,
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
    let mut value = json!({ "test": test, "old": sentence(&was), "new": sentence(&is) });
    if let Some(right) = &right {
        value["oracle"] = sentence(right).into();
    }
    let class = match class(&was, &is, right.as_ref()) {
        Ok(class) => class,
        Err(reason) => {
            value["class"] = "unclassified".into();
            value["reason"] = reason.into();
            return Ok(Judged { value, outcome: Outcome::Undecided });
        }
    };
    value["class"] = class.name().into();
    value["differential_error"] = class.is_differential_error().into();
    let found = if class.is_differential_error() { Outcome::Findings } else { Outcome::Done };
    if class != ErrorClass::Regression || options.class_only {
        return Ok(Judged { value, outcome: found });
    }
    let by = if right.is_some() { By::Output } else { By::Code };
    let (passing, failing) = (right.unwrap_or(Answer::Steady(0, None)), is);
    let label = interaction(context, tester, test, &passing, &failing, by)?;
    let unclassified = label["label"] == "unclassified";
    value["interaction"] = label;
    Ok(Judged { value, outcome: if unclassified { Outcome::Undecided } else { found } })
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
) -> Result<Value> {
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
    let mut value = match found? {
        Ok(minimal) => described(&minimal),
        Err(Hopeless::WholeDoesNotFail(_)) => {
            json!({ "label": "unclassified", "reason": "the change did not fail again when it was put together from its parts" })
        }
        Err(Hopeless::NothingDoesNotPass(said)) => {
            let why = match said {
                Configuration::Unresolved(reason) => format!("the version {reason}"),
                _ => "the test still fails: the cause is in other files".to_owned(),
            };
            json!({ "label": "unclassified", "reason": format!("with all changes of C files taken back {why}") })
        }
    };
    if let (Some(chosen), "unclassified") = (flaky, value["label"].as_str().unwrap_or_default()) {
        let reason = value["reason"].as_str().unwrap_or_default();
        value["reason"] = format!("{reason}; the test is flaky with changes {chosen:?}").into();
    }
    value["configurations"] = asked.len().into();
    value["answers"] = json!(tally(&asked));
    let asked: Vec<Value> =
        asked.iter().map(|(chosen, said)| json!({ "changes": chosen, "said": said })).collect();
    value["asked"] = asked.into();
    Ok(value)
}

fn described(minimal: &Minimal) -> Value {
    let label = InteractionLabel::of(minimal);
    let mut value = json!({
        "label": label.name(),
        "critical": minimal.critical,
        "skippable": minimal.skippable(),
        "smallest": !minimal.cut_short,
    });
    if let InteractionLabel::Unclassified(reason) = label {
        value["reason"] = reason.into();
    }
    value
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

fn text(value: &Value) -> String {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let cell = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let changes = list(&value["changes"]);
    let name = |number: &Value| {
        let Some(change) = number.as_u64().and_then(|at| changes.get(at as usize)) else {
            return String::new();
        };
        let kind = if change["kind"] == "deleted" { " (deleted)" } else { "" };
        format!("{}:{}{kind}", cell(change, "file"), change["line"])
    };
    let mut out = String::new();
    for test in list(&value["tests"]) {
        out.push_str(&format!("{}\n", cell(&test, "test")));
        for version in ["old", "new", "oracle"] {
            if let Some(said) = test[version].as_str() {
                out.push_str(&format!("  {version:8} {said}\n"));
            }
        }
        let also = if test["class"] == "regression" { ", a differential error" } else { "" };
        out.push_str(&format!("  {}{also}\n", cell(&test, "class")));
        if let Some(reason) = test["reason"].as_str() {
            out.push_str(&format!("    {reason}\n"));
        }
        let interaction = &test["interaction"];
        if interaction.is_null() {
            continue;
        }
        for (key, what) in [("critical", "fail together"), ("skippable", "of these, can each be left out")] {
            let names: Vec<String> = list(&interaction[key]).iter().map(name).collect();
            let alone = key == "skippable" && list(&interaction["critical"]).len() == 1;
            if !names.is_empty() && !alone {
                let what = if list(&interaction[key]).len() == 1 && key == "critical" {
                    "fails alone"
                } else {
                    what
                };
                out.push_str(&format!("  {what}: {}\n", output::shortened(names, ", ")));
            }
        }
        let label = match interaction["label"].as_str() {
            Some("CIE") => "change interaction error (CIE): several changes are needed",
            Some("non-CIE") => "no change interaction error (non-CIE): one change is enough",
            _ => "change interaction unclassified",
        };
        out.push_str(&format!("  {label}\n"));
        if let Some(reason) = interaction["reason"].as_str() {
            out.push_str(&format!("    {reason}\n"));
        }
        let answers = interaction["answers"].as_object().into_iter().flatten();
        let plural = |said: &str| match said {
            "passes" => "pass".to_owned(),
            "fails" => "fail".to_owned(),
            "fails in another way" => "fail in another way".to_owned(),
            "does not fit together" => "do not fit together and were not built".to_owned(),
            "does not build" => "do not build".to_owned(),
            other => other.to_owned(),
        };
        let answers: Vec<String> = answers.map(|(said, count)| format!("{count} {}", plural(said))).collect();
        out.push_str(&format!(
            "  {} configurations of {} changes: {}\n",
            interaction["configurations"],
            changes.len(),
            answers.join(", ")
        ));
    }
    if value["other_files"].as_u64().is_some_and(|count| count > 0) {
        out.push_str(&format!(
            "changed files that are no C: {}; they are always those of the new version\n",
            value["other_files"]
        ));
    }
    out
}
