//! Differences are run: in the machine at the function's own entry, and natively as a test in C.

use crate::cli::{CompareOptions, Observed, ProgramOptions};
use crate::commands::program::{self, Two};
use crate::context::Context;
use hydrogen_align::laid_out_otherwise;
use hydrogen_evidence::compared::{Native, Shown};
use hydrogen_evidence::{Call, Value};
use hydrogen_ir::{FunctionId, Module};
use hydrogen_pair::Observable;
use hydrogen_trial::{
    Difference, Effort, Proposer, Side, call_text, does_something, only_in_one, search, unsteady,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Inputs of one search, and searches that begin behind what native runs did not confirm.
const TRIES: u64 = 1500;
const ROUNDS: u64 = 3;
/// The share of a function's time that one search may take.
const SHARE: f64 = 0.3;
/// The share of what is left for all functions.
const OF_ALL: f64 = 0.08;

/// Both versions, ready to run; loaded when a difference is looked for the first time.
pub struct Runs<'c> {
    context: &'c Context,
    options: &'c CompareOptions,
    interrupt: Arc<AtomicBool>,
    /// Variables that the versions begin with different values in.
    ignored: BTreeSet<String>,
    two: Option<Result<Two, String>>,
    /// When everything must be over.
    end: Option<Instant>,
}

/// The parameters that no caller passes null for, in either version.
fn never_null(old: (&Module, FunctionId), new: (&Module, FunctionId)) -> BTreeSet<String> {
    let [of_old, of_new] = [old, new].map(|(module, id)| -> BTreeSet<String> {
        let parameters = &module.function(id).parameters;
        hydrogen_relate::never_null(module, id).iter().map(|&at| parameters[at].name.clone()).collect()
    });
    // A parameter that one version alone has is judged there.
    let is_missing = |name: &&String| !new.0.function(new.1).parameters.iter().any(|one| one.name == **name);
    of_old.iter().filter(|name| of_new.contains(*name) || is_missing(name)).cloned().collect()
}

/// The beginning of an outcome, for a reason that stands in one line.
fn beginning(outcome: &str) -> String {
    const MOST: usize = 60;
    match outcome.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &outcome[..end]),
        None => outcome.to_owned(),
    }
}

/// What came of a search.
pub enum Searched {
    Found(Box<Shown>),
    /// Nothing, and what there is to say about it.
    Nothing(Option<String>),
}

impl<'c> Runs<'c> {
    pub fn new(
        context: &'c Context,
        options: &'c CompareOptions,
        interrupt: &Arc<AtomicBool>,
        ignored: &[String],
    ) -> Self {
        let ignored = ignored.iter().cloned().collect();
        let end = options.budget.map(|budget| Instant::now() + budget.saturating_sub(context.elapsed()));
        Self { context, options, interrupt: Arc::clone(interrupt), ignored, two: None, end }
    }

    /// The time for one search: a share of the function's, and no large part of what is left for all.
    fn time(&self) -> Duration {
        let own = self.options.function_budget.mul_f64(SHARE);
        let left = self.end.map(|end| end.saturating_duration_since(Instant::now()).mul_f64(OF_ALL));
        left.map_or(own, |left| own.min(left)).max(Duration::from_millis(500))
    }

    /// Looks for an input on which the function differs. The models are those of the prover.
    pub fn search(
        &mut self,
        old: (&Module, FunctionId),
        new: (&Module, FunctionId),
        given: &[Call],
    ) -> Searched {
        let name = old.0.function(old.1).name.clone();
        // Nobody but the system calls it, and never with a count that its arguments do not have.
        if name == "main" && !old.0.function(old.1).parameters.is_empty() {
            let words = "`hydrogen expose` looks for arguments of the program on which it differs";
            return Searched::Nothing(Some(words.to_owned()));
        }
        let loaded = program_options(self.options, &name);
        if let Err(why) = self.two(&loaded) {
            return Searched::Nothing(Some(format!("not run: {why}")));
        }
        let Some(Ok(two)) = self.two.as_ref() else { return Searched::Nothing(None) };
        let unit = |(module, id): (&Module, FunctionId)| {
            module.function(id).file().map(|file| module.file(file).to_owned())
        };
        let ignored = &self.ignored | &only_in_one(two.old.program(), two.new.program());
        let side = |program, unit| Side { program, unit, ignored: ignored.clone(), hidden: self.hidden() };
        let sides = (side(two.old.program(), unit(old)), side(two.new.program(), unit(new)));
        let mut effort = Effort {
            deadline: Some(Instant::now() + self.time()),
            interrupt: Some(Arc::clone(&self.interrupt)),
            assume_defined: self.options.assume_defined,
            observables: self.observables(),
            ..Effort::default()
        };
        // Types and parameters are those of the program that runs: it is compiled with the machine's headers.
        let (Some(one), Some(other)) = (sides.0.place(&name), sides.1.place(&name)) else {
            return Searched::Nothing(Some(format!("not run: `{name}` is not in both programs")));
        };
        if let Some(what) = laid_out_otherwise(one, other) {
            let words = format!(
                "not run: `{what}` lies in memory in another way, so that no call is the same for both"
            );
            return Searched::Nothing(Some(words));
        }
        let programs = [two.old.program(), two.new.program()];
        let has_body = |name: &str| programs.iter().any(|program| does_something(program, name));
        let never_null = never_null(old, new);
        let is_made = |call: &Call| {
            let null = call.arguments.iter().filter(|argument| argument.value == Value::Null);
            null.map(|argument| &argument.name).all(|name| !never_null.contains(name))
        };
        let (mut given, left_out): (Vec<Call>, Vec<Call>) = given.iter().cloned().partition(is_made);
        let mut words = (!left_out.is_empty())
            .then(|| "calls with a null pointer that no caller passes are left out".to_owned());
        let proposer = Proposer::new(one, other, has_body).never_null(never_null);
        for round in 0..ROUNDS {
            effort.tries = round * TRIES..(round + 1) * TRIES;
            match search(&sides.0, &sides.1, &given, &proposer, &effort) {
                Err(why) => return Searched::Nothing(Some(format!("not run: {why}"))),
                Ok(None) => break,
                Ok(Some(found)) => match self.shown(two, &sides, &name, found, &effort) {
                    Ok(shown) => return Searched::Found(Box::new(shown)),
                    Err(why) => words = Some(why),
                },
            }
            given.clear();
        }
        Searched::Nothing(words)
    }

