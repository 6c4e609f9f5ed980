//! Sums of products that are zero wherever both versions are at a pair of places: found by linear algebra over what runs had there.
//!
//! `s = i * i`, `c = i * m + j`, `a = q * b + r`: numbers of 32 or 64 bits form a ring, so that such a sum stays zero is most often a matter of
//! expanding products, and no solver is asked.

use crate::{
    code::Var,
    context::Context,
    data::{Row, Trace},
    relation::Operand,
    state::State,
    variables::number,
};
use hydrogen_term::{Sort, Term};
use std::collections::BTreeMap;

/// Variables that a sum is looked for among.
const MOST_VARIABLES: usize = 7;
/// Sums at one pair of places.
const MOST_SUMS: usize = 10;
/// Coefficients are small.
const LARGEST: i128 = 64;
/// Larger numbers may have wrapped.
const MOST: i128 = 1 << 28;
/// The field in which equations are solved.
const PRIME: i128 = (1 << 61) - 1;

/// A factor of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(crate) enum Factor {
    /// A variable of either version.
    Variable(Operand),
    /// What a parameter was at the beginning.
    Input(u32),
}

/// Products with their coefficients; together they are zero.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(crate) struct Sum {
    pub width: u32,
    pub products: Vec<(i128, Vec<Factor>)>,
}

impl Sum {
    /// The sum in two states.
    pub fn value(&self, context: &mut Context, old: &State, new: &State) -> Option<Term> {
        let mut sum = context.pool.bits(self.width, 0);
        for (coefficient, factors) in &self.products {
            let mut product = context.pool.signed_bits(self.width, *coefficient);
            for factor in factors {
                let term = match *factor {
                    Factor::Variable(Operand::Old(var)) => number(old, var)?,
                    Factor::Variable(Operand::New(var)) => number(new, var)?,
                    Factor::Variable(Operand::Number(_)) => return None,
                    Factor::Input(n) => context.pool.var(&format!("parameter {n}"), Sort::Bits(self.width)),
                };
                if context.pool.sort(term) != Sort::Bits(self.width) {
                    return None;
                }
                product = context.pool.mul(product, term);
            }
            sum = context.pool.add(sum, product);
        }
        Some(sum)
    }
}

/// What is known of a place in one run: both rows and what came in.
pub(crate) type Sample<'r> = (&'r Row, &'r Row, &'r Row);

/// The row of the beginning.
pub(crate) fn inputs(trace: &Trace) -> Row {
    trace.first().map(|(_, row)| row.clone()).unwrap_or_default()
}

/// Sums that all samples agree with.
pub(crate) fn sums(samples: &[Sample], olds: &BTreeMap<Var, u32>, news: &BTreeMap<Var, u32>) -> Vec<Sum> {
    let mut found = Vec::new();
    for width in [32, 64] {
        let mut all: Vec<(Factor, Vec<i128>)> = Vec::new();
        let inputs = samples.first().map_or_else(Vec::new, |one| one.2.keys().copied().collect::<Vec<_>>());
        let inputs = inputs.into_iter().filter_map(|var| match var {
            Var::Parameter(0, n) if n != u32::MAX => Some(Factor::Input(n)),
            _ => None,
        });
        let own = olds.keys().map(|&var| Factor::Variable(Operand::Old(var)));
        let others = news.keys().map(|&var| Factor::Variable(Operand::New(var)));
        for factor in own.chain(others).chain(inputs) {
            let values: Option<Vec<i128>> = samples.iter().map(|one| seen(one, factor, width)).collect();
            let Some(values) = values.filter(|values| values.iter().any(|one| Some(one) != values.first()))
            else {
                continue;
            };
            // One of several that are always equal is enough.
            if all.len() < MOST_VARIABLES && all.iter().all(|(_, other)| *other != values) {
                all.push((factor, values));
            }
        }
        found.extend(vanishing(&all, samples.len(), width));
    }
    found.truncate(MOST_SUMS);
    found
}

fn seen(sample: &Sample, factor: Factor, width: u32) -> Option<i128> {
    let value = match factor {
        Factor::Variable(Operand::Old(var)) => sample.0.get(&var),
        Factor::Variable(Operand::New(var)) => sample.1.get(&var),
        Factor::Input(n) => sample.2.get(&Var::Parameter(0, n)),
        Factor::Variable(Operand::Number(_)) => None,
    };
    let &(wide, bits) = value?;
    let value = (bits << (128 - wide)) as i128 >> (128 - wide);
    (wide == width && value.abs() < MOST).then_some(value)
}

