//! A function cut at its pieces, and what each run of instructions says.

use crate::names::{Records, constant, path, type_word, variables};
use hydrogen_ir::{
    Body, Const, EdgeKind, Function, InstructionId, Module, Op, Operand, Piece, PieceId, Reference, Role,
};
use hydrogen_sym::{
    Obstacle, Subject,
    code::{Code, Exit, Jumps, Plan, Var},
    homes::{Home, is_marker},
};
use rustc_hash::FxHashMap;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::{self, Write},
};

/// More nodes than this are not read.
const MOST_NODES: usize = 30_000;

/// A function cut at its pieces.
pub(crate) struct Cut<'m> {
    pub subject: Subject<'m>,
    pub code: Code<'m>,
    /// The heads of its loops.
    pub loops: Vec<usize>,
    /// What the stack slots are called.
    pub names: FxHashMap<InstructionId, String>,
    /// The nodes that lead to each node.
    pub ways_in: Vec<Vec<usize>>,
    /// The nodes of the function itself that can be a place both versions come to, in the order of the source.
    pub places: Vec<usize>,
    /// The node of every instruction of the function itself.
    pub node_of: Vec<usize>,
}

/// What a node says, and the results of other nodes that it uses, in order.
#[derive(PartialEq, Eq, Clone, Default)]
pub(crate) struct Said {
    pub text: String,
    pub uses: Vec<InstructionId>,
}

impl<'m> Cut<'m> {
    /// Cuts a function; calls of these functions are opened.
    pub fn new(
        subject: Subject<'m>,
        opens: &dyn Fn(hydrogen_ir::FunctionId) -> bool,
        with_bytes: &BTreeSet<String>,
    ) -> Result<Self, Obstacle> {
        let module = subject.module;
        let splits = |body: &Body, id: InstructionId| begins(module, body, id);
        let body = module.function(subject.function).body.as_ref();
        let names = body.map(|body| variables(module, body)).unwrap_or_default();
        let has_bytes = |id| names.get(&id).is_some_and(|name| with_bytes.contains(name));
        let plan =
            Plan { opens, jumps: Jumps::Never, splits: &splits, has_bytes: &has_bytes, most: MOST_NODES };
        let code = Code::new(module, subject.function, &plan)?;
        let body = code.frames[0].body;
        let mut node_of = vec![usize::MAX; body.instructions.len()];
        for (at, node) in code.nodes.iter().enumerate().filter(|(_, node)| node.frame == 0) {
            (node.first..node.end).for_each(|id| node_of[id as usize] = at);
            match node.exit {
                Exit::Terminator(id) | Exit::Enter(id, _) | Exit::Again(id, _) | Exit::Up(id, _) => {
                    node_of[id.index()] = at;
                }
                Exit::Next => {}
            }
        }
        let loops = code.heads.iter().copied().collect();
        let mut ways_in = vec![Vec::new(); code.nodes.len()];
        for node in 0..code.nodes.len() {
            code.successors(node).into_iter().for_each(|next| ways_in[next].push(node));
        }
        let mut cut = Self { subject, code, loops, names, places: Vec::new(), node_of, ways_in };
        let mut places: Vec<usize> = (0..cut.code.nodes.len()).filter(|&node| cut.is_place(node)).collect();
        places.sort_by_key(|&node| cut.code.nodes[node].first);
        cut.places = places;
        Ok(cut)
    }

