//! What is known of objects and of pointers into them: sizes, who may free them, where they lie.

use crate::meaning::state::{Object, Role, Terms, WORD};
use hydrogen_term::{Op, Sort, Term};

impl Terms {
    /// The size of an object, at once where it is known.
    pub fn size(&mut self, object: Term) -> Term {
        if let Op::Ite = self.pool.op(object) {
            let [condition, then, otherwise] = self.pool.args(object)[..] else {
                unreachable!("an ite has three arguments")
            };
            let (then, otherwise) = (self.size(then), self.size(otherwise));
            return self.pool.ite(condition, then, otherwise);
        }
        if self.pool.as_bits(object) == Some(0) {
            return self.word(0);
        }
        match self.known(object) {
            Some(Object::Global { bytes: Some(bytes), .. } | Object::Stack { bytes: Some(bytes), .. }) => {
                let bytes = *bytes;
                self.word(bytes)
            }
            _ => {
                let function = self.function("size", 1, WORD, Role::Size);
                self.pool.apply(function, &[object])
            }
        }
    }

    /// Whether an object is a variable or a function, which nobody may free; at once where it is known.
    pub fn rooted(&mut self, object: Term) -> Term {
        if let Op::Ite = self.pool.op(object) {
            let [condition, then, otherwise] = self.pool.args(object)[..] else {
                unreachable!("an ite has three arguments")
            };
            let (then, otherwise) = (self.rooted(then), self.rooted(otherwise));
            return self.pool.ite(condition, then, otherwise);
        }
        match self.known(object) {
            Some(Object::Heap(_)) => self.pool.bool(false),
            Some(_) => self.pool.bool(true),
            None if self.is_const(object) => self.pool.bool(false),
            None => {
                let function = self.function("rooted", 1, Sort::Bool, Role::Rooted);
                self.pool.apply(function, &[object])
            }
        }
    }

    /// Whether the pointer, if it comes in as it is, points to a whole object of its type: `bytes` at least.
    pub fn whole(&mut self, object: Term, offset: Term, bytes: u64) -> Term {
        let function = self.function(&format!("whole{bytes}"), 2, Sort::Bool, Role::Whole(bytes));
        self.pool.apply(function, &[object, offset])
    }

    /// The offset that belongs to an object if both are the parts of one pointer.
    pub fn base_offset(&mut self, object: Term) -> Option<Term> {
        match self.pool.op(object) {
            Op::Var(_) => {
                let name = format!("{}.offset", self.pool.as_var(object)?.strip_suffix(".object")?);
                Some(self.pool.var(&name, WORD))
            }
            Op::Apply(function) => {
                let name = self.pool.function_name(function).strip_prefix("memo")?;
                let name = format!("memf{name}");
                let args = self.pool.args(object).to_vec();
                let function = self.pool.function(&name, &vec![WORD; args.len()], WORD);
                Some(self.pool.apply(function, &args))
            }
            _ => None,
        }
    }

    /// An address as a number.
    pub fn address(&mut self, object: Term, offset: Term) -> Term {
        let base = if self.pool.as_bits(object) == Some(0) {
            self.word(0)
        } else {
            let function = self.function("address", 1, WORD, Role::Address);
            self.pool.apply(function, &[object])
        };
        self.pool.add(base, offset)
    }
}
