//! Where faults can happen, and when they do. The pages under docs/faults say it in words.

use crate::judge::bits::{is_compared, is_multiplier, is_taken_apart};
use crate::judge::follow::root;
use crate::judge::operation::{Deed, Operation};
use crate::judge::signs::is_of_signed_variable;
use crate::judge::unset::is_untouched;
use crate::meaning::eval::{Eval, cell_of};
use crate::meaning::shape::{Shape, Spot, StepId};
use crate::meaning::sizes::{Becomes, Sizes};
use crate::meaning::state::{Role, Value};
use crate::meaning::unions::is_of_union;
use crate::walk::whom::Whom;
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::Class;
use hydrogen_evidence::Entry;
use hydrogen_graph::{NodeId, VersionId};
use hydrogen_ir::{BinaryOp, CastOp, Const, InstructionId, Op, Operand, Type, WrapFlags};
use hydrogen_library::Library;
use hydrogen_semantics::{self as semantics, Why};
use hydrogen_term::Term;
use std::collections::BTreeMap;

/// A possible fault: the condition just before the run that has the instruction.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub kind: Class,
    pub spot: Spot,
    pub condition: Term,
    /// Which operation of the statement it is.
    pub operation: Operation,
    pub message: String,
    /// What keeps it from being one for sure: whether a number becomes a size, or was meant to be that large, nobody knows.
    pub unsure: Option<Entry>,
    /// Whether it is about what memory holds, and not a variable.
    pub of_contents: bool,
}

impl Analyst<'_> {
    /// Everything that can go wrong at a node of a version.
    pub(crate) fn sites(&mut self, frame: &Frame, node: NodeId, version: VersionId) -> Vec<Site> {
        let Some(shape) = self.shape(frame.chain, version) else { return Vec::new() };
        let sizes = self.sizes_of(frame.chain, version);
        let through = self.through_pointers(&shape, node);
        let open_texts = self.asking.texts || self.leaves_texts_open(version);
        let (mut out, mut seen) = (Vec::new(), Seen::new());
        for step in 0..shape.steps.len() {
            let spot = shape.steps[step].spot;
            if spot.node != node || shape.order[step] == usize::MAX {
                continue;
            }
            let place = Self::place(frame, spot, 0);
            let event = self.terms.event(Entry::NotFollowed, false, &place);
            let eval = Eval::new(&mut self.terms, &shape, &frame.prefix, event);
            raise(
                eval,
                (
                    &self.subject.library,
                    &sizes,
                    &through,
                    Asked {
                        strict: self.asking.strict,
                        open_texts,
                        moved: self.asking.moved,
                        contents: self.asking.contents,
                    },
                ),
                step,
                &mut seen,
                &mut out,
            );
            self.leaks(frame, &shape, step, &mut out);
        }
        out
    }

    /// Whom the calls through pointers of a statement reach, where that is known.
    fn through_pointers(&mut self, shape: &Shape, node: NodeId) -> Through {
        let mut found = Through::new();
        for step in (0..shape.steps.len()).filter(|&step| shape.steps[step].spot.node == node) {
            let Some(id) = shape.call(step) else { continue };
            if let Op::Call { callee, .. } = shape.op(id)
                && shape.named(callee).is_none()
                && let Some(whom) = self.whom(shape, callee)
            {
                found.insert(id, whom);
            }
        }
        found
    }
}

/// The calls through pointers of which it is known whom they reach.
pub(super) type Through = BTreeMap<InstructionId, Whom>;

/// How many operations of each kind on each object a statement had so far.
pub(super) type Seen = BTreeMap<(Deed, String), usize>;

/// What is asked about a run of instructions beside what every one is asked about.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Asked {
    /// Whether shifts count as faults that every compiler computes as two's complement suggests.
    pub strict: bool,
    /// Whether something in the program may leave a string without an end.
    pub open_texts: bool,
    /// Whether pointers that are moved are asked about.
    pub moved: bool,
    /// Whether every read of memory is asked about, and not only of what the function made itself.
    pub contents: bool,
}