    pub fn function(&self) -> &'m Function {
        self.subject.module.function(self.subject.function)
    }

    /// Whether both versions can be said to come to a node: one that does something, and is not what a function ends with.
    fn is_place(&self, at: usize) -> bool {
        let node = &self.code.nodes[at];
        if node.frame != 0 || self.code.position[at] == usize::MAX {
            return false;
        }
        let last = match node.exit {
            Exit::Terminator(id) => Some(self.code.op(0, id)),
            _ => None,
        };
        let does = self.significant(at).next().is_some();
        let only_goes_on = matches!(last, Some(Op::Jump { .. }) | None) && !does;
        let ends = matches!(last, Some(Op::Return { .. } | Op::Unreachable));
        let is_end = ends && self.piece(at) == Function::EXIT;
        !only_goes_on && !is_end && at != 0
    }

    /// The instructions of a node that do something; the one that it is left by is not among them.
    fn significant(&self, at: usize) -> impl Iterator<Item = InstructionId> + '_ {
        let node = &self.code.nodes[at];
        let ids = (node.first..node.end).map(InstructionId);
        ids.filter(move |&id| is_significant(self.code.module, self.code.op(node.frame, id)))
    }

    /// The statement that a node belongs to, in whatever function that is.
    pub fn statement(&self, at: usize) -> &'m Piece {
        let function = self.code.frames[self.code.nodes[at].frame as usize].function;
        &self.subject.module.function(function).pieces[self.piece(at).index()]
    }

    /// The piece that a node belongs to, of its own function.
    pub fn piece(&self, at: usize) -> PieceId {
        let node = &self.code.nodes[at];
        let body = self.code.frames[node.frame as usize].body;
        let first = self.significant(at).next();
        let id = first.unwrap_or(match node.exit {
            Exit::Terminator(id) | Exit::Enter(id, _) | Exit::Again(id, _) | Exit::Up(id, _) => id,
            Exit::Next => InstructionId(node.first),
        });
        body.instruction(id).piece
    }

    /// The first node behind jumps that does anything.
    pub fn through(&self, mut node: usize) -> Option<usize> {
        for _ in 0..64 {
            let one = &self.code.nodes[node];
            if one.frame != 0 {
                return None;
            }
            let only_jumps = one.first == one.end
                || (one.first..one.end)
                    .all(|id| matches!(self.code.op(0, InstructionId(id)), Op::Alloca { .. }));
            match one.exit {
                Exit::Terminator(id) if only_jumps && self.code.phis(node).next().is_none() => {
                    match self.code.op(0, id) {
                        Op::Jump { target } => node = self.code.block(0, *target),
                        _ => return Some(node),
                    }
                }
                _ => return Some(node),
            }
        }
        None
    }

    /// Whether a branch goes where its statement holds, as the source writes it, when its own condition is true: compilers turn `!x` around.
    pub fn is_as_written(&self, node: usize) -> Option<bool> {
        let Exit::Terminator(id) = self.code.nodes[node].exit else { return None };
        let Op::Branch { then, otherwise, .. } = self.code.op(0, id) else { return None };
        let from = self.code.frames[0].body.instruction(id).piece;
        let goes = |kind: EdgeKind, block: hydrogen_ir::BlockId| {
            let to = self.through(self.code.block(0, block)).map(|node| self.piece(node));
            let flow = self.function().flow.iter();
            flow.filter(|edge| edge.from == from && edge.kind == kind).any(|edge| Some(edge.to) == to)
        };
        let leads = |block| match (goes(EdgeKind::True, block), goes(EdgeKind::False, block)) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        };
        leads(*then).or_else(|| leads(*otherwise).map(|one| !one))
    }

    /// The line that a node of the function itself stands in.
    pub fn line(&self, at: usize) -> Option<u32> {
        let node = &self.code.nodes[at];
        if node.frame != 0 {
            return None;
        }
        self.statement(at).span.map(|span| span.start.line)
    }

    /// The name of a variable of a state; registers have none.
    pub fn name(&self, var: Var) -> Option<String> {
        match var {
            Var::Slot(slot) => {
                let mut all = self.names.iter();
                let is_it = |id: &InstructionId| self.code.homes.get(0, *id) == Some(Home::Slot(slot));
                all.find(|(id, _)| is_it(id)).map(|(_, name)| name.clone())
            }
            Var::Parameter(0, n) => {
                let name = self.function().parameters.get(n as usize)?.name.clone();
                Some(if name.is_empty() { format!("parameter {n}") } else { name })
            }
            _ => None,
        }
    }

    /// The names of all variables that are values, by their numbers.
    pub fn slots(&self) -> BTreeMap<u32, (InstructionId, String)> {
        let named = self.names.iter().filter_map(|(&id, name)| match self.code.homes.get(0, id)? {
            Home::Slot(slot) => Some((slot, (id, name.clone()))),
            Home::Object(_) => None,
        });
        named.collect()
    }

    /// The names of all variables that are objects, by their numbers.
    pub fn objects(&self) -> BTreeMap<u32, (InstructionId, String)> {
        let named = self.names.iter().filter_map(|(&id, name)| match self.code.homes.get(0, id)? {
            Home::Object(object) => Some((object, (id, name.clone()))),
            Home::Slot(_) => None,
        });
        named.collect()
    }

    /// What a node says; variables by the names that a renaming gives them.
    pub fn said(&self, at: usize, records: &Records, rename: &BTreeMap<String, String>) -> Said {
        let node = &self.code.nodes[at];
        let mut said = Said::default();
        let mut teller = Teller { cut: self, records, rename, node: at, said: &mut said };
        let text = &self.statement(at).text;
        for id in self.significant(at) {
            teller.instruction(id, text);
        }
        // A condition that gives a value is not the condition of a statement, even in the same words.
        if matches!(self.role(at), Role::Condition) {
            teller.write(format_args!("\nas a value"));
        }
        match node.exit {
            Exit::Terminator(id) if matches!(self.code.op(0, id), Op::Jump { .. }) => {}
            Exit::Terminator(id) | Exit::Enter(id, _) | Exit::Again(id, _) | Exit::Up(id, _) => {
                teller.instruction(id, text);
            }
            Exit::Next => {}
        }
        said
    }

    /// Whether leaving a node means to leave its statement by a jump that somebody wrote.
    pub fn role(&self, at: usize) -> Role {
        self.statement(at).role
    }
}

