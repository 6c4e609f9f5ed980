//! What in the environment made it fail.
//!
//! Both ends are checked first: the program fails here, and it passes with what differs as recorded. Then two searches. The first one
//! halves the recorded calls (semi-replay) and finds the call with which the program begins to pass. The second one finds the smallest
//! set of resources, by delta debugging: with all of them as recorded the program passes, without any one of them it fails. Every claim
//! is the result of runs; what no run confirms is not claimed.

use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hydrogen_minimal::{Configuration, minimal_failing};

use crate::compare::{self, Difference, differences};
use crate::oracle::{Oracle, Verdict};
use crate::record::{End, Record, Start};
use crate::refine::{self, Detail};
use crate::resource::Resource;
use crate::show;
use crate::substitute::{Choice, Edit, Substitute, start};
use crate::tracer::{Error, Order, Ran, run};
use crate::tracker::{Tracker, joined};
use crate::world::World;

/// How long processes may go on when the first one has ended.
const LINGER: Duration = Duration::from_secs(1);
/// So often both sides of the answer are run once more.
const CONFIRMATIONS: usize = 2;
/// The most rounds in which what else differs is added.
const MOST_ROUNDS: usize = 8;

/// What is asked.
pub struct Question<'a> {
    /// The run that passed.
    pub record: &'a Record,
    /// The program as it is started here, see [`crate::here`].
    pub start: &'a Start,
    /// What passing means; the recorded exit status if nothing is said.
    pub oracle: Option<Oracle>,
    /// How long a run may take.
    pub limit: Duration,
    /// How many runs there may be.
    pub most_runs: usize,
    /// Whether code of the record may run.
    pub trusts_code: bool,
    /// Whether the program changes the files themselves, and not copies that are gone with each run.
    pub in_place: bool,
    /// Whether runs of the search may connect to other machines.
    pub network: bool,
    /// Set when the user wants no more.
    pub cancel: Arc<AtomicBool>,
    /// Told what is being done.
    pub progress: &'a dyn Fn(String),
}

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// With these as recorded the program passes.
    Found,
    /// The program passes here, too.
    PassesHere,
    /// The same run passes at one time and fails at another: nothing can be said.
    Flaky(String),
    /// It was not found, for this reason.
    NotFound(String),
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Answer {
    /// How it ended.
    pub outcome: Outcome,
    /// The causes, in the order of calls: all of them together, and none without the others.
    pub causes: Vec<Cause>,
    /// The call with which the program begins to pass, when all before it are as recorded, too; 0 is the start.
    pub boundary: Option<Boundary>,
    /// So many calls are recorded.
    pub calls: usize,
    /// So many runs were made for everything together.
    pub runs: usize,
    /// What differs in the two environments, whether it matters or not.
    pub differences: Vec<Difference>,
    /// How the program ended here.
    pub here: String,
    /// What else is worth saying.
    pub notes: BTreeSet<String>,
}

/// What the semi-replay found.
#[derive(Clone, Debug)]
pub struct Boundary {
    /// The number of the call.
    pub call: usize,
    /// The call as recorded.
    pub shown: String,
    /// What it is about.
    pub resource: Resource,
    /// So many replays were made for it.
    pub replays: usize,
}

/// A cause.
#[derive(Clone, Debug)]
pub struct Cause {
    /// What it is, and where it was first seen.
    pub difference: Difference,
    /// What of it matters.
    pub details: Vec<Detail>,
}

/// Runs the program in many ways.
pub(crate) struct Runner<'a> {
    pub(crate) question: &'a Question<'a>,
    pub(crate) world: &'a World<'a>,
    pub(crate) here: Start,
    oracle: Oracle,
    pub(crate) runs: usize,
    pub(crate) notes: BTreeSet<String>,
}

/// One run.
pub(crate) struct Tried {
    pub(crate) verdict: Verdict,
    log: Record,
    ran: Ran,
}

