//! The same place in several programs (P-1): an instruction of the machine, its statement piece, the node of a graph with a version
//! for each program. Functions of the C library, which is the same in all, are named by themselves.

use crate::place::{Place, following};
use hydrogen_align::Regions;
use hydrogen_evidence::Node;
use hydrogen_graph::{ChainId, Graph, NodeId, VersionId, VersionInfo, VersionInput};
use hydrogen_machine::{FuncId, Program, Site};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What a node is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Statement {
    /// A node of the graph of the programs.
    Graph(NodeId),
    /// A piece of a function that no graph has: the function's file and name, and the number of the piece there; without pieces, that
    /// of the instruction.
    Elsewhere(Box<str>, Box<str>, u32),
}

/// A function in all programs that have it.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) regions: Regions,
    pub(crate) nodes: Vec<Node>,
    pub(crate) numbers: FxHashMap<Node, usize>,
}

/// What makes functions of two programs the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Chain(ChainId),
    Elsewhere(Box<str>, Box<str>),
}

/// The nodes of some programs.
#[derive(Debug)]
pub struct Nodes<'p> {
    programs: Vec<&'p Program>,
    graph: Graph,
    statements: Vec<Statement>,
    known: FxHashMap<Statement, Node>,
    functions: Vec<Function>,
    /// By program, what each function is there; filled when a function is first asked for.
    places: Vec<FxHashMap<FuncId, Place>>,
    keys: Vec<FxHashMap<FuncId, Key>>,
    same: FxHashMap<Key, Vec<(usize, FuncId)>>,
}