/// What can go wrong in a run of instructions.
pub(super) fn raise(
    eval: Eval<'_>,
    (library, sizes, through, asked): (&Library, &Sizes, &Through, Asked),
    step: StepId,
    seen: &mut Seen,
    out: &mut Vec<Site>,
) {
    let (shape, operation) = (eval.shape, Operation::default());
    let spot = shape.steps[step].spot;
    Raise {
        eval,
        library,
        sizes,
        through,
        shape,
        spot,
        strict: asked.strict,
        open_texts: asked.open_texts,
        moved: asked.moved,
        asked_for_contents: asked.contents,
        operation,
        unsure: None,
        of_contents: false,
        seen,
        out,
    }
    .step(step);
}

pub(super) struct Raise<'a> {
    pub(super) eval: Eval<'a>,
    pub(super) library: &'a Library,
    sizes: &'a Sizes,
    pub(super) through: &'a Through,
    pub(super) shape: &'a Shape,
    spot: Spot,
    pub(super) strict: bool,
    /// Whether something in the program may leave a string without an end.
    pub(super) open_texts: bool,
    /// Whether pointers that are moved are asked about.
    moved: bool,
    /// Whether every read of memory is asked about.
    pub(super) asked_for_contents: bool,
    /// What is looked at at present.
    pub(super) operation: Operation,
    /// What keeps it from being a fault for sure.
    unsure: Option<Entry>,
    /// Whether it is about what memory holds, and not a variable.
    pub(super) of_contents: bool,
    /// How many of each were there.
    seen: &'a mut Seen,
    out: &'a mut Vec<Site>,
}

