//! Inputs that fulfil a condition and are close to the failing one: few bytes change, and these to values that people can read.

use crate::independent::Independent;
use crate::simplified::simplified;
use hydrogen_evidence::Input;
use hydrogen_explore::Assignment;
use hydrogen_term::{Answer, Engine, Model, Pool, Solver, Term, Value};
use rustc_hash::FxHashSet;

/// So many other values are tried for what cannot be kept.
const MOST_TRIED: usize = 24;

/// The answer to a question.
pub(crate) enum Found {
    /// This input fulfils it, and what belongs to it.
    Input(Box<Input>),
    /// None does.
    None,
    /// The solver did not say; whether it says that none does where the rest of the input is kept.
    Unknown { lost: bool },
}

/// An answer, and the size of the question before and after the rest of the input was kept, where that was needed.
pub(crate) struct Nearest {
    pub(crate) found: Found,
    pub(crate) kept: Option<[usize; 2]>,
}

/// Looks for an input that fulfils a question and the conditions that it is about.
pub(crate) fn nearest<S: Solver>(
    engine: &mut Engine<S>,
    pool: &mut Pool,
    conditions: &mut Independent,
    question: Term,
    near: &Input,
) -> Nearest {
    let mut constraints = conditions.about(pool, question);
    constraints.push(question);
    let own: FxHashSet<Term> = conditions.variables(pool, question).iter().copied().collect();
    let mut variables = pool.variables(&constraints);
    // Often it is enough to change what the question itself reads (the simplification of T5.2.2), so the rest is tried first to be
    // kept. Where that cannot be, nothing is lost.
    variables.sort_by_key(|one| own.contains(one));
    let now = near.model(pool, &variables);
    let wished: Vec<(Term, u128)> = variables.iter().map(|one| (*one, value(&now, *one))).collect();
    let mut kept = None;
    let mut best = match engine.near(pool, &constraints, &wished) {
        Answer::Sat(model) => model,
        Answer::Unsat => return Nearest { found: Found::None, kept },
        Answer::Unknown(_) => {
            let again = simplified(engine, pool, &constraints, &own, &now);
            kept = Some(again.sizes);
            match again.answer {
                Answer::Sat(model) => completed(pool, &variables, &own, model, &now),
                answer => {
                    let lost = matches!(answer, Answer::Unsat);
                    return Nearest { found: Found::Unknown { lost }, kept };
                }
            }
        }
    };
    let moved = |model: &Model, variable: Term| value(model, variable) != value(&now, variable);
    let mut asked = constraints.clone();
    for variable in variables.iter().filter(|one| !moved(&best, **one)) {
        asked.push(keep(pool, &now, *variable));
    }
    let mut tried = 0;
    // What cannot, takes a value of the same kind where there is one.
    for variable in variables {
        if !moved(&best, variable) || tried > MOST_TRIED {
            continue;
        }
        for wish in wishes(pool, &now, variable) {
            tried += 1;
            asked.push(wish);
            match engine.check(pool, &asked) {
                Answer::Sat(model) => {
                    best = model;
                    break;
                }
                _ => drop(asked.pop()),
            }
        }
    }
    let mut own = Model::new();
    for variable in pool.variables(&constraints) {
        own.set(variable, Value::Bits { width: pool.width(variable), value: value(&best, variable) });
    }
    Nearest { found: Found::Input(Box::new(near.with_model(pool, &own))), kept }
}

/// A model of what a question reads itself, with the values that the rest has.
fn completed(pool: &Pool, variables: &[Term], own: &FxHashSet<Term>, model: Model, now: &Model) -> Model {
    let mut all = Model::new();
    for variable in variables {
        let from = if own.contains(variable) { &model } else { now };
        all.set(*variable, Value::Bits { width: pool.width(*variable), value: value(from, *variable) });
    }
    all
}

/// What a model does not mention is zero.
fn value(model: &Model, variable: Term) -> u128 {
    model.variables.get(&variable).and_then(|value| value.as_bits()).unwrap_or(0)
}

