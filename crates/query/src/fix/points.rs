//! What a statement does with which operands: how a statement of one version is compared with one of another.

use crate::meaning::effect::Effect;
use crate::meaning::eval::Eval;
use crate::meaning::shape::{Shape, Spot};
use crate::meaning::state::{Cell, Terms, Value};
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::Class;
use hydrogen_evidence::Entry;
use hydrogen_graph::{NodeId, VersionId};
use hydrogen_ir::{BinaryOp, Const, Op, Operand};
use hydrogen_term::Term;
use rustc_hash::FxHashMap;

/// An action of a statement: what, the how-manieth of that name, and the condition that its operands are the given ones.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub key: (String, usize),
    pub spot: Spot,
    pub operands: Term,
    /// Whether it is asked about behind the run instead.
    pub behind: bool,
}

/// Whether an instruction is one that a kind of fault happens at.
fn concerns(kind: Option<Class>, op: &Op) -> bool {
    let memory = matches!(op, Op::Load { .. } | Op::Store { .. } | Op::Call { .. });
    match kind {
        None | Some(Class::Change | Class::Rule | Class::Control) => {
            memory || matches!(op, Op::Binary { .. })
        }
        Some(
            Class::Overflow
            | Class::Null
            | Class::UseAfterFree
            | Class::DoubleFree
            | Class::Leak
            | Class::Sign,
        ) => memory,
        Some(Class::Pointer) => memory || matches!(op, Op::ElementAddress { .. }),
        Some(Class::SizeOverflow) => matches!(op, Op::Binary { .. } | Op::Call { .. }),
        Some(Class::SignedOverflow) => matches!(op, Op::Binary { flags, .. } if flags.nsw),
        Some(Class::Division) => matches!(
            op,
            Op::Binary { op: BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem, .. }
        ),
        Some(Class::Shift) => {
            matches!(op, Op::Binary { op: BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr, .. })
        }
        Some(Class::Uninitialised) => matches!(op, Op::Load { .. }),
    }
}

impl Analyst<'_> {
    /// The condition that the operands of an action are those that another action of its name is compared by.
    pub(crate) fn operands_of(&mut self, point: &Point, key: &(String, usize)) -> Term {
        let mut effect = Effect::default();
        let (own, other) = (place_in_name(point.key.1), place_in_name(key.1));
        for variable in self.terms.pool.variables(&[point.operands]) {
            let name = self.terms.pool.as_var(variable).unwrap_or_default();
            let end = [".object", ".offset"].into_iter().find(|end| name.ends_with(end)).unwrap_or_default();
            let stem = name.strip_suffix(end).unwrap_or(name);
            if let Some(stem) = stem.strip_suffix(own.as_str()).filter(|stem| stem.starts_with(OWN)) {
                let (name, sort) = (format!("{stem}{other}{end}"), self.terms.pool.sort(variable));
                effect.put(variable, self.terms.pool.var(&name, sort));
            }
        }
        self.terms.before(point.operands, &effect)
    }

    /// The actions of statements in a version, in order.
    pub(crate) fn points(
        &mut self,
        nodes: &[NodeId],
        version: VersionId,
        kind: Option<Class>,
    ) -> Vec<(Frame, Point)> {
        let mut counts: FxHashMap<String, usize> = FxHashMap::default();
        let mut out = Vec::new();
        for &node in nodes {
            let frame = Frame::of(self.subject.program.graph.chain(node));
            let Some(shape) = self.shape(frame.chain, version) else { continue };
            for step in 0..shape.steps.len() {
                let spot = shape.steps[step].spot;
                if spot.node != node || shape.order[step] == usize::MAX {
                    continue;
                }
                let place = Self::place(&frame, spot, 0);
                let event = self.terms.event(Entry::NotFollowed, false, &place);
                let mut eval = Eval::new(&mut self.terms, &shape, &frame.prefix, event);
                for &id in &shape.steps[step].instructions {
                    let op = shape.op(id);
                    let plain = |pointer: &hydrogen_ir::Operand| matches!(pointer, hydrogen_ir::Operand::Instruction(slot) if shape.plain.contains_key(slot));
                    let action = match op {
                        Op::Load { pointer, .. } if !plain(pointer) => {
                            Some(("load".to_owned(), vec![pointer]))
                        }
                        Op::Store { pointer, value, .. } if plain(pointer) => {
                            Some(("set".to_owned(), vec![value]))
                        }
                        Op::Store { pointer, value, .. } => Some(("store".to_owned(), vec![pointer, value])),
                        Op::Call { callee, arguments, .. } => {
                            let name =
                                shape.named(callee).map_or("a pointer".to_owned(), |one| one.name.clone());
                            Some((format!("call {name}"), arguments.iter().collect()))
                        }
                        Op::Binary { op, left, right, .. } => Some((format!("{op:?}"), vec![left, right])),
                        _ => None,
                    };
                    let wanted = concerns(kind, op)
                        && !(kind.is_some() && matches!(&action, Some((name, _)) if name == "set"));
                    if let Some((name, operands)) = action.filter(|_| wanted) {
                        let count = counts.entry(name.clone()).or_insert(0);
                        let key = (name, *count);
                        *count += 1;
                        let line = shape.body().instruction(id).location.map(|at| at.position.line);
                        let line = line.filter(|_| operands.iter().any(|one| is_file(&shape, one)));
                        let value = |one: &Operand| match is_line(&shape, one, line) {
                            true => Value::Opaque,
                            false => eval.operand(one),
                        };
                        let values: Vec<Value> = operands.into_iter().map(value).collect();
                        let mut operands = given(eval.terms, &key, &values);
                        if let Some(guard) = eval.effect.guard {
                            operands = eval.terms.pool.and(guard, operands);
                        }
                        out.push((frame.clone(), Point { key, spot, operands, behind: false }));
                    }
                    eval.instruction(id);
                }
            }
        }
        out
    }
}

