//! The slices of a loop: which variables a value depends on from one iteration to the next, in a form that does not tell names.

use crate::{Obstacle, closed::question, context::Context};
use hydrogen_ir::ContentHash;
use hydrogen_term::{Op, Sort, Term};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Rounds in which variables are told apart by what they are used for.
const ROUNDS: usize = 4;
/// Variables that a slice may have.
const MOST: usize = 24;

/// A variable of a loop: its symbol, what it holds one iteration later, and what it holds at the beginning.
#[derive(Debug, Clone, Copy)]
pub struct Looped {
    /// The variable at the beginning of a turn.
    pub symbol: Term,
    /// The variable at the end of a turn.
    pub step: Term,
    /// The variable when the loop begins.
    pub first: Term,
}

/// A loop without the names of its variables.
pub struct Slices {
    goes_on: Term,
    variables: Vec<Looped>,
    colours: FxHashMap<Term, u64>,
}

impl Slices {
    /// A loop that goes on where the condition holds.
    pub fn new(context: &mut Context, goes_on: Term, mut variables: Vec<Looped>) -> Result<Self, Obstacle> {
        // What never changes is what it is at the beginning.
        let constant =
            variables.iter().filter(|one| one.step == one.symbol).map(|one| (one.symbol, one.first));
        let mut map: FxHashMap<Term, Term> = constant.collect();
        for one in &mut variables {
            one.step = renamed(context, one.step, &mut map, 0)?;
        }
        let goes_on = renamed(context, goes_on, &mut map, 0)?;
        let mut slices = Self { goes_on, variables, colours: FxHashMap::default() };
        for _ in 0..ROUNDS {
            let mut next = FxHashMap::default();
            for one in &slices.variables {
                let before = slices.colours.get(&one.symbol).copied().unwrap_or(0);
                let step = slices.hash(context, one.step);
                next.insert(one.symbol, mixed(&[before, step, sort_of(context, one.symbol)]));
            }
            slices.colours = next;
        }
        Ok(slices)
    }

    /// What the variable of this number holds when the loop is left.
    pub fn last(&self, context: &mut Context, number: usize) -> Result<Term, Obstacle> {
        let one = self.variables[number];
        if one.step == one.first || one.step == one.symbol {
            return Ok(one.first);
        }
        let sort = context.pool.sort(one.symbol);
        let root = one.symbol;
        self.ask(context, "what is left of", root, sort)
    }

    /// Whether a condition held in an iteration that was followed by another one.
    pub fn ever(&self, context: &mut Context, condition: Term) -> Result<Term, Obstacle> {
        let constant = self.variables.iter().filter(|one| one.step == one.symbol || one.step == one.first);
        let mut map: FxHashMap<Term, Term> = constant.map(|one| (one.symbol, one.first)).collect();
        let condition = renamed(context, condition, &mut map, 0)?;
        if let Some(truth) = context.pool.as_bool(condition)
            && !truth
        {
            return Ok(condition);
        }
        self.ask(context, "whether ever", condition, Sort::Bool)
    }

    fn step(&self, symbol: Term) -> Option<Looped> {
        self.variables.iter().copied().find(|one| one.symbol == symbol)
    }

    /// An unknown function, named by the loop, of what its variables begin with.
    fn ask(&self, context: &mut Context, word: &str, root: Term, result: Sort) -> Result<Term, Obstacle> {
        let mut order: Vec<Term> = Vec::new();
        let mut open = vec![root, self.goes_on];
        let mut at = 0;
        while at < open.len() {
            let term = open[at];
            at += 1;
            let mut seen = Vec::new();
            self.leaves(context, term, &mut seen);
            for leaf in seen {
                if !order.contains(&leaf) {
                    order.push(leaf);
                    open.extend(self.step(leaf).map(|one| one.step));
                }
            }
            if order.len() > MOST {
                return Err(Obstacle::new("a loop with many variables"));
            }
        }
        let mut map: FxHashMap<Term, Term> = FxHashMap::default();
        for (n, &leaf) in order.iter().enumerate() {
            let sort = context.pool.sort(leaf);
            let slot = context.pool.var(&format!("slot {n} {sort:?}"), sort);
            map.insert(leaf, slot);
        }
        let mut name = format!("{word} {:?}", renamed(context, root, &mut map, 0)?);
        name += &format!(" while {:?}", renamed(context, self.goes_on, &mut map, 0)?);
        let mut inputs = Vec::new();
        for &leaf in &order {
            let sort = context.pool.sort(leaf);
            match self.step(leaf) {
                Some(one) => {
                    name += &format!(", {:?}", renamed(context, one.step, &mut map, 0)?);
                    inputs.push((one.first, sort));
                }
                None => {
                    name += ", kept";
                    inputs.push((leaf, sort));
                }
            }
        }
        Ok(context.calls.ask(&mut context.pool, question(name, &inputs, result))[0])
    }