impl<'p> Nodes<'p> {
    /// The graph has a version for each program, each made from the one before.
    pub fn new(programs: &[&'p Program]) -> Self {
        let version = |(at, program): (usize, &&'p Program)| {
            let parents = at.checked_sub(1).map(VersionId::at).into_iter().collect();
            let info = VersionInfo { name: format!("{at}"), parents, ..VersionInfo::default() };
            let module = program.units().next().map_or(&[][..], std::slice::from_ref);
            VersionInput::from_modules(info, module)
        };
        let graph = Graph::build(programs.iter().enumerate().map(version))
            .expect("every version names the one before, and its functions have keys of their own");
        let mut nodes = Self {
            programs: programs.to_vec(),
            graph,
            statements: Vec::new(),
            known: FxHashMap::default(),
            functions: Vec::new(),
            places: vec![FxHashMap::default(); programs.len()],
            keys: vec![FxHashMap::default(); programs.len()],
            same: FxHashMap::default(),
        };
        for (at, program) in programs.iter().enumerate() {
            let chains = chains(&nodes.graph, VersionId::at(at));
            for id in program.ids() {
                let Some((module, function)) = program.model(id) else { continue };
                let file = function.file().map_or(module.name.as_str(), |file| module.file(file));
                let here = chains.get(&(file, function.line().unwrap_or(0))).filter(|_| program.is_users(id));
                let key = match here.and_then(|here| named(here, &function.name)) {
                    Some(chain) => Key::Chain(chain),
                    None => Key::Elsewhere(file.into(), function.name.as_str().into()),
                };
                nodes.same.entry(key.clone()).or_default().push((at, id));
                nodes.keys[at].insert(id, key);
            }
        }
        nodes
    }

    /// The graph of the programs: its first version is the first program.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// What a node is.
    pub fn statement(&self, node: Node) -> &Statement {
        &self.statements[node.0 as usize]
    }

    /// The node of a node of the graph, if a program was asked for it before.
    pub fn of_graph(&self, node: NodeId) -> Option<Node> {
        self.known.get(&Statement::Graph(node)).copied()
    }

    /// The node of an instruction of a program; none for functions without a body.
    pub fn at(&mut self, program: usize, site: Site) -> Option<Node> {
        self.place(program, site.function)?.nodes.get(site.pc as usize).copied()
    }

    /// The instructions of a node in a program.
    pub fn sites(&mut self, program: usize, node: Node) -> Vec<Site> {
        let functions: Vec<FuncId> = match self.statement(node) {
            Statement::Graph(id) => {
                let key = Key::Chain(self.graph.chain(*id));
                self.same
                    .get(&key)
                    .into_iter()
                    .flatten()
                    .filter(|it| it.0 == program)
                    .map(|it| it.1)
                    .collect()
            }
            Statement::Elsewhere(file, name, _) => {
                let key = Key::Elsewhere(file.clone(), name.clone());
                self.same
                    .get(&key)
                    .into_iter()
                    .flatten()
                    .filter(|it| it.0 == program)
                    .map(|it| it.1)
                    .collect()
            }
        };
        let mut sites = Vec::new();
        for function in functions {
            let Some(place) = self.place(program, function) else { continue };
            let own = (0u32..).zip(&place.nodes).filter(|(_, other)| **other == node);
            sites.extend(own.map(|(pc, _)| Site { function, pc }));
        }
        sites
    }

    /// The line of a node in a program, with its file; none for what the program does not have.
    pub fn line(&self, program: usize, node: Node) -> Option<(&str, u32)> {
        let Statement::Graph(id) = self.statement(node) else { return None };
        let version = VersionId::at(program);
        if !self.graph.node_in(*id, version) {
            return None;
        }
        Some((self.graph.location(self.graph.chain(*id), version).0, self.graph.line(*id, version)?))
    }

    /// Whether a node is of the programs themselves and all of them have it.
    pub fn is_shared(&self, node: Node) -> bool {
        match self.statement(node) {
            Statement::Graph(id) => {
                (0..self.programs.len()).all(|at| self.graph.node_in(*id, VersionId::at(at)))
            }
            Statement::Elsewhere(..) => true,
        }
    }

    pub(crate) fn function(&self, number: usize) -> &Function {
        &self.functions[number]
    }

    /// A function of a program: what its instructions are.
    pub(crate) fn place(&mut self, program: usize, id: FuncId) -> Option<&Place> {
        if !self.places[program].contains_key(&id) {
            let key = self.keys[program].get(&id)?.clone();
            self.enter(&key);
        }
        self.places[program].get(&id)
    }

    /// Looks at a function in all programs that have it.
    fn enter(&mut self, key: &Key) {
        let number = self.functions.len();
        let members = self.same.get(key).cloned().unwrap_or_default();
        let (mut edges, mut entries, mut exits) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let mut nodes: Vec<Node> = Vec::new();
        let mut numbers: FxHashMap<Node, usize> = FxHashMap::default();
        for (program, id) in members {
            let Some(code) = self.programs[program].code(id) else { continue };
            let Some(place) = self.place_of(program, id, key, number) else { continue };
            let mut local = |node: Node| {
                *numbers.entry(node).or_insert_with(|| {
                    nodes.push(node);
                    nodes.len() - 1
                })
            };
            let begins = if code.instrs.is_empty() { Vec::new() } else { place.first(code, 0).0 };
            let mut chain = |way: &[Node]| {
                for pair in way.windows(2) {
                    edges.insert((local(pair[0]), local(pair[1])));
                }
                way.first().map(|node| local(*node))
            };
            entries.extend(chain(&begins));
            for pc in place.executed(code) {
                let from = place.nodes[pc as usize];
                let next = following(code, pc);
                if next.is_empty() {
                    exits.extend(chain(&[from]));
                }
                for next in next {
                    let (way, next) = place.first(code, next);
                    chain(&way);
                    if way[0] != from || next <= pc {
                        chain(&[from, way[0]]);
                    }
                }
            }
            self.places[program].insert(id, place);
        }
        let list = |set: BTreeSet<usize>| set.into_iter().collect::<Vec<_>>();
        let edges: Vec<(usize, usize)> = edges.into_iter().collect();
        let regions = Regions::new(nodes.len(), &list(entries), &edges, &list(exits));
        self.functions.push(Function { regions, nodes, numbers });
    }

    /// What the instructions of a function are.
    fn place_of(&mut self, program: usize, id: FuncId, key: &Key, number: usize) -> Option<Place> {
        let of = self.programs[program];
        let (code, (module, function)) = (of.code(id)?, of.model(id)?);
        let body = function.body.as_ref()?;
        let version = VersionId::at(program);
        let pieces = match key {
            Key::Chain(chain) => self.graph.pieces(*chain, version),
            Key::Elsewhere(..) => Vec::new(),
        };
        let file = function.file().map_or(module.name.as_str(), |file| module.file(file));
        let mut nodes = Vec::with_capacity(body.instructions.len());
        for (at, instruction) in body.instructions.iter().enumerate() {
            let piece = instruction.piece.index();
            let statement = match pieces.get(piece) {
                Some(node) => Statement::Graph(*node),
                None => {
                    let number = if function.pieces.is_empty() { at } else { piece };
                    Statement::Elsewhere(file.into(), function.name.as_str().into(), number as u32)
                }
            };
            nodes.push(self.intern(statement));
        }
        Some(Place::new(number, function, body, code, &nodes))
    }

    fn intern(&mut self, statement: Statement) -> Node {
        if let Some(known) = self.known.get(&statement) {
            return *known;
        }
        let node =
            Node(u32::try_from(self.statements.len()).expect("programs have fewer than 2^32 statements"));
        self.statements.push(statement.clone());
        self.known.insert(statement, node);
        node
    }
}

/// The functions of a version by file and line, with their names: linking may give a `static` function another name, but not another
/// place.
fn chains(graph: &Graph, version: VersionId) -> FxHashMap<(&str, u32), Vec<(&str, ChainId)>> {
    let mut chains: FxHashMap<_, Vec<_>> = FxHashMap::default();
    for chain in graph.chains().filter(|&chain| graph.chain_in(chain, version)) {
        chains.entry(graph.location(chain, version)).or_default().push((graph.name(chain, version), chain));
    }
    chains
}

/// Which of the functions of a line has a name, as linking may have changed it: several on one line are told apart by their names.
fn named(chains: &[(&str, ChainId)], name: &str) -> Option<ChainId> {
    let own = |written: &str| {
        let rest = name.strip_prefix(written);
        rest.is_some_and(|rest| {
            rest.is_empty() || !rest.starts_with(|c: char| c == '_' || c.is_alphanumeric())
        })
    };
    match chains {
        [(_, chain)] => Some(*chain),
        several => several.iter().find(|it| own(it.0)).map(|it| it.1),
    }
}
