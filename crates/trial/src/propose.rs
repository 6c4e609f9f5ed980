//! The inputs of a function that are tried, one by one.

use crate::{
    constants::{Constants, mentioned},
    dice::Dice,
    objects::{Builder, float},
};
use hydrogen_evidence::{Argument, Call, Global, Reply, Value};
use hydrogen_ir::layout::{pointee, slots};
use hydrogen_ir::{CTypeId, FloatKind, Function, FunctionId, Module, Type};
use hydrogen_machine::{FuncKind, Program};
use hydrogen_program::parameter_type;
use std::collections::BTreeSet;

/// Scalars of one variable.
const MOST_SLOTS: usize = 16;
/// Answers of a function without a body.
const ANSWERS: usize = 8;

/// Proposes inputs for a function: the first are small and usual, later ones reach to the edges.
pub struct Proposer<'m> {
    module: &'m Module,
    function: &'m Function,
    constants: Constants,
    /// Variables that it can see, with their types.
    globals: Vec<(String, CTypeId)>,
    /// Functions that have no body anywhere.
    without_body: Vec<String>,
    /// Parameters that no caller passes null for.
    never_null: BTreeSet<String>,
}

/// Whether a function does something in a program: it has a body, or the machine does it itself.
pub fn does_something(program: &Program, name: &str) -> bool {
    let is_it = |id| {
        let function = program.function(id);
        function.name == name && function.kind != FuncKind::Undefined
    };
    program.find(name).is_some() || program.ids().any(is_it)
}

/// How often a pointer is made again that should not be null.
const AGAIN: usize = 16;

impl<'m> Proposer<'m> {
    /// Looks at both versions, by module and function; the first names parameters and types. `has_body` says whether a function that the module
    /// only declares is defined elsewhere.
    pub fn new(
        old: (&'m Module, FunctionId),
        new: (&Module, FunctionId),
        has_body: impl Fn(&str) -> bool,
    ) -> Self {
        let (module, id) = old;
        let (one, other) = (mentioned(module, id), mentioned(new.0, new.1));
        let names: Vec<&str> = other.globals.iter().map(|&at| new.0.globals[at].name.as_str()).collect();
        let typed = |at: &usize| {
            let global = &module.globals[*at];
            let is_scalar_like = |ctype: &CTypeId| !slots(module, *ctype, "", 2).is_empty();
            Some((global.name.clone(), global.ctype.filter(is_scalar_like)?))
        };
        // A variable that one version alone looks at counts too, if both have it.
        let all = (0..module.globals.len()).filter(|at| {
            one.globals.contains(at)
                || names.contains(&module.globals[*at].name.as_str()) && !module.globals[*at].constant
        });
        let globals = all.filter_map(|at| typed(&at)).collect();
        let mut without_body: Vec<String> =
            one.without_body.union(&other.without_body).filter(|name| !has_body(name)).cloned().collect();
        without_body.sort();
        Self {
            module,
            function: module.function(id),
            constants: one.constants.and(other.constants),
            globals,
            without_body,
            never_null: BTreeSet::new(),
        }
    }

    /// Leaves out calls that nobody makes: those with null for one of these parameters.
    pub fn never_null(mut self, names: BTreeSet<String>) -> Self {
        self.never_null = names;
        self
    }

    /// The module that names parameters and types.
    pub(crate) fn module(&self) -> &'m Module {
        self.module
    }

    /// How many parameters there are.
    pub(crate) fn parameters(&self) -> usize {
        self.function.parameters.len()
    }

    /// Whether there is nothing to choose: every call is the same.
    pub fn is_fixed(&self) -> bool {
        self.function.parameters.is_empty() && self.globals.is_empty() && self.without_body.is_empty()
    }

