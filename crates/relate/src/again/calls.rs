//! Calls of what stays closed: the same question gets the same answer, in both versions.

use super::{operate::mixed, walk::Turn};
use crate::{
    Obstacle,
    call::flatten,
    calls::{Question, Reach},
    known::{comes_back_twice, is_of_locale, library},
    meaning,
    memory::MOST_COPIED,
    state::{Origin, Value},
};
use hydrogen_evidence::Class;
use hydrogen_ir::{
    Const, FunctionId, InstructionId, Intrinsic, IntrinsicName, Op, Operand, Type, TypeId, intrinsic_of,
};
use hydrogen_semantics::Kind;
use hydrogen_term::{Sort, Term};

/// What is known of a function that stays closed.
struct Closed {
    name: String,
    reach: Reach,
    may_fail: bool,
}

impl Turn<'_, '_, '_, '_> {
    /// What a call gives; none where nothing is kept of it.
    pub fn call(&mut self, id: InstructionId, callee: &Operand) -> Result<Option<Value>, Obstacle> {
        let ty = self.runner.code.frames[self.frame as usize].body.instruction(id).ty;
        let mut arguments = self.given(id)?;
        let by_name = match callee {
            Operand::Const(constant) => match self.module().constant(*constant) {
                Const::Function(function) => Some(*function),
                _ => None,
            },
            _ => None,
        };
        let Some(function) = by_name else {
            arguments.insert(0, self.value(callee)?);
            let name = format!("whatever the pointer leads to{}", self.classes(id));
            return self.ask(Closed { name, reach: Reach::All, may_fail: false }, &arguments, ty).map(Some);
        };
        let name = self.module().function(function).name.as_str();
        if name.starts_with("llvm.") {
            return self.intrinsic(name, id, &arguments, ty);
        }
        if comes_back_twice(name) {
            return Err(Obstacle::new(format!("`{name}`, which may come back twice")));
        }
        if let Some(value) = self.exact(function, &arguments, ty) {
            return Ok(Some(value));
        }
        let has_body = self.module().function(function).is_defined();
        let reach = match has_body {
            true => self.context.reach.get(name).unwrap_or(Reach::All),
            false => library(name),
        };
        if !has_body && is_of_locale(name) {
            arguments.push(Value::Bits(self.lane.state.world, None));
        }
        let key = self.context.function_key(self.runner.side, self.module(), function);
        let closed =
            Closed { name: key + &self.classes(id), reach, may_fail: has_body || reach == Reach::Reads };
        self.ask(closed, &arguments, ty).map(Some)
    }

    /// A volatile access: whoever watches may answer as he likes.
    pub(super) fn watched(&mut self, what: &str, arguments: &[Value], ty: TypeId) -> Result<Value, Obstacle> {
        let closed = Closed { name: format!("volatile {what}"), reach: Reach::All, may_fail: false };
        self.ask(closed, arguments, ty)
    }

    /// A function of `math.h` of which the standard says everything.
    fn exact(&mut self, function: FunctionId, arguments: &[Value], ty: TypeId) -> Option<Value> {
        let function = self.module().function(function);
        let which = meaning::exact_function(&function.name).filter(|_| !function.is_defined())?;
        let kind = meaning::kind_of(self.module(), ty)?;
        let numbers: Option<Vec<Term>> = arguments.iter().map(Value::term).collect();
        let numbers = numbers?;
        let fits = |&one: &Term| self.context.pool.sort(one) == Sort::Bits(kind.width());
        if !numbers.iter().all(fits) {
            return None;
        }
        match meaning::intrinsic(self.context, which, Some(kind), &numbers)? {
            (value, None) => Some(Value::Bits(value, None)),
            _ => None,
        }
    }

    /// Floating-point arguments are passed in other registers than others.
    fn classes(&self, id: InstructionId) -> String {
        let Op::Call { arguments, .. } = self.runner.code.op(self.frame, id) else { return String::new() };
        let letter = |one: &Operand| if matches!(self.kind(one), Some(Kind::Float(_))) { 'f' } else { 'i' };
        let letters: String = arguments.iter().map(letter).collect();
        if letters.contains('f') { letters } else { String::new() }
    }