/// Whether an instruction does something that versions can differ in. Where variables are made is told apart.
fn is_significant(module: &Module, op: &Op) -> bool {
    !matches!(op, Op::Alloca { .. }) && !is_marker(module, op)
}

/// Whether a node begins with an instruction in the middle of a block: where the piece becomes another one.
fn begins(module: &Module, body: &Body, id: InstructionId) -> bool {
    let one = body.instruction(id);
    if !is_significant(module, &one.op) || matches!(one.op, Op::Jump { .. } | Op::Phi { .. }) {
        return false;
    }
    let block = body.blocks.partition_point(|block| block.first <= id) - 1;
    let first = body.blocks[block].first;
    let mut before = (first.0..id.0).rev().map(InstructionId).map(|id| body.instruction(id));
    before.find(|one| is_significant(module, &one.op)).is_some_and(|before| before.piece != one.piece)
}

struct Teller<'c, 'm> {
    cut: &'c Cut<'m>,
    records: &'c Records,
    rename: &'c BTreeMap<String, String>,
    node: usize,
    said: &'c mut Said,
}

impl Teller<'_, '_> {
    fn write(&mut self, words: fmt::Arguments) {
        self.said.text.write_fmt(words).expect("a string grows");
    }

    fn instruction(&mut self, id: InstructionId, source: &str) {
        let module = self.cut.code.module;
        let instruction = self.cut.code.frames[0].body.instruction(id);
        let ty = type_word(module, instruction.ty);
        self.write(format_args!("\n{ty} {}", word(&instruction.op)));
        match &instruction.op {
            Op::Binary { flags, fast, .. } => {
                self.write(format_args!(" {}{}{}", u8::from(flags.nsw), u8::from(flags.nuw), fast.0));
            }
            Op::Unary { fast, .. } | Op::FloatCompare { fast, .. } | Op::Select { fast, .. } => {
                self.write(format_args!(" {}", fast.0));
            }
            Op::IndirectJump { targets, .. } => self.write(format_args!(" {}", targets.len())),
            Op::Load { access, .. } | Op::Store { access, .. } => {
                self.write(format_args!(" {}{}", u8::from(access.volatile), access.ordering as u8));
            }
            Op::Call { ty, .. } => {
                let ty = type_word(module, *ty);
                self.write(format_args!(" {ty}"));
            }
            Op::ElementAddress { source: ty, base, indices, .. } => {
                self.operand(base, None);
                let mut steps = String::new();
                let mut inner: Vec<Operand> = Vec::new();
                path(module, self.records, *ty, indices, |one, _| inner.push(one.clone()), &mut steps);
                self.write(format_args!("{steps}"));
                inner.iter().for_each(|one| self.operand(one, None));
                return;
            }
            Op::ExtractValue { indices, .. } | Op::InsertValue { indices, .. } => {
                self.write(format_args!(" {indices:?}"));
            }
            Op::Switch { value, cases, .. } => {
                self.operand(value, None);
                for case in cases {
                    self.operand(&Operand::Const(case.value), None);
                }
                return;
            }
            Op::Phi { incoming } => {
                // Where they come from is told by the nodes before.
                incoming.iter().for_each(|(_, one)| self.operand(one, None));
                return;
            }
            _ => {}
        }
        // The number of its own line, where nobody wrote it, is no part of what is said.
        let line = instruction
            .location
            .map(|location| location.position.line)
            .filter(|&line| line > 9 && !source.contains(&line.to_string()));
        let mut operands = Vec::new();
        instruction.op.references(|reference| {
            if let Reference::Operand(operand) = reference {
                operands.push(operand.clone());
            }
        });
        let is_call = matches!(instruction.op, Op::Call { .. });
        operands.iter().for_each(|one| self.operand(one, line.filter(|_| is_call)));
    }

