//! How much of the input space is decided: counted where the conditions fall apart into single numbers, estimated otherwise.

use crate::cell::Cell;
use crate::found::Found;
use hydrogen_evidence::partitioned::{Measure, Share, Status};
use hydrogen_stop::Stop;
use hydrogen_term::{
    Answer, Engine, Evaluator, Model, Pool, Solver, Sort, Term, Value, components, standard,
};
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};

/// Numbers of up to so many bits together are tried one by one.
const TRIED_BITS: u32 = 16;
/// Terms that are evaluated for that; long runs have thousands of conditions.
const TRIED_TERMS: u64 = 1 << 26;
/// Parts that the values of one number are split into: where a condition changes from one value to the next (`k & 1`), every value
/// would be a part of its own.
const SPLITS: u32 = 20_000;
/// Questions about one number.
const QUESTIONS: u32 = 600;
/// Inputs of an estimate, and of one with so many conditions that these would take too long.
const SAMPLES: u64 = 2000;
const FEWEST: u64 = 200;

impl Found {
    /// How much of the input space is decided.
    pub fn share(&mut self) -> Share {
        // One evaluation of the conditions of a long run can take longer than all that counting may.
        let stop = Stop::at(Instant::now() + 2 * COUNTING);
        hydrogen_stop::within(&stop, || self.counted_or_estimated()).unwrap_or_else(|_| Share {
            equal: Measure::estimated(0, 0),
            different: Measure::estimated(0, 0),
            rest: Measure::estimated(0, 0),
        })
    }

    fn counted_or_estimated(&mut self) -> Share {
        let exact = Counter::new(&self.domain).and_then_count(&mut self.pool, &self.cells);
        if let Some((equal, different)) = exact {
            let rest = match self.status {
                Status::Complete if self.excluded.is_empty() => 0.0,
                _ => 1.0 - equal - different,
            };
            let (equal, different) = (Measure::exact(equal), Measure::exact(different));
            return Share { equal, different, rest: Measure::exact(rest) };
        }
        estimate(self)
    }
}

/// Time for counting exactly; what takes longer is estimated.
const COUNTING: Duration = Duration::from_secs(2);

/// Counts inputs by what does not depend on each other.
struct Counter<'a> {
    domain: &'a [Term],
    engine: Engine<Box<dyn Solver + Send>>,
    /// Parts of conditions that were counted before: most cells share most of theirs.
    known: FxHashMap<Vec<Term>, Option<f64>>,
    /// Terms that may still be evaluated to try values one by one.
    left: u64,
}

impl<'a> Counter<'a> {
    fn new(domain: &'a [Term]) -> Self {
        let limits = hydrogen_term::Limits {
            time: Duration::from_secs(1),
            memory: 1024,
            ..hydrogen_term::Limits::default()
        };
        let mut engine = Engine::new(standard(), limits);
        engine.set_deadline(Instant::now() + COUNTING);
        Self { domain, engine, known: FxHashMap::default(), left: TRIED_TERMS }
    }

    /// The parts of equal and of different inputs; none where something cannot be counted.
    fn and_then_count(mut self, pool: &mut Pool, cells: &[Cell]) -> Option<(f64, f64)> {
        let (mut equal, mut different) = (0.0, 0.0);
        for cell in cells {
            let part = self.part(pool, &cell.condition)?;
            *(if cell.is_equal() { &mut equal } else { &mut different }) += part;
        }
        Some((equal, different))
    }

    /// The part of inputs that fulfil all conditions.
    fn part(&mut self, pool: &mut Pool, conditions: &[Term]) -> Option<f64> {
        let conditions: Vec<Term> =
            conditions.iter().copied().filter(|term| pool.as_bool(*term) != Some(true)).collect();
        let mut part = 1.0;
        for mut group in components(pool, &conditions) {
            group.sort_unstable();
            group.dedup();
            let counted = match self.known.get(&group) {
                Some(known) => *known,
                None => {
                    let counted = self.group(pool, &group);
                    self.known.insert(group, counted);
                    counted
                }
            };
            part *= counted?;
        }
        Some(part)
    }

