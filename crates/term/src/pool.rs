//! The arena of hash-consed terms.

use std::{
    hash::BuildHasher,
    sync::atomic::{AtomicU64, Ordering},
};

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::{
    facts::Facts,
    sort::Sort,
    term::{Function, Logic, Node, Op, Symbol, Term},
    words,
};

/// Owns terms. Constructors simplify as they build; see the crate's first page for what they are called.
pub struct Pool {
    /// Different for every pool of the process, so that solvers notice when they are given another one.
    identity: u64,
    nodes: Vec<Node>,
    facts: Vec<Facts>,
    table: HashTable<u32>,
    symbols: Vec<(Box<str>, Sort)>,
    symbol_ids: FxHashMap<(Box<str>, Sort), Symbol>,
    names: FxHashSet<Box<str>>,
    functions: Vec<Signature>,
    function_ids: FxHashMap<Signature, Function>,
    fresh: u32,
    raw: bool,
}

/// An uninterpreted function's name and sorts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Signature {
    /// The function's name.
    pub name: Box<str>,
    /// The arguments' sorts: truth values and bit-vectors.
    pub arguments: SmallVec<[Sort; 3]>,
    /// The result's sort: a truth value or bit-vector.
    pub result: Sort,
}

impl Clone for Pool {
    /// The same terms under the same ids; from here on the two may differ.
    fn clone(&self) -> Self {
        let mut same = Self::new();
        same.nodes.clone_from(&self.nodes);
        same.facts.clone_from(&self.facts);
        same.table.clone_from(&self.table);
        same.symbols.clone_from(&self.symbols);
        same.symbol_ids.clone_from(&self.symbol_ids);
        same.names.clone_from(&self.names);
        same.functions.clone_from(&self.functions);
        same.function_ids.clone_from(&self.function_ids);
        (same.fresh, same.raw) = (self.fresh, self.raw);
        same
    }
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl Pool {
    /// An empty pool.
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            identity: NEXT.fetch_add(1, Ordering::Relaxed),
            nodes: Vec::new(),
            facts: Vec::new(),
            table: HashTable::new(),
            symbols: Vec::new(),
            symbol_ids: FxHashMap::default(),
            names: FxHashSet::default(),
            functions: Vec::new(),
            function_ids: FxHashMap::default(),
            fresh: 0,
            raw: false,
        }
    }

    /// An empty pool whose constructors build what they are told, unsimplified: the reference in tests.
    pub fn raw() -> Self {
        let mut pool = Self::new();
        pool.raw = true;
        pool
    }

    /// Differs between any two pools of the process.
    pub(crate) fn identity(&self) -> u64 {
        self.identity
    }

    /// Whether the constructors leave terms as they are.
    pub(crate) fn is_raw(&self) -> bool {
        self.raw
    }

    /// Number of distinct terms made so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no term was made.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(crate) fn node(&self, term: Term) -> &Node {
        &self.nodes[term.index()]
    }

    pub(crate) fn facts(&self, term: Term) -> &Facts {
        &self.facts[term.index()]
    }

    /// What of the logic occurs in any of the terms.
    pub(crate) fn logic(&self, terms: &[Term]) -> Logic {
        terms.iter().fold(Logic::default(), |logic, &term| logic.and(self.node(term).logic))
    }

    /// The term's operator.
    pub fn op(&self, term: Term) -> Op {
        self.node(term).op
    }

    /// The term's arguments.
    pub fn args(&self, term: Term) -> &[Term] {
        &self.node(term).args
    }

    /// The term's sort.
    pub fn sort(&self, term: Term) -> Sort {
        self.node(term).sort
    }

    /// The width of a bit-vector term.
    ///
    /// # Panics
    /// If the term is no bit-vector.
    pub fn width(&self, term: Term) -> u32 {
        match self.sort(term) {
            Sort::Bits(width) => width,
            other => panic!("a bit-vector is expected, not a term of sort {other}"),
        }
    }

    /// The value, if the term is a constant bit-vector.
    pub fn as_bits(&self, term: Term) -> Option<u128> {
        match self.op(term) {
            Op::Bits(value) => Some(value),
            _ => None,
        }
    }

    /// The value, if the term is a constant truth value.
    pub fn as_bool(&self, term: Term) -> Option<bool> {
        match self.op(term) {
            Op::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The value as a signed number, if the term is a constant bit-vector.
    pub fn as_signed(&self, term: Term) -> Option<i128> {
        self.as_bits(term).map(|value| words::signed(value, self.width(term)))
    }

    /// Bounds, included, of a bit-vector term read as unsigned, as far as they are cheaply known.
    pub fn range(&self, term: Term) -> (u128, u128) {
        self.facts(term).unsigned
    }

    /// Bounds, included, of a bit-vector term read as signed, as far as they are cheaply known.
    pub fn signed_range(&self, term: Term) -> (i128, i128) {
        self.facts(term).signed
    }

    /// The name, if the term is a variable.
    pub fn as_var(&self, term: Term) -> Option<&str> {
        match self.op(term) {
            Op::Var(symbol) => Some(self.symbol_name(symbol)),
            _ => None,
        }
    }

    /// A variable's name.
    pub fn symbol_name(&self, symbol: Symbol) -> &str {
        &self.symbols[symbol.0 as usize].0
    }

    /// A function's name.
    pub fn function_name(&self, function: Function) -> &str {
        &self.signature(function).name
    }

    /// A function's name and sorts.
    pub fn signature(&self, function: Function) -> &Signature {
        &self.functions[function.0 as usize]
    }

    /// A truth value.
    pub fn bool(&mut self, value: bool) -> Term {
        self.intern(Op::Bool(value), Sort::Bool, &[])
    }

    /// A bit-vector value; bits of `value` above `width` are dropped.
    ///
    /// # Panics
    /// If the width is not 1 to 128.
    pub fn bits(&mut self, width: u32, value: u128) -> Term {
        self.intern(Op::Bits(value & words::mask(width)), Sort::Bits(width), &[])
    }

    /// A bit-vector value given as a signed number.
    pub fn signed_bits(&mut self, width: u32, value: i128) -> Term {
        self.bits(width, value as u128)
    }

    /// The variable of this name and sort; the same name at another sort is another variable.
    pub fn var(&mut self, name: &str, sort: Sort) -> Term {
        assert!(sort.is_valid(), "the variable {name} has the invalid sort {sort}");
        let key = (Box::from(name), sort);
        let symbol = match self.symbol_ids.get(&key) {
            Some(&symbol) => symbol,
            None => {
                let symbol = Symbol(u32::try_from(self.symbols.len()).expect("terms are fewer than 2^32"));
                self.symbols.push(key.clone());
                self.names.insert(key.0.clone());
                self.symbol_ids.insert(key, symbol);
                symbol
            }
        };
        self.intern(Op::Var(symbol), sort, &[])
    }

    /// A variable that no one has used in this pool: the prefix, `!` and a number.
    pub fn fresh(&mut self, prefix: &str, sort: Sort) -> Term {
        loop {
            let name = format!("{prefix}!{}", self.fresh);
            self.fresh += 1;
            if !self.names.contains(name.as_str()) {
                return self.var(&name, sort);
            }
        }
    }

    /// The uninterpreted function of this name and these sorts.
    ///
    /// # Panics
    /// If a sort is an array or invalid, or there are no arguments (use a variable).
    pub fn function(&mut self, name: &str, arguments: &[Sort], result: Sort) -> Function {
        let scalar = |sort: &Sort| sort.is_valid() && !matches!(sort, Sort::Array { .. });
        assert!(
            !arguments.is_empty() && arguments.iter().chain([&result]).all(scalar),
            "the function {name} must be from truth values and bit-vectors to one of those"
        );
        let signature = Signature { name: Box::from(name), arguments: arguments.into(), result };
        if let Some(&function) = self.function_ids.get(&signature) {
            return function;
        }
        let function = Function(u32::try_from(self.functions.len()).expect("terms are fewer than 2^32"));
        self.functions.push(signature.clone());
        self.function_ids.insert(signature, function);
        function
    }

    /// The node with exactly this operator and these arguments. All terms come from here.
    pub(crate) fn intern(&mut self, op: Op, sort: Sort, args: &[Term]) -> Term {
        // Here and not where terms are asked for: a single constructor may build thousands.
        hydrogen_stop::look();
        assert!(sort.is_valid(), "a term cannot have the sort {sort}");
        let hash = hash_node(op, sort, args);
        let nodes = &self.nodes;
        let same = |&id: &u32| {
            let node = &nodes[id as usize];
            node.op == op && node.sort == sort && node.args.as_slice() == args
        };
        if let Some(&id) = self.table.find(hash, same) {
            return self.settled(Term(id));
        }
        let facts = Facts::of(self, op, sort, args);
        let height = args.iter().map(|&arg| self.node(arg).height + 1).max().unwrap_or(0);
        let key = self.structural_key(op, sort, args);
        let id = u32::try_from(self.nodes.len()).expect("terms are fewer than 2^32");
        let logic = args.iter().fold(Logic::of(op, sort), |logic, &arg| logic.and(self.node(arg).logic));
        let compares_arrays = op == Op::Eq && matches!(self.sort(args[0]), Sort::Array { .. });
        let logic = if compares_arrays { logic.with_array_equality() } else { logic };
        self.nodes.push(Node { op, sort, height, key, logic, args: args.into() });
        self.facts.push(facts);
        let nodes = &self.nodes;
        let rehash =
            |&id: &u32| hash_node(nodes[id as usize].op, nodes[id as usize].sort, &nodes[id as usize].args);
        self.table.insert_unique(hash, id, rehash);
        self.settled(Term(id))
    }

    /// The constant that known bits or ranges leave as the only value, or the term itself.
    fn settled(&mut self, term: Term) -> Term {
        let node = self.node(term);
        match node.sort {
            Sort::Bits(width) if !self.raw && !matches!(node.op, Op::Bits(_)) => {
                match self.facts(term).single() {
                    Some(value) => self.bits(width, value),
                    None => term,
                }
            }
            _ => term,
        }
    }
}

fn hash_node(op: Op, sort: Sort, args: &[Term]) -> u64 {
    FxBuildHasher.hash_one((op, sort, args))
}
