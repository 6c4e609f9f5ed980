//! The walk of queries through the graph.

use crate::fault::Site;
use crate::program::Program;
use crate::state::{Condition, OWN_OBJECTS, applications, with_axioms};
use crate::transfer::{Objects, Transfer};
use crate::verdict::{Evidence, Verdict};
use hydrogen_graph::{NodeId, VersionId, VersionSet};
use hydrogen_ir::{InstructionId, Role};
use hydrogen_term::{Answer, Engine, Evaluator, Limits, Pool, Solver, Sort, Term, standard};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// How often one path may visit a node: loops are cut behind this.
const MOST_VISITS: usize = 4;
/// How many queries one analysis may walk.
const MOST_QUERIES: usize = 5_000;

/// What an analysis did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Fault conditions raised.
    pub raised: usize,
    /// Queries taken through a node.
    pub steps: usize,
}

/// The verdicts on one node.
#[derive(Debug, Clone)]
pub struct Analysis {
    /// For every version asked about.
    pub verdicts: BTreeMap<VersionId, Verdict>,
    /// The nodes walked, in order, each once.
    pub visited: Vec<NodeId>,
    /// What it cost.
    pub counters: Counters,
}

/// Whether an access of the node can leave its object, in each of the versions.
pub fn analyse(program: Program<'_>, node: NodeId, versions: &VersionSet) -> Analysis {
    let engine = Engine::new(standard(), Limits::default());
    let mut walk = Walk {
        program,
        pool: Pool::new(),
        engine,
        objects: Objects::new(),
        queue: Vec::new(),
        done: FxHashMap::default(),
        present: BTreeMap::new(),
        reasons: BTreeMap::new(),
        visited: Vec::new(),
        counters: Counters::default(),
    };
    let raised: BTreeMap<VersionId, bool> =
        versions.iter().map(|version| (version, walk.raise(node, version))).collect();
    walk.run();
    let verdict = |(version, raised): (VersionId, bool)| {
        let verdict = match (walk.present.remove(&version), walk.reasons.remove(&version)) {
            (Some(evidence), _) => Verdict::Present(evidence),
            (None, Some(reasons)) => Verdict::Unknown(reasons.into_iter().collect()),
            (None, None) if raised => Verdict::Absent,
            (None, None) => Verdict::NotApplicable,
        };
        (version, verdict)
    };
    let verdicts = raised.into_iter().map(verdict).collect();
    Analysis { verdicts, visited: walk.visited, counters: walk.counters }
}

struct Query {
    node: NodeId,
    /// The instructions from here on are behind the query; none at a node's end.
    before: Option<InstructionId>,
    condition: Condition,
    versions: VersionSet,
    /// From the fault to the node behind this one.
    path: Vec<NodeId>,
}

type Seen = (NodeId, Option<InstructionId>, Condition);

struct Walk<'a> {
    program: Program<'a>,
    pool: Pool,
    engine: Engine<Box<dyn Solver + Send>>,
    objects: Objects,
    queue: Vec<Query>,
    done: FxHashMap<Seen, VersionSet>,
    present: BTreeMap<VersionId, Evidence>,
    reasons: BTreeMap<VersionId, BTreeSet<String>>,
    visited: Vec<NodeId>,
    counters: Counters,
}

