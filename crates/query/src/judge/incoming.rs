//! What may come in at the entry of the outermost function (W-3a): a witness that needs more than that is a question, not a finding.

use crate::judge::resolve::Arrival;
use crate::meaning::state::{Part, Role};
use crate::walk::Analyst;
use hydrogen_evidence::{Input, Value};
use hydrogen_graph::VersionId;
use hydrogen_ir::{CType, Const, Op as Code, Operand, Type, VariableKind};
use hydrogen_term::{Op, Term};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes that may lie before a pointer.
const HEADER: u64 = 4096;

/// Pointers that are compared with each other.
const MOST_POINTERS: usize = 12;

impl Analyst<'_> {
    /// Rule 3: whether a condition cannot hold while all pointers that come in lead somewhere, those aside that the function compares with
    /// null in some version.
    pub(crate) fn needs_null(&mut self, constraints: &[Term], arrival: &Arrival) -> bool {
        let mut constraints = constraints.to_vec();
        let (before, zero) = (constraints.len(), self.terms.word(0));
        let asked = self.asked_for_null(arrival);
        for one in self.terms.pool.postorder(&[arrival.term]) {
            let name = self.terms.pool.as_var(one).and_then(|name| name.strip_suffix(".object"));
            let comes_in = match self.terms.pool.op(one) {
                Op::Var(_) => name.is_some_and(|name| !name.starts_with('?') && !asked.contains(name)),
                Op::Apply(function) => {
                    matches!(self.terms.role(function), Role::Memory(_, Part::Object))
                        && !self.member_may_be_null(arrival, one)
                        && !self.is_argument(arrival, one)
                }
                _ => false,
            };
            if comes_in {
                constraints.push(self.terms.pool.ne(one, zero));
            }
        }
        constraints.len() > before && !self.engine.check(&mut self.terms.pool, &constraints).is_sat()
    }

    /// The variables that the outermost function compares with null in one of its versions, as conditions name them.
    fn asked_for_null(&mut self, arrival: &Arrival) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let Some((frame, _)) = arrival.frames.first().cloned() else { return found };
        let graph = self.subject.program.graph;
        let function = graph.newest_name(frame.chain);
        for words in &self.subject.comes_in.null {
            if let Some((_, name)) = words.split_once('.').filter(|(named, _)| *named == function) {
                found.insert(format!("{}{name}", frame.prefix));
            }
        }
        let versions: Vec<VersionId> = graph.chain_versions(frame.chain).iter().collect();
        for version in versions {
            let Some(shape) = self.shape(frame.chain, version) else { continue };
            for instruction in &shape.body().instructions {
                let Code::IntCompare { left, right, .. } = &instruction.op else { continue };
                let null = |operand: &Operand| matches!(operand, Operand::Const(id) if matches!(shape.module.constant(*id), Const::Zero(_)));
                let (Operand::Instruction(load), true) = (left, null(right)) else { continue };
                if let Code::Load { pointer: Operand::Instruction(slot), .. } = shape.op(*load)
                    && let Some(name) = shape.plain.get(slot)
                {
                    found.insert(format!("{}{name}", frame.prefix));
                }
            }
        }
        found
    }

    /// Whether a condition cannot hold while there is something before the pointers that come in, in code that looks there at a fixed
    /// distance: strings with a header in front of them, members of a larger structure. Whoever passes such a pointer has what lies there.
    pub(crate) fn needs_nothing_before(&mut self, constraints: &[Term], arrival: &Arrival) -> bool {
        let all = self.terms.pool.postorder(&[arrival.term]);
        let pool = &self.terms.pool;
        let is_negative = |term: Term| pool.as_bits(term).is_some_and(|bits| bits >> 63 == 1);
        let comes_in = |term: &Term| match pool.op(*term) {
            Op::Var(_) => {
                pool.as_var(*term).is_some_and(|name| name.ends_with(".offset") && !name.starts_with('?'))
            }
            Op::Apply(function) => matches!(self.terms.role(function), Role::Memory(_, Part::Offset)),
            _ => false,
        };
        let before = |&sum: &Term| match (pool.op(sum), pool.args(sum)) {
            (Op::Add, &[one, other]) if is_negative(one) => Some(other),
            (Op::Add, &[one, other]) if is_negative(other) => Some(one),
            _ => None,
        };
        let offsets: BTreeSet<Term> = all.iter().filter_map(before).filter(comes_in).collect();
        if offsets.is_empty() || !self.looks_before(arrival) {
            return false;
        }
        let (mut constraints, room) = (constraints.to_vec(), self.terms.word(HEADER));
        constraints.extend(offsets.iter().map(|&offset| self.terms.pool.uge(offset, room)));
        !self.engine.check(&mut self.terms.pool, &constraints).is_sat()
    }

    /// Whether the code on the way moves a pointer back by a number that it states. An index that happens to be negative is another thing.
    fn looks_before(&mut self, arrival: &Arrival) -> bool {
        let Some(version) = arrival.versions.first() else { return false };
        arrival.frames.iter().any(|(frame, _)| {
            let Some(shape) = self.shape(frame.chain, version) else { return false };
            let is_negative = |operand: &Operand| {
                let Operand::Const(id) = operand else { return false };
                let Const::Int { ty, bits } = shape.module.constant(*id) else { return false };
                let Type::Int(width @ 1..=64) = shape.module.types.get(*ty) else { return false };
                bits >> (width - 1) & 1 == 1
            };
            let moves_back = |op: &Code| match op {
                Code::ElementAddress { indices, .. } => indices.first().is_some_and(is_negative),
                _ => false,
            };
            shape.body().instructions.iter().any(|instruction| moves_back(&instruction.op))
        })
    }

    /// Rule 4: whether a condition cannot hold while pointers that come in lead to different objects, those aside that are parameters of
    /// one type.
    pub(crate) fn needs_alias(&mut self, constraints: &[Term], arrival: &Arrival) -> bool {
        let outermost =
            arrival.frames.first().map(|(frame, _)| self.subject.program.graph.newest_name(frame.chain));
        if outermost.is_some_and(|name| self.subject.comes_in.same.iter().any(|same| same == name)) {
            return false;
        }
        let zero = self.terms.word(0);
        let pointers = self.incoming_pointers(arrival.term);
        let types = self.parameter_types(arrival);
        let mut constraints = constraints.to_vec();
        let before = constraints.len();
        for (at, &one) in pointers.iter().enumerate() {
            for &other in &pointers[at + 1..] {
                if self.are_of_one_type(&types, one, other) {
                    continue;
                }
                let (same, null) = (self.terms.pool.eq(one, other), self.terms.pool.eq(one, zero));
                constraints.push(self.terms.pool.implies(same, null));
            }
        }
        constraints.len() > before && !self.engine.check(&mut self.terms.pool, &constraints).is_sat()
    }

    /// The objects of pointers that come in, as a condition names them.
    pub(crate) fn incoming_pointers(&self, term: Term) -> Vec<Term> {
        let comes_in = |&one: &Term| match self.terms.pool.op(one) {
            Op::Var(_) => {
                let name = self.terms.pool.as_var(one).and_then(|name| name.strip_suffix(".object"));
                name.is_some_and(|name| !name.starts_with('?'))
            }
            Op::Apply(function) => matches!(self.terms.role(function), Role::Memory(_, Part::Object)),
            _ => false,
        };
        self.terms.pool.postorder(&[term]).into_iter().filter(comes_in).take(MOST_POINTERS).collect()
    }

    /// Whether both are parameters, and pointers to the same type or to bytes of any kind.
    fn are_of_one_type(&self, types: &BTreeMap<String, String>, one: Term, other: Term) -> bool {
        let ty = |term: Term| {
            let name = self.terms.pool.as_var(term)?.strip_suffix(".object")?;
            types.get(name).map(String::as_str)
        };
        match (ty(one), ty(other)) {
            (Some(one), Some(other)) => one == other || one == ANY || other == ANY,
            _ => false,
        }
    }

    /// What the parameters of the outermost function point to, by name.
    fn parameter_types(&mut self, arrival: &Arrival) -> BTreeMap<String, String> {
        let mut types = BTreeMap::new();
        let (Some((frame, _)), Some(version)) = (arrival.frames.first().cloned(), arrival.versions.first())
        else {
            return types;
        };
        let Some(shape) = self.shape(frame.chain, version) else { return types };
        for variable in &shape.body().variables {
            let VariableKind::Parameter(_) = variable.kind else { continue };
            let mut ctype = variable.ctype;
            while let Some(id) = ctype {
                ctype = match shape.module.ctype(id) {
                    CType::Typedef { target, .. } => Some(*target),
                    CType::Pointer(target) => {
                        let name = match shape.module.ctype(*target) {
                            CType::Void => ANY.to_owned(),
                            CType::Basic { size_bits: 8, .. } => ANY.to_owned(),
                            other => format!("{other:?}"),
                        };
                        types.insert(format!("{}{}", frame.prefix, variable.name), name);
                        None
                    }
                    _ => None,
                };
            }
        }
        types
    }
}

/// `void` and characters: such pointers may lead to anything.
const ANY: &str = "";

/// Whether two pointers of a call lead to one object.
pub(super) fn leads_twice(input: &Input) -> bool {
    let Some(call) = &input.call else { return false };
    let arguments = call.arguments.iter().map(|argument| &argument.value);
    let cells = call.objects.iter().flat_map(|object| &object.cells);
    let cells = cells.chain(call.globals.iter().flat_map(|global| &global.cells)).map(|cell| &cell.value);
    let mut led_to = BTreeSet::new();
    arguments.chain(cells).any(|value| matches!(value, Value::Object(at, _) if !led_to.insert(*at)))
}