    /// Explores the calls of a function that is neither proved nor refuted. What seems to differ still has to be run.
    pub fn explore(
        &mut self,
        old: (&Module, FunctionId),
        time: Duration,
    ) -> Result<super::bounded::Bounded, String> {
        let function = old.0.function(old.1);
        let unit = function.file().map(|file| old.0.file(file).to_owned());
        let options = program_options(self.options, &function.name);
        let (context, wanted, interrupt) = (self.context, self.options, Arc::clone(&self.interrupt));
        let two = self.two(&options)?;
        let is_static = two.old.program().find(&function.name).is_none();
        let unit = unit.filter(|_| is_static);
        super::bounded::explore(context, wanted, &options, two, unit, time, &interrupt)
            .map_err(|error| format!("{error:#}"))
    }

    /// Both versions, loaded when they are needed for the first time.
    fn two(&mut self, options: &ProgramOptions) -> Result<&Two, String> {
        if self.two.is_none() {
            let loaded = program::load_two(self.context, options, &self.interrupt);
            self.two = Some(loaded.map_err(|error| format!("{error:#}")));
        }
        match &self.two {
            Some(Ok(two)) => Ok(two),
            Some(Err(why)) => Err(why.clone()),
            None => Err("not loaded".to_owned()),
        }
    }

    /// A difference that the machine found, if nothing speaks against it.
    fn shown(
        &self,
        two: &Two,
        sides: &(Side, Side),
        name: &str,
        found: Difference,
        effort: &Effort,
    ) -> Result<Shown, String> {
        let limits = effort.limits();
        for side in [&sides.0, &sides.1] {
            if unsteady(side, &found.call, &limits, &effort.observables) {
                return Err(
                    "what it does depends on time, random numbers or addresses: no difference is claimed"
                        .to_owned(),
                );
            }
        }
        let Some((module, function)) = sides.0.function(name) else { return Err("it is gone".to_owned()) };
        let input = call_text(module, function, &found.call);
        let (old, new) = (found.old.words(&found.new), found.new.words(&found.old));
        let test = |side: &Side, program, after| {
            program::test_of(program, &side.own(&found.call), after)
                .unwrap_or_else(|error| format!("// {error:#}\n"))
        };
        let tests = [
            test(&sides.0, two.old.program(), found.old.after.as_ref()),
            test(&sides.1, two.new.program(), found.new.after.as_ref()),
        ];
        let native = if found.old.is_fault() || found.new.is_fault() {
            Native::Undefined
        } else {
            self.native(two, sides, &found).map_err(|()| {
                let [old, new] = [&old, &new].map(|outcome| beginning(outcome));
                format!("{input} differs in the machine ({old} and {new}), but not natively")
            })?
        };
        Ok(Shown { input, old, new, native, call: found.call, tests })
    }

    /// The call as a test in C in both versions; an error if it prints the same.
    fn native(&self, two: &Two, sides: &(Side, Side), found: &Difference) -> Result<Native, ()> {
        if !found.old.differs_natively(&found.new) {
            let words =
                "a test in C does not look at global variables, files, and what functions behind pointers do";
            return Ok(Native::NotRun(words.to_owned()));
        }
        let one = two.old.native_call(self.context, &sides.0.own(&found.call), found.old.after.as_ref());
        let other = two.new.native_call(self.context, &sides.1.own(&found.call), found.new.after.as_ref());
        match (one, other) {
            (Ok(one), Ok(other)) => {
                let old = found.old.natively(&sides.0.readable(&found.old, one.lines()));
                let new = found.new.natively(&sides.1.readable(&found.new, other.lines()));
                match old.same(&new, &[Observable::Memory]) {
                    true => Err(()),
                    false => Ok(Native::Confirmed),
                }
            }
            (Err(error), _) | (_, Err(error)) => Ok(Native::NotRun(format!("{error:#}"))),
        }
    }

    fn observes(&self, what: Observed) -> bool {
        self.options.observe.contains(&what)
    }

    fn hidden(&self) -> hydrogen_trial::Hidden {
        hydrogen_trial::Hidden {
            result: !self.observes(Observed::Return),
            memory: !self.observes(Observed::Memory),
        }
    }

    fn observables(&self) -> Vec<Observable> {
        let mut all = vec![Observable::Memory, Observable::Named];
        if self.observes(Observed::Status) || self.observes(Observed::Faults) {
            all.push(Observable::Ending);
        }
        for (what, observable) in [
            (Observed::Stdout, Observable::Stdout),
            (Observed::Stderr, Observable::Stderr),
            (Observed::Files, Observable::Files),
        ] {
            if self.observes(what) {
                all.push(observable);
            }
        }
        all
    }
}

/// The program's options, as for `hydrogen run --function`.
fn program_options(options: &CompareOptions, function: &str) -> ProgramOptions {
    ProgramOptions { function: Some(function.to_owned()), ..ProgramOptions::plain(options.what.clone()) }
}