impl Runner<'_> {
    pub(crate) fn run(&mut self, choice: Choice, edits: HashMap<Resource, Edit>) -> Result<Tried, Error> {
        let io = |error| Error::Io { program: "the program".into(), error };
        self.runs += 1;
        // In these, that a thread goes another way is no news.
        let is_in_order = matches!(choice, Choice::First(_));
        let begin = start(&choice, &self.here, &self.world.record.start);
        let mut handler = Substitute::new(
            self.world,
            &begin,
            choice,
            edits,
            self.question.trusts_code,
            self.question.network,
        )
        .map_err(io)?;
        let output = tempfile::NamedTempFile::new().map_err(io)?;
        let file = output.as_file();
        let order = Order {
            start: &begin,
            streams: [input(), file.try_clone().map_err(io)?.into(), file.try_clone().map_err(io)?.into()],
            most: Some(self.oracle.most(self.question.limit)),
            linger: (!matches!(self.oracle, Oracle::Alive(_))).then_some(LINGER),
            copied: (!self.question.in_place).then(|| handler.folder()),
            cancel: Arc::clone(&self.question.cancel),
        };
        let ran = match run(order, &mut handler) {
            Ok(ran) => ran,
            // With another folder or other limits it may not even begin.
            Err(Error::NotStarted(what) | Error::Refused(what)) if self.runs > 1 => {
                let verdict = Verdict::Unresolved(format!("it does not start: {what}"));
                return Ok(Tried { verdict, log: handler.log, ran: Ran::default() });
            }
            Err(Error::Refused(what)) => {
                let said = std::fs::read_to_string(output.path()).unwrap_or_default();
                let hint = match self.question.in_place {
                    true => "",
                    false => " (with --in-place it runs on the files themselves, and needs no copies)",
                };
                return Err(Error::Refused(format!("{what}: {}{hint}", said.trim())));
            }
            Err(error) => return Err(error),
        };
        let verdict = self.oracle.judge(&ran, output.path());
        if !is_in_order {
            self.notes.extend(handler.notes);
        }
        Ok(Tried { verdict, log: handler.log, ran })
    }

    /// Whether the program passes with some resources as recorded.
    pub(crate) fn passes(
        &mut self,
        set: &BTreeSet<Resource>,
        edits: HashMap<Resource, Edit>,
    ) -> Result<Verdict, Error> {
        Ok(self.run(Choice::About(set.clone()), edits)?.verdict)
    }

    /// The smallest part with which the program passes; the whole is known to, and nothing is known not to.
    pub(crate) fn smallest(
        &mut self,
        count: usize,
        mut ask: impl FnMut(&mut Self, &[usize]) -> Result<Verdict, Error>,
    ) -> Result<Option<hydrogen_minimal::Minimal>, Error> {
        let budget = self.question.most_runs.saturating_sub(self.runs).max(2);
        let mut failed = None;
        let found = minimal_failing(count, budget, |chosen| {
            if failed.is_some() || self.question.cancel.load(Ordering::Relaxed) {
                return Ok::<_, Infallible>(Configuration::Unresolved("stopped".into()));
            }
            if chosen.len() == count {
                return Ok(Configuration::Fails);
            }
            if chosen.is_empty() {
                return Ok(Configuration::Passes);
            }
            // The words are those of changes that make a test fail; here, answers make it pass.
            Ok(match ask(self, chosen) {
                Ok(Verdict::Passes) => Configuration::Fails,
                Ok(Verdict::Fails) => Configuration::Passes,
                Ok(Verdict::Unresolved(why)) => Configuration::Unresolved(why),
                Err(error) => {
                    failed = Some(error);
                    Configuration::Unresolved("stopped".into())
                }
            })
        });
        match (failed, found) {
            (Some(error), _) => Err(error),
            (None, Ok(Ok(minimal))) => Ok(Some(minimal)),
            _ => Ok(None),
        }
    }
}

/// Standard input: the same file for every run, from its beginning; otherwise empty.
fn input() -> Stdio {
    let file = File::open("/proc/self/fd/0").and_then(|file| match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::ErrorKind::InvalidInput.into()),
    });
    file.map_or_else(|_| Stdio::null(), Stdio::from)
}

