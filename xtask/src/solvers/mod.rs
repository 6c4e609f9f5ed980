//! Solvers against each other on recorded path conditions, and what never reaches them.

mod explore;
mod subjects;

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use hydrogen_term::{Answer, Bitwuzla, Engine, Limits, Pool, Reason, Smtlib, Solver, Term};

use crate::table;

const LIMITS: Limits = Limits { time: Duration::from_secs(3), work: 0, memory: 4096 };

/// What each solver took for a set of questions, asked in order of one process or context.
#[derive(Default, Clone, Copy)]
struct Times {
    questions: usize,
    bitwuzla: Duration,
    z3: Duration,
    /// Questions that neither answers within the limit. They are in no time: both took the limit.
    hard: usize,
}

impl Times {
    fn measure(pool: &Pool, queries: &[Vec<Term>]) -> Result<Self> {
        let (mut first, mut second) = (Bitwuzla::new(), Smtlib::z3());
        let mut times = Self::default();
        for query in queries {
            let (a, bitwuzla) = timed(&mut first, pool, query);
            let (b, z3) = timed(&mut second, pool, query);
            times.questions += 1;
            match (a, b) {
                ("unknown", "unknown") => times.hard += 1,
                _ if a != b && a != "unknown" && b != "unknown" => {
                    bail!("the solvers disagree on\n{}", pool.to_smt_script(query))
                }
                _ => {
                    times.bitwuzla += bitwuzla;
                    times.z3 += z3;
                }
            }
        }
        Ok(times)
    }

    fn add(&mut self, other: Times) {
        self.questions += other.questions;
        self.bitwuzla += other.bitwuzla;
        self.z3 += other.z3;
        self.hard += other.hard;
    }

    fn ratio(&self) -> f64 {
        self.z3.as_secs_f64() / self.bitwuzla.as_secs_f64().max(1e-9)
    }

    fn cells(&self) -> [String; 3] {
        if self.questions == self.hard {
            return ["–", "–", "–"].map(str::to_owned);
        }
        [seconds(self.bitwuzla), seconds(self.z3), format!("{:.1}", self.ratio())]
    }
}

fn timed(solver: &mut dyn Solver, pool: &Pool, query: &[Term]) -> (&'static str, Duration) {
    let started = Instant::now();
    (solver.check(pool, query, &LIMITS).word(), started.elapsed())
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

/// Remembers what it is asked.
struct Recorder {
    solver: Bitwuzla,
    asked: std::rc::Rc<std::cell::RefCell<Vec<Vec<Term>>>>,
}

impl Solver for Recorder {
    fn name(&self) -> &str {
        "recorder"
    }

    fn check(&mut self, pool: &Pool, constraints: &[Term], limits: &Limits) -> Answer {
        self.asked.borrow_mut().push(constraints.to_vec());
        self.solver.check(pool, constraints, limits)
    }
}

/// Prints the table.
pub fn run() -> Result<()> {
    if !Bitwuzla::is_available() {
        bail!("this build has no Bitwuzla; run scripts/setup.sh and try again");
    }
    let mut rows = Vec::new();
    let (mut all, mut left, mut spared) = (Times::default(), Times::default(), 0);
    let mut ratios = Vec::new();
    for mut recording in subjects::record() {
        let direct = Times::measure(&recording.pool, &recording.queries)?;
        let asked = std::rc::Rc::default();
        let mut engine =
            Engine::new(Recorder { solver: Bitwuzla::new(), asked: std::rc::Rc::clone(&asked) }, LIMITS);
        for query in &recording.queries {
            if let Answer::Unknown(Reason::Unsupported(why)) = engine.check(&mut recording.pool, query) {
                bail!("{}: {why}", recording.name);
            }
        }
        let counters = engine.counters();
        let rest = Times::measure(&recording.pool, &asked.borrow())?;
        let [fast, slow, ratio] = direct.cells();
        let [rest_fast, rest_slow, rest_ratio] = rest.cells();
        rows.push(vec![
            recording.name.to_owned(),
            recording.paths.to_string(),
            direct.questions.to_string(),
            fast,
            slow,
            ratio,
            direct.hard.to_string(),
            counters.by_simplifier.to_string(),
            (counters.by_model_cache + counters.by_unsat_cache).to_string(),
            counters.by_guess.to_string(),
            counters.by_solver.to_string(),
            rest_fast,
            rest_slow,
            rest_ratio,
            seconds(counters.other_time),
        ]);
        if rest.questions > rest.hard {
            ratios.push(rest.ratio());
        }
        all.add(direct);
        left.add(rest);
        spared += counters.asked - counters.by_solver;
    }
    let header = [
        "program",
        "paths",
        "questions",
        "bitwuzla",
        "z3",
        "ratio",
        "hard",
        "simplifier",
        "caches",
        "guesses",
        "solver",
        "bitwuzla ",
        "z3 ",
        "ratio ",
        "engine",
    ];
    table::print("solvers", &header, &rows);
    println!(
        "all {} questions: bitwuzla {}, z3 {}, ratio {:.1}",
        all.questions,
        seconds(all.bitwuzla),
        seconds(all.z3),
        all.ratio()
    );
    println!(
        "the {} that reach a solver: bitwuzla {}, z3 {}, ratio {:.1} (aim 2)",
        left.questions,
        seconds(left.bitwuzla),
        seconds(left.z3),
        left.ratio()
    );
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len().max(1) as f64).exp();
    println!("geometric mean of the programs' ratios there: {mean:.1}");
    println!("{:.1} % never reach a solver (aim 80)", 100.0 * spared as f64 / all.questions as f64);
    Ok(())
}