    fn ask(&mut self, closed: Closed, arguments: &[Value], ty: TypeId) -> Result<Value, Obstacle> {
        let mut numbers = Vec::new();
        arguments.iter().for_each(|one| flatten(one, &mut numbers));
        let mut sorts = Vec::new();
        self.sorts_of(ty, &mut sorts)?;
        let count = sorts.len();
        let answers = match closed.reach {
            Reach::Values => {
                let when = self.lane.when(self.context);
                if closed.may_fail {
                    let name = format!("{} faults", closed.name);
                    let fails = self.context.unknown(&name, &numbers, Sort::Bool);
                    self.context.makes(fails, when);
                    self.goes_wrong(Class::Control, fails);
                }
                let mut answers = Vec::new();
                for (n, &sort) in sorts.iter().enumerate() {
                    let answer = self.context.unknown(&format!("{} {n}", closed.name), &numbers, sort);
                    self.context.makes(answer, when);
                    answers.push(answer);
                }
                answers
            }
            Reach::Reads => {
                sorts.push(Sort::Bool);
                let (memory, _) = self.visible(false);
                let question = Question { name: closed.name, arguments: numbers, memory, results: sorts };
                let answers = self.context.calls.ask(&mut self.context.pool, question);
                if closed.may_fail {
                    self.goes_wrong(Class::Control, answers[count]);
                }
                answers
            }
            Reach::All => {
                let (memory, shown) = self.visible(true);
                sorts.extend([Sort::MEMORY, Sort::Bits(64), Sort::Bits(64)]);
                sorts.extend(shown.iter().map(|_| Sort::MEMORY));
                let question = Question { name: closed.name, arguments: numbers, memory, results: sorts };
                let answers = self.context.calls.ask(&mut self.context.pool, question);
                let state = &mut self.lane.state;
                [state.public, state.world, state.epoch] =
                    [answers[count], answers[count + 1], answers[count + 2]];
                for (object, home) in self.runner.code.homes.objects.iter().enumerate() {
                    // Of an object that the other version has not, only its owner knows what a call left in it.
                    let after = match shown.iter().position(|&one| one == object) {
                        Some(n) => answers[count + 3 + n],
                        None if home.escapes => self.context.pool.fresh("left by a call", Sort::MEMORY),
                        None => continue,
                    };
                    self.lane.state.objects[object] = after;
                }
                answers
            }
        };
        self.put_together(ty, &mut answers.into_iter())
    }

    /// The memory that a callee sees, by address, and the local objects in it: those it may have been told of and that both versions have.
    fn visible(&self, changes: bool) -> (Vec<(u64, Term)>, Vec<usize>) {
        let state = &self.lane.state;
        let address = |object: usize| self.runner.addresses[object];
        let homes = self.runner.code.homes.objects.iter().enumerate();
        let mut shown: Vec<usize> = homes
            .filter(|&(object, home)| home.escapes && self.context.shared.contains(&address(object)))
            .map(|(object, _)| object)
            .collect();
        shown.sort_by_key(|&object| address(object));
        let mut memory = vec![(0, state.public)];
        memory.extend(changes.then_some((1, state.world)));
        memory.push((2, state.epoch));
        memory.extend(shown.iter().map(|&object| (address(object), state.objects[object])));
        (memory, shown)
    }

    fn sorts_of(&self, ty: TypeId, out: &mut Vec<Sort>) -> Result<(), Obstacle> {
        match self.module().types.get(ty) {
            Type::Void => Ok(()),
            Type::Struct(body) => body.fields.iter().flatten().try_for_each(|&one| self.sorts_of(one, out)),
            _ => {
                out.push(Sort::Bits(self.bits_of(ty)?));
                Ok(())
            }
        }
    }

    fn put_together(&self, ty: TypeId, answers: &mut impl Iterator<Item = Term>) -> Result<Value, Obstacle> {
        match self.module().types.get(ty) {
            Type::Void => Ok(Value::Parts(Vec::new())),
            Type::Struct(body) => {
                let fields = body.fields.iter().flatten();
                Ok(Value::Parts(
                    fields.map(|&one| self.put_together(one, answers)).collect::<Result<_, _>>()?,
                ))
            }
            _ => answers.next().map(|one| Value::Bits(one, None)).ok_or_else(mixed),
        }
    }

