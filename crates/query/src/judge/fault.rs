//! Where faults can happen, and when they do. The pages under docs/faults say it in words.

use crate::judge::follow::root;
use crate::judge::operation::{Deed, Operation};
use crate::meaning::eval::{Eval, cell_of};
use crate::meaning::shape::{Shape, Spot, StepId};
use crate::meaning::sizes::Sizes;
use crate::meaning::state::{OWN, Object, Role, Value};
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::Class;
use hydrogen_evidence::Entry;
use hydrogen_graph::{NodeId, VersionId};
use hydrogen_ir::{BinaryOp, CastOp, Const, InstructionId, Op, Operand, Type, WrapFlags};
use hydrogen_library::{Clause, Contract, Library};
use hydrogen_semantics::{self as semantics, Why};
use hydrogen_term::Term;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The functions that take back exactly what the heap gave; what a contract of the user's says to end need not be of the heap.
const ALLOCATORS: [&str; 3] = ["free", "realloc", "reallocarray"];

/// A possible fault: the condition just before the run that has the instruction.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub kind: Class,
    pub spot: Spot,
    pub condition: Term,
    /// Which operation of the statement it is.
    pub operation: Operation,
    pub message: String,
}

impl Analyst<'_> {
    /// Everything that can go wrong at a node of a version.
    pub(crate) fn sites(&mut self, frame: &Frame, node: NodeId, version: VersionId) -> Vec<Site> {
        let Some(shape) = self.shape(frame.chain, version) else { return Vec::new() };
        let library = &self.library;
        let sizes = self.sizes.entry((frame.chain, version));
        let sizes = Arc::clone(sizes.or_insert_with(|| Arc::new(Sizes::of(&shape, library))));
        let (mut out, mut seen) = (Vec::new(), Seen::new());
        for step in 0..shape.steps.len() {
            let spot = shape.steps[step].spot;
            if spot.node != node || shape.order[step] == usize::MAX {
                continue;
            }
            let place = Self::place(frame, spot, 0);
            let event = self.terms.event(Entry::NotFollowed, false, &place);
            let eval = Eval::new(&mut self.terms, &shape, &frame.prefix, event);
            raise(eval, (&self.library, &sizes, self.asking.strict), step, &mut seen, &mut out);
            self.leaks(frame, &shape, step, &mut out);
        }
        out
    }

    /// An object made here that is lost when the function ends: not freed, not returned, and nobody outside knows where it is.
    fn leaks(&mut self, frame: &Frame, shape: &Shape, step: StepId, out: &mut Vec<Site>) {
        let Some(Op::Call { callee, .. }) = shape.call(step).map(|id| shape.op(id)) else { return };
        let Some(function) = shape.named(callee).filter(|function| !function.is_defined()) else { return };
        let allocates = |clause: &Clause| matches!(clause, Clause::New { sure: false, .. });
        if !self
            .library
            .contract(&function.name)
            .is_some_and(|contract| contract.clauses.iter().any(allocates))
        {
            return;
        }
        let object = self.terms.object(Object::Heap(Self::place(frame, shape.steps[step].spot, 0)));
        for (end, one) in shape.steps.iter().enumerate().filter(|(end, _)| shape.order[*end] != usize::MAX) {
            let Some(value) = shape.returned(end) else { continue };
            let value = value.map(|value| Eval::new(&mut self.terms, shape, &frame.prefix, 0).operand(value));
            let (made, freed) =
                (self.terms.flag(Role::Made, object, None), self.terms.flag(Role::Freed, object, None));
            let known = self.terms.flag(Role::Escaped, object, None);
            let returned = match value {
                Some(Value::Pointer(other, _)) => self.terms.pool.eq(other, object),
                _ => self.terms.pool.bool(false),
            };
            let kept = self.terms.pool.or_all([freed, known, returned]);
            let lost = self.terms.pool.not(kept);
            let condition = self.terms.pool.and(made, lost);
            let message = format!("the memory from {}() can be lost", function.name);
            let operation = Operation::default();
            out.push(Site { kind: Class::Leak, spot: one.spot, condition, operation, message });
        }
    }
}

/// How many operations of each kind on each object a statement had so far.
pub(super) type Seen = BTreeMap<(Deed, String), usize>;

/// What can go wrong in a run of instructions.
pub(super) fn raise(
    eval: Eval<'_>,
    (library, sizes, strict): (&Library, &Sizes, bool),
    step: StepId,
    seen: &mut Seen,
    out: &mut Vec<Site>,
) {
    let (shape, operation) = (eval.shape, Operation::default());
    let spot = shape.steps[step].spot;
    Raise { eval, library, sizes, shape, spot, strict, operation, seen, out }.step(step);
}