    /// The variables in a term, in an order that names have little part in.
    fn leaves(&self, context: &Context, root: Term, found: &mut Vec<Term>) {
        let mut hashes: FxHashMap<Term, u64> = FxHashMap::default();
        let mut open = vec![root];
        let mut seen = std::collections::HashSet::new();
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            let mut below: Vec<Term> = match context.pool.op(term) {
                Op::Var(_) => match context.calls.behind(term) {
                    Some((question, _)) => {
                        let memory = question.memory.iter().map(|(_, term)| *term);
                        question.arguments.iter().copied().chain(memory).collect()
                    }
                    None => {
                        found.push(term);
                        continue;
                    }
                },
                _ => context.pool.args(term).to_vec(),
            };
            if context.pool.op(term).is_commutative() {
                below.sort_by_key(|&one| self.hash_with(context, one, &mut hashes));
            }
            open.extend(below.into_iter().rev());
        }
    }

    fn hash(&self, context: &Context, root: Term) -> u64 {
        self.hash_with(context, root, &mut FxHashMap::default())
    }

    /// A number for the form of a term in which variables count by their colours.
    fn hash_with(&self, context: &Context, root: Term, known: &mut FxHashMap<Term, u64>) -> u64 {
        for term in context.pool.postorder(&[root]) {
            if known.contains_key(&term) {
                continue;
            }
            let op = context.pool.op(term);
            let hash = match op {
                Op::Var(_) => match context.calls.behind(term) {
                    Some((question, at)) => {
                        let (name, number) = (text(&question.name), at as u64);
                        let memory = question.memory.iter().map(|(_, term)| *term);
                        let below: Vec<Term> = question.arguments.iter().copied().chain(memory).collect();
                        let mut words = vec![name, number];
                        for one in below {
                            words.push(self.hash_with(context, one, known));
                        }
                        mixed(&words)
                    }
                    None => {
                        let colour = self.colours.get(&term).copied().unwrap_or(7);
                        mixed(&[colour, sort_of(context, term)])
                    }
                },
                _ => {
                    let mut below: Vec<u64> = context.pool.args(term).iter().map(|one| known[one]).collect();
                    if op.is_commutative() {
                        below.sort_unstable();
                    }
                    below.push(text(&format!("{op:?} {:?}", context.pool.sort(term))));
                    mixed(&below)
                }
            };
            known.insert(term, hash);
        }
        known[&root]
    }
}

fn sort_of(context: &Context, term: Term) -> u64 {
    text(&format!("{:?}", context.pool.sort(term)))
}

fn text(text: &str) -> u64 {
    ContentHash::of(text.as_bytes()).0[..8].iter().fold(0, |all, &byte| all << 8 | u64::from(byte))
}

fn mixed(words: &[u64]) -> u64 {
    words.iter().fold(0x9e37_79b9_7f4a_7c15, |hash: u64, &word| {
        let mixed = (hash ^ word).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ (mixed >> 31)
    })
}

/// A term with variables replaced, also in the calls and loops whose results it has.
fn renamed(
    context: &mut Context,
    term: Term,
    map: &mut FxHashMap<Term, Term>,
    depth: u32,
) -> Result<Term, Obstacle> {
    if depth > 32 {
        return Err(Obstacle::new("loops and calls inside of each other are too deep"));
    }
    let results: BTreeMap<Term, ()> =
        context.pool.variables(&[term]).into_iter().map(|one| (one, ())).collect();
    for (result, ()) in results {
        if map.contains_key(&result) {
            continue;
        }
        if context.pool.as_var(result).is_some_and(|name| name.starts_with("undefined")) {
            return Err(Obstacle::new("a value in a loop that was not set"));
        }
        let Some((question, at)) = context.calls.behind(result) else { continue };
        let mut question = question.clone();
        for one in question.arguments.iter_mut().chain(question.memory.iter_mut().map(|(_, term)| term)) {
            *one = renamed(context, *one, map, depth + 1)?;
        }
        let new = context.calls.ask(&mut context.pool, question)[at];
        map.insert(result, new);
    }
    Ok(context.pool.substitute_with(term, map))
}
