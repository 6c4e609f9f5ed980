//! How arguments are passed.

use super::types::Types;
use crate::llvm::{Type, Value, attribute_kind};
use hydrogen_ir::ParameterAttributes;

/// LLVM's numbers of the attributes that change the meaning of a call.
#[derive(Clone, Copy)]
pub(super) struct AttributeKinds {
    by_value: u32,
    struct_return: u32,
    sign_extend: u32,
    zero_extend: u32,
    no_return: u32,
}

/// LLVM counts the result as 0, the first parameter as 1, and the function itself as the largest number.
const FUNCTION: u32 = u32::MAX;

impl AttributeKinds {
    pub(super) fn new() -> Self {
        Self {
            by_value: attribute_kind("byval"),
            struct_return: attribute_kind("sret"),
            sign_extend: attribute_kind("signext"),
            zero_extend: attribute_kind("zeroext"),
            no_return: attribute_kind("noreturn"),
        }
    }

    pub(super) fn no_return(self, function: Value<'_>) -> bool {
        function.function_attribute(FUNCTION, self.no_return).is_some()
    }

    /// Of a function's parameter, from 0.
    pub(super) fn parameter<'m>(
        self,
        function: Value<'m>,
        index: u32,
        types: &mut Types<'m>,
    ) -> ParameterAttributes {
        self.read(types, |kind| function.function_attribute(index + 1, kind))
    }

    /// Of a call's argument, from 0.
    pub(super) fn argument<'m>(
        self,
        call: Value<'m>,
        index: u32,
        types: &mut Types<'m>,
    ) -> ParameterAttributes {
        self.read(types, |kind| call.call_attribute(index + 1, kind))
    }

    fn read<'m>(
        self,
        types: &mut Types<'m>,
        get: impl Fn(u32) -> Option<Option<Type<'m>>>,
    ) -> ParameterAttributes {
        let mut lower = |kind| get(kind).flatten().map(|ty| types.lower(ty));
        ParameterAttributes {
            by_value: lower(self.by_value),
            struct_return: lower(self.struct_return),
            sign_extend: get(self.sign_extend).is_some(),
            zero_extend: get(self.zero_extend).is_some(),
        }
    }
}