    /// The `n`-th input.
    pub fn call(&self, n: u64) -> Call {
        let mut call = Call { function: self.function.name.clone(), ..Call::default() };
        let mut dice = Dice::new(n);
        if let Some(arguments) = self.small(n) {
            call.arguments = arguments;
            return call;
        }
        let plain = n.is_multiple_of(2);
        let by_type = (0..self.function.parameters.len()).all(|at| self.ctype(at).is_some());
        let mut builder = Builder {
            module: self.module,
            constants: &self.constants,
            dice: &mut dice,
            plain,
            call: &mut call,
            types: Vec::new(),
        };
        for (at, parameter) in self.function.parameters.iter().enumerate() {
            let value = match self.ctype(at).filter(|_| by_type) {
                Some(ctype) => match pointee(self.module, ctype) {
                    Some(_) => {
                        let mut made = builder.pointer(&parameter.name, ctype, 0);
                        for _ in 0..AGAIN {
                            if made != Value::Null || !self.never_null.contains(&parameter.name) {
                                break;
                            }
                            made = builder.pointer(&parameter.name, ctype, 0);
                        }
                        made
                    }
                    None => match slots(self.module, ctype, &parameter.name, 2).as_slice() {
                        [slot] => builder.scalar(slot, 0),
                        _ => Value::number(64, 0),
                    },
                },
                None => self.by_machine_type(at, builder.dice, plain),
            };
            builder.call.arguments.push(Argument { name: parameter.name.clone(), value });
        }
        // Nothing is so many elements before nothing: proofs take it that pointers do not wrap around the end of memory.
        let arguments = &mut builder.call.arguments;
        if arguments.iter().any(|argument| argument.value == Value::Null) {
            for (argument, parameter) in arguments.iter_mut().zip(&self.function.parameters) {
                let is_integer =
                    parameter.ty.is_some_and(|ty| matches!(self.module.types.get(ty), Type::Int(_)));
                if let (Value::Number(number), true) = (&mut argument.value, is_integer)
                    && number.signed() < 0
                {
                    argument.value = Value::number(number.width, number.signed().unsigned_abs() >> 1);
                }
            }
        }
        // Half of the inputs leave variables as the program begins with them.
        if n % 4 > 1 {
            for (name, ctype) in &self.globals {
                let mut cells = Vec::new();
                for slot in slots(self.module, *ctype, name, MOST_SLOTS) {
                    if slot.bytes <= 8 && builder.dice.roll(4) > 0 {
                        let value = builder.scalar(&slot, 1);
                        cells.push(hydrogen_evidence::Cell { at: slot.at, path: slot.path, value });
                    }
                }
                builder.call.globals.push(Global { name: name.clone(), cells });
            }
        }
        for name in &self.without_body {
            for _ in 0..ANSWERS {
                let value = Value::number(64, builder.dice.integer(&self.constants, true) as u64);
                builder.call.answers.push(Reply { function: name.clone(), value });
            }
        }
        call
    }

    /// Where there are one or two whole numbers and nothing else, all small ones come first.
    fn small(&self, n: u64) -> Option<Vec<Argument>> {
        if !self.globals.is_empty() || !self.without_body.is_empty() {
            return None;
        }
        let is_number = |at: usize| {
            let ty = self.function.parameters[at].ty?;
            match self.module.types.get(ty) {
                Type::Int(width @ 2..=64) => Some(*width),
                _ => None,
            }
        };
        let widths: Vec<u32> = (0..self.function.parameters.len()).map(is_number).collect::<Option<_>>()?;
        let n = n as i64;
        let values = match widths.len() {
            1 if n < 160 => vec![if n < 120 { n } else { 119 - n }],
            2 if n < 121 => vec![n % 11, n / 11],
            2 if n < 170 => vec![n % 7 - 3, (n - 121) / 7 - 3],
            _ => return None,
        };
        let named = self.function.parameters.iter().zip(widths).zip(values);
        Some(
            named
                .map(|((parameter, width), value)| Argument {
                    name: parameter.name.clone(),
                    value: Value::number(width, value as u64),
                })
                .collect(),
        )
    }

    /// The C type of a parameter, where the compiler passes parameters as they are written.
    pub(crate) fn ctype(&self, at: usize) -> Option<CTypeId> {
        let ctype = parameter_type(self.module, self.function, at)?;
        parameter_type(self.module, self.function, self.function.parameters.len()).is_none().then_some(ctype)
    }

    fn by_machine_type(&self, at: usize, dice: &mut Dice, plain: bool) -> Value {
        match self.function.parameters[at].ty.map(|ty| self.module.types.get(ty)) {
            Some(Type::Float(FloatKind::Float)) => float(32, dice.float(&self.constants, plain)),
            Some(Type::Float(_)) => float(64, dice.float(&self.constants, plain)),
            Some(Type::Int(width)) => {
                Value::number((*width).min(64), dice.integer(&self.constants, plain) as u64)
            }
            _ => Value::Null,
        }
    }
}
