//! One walk over everything that an instruction, constant or type refers to, so that checking, hashing and
//! linking cannot forget a field.

use crate::{
    BlockId, CType, CTypeId, Const, ConstExpr, ConstId, FunctionId, GlobalId, Op, Operand,
    ParameterAttributes, StructType, Type, TypeId,
};

/// Something that is referred to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // Each variant is named after what it refers to.
pub enum Reference<'a> {
    Operand(&'a Operand),
    Type(&'a TypeId),
    CType(&'a CTypeId),
    Const(&'a ConstId),
    Global(&'a GlobalId),
    Function(&'a FunctionId),
    Block(&'a BlockId),
}

/// Something that is referred to, open to change.
#[derive(Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Each variant is named after what it refers to.
pub enum ReferenceMut<'a> {
    Operand(&'a mut Operand),
    Type(&'a mut TypeId),
    CType(&'a mut CTypeId),
    Const(&'a mut ConstId),
    Global(&'a mut GlobalId),
    Function(&'a mut FunctionId),
    Block(&'a mut BlockId),
}

// Match ergonomics give one body for shared and for mutable walks.
macro_rules! visit_attributes {
    ($attributes:expr, $f:ident, $reference:ident) => {{
        let ParameterAttributes { by_value, struct_return, sign_extend: _, zero_extend: _ } = $attributes;
        if let Some(ty) = by_value {
            $f($reference::Type(ty));
        }
        if let Some(ty) = struct_return {
            $f($reference::Type(ty));
        }
    }};
}

macro_rules! visit_op {
    ($op:expr, $f:ident, $reference:ident) => {
        match $op {
            Op::Unary { value, .. }
            | Op::Cast { value, .. }
            | Op::Freeze { value }
            | Op::VaArg { list: value }
            | Op::Load { pointer: value, .. }
            | Op::ExtractValue { aggregate: value, .. } => $f($reference::Operand(value)),
            Op::Binary { left, right, .. }
            | Op::IntCompare { left, right, .. }
            | Op::FloatCompare { left, right, .. }
            | Op::Store { value: left, pointer: right, .. }
            | Op::InsertValue { aggregate: left, value: right, .. }
            | Op::ExtractElement { vector: left, index: right }
            | Op::ShuffleVector { left, right, .. }
            | Op::AtomicRmw { pointer: left, value: right, .. } => {
                $f($reference::Operand(left));
                $f($reference::Operand(right));
            }
            Op::Select { condition: first, then: second, otherwise: third, .. }
            | Op::InsertElement { vector: first, value: second, index: third }
            | Op::CompareExchange { pointer: first, expected: second, new: third, .. } => {
                $f($reference::Operand(first));
                $f($reference::Operand(second));
                $f($reference::Operand(third));
            }
            Op::Alloca { ty, count, align: _ } => {
                $f($reference::Type(ty));
                $f($reference::Operand(count));
            }
            Op::ElementAddress { source, base, indices, inbounds: _ } => {
                $f($reference::Type(source));
                $f($reference::Operand(base));
                for index in indices {
                    $f($reference::Operand(index));
                }
            }
            Op::Phi { incoming } => {
                for (block, value) in incoming {
                    $f($reference::Block(block));
                    $f($reference::Operand(value));
                }
            }
            Op::Call { callee, ty, arguments, attributes } => {
                $f($reference::Operand(callee));
                $f($reference::Type(ty));
                for argument in arguments {
                    $f($reference::Operand(argument));
                }
                for attribute in attributes {
                    visit_attributes!(attribute, $f, $reference);
                }
            }
            Op::Asm { asm: _, ty, arguments } => {
                $f($reference::Type(ty));
                for argument in arguments {
                    $f($reference::Operand(argument));
                }
            }
            Op::Opaque { name: _, operands } => {
                for operand in operands {
                    $f($reference::Operand(operand));
                }
            }
            Op::Fence { .. } | Op::Unreachable | Op::Return { value: None } => {}
            Op::Return { value: Some(value) } => $f($reference::Operand(value)),
            Op::Jump { target } => $f($reference::Block(target)),
            Op::Branch { condition, then, otherwise } => {
                $f($reference::Operand(condition));
                $f($reference::Block(then));
                $f($reference::Block(otherwise));
            }
            Op::Switch { value, default, cases } => {
                $f($reference::Operand(value));
                $f($reference::Block(default));
                for case in cases {
                    let crate::Case { value, target } = case;
                    $f($reference::Const(value));
                    $f($reference::Block(target));
                }
            }
            Op::IndirectJump { address, targets } => {
                $f($reference::Operand(address));
                for target in targets {
                    $f($reference::Block(target));
                }
            }
            Op::AsmBranch { asm: _, ty, arguments, next, targets } => {
                $f($reference::Type(ty));
                for argument in arguments {
                    $f($reference::Operand(argument));
                }
                $f($reference::Block(next));
                for target in targets {
                    $f($reference::Block(target));
                }
            }
            Op::OpaqueTerminator { name: _, operands, targets } => {
                for operand in operands {
                    $f($reference::Operand(operand));
                }
                for target in targets {
                    $f($reference::Block(target));
                }
            }
        }
    };
}

macro_rules! visit_const {
    ($constant:expr, $f:ident, $reference:ident) => {
        match $constant {
            Const::Int { ty, .. }
            | Const::WideInt { ty, .. }
            | Const::Float { ty, .. }
            | Const::Zero(ty)
            | Const::Undef(ty)
            | Const::Poison(ty)
            | Const::Bytes { ty, .. } => $f($reference::Type(ty)),
            Const::Aggregate { ty, elements } => {
                $f($reference::Type(ty));
                for element in elements {
                    $f($reference::Const(element));
                }
            }
            Const::Global(global) => $f($reference::Global(global)),
            Const::Function(function) => $f($reference::Function(function)),
            // The block belongs to that function; whoever cares looks at both together.
            Const::BlockAddress { function, block: _ } => $f($reference::Function(function)),
            Const::Expr { ty, expr } => {
                $f($reference::Type(ty));
                match expr {
                    ConstExpr::ElementAddress { source, base, indices, inbounds: _ } => {
                        $f($reference::Type(source));
                        $f($reference::Const(base));
                        for index in indices {
                            $f($reference::Const(index));
                        }
                    }
                    ConstExpr::Cast(_, value) => $f($reference::Const(value)),
                    ConstExpr::Binary(_, left, right) => {
                        $f($reference::Const(left));
                        $f($reference::Const(right));
                    }
                    ConstExpr::Other(_, values) => {
                        for value in values {
                            $f($reference::Const(value));
                        }
                    }
                }
            }
        }
    };
}

macro_rules! visit_type {
    ($ty:expr, $f:ident, $reference:ident) => {
        match $ty {
            Type::Array { element, .. } | Type::Vector { element, .. } => $f($reference::Type(element)),
            Type::Struct(StructType { fields: Some(fields), .. }) => {
                for field in fields {
                    $f($reference::Type(field));
                }
            }
            Type::Function { result, parameters, varargs: _ } => {
                $f($reference::Type(result));
                for parameter in parameters {
                    $f($reference::Type(parameter));
                }
            }
            _ => {}
        }
    };
}

macro_rules! visit_ctype {
    ($ty:expr, $f:ident, $reference:ident) => {
        match $ty {
            CType::Void | CType::Basic { .. } | CType::Enum { .. } => {}
            CType::Pointer(target)
            | CType::Typedef { target, .. }
            | CType::Qualified { target, .. }
            | CType::Array { element: target, .. } => $f($reference::CType(target)),
            CType::Record { members, .. } => {
                for member in members {
                    let crate::Member { ty, .. } = member;
                    $f($reference::CType(ty));
                }
            }
            CType::Function { result, parameters, varargs: _ } => {
                $f($reference::CType(result));
                for parameter in parameters {
                    $f($reference::CType(parameter));
                }
            }
        }
    };
}

macro_rules! walks {
    ($($ty:ident $visit:ident),* $(,)?) => {$(
        impl $ty {
            /// Calls `f` with everything this refers to, in a fixed order.
            pub fn references<'a>(&'a self, mut f: impl FnMut(Reference<'a>)) {
                $visit!(self, f, Reference)
            }

            /// Calls `f` with everything this refers to, open to change, in the same order.
            pub fn references_mut<'a>(&'a mut self, mut f: impl FnMut(ReferenceMut<'a>)) {
                $visit!(self, f, ReferenceMut)
            }
        }
    )*};
}

walks! { Op visit_op, Const visit_const, Type visit_type, CType visit_ctype, ParameterAttributes visit_attributes }
