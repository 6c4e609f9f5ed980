//! What members of structures that come in may hold (W-3a, rule 2): what some store of the program writes, zero, or anything where no store
//! is seen.

use crate::judge::resolve::Arrival;
use crate::meaning::shape::Shape;
use crate::meaning::state::{Part, Role};
use crate::walk::{Analyst, Frame};
use hydrogen_graph::VersionId;
use hydrogen_ir::layout::{plain, pointee};
use hydrogen_ir::{Body, CType, Const, InstructionId, Module, Op as Code, Operand, Type};
use hydrogen_term::{Op, Term};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a person says of what comes in: answers to the questions of earlier verdicts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ComesIn {
    /// Parameters `function.parameter` and members `structure.member` that may be null.
    pub null: Vec<String>,
    /// Functions whose pointers may lead to the same object.
    pub same: Vec<String>,
    /// Members `structure.member` that may hold anything.
    pub any: Vec<String>,
}

impl Analyst<'_> {
    /// Takes a person's answers.
    pub fn may_come_in(&mut self, answers: ComesIn) {
        self.subject.comes_in = answers;
    }
}

/// A member: the structure's tag, and how far it lies from the beginning.
pub(crate) type Member = (String, u64);

/// The constants that the program stores into each member that it stores nothing else into; `None` where anything may be stored.
pub(crate) type Stored = BTreeMap<Member, Option<BTreeSet<u128>>>;

impl Analyst<'_> {
    /// A member that must hold for the condition what no store of the program puts there; none if none must.
    pub(crate) fn needs_member(
        &mut self,
        constraints: &[Term],
        arrival: &Arrival,
        version: VersionId,
    ) -> Option<String> {
        let (frame, _) = arrival.frames.first()?.clone();
        let shape = self.shape(frame.chain, version)?;
        let mut bound: Vec<(Term, String, BTreeSet<u128>)> = Vec::new();
        for one in self.terms.pool.postorder(&[arrival.term]) {
            let Op::Apply(function) = self.terms.pool.op(one) else { continue };
            let Role::Memory(_, Part::Number) = self.terms.role(function) else { continue };
            let Some(((tag, at), name)) = self.member(&frame, &shape, one) else { continue };
            if self.subject.comes_in.any.iter().any(|any| is_member(any, &tag, &name)) {
                continue;
            }
            let member = (tag, at);
            self.kept.member(&member, version);
            let stored = self.stored(version);
            let Some(Some(constants)) = stored.get(&member) else { continue };
            bound.push((one, name, constants.clone()));
        }
        if bound.is_empty() {
            return None;
        }
        let mut all = constraints.to_vec();
        for (term, _, constants) in &bound {
            let width = self.terms.pool.width(*term);
            let mut one_of = Vec::new();
            for &constant in constants.iter().chain([&0]) {
                let value = self.terms.pool.bits(width, constant);
                one_of.push(self.terms.pool.eq(*term, value));
            }
            let holds = self.terms.pool.or_all(one_of);
            all.push(holds);
        }
        let possible = self.engine.check(&mut self.terms.pool, &all).is_sat();
        (!possible).then(|| bound.iter().map(|(_, name, _)| name.as_str()).collect::<Vec<_>>().join(", "))
    }

    /// The member that a cell of incoming memory is, and what a condition calls it.
    pub(crate) fn member(&mut self, frame: &Frame, shape: &Shape, cell: Term) -> Option<(Member, String)> {
        let &[object, offset] = self.terms.pool.args(cell) else { return None };
        let (_, ctype) = self.pointer_name(frame, shape, object)?;
        let target = pointee(&shape.module, ctype?)?;
        let CType::Record { name: Some(tag), .. } = shape.module.ctype(plain(&shape.module, target)) else {
            return None;
        };
        let at = self.offset_from_base(object, offset)?;
        let name = self.name_of(frame, shape, cell)?;
        Some(((tag.clone(), at), name.trim_end_matches(".object").to_owned()))
    }

    /// Whether the user says that this pointer in memory may be null.
    pub(crate) fn member_may_be_null(&mut self, arrival: &Arrival, cell: Term) -> bool {
        let (Some((frame, _)), Some(version)) = (arrival.frames.first().cloned(), arrival.versions.first())
        else {
            return false;
        };
        if self.subject.comes_in.null.is_empty() {
            return false;
        }
        let Some(shape) = self.shape(frame.chain, version) else { return false };
        let Some(((tag, _), name)) = self.member(&frame, &shape, cell) else { return false };
        self.subject.comes_in.null.iter().any(|null| is_member(null, &tag, &name))
    }

    fn offset_from_base(&mut self, object: Term, offset: Term) -> Option<u64> {
        match self.terms.base_offset(object)? {
            base if base == offset => Some(0),
            base => self.distance(offset, base),
        }
    }

    /// The units of a version that have functions.
    pub(crate) fn modules(&self, version: VersionId) -> Vec<Arc<Module>> {
        self.subject.program.code.units(version)
    }

    /// All stores of a version into members of structures.
    pub(crate) fn stored(&mut self, version: VersionId) -> Arc<Stored> {
        if let Some(known) = self.store.stored.get(&version) {
            return Arc::clone(known);
        }
        let mut stored = Stored::new();
        for module in self.modules(version) {
            stores_of(&module, &mut stored);
        }
        let stored = Arc::new(stored);
        self.store.stored.insert(version, Arc::clone(&stored));
        stored
    }
}

