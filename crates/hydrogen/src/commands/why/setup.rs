//! What is to be explained: two versions of a program, and the input with which the new one goes wrong.

use super::input::{self, Given};
use super::tested::{self, Failing, Judged, Tested};
use crate::cli::WhyOptions;
use crate::commands::Outcome;
use crate::commands::mine::introducing;
use crate::commands::program::{self, Two};
use crate::context::Context;
use anyhow::{Result, bail};
use hydrogen_machine::Limits;
use hydrogen_pair::Observable;
use std::fmt::Write;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// The question, ready to be asked.
pub struct Setup {
    pub two: Rc<Two>,
    pub given: Given,
    /// How the failing run was started, where a test started it, and the others of the test that go wrong.
    pub start: Option<String>,
    pub further: Vec<Failing>,
    /// What names the versions, as the user wrote them or as they were found.
    pub programs: Vec<String>,
    /// The commit that brought the failure, where it was looked for.
    pub since: Option<String>,
    /// Programs read the files that the test left, so it goes last.
    _tested: Option<Tested>,
}

/// A question that has an answer already: what is said, and the exit code.
pub struct Answered(pub String, pub Outcome);

/// How runs are made and compared.
pub struct Runs<'a> {
    pub limits: &'a Limits,
    pub observables: &'a [Observable],
    pub interrupt: &'a Arc<AtomicBool>,
    pub say: &'a dyn Fn(&'static str),
}

pub fn setup(context: &Context, options: &WhyOptions, runs: &Runs<'_>) -> Result<Result<Setup, Answered>> {
    let mut program_options = options.program.clone();
    let mut since = None;
    if let Some(test) = options.test.as_ref().filter(|_| options.bisect) {
        (runs.say)("looking for the commit");
        let (old, new) = program::names(&program_options.programs)?;
        let Some(commit) = introducing(context, test, &old, &new)? else {
            let message = "no single commit is known to have broken the test\n";
            return Ok(Err(Answered(message.into(), Outcome::Undecided)));
        };
        let Some(parent) = commit.parents.first() else {
            bail!("the first commit broke the test: nothing is before it")
        };
        program_options.programs = vec![parent.clone(), commit.commit.clone()];
        since = Some(format!(
            "since {} of {} by {}: {}",
            &commit.commit[..10],
            commit.date(),
            commit.author,
            commit.summary
        ));
    }
    let programs = program_options.programs.clone();
    let Some(test) = &options.test else {
        (runs.say)("reading both versions");
        let two = Rc::new(program::load_two(context, &program_options, runs.interrupt)?);
        let given = input::of(context, options, [two.old.program(), two.new.program()])?;
        let (start, further) = (None, Vec::new());
        return Ok(Ok(Setup { two, given, start, further, programs, since, _tested: None }));
    };
    (runs.say)("running the test in both versions");
    let tested = match tested::run(context, &programs, test, runs.interrupt)? {
        Ok(tested) => tested,
        Err(message) => return Ok(Err(Answered(format!("{message}\n"), Outcome::BadInput))),
    };
    (runs.say)("looking for the run that goes wrong");
    let end = (runs.interrupt, Instant::now() + options.budget);
    let mut judged = tested.failing(context, &program_options, runs.limits, runs.observables, end)?;
    if judged.failing.is_empty() {
        return Ok(Err(Answered(none_differs(&judged), Outcome::Undecided)));
    }
    let Failing { two, given, start } = judged.failing.remove(0);
    let (start, further) = (Some(start), judged.failing);
    Ok(Ok(Setup { two, given, start, further, programs, since, _tested: Some(tested) }))
}

/// What is said where no run of the test shows the difference.
fn none_differs(judged: &Judged) -> String {
    let compared = match judged.compared {
        0 => "no run that it starts could be compared in the machine".to_owned(),
        1 => "the one run that could be compared is the same in both versions in the machine".to_owned(),
        many => {
            format!("the {many} runs that could be compared are the same in both versions in the machine")
        }
    };
    let mut text = format!("the test fails, but {compared}\n");
    for (why, example) in &judged.open {
        let _ = writeln!(text, "not compared: {example}: {why}");
    }
    text
}