    fn group(&mut self, pool: &mut Pool, group: &[Term]) -> Option<f64> {
        let variables = pool.variables(group);
        let own = |term: &&Term| {
            let inner = pool.variables(&[**term]);
            inner.iter().all(|one| variables.contains(one))
        };
        let domain: Vec<Term> = self.domain.iter().filter(own).copied().collect();
        let both: Vec<Term> = group.iter().chain(&domain).copied().collect();
        let bits: u32 = variables.iter().map(|one| pool.width(*one)).sum();
        let (some, all) = match variables.as_slice() {
            _ if bits <= TRIED_BITS => {
                let work = (pool.postorder(&both).len() as u64) << bits;
                self.left = self.left.checked_sub(work)?;
                (tried(pool, &variables, &both), tried(pool, &variables, &domain))
            }
            [one] if bits <= 64 => {
                let (mut left, mut splits) = (QUESTIONS, SPLITS);
                let some = self.number(pool, *one, &both, (&mut left, &mut splits))?;
                (
                    some,
                    if domain.is_empty() {
                        2f64.powi(bits as i32)
                    } else {
                        self.number(pool, *one, &domain, (&mut left, &mut splits))?
                    },
                )
            }
            _ => return None,
        };
        (all > 0.0).then(|| some / all)
    }

    /// How many values of one number fulfil conditions: halves that are all in or all out need no closer look.
    fn number(
        &mut self,
        pool: &mut Pool,
        variable: Term,
        conditions: &[Term],
        (left, splits): (&mut u32, &mut u32),
    ) -> Option<f64> {
        let width = pool.width(variable);
        let all = pool.and_all(conditions.iter().copied());
        let none = pool.not(all);
        let mut count = 0.0;
        let mut open = vec![(0u128, u128::MAX >> (128 - width))];
        while let Some((low, high)) = open.pop() {
            *splits = splits.checked_sub(1)?;
            let middle = low + (high - low) / 2;
            let holds = |value: u128| {
                let mut model = Model::new();
                model.set(variable, Value::Bits { width, value });
                Evaluator::new(pool, &model).holds(all)
            };
            let here = [holds(low), holds(middle), holds(high)];
            if low == high {
                count += f64::from(u8::from(here[0]));
                continue;
            }
            if here[0] == here[1] && here[1] == here[2] {
                *left = left.checked_sub(1)?;
                let (from, to) = (pool.bits(width, low), pool.bits(width, high));
                let inside =
                    [pool.uge(variable, from), pool.ule(variable, to), if here[0] { none } else { all }];
                match self.engine.check(pool, &inside) {
                    Answer::Unsat => {
                        count += if here[0] { (high - low) as f64 + 1.0 } else { 0.0 };
                        continue;
                    }
                    Answer::Sat(_) => {}
                    Answer::Unknown(_) => return None,
                }
            }
            open.extend([(low, middle), (middle + 1, high)]);
        }
        Some(count)
    }
}

/// How many values of few bits fulfil conditions.
fn tried(pool: &Pool, variables: &[Term], conditions: &[Term]) -> f64 {
    let bits: u32 = variables.iter().map(|one| pool.width(*one)).sum();
    let mut count = 0u64;
    for number in 0..1u64 << bits {
        let (mut model, mut rest) = (Model::new(), number);
        for variable in variables {
            let width = pool.width(*variable);
            model.set(*variable, Value::Bits { width, value: u128::from(rest & ((1 << width) - 1)) });
            rest >>= width;
        }
        let mut evaluator = Evaluator::new(pool, &model);
        count += u64::from(conditions.iter().all(|term| evaluator.holds(*term)));
    }
    count as f64
}

