//! Calls and the intrinsics that need more than the table says.

use super::{Generator, Value};
use crate::points_to::address::Move;
use crate::points_to::calls::{Site, Target};
use crate::points_to::memory::ObjectState;
use crate::points_to::object::ObjectKind;
use crate::points_to::shape::Offset;
use crate::points_to::solver::{Complex, Obj};
use hydrogen_ir::{FunctionId, InstructionId, Operand, TypeId};

impl Generator<'_> {
    pub(super) fn call(
        &mut self,
        function: FunctionId,
        instruction: InstructionId,
        ty: TypeId,
        callee: &Operand,
        arguments: &[Operand],
    ) -> Value {
        let called = self.operand(function, callee);
        let direct = match called {
            Value::Loc(loc) => {
                let object = self.solver.locations[loc as usize].object;
                self.solver.targets.get(&object).map(Target::function)
            }
            _ => None,
        };
        let name = direct.map_or("", |id| self.module.function(id).name.as_str());
        if name.starts_with("llvm.dbg.") {
            return Value::Nothing;
        }
        let values: Vec<_> = arguments.iter().map(|argument| self.operand(function, argument)).collect();
        let result = (!self.leaves(ty).is_empty()).then(|| self.solver.fresh());
        let mut site = Site { result, ..Default::default() };
        for &value in &values {
            site.arguments.push(self.var(value));
        }
        // Only functions that the tables describe can give out memory; through a pointer, any of them.
        let allocates = self.options.library.allocates(name) || self.options.wrappers.allocates(name);
        if result.is_some() && (allocates || direct.is_none()) {
            let heap = ObjectKind::Heap { function, instruction };
            site.heap = Some(self.object(heap, ObjectState::default()));
        }
        let special = self.special(function, name, &values, arguments);
        if let (true, Some(id)) = (special, direct) {
            site.callees.push(id);
        }
        let index = self.solver.sites.len() as u32;
        self.solver.sites.push(site);
        self.sites.insert((function, instruction), index);
        match called {
            Value::Loc(loc) => self.solver.call(index, loc),
            Value::Var(var) => self.solver.when(var, Complex::Call(index)),
            // A number is called: its code is not ours.
            Value::Nothing => self.solver.call_unknown(index),
        }
        result.map_or(Value::Nothing, Value::Var)
    }

    /// Handles calls for which the arguments' values matter; whether this was one.
    fn special(&mut self, f: FunctionId, name: &str, values: &[Value], arguments: &[Operand]) -> bool {
        if name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.") {
            let length = match arguments.get(2) {
                Some(Operand::Const(id)) => self.integer(*id).and_then(|length| u64::try_from(length).ok()),
                _ => None,
            };
            let to = values.first().and_then(|&to| self.var(to));
            let from = values.get(1).and_then(|&from| self.var(from));
            if let (Some(to), Some(from)) = (to, from) {
                self.solver.add_memory_copy(to, from, length);
            }
            return true;
        }
        if name.starts_with("llvm.va_start") {
            if let (Some(rest), Some(&list)) = (self.rest(f), values.first()) {
                // The list's format is the target's; some of its fields point to the arguments.
                let area = Value::Loc(self.solver.locate(rest, Offset::Anywhere));
                let list = self.displaced(list, Move::Smear);
                self.store(area, list, &[0]);
            }
            return true;
        }
        false
    }

    fn rest(&self, function: FunctionId) -> Option<Obj> {
        match self.solver.targets.get(&self.functions[function.index()]) {
            Some(Target::Defined { rest, .. }) => *rest,
            _ => None,
        }
    }
}
