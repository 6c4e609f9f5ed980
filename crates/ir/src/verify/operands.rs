//! IR-10: operand types, where checking is cheap.

use super::{Report, Rule, constants::type_of};
use crate::{Body, Function, InstructionId, Module, Op, Operand, Type, TypeId};

pub(super) fn check(module: &Module, function: &Function, body: &Body, report: &mut Report) {
    let types = Types { module, function, body };
    for (index, instruction) in body.instructions.iter().enumerate() {
        if let Err(message) = types.instruction(instruction.ty, &instruction.op) {
            report.add(Rule::OperandTypes, format_args!("v{}", InstructionId::at(index).0), message);
        }
    }
}

/// The type of an operand.
#[derive(Clone, Copy)]
enum Kind {
    Known(TypeId),
    /// A symbol's address: a pointer into some address space.
    Address,
    /// Metadata has none.
    None,
}

struct Types<'a> {
    module: &'a Module,
    function: &'a Function,
    body: &'a Body,
}

type Check = Result<(), &'static str>;

fn require(ok: bool, message: &'static str) -> Check {
    if ok { Ok(()) } else { Err(message) }
}

impl<'a> Types<'a> {
    fn kind(&self, operand: &Operand) -> Kind {
        match operand {
            Operand::Instruction(id) => Kind::Known(self.body.instruction(*id).ty),
            Operand::Parameter(index) => {
                self.function.parameters[*index as usize].ty.map_or(Kind::None, Kind::Known)
            }
            Operand::Const(id) => type_of(self.module, *id).map_or(Kind::Address, Kind::Known),
            Operand::Metadata(_) => Kind::None,
        }
    }

    fn ty(&self, id: TypeId) -> &'a Type {
        self.module.types.get(id)
    }

    /// The type, or of a vector the type of its lanes.
    fn lane(&self, id: TypeId) -> &'a Type {
        match self.ty(id) {
            Type::Vector { element, .. } => self.ty(*element),
            ty => ty,
        }
    }

    fn same(&self, left: Kind, right: Kind) -> bool {
        match (left, right) {
            (Kind::Known(left), Kind::Known(right)) => left == right || self.ty(left) == self.ty(right),
            (Kind::Address, Kind::Known(ty)) | (Kind::Known(ty), Kind::Address) => {
                matches!(self.ty(ty), Type::Pointer(_))
            }
            (Kind::Address, Kind::Address) => true,
            _ => false,
        }
    }

    fn is(&self, operand: &Operand, accept: impl Fn(&Type) -> bool) -> bool {
        match self.kind(operand) {
            Kind::Known(ty) => accept(self.lane(ty)),
            Kind::Address => accept(&Type::Pointer(0)),
            Kind::None => false,
        }
    }

    fn pointer(&self, operand: &Operand) -> Check {
        require(self.is(operand, |ty| matches!(ty, Type::Pointer(_))), "needs a pointer")
    }

    fn instruction(&self, ty: TypeId, op: &Op) -> Check {
        let result = Kind::Known(ty);
        let yields = |operand: &Operand| self.same(result, self.kind(operand));
        match op {
            Op::Unary { value, .. } | Op::Freeze { value } => {
                require(yields(value), "the result has another type than the operand")
            }
            Op::Binary { left, right, .. } => {
                require(yields(left) && yields(right), "operands and result have different types")
            }
            Op::IntCompare { left, right, .. } | Op::FloatCompare { left, right, .. } => {
                require(self.same(self.kind(left), self.kind(right)), "compares values of different types")?;
                require(*self.lane(ty) == Type::Int(1), "a comparison gives i1")
            }
            Op::Alloca { count, .. } => {
                require(matches!(self.ty(ty), Type::Pointer(_)), "a stack slot is a pointer")?;
                require(
                    self.is(count, |ty| matches!(ty, Type::Int(_))),
                    "the number of elements is an integer",
                )
            }
            Op::Load { pointer, .. } => self.pointer(pointer),
            Op::VaArg { list } => self.pointer(list),
            Op::Store { pointer, value, .. } => {
                self.pointer(pointer)?;
                require(!matches!(self.kind(value), Kind::None), "stores no value")
            }
            Op::ElementAddress { base, .. } => self.pointer(base),
            Op::Phi { incoming } => {
                require(incoming.iter().all(|(_, value)| yields(value)), "a φ's values have its own type")
            }
            Op::Select { condition, then, otherwise, .. } => {
                require(self.is(condition, |ty| *ty == Type::Int(1)), "the condition is i1")?;
                require(yields(then) && yields(otherwise), "both values have the type of the result")
            }
            Op::CompareExchange { pointer, expected, new, .. } => {
                self.pointer(pointer)?;
                require(self.same(self.kind(expected), self.kind(new)), "compares with another type")
            }
            Op::AtomicRmw { pointer, value, .. } => {
                self.pointer(pointer)?;
                require(yields(value), "the result has another type than the operand")
            }
            Op::Call { callee, ty: called, arguments, .. } => {
                self.pointer(callee)?;
                self.call(ty, *called, arguments)
            }
            Op::Asm { ty: called, arguments, .. } => self.call(ty, *called, arguments),
            Op::AsmBranch { ty: called, arguments, .. } => self.call(ty, *called, arguments),
            Op::Branch { condition, .. } => {
                require(self.is(condition, |ty| *ty == Type::Int(1)), "the condition is i1")
            }
            Op::Switch { value, cases, .. } => {
                let kind = self.kind(value);
                let fits = |case: &crate::Case| {
                    type_of(self.module, case.value).is_some_and(|ty| self.same(kind, Kind::Known(ty)))
                };
                require(cases.iter().all(fits), "a case has another type than the value")
            }
            Op::IndirectJump { address, .. } => self.pointer(address),
            Op::Return { value } => self.result(value.as_ref()),
            _ => Ok(()),
        }
    }

    fn call(&self, result: TypeId, called: TypeId, arguments: &[Operand]) -> Check {
        let Type::Function { result: returns, parameters, varargs } = self.ty(called) else {
            return Err("calls by a type that is not a function's");
        };
        require(self.same(Kind::Known(result), Kind::Known(*returns)), "the result is not what is returned")?;
        let enough = match varargs {
            true => arguments.len() >= parameters.len(),
            false => arguments.len() == parameters.len(),
        };
        require(enough, "the number of arguments is not that of the parameters")?;
        let fits = |(argument, parameter): (&Operand, &TypeId)| match self.kind(argument) {
            // Metadata goes to parameters of a type that is named `metadata`.
            Kind::None => matches!(self.ty(*parameter), Type::Other(_)),
            kind => self.same(kind, Kind::Known(*parameter)),
        };
        require(arguments.iter().zip(parameters).all(fits), "an argument has another type than its parameter")
    }

    fn result(&self, value: Option<&Operand>) -> Check {
        let ty = self.function.ty.map(|ty| self.ty(ty));
        let Some(Type::Function { result, .. }) = ty else { return Ok(()) };
        match value {
            None => require(*self.ty(*result) == Type::Void, "returns nothing"),
            Some(value) => {
                require(self.same(self.kind(value), Kind::Known(*result)), "returns a value of another type")
            }
        }
    }
}
