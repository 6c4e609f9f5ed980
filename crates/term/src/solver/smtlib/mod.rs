//! Any SMT-LIB 2 solver as a process.

mod model;
mod process;
mod sexpr;

use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    fmt::Write,
    time::{Duration, Instant},
};

use self::{model::Definitions, process::Process};
use super::{Answer, Limits, Reason, Solver, common_prefix, confirmed};
use crate::{
    pool::Pool,
    print::Script,
    term::{Op, Term},
    value::Model,
};

/// A process that speaks SMT-LIB 2 on standard input and output. It is started with the first question, and again after it
/// crashed or had to be killed.
pub struct Smtlib {
    name: String,
    program: String,
    arguments: Vec<String>,
    /// By logic.
    sessions: BTreeMap<&'static str, Session>,
}

/// What the running process knows.
struct Session {
    process: Process,
    pool: u64,
    script: Script,
    /// The asserted constraints, each in a scope of its own.
    asserted: Vec<Term>,
    limits: Option<Limits>,
}

/// z3 stops itself at the time limit, usually; this much later it is killed.
const GRACE: Duration = Duration::from_millis(500);

impl Smtlib {
    /// z3 from the search path.
    pub fn z3() -> Self {
        Self::new("z3", &[])
    }

    /// Any program, with its arguments. For z3, cvc5 and yices-smt2 without arguments, the usual ones are added.
    pub fn new(program: &str, arguments: &[&str]) -> Self {
        let name = program.rsplit('/').next().unwrap_or(program).to_owned();
        let usual: &[&str] = match name.as_str() {
            "z3" => &["-in", "-smt2"],
            "cvc5" => &["--lang=smt2", "--incremental", "--produce-models"],
            "yices-smt2" => &["--incremental"],
            _ => &[],
        };
        let arguments = if arguments.is_empty() { usual } else { arguments };
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Self { name, program: program.to_owned(), arguments, sessions: BTreeMap::new() }
    }

    /// Starts the program to see whether it is there and answers.
    pub fn probe(&mut self) -> Result<(), Reason> {
        let pool = Pool::new();
        match self.check(&pool, &[], &Limits::default()) {
            Answer::Unknown(reason) => Err(reason),
            Answer::Sat(_) | Answer::Unsat => Ok(()),
        }
    }

    fn try_check(&mut self, pool: &Pool, constraints: &[Term], limits: &Limits) -> Result<Answer, Reason> {
        let is_z3 = self.name == "z3";
        let logic = announced(pool, constraints);
        self.sessions.retain(|_, session| session.pool == pool.identity());
        let session = match self.sessions.entry(logic) {
            Entry::Occupied(session) => session.into_mut(),
            Entry::Vacant(place) => {
                place.insert(Session::start(&self.program, &self.arguments, pool, logic)?)
            }
        };
        let started = Instant::now();
        let deadline = started + limits.time + if is_z3 { GRACE } else { Duration::ZERO };
        let mut text = String::new();
        if session.limits != Some(*limits) {
            session.set_limits(*limits, is_z3, &mut text);
        }
        session.move_to(pool, constraints, &mut text);
        text.push_str("(check-sat)");
        let answer = session.process.ask(&text, deadline)?;
        match answer.trim() {
            "sat" => {
                // Reading the values is small work, but not part of the limit.
                let model = session.values(pool, constraints, deadline + limits.time + GRACE)?;
                Ok(confirmed(pool, constraints, model))
            }
            "unsat" => Ok(Answer::Unsat),
            "timeout" => Err(Reason::Timeout),
            "unknown" => {
                let why = session.process.ask("(get-info :reason-unknown)", deadline + GRACE)?;
                Ok(Answer::Unknown(reason_unknown(&why, started.elapsed() >= limits.time)))
            }
            other if process::is_about_memory(other) => Err(Reason::Memory),
            other => Err(Reason::Crashed(format!("it said {}", other.chars().take(300).collect::<String>()))),
        }
    }
}

impl Session {
    fn start(program: &str, arguments: &[String], pool: &Pool, logic: &str) -> Result<Self, Reason> {
        let mut process = Process::start(program, arguments)?;
        let options = "(set-option :print-success false)\n(set-option :produce-models true)";
        let greeting = format!("{options}\n(set-logic {logic})");
        let answer = process.ask(&greeting, Instant::now() + Duration::from_secs(10))?;
        if answer.contains("error") {
            return Err(Reason::Unsupported(answer.trim().to_owned()));
        }
        Ok(Self { process, pool: pool.identity(), script: Script::new(), asserted: Vec::new(), limits: None })
    }