    fn intrinsic(
        &mut self,
        name: &str,
        id: InstructionId,
        arguments: &[Value],
        ty: TypeId,
    ) -> Result<Option<Value>, Obstacle> {
        let is = |prefix: &str| name.starts_with(prefix);
        if is("llvm.dbg.") || is("llvm.lifetime.") || is("llvm.assume") {
            return Ok(None);
        }
        if is("llvm.stack") {
            return Err(Obstacle::new("an array of variable length"));
        }
        if is("llvm.va_") {
            let closed = Closed { name: name.to_owned(), reach: Reach::All, may_fail: false };
            self.ask(closed, arguments, ty)?;
            return Ok(None);
        }
        if name == "llvm.trap" || name == "llvm.debugtrap" {
            let yes = self.context.pool.bool(true);
            self.goes_wrong(Class::Control, yes);
            return Ok(None);
        }
        let only_values =
            |name: &str| Closed { name: name.to_owned(), reach: Reach::Values, may_fail: false };
        if is("llvm.memcpy.") || is("llvm.memmove.") || is("llvm.memset.") {
            return self.copied(name, arguments, ty).map(|()| None);
        }
        let mut numbers = Vec::new();
        arguments.iter().for_each(|one| flatten(one, &mut numbers));
        let kind = match self.runner.code.op(self.frame, id) {
            Op::Call { arguments, .. } => arguments.first().and_then(|one| self.kind(one)),
            _ => None,
        };
        let which = match intrinsic_of(name) {
            IntrinsicName::Nothing => return Ok(None),
            IntrinsicName::Does(which) => Some(which),
            IntrinsicName::Unknown => None,
        };
        // The second argument of `abs` says whether the smallest number may be given.
        let is_told = |n: usize| numbers.get(n).and_then(|&one| self.context.pool.as_bits(one)) == Some(1);
        if which == Some(Intrinsic::Abs) && is_told(1) {
            let overflows = self.context.pool.neg_overflows(numbers[0]);
            self.goes_wrong(Class::SignedOverflow, overflows);
        }
        match which.and_then(|which| meaning::intrinsic(self.context, which, kind, &numbers)) {
            Some((value, None)) => Ok(Some(Value::Bits(value, None))),
            Some((value, Some(wraps))) => {
                let wraps = self.context.pool.bool_to_bits(wraps, 1);
                Ok(Some(Value::Parts(vec![Value::Bits(value, None), Value::Bits(wraps, None)])))
            }
            None if matches!(kind, Some(Kind::Float(_))) => {
                self.ask(only_values(name), arguments, ty).map(Some)
            }
            None => Err(Obstacle::new(format!("the intrinsic `{name}`"))),
        }
    }

    /// A copy of few bytes is done byte by byte, all read before any is written; one of many is a call.
    fn copied(&mut self, name: &str, arguments: &[Value], ty: TypeId) -> Result<(), Obstacle> {
        let [to, from, length, ..] = arguments else { return Err(mixed()) };
        let length = length.term().and_then(|length| self.context.pool.as_bits(length));
        let Some(length) = length.and_then(|n| u64::try_from(n).ok()).filter(|&n| n <= MOST_COPIED) else {
            if arguments.iter().any(|one| matches!(one, Value::Bits(_, Some(Origin::Local(_))))) {
                return Err(Obstacle::new("a copy of many or unknown bytes from or to a local object"));
            }
            let closed = Closed { name: name.to_owned(), reach: Reach::All, may_fail: false };
            return self.ask(closed, arguments, ty).map(drop);
        };
        if length == 0 {
            return Ok(());
        }
        let mut bytes = Vec::new();
        if name.starts_with("llvm.memset.") {
            let byte = from.term().ok_or_else(mixed)?;
            let byte = self.context.pool.truncate(byte, 8);
            bytes.extend((0..length).map(|_| byte));
        } else {
            self.may_access(from, length, false)?;
            if name.starts_with("llvm.memcpy.") {
                self.apart(from, to, length);
            }
            for n in 0..length {
                let at = self.further(from, n)?;
                bytes.push(self.read(&at, 1)?);
            }
        }
        self.may_access(to, length, true)?;
        for (n, byte) in (0..).zip(bytes) {
            let at = self.further(to, n)?;
            self.write(&at, byte)?;
        }
        Ok(())
    }

    /// Two ranges of bytes of one length that overlap without being the same are a mistake of the program.
    fn apart(&mut self, from: &Value, to: &Value, length: u64) {
        let (Value::Bits(from, one), Value::Bits(to, other)) = (from, to) else { return };
        if one.is_some() && other.is_some() && one != other {
            return;
        }
        let length = self.context.word(length);
        let pool = &mut self.context.pool;
        let (up, down) = (pool.sub(*to, *from), pool.sub(*from, *to));
        let near = [pool.ult(up, length), pool.ult(down, length)];
        let near = pool.or_all(near);
        let is_other = pool.ne(*from, *to);
        let overlap = pool.and(near, is_other);
        self.goes_wrong(Class::Overflow, overlap);
    }
}