/// What passing means where nobody says it.
fn usual(record: &Record) -> Option<Oracle> {
    match record.end {
        End::Ended(status) if status & 0x7f == 0 => Some(Oracle::Exit(status >> 8 & 0xff)),
        _ => None,
    }
}

/// Searches.
pub fn why(question: &Question<'_>) -> Result<Answer, Error> {
    let world = World::new(question.record);
    let here = question.start.clone();
    let mut answer = Answer {
        outcome: Outcome::NotFound(String::new()),
        causes: Vec::new(),
        boundary: None,
        calls: world.calls.len(),
        runs: 0,
        differences: Vec::new(),
        here: String::new(),
        notes: question.record.notes.iter().cloned().collect(),
    };
    let Some(oracle) = question.oracle.clone().or_else(|| usual(question.record)) else {
        answer.outcome = Outcome::NotFound(
            "the recorded run did not exit by itself: say with --oracle or --alive what passing means".into(),
        );
        return Ok(answer);
    };
    if here.program_hash != question.record.start.program_hash {
        answer.notes.insert("the program itself is another file than the recorded one".into());
    }
    let mut runner = Runner { question, world: &world, here, oracle, runs: 0, notes: BTreeSet::new() };
    answer.outcome = search(&mut runner, &mut answer)?;
    answer.runs = runner.runs;
    answer.notes.append(&mut runner.notes);
    if answer.outcome != Outcome::Found {
        answer.causes.clear();
        answer.boundary = None;
    }
    Ok(answer)
}