    /// The operating system watches the memory, z3 itself the time.
    fn set_limits(&mut self, limits: Limits, is_z3: bool, text: &mut String) {
        self.process.limit_memory(limits.memory.saturating_mul(1 << 20));
        if is_z3 {
            let _ = writeln!(
                text,
                "(set-option :timeout {})",
                limits.time.as_millis().clamp(1, u128::from(u32::MAX))
            );
            // About as much as the same number of Bitwuzla's units.
            let _ = writeln!(text, "(set-option :rlimit {})", limits.work.min(u64::from(u32::MAX)));
        }
        self.limits = Some(limits);
    }

    /// Leaves and enters scopes until exactly these constraints are asserted.
    fn move_to(&mut self, pool: &Pool, constraints: &[Term], text: &mut String) {
        let kept = common_prefix(&self.asserted, constraints);
        let left = self.asserted.len() - kept;
        if left > 0 {
            let _ = writeln!(text, "(pop {left})");
            self.script.leave(left);
            self.asserted.truncate(kept);
        }
        for &constraint in &constraints[kept..] {
            text.push_str("(push 1)\n");
            self.script.enter();
            self.script.assert(pool, constraint, text);
            self.asserted.push(constraint);
        }
    }

    /// The values of the variables and functions in the constraints. Variables are asked for one by one, because whole models repeat every
    /// definition we made; but functions, and the arrays that some solvers give as functions, are only in those.
    fn values(&mut self, pool: &Pool, constraints: &[Term], deadline: Instant) -> Result<Model, Reason> {
        let (mut variables, mut functions) = (Vec::new(), BTreeSet::new());
        for part in pool.postorder(constraints) {
            match pool.op(part) {
                Op::Var(_) => variables.push(part),
                Op::Apply(function) => {
                    functions.insert(function);
                }
                _ => {}
            }
        }
        let names: Vec<&str> = variables.iter().filter_map(|&variable| self.script.name(variable)).collect();
        let mut answers = Vec::new();
        if !names.is_empty() {
            let question = format!("(get-value ({}))", names.join(" "));
            answers.push(self.process.ask(&question, deadline)?);
        }
        if !functions.is_empty() || answers.iter().any(|answer| answer.contains("as-array")) {
            answers.push(self.process.ask("(get-model)", deadline)?);
        }
        let broken = |what: &str| Reason::Unsupported(format!("its answer {what}"));
        let parsed = answers.iter().map(|answer| sexpr::parse(answer)).collect::<Option<Vec<_>>>();
        let parsed = parsed.ok_or_else(|| broken("is no well-formed expression"))?;
        let mut definitions = Definitions::default();
        for (position, answer) in parsed.iter().enumerate() {
            let is_values = position == 0 && !names.is_empty();
            let read =
                if is_values { definitions.read_values(answer) } else { definitions.read_model(answer) };
            read.ok_or_else(|| broken("is no list of values"))?;
        }
        let mut model = Model::new();
        for variable in variables {
            let name = self.script.name(variable).unwrap_or_default().trim_matches('|');
            if let Some(value) =
                definitions.variable(name, pool.sort(variable)).map_err(Reason::Unsupported)?
            {
                model.set(variable, value);
            }
        }
        for function in functions {
            let name = self.script.function_name(function).unwrap_or_default().trim_matches('|');
            if let Some(value) = definitions.function(name).map_err(Reason::Unsupported)? {
                model.functions.insert(function, value);
            }
        }
        Ok(model)
    }
}

/// The logic to announce. One for nearly everything, because z3 turns all of a question into gates at once when only bit-vectors are
/// announced, which takes minutes for wide divisions.
fn announced(pool: &Pool, constraints: &[Term]) -> &'static str {
    match pool.logic(constraints).name() {
        "ALL" | "QF_BVFP" => "ALL",
        _ => "QF_AUFBV",
    }
}

fn reason_unknown(why: &str, time_is_up: bool) -> Reason {
    let is = |words: &[&str]| words.iter().any(|word| why.contains(word));
    if process::is_about_memory(why) || is(&["memory"]) {
        Reason::Memory
    } else if time_is_up || is(&["timeout", "canceled", "resource"]) {
        Reason::Timeout
    } else {
        Reason::Unsupported(why.trim().to_owned())
    }
}

impl Solver for Smtlib {
    fn name(&self) -> &str {
        &self.name
    }

    fn check(&mut self, pool: &Pool, constraints: &[Term], limits: &Limits) -> Answer {
        match self.try_check(pool, constraints, limits) {
            Ok(answer) => answer,
            Err(reason) => {
                // Whatever state it is in, the next question gets a new process.
                self.sessions.remove(announced(pool, constraints));
                Answer::Unknown(reason)
            }
        }
    }
}

#[cfg(test)]
mod tests;
