//! Calls, the compiler's own functions among them.

use super::decode::{Decoder, Value};
use super::instr::{Arg, CallSite, Complex, Instr, Target};
use super::intrinsic::results;
use super::scalar::{Scalar, in_memory, parts};
use super::x86::{self, X86};
use hydrogen_ir::{
    Const, Intrinsic, IntrinsicName, Operand, ParameterAttributes, Type, TypeId, intrinsic_of,
};

impl Decoder<'_> {
    pub(super) fn call(
        &mut self,
        callee: &Operand,
        ty: TypeId,
        arguments: &[Operand],
        attributes: &[ParameterAttributes],
    ) -> Option<()> {
        if let Operand::Const(id) = callee
            && let Const::Function(function) = self.module.constant(*id)
            && let name = &self.module.function(*function).name
            && name.starts_with("llvm.")
        {
            return match intrinsic_of(name) {
                IntrinsicName::Nothing => Some(()),
                IntrinsicName::Unknown if let Some(which) = x86::named(name) => match which {
                    None => Some(()),
                    Some(which) => self.packed(which, arguments),
                },
                IntrinsicName::Unknown => {
                    self.unsupported(format!("the compiler's function `{name}`"));
                    Some(())
                }
                IntrinsicName::Does(which) => self.intrinsic(which, arguments),
            };
        }
        let target = match callee {
            Operand::Const(id) => {
                let (words, _) = self.program.constant_words(self.unit, *id)?;
                match self.program.function_at(*words.first()?) {
                    Some(function) => Target::Direct(function),
                    None => Target::Indirect(self.operand(callee)?.first),
                }
            }
            _ => Target::Indirect(self.operand(callee)?.first),
        };
        let Type::Function { parameters, .. } = self.module.types.get(ty) else { return None };
        let mut args = Vec::with_capacity(arguments.len());
        for (index, argument) in arguments.iter().enumerate() {
            let value = self.operand(argument)?;
            let by_value = attributes.get(index).and_then(|one| one.by_value).map(|ty| {
                let layout = self.module.types.layout(ty);
                layout.map_or((0, 1), |layout| (layout.alloc_bytes, layout.align_bytes))
            });
            let further = index >= parameters.len();
            let parts = if further { in_memory(value.parts) } else { value.parts };
            args.push(Arg { src: value.first, parts, by_value });
        }
        let result = self.result().unwrap_or(Value { first: 0, parts: Vec::new() });
        let checked = matches!(target, Target::Direct(function) if self.fits(function, &args));
        let site = self.code.calls.len() as u32;
        self.code.calls.push(CallSite {
            target,
            args,
            dst: result.first,
            count: result.registers(),
            checked,
        });
        self.emit(Instr::Call { site });
        Some(())
    }

    /// A vector instruction; lanes have 64 bits at most.
    fn packed(&mut self, which: X86, arguments: &[Operand]) -> Option<()> {
        let result = self.result()?;
        let mut args = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let value = self.operand(argument)?;
            args.push((value.first, value.parts));
        }
        let all = args.iter().flat_map(|(_, parts)| parts).chain(&result.parts);
        if all.into_iter().any(|part| part.scalar.width() > 64) {
            return None;
        }
        self.complex(Complex::Packed { which, dst: result.first, result: result.parts, args });
        Some(())
    }

    /// Whether a function takes just these arguments, so that passing them is copying registers.
    fn fits(&self, function: crate::program::FuncId, args: &[Arg]) -> bool {
        let Some((module, model)) = self.program.model(function) else { return false };
        let varargs =
            model.ty.is_some_and(|ty| matches!(module.types.get(ty), Type::Function { varargs: true, .. }));
        let same = |(parameter, arg): (&hydrogen_ir::Parameter, &Arg)| {
            let parts = parameter.ty.and_then(|ty| parts(&module.types, ty));
            let by_value = parameter.attributes.by_value.is_some() || arg.by_value.is_some();
            !by_value && parts.is_some_and(|parts| parts == arg.parts)
        };
        !varargs && model.parameters.len() == args.len() && model.parameters.iter().zip(args).all(same)
    }

    fn intrinsic(&mut self, which: Intrinsic, arguments: &[Operand]) -> Option<()> {
        use Intrinsic::*;
        let values: Vec<Value> = arguments.iter().map(|one| self.operand(one)).collect::<Option<_>>()?;
        let result = self.result().unwrap_or(Value { first: 0, parts: Vec::new() });
        let kind =
            |value: Option<&Value>| value.and_then(|value| value.parts.first()).map(|part| part.scalar);
        let of_first = kind(values.first()).unwrap_or(Scalar::Int(64));
        if of_first.width() > 128 {
            return None;
        }
        match which {
            Expect => {
                self.copy(result.first, values.first()?.first, result.registers());
                return Some(());
            }
            ReduceAdd | ReduceMul | ReduceAnd | ReduceOr | ReduceXor => {
                let vector = values.first()?;
                let lanes = vector.parts.len() as u32;
                let (dst, args) = (result.first, vec![vector.first]);
                self.complex(Complex::Intrinsic { which, kind: of_first, dst, args, lanes });
                return Some(());
            }
            _ => {}
        }
        // A vector is done lane by lane; results of overflow checks have two parts and one lane.
        let lanes = values.first().map_or(1, |value| value.parts.len()).max(1);
        let overflow = results(which, of_first) > of_first.registers();
        if overflow && lanes > 1 {
            return None;
        }
        for lane in 0..lanes {
            let at = |value: &Value| {
                let part = value.parts.get(lane).or(value.parts.first());
                value.first + part.map_or(0, |part| part.register)
            };
            let args = values.iter().map(at).collect();
            let dst = at(&result);
            self.complex(Complex::Intrinsic { which, kind: of_first, dst, args, lanes: 1 });
        }
        Some(())
    }
}
