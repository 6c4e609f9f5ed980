//! `hydrogen verify A..B --bug WHERE`: does the change fix the fault?

use super::answer::finish;
use super::ask::{Bug, Judge, answer, findings};
use super::change::Change;
use super::engine::{Functions, analyst, judge};
use super::place::{Where, add, add_named};
use super::question::Question;
use super::unnamed::Unnamed;
use crate::cli::VerifyOptions;
use crate::commands::Outcome;
use crate::context::Context;
use anyhow::{Result, bail};
use hydrogen_evidence::{Answer, Class, Command, Counters};
use hydrogen_graph::Fix;
use hydrogen_graph::VersionId;
use hydrogen_history::config::Config;

pub fn run(context: &Context, options: &VerifyOptions) -> Result<Outcome> {
    let change = Change::read(context, &options.what)?;
    let [before] = &change.before[..] else {
        bail!("`{}` is a merge; say which change is meant: OLD..NEW", options.what);
    };
    let fix =
        options.fix.as_deref().map(|fix| Change::among(context, fix, &change.versions())).transpose()?;
    let bug = options.bug.as_deref().map(Where::parse).transpose()?;
    if bug.is_none() && fix.is_none() {
        bail!(
            "which bug? name its statement with --bug FILE:LINE, or have what the change fixes looked for with --fix {}",
            options.what
        );
    }
    let modeller = context.modeller()?;
    let mut versions = change.versions();
    if let Some(fix) = &fix {
        add(&mut versions, fix.versions());
    }
    if let Some(bug) = &bug {
        add_named(context, &mut versions, bug, Some(before))?;
    }
    let how = hydrogen_series::Options::default();
    let mut question = Question::build(context, &modeller, versions.clone(), how)?;
    question.versions = change.versions();
    let functions = Functions::new(&modeller, &question, &versions);
    let config = Config::for_version(&context.trees, &change.after, Some(context.here()))?;
    let mut analyst = analyst(context, &question, &functions, &options.how, &config.analysis)?;
    let fix = fix
        .map(|fix| -> Result<_> { Ok((question.id(&fix.before[0])?, question.id(&fix.after)?)) })
        .transpose()?;
    let (before, after, kind) = (question.id(before)?, question.id(&change.after)?, options.how.kind);
    let mut answer = match (bug, fix) {
        (None, Some(fix)) => {
            let fix = Fix { before: fix.0, after: fix.1 };
            Unnamed { question: &question, fix, kind, versions: &[before, after] }
                .answer(Command::Verify, &mut analyst)
        }
        (None, None) => unreachable!("refused above"),
        (Some(bug), fix) => {
            let ask = Verify { question: &question, before, after, bug, kind, fix };
            verify(&ask, &mut |asked| judge(&mut analyst, asked))?
        }
    };
    (answer.counters, answer.partial) = (analyst.counters(), analyst.spent());
    super::tests::write(context, options.how.tests.as_deref(), &functions, &question, &mut answer)?;
    finish(context, &answer, None, &question.versions, options.how.format)
}

/// The two ends of the change, and what else was given.
pub struct Verify<'a> {
    pub question: &'a Question,
    pub before: VersionId,
    pub after: VersionId,
    pub bug: Where,
    pub kind: Option<Class>,
    pub fix: Option<(VersionId, VersionId)>,
}

/// The answer: what is said of the version before and of the one after.
pub fn verify(ask: &Verify<'_>, judge: &mut Judge<'_>) -> Result<Answer> {
    let graph = &ask.question.graph;
    let at = ask.bug.version(graph, Some(ask.before))?;
    let bug = Bug { place: &ask.bug, at, kind: ask.kind, fix: ask.fix };
    let found = findings(graph, &bug, &[ask.before, ask.after], judge)?;
    Ok(answer(Command::Verify, ask.question, found, Counters::default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::verdicts::answer::outcome;
    use crate::commands::verdicts::ask::Asked;
    use crate::commands::verdicts::ask::tests::{judge, question};
    use hydrogen_evidence::Verdict;

    #[test]
    fn the_version_after_decides() {
        let mut question = question();
        question.versions.truncate(2);
        for (verdicts, expect) in [
            ([Verdict::Present, Verdict::Fixed], Outcome::Done),
            ([Verdict::Present, Verdict::Present], Outcome::Findings),
            ([Verdict::Present, Verdict::Unknown], Outcome::Undecided),
            ([Verdict::Present, Verdict::NotApplicable], Outcome::Undecided),
        ] {
            let (before, after) = (VersionId(0), VersionId(1));
            let bug = Where::parse("src/main.c:4").unwrap();
            let fix = Some((before, after));
            let ask = Verify { question: &question, before, after, bug, kind: None, fix };
            let mut plain = judge(verdicts);
            let mut judge = |asked: &Asked<'_>| {
                assert_eq!(asked.fix, fix);
                plain(asked)
            };
            let answer = verify(&ask, &mut judge).unwrap();
            assert_eq!(outcome(&answer), expect);
        }
    }
}