/// Combinations of products of up to two factors that are zero in all samples.
fn vanishing(variables: &[(Factor, Vec<i128>)], samples: usize, width: u32) -> Vec<Sum> {
    let mut products: Vec<Vec<usize>> = Vec::new();
    for one in 0..variables.len() {
        products.extend((one..variables.len()).map(|other| vec![one, other]));
    }
    products.extend((0..variables.len()).map(|one| vec![one]));
    products.push(Vec::new());
    if variables.is_empty() || samples < products.len() + 4 {
        return Vec::new();
    }
    let row = |at: usize| -> Vec<i128> {
        let value = |product: &Vec<usize>| product.iter().fold(1, |all, &one| all * variables[one].1[at]);
        products.iter().map(|product| value(product).rem_euclid(PRIME)).collect()
    };
    let (rows, pivots) = reduced((0..samples).map(row), products.len());
    let mut found = Vec::new();
    for free in (0..products.len()).filter(|column| !pivots.contains(column)) {
        let mut vector = vec![0; products.len()];
        vector[free] = 1;
        for (row, &pivot) in rows.iter().zip(&pivots) {
            vector[pivot] = (PRIME - row[free]) % PRIME;
        }
        if let Some(coefficients) = small(&vector) {
            let named = |product: &Vec<usize>| product.iter().map(|&one| variables[one].0).collect();
            let products = coefficients.iter().zip(&products).filter(|(one, _)| **one != 0);
            let products: Vec<(i128, Vec<Factor>)> =
                products.map(|(one, product)| (*one, named(product))).collect();
            if products.len() > 1 && products.len() <= 8 {
                found.push(Sum { width, products });
            }
        }
    }
    found
}

/// Rows in echelon form, with the column that each begins with.
fn reduced(rows: impl Iterator<Item = Vec<i128>>, columns: usize) -> (Vec<Vec<i128>>, Vec<usize>) {
    let (mut done, mut pivots): (Vec<Vec<i128>>, Vec<usize>) = (Vec::new(), Vec::new());
    let subtract = |from: &mut Vec<i128>, row: &[i128], column: usize| {
        let factor = from[column];
        if factor != 0 {
            for (a, b) in from.iter_mut().zip(row) {
                *a = (*a - times(factor, *b)).rem_euclid(PRIME);
            }
        }
    };
    for mut row in rows {
        for (other, &pivot) in done.iter().zip(&pivots) {
            subtract(&mut row, other, pivot);
        }
        let Some(pivot) = (0..columns).find(|&column| row[column] != 0) else { continue };
        let inverse = power(row[pivot], PRIME - 2);
        row.iter_mut().for_each(|one| *one = times(*one, inverse));
        for other in &mut done {
            subtract(other, &row, pivot);
        }
        done.push(row);
        pivots.push(pivot);
    }
    (done, pivots)
}

fn times(a: i128, b: i128) -> i128 {
    // Both are below 2^61.
    (a * b).rem_euclid(PRIME)
}

fn power(base: i128, mut exponent: i128) -> i128 {
    let (mut result, mut base) = (1, base);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, base);
        }
        base = times(base, base);
        exponent >>= 1;
    }
    result
}

/// A multiple of a vector with small whole numbers.
fn small(vector: &[i128]) -> Option<Vec<i128>> {
    [1, 2, 3, 6].into_iter().find_map(|factor| {
        let scaled = vector.iter().map(|&one| {
            let value = times(one, factor);
            let value = if value > PRIME / 2 { value - PRIME } else { value };
            (value.abs() <= LARGEST).then_some(value)
        });
        scaled.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_and_a_product_are_found() {
        let (i, s, m) = (Var::Slot(0), Var::Slot(1), Var::Slot(2));
        let mut rows = Vec::new();
        for number in 0u128..9 {
            for m_value in 1u128..8 {
                let value = |bits: u128| (32, bits);
                rows.push(Row::from([
                    (i, value(number)),
                    (s, value(number * m_value + 3)),
                    (m, value(m_value)),
                ]));
            }
        }
        let none = Row::new();
        let samples: Vec<Sample> = rows.iter().map(|row| (row, &none, &none)).collect();
        let olds = BTreeMap::from([(i, 32), (s, 32), (m, 32)]);
        let found = sums(&samples, &olds, &BTreeMap::new());
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].products.len(), 3, "{found:?}");
    }
}
