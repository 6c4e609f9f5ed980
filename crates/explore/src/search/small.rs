//! Questions about few bytes: trying their values is exact, often faster than a solver, and gives inputs that people can read.

use hydrogen_term::{Answer, Evaluator, Model, Pool, Term, Value};

/// More bytes than this are left to the solver.
const MOST_BYTES: usize = 5;
/// So many nodes of terms are looked at before the solver is asked after all.
const MOST_WORK: usize = 400_000;

struct Search<'a> {
    pool: &'a Pool,
    variables: Vec<Term>,
    /// The values to try, by variable.
    values: Vec<Vec<u8>>,
    /// Conditions that can be decided once a variable has a value, with their size.
    decided: Vec<(Vec<Term>, usize)>,
    work: usize,
}

/// The answer to whether the conditions can hold together; `None` when they are not about few bytes, or too large.
/// `now` gives the present value of a variable, which is tried first.
pub(super) fn decide(pool: &Pool, asked: &[Term], now: impl Fn(Term) -> u8) -> Option<Answer> {
    let variables = pool.variables(asked);
    if variables.len() > MOST_BYTES || variables.iter().any(|one| pool.width(*one) != 8) {
        return None;
    }
    let mut decided = vec![(Vec::new(), 0); variables.len()];
    let mut alone = vec![Vec::new(); variables.len()];
    for condition in asked {
        let own = pool.variables(&[*condition]);
        let last = variables.iter().rposition(|one| own.contains(one))?;
        match own.len() {
            1 => alone[last].push(*condition),
            _ => decided[last].0.push(*condition),
        }
    }
    for (conditions, size) in &mut decided {
        *size = pool.postorder(conditions).len();
    }
    // What speaks about one byte is asked once for each of its values, not again for each of those of others.
    let (mut values, mut work) = (Vec::new(), 0);
    for (variable, conditions) in variables.iter().zip(&alone) {
        let mut left = order(now(*variable));
        if !conditions.is_empty() {
            work += left.len() * pool.postorder(conditions).len();
            if work > MOST_WORK {
                return None;
            }
            left.retain(|value| {
                let mut model = Model::new();
                model.set(*variable, Value::Bits { width: 8, value: u128::from(*value) });
                let mut evaluator = Evaluator::new(pool, &model);
                conditions.iter().all(|condition| evaluator.holds(*condition))
            });
        }
        values.push(left);
    }
    let mut search = Search { pool, variables, values, decided, work };
    let mut model = Model::new();
    search.assign(0, &mut model).map(|found| if found { Answer::Sat(model) } else { Answer::Unsat })
}

impl Search<'_> {
    /// Whether the variables from this one on have values that fit; `None` when it is too much work.
    fn assign(&mut self, index: usize, model: &mut Model) -> Option<bool> {
        let Some(variable) = self.variables.get(index).copied() else { return Some(true) };
        for position in 0..self.values[index].len() {
            let value = self.values[index][position];
            model.set(variable, Value::Bits { width: 8, value: u128::from(value) });
            let (conditions, size) = &self.decided[index];
            self.work += size + 1;
            if self.work > MOST_WORK {
                return None;
            }
            let mut evaluator = Evaluator::new(self.pool, model);
            if conditions.iter().all(|condition| evaluator.holds(*condition))
                && self.assign(index + 1, model)?
            {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// All values of a byte: the present one, letters, digits, other characters, the rest.
fn order(now: u8) -> Vec<u8> {
    let rank = |byte: &u8| match *byte {
        byte if byte == now => 0,
        b'a'..=b'z' => 1,
        b'0'..=b'9' => 2,
        b'A'..=b'Z' => 3,
        b' '..=b'~' => 4,
        b'\n' | b'\t' => 5,
        _ => 6,
    };
    let mut all: Vec<u8> = (0..=255).collect();
    all.sort_by_key(rank);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use hydrogen_term::Sort;

    #[test]
    fn few_bytes_are_tried() {
        let mut pool = Pool::new();
        let (a, b) = (pool.var("a", Sort::Bits(8)), pool.var("b", Sort::Bits(8)));
        let sum = pool.add(a, b);
        let (limit, goal) = (pool.bits(8, 10), pool.bits(8, b'a'.into()));
        let less = pool.ult(a, limit);
        let equal = pool.eq(sum, goal);
        let Some(Answer::Sat(model)) = decide(&pool, &[less, equal], |_| 3) else { panic!("there is one") };
        let mut evaluator = Evaluator::new(&pool, &model);
        assert_eq!((evaluator.bits(a), evaluator.bits(b)), (3, u128::from(b'a') - 3));
        // Of several bytes each has its own conditions, and the first that fits is the answer.
        let c = pool.var("c", Sort::Bits(8));
        let (beside, twice) = (pool.ult(limit, b), pool.add(a, a));
        let same = pool.eq(twice, c);
        let all = [less, beside, equal, same];
        let Some(Answer::Sat(model)) = decide(&pool, &all, |_| 4) else { panic!("there is one") };
        let mut evaluator = Evaluator::new(&pool, &model);
        assert_eq!([a, b, c].map(|one| evaluator.bits(one)), [4, u128::from(b'a') - 4, 8]);
        let differs = pool.not(equal);
        assert_eq!(decide(&pool, &[equal, less, differs], |_| 0), Some(Answer::Unsat));
        let wide = pool.var("w", Sort::Bits(32));
        let zero = pool.bits(32, 0);
        let none = pool.eq(wide, zero);
        assert_eq!(decide(&pool, &[none], |_| 0), None);
    }
}