    fn operand(&mut self, operand: &Operand, line: Option<u32>) {
        let cut = self.cut;
        match operand {
            Operand::Instruction(id) => match cut.names.get(id) {
                Some(name) => {
                    let name = self.rename.get(name).unwrap_or(name).clone();
                    self.write(format_args!(" ${name}"));
                }
                None if cut.node_of[id.index()] == self.node => {
                    let first = cut.code.nodes[self.node].first;
                    let inner = (first..id.0).map(InstructionId);
                    let significant = inner.filter(|&id| is_significant(cut.code.module, cut.code.op(0, id)));
                    let at = significant.count();
                    self.write(format_args!(" %{at}"));
                }
                None => {
                    self.said.uses.push(*id);
                    self.write(format_args!(" ^"));
                }
            },
            Operand::Parameter(n) => {
                let name = &cut.function().parameters[*n as usize].name;
                let name = self.rename.get(name).unwrap_or(name).clone();
                self.write(format_args!(" parameter {name}"));
            }
            Operand::Const(id) => {
                if let (Some(line), Const::Int { bits, .. }) = (line, cut.code.module.constant(*id))
                    && *bits == u128::from(line)
                {
                    return self.write(format_args!(" line"));
                }
                constant(cut.code.module, self.records, *id, 0, &mut self.said.text);
            }
            Operand::Metadata(text) => self.write(format_args!(" !{text}")),
        }
    }
}

/// An instruction's kind, with what distinguishes it besides its operands.
fn word(op: &Op) -> String {
    let plain = match op {
        Op::Unary { .. } => "neg",
        Op::Binary { op, .. } => return format!("binary {}", *op as u8),
        Op::IntCompare { predicate, .. } => return format!("compare {}", *predicate as u8),
        Op::FloatCompare { predicate, .. } => return format!("float compare {}", *predicate as u8),
        Op::Cast { op, .. } => return format!("cast {}", *op as u8),
        Op::Alloca { .. } => "alloca",
        Op::Load { .. } => "load",
        Op::Store { .. } => "store",
        Op::ElementAddress { .. } => "element",
        Op::Phi { .. } => "phi",
        Op::Select { .. } => "select",
        Op::ExtractValue { .. } => "extract",
        Op::InsertValue { .. } => "insert",
        Op::ExtractElement { .. } => "lane",
        Op::InsertElement { .. } => "put lane",
        Op::ShuffleVector { mask, .. } => return format!("shuffle {mask:?}"),
        Op::Call { .. } => "call",
        Op::Asm { asm, .. } | Op::AsmBranch { asm, .. } => {
            return format!("asm {} {}", asm.template, asm.constraints);
        }
        Op::VaArg { .. } => "va_arg",
        Op::Fence { ordering } => return format!("fence {}", *ordering as u8),
        Op::CompareExchange { access, .. } => return format!("cmpxchg {}", access.ordering as u8),
        Op::AtomicRmw { op, access, .. } => return format!("rmw {} {}", *op as u8, access.ordering as u8),
        Op::Freeze { .. } => "freeze",
        Op::Opaque { name, .. } | Op::OpaqueTerminator { name, .. } => return name.clone(),
        Op::Return { .. } => "return",
        Op::Jump { .. } => "jump",
        Op::Branch { .. } => "branch",
        Op::Switch { .. } => "switch",
        Op::IndirectJump { .. } => "indirect jump",
        Op::Unreachable => "unreachable",
    };
    plain.to_owned()
}
