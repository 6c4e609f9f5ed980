//! Solvers against each other on recorded path conditions, and what never reaches them.

mod explore;
mod subjects;

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use hydrogen_term::{Answer, Bitwuzla, Engine, Limits, Smtlib, Solver};

use self::explore::Recording;
use crate::table;

const LIMITS: Limits = Limits { time: Duration::from_secs(3), memory: 4096 };

/// Time and answers of one solver on all questions of a recording, in order and one process or context for all.
fn measure(recording: &Recording, solver: &mut dyn Solver) -> (Duration, Vec<&'static str>) {
    let started = Instant::now();
    let answers = recording.queries.iter().map(|query| solver.check(&recording.pool, query, &LIMITS).word());
    let answers = answers.collect();
    (started.elapsed(), answers)
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

/// Prints the table.
pub fn run() -> Result<()> {
    if !Bitwuzla::is_available() {
        bail!("this build has no Bitwuzla; run scripts/setup.sh and try again");
    }
    let mut rows = Vec::new();
    let (mut all, mut fast, mut slow, mut asked, mut called) = (0, Duration::ZERO, Duration::ZERO, 0, 0);
    for mut recording in subjects::record() {
        let (bitwuzla, first) = measure(&recording, &mut Bitwuzla::new());
        let (z3, second) = measure(&recording, &mut Smtlib::z3());
        let contradicts = |(a, b): (&&str, &&str)| a != b && *a != "unknown" && *b != "unknown";
        if first.iter().zip(&second).any(contradicts) {
            bail!("the solvers disagree on {}", recording.name);
        }
        let unknown = |answers: &[&str]| answers.iter().filter(|&&answer| answer == "unknown").count();
        let mut engine = Engine::new(Bitwuzla::new(), LIMITS);
        let started = Instant::now();
        for query in &recording.queries {
            if let Answer::Unknown(hydrogen_term::Reason::Unsupported(why)) =
                engine.check(&mut recording.pool, query)
            {
                bail!("{}: {why}", recording.name);
            }
        }
        let engine_time = started.elapsed();
        let counters = engine.counters();
        rows.push(vec![
            recording.name.to_owned(),
            recording.paths.to_string(),
            recording.queries.len().to_string(),
            seconds(bitwuzla),
            seconds(z3),
            format!("{:.1}", z3.as_secs_f64() / bitwuzla.as_secs_f64()),
            format!("{} / {}", unknown(&first), unknown(&second)),
            counters.by_simplifier.to_string(),
            (counters.by_model_cache + counters.by_unsat_cache).to_string(),
            counters.by_guess.to_string(),
            counters.by_solver.to_string(),
            seconds(engine_time),
        ]);
        all += recording.queries.len();
        fast += bitwuzla;
        slow += z3;
        asked += counters.asked;
        called += counters.by_solver;
    }
    let header = [
        "program",
        "paths",
        "questions",
        "bitwuzla",
        "z3",
        "z3 / bitwuzla",
        "unknown",
        "simplifier",
        "caches",
        "guesses",
        "solver",
        "engine",
    ];
    table::print("solvers", &header, &rows);
    println!(
        "{all} questions: bitwuzla {}, z3 {}, ratio {:.1} (aim 2); {:.1} % never reach a solver (aim 80)",
        seconds(fast),
        seconds(slow),
        slow.as_secs_f64() / fast.as_secs_f64(),
        100.0 * (1.0 - called as f64 / asked as f64)
    );
    Ok(())
}
