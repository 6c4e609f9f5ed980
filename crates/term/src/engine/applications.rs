//! Uninterpreted functions taken out of a question: each application becomes a variable, and that equal arguments give equal values becomes
//! a constraint (Ackermann's reduction). Few applications of many functions are what analyses ask about; a solver that finds out about each
//! pair in a round of its own takes many times longer.

use rustc_hash::FxHashMap;

use crate::{
    eval::Evaluator,
    pool::Pool,
    rewrite::Substitution,
    sort::Sort,
    term::{Args, Function, Op, Term},
    value::Model,
};

/// Pairs of applications that are compared in advance; a function with more is left to the solver.
const MOST_PAIRS: usize = 150;

/// An application, with the variable in its place.
struct Application {
    variable: Term,
    /// Without applications in them.
    arguments: Args,
}

/// The applications of a question.
pub(super) struct Applications {
    by_function: Vec<(Function, Vec<Application>)>,
    replaced: Substitution,
}

impl Applications {
    /// Those in the constraints.
    pub fn of(pool: &mut Pool, constraints: &[Term]) -> Self {
        let mut found: FxHashMap<Function, Vec<Term>> = FxHashMap::default();
        let mut order = Vec::new();
        for term in pool.postorder(constraints) {
            if let Op::Apply(function) = pool.op(term)
                && pool
                    .args(term)
                    .iter()
                    .chain([&term])
                    .all(|&one| !matches!(pool.sort(one), Sort::Array { .. }))
            {
                let terms = found.entry(function).or_default();
                if terms.is_empty() {
                    order.push(function);
                }
                terms.push(term);
            }
        }
        order.retain(|function| {
            let count = found[function].len();
            count * (count - 1) / 2 <= MOST_PAIRS
        });
        let mut replaced = Substitution::default();
        for term in order.iter().flat_map(|function| &found[function]) {
            let variable = pool.var(&format!("{NAME}{}", term.index()), pool.sort(*term));
            replaced.insert(*term, variable);
        }
        let keys = replaced.clone();
        let by_function = order
            .into_iter()
            .map(|function| {
                let application = |&term: &Term| Application {
                    variable: keys[&term],
                    arguments: {
                        let old: Args = pool.args(term).iter().copied().collect();
                        old.iter().map(|&arg| pool.substitute_with(arg, &mut replaced)).collect()
                    },
                };
                (function, found[&function].iter().map(application).collect())
            })
            .collect();
        Self { by_function, replaced }
    }

    /// The constraints without the applications.
    pub fn replace(&mut self, pool: &mut Pool, constraints: &[Term]) -> Vec<Term> {
        let mut all: Vec<Term> =
            constraints.iter().map(|&one| pool.substitute_with(one, &mut self.replaced)).collect();
        for (_, applications) in &self.by_function {
            for (at, one) in applications.iter().enumerate() {
                for other in &applications[..at] {
                    let mut equal = pool.eq(one.variable, other.variable);
                    for (&left, &right) in one.arguments.iter().zip(&other.arguments) {
                        let differ = pool.ne(left, right);
                        equal = pool.or(differ, equal);
                    }
                    all.push(equal);
                }
            }
        }
        all.retain(|&one| pool.as_bool(one) != Some(true));
        all
    }

    /// The model with values of functions instead of those of the variables.
    pub fn restore(&self, pool: &Pool, mut model: Model) -> Model {
        let mut tables = Vec::new();
        let mut evaluator = Evaluator::new(pool, &model);
        for (function, applications) in &self.by_function {
            for one in applications {
                let arguments: Vec<u128> = one.arguments.iter().map(|&arg| evaluator.bits(arg)).collect();
                tables.push((*function, arguments, evaluator.bits(one.variable)));
            }
        }
        for (function, arguments, value) in tables {
            model.functions.entry(function).or_default().entries.insert(arguments, value);
        }
        for one in self.by_function.iter().flat_map(|(_, all)| all) {
            model.variables.remove(&one.variable);
        }
        model
    }
}

/// What the variables are called; no analysis calls its own like this.
const NAME: &str = "application ";
