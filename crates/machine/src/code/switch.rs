//! Jump tables.

use super::instr::Pc;

/// Where a `switch` leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchTable {
    default: Pc,
    shape: Shape,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Shape {
    /// Targets by value, from `first`.
    Dense { first: u64, targets: Vec<Pc> },
    /// Sorted by value.
    Sparse(Vec<(u64, Pc)>),
}

impl SwitchTable {
    /// A table of the given arms; the values are zero-extended.
    pub(crate) fn new(default: Pc, mut arms: Vec<(u64, Pc)>) -> Self {
        arms.sort_unstable();
        let (Some(first), Some(last)) = (arms.first(), arms.last()) else {
            return Self { default, shape: Shape::Sparse(arms) };
        };
        let (first, span) = (first.0, last.0 - first.0);
        // A table may be four times larger than its arms, as compilers do it.
        if span / 4 > arms.len() as u64 {
            return Self { default, shape: Shape::Sparse(arms) };
        }
        let mut targets = vec![default; span as usize + 1];
        for (value, target) in arms {
            targets[(value - first) as usize] = target;
        }
        Self { default, shape: Shape::Dense { first, targets } }
    }

    /// Where `value` leads.
    #[inline]
    pub fn target(&self, value: u64) -> Pc {
        match &self.shape {
            Shape::Dense { first, targets } => {
                let index = usize::try_from(value.wrapping_sub(*first)).unwrap_or(usize::MAX);
                targets.get(index).copied().unwrap_or(self.default)
            }
            Shape::Sparse(arms) => match arms.binary_search_by_key(&value, |arm| arm.0) {
                Ok(index) => arms[index].1,
                Err(_) => self.default,
            },
        }
    }

    /// The values that lead elsewhere than to the default, with their targets, by value.
    pub fn arms(&self) -> Vec<(u64, Pc)> {
        match &self.shape {
            Shape::Dense { first, targets } => (0..)
                .zip(targets)
                .filter(|(_, target)| **target != self.default)
                .map(|(index, target)| (first.wrapping_add(index), *target))
                .collect(),
            Shape::Sparse(arms) => arms.iter().copied().filter(|arm| arm.1 != self.default).collect(),
        }
    }

    /// Where every other value leads.
    pub fn default_target(&self) -> Pc {
        self.default
    }

    /// Gives every target its place in the code.
    pub(crate) fn patch(&mut self, mut place: impl FnMut(Pc) -> Pc) {
        self.default = place(self.default);
        match &mut self.shape {
            Shape::Dense { targets, .. } => targets.iter_mut().for_each(|target| *target = place(*target)),
            Shape::Sparse(arms) => arms.iter_mut().for_each(|arm| arm.1 = place(arm.1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_and_sparse_tables_agree() {
        for arms in [vec![(3, 30), (5, 50), (4, 40)], vec![(0, 1), (u64::MAX, 2), (1 << 40, 3)], vec![]] {
            let table = SwitchTable::new(9, arms.clone());
            for value in [0, 1, 2, 3, 4, 5, 6, 1 << 40, u64::MAX - 1, u64::MAX] {
                let expected = arms.iter().find(|arm| arm.0 == value).map_or(9, |arm| arm.1);
                assert_eq!(table.target(value), expected, "{value}");
            }
        }
    }
}
