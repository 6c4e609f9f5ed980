//! Calls: intrinsics by what they mean, all others as one unknown function for both versions.

use crate::{
    Obstacle,
    calls::{Question, Reach},
    check::{Asks, Check, keeps_memory},
    known::{comes_back_twice, is_of_locale, library},
    meaning,
    memory::MOST_COPIED,
    segment::{Did, Evaluation},
    state::{Origin, Value},
};
use hydrogen_evidence::Class;
use hydrogen_ir::{Const, InstructionId, Intrinsic, IntrinsicName, Op, Operand, TypeId, intrinsic_of};
use hydrogen_semantics::Kind;
use hydrogen_term::{Sort, Term};

impl Evaluation<'_, '_, '_> {
    /// What a call gives back; none if its result is not to be kept.
    pub fn call(&mut self, id: InstructionId, callee: &Operand) -> Result<Option<Value>, Obstacle> {
        if !self.context.checks {
            return self.called(id, callee);
        }
        let when = self.way.guard(self.context);
        let named = match callee {
            Operand::Const(constant) => match self.module().constant(*constant) {
                Const::Function(function) => Some(*function),
                _ => None,
            },
            _ => None,
        };
        let arguments = match named {
            Some(function) if is_mark(&self.module().function(function).name) => {
                return self.called(id, callee);
            }
            _ => self.arguments(id)?,
        };
        let result = self.called(id, callee)?;
        let asks = match named.map(|function| self.module().function(function)) {
            Some(function) => {
                let (name, defined) = (function.name.clone(), function.is_defined());
                Asks::Calls { name, defined, arguments, result: result.clone() }
            }
            None => Asks::CallsPointer,
        };
        self.segment.checks.push(Check { frame: self.frame, id, when, asks });
        Ok(result)
    }

    fn called(&mut self, id: InstructionId, callee: &Operand) -> Result<Option<Value>, Obstacle> {
        let body = self.runner.code.frames[self.frame as usize].body;
        let ty = body.instruction(id).ty;
        let direct = match callee {
            Operand::Const(constant) => match self.module().constant(*constant) {
                Const::Function(function) => Some(*function),
                _ => None,
            },
            _ => None,
        };
        if let Some(function) = direct {
            let name = self.module().function(function).name.clone();
            if name.starts_with("llvm.") {
                return self.intrinsic(&name, id, ty);
            }
            if comes_back_twice(&name) {
                return Err(Obstacle::new(format!("`{name}`, which may come back twice")));
            }
            let key = self.context.function_key(self.runner.side, self.module(), function);
            let defined = self.module().function(function).is_defined();
            if let (false, Some(which)) = (defined, meaning::exact_function(&name)) {
                let kind = meaning::kind_of(self.module(), ty);
                let arguments = self.arguments(id)?;
                let mut flat = Vec::new();
                arguments.iter().for_each(|argument| flatten(argument, &mut flat));
                let fits = |term: &Term| {
                    kind.is_some_and(|kind| self.context.pool.sort(*term) == Sort::Bits(kind.width()))
                };
                if flat.iter().all(fits)
                    && let Some((value, None)) = meaning::intrinsic(self.context, which, kind, &flat)
                {
                    return Ok(Some(Value::Bits(value, None)));
                }
            }
            if self.context.trusting
                && let Some(length) = self.length_of_literal(&name, id)?
            {
                return Ok(Some(Value::Bits(length, None)));
            }
            let reach = match defined {
                // Where the error number lies is the same place for one thread.
                false if self.context.trusting && name == "__errno_location" => Reach::Values,
                true => self.context.reach.get(&name).unwrap_or(Reach::All),
                // What another unit defines.
                false if self.context.trusting => {
                    self.context.reach.get(&name).unwrap_or_else(|| library(&name))
                }
                false => library(&name),
            };
            if self.context.checks
                && !defined
                && reach == Reach::All
                && !self.context.errno
                && keeps_memory(&name)
            {
                return self.anything(&name, ty).map(Some);
            }
            // What the C library does with bad pointers, and all that a function with a body does, may go wrong.
            let may_fault = defined || reach == Reach::Reads;
            let mut arguments = self.arguments(id)?;
            if !defined && is_of_locale(&name) {
                arguments.push(Value::Bits(self.state.world, None));
            }
            let key = format!("{key}{}", self.classes(id));
            return self.closed(key, arguments, reach, may_fault, ty).map(Some);
        }
        let mut arguments = vec![self.operand(callee)?];
        arguments.extend(self.arguments(id)?);
        let key = format!("whatever the pointer leads to{}", self.classes(id));
        self.closed(key, arguments, Reach::All, false, ty).map(Some)
    }

    /// A value about which nothing is known.
    fn anything(&mut self, name: &str, ty: TypeId) -> Result<Value, Obstacle> {
        let mut sorts = Vec::new();
        self.sorts(ty, &mut sorts)?;
        let name = format!("what {name}() gives");
        let terms: Vec<Term> = sorts.into_iter().map(|sort| self.context.pool.fresh(&name, sort)).collect();
        self.shaped(ty, &mut terms.into_iter())
    }

    /// What `strlen` gives for a text that never changes.
    fn length_of_literal(&mut self, name: &str, id: InstructionId) -> Result<Option<Term>, Obstacle> {
        if name != "strlen" {
            return Ok(None);
        }
        let Some(Value::Bits(address, Some(Origin::Table(table)))) = self.arguments(id)?.first().cloned()
        else {
            return Ok(None);
        };
        let (array, begin, size) = {
            let table = &self.context.tables[table as usize];
            (table.array, table.address, table.bytes)
        };
        let Some(at) = self.context.pool.as_bits(address).and_then(|at| u64::try_from(at).ok()) else {
            return Ok(None);
        };
        for offset in at..begin.saturating_add(size) {
            let place = self.context.word(offset);
            let byte = self.context.pool.select(array, place);
            match self.context.pool.as_bits(byte) {
                Some(0) => return Ok(Some(self.context.word(offset - at))),
                Some(_) => {}
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Which arguments are floating-point numbers: these are passed elsewhere than others of the same bits.
    fn classes(&self, id: InstructionId) -> String {
        let Op::Call { arguments, .. } = self.runner.code.op(self.frame, id) else { return String::new() };
        let is_float = |operand: &Operand| matches!(self.kind(operand), Some(Kind::Float(_)));
        match arguments.iter().any(is_float) {
            true => arguments.iter().map(|one| if is_float(one) { 'f' } else { 'i' }).collect(),
            false => String::new(),
        }
    }

    /// A volatile access is a call of something that the outside sees and may answer as it likes.
    pub fn volatile(&mut self, name: &str, arguments: Vec<Value>, ty: TypeId) -> Result<Value, Obstacle> {
        self.closed(format!("volatile {name}"), arguments, Reach::All, false, ty)
    }

    fn closed(
        &mut self,
        name: String,
        arguments: Vec<Value>,
        reach: Reach,
        may_fault: bool,
        ty: TypeId,
    ) -> Result<Value, Obstacle> {
        let mut flat = Vec::new();
        arguments.iter().for_each(|argument| flatten(argument, &mut flat));
        let mut sorts = Vec::new();
        self.sorts(ty, &mut sorts)?;
        if self.context.concrete {
            let results: Vec<Term> = sorts
                .iter()
                .enumerate()
                .map(|(at, &sort)| self.context.unknown(&format!("{name} {at}"), &flat, sort))
                .collect();
            if reach == Reach::All {
                let mut seen = flat.clone();
                seen.push(self.state.world);
                self.state.world =
                    self.context.unknown(&format!("world after {name}"), &seen, Sort::Bits(64));
            }
            return self.shaped(ty, &mut results.into_iter());
        }
        let may_fault = may_fault && !self.context.trusting;
        if reach == Reach::Values {
            let when = self.way.guard(self.context);
            if may_fault {
                let fails = self.context.unknown(&format!("{name} faults"), &flat, Sort::Bool);
                self.context.makes(fails, when);
                self.fault(Class::Control, fails);
            }
            let results: Vec<Term> = sorts
                .iter()
                .enumerate()
                .map(|(at, &sort)| self.context.unknown(&format!("{name} {at}"), &flat, sort))
                .collect();
            results.iter().for_each(|&result| self.context.makes(result, when));
            let question = Question { name, arguments: flat, memory: Vec::new(), results: sorts };
            self.note(|| Did::Asks { question, reach, results: results.clone() });
            return self.shaped(ty, &mut results.into_iter());
        }
        let (public, world, epoch) = (self.state.public, self.state.world, self.state.epoch);
        let mut memory = vec![(0, public), (2, epoch)];
        if reach == Reach::All {
            memory.push((1, world));
        }
        let objects = self.runner.code.homes.objects.iter().enumerate();
        let told: Vec<usize> = objects.filter(|(_, object)| object.escapes).map(|(at, _)| at).collect();
        let shared = |at: &usize| self.context.shared.contains(&self.runner.addresses[*at]);
        let seen: Vec<usize> = told.iter().copied().filter(shared).collect();
        memory.extend(seen.iter().map(|&at| (self.runner.addresses[at], self.state.objects[at])));
        memory.sort_unstable();
        let values = sorts.len();
        if reach == Reach::All {
            sorts.extend([Sort::MEMORY, Sort::Bits(64), Sort::Bits(64)]);
            sorts.extend(seen.iter().map(|_| Sort::MEMORY));
        } else {
            sorts.push(Sort::Bool);
        }
        // The order of the objects among the results is that of their addresses, as in the question.
        let mut by_address = seen.clone();
        by_address.sort_by_key(|&at| self.runner.addresses[at]);
        let question = Question { name, arguments: flat, memory, results: sorts };
        let results = self.context.calls.ask(&mut self.context.pool, question.clone());
        self.note(|| Did::Asks { question, reach, results: results.clone() });
        let rest = &results[values..];
        if reach == Reach::All {
            (self.state.public, self.state.world, self.state.epoch) = (rest[0], rest[1], rest[2]);
            for (&at, &array) in by_address.iter().zip(&rest[3..]) {
                self.state.objects[at] = array;
            }
            for at in told.into_iter().filter(|at| !seen.contains(at)) {
                self.state.objects[at] = self.context.pool.fresh("bytes after a call", Sort::MEMORY);
            }
        } else if may_fault {
            self.fault(Class::Control, rest[0]);
        }
        self.shaped(ty, &mut results.into_iter())
    }

    /// The sorts of the numbers that a type is made of.
    fn sorts(&self, ty: TypeId, out: &mut Vec<Sort>) -> Result<(), Obstacle> {
        use hydrogen_ir::Type;
        match self.module().types.get(ty) {
            Type::Void => {}
            Type::Struct(body) => {
                for &field in body.fields.iter().flatten() {
                    self.sorts(field, out)?;
                }
            }
            _ => out.push(Sort::Bits(self.width(ty)?)),
        }
        Ok(())
    }

    fn shaped(&self, ty: TypeId, terms: &mut impl Iterator<Item = Term>) -> Result<Value, Obstacle> {
        use hydrogen_ir::Type;
        match self.module().types.get(ty) {
            Type::Void => Ok(Value::Parts(Vec::new())),
            Type::Struct(body) => {
                let fields = body.fields.clone().unwrap_or_default();
                let parts = fields.into_iter().map(|field| self.shaped(field, terms));
                Ok(Value::Parts(parts.collect::<Result<_, _>>()?))
            }
            _ => {
                let term = terms.next().ok_or_else(|| Obstacle::new("a result that is not there"))?;
                Ok(Value::Bits(term, None))
            }
        }
    }

    fn intrinsic(&mut self, name: &str, id: InstructionId, ty: TypeId) -> Result<Option<Value>, Obstacle> {
        if is_mark(name) {
            return Ok(None);
        }
        if name.starts_with("llvm.stack") {
            return Err(Obstacle::new("an array of variable length"));
        }
        if name.starts_with("llvm.va_") {
            // What comes in behind the named parameters is the same for both versions, whatever it is.
            let arguments = self.arguments(id)?;
            self.closed(name.to_owned(), arguments, Reach::All, false, ty)?;
            return Ok(None);
        }
        if matches!(name, "llvm.trap" | "llvm.debugtrap") {
            let always = self.context.pool.bool(true);
            self.fault(Class::Control, always);
            return Ok(None);
        }
        let arguments = self.arguments(id)?;
        let mut flat = Vec::new();
        arguments.iter().for_each(|argument| flatten(argument, &mut flat));
        if ["llvm.memcpy.", "llvm.memmove.", "llvm.memset."].iter().any(|prefix| name.starts_with(prefix)) {
            let length = self.context.pool.as_bits(flat[2]).and_then(|bits| u64::try_from(bits).ok());
            return match length.filter(|&length| length <= MOST_COPIED) {
                Some(length) => self.copy(name, &arguments, length).map(|()| None),
                None if arguments.iter().any(|one| matches!(one, Value::Bits(_, Some(Origin::Local(_))))) => {
                    Err(Obstacle::new("a copy of many or unknown bytes from or to a local object"))
                }
                None => {
                    self.closed(name.to_owned(), arguments, Reach::All, false, ty)?;
                    Ok(None)
                }
            };
        }
        let Op::Call { arguments: operands, .. } = self.runner.code.op(self.frame, id) else {
            return Err(Obstacle::new("no call"));
        };
        let kind = operands.first().and_then(|operand| self.kind(operand));
        let which = match intrinsic_of(name) {
            IntrinsicName::Does(which) => which,
            IntrinsicName::Nothing => return Ok(None),
            // Functions of numbers, such as `llvm.sin`, stay what they are: unknown, and the same in both versions.
            IntrinsicName::Unknown if matches!(kind, Some(Kind::Float(_))) => {
                return self.closed(name.to_owned(), arguments, Reach::Values, false, ty).map(Some);
            }
            IntrinsicName::Unknown => return Err(Obstacle::new(format!("the intrinsic `{name}`"))),
        };
        if which == Intrinsic::Abs
            && flat.get(1).is_some_and(|&flag| self.context.pool.as_bits(flag) == Some(1))
        {
            let overflows = self.context.pool.neg_overflows(flat[0]);
            self.fault(Class::SignedOverflow, overflows);
        }
        Ok(Some(match meaning::intrinsic(self.context, which, kind, &flat) {
            Some((value, None)) => Value::Bits(value, None),
            Some((value, Some(wraps))) => {
                let bit = self.context.pool.bool_to_bits(wraps, 1);
                Value::Parts(vec![Value::Bits(value, None), Value::Bits(bit, None)])
            }
            None if matches!(kind, Some(Kind::Float(_))) => {
                return self.closed(name.to_owned(), arguments, Reach::Values, false, ty).map(Some);
            }
            None => return Err(Obstacle::new(format!("the intrinsic `{name}`"))),
        }))
    }

    /// Faults if the bytes to be copied lie across those that they are copied to. The very same place is no fault: compilers copy structures so.
    fn overlap(&mut self, from: &Value, to: &Value, length: u64) {
        if self.context.trusting {
            return;
        }
        let (Value::Bits(from, one), Value::Bits(to, other)) = (from, to) else { return };
        // Different objects do not overlap.
        if let (Some(one), Some(other)) = (one, other)
            && one != other
        {
            return;
        }
        let length = self.context.word(length);
        let pool = &mut self.context.pool;
        let (up, down) = (pool.sub(*to, *from), pool.sub(*from, *to));
        let (behind, before) = (pool.ult(up, length), pool.ult(down, length));
        let (across, apart) = (pool.or(behind, before), pool.ne(*from, *to));
        let overlaps = pool.and(across, apart);
        self.fault(Class::Overflow, overlaps);
    }

    fn copy(&mut self, name: &str, arguments: &[Value], length: u64) -> Result<(), Obstacle> {
        if length == 0 {
            return Ok(());
        }
        let to = arguments[0].clone();
        let bytes = if name.starts_with("llvm.memset.") {
            let Value::Bits(byte, _) = arguments[1] else {
                return Err(Obstacle::new("a byte of several parts"));
            };
            vec![self.context.pool.truncate(byte, 8); usize::try_from(length).unwrap_or(0)]
        } else {
            let from = arguments[1].clone();
            self.access(&from, length, false)?;
            if name.starts_with("llvm.memcpy.") {
                self.overlap(&from, &to, length);
            }
            let mut bytes = Vec::new();
            for at in 0..length {
                let place = shifted(self, &from, at)?;
                bytes.push(self.bytes_at(&place, 1)?);
            }
            bytes
        };
        self.access(&to, length, true)?;
        for (at, byte) in (0..).zip(bytes) {
            let place = shifted(self, &to, at)?;
            self.put_bytes(&place, byte)?;
        }
        Ok(())
    }
}

fn shifted(evaluation: &mut Evaluation, pointer: &Value, by: u64) -> Result<Value, Obstacle> {
    let Value::Bits(address, origin) = *pointer else {
        return Err(Obstacle::new("an address of several parts"));
    };
    let by = evaluation.context.word(by);
    Ok(Value::Bits(evaluation.context.pool.add(address, by), origin))
}

/// The numbers that a value is made of.
pub fn flatten(value: &Value, out: &mut Vec<Term>) {
    match value {
        Value::Bits(term, _) => out.push(*term),
        Value::Parts(parts) => parts.iter().for_each(|part| flatten(part, out)),
    }
}

/// Whether a function of the compiler only marks something.
fn is_mark(name: &str) -> bool {
    ["llvm.dbg.", "llvm.lifetime.", "llvm.assume"].iter().any(|prefix| name.starts_with(prefix))
}