fn keep(pool: &mut Pool, now: &Model, variable: Term) -> Term {
    let width = pool.width(variable);
    let value = pool.bits(width, value(now, variable));
    pool.eq(variable, value)
}

/// Conditions on a value that make it look like the present one, the best first.
fn wishes(pool: &mut Pool, now: &Model, variable: Term) -> Vec<Term> {
    let (width, value) = (pool.width(variable), value(now, variable));
    if width != 8 {
        let now = pool.bits(width, value);
        let mut wishes = Vec::new();
        for far in [1u128, 4, 16, 64, 256, 1024, 1 << 16].into_iter().filter(|far| far >> (width - 1) == 0) {
            let (far, twice) = (pool.bits(width, far), pool.bits(width, 2 * far));
            let least = pool.sub(now, far);
            let above = pool.sub(variable, least);
            wishes.push(pool.ule(above, twice));
        }
        return wishes;
    }
    let mut between = |low: u8, high: u8| {
        let (low, high) = (pool.bits(8, low.into()), pool.bits(8, high.into()));
        let (above, below) = (pool.uge(variable, low), pool.ule(variable, high));
        pool.and(above, below)
    };
    match value as u8 {
        b'0'..=b'9' => vec![between(b'0', b'9'), between(b'!', b'~')],
        b'a'..=b'z' => vec![between(b'a', b'z'), between(b'A', b'Z'), between(b'!', b'~')],
        b'A'..=b'Z' => vec![between(b'A', b'Z'), between(b'a', b'z'), between(b'!', b'~')],
        _ => vec![between(b'a', b'z'), between(b'0', b'9'), between(b' ', b'~')],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hydrogen_term::{Limits, Reason, Sort, standard};

    /// A solver that gives up as soon as a question has two variables.
    struct Weak(Box<dyn Solver + Send>);

    impl Solver for Weak {
        fn name(&self) -> &str {
            "weak"
        }

        fn check(&mut self, pool: &Pool, constraints: &[Term], limits: &Limits) -> Answer {
            match pool.variables(constraints).len() {
                0 | 1 => self.0.check(pool, constraints, limits),
                _ => Answer::Unknown(Reason::Timeout),
            }
        }
    }

    /// Whether `x * x + y * y * y` can be what it is with `x` between two limits: nothing that can be solved by rewriting.
    fn ask(above: u128, below: u128) -> Nearest {
        let mut pool = Pool::new();
        let [x, y] = ["stdin[0]", "stdin[1]"].map(|name| pool.var(name, Sort::Bits(8)));
        let square = pool.mul(x, x);
        let cube = pool.mul(y, y);
        let cube = pool.mul(cube, y);
        let sum = pool.add(square, cube);
        let now = b'c'.wrapping_mul(b'c');
        let now = pool.bits(8, now.wrapping_add(now.wrapping_mul(b'c')).into());
        let mut conditions = Independent::default();
        let kept = pool.eq(sum, now);
        conditions.add(&pool, kept);
        let [above, below] = [above, below].map(|limit| pool.bits(8, limit));
        let (above, below) = (pool.ult(above, x), pool.ult(x, below));
        let question = pool.and(above, below);
        let mut engine = Engine::new(Weak(standard()), Limits::default());
        let near = Input { stdin: b"cc".to_vec(), exact: true, ..Input::default() };
        nearest(&mut engine, &mut pool, &mut conditions, question, &near)
    }

    /// With the rest of the input kept, a question that was too hard has an answer, which fulfils all of it: 157 has the square of 99.
    #[test]
    fn what_is_too_hard_is_asked_again_with_the_rest_kept() {
        let found = ask(150, 160);
        let Found::Input(input) = found.found else { panic!("an input") };
        assert_eq!(input.stdin, [157, b'c'], "{input:?}");
        let [before, after] = found.kept.expect("it was asked again");
        assert!(after < before, "{before} {after}");
    }

    /// N-3: that nothing is found this way is no answer.
    #[test]
    fn nothing_found_with_the_rest_kept_is_no_answer() {
        let found = ask(100, 150);
        assert!(matches!(found.found, Found::Unknown { lost: true }));
    }
}