/// Whether the user's words `tag.member` name a member, which a condition calls `p->member`.
fn is_member(words: &str, tag: &str, shown: &str) -> bool {
    let Some((wanted, member)) = words.split_once('.') else { return false };
    wanted == tag && shown.rsplit(['>', '.']).next() == Some(member)
}

fn stores_of(module: &Module, stored: &mut Stored) {
    for body in module.functions.iter().filter_map(|function| function.body.as_ref()) {
        for instruction in &body.instructions {
            let Code::Store { value, pointer: Operand::Instruction(address), .. } = &instruction.op else {
                continue;
            };
            let Some(member) = member_at(module, body, *address) else { continue };
            let known = stored.entry(member).or_insert_with(|| Some(BTreeSet::new()));
            match (constants(module, body, value), known.as_mut()) {
                (Some(constants), Some(all)) => all.extend(constants),
                (None, _) => *known = None,
                _ => {}
            }
        }
    }
}

/// The constants that a value is one of; none if it may be anything else.
fn constants(module: &Module, body: &Body, value: &Operand) -> Option<Vec<u128>> {
    match value {
        Operand::Const(id) => match module.constant(*id) {
            Const::Int { bits, .. } => Some(vec![*bits]),
            Const::Zero(_) => Some(vec![0]),
            _ => None,
        },
        Operand::Instruction(id) => {
            let all = |choices: &[&Operand]| {
                let found: Option<Vec<_>> =
                    choices.iter().map(|choice| constants(module, body, choice)).collect();
                found.map(|found| found.concat())
            };
            match &body.instruction(*id).op {
                Code::Select { then, otherwise, .. } => all(&[then, otherwise]),
                Code::Phi { incoming }
                    if incoming.iter().all(|(_, value)| matches!(value, Operand::Const(_))) =>
                {
                    all(&incoming.iter().map(|(_, value)| value).collect::<Vec<_>>())
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// The member whose address an instruction makes, if it is one of a structure with a tag.
pub(crate) fn member_at(module: &Module, body: &Body, address: InstructionId) -> Option<Member> {
    let Code::ElementAddress { source, indices, .. } = &body.instruction(address).op else { return None };
    let Type::Struct(record) = module.types.get(*source) else { return None };
    let [_, Operand::Const(field)] = indices.as_slice() else { return None };
    let Const::Int { bits, .. } = module.constant(*field) else { return None };
    let tag = record.name.as_deref().and_then(|name| name.strip_prefix("struct."))?;
    let offset = module.types.layout(*source)?.field_offsets.get(*bits as usize)?;
    Some((tag.to_owned(), *offset))
}