fn search(runner: &mut Runner<'_>, answer: &mut Answer) -> Result<Outcome, Error> {
    let question = runner.question;
    let not_found = |why: &str| Ok(Outcome::NotFound(why.to_owned()));
    (question.progress)("the program as it runs here".into());
    let plain = runner.run(Choice::Nothing, HashMap::new())?;
    let again = runner.run(Choice::Nothing, HashMap::new())?;
    answer.here = match (plain.ran.timed_out, plain.ran.status) {
        (true, _) => "it still ran when its time was over".into(),
        (_, Some(status)) => format!("it {}", show::ended(status)),
        _ => "how it ended is not known".into(),
    };
    match (&plain.verdict, &again.verdict) {
        (Verdict::Passes, Verdict::Passes) => {
            if !question.in_place {
                let what =
                    "what it wrote went into copies; if it fails on the files themselves, say --in-place";
                answer.notes.insert(what.into());
            }
            return Ok(Outcome::PassesHere);
        }
        (Verdict::Fails, Verdict::Fails) => {}
        (Verdict::Unresolved(why), _) | (_, Verdict::Unresolved(why)) => return not_found(why),
        _ => return Ok(Outcome::Flaky("the same run here passes at one time and fails at another".into())),
    }
    let mut found = differences(runner.world, &World::new(&plain.log));
    answer.differences.clone_from(&found);
    // What differs only after what differs first is as recorded, and so on.
    let mut set: BTreeSet<Resource> = strong(&found, &runner.here);
    let mut passes = false;
    for round in 0..MOST_ROUNDS {
        (question.progress)(format!("with {} things as recorded", set.len()));
        let tried = runner.run(Choice::About(set.clone()), HashMap::new())?;
        passes = tried.verdict == Verdict::Passes;
        if passes {
            break;
        }
        let more = differences(runner.world, &World::new(&tried.log));
        let before = set.len();
        for difference in more {
            if !found.iter().any(|known| known.resource == difference.resource) {
                found.push(difference);
            }
        }
        set.extend(strong(&found, &runner.here));
        if set.len() == before {
            if round + 1 == MOST_ROUNDS
                || found.iter().all(|one| set.contains(&unit(&one.resource, &runner.here)))
            {
                break;
            }
            set.extend(found.iter().map(|one| unit(&one.resource, &runner.here)));
        }
    }
    if !passes {
        (question.progress)("with everything as recorded".into());
        set.extend(runner.world.resources().iter().map(|resource| unit(resource, &runner.here)));
        passes = runner.passes(&set, HashMap::new())? == Verdict::Passes;
    }
    if !passes {
        return not_found("even with everything as recorded that can be, the program does not pass");
    }
    // What is found, and every claim about it, rests on this run.
    if runner.passes(&set, HashMap::new())? != Verdict::Passes {
        return Ok(Outcome::Flaky(
            "the same run with recorded answers passes at one time and not at another".into(),
        ));
    }
    let mut all: Vec<Resource> = set.into_iter().collect();
    let here = runner.here.clone();
    let place = |resource: &Resource| {
        let known = found.iter().find(|one| unit(&one.resource, &here) == *resource);
        known.map_or((true, usize::MAX), |one| (one.is_weak, one.call))
    };
    all.sort_by_key(place);
    let some =
        |chosen: &[usize]| chosen.iter().filter_map(|at| all.get(*at).cloned()).collect::<BTreeSet<_>>();
    let minimal = runner.smallest(all.len(), |runner, chosen| {
        (question.progress)(format!("with {} of {} things as recorded", chosen.len(), all.len()));
        runner.passes(&some(chosen), HashMap::new())
    })?;
    let Some(minimal) = minimal.filter(|minimal| !minimal.critical.is_empty()) else {
        return not_found("the search was stopped");
    };
    if minimal.cut_short {
        return not_found("the number of runs was used up (--runs)");
    }
    let guilty = some(&minimal.critical);
    for _ in 0..CONFIRMATIONS {
        if runner.passes(&guilty, HashMap::new())? != Verdict::Passes {
            let what = "with the causes as recorded the program passes at one time and not at another";
            return Ok(Outcome::Flaky(what.into()));
        }
        if runner.run(Choice::Nothing, HashMap::new())?.verdict != Verdict::Fails {
            return Ok(Outcome::Flaky("the same run here passes at one time and fails at another".into()));
        }
    }
    let is_needed = |said: &Configuration| *said == Configuration::Passes;
    if !minimal.without.iter().all(is_needed) {
        answer.notes.insert("for some of the causes it is not known what happens without them".into());
    }
    for resource in &guilty {
        let known = found.iter().find(|one| unit(&one.resource, &here) == *resource).cloned();
        let mut difference = known.unwrap_or_else(|| unseen(runner.world, resource));
        (question.progress)(format!("what of {resource} matters"));
        let details = match difference.resource == *resource {
            true => refine::details(runner, &guilty, &difference)?,
            false => vec![Detail::Missing { folder: resource.to_string() }],
        };
        // Where contents matter, the call is the one that read them, not the one that asked for their size.
        let reads = |number: u64| match details.first() {
            Some(Detail::Line { .. } | Detail::Byte { .. }) => matches!(number, 0 | 9 | 17 | 19),
            Some(Detail::Name { .. }) => number == 217,
            _ => false,
        };
        if let Some(read) = compare::first(resource, runner.world, &World::new(&plain.log), reads) {
            difference = read;
        }
        answer.causes.push(Cause { difference, details });
    }
    answer.causes.sort_by_key(|cause| cause.difference.call);
    let found = boundary(runner)?;
    // Where a call that is about something else decides, several threads or processes raced: that says nothing.
    let is_cause = |at: &Boundary| match at.call {
        0 => guilty.iter().any(Resource::is_of_start),
        _ => guilty.contains(&unit(&at.resource, &here)),
    };
    answer.boundary = found.filter(is_cause);
    if answer.boundary.is_none() {
        answer.notes.insert(
            "the replays in order did not lead to a call about a cause: no single call is named".into(),
        );
    }
    Ok(Outcome::Found)
}

fn strong(found: &[Difference], here: &Start) -> BTreeSet<Resource> {
    found.iter().filter(|one| !one.is_weak).map(|one| unit(&one.resource, here)).collect()
}