impl Walk<'_> {
    fn note(&mut self, versions: &VersionSet, why: &str) {
        for version in versions.iter() {
            self.reasons.entry(version).or_default().insert(why.to_owned());
        }
    }

    /// Raises the conditions of a node in a version; says whether there was anything to check.
    fn raise(&mut self, node: NodeId, version: VersionId) -> bool {
        let one = VersionSet::one(version);
        if !self.program.graph.node_in(node, version) {
            let gaps = self
                .program
                .graph
                .versions()
                .get(version.index())
                .is_none_or(|info| !info.missing.is_empty());
            if gaps {
                self.note(&one, "parts of this version could not be read");
            }
            return false;
        }
        let Some(place) = self.program.place(node, version) else {
            self.note(&one, "the function is not compiled in this version");
            return true;
        };
        let Some(instructions) = place.instructions() else {
            self.note(&one, "the statement has control flow inside");
            return true;
        };
        let mut transfer =
            Transfer { place, pool: &mut self.pool, objects: &mut self.objects, facts: Vec::new() };
        let sites = transfer.overflows(&instructions);
        let any = !sites.is_empty();
        for site in sites {
            match site {
                Site::Unseen(why) => self.note(&one, &why),
                Site::Checked(before, condition) => {
                    self.counters.raised += 1;
                    self.push(Query {
                        node,
                        before: Some(before),
                        condition,
                        versions: one.clone(),
                        path: Vec::new(),
                    });
                }
            }
        }
        any
    }

    /// Equal queries that wait are one, if they came the same way: the way is evidence for every version.
    fn push(&mut self, query: Query) {
        let same = |other: &&mut Query| {
            other.node == query.node
                && other.before == query.before
                && other.condition == query.condition
                && other.path == query.path
        };
        match self.queue.iter_mut().find(same) {
            Some(other) => other.versions = other.versions.union(&query.versions),
            None => self.queue.push(query),
        }
    }

    fn run(&mut self) {
        while let Some(mut query) = self.queue.pop() {
            let seen = self
                .done
                .entry((query.node, query.before, query.condition))
                .or_insert_with(VersionSet::empty);
            query.versions = query.versions.difference(seen);
            *seen = seen.union(&query.versions);
            if query.versions.is_empty() {
                continue;
            }
            self.counters.steps += 1;
            if self.counters.steps > MOST_QUERIES {
                self.note(&query.versions, "the budget of queries is used up");
            } else if query.path.iter().filter(|&&node| node == query.node).count() >= MOST_VISITS {
                self.note(&query.versions, "a loop is followed a few times only");
            } else {
                self.step(query);
            }
        }
    }

    fn step(&mut self, query: Query) {
        let node = query.node;
        if !self.visited.contains(&node) {
            self.visited.push(node);
        }
        let mut path = query.path;
        path.push(node);
        let mut groups: BTreeMap<(Term, Term, u32), VersionSet> = BTreeMap::new();
        for version in query.versions.iter() {
            let one = VersionSet::one(version);
            let Some((place, instructions)) = self
                .program
                .place(node, version)
                .and_then(|place| place.instructions().map(|instructions| (place, instructions)))
            else {
                self.note(&one, "a statement on the way has control flow inside or is not compiled");
                continue;
            };
            let mut condition = query.condition;
            let mut transfer =
                Transfer { place, pool: &mut self.pool, objects: &mut self.objects, facts: Vec::new() };
            for &id in instructions.iter().rev().filter(|id| query.before.is_none_or(|before| **id < before))
            {
                transfer.back(id, &mut condition);
            }
            let group = groups
                .entry((condition.wide, condition.narrow, condition.heap))
                .or_insert_with(VersionSet::empty);
            *group = group.union(&one);
        }
        for ((wide, narrow, heap), versions) in groups {
            self.go_on(node, Condition { wide, narrow, heap }, versions, &path);
        }
    }

    fn go_on(&mut self, node: NodeId, condition: Condition, versions: VersionSet, path: &[NodeId]) {
        let constraints = with_axioms(&mut self.pool, condition.wide);
        match self.engine.check(&mut self.pool, &constraints) {
            Answer::Unsat => return,
            Answer::Unknown(why) => self.note(&versions, &format!("no answer from the solver: {why}")),
            Answer::Sat(_) => {}
        }
        if self.program.graph.role(node) == Role::Entry {
            return self.resolve(node, condition, &versions, path);
        }
        let graph = self.program.graph;
        for edge in graph.incoming(node) {
            let (from, _) = graph.ends(edge);
            for version in versions.intersection(&graph.edge_versions(edge)).iter() {
                let one = VersionSet::one(version);
                let places = self.program.place(from, version).zip(self.program.place(node, version));
                let Some((place, to)) = places else {
                    self.note(&one, "a statement on the way is not compiled");
                    continue;
                };
                let mut condition = condition;
                let last = place.instructions().and_then(|all| all.last().copied());
                if let Some(last) = last {
                    let mut transfer = Transfer {
                        place,
                        pool: &mut self.pool,
                        objects: &mut self.objects,
                        facts: Vec::new(),
                    };
                    transfer.branch(last, to.piece, &mut condition);
                }
                self.push(Query { node: from, before: None, condition, versions: one, path: path.to_vec() });
            }
        }
    }

    /// At the function's entry the inputs decide.
    fn resolve(&mut self, entry: NodeId, condition: Condition, versions: &VersionSet, path: &[NodeId]) {
        let graph = self.program.graph;
        // A function lists itself among those that reach it.
        let chain = graph.chain(entry);
        let called = |version: &VersionId| {
            graph.is_internal(chain, *version) || graph.callers(chain, *version).len() > 1
        };
        let mut constraints = with_axioms(&mut self.pool, condition.narrow);
        let border = self.pool.bits(64, OWN_OBJECTS.into());
        for input in self.pool.variables(&[condition.narrow]) {
            if self.pool.as_var(input).is_some_and(|name| name.ends_with(".object")) {
                constraints.push(self.pool.ult(input, border));
            }
        }
        let open = self.open_end(condition.narrow);
        let answer = self.engine.check(&mut self.pool, &constraints);
        let model = match (open, answer) {
            (Some(why), Answer::Sat(_)) => return self.note(versions, &why),
            (None, Answer::Sat(model)) => model,
            (_, Answer::Unsat) if condition.wide == condition.narrow => return,
            (_, Answer::Unsat) => return self.note(versions, "a call without a body may lead to the fault"),
            (_, Answer::Unknown(why)) => {
                return self.note(versions, &format!("no answer from the solver: {why}"));
            }
        };
        let variables = self.pool.variables(&[condition.narrow]);
        let mut inputs: Vec<Term> = applications(&self.pool, condition.narrow, "strlen");
        inputs.extend(variables);
        let mut evaluator = Evaluator::new(&self.pool, &model);
        let value = |&term: &Term| (self.pool.to_c(term), evaluator.bits(term).to_string());
        let model = inputs.iter().map(value).collect();
        let mut assumptions =
            vec!["the function's inputs are unconstrained, its strings are terminated".to_owned()];
        if condition.wide != condition.narrow {
            assumptions.push("calls without a body leave strings that they are not given as they are".into());
        }
        let evidence = Evidence {
            path: path.iter().rev().copied().collect(),
            constraint: self.pool.to_c(condition.narrow),
            model,
            assumptions,
        };
        for version in versions.iter() {
            if called(&version) {
                self.note(&VersionSet::one(version), "the function's callers are not followed");
            } else {
                self.present.entry(version).or_insert_with(|| evidence.clone());
            }
        }
    }

    /// Why a condition at a function's entry is more than a condition on its inputs.
    fn open_end(&self, condition: Term) -> Option<String> {
        for variable in self.pool.variables(&[condition]) {
            let name = self.pool.as_var(variable).unwrap_or_default();
            if let Some(why) = name.strip_prefix('?') {
                return Some(format!("not followed: {}", why.split('!').next().unwrap_or(why)));
            }
            if name.starts_with("variable ") || name.starts_with('%') {
                return Some("a variable is read before it has a value".into());
            }
        }
        let own = |&string: &Term| {
            let inside = self.pool.variables(&self.pool.args(string)[..1]);
            inside.iter().all(|&variable| self.pool.sort(variable) == Sort::Bool)
        };
        if applications(&self.pool, condition, "strlen").iter().any(own) {
            return Some("a string is read that was not seen being written".into());
        }
        let sizes = applications(&self.pool, condition, "size");
        let callers = sizes.iter().any(|&size| {
            let inside = self.pool.variables(self.pool.args(size));
            inside.iter().any(|&variable| self.pool.sort(variable) != Sort::Bool)
        });
        callers.then(|| "the size of the caller's object is not known".into())
    }
}
