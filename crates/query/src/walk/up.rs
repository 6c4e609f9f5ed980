//! From a function's entry to those who call it.

use crate::meaning::effect::Effect;
use crate::meaning::eval::Eval;
use crate::meaning::program::Callee;
use crate::meaning::shape::Spot;
use crate::run::Mode;
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::Entry;
use hydrogen_graph::{ChainId, NodeId, Target, VersionId, VersionSet};
use hydrogen_ir::{Body, Const, ConstId, Linkage, Op, Operand};
use hydrogen_term::Term;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A file that is for others has at least so many functions that nobody here uses, and one of so many of those that others can name. One or two
/// that were forgotten make no library.
const LEAST_OFFERED: usize = 3;
const OFFERED_OF: usize = 8;

/// How many functions that anyone may call are looked for above one, and how many calls above it.
const MOST_ROOTS: usize = 6;
const HIGHEST: usize = 3;

/// Who calls a function, by the called function.
pub(crate) type Callers = FxHashMap<ChainId, Vec<(NodeId, VersionSet)>>;

/// A condition just before a call.
pub(crate) struct CallSite {
    pub frame: Frame,
    pub spot: Spot,
    pub term: Term,
    pub versions: VersionSet,
}

impl Analyst<'_> {
    pub(crate) fn callers_of(&mut self, chain: ChainId) -> Vec<(NodeId, VersionSet)> {
        self.kept.callers(chain);
        let graph = self.subject.program.graph;
        let callers = self.store.callers.get_or_insert_with(|| {
            let mut callers = Callers::default();
            for node in graph.nodes() {
                for (target, versions) in graph.calls_of(node) {
                    if let Target::Chain(callee) = target {
                        callers.entry(callee).or_default().push((node, versions));
                    }
                }
            }
            callers
        });
        callers.get(&chain).cloned().unwrap_or_default()
    }

    /// Whether anyone may call the function with anything: it is an entry point of the program or a library, or its address is taken.
    pub(crate) fn is_root(&mut self, chain: ChainId, version: VersionId) -> bool {
        let graph = self.subject.program.graph;
        if !self.is_called(chain, version) {
            return true;
        }
        if self.is_address_taken(chain, version) {
            return true;
        }
        if !self.subject.entries.is_empty() {
            let name = graph.name(chain, version);
            return name == "main" || self.subject.entries.iter().any(|entry| entry == name);
        }
        // One program is called from its `main` alone. What several programs share is a library, as is what has none.
        let mains =
            graph.chains_named("main").into_iter().filter(|&main| graph.chain_in(main, version)).count();
        !graph.is_internal(chain, version) && (mains != 1 || self.is_for_others(chain, version))
    }

    /// The functions that anyone may call and that lead to one, itself among them, the nearest first.
    pub(crate) fn roots_above(&mut self, chain: ChainId, version: VersionId) -> Vec<ChainId> {
        let graph = self.subject.program.graph;
        let (mut found, mut seen) = (Vec::new(), BTreeSet::from([chain]));
        let mut level = vec![chain];
        for _ in 0..=HIGHEST {
            let mut next = Vec::new();
            for one in level {
                if self.is_root(one, version) && !self.is_called_back(one, version) {
                    found.push(one);
                    if found.len() == MOST_ROOTS {
                        return found;
                    }
                }
                let callers = self.callers_of(one).into_iter();
                let callers = callers.filter(|(_, versions)| versions.contains(version));
                let mut all: Vec<ChainId> = callers.map(|(node, _)| graph.chain(node)).collect();
                all.extend(self.takers_of(one, version));
                next.extend(all.into_iter().filter(|&one| seen.insert(one)));
            }
            level = next;
        }
        found
    }

    /// The functions of a unit that take the address of one of its own functions: it is called back on their behalf.
    fn takers_of(&mut self, chain: ChainId, version: VersionId) -> Vec<ChainId> {
        let graph = self.subject.program.graph;
        if !graph.is_internal(chain, version) {
            return Vec::new();
        }
        let Some(shape) = self.shape(chain, version) else { return Vec::new() };
        let (module, own) = (&shape.module, shape.id);
        let takes = |body: &Body| {
            let is_own = |id: &ConstId| matches!(module.constant(*id), Const::Function(one) if *one == own);
            body.instructions.iter().any(|instruction| match &instruction.op {
                Op::Call { arguments, .. } => {
                    arguments.iter().any(|one| matches!(one, Operand::Const(id) if is_own(id)))
                }
                Op::Store { value: Operand::Const(id), .. } => is_own(id),
                _ => false,
            })
        };
        let takers = module.functions.iter().filter(|one| one.body.as_ref().is_some_and(takes));
        let named = takers.flat_map(|taker| graph.chains_named(&taker.name));
        named.filter(|&taker| graph.chain_in(taker, version) && taker != chain).collect()
    }

    /// Whether someone else in the program calls the function.
    fn is_called(&mut self, chain: ChainId, version: VersionId) -> bool {
        let graph = self.subject.program.graph;
        let calls = self.callers_of(chain);
        calls.iter().any(|(node, versions)| versions.contains(version) && graph.chain(*node) != chain)
    }

    /// Whether a way may begin at the function: anyone may call it. For a witness, the callers of one that is only called back are surer.
    pub(crate) fn begins_at(&mut self, chain: ChainId, version: VersionId) -> bool {
        let by_callers = self.asking.mode == Mode::Find
            && self.is_called(chain, version)
            && self.is_called_back(chain, version);
        !by_callers && self.is_root(chain, version)
    }

    /// Whether pointers lead to a function that nobody outside can name or find in a table: only the program's own code has its address,
    /// so that it is called with what that code passes, and not with anything.
    pub(crate) fn is_called_back(&mut self, chain: ChainId, version: VersionId) -> bool {
        let graph = self.subject.program.graph;
        graph.is_internal(chain, version)
            && !self.subject.entries.iter().any(|entry| entry == graph.name(chain, version))
            && self.is_address_taken(chain, version)
            && !self.is_in_table(chain, version)
    }

    /// Whether a variable that others can name holds the function's address from the beginning.
    fn is_in_table(&mut self, chain: ChainId, version: VersionId) -> bool {
        let Some(shape) = self.shape(chain, version) else { return false };
        let module = &shape.module;
        let shown = module.globals.iter().filter(|global| !matches!(global.linkage, Linkage::Internal));
        let mut open: Vec<ConstId> = shown.filter_map(|global| global.initializer).collect();
        while let Some(id) = open.pop() {
            match module.constant(id) {
                Const::Function(function) if *function == shape.id => return true,
                Const::Aggregate { elements, .. } => open.extend(elements),
                _ => {}
            }
        }
        false
    }

    fn is_address_taken(&mut self, chain: ChainId, version: VersionId) -> bool {
        let shape = self.shape(chain, version);
        shape.is_some_and(|shape| hydrogen_flow::address_taken(&shape.module).contains(&shape.id))
    }

    /// Whether the file of a function is part of a library with one program beside it, such as its test: others can name functions of it that
    /// nobody here uses.
    fn is_for_others(&mut self, chain: ChainId, version: VersionId) -> bool {
        let graph = self.subject.program.graph;
        let file = graph.location(chain, version).0;
        if let Some(known) = self.store.offers.get(&(file.to_owned(), version)) {
            return *known;
        }
        let is_visible = |&one: &ChainId| {
            graph.chain_in(one, version)
                && !graph.is_internal(one, version)
                && graph.location(one, version).0 == file
                && graph.name(one, version) != "main"
        };
        let visible: Vec<ChainId> = graph.chains().filter(is_visible).collect();
        let is_unused =
            |one: &&ChainId| !self.is_called(**one, version) && !self.is_address_taken(**one, version);
        let unused = visible.iter().filter(is_unused).count();
        let found = unused >= LEAST_OFFERED && unused * OFFERED_OF >= visible.len();
        self.store.offers.insert((file.to_owned(), version), found);
        found
    }

    /// The condition at the calls of the function, in the callers' terms.
    pub(crate) fn call_sites(&mut self, frame: &Frame, term: Term, versions: &VersionSet) -> Vec<CallSite> {
        let outer = |caller: ChainId, name: &str| {
            let prefix = format!("{name}():{}", frame.prefix);
            let within = frame.within.get(1..).unwrap_or_default().to_vec();
            Frame { chain: caller, prefix, depth: 0, within }
        };
        self.call_sites_from(frame, term, versions, outer)
    }

    /// The same, in activations of the callers of the given form: by the function, and its name.
    pub(crate) fn call_sites_from(
        &mut self,
        frame: &Frame,
        term: Term,
        versions: &VersionSet,
        activation: impl Fn(ChainId, &str) -> Frame,
    ) -> Vec<CallSite> {
        let mut found: Vec<CallSite> = Vec::new();
        for (node, theirs) in self.callers_of(frame.chain) {
            for version in theirs.intersection(versions).iter() {
                let caller = self.subject.program.graph.chain(node);
                let (Some(shape), Some(callee)) =
                    (self.shape(caller, version), self.shape(frame.chain, version))
                else {
                    self.lose(&VersionSet::one(version), Entry::CallerNotCompiled);
                    continue;
                };
                let name = self.subject.program.graph.name(caller, version);
                let outer = activation(caller, name);
                for step in 0..shape.steps.len() {
                    let Some(id) = shape.call(step).filter(|_| shape.steps[step].spot.node == node) else {
                        continue;
                    };
                    let Op::Call { callee: target, arguments, .. } = shape.op(id) else { continue };
                    let reaches = shape.named(target).is_some_and(|function| {
                        self.subject.program.callee(caller, version, &function.name)
                            == Callee::Chain(frame.chain)
                    });
                    if !reaches || shape.order[step] == usize::MAX {
                        continue;
                    }
                    let mut effect = Effect::default();
                    for (n, argument) in arguments.iter().enumerate() {
                        let value = Eval::new(&mut self.terms, &shape, &outer.prefix, 0).operand(argument);
                        let parameter =
                            Eval::new(&mut self.terms, &callee, &frame.prefix, 0).parameter(n as u32);
                        effect.set(parameter, value);
                    }
                    let there = self.terms.before(term, &effect);
                    let spot = shape.steps[step].spot;
                    let one = VersionSet::one(version);
                    let same = |other: &&mut CallSite| {
                        other.frame.chain == caller && other.spot == spot && other.term == there
                    };
                    match found.iter_mut().find(same) {
                        Some(other) => other.versions = other.versions.union(&one),
                        None => {
                            found.push(CallSite { frame: outer.clone(), spot, term: there, versions: one })
                        }
                    }
                }
            }
        }
        found
    }
}