/// Looks into which cells random inputs fall. The numbers are the same every time.
fn estimate(found: &Found) -> Share {
    let pool = &found.pool;
    let terms: Vec<Term> =
        found.cells.iter().flat_map(|cell| &cell.condition).chain(&found.domain).copied().collect();
    let variables = pool.variables(&terms);
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let (mut equal, mut different, mut tries) = (0, 0, 0);
    let work = (terms.len() + pool.postorder(&terms).len()) as u64;
    for _ in 0..(TRIED_TERMS / work.max(1)).clamp(FEWEST, SAMPLES) {
        let mut model = Model::new();
        for variable in &variables {
            if let Sort::Bits(width) = pool.sort(*variable) {
                let value = (u128::from(next()) << 64 | u128::from(next())) & (u128::MAX >> (128 - width));
                model.set(*variable, Value::Bits { width, value });
            }
        }
        let mut evaluator = Evaluator::new(pool, &model);
        if !found.domain.iter().all(|term| evaluator.holds(*term)) {
            continue;
        }
        tries += 1;
        let cell = found.cells.iter().find(|cell| cell.condition.iter().all(|term| evaluator.holds(*term)));
        match cell {
            Some(cell) if cell.is_equal() => equal += 1,
            Some(_) => different += 1,
            None => {}
        }
    }
    let rest = match found.status {
        Status::Complete if found.excluded.is_empty() => Measure::exact(0.0),
        _ => Measure::estimated(tries - equal - different, tries),
    };
    Share { equal: Measure::estimated(equal, tries), different: Measure::estimated(different, tries), rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_counted_by_halves() {
        let mut pool = Pool::new();
        let x = pool.var("x", Sort::Bits(32));
        let y = pool.var("y", Sort::Bits(32));
        let (zero, ten) = (pool.bits(32, 0), pool.bits(32, 10));
        let (negative, small, is_ten) = (pool.slt(x, zero), pool.ult(x, ten), pool.eq(y, ten));
        let mut counter = Counter::new(&[]);
        assert_eq!(counter.part(&mut pool, &[negative]), Some(0.5));
        assert_eq!(counter.part(&mut pool, &[small]), Some(10.0 / 2f64.powi(32)));
        assert_eq!(counter.part(&mut pool, &[negative, is_ten]), Some(0.5 / 2f64.powi(32)));
        assert_eq!(counter.part(&mut pool, &[]), Some(1.0));
        let sum = pool.add(x, y);
        let together = pool.slt(sum, ten);
        assert_eq!(counter.part(&mut pool, &[together]), None, "two numbers at once are not counted");
        let domain = [pool.ule(x, ten)];
        let mut counter = Counter::new(&domain);
        assert_eq!(counter.part(&mut pool, &[small]), Some(10.0 / 11.0));
    }

    /// A loop that runs thousands of times gives as many conditions: trying every value on all of them would take minutes.
    #[test]
    fn many_conditions_are_not_tried_one_by_one() {
        let mut pool = Pool::new();
        let x = pool.var("x", Sort::Bits(16));
        let mut conditions = Vec::new();
        let mut power = x;
        for number in 0..3000 {
            let one = pool.bits(16, number);
            power = pool.mul(power, x);
            conditions.push(pool.ne(power, one));
        }
        assert_eq!(Counter::new(&[]).part(&mut pool, &conditions[..20]).map(|part| part > 0.0), Some(true));
        assert_eq!(Counter::new(&[]).part(&mut pool, &conditions), None);
    }

    /// Conditions that hold for every other value fall into as many intervals as there are values.
    #[test]
    fn numbers_that_alternate_are_not_counted_one_by_one() {
        let mut pool = Pool::new();
        let x = pool.var("x", Sort::Bits(64));
        for (mask, wanted) in [(1, 1), (3, 2), (0x11, 0x10), (7, 5)] {
            let (mask, wanted) = (pool.bits(64, mask), pool.bits(64, wanted));
            let low = pool.bitand(x, mask);
            let condition = pool.eq(low, wanted);
            assert_eq!(Counter::new(&[]).part(&mut pool, &[condition]), None);
        }
    }

    #[test]
    fn intervals_hold_what_was_seen() {
        let measure = Measure::estimated(30, 100);
        assert!(measure.low < 0.3 && 0.3 < measure.high && measure.high - measure.low < 0.2);
        assert_eq!(Measure::estimated(0, 100).low, 0.0);
        assert_eq!(Measure::estimated(100, 100).high, 1.0);
    }
}