struct Raise<'a> {
    eval: Eval<'a>,
    library: &'a Library,
    sizes: &'a Sizes,
    shape: &'a Shape,
    spot: Spot,
    strict: bool,
    /// What is looked at at present.
    operation: Operation,
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

    fn raise(&mut self, kind: Class, condition: Term, message: impl Into<String>) {
        // What comes first in the run has gone well.
        let condition = match self.eval.effect.guard {
            Some(guard) => self.eval.terms.pool.and(guard, condition),
            None => condition,
        };
        if self.eval.terms.pool.as_bool(condition) != Some(false) {
            let operation = self.operation.clone();
            self.out.push(Site { kind, spot: self.spot, condition, operation, message: message.into() });
        }
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
                self.uninitialised(pointer);
                let bytes = self
                    .shape
                    .module
                    .types
                    .layout(instruction.ty)
                    .map_or(1, |layout| layout.size_bits.div_ceil(8));
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
            Op::Cast { op: CastOp::Trunc, value, .. } if self.sizes.reaches(id) => {
                let Value::Int(wide) = self.eval.operand(value) else { return };
                let Some(crate::meaning::state::Cell::Int(width)) = cell_of(self.shape, instruction.ty)
                else {
                    return;
                };
                let pool = &mut self.eval.terms.pool;
                let narrow = pool.truncate(wide, width);
                let back = pool.zext(narrow, pool.width(wide));
                let lost = pool.ne(back, wide);
                self.raise(Class::Sign, lost, format!("a size loses bits when it becomes {width} bits wide"));
            }
            Op::Call { callee, arguments, .. } => self.call(callee, arguments),
            _ => {}
        }
    }

    fn uninitialised(&mut self, pointer: &Operand) {
        let Operand::Instruction(slot) = pointer else { return };
        let Some(set) = self.eval.slot_set(*slot) else { return };
        let is_parameter = self.shape.body().variables.iter().any(|variable| {
            variable.slot == Some(*slot) && matches!(variable.kind, hydrogen_ir::VariableKind::Parameter(_))
        });
        if is_parameter {
            return;
        }
        let now = self.eval.current(set);
        let unset = self.eval.terms.pool.not(now);
        let name = self.shape.plain[slot].clone();
        self.raise(Class::Uninitialised, unset, format!("{name} is read before it has a value"));
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
        self.reach(object, offset, bytes, whole, how);
    }

    /// That the pointer that the address is made from points to a whole structure, or whatever it is a pointer to.
    fn whole(&mut self, pointer: &Operand, bytes: u64) -> Option<Term> {
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

    fn is_zero(&self, operand: &Operand) -> bool {
        let Operand::Const(id) = operand else { return false };
        matches!(self.shape.module.constant(*id), Const::Int { bits, .. } if *bits == 0)
    }

    /// An access of some bytes at an address.
    fn reach(&mut self, object: Term, offset: Term, bytes: Term, whole: Option<Term>, how: &str) {
        let terms = &mut *self.eval.terms;
        let zero = terms.word(0);
        let null = terms.pool.eq(object, zero);
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
        let size_wraps = match op {
            _ if flags.nsw || !self.sizes.reaches(id) => None,
            BinaryOp::Add => Some(pool.uadd_overflows(left, right)),
            BinaryOp::Sub => Some(pool.usub_overflows(left, right)),
            BinaryOp::Mul => Some(pool.umul_overflows(left, right)),
            _ => None,
        };
        let strict = self.strict;
        for fault in outcome.faults.into_iter().filter(|fault| strict || !fault.why.is_tolerated()) {
            self.raise(kind_of(fault.why), fault.when, words(fault.why, width));
        }
        if let Some(wraps) = size_wraps {
            self.raise(Class::SizeOverflow, wraps, format!("a size can wrap around in {width} bits"));
        }
    }

    /// Freed memory that is given away: whoever gets it can only use it, unless its contract says otherwise.
    fn given_freed(&mut self, contract: Option<&Contract>, name: &str, values: &[Value]) {
        for (at, value) in values.iter().enumerate() {
            let Value::Pointer(object, _) = *value else { continue };
            // Of what the contract speaks, its own clauses say what happens.
            if contract.is_some_and(|contract| contract.speaks_of(at)) {
                continue;
            }
            let terms = &mut *self.eval.terms;
            let (zero, freed) = (terms.word(0), terms.flag(Role::Freed, object, None));
            let there = terms.pool.ne(object, zero);
            let stale = terms.pool.and(there, freed);
            self.raise(Class::UseAfterFree, stale, format!("freed memory can be given to {name}"));
        }
    }

    /// What is freed is a variable, or is not the beginning of what the program itself allocated. Of what comes in nobody knows.
    fn no_heap_object(&mut self, object: Term, offset: Term, name: &str) {
        let terms = &mut *self.eval.terms;
        let (zero, own) = (terms.word(0), terms.word(OWN));
        let rooted = terms.rooted(object);
        let (mine, inside) = (terms.pool.uge(object, own), terms.pool.ne(offset, zero));
        let middle = terms.pool.and(mine, inside);
        let wrong = terms.pool.or(rooted, middle);
        let message = format!("what is given to {name}() can be no object of the heap, or its middle");
        self.raise(Class::DoubleFree, wrong, message);
    }

    fn call(&mut self, callee: &Operand, arguments: &[Operand]) {
        let values: Vec<Value> = arguments.iter().map(|one| self.eval.operand(one)).collect();
        let named = self.shape.named(callee);
        // What a function of the program does with its arguments is found inside of it.
        if named.is_some_and(|function| function.is_defined()) {
            return;
        }
        let contract = named.and_then(|function| self.library.contract(&function.name)).cloned();
        // The compiler's own functions are told what lives where.
        if contract.is_none() && named.is_some_and(|function| function.name.starts_with("llvm.")) {
            return;
        }
        let name =
            named.map_or("a function that a pointer leads to".to_owned(), |one| format!("{}()", one.name));
        self.given_freed(contract.as_ref(), &name, &values);
        let Some(contract) = contract else { return };
        let name = name.trim_end_matches("()").to_owned();
        let pointer = |at: usize| match values.get(at) {
            Some(Value::Pointer(object, offset)) => Some((*object, *offset)),
            _ => None,
        };
        for clause in &contract.clauses {
            let (at, bytes, how) = match clause {
                Clause::Reads(at, bytes) => (*at, self.eval.sum(bytes, &values), "read"),
                Clause::Writes(at, bytes) | Clause::Fills(at, bytes, _) | Clause::Copies(at, _, bytes) => {
                    (*at, self.eval.sum(bytes, &values), "written")
                }
                Clause::Sets(at, bytes) => {
                    let bytes =
                        self.eval.sum(bytes, &values).zip(pointer(*at)).map(|(bytes, (object, _))| {
                            let zero = self.eval.terms.word(0);
                            let null = self.eval.terms.pool.eq(object, zero);
                            self.eval.terms.pool.ite(null, zero, bytes)
                        });
                    (*at, bytes, "written")
                }
                // Strings are taken to be terminated, so what is read is inside; see docs/soundness.md.
                Clause::Text(at) => {
                    if let Some((object, _)) = pointer(*at) {
                        let terms = &mut *self.eval.terms;
                        let (zero, freed) = (terms.word(0), terms.flag(Role::Freed, object, None));
                        let null = terms.pool.eq(object, zero);
                        self.raise(Class::Null, null, format!("the string given to {name}() can be null"));
                        self.raise(
                            Class::UseAfterFree,
                            freed,
                            format!("the string given to {name}() can be freed already"),
                        );
                    }
                    continue;
                }
                Clause::Frees(at) => {
                    if let Some((object, offset)) = pointer(*at) {
                        let terms = &mut *self.eval.terms;
                        let freed = terms.flag(Role::Freed, object, None);
                        let zero = terms.word(0);
                        let there = terms.pool.ne(object, zero);
                        let twice = terms.pool.and(there, freed);
                        self.raise(Class::DoubleFree, twice, "the object can be freed already");
                        if ALLOCATORS.contains(&name.as_str()) {
                            self.no_heap_object(object, offset, &name);
                        }
                    }
                    continue;
                }
                Clause::Size(sum) => {
                    if let Some(bytes) = self.eval.sum(sum, &values) {
                        let zero = self.eval.terms.word(0);
                        let negative = self.eval.terms.pool.slt(bytes, zero);
                        self.raise(
                            Class::Sign,
                            negative,
                            format!("a negative number can be the size given to {name}()"),
                        );
                    }
                    continue;
                }
                _ => continue,
            };
            if let (Some((object, offset)), Some(bytes)) = (pointer(at), bytes) {
                self.reach(object, offset, bytes, None, &format!("{how} by {name}()"));
            }
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