/// What is as recorded or not as one thing: below a folder that is missing here, that folder.
fn unit(resource: &Resource, here: &Start) -> Resource {
    let Resource::Path(path) = resource else { return resource.clone() };
    let whole = joined(&here.folder, path);
    let ends = whole.iter().enumerate().skip(1).filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    let is_missing = |at: &usize| {
        let found = Path::new(OsStr::from_bytes(&whole[..*at])).symlink_metadata();
        found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    };
    let folder = ends.into_iter().find(is_missing).map(|at| &whole[..at]);
    folder.map_or_else(|| resource.clone(), |folder| Tracker::new(here).at_path(folder))
}

/// A cause that the failing run did not come to.
fn unseen(world: &World<'_>, resource: &Resource) -> Difference {
    let at = world.about.iter().position(|about| about == resource);
    Difference {
        resource: resource.clone(),
        call: at.map_or(0, |at| at + 1),
        recorded: at.map_or_else(String::new, |at| show::call(world.calls[at])),
        here: "not reached here".into(),
        results: None,
        is_weak: false,
    }
}

/// Halves the recorded calls: those before the boundary do not suffice, those up to it do.
fn boundary(runner: &mut Runner<'_>) -> Result<Option<Boundary>, Error> {
    let calls = runner.world.calls.len();
    let before = runner.runs;
    let (mut low, mut high) = (0, calls + 1);
    let passes = |runner: &mut Runner<'_>, count: usize| -> Result<bool, Error> {
        (runner.question.progress)(format!(
            "the first {} of {calls} calls as recorded",
            count.saturating_sub(1)
        ));
        Ok(runner.run(Choice::First(count), HashMap::new())?.verdict == Verdict::Passes)
    };
    if !passes(runner, high)? {
        return Ok(None);
    }
    while high - low > 1 {
        if runner.question.cancel.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let middle = low.midpoint(high);
        if passes(runner, middle)? { high = middle } else { low = middle }
    }
    let replays = runner.runs - before;
    let at = high.checked_sub(2);
    Ok(Some(Boundary {
        call: high - 1,
        shown: at.map_or_else(|| "the start".to_owned(), |at| show::call(runner.world.calls[at])),
        resource: at.map_or(Resource::Inside, |at| runner.world.about[at].clone()),
        replays,
    }))
}

/// The difference of the two environments as the program sees them, without a search: one plain run.
pub fn diff(question: &Question<'_>) -> Result<(Vec<Difference>, String), Error> {
    let world = World::new(question.record);
    let here = question.start.clone();
    let oracle = question.oracle.clone().or_else(|| usual(question.record)).unwrap_or(Oracle::Exit(0));
    let mut runner = Runner { question, world: &world, here, oracle, runs: 0, notes: BTreeSet::new() };
    let plain = runner.run(Choice::Nothing, HashMap::new())?;
    let ended = plain.ran.status.map_or_else(|| "did not end".to_owned(), show::ended);
    Ok((differences(&world, &World::new(&plain.log)), ended))
}

/// A semi-replay: the first calls are as recorded, the others run. Gives the status and how it went.
pub fn semi_replay(
    question: &Question<'_>,
    calls: usize,
    streams: [Stdio; 3],
) -> Result<(Ran, BTreeSet<String>), Error> {
    let io = |error| Error::Io { program: "the program".into(), error };
    let world = World::new(question.record);
    let here = question.start.clone();
    let choice = Choice::First(calls + 1);
    let begin = start(&choice, &here, &question.record.start);
    let mut handler =
        Substitute::new(&world, &begin, choice, HashMap::new(), question.trusts_code, question.network)
            .map_err(io)?;
    let order = Order {
        start: &begin,
        streams,
        most: Some(question.limit),
        linger: Some(LINGER),
        copied: (!question.in_place).then(|| handler.folder()),
        cancel: Arc::clone(&question.cancel),
    };
    let ran = run(order, &mut handler)?;
    Ok((ran, handler.notes))
}