/// Whether an operand is the name of a source file.
fn is_file(shape: &Shape, operand: &Operand) -> bool {
    let Operand::Const(id) = operand else { return false };
    let Const::Global(global) = shape.module.constant(*id) else { return false };
    let literal = shape.module.global(*global).initializer.map(|id| shape.module.constant(id));
    let Some(Const::Bytes { data, .. }) = literal else { return false };
    let text = data.strip_suffix(b"\0").unwrap_or(data);
    text.ends_with(b".c") || text.ends_with(b".h")
}

/// Whether an operand is the number of its own line, as assertions hand it over beside the name of their file: another one says nothing of
/// what is done.
fn is_line(shape: &Shape, operand: &Operand, line: Option<u32>) -> bool {
    let Operand::Const(id) = operand else { return false };
    matches!(shape.module.constant(*id), Const::Int { bits, .. } if Some(*bits) == line.map(u128::from))
}

/// That the operands are those that the comparison's own variables name.
fn given(terms: &mut Terms, key: &(String, usize), values: &[Value]) -> Term {
    let mut all = terms.pool.bool(true);
    for (n, value) in values.iter().enumerate() {
        let cell = match value {
            Value::Int(term) => Cell::Int(terms.pool.width(*term)),
            Value::Pointer(..) => Cell::Pointer,
            Value::Opaque => continue,
        };
        let name = operand_name(key, n);
        let variable = terms.variable(&name, cell);
        let same = match (variable, *value) {
            (Value::Pointer(object, offset), Value::Pointer(other, at)) => {
                let (objects, offsets) = (terms.pool.eq(object, other), terms.pool.eq(offset, at));
                terms.pool.and(objects, offsets)
            }
            (variable, value) => match terms.same(variable, value) {
                Some(same) => same,
                None => continue,
            },
        };
        all = terms.pool.and(all, same);
    }
    all
}

/// What an operand of an action is called where the reader sees it.
fn operand_name((action, count): &(String, usize), n: usize) -> String {
    let sign = match action.as_str() {
        "Add" => "+",
        "Sub" => "-",
        "Mul" => "*",
        "UDiv" | "SDiv" => "/",
        "URem" | "SRem" => "%",
        "Shl" => "<<",
        "LShr" | "AShr" => ">>",
        "And" => "&",
        "Or" => "|",
        "Xor" => "^",
        _ => "",
    };
    let name = match (action.as_str(), n) {
        ("load", _) => "address that is read".to_owned(),
        ("set", _) => "value that is set".to_owned(),
        ("store", 0) => "address that is written".to_owned(),
        ("store", _) => "value that is written".to_owned(),
        (_, 0) if !sign.is_empty() => format!("left side of `{sign}`"),
        (_, _) if !sign.is_empty() => format!("right side of `{sign}`"),
        (other, _) => format!("argument {} of {}()", n + 1, other.strip_prefix("call ").unwrap_or(other)),
    };
    format!("{OWN} {name}{}", place_in_name(*count))
}

/// How names of operands begin.
const OWN: &str = "the statement's";

/// How the name of an operand ends for the how-manieth action of its name.
fn place_in_name(count: usize) -> String {
    match count {
        0 => String::new(),
        _ => format!(" ({})", count + 1),
    }
}
