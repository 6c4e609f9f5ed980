//! Arrays, and memory as arrays of bytes.

use crate::{
    pool::Pool,
    sort::Sort,
    term::{Op, Term},
};

/// How many stores a read looks through, and an overwriting store looks back.
const DEEPEST_READ: usize = 4096;
const DEEPEST_OVERWRITE: usize = 64;

/// How two indices are related.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    Same,
    Different,
    Unknown,
}

impl Pool {
    /// The array with `value` at every index of the width.
    pub fn const_array(&mut self, index: u32, value: Term) -> Term {
        let element = self.width(value);
        self.intern(Op::ConstArray(index), Sort::Array { index, element }, &[value])
    }

    /// The element at an index. Reads see through writes at indices that are known to be the same or different.
    pub fn select(&mut self, array: Term, index: Term) -> Term {
        let element = self.check_index(array, index);
        let mut array = array;
        if !self.is_raw() {
            for _ in 0..DEEPEST_READ {
                match (self.op(array), self.args(array)) {
                    (Op::ConstArray(_), &[value]) => return value,
                    (Op::Store, &[below, at, value]) => match self.relation(at, index) {
                        Relation::Same => return value,
                        Relation::Different => array = below,
                        Relation::Unknown => break,
                    },
                    _ => break,
                }
            }
        }
        self.intern(Op::Select, Sort::Bits(element), &[array, index])
    }

    /// The array with the element at an index replaced.
    pub fn store(&mut self, array: Term, index: Term, value: Term) -> Term {
        let element = self.check_index(array, index);
        assert_eq!(element, self.width(value), "a stored element must have the array's element width");
        let sort = self.sort(array);
        if !self.is_raw() {
            if self.select(array, index) == value {
                return array;
            }
            let array = self.without_store_at(array, index);
            return self.intern(Op::Store, sort, &[array, index, value]);
        }
        self.intern(Op::Store, sort, &[array, index, value])
    }

    /// The bytes at `index`, `index + 1`, …, the first of them lowest.
    pub fn read_le(&mut self, array: Term, index: Term, bytes: u32) -> Term {
        assert!(bytes > 0, "a read has at least one byte");
        let mut value = self.select(array, index);
        for offset in 1..bytes {
            let at = self.offset(index, offset);
            let byte = self.select(array, at);
            value = self.concat(byte, value);
        }
        value
    }

    /// The array with the elements of `value`, lowest first, at `index`, `index + 1`, ….
    ///
    /// # Panics
    /// If the value's width is no multiple of the element's.
    pub fn write_le(&mut self, array: Term, index: Term, value: Term) -> Term {
        let element = self.check_index(array, index);
        let width = self.width(value);
        assert_eq!(width % element, 0, "a written value must be whole elements");
        (0..width / element).fold(array, |array, offset| {
            let byte = self.extract(value, (offset + 1) * element - 1, offset * element);
            let at = self.offset(index, offset);
            self.store(array, at, byte)
        })
    }

    fn offset(&mut self, index: Term, offset: u32) -> Term {
        let offset = self.bits(self.width(index), u128::from(offset));
        self.add(index, offset)
    }

    /// The array's element width, after checking the index.
    fn check_index(&self, array: Term, at: Term) -> u32 {
        let Sort::Array { index, element } = self.sort(array) else {
            panic!("an array is expected, not a term of sort {}", self.sort(array))
        };
        assert_eq!(index, self.width(at), "an index must have the array's index width");
        element
    }

    fn relation(&self, left: Term, right: Term) -> Relation {
        if left == right {
            return Relation::Same;
        }
        if self.facts(left).excludes(self.facts(right)) {
            return Relation::Different;
        }
        if !self.is_sum(left) && !self.is_sum(right) {
            return Relation::Unknown;
        }
        match self.difference(left, right).as_constant() {
            Some(0) => Relation::Same,
            Some(_) => Relation::Different,
            None => Relation::Unknown,
        }
    }

    /// Takes away the newest store at the index, if all after it are at other indices.
    fn without_store_at(&mut self, array: Term, index: Term) -> Term {
        let (mut passed, mut current) = (Vec::new(), array);
        let base = loop {
            let (Op::Store, &[below, at, value]) = (self.op(current), self.args(current)) else {
                return array;
            };
            match self.relation(at, index) {
                Relation::Same => break below,
                Relation::Different if passed.len() < DEEPEST_OVERWRITE => passed.push((at, value)),
                Relation::Different | Relation::Unknown => return array,
            }
            current = below;
        };
        let sort = self.sort(array);
        passed
            .into_iter()
            .rev()
            .fold(base, |array, (at, value)| self.intern(Op::Store, sort, &[array, at, value]))
    }
}