impl Raise<'_> {
    fn step(mut self, step: StepId) {
        for &id in &self.shape.steps[step].instructions {
            self.instruction(id);
            self.eval.instruction(id);
        }
    }

    pub(super) fn raise(&mut self, kind: Class, condition: Term, message: impl Into<String>) {
        // What comes first in the run has gone well.
        let condition = match self.eval.effect.guard {
            Some(guard) => self.eval.terms.pool.and(guard, condition),
            None => condition,
        };
        if self.eval.terms.pool.as_bool(condition) != Some(false) {
            let (operation, unsure) = (self.operation.clone(), self.unsure.clone());
            self.out.push(Site {
                kind,
                spot: self.spot,
                condition,
                operation,
                message: message.into(),
                unsure,
                of_contents: self.of_contents,
            });
        }
    }

    /// As `raise`, of a number that becomes a size, or may.
    fn raise_of_size(&mut self, becomes: Becomes, kind: Class, condition: Term, message: String) {
        match becomes {
            Becomes::Unsure => self.raise_unsure(Entry::NotSeenAsSize, kind, condition, message),
            _ => self.raise(kind, condition, message),
        }
    }

    /// As `raise`, of what need not be a fault.
    pub(super) fn raise_unsure(&mut self, why: Entry, kind: Class, condition: Term, message: String) {
        self.unsure = Some(why);
        self.raise(kind, condition, message);
        self.unsure = None;
    }

    /// What the instruction does, as every version that has the statement names it.
    fn operation(&mut self, op: &Op) -> Operation {
        let (deed, object) = match op {
            Op::Load { pointer, .. } => (Deed::Read, root(self.shape, pointer).unwrap_or_default()),
            Op::Store { pointer, .. }
            | Op::AtomicRmw { pointer, .. }
            | Op::CompareExchange { pointer, .. } => {
                (Deed::Write, root(self.shape, pointer).unwrap_or_default())
            }
            Op::Call { callee, .. } => {
                let named = self.shape.named(callee).map(|function| function.name.clone());
                (Deed::Call, named.unwrap_or_default())
            }
            Op::Binary { op, .. } => (Deed::Compute, format!("{op:?}")),
            _ => (Deed::Compute, String::new()),
        };
        Operation::next(deed, object, self.seen)
    }

    fn instruction(&mut self, id: InstructionId) {
        let instruction = self.shape.body().instruction(id);
        self.operation = self.operation(&instruction.op);
        match &instruction.op {
            Op::Load { pointer, .. } => {
                let is_told = self.uninitialised(id, pointer);
                let bytes = self
                    .shape
                    .module
                    .types
                    .layout(instruction.ty)
                    .map_or(1, |layout| layout.size_bits.div_ceil(8));
                if !is_told {
                    self.contents(pointer, bytes);
                }
                self.access(pointer, bytes, "read");
            }
            Op::Store { pointer, value, .. } => {
                let ty = self.shape.operand_type(value);
                let layout = ty.and_then(|ty| self.shape.module.types.layout(ty));
                let bytes = layout.map_or(8, |layout| layout.size_bits.div_ceil(8));
                self.access(pointer, bytes, "written");
            }
            Op::AtomicRmw { pointer, .. } | Op::CompareExchange { pointer, .. } => {
                self.access(pointer, 1, "accessed")
            }
            Op::Binary { op, left, right, flags, .. } => self.arithmetic(id, *op, *flags, left, right),
            Op::Cast { op: CastOp::Trunc, value, .. }
                if matches!(self.sizes.result(id), Becomes::Unsure | Becomes::Size)
                    && !is_taken_apart(self.shape, value) =>
            {
                let Value::Int(wide) = self.eval.operand(value) else { return };
                let Some(crate::meaning::state::Cell::Int(width)) = cell_of(self.shape, instruction.ty)
                else {
                    return;
                };
                let pool = &mut self.eval.terms.pool;
                let narrow = pool.truncate(wide, width);
                let back = pool.zext(narrow, pool.width(wide));
                let lost = pool.ne(back, wide);
                let message = format!("a size loses bits when it becomes {width} bits wide");
                self.raise_of_size(self.sizes.result(id), Class::Sign, lost, message);
            }
            Op::Call { callee, arguments, .. } => self.call(id, callee, arguments),
            Op::ElementAddress { .. } if self.moved => self.moved(id),
            _ => {}
        }
    }

    /// A variable that is read before it has a value; whether there is anything to tell of one.
    fn uninitialised(&mut self, load: InstructionId, pointer: &Operand) -> bool {
        let Operand::Instruction(slot) = pointer else { return false };
        if let Some((name, _)) = self.shape.objects.get(slot) {
            let is_told = self.eval.slot_cell(*slot).is_some() && is_untouched(self.shape, *slot, load);
            if is_told {
                let (name, always) = (name.clone(), self.eval.terms.pool.bool(true));
                self.raise(Class::Uninitialised, always, format!("{name} is read before it has a value"));
            }
            return is_told;
        }
        let Some(set) = self.eval.slot_set(*slot) else { return false };
        let is_parameter = self.shape.body().variables.iter().any(|variable| {
            variable.slot == Some(*slot) && matches!(variable.kind, hydrogen_ir::VariableKind::Parameter(_))
        });
        if is_parameter {
            return false;
        }
        let now = self.eval.current(set);
        let unset = self.eval.terms.pool.not(now);
        let name = self.shape.plain[slot].clone();
        self.raise(Class::Uninitialised, unset, format!("{name} is read before it has a value"));
        true
    }

    fn access(&mut self, pointer: &Operand, bytes: u64, how: &str) {
        if let Operand::Instruction(slot) = pointer
            && self.shape.plain.contains_key(slot)
        {
            return;
        }
        self.index(pointer);
        let Value::Pointer(object, offset) = self.eval.operand(pointer) else { return };
        let whole = self.whole(pointer, bytes);
        let bytes = self.eval.terms.word(bytes);
        let null = self.is_null(pointer, object);
        self.reach((object, null), offset, bytes, whole, how);
    }

    /// Whether an access through a pointer is one through null. What a union gives may be a number that lies next to it.
    pub(super) fn is_null(&mut self, pointer: &Operand, object: Term) -> Term {
        let terms = &mut *self.eval.terms;
        if is_of_union(self.shape, pointer) {
            return terms.is_null_access(object);
        }
        let zero = terms.word(0);
        terms.pool.eq(object, zero)
    }

    /// That the pointer that the address is made from points to a whole structure, or whatever it is a pointer to.
    pub(super) fn whole(&mut self, pointer: &Operand, bytes: u64) -> Option<Term> {
        let (mut current, mut needed) = (pointer, bytes);
        while let Operand::Instruction(id) = current
            && let Op::ElementAddress { source, base, indices, .. } = self.shape.op(*id)
        {
            match self.shape.module.types.get(*source) {
                Type::Struct(_) => needed = self.shape.module.types.layout(*source)?.alloc_bytes,
                Type::Array { .. } => {}
                // `p[0]` is `*p`.
                _ if indices.iter().all(|index| self.is_zero(index)) => {}
                _ => return None,
            }
            current = base;
        }
        match self.eval.operand(current) {
            Value::Pointer(object, offset) => Some(self.eval.terms.whole(object, offset, needed)),
            _ => None,
        }
    }

    pub(super) fn is_zero(&self, operand: &Operand) -> bool {
        let Operand::Const(id) = operand else { return false };
        matches!(self.shape.module.constant(*id), Const::Int { bits, .. } if *bits == 0)
    }

    /// An access of some bytes at an address.
    pub(super) fn reach(
        &mut self,
        (object, null): (Term, Term),
        offset: Term,
        bytes: Term,
        whole: Option<Term>,
        how: &str,
    ) {
        let terms = &mut *self.eval.terms;
        let zero = terms.word(0);
        let none = terms.pool.eq(bytes, zero);
        let some = terms.pool.not(none);
        let (size, there) = (terms.size_now(&self.eval.effect.writes, object), terms.pool.not(null));
        // Both are at most 2^62 in any program that runs, but the number of bytes may be anything.
        let room = terms.pool.sub(size, offset);
        let (before, behind) = (terms.pool.ult(size, offset), terms.pool.ult(room, bytes));
        let outside = terms.pool.or(before, behind);
        let overflow = terms.pool.and_all([there, some, outside].into_iter().chain(whole));
        let freed = terms.flag_now(&self.eval.effect.writes, Role::Freed, object);
        let text = match terms.pool.as_bits(bytes) {
            Some(1) => "a byte is".to_owned(),
            Some(bytes) => format!("{bytes} bytes are"),
            None => "bytes are".to_owned(),
        };
        let missing = terms.pool.and(null, some);
        let stale = terms.pool.and(freed, some);
        self.raise(Class::Overflow, overflow, format!("{text} {how} that can be outside the object"));
        self.raise(Class::Null, missing, "the pointer can be null");
        self.raise(Class::UseAfterFree, stale, "the object can be freed already");
    }

    /// Indices of arrays inside the address.
    fn index(&mut self, pointer: &Operand) {
        let mut current = pointer.clone();
        for _ in 0..8 {
            let Operand::Instruction(id) = current else { return };
            let Op::ElementAddress { source, base, indices, .. } = self.shape.op(id) else { return };
            let (mut ty, types) = (*source, &self.shape.module.types);
            let mut last_field = false;
            for index in indices.iter().skip(1) {
                match types.get(ty) {
                    Type::Array { element, len } => {
                        // An array of at most one element at the end of a structure stands for as many as there is room.
                        let open = last_field && *len <= 1;
                        let (len, element) = (*len, *element);
                        if !open
                            && len > 0
                            && let Value::Int(index) = self.eval.operand(index)
                        {
                            let pool = &mut self.eval.terms.pool;
                            let (index, bound) = (pool.resize_signed(index, 64), pool.bits(64, len.into()));
                            let outside = pool.uge(index, bound);
                            self.raise(
                                Class::Overflow,
                                outside,
                                format!("the index can be outside an array of {len}"),
                            );
                        }
                        ty = element;
                        last_field = false;
                    }
                    Type::Struct(body) => {
                        let Operand::Const(id) = index else { return };
                        let Const::Int { bits, .. } = self.shape.module.constant(*id) else { return };
                        let Some(fields) = &body.fields else { return };
                        let field = *bits as usize;
                        last_field = field + 1 == fields.len();
                        let Some(next) = fields.get(field) else { return };
                        ty = *next;
                    }
                    _ => break,
                }
            }
            current = base.clone();
        }
    }

    fn arithmetic(
        &mut self,
        id: InstructionId,
        op: BinaryOp,
        flags: WrapFlags,
        left: &Operand,
        right: &Operand,
    ) {
        // `while (n--)`: the last one wraps, and nobody uses what comes of it.
        let is_tested = is_compared(self.shape, left);
        let has_sign = is_of_signed_variable(self.shape, left);
        let (Value::Int(left), Value::Int(right)) = (self.eval.operand(left), self.eval.operand(right))
        else {
            return;
        };
        let pool = &mut self.eval.terms.pool;
        if pool.sort(left) != pool.sort(right) {
            return;
        }
        let width = pool.width(left);
        let Some(outcome) = semantics::binary(pool, op, flags, left, right) else { return };
        // What is unsigned may wrap, but not on its way to a size.
        let becomes = self.sizes.result(id);
        let size_wraps = match op {
            _ if flags.nsw || has_sign || becomes == Becomes::Nothing => None,
            // Compilers write `--n` as the sum with -1.
            BinaryOp::Add if pool.as_bits(right).is_some_and(|bits| bits >> (width - 1) == 1) => {
                let taken = pool.neg(right);
                (!is_tested).then(|| pool.usub_overflows(left, taken))
            }
            BinaryOp::Add => Some(pool.uadd_overflows(left, right)),
            // Who negates what has no sign wants it to wrap: `-n & 7`.
            BinaryOp::Sub if pool.as_bits(left) == Some(0) => None,
            BinaryOp::Sub => Some(pool.usub_overflows(left, right)),
            // Who multiplies by as large a number as a hash does wants it to wrap.
            BinaryOp::Mul if [left, right].into_iter().any(|one| is_multiplier(pool, one, width)) => None,
            BinaryOp::Mul => Some(pool.umul_overflows(left, right)),
            _ => None,
        };
        let strict = self.strict;
        for fault in outcome.faults.into_iter().filter(|fault| strict || !fault.why.is_tolerated()) {
            self.raise(kind_of(fault.why), fault.when, words(fault.why, width));
        }
        if let Some(wraps) = size_wraps {
            let message = format!("a size can wrap around in {width} bits");
            self.raise_of_size(becomes, Class::SizeOverflow, wraps, message);
        }
    }
}

fn kind_of(why: Why) -> Class {
    match why {
        Why::ZeroDivisor => Class::Division,
        Why::Quotient | Why::Overflow => Class::SignedOverflow,
        Why::ShiftCount | Why::NegativeShifted | Why::ShiftedOut => Class::Shift,
    }
}

fn words(why: Why, width: u32) -> String {
    match why {
        Why::ZeroDivisor => "the divisor can be zero".to_owned(),
        Why::Quotient => format!("the quotient can be too large for {width} bits"),
        Why::Overflow => format!("the result can be too large for {width} bits"),
        Why::ShiftCount => format!("the shift can be by {width} bits or more"),
        Why::NegativeShifted => "a negative number can be shifted left".to_owned(),
        Why::ShiftedOut => "a signed number can lose bits in a shift to the left".to_owned(),
    }
}
