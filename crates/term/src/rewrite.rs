//! Rebuilding terms from the leaves up: substitution, and moving terms between pools. Without recursion.

use rustc_hash::FxHashMap;

use crate::{
    pool::Pool,
    term::{Args, Op, Term},
};

/// Terms that were replaced, by what.
pub type Substitution = FxHashMap<Term, Term>;

impl Pool {
    /// The term with every occurrence of the substitution's keys replaced, all at once, and simplified again.
    pub fn substitute(&mut self, term: Term, substitution: &Substitution) -> Term {
        self.substitute_with(term, &mut substitution.clone())
    }

    /// As [`Pool::substitute`], for many terms with one substitution: everything done is remembered in it.
    pub fn substitute_with(&mut self, term: Term, done: &mut Substitution) -> Term {
        let mut open = vec![term];
        while let Some(&current) = open.last() {
            hydrogen_stop::look();
            if done.contains_key(&current) {
                open.pop();
                continue;
            }
            let node = self.node(current);
            let before = open.len();
            open.extend(node.args.iter().filter(|arg| !done.contains_key(arg)));
            if open.len() > before {
                continue;
            }
            let (op, old) = (node.op, node.args.clone());
            let new: Args = old.iter().map(|arg| done[arg]).collect();
            let result = if new == old { current } else { self.make(op, &new) };
            done.insert(current, result);
            open.pop();
        }
        done[&term]
    }

    /// The same term in this pool. For many terms of one pool, use an [`Importer`].
    pub fn import(&mut self, from: &Pool, term: Term) -> Term {
        Importer::new(from).import(self, term)
    }

    /// All terms below the given ones and themselves, each once, arguments first.
    pub fn postorder(&self, roots: &[Term]) -> Vec<Term> {
        let mut state: FxHashMap<Term, bool> = FxHashMap::default();
        let (mut order, mut open) = (Vec::new(), roots.iter().rev().copied().collect::<Vec<_>>());
        while let Some(&current) = open.last() {
            hydrogen_stop::look();
            match state.get(&current) {
                None => {
                    state.insert(current, false);
                    open.extend(self.args(current).iter().rev().filter(|arg| !state.contains_key(arg)));
                }
                Some(false) => {
                    state.insert(current, true);
                    order.push(current);
                    open.pop();
                }
                Some(true) => {
                    open.pop();
                }
            }
        }
        order
    }

    /// The variables in the given terms, in the order of their first occurrence.
    pub fn variables(&self, roots: &[Term]) -> Vec<Term> {
        let mut all = self.postorder(roots);
        all.retain(|&term| matches!(self.op(term), Op::Var(_)));
        all
    }
}

/// Moves terms from one pool into another.
pub struct Importer<'a> {
    from: &'a Pool,
    done: FxHashMap<Term, Term>,
}

impl<'a> Importer<'a> {
    /// An importer of terms of this pool.
    pub fn new(from: &'a Pool) -> Self {
        Self { from, done: FxHashMap::default() }
    }

    /// The same term in the other pool, which must be the same one every time.
    pub fn import(&mut self, into: &mut Pool, term: Term) -> Term {
        let mut open = vec![term];
        while let Some(&current) = open.last() {
            hydrogen_stop::look();
            if self.done.contains_key(&current) {
                open.pop();
                continue;
            }
            let node = self.from.node(current);
            let before = open.len();
            open.extend(node.args.iter().filter(|arg| !self.done.contains_key(arg)));
            if open.len() > before {
                continue;
            }
            let args: Args = node.args.iter().map(|arg| self.done[arg]).collect();
            let result = match node.op {
                Op::Var(symbol) => into.var(self.from.symbol_name(symbol), node.sort),
                Op::Bits(value) => into.value_of(node.sort, value),
                Op::Apply(function) => {
                    let signature = self.from.signature(function).clone();
                    let function = into.function(&signature.name, &signature.arguments, signature.result);
                    into.apply(function, &args)
                }
                op => into.make(op, &args),
            };
            self.done.insert(current, result);
            open.pop();
        }
        self.done[&term]
    }
}
