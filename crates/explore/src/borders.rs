//! The values of a size that are worth a run of their own: none, one, and the limits that the program compares it with.

use crate::concolic::Concolic;
use hydrogen_term::{Op, Substitution, Term};
use std::collections::BTreeSet;

/// So many conditions are looked at, from the last one on.
const MOST_CONDITIONS: usize = 64;
/// So many values of one size.
const MOST_BORDERS: usize = 8;

impl Concolic<'_> {
    /// Whether a value that must be known is at a border; otherwise that it is none of them. Both are branches, so that borders are tried.
    pub(crate) fn is_at_border(&mut self, term: Term, value: u128) -> bool {
        let width = self.pool.width(term);
        for border in self.borders(term) {
            let constant = self.pool.bits(width, border);
            let equal = self.pool.eq(term, constant);
            if border == value {
                self.require_choice(equal);
                return true;
            }
            let other = self.pool.not(equal);
            self.require_choice(other);
        }
        false
    }

    /// What a term is where something in it is at, before or behind a constant that it was compared with, and 0 and 1. This follows from the
    /// conditions so far alone, so that all runs that fulfil them see the same borders.
    fn borders(&mut self, term: Term) -> Vec<u128> {
        let inner: BTreeSet<Term> = self.pool.postorder(&[term]).into_iter().collect();
        let mut found = vec![0, 1];
        let conditions: Vec<Term> =
            self.path.iter().rev().take(MOST_CONDITIONS).map(|one| one.term).collect();
        for condition in conditions {
            let Some((compared, limit)) = self.limit(condition) else { continue };
            let forms = self.widened(compared);
            if !forms.iter().any(|form| inner.contains(form)) {
                continue;
            }
            let width = self.pool.width(compared);
            for step in [0, 1, u128::MAX] {
                let near = limit.wrapping_add(step) & (u128::MAX >> (128 - width));
                let near = self.pool.bits(width, near);
                let near = self.widened(near);
                let mut put: Substitution = forms.iter().copied().zip(near).collect();
                let there = self.pool.substitute_with(term, &mut put);
                found.extend(self.pool.as_bits(there).filter(|one| !found.contains(one)));
            }
            if found.len() >= MOST_BORDERS {
                break;
            }
        }
        found.truncate(MOST_BORDERS);
        found
    }

    /// A value as it is, and as it is made wider.
    fn widened(&mut self, term: Term) -> Vec<Term> {
        let width = self.pool.width(term);
        let mut forms = vec![term];
        for wide in [32, 64].into_iter().filter(|wide| *wide > width) {
            forms.push(self.pool.zext(term, wide));
            forms.push(self.pool.sext(term, wide));
        }
        forms
    }

    /// What a condition compares with which constant.
    fn limit(&self, condition: Term) -> Option<(Term, u128)> {
        let condition = match self.pool.op(condition) {
            Op::Not => self.pool.args(condition)[0],
            _ => condition,
        };
        if !matches!(self.pool.op(condition), Op::Ult | Op::Slt | Op::Eq) {
            return None;
        }
        let [one, two] = *self.pool.args(condition) else { return None };
        match (self.pool.as_bits(one), self.pool.as_bits(two)) {
            (None, Some(limit)) => Some((one, limit)),
            (Some(limit), None) => Some((two, limit)),
            _ => None,
        }
    }
}
