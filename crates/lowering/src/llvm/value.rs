//! Values: constants, globals, functions, instructions.

use super::shim;
use super::{Block, Type, text};
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;
use llvm_sys::{
    LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMLinkage, LLVMOpcode, LLVMRealPredicate,
    LLVMValueKind,
};
use std::marker::PhantomData;

/// A value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value<'m>(LLVMValueRef, PhantomData<&'m ()>);

/// Defines methods that hand a live value to one getter of LLVM's.
///
/// A getter for one kind of value is reached only after `kind` or `opcode` said so: callers match on them.
macro_rules! getters {
    ($($(#[$doc:meta])* $name:ident: $get:expr => $result:ty = $convert:expr;)*) => {
        impl<'m> Value<'m> {$(
            $(#[$doc])*
            pub fn $name(self) -> $result {
                // SAFETY: the value belongs to a live module (`'m`) and has the kind that the getter wants (see above).
                let raw = unsafe { $get(self.0) };
                $convert(raw)
            }
        )*}
    };
}

fn same<T>(value: T) -> T {
    value
}

fn truth(value: i32) -> bool {
    value != 0
}

getters! {
    /// Which kind of value this is.
    kind: LLVMGetValueKind => LLVMValueKind = same;
    /// The type.
    ty: LLVMTypeOf => Type<'m> = Type::new;
    /// The kind of an instruction.
    opcode: LLVMGetInstructionOpcode => LLVMOpcode = same;
    /// The kind of a constant expression.
    const_opcode: LLVMGetConstOpcode => LLVMOpcode = same;
    /// The linkage of a symbol.
    linkage: LLVMGetLinkage => LLVMLinkage = same;
    /// The type of a symbol's object.
    object_type: LLVMGlobalGetValueType => Type<'m> = Type::new;
    /// Whether a symbol is defined elsewhere.
    is_declaration: LLVMIsDeclaration => bool = truth;
    /// Whether a global is read-only.
    is_constant: LLVMIsGlobalConstant => bool = truth;
    /// Whether each thread has its own copy of a global.
    is_thread_local: LLVMIsThreadLocal => bool = truth;
    /// The initialiser of a global.
    initializer: LLVMGetInitializer => Option<Value<'m>> = Value::new;
    /// What an alias stands for.
    aliasee: LLVMAliasGetAliasee => Option<Value<'m>> = Value::new;
    /// The function that chooses an ifunc's target.
    resolver: LLVMGetGlobalIFuncResolver => Option<Value<'m>> = Value::new;
    /// Alignment of a global or memory access; 0 where unspecified.
    align: LLVMGetAlignment => u32 = same;
    /// Whether a memory access is volatile.
    is_volatile: LLVMGetVolatile => bool = truth;
    /// Whether a compare-exchange may fail without a reason.
    is_weak: LLVMGetWeak => bool = truth;
    /// The ordering of a load, store or read-modify-write.
    ordering: LLVMGetOrdering => LLVMAtomicOrdering = same;
    /// The ordering of a fence.
    fence_ordering: shim::hydrogen_fence_ordering => LLVMAtomicOrdering = same;
    /// The ordering of a compare-exchange that succeeds.
    success_ordering: LLVMGetCmpXchgSuccessOrdering => LLVMAtomicOrdering = same;
    /// The ordering of a compare-exchange that fails.
    failure_ordering: LLVMGetCmpXchgFailureOrdering => LLVMAtomicOrdering = same;
    /// The operation of a read-modify-write.
    rmw_operation: LLVMGetAtomicRMWBinOp => LLVMAtomicRMWBinOp = same;
    /// The predicate of an integer comparison.
    int_predicate: LLVMGetICmpPredicate => LLVMIntPredicate = same;
    /// The predicate of a floating-point comparison.
    float_predicate: LLVMGetFCmpPredicate => LLVMRealPredicate = same;
    /// No unsigned wrap.
    nuw: LLVMGetNUW => bool = truth;
    /// No signed wrap.
    nsw: LLVMGetNSW => bool = truth;
    /// No remainder.
    exact: LLVMGetExact => bool = truth;
    /// The operand of `zext` or `uitofp` is not negative.
    nneg: LLVMGetNNeg => bool = truth;
    /// The operands of `or` have no bit in common.
    disjoint: LLVMGetIsDisjoint => bool = truth;
    /// Whether fast-math flags may be asked for.
    has_fast_math: LLVMCanValueUseFastMathFlags => bool = truth;
    /// Fast-math flags.
    fast_math: LLVMGetFastMathFlags => u32 = same;
    /// The type that an `alloca` makes room for.
    allocated_type: LLVMGetAllocatedType => Type<'m> = Type::new;
    /// The type that a `getelementptr` walks through.
    source_type: LLVMGetGEPSourceElementType => Type<'m> = Type::new;
    /// Whether leaving the object is an error.
    is_inbounds: LLVMIsInBounds => bool = truth;
    /// The number of arguments of a call.
    argument_count: LLVMGetNumArgOperands => u32 = same;
    /// The type of the function that a call calls.
    called_type: LLVMGetCalledFunctionType => Type<'m> = Type::new;
    /// The number of parameters of a function.
    parameter_count: LLVMCountParams => u32 = same;
    /// The function of a label's address.
    label_function: LLVMGetBlockAddressFunction => Option<Value<'m>> = Value::new;
    /// The block of a label's address.
    label_block: LLVMGetBlockAddressBasicBlock => Option<Block<'m>> = Block::new;
    /// Whether inline assembly has effects beyond its outputs.
    asm_side_effects: LLVMGetInlineAsmHasSideEffects => bool = truth;
    /// The number of incoming edges of a φ.
    incoming_count: LLVMCountIncoming => u32 = same;
    /// The number of successors of a terminator.
    successor_count: LLVMGetNumSuccessors => u32 = same;
    /// Whether the instruction ends a block.
    is_terminator: LLVMIsATerminatorInst => bool = |raw: LLVMValueRef| !raw.is_null();
    /// The low 64 bits of an integer constant.
    low_word: LLVMConstIntGetZExtValue => u64 = same;
    /// Whether a constant is all zero.
    is_zero: LLVMIsNull => bool = truth;
    /// Whether a branch has a condition.
    is_conditional: LLVMIsConditional => bool = truth;
}

impl<'m> Value<'m> {
    pub(super) fn new(raw: LLVMValueRef) -> Option<Self> {
        (!raw.is_null()).then_some(Self(raw, PhantomData))
    }

    /// The same for a value that LLVM promises to return.
    fn some(raw: LLVMValueRef) -> Self {
        debug_assert!(!raw.is_null());
        Self(raw, PhantomData)
    }

    pub(super) fn raw(self) -> LLVMValueRef {
        self.0
    }

    /// The name; the mark that keeps the assembler from decorating it is left out.
    pub fn name(self) -> String {
        let mut size = 0;
        // SAFETY: the value is live and owns its name, which is copied.
        let name = unsafe { text::owned(LLVMGetValueName2(self.0, &mut size), size) };
        match name.strip_prefix('\u{1}') {
            Some(plain) => plain.to_owned(),
            None => name,
        }
    }

    /// The number of operands of an instruction or constant.
    pub fn operand_count(self) -> u32 {
        // SAFETY: the value is a live user.
        unsafe { LLVMGetNumOperands(self.0) }.unsigned_abs()
    }

    /// An operand.
    pub fn operand(self, index: u32) -> Self {
        debug_assert!(index < self.operand_count());
        // SAFETY: the value is a live user and the index within its count.
        Self::some(unsafe { LLVMGetOperand(self.0, index) })
    }

    /// An element of an aggregate constant.
    pub fn element(self, index: u32) -> Option<Self> {
        // SAFETY: the value is a live constant; LLVM answers null beyond the end.
        Self::new(unsafe { LLVMGetAggregateElement(self.0, index) })
    }

    /// The words of an integer constant, least significant first.
    pub fn int_words(self) -> &'m [u64] {
        let mut count = 0;
        // SAFETY: the value is a live integer constant, which owns the words.
        unsafe {
            let words = shim::hydrogen_int_words(self.0, &mut count);
            std::slice::from_raw_parts(words, count)
        }
    }

    /// The bit pattern of a floating-point constant.
    pub fn float_bits(self) -> u128 {
        let mut words = [0_u64; 2];
        // SAFETY: the value is a live floating-point constant; the shim fills two words.
        unsafe { shim::hydrogen_float_bits(self.0, words.as_mut_ptr()) };
        u128::from(words[1]) << 64 | u128::from(words[0])
    }

    /// A floating-point constant as a double, rounded where it is wider.
    pub fn as_double(self) -> f64 {
        let mut lossy = 0;
        // SAFETY: the value is a live floating-point constant.
        unsafe { LLVMConstRealGetDouble(self.0, &mut lossy) }
    }

    /// The raw bytes of an array of simple elements.
    pub fn raw_data(self) -> &'m [u8] {
        // SAFETY: the value is a live constant of that kind, which owns the bytes.
        unsafe { shim::hydrogen_raw_data(self.0).get() }
    }

    /// Metadata as text.
    pub fn metadata_text(self) -> String {
        // SAFETY: the value is metadata; the message is ours to free.
        unsafe { text::message(shim::hydrogen_metadata_text(self.0)) }
    }

    /// A parameter of a function.
    pub fn parameter(self, index: u32) -> Self {
        // SAFETY: the value is a live function and the index within its count.
        Self::some(unsafe { LLVMGetParam(self.0, index) })
    }

    /// The value that a call calls.
    pub fn callee(self) -> Self {
        // SAFETY: the value is a live call.
        Self::some(unsafe { LLVMGetCalledValue(self.0) })
    }

    /// The template and constraints of inline assembly.
    pub fn asm_text(self) -> (String, String) {
        let (mut template, mut constraints) = (0, 0);
        // SAFETY: the value is live inline assembly, which owns the strings.
        unsafe {
            let text = LLVMGetInlineAsmAsmString(self.0, &mut template);
            let rules = LLVMGetInlineAsmConstraintString(self.0, &mut constraints);
            (text::owned(text, template), text::owned(rules, constraints))
        }
    }

    /// The number of operands that belong to a call's bundles.
    pub fn bundle_operand_count(self) -> u32 {
        // SAFETY: the value is a live call, the indices within its count, and each bundle is freed once.
        unsafe {
            (0..LLVMGetNumOperandBundles(self.0))
                .map(|index| {
                    let bundle = LLVMGetOperandBundleAtIndex(self.0, index);
                    let count = LLVMGetNumOperandBundleArgs(bundle);
                    LLVMDisposeOperandBundle(bundle);
                    count
                })
                .sum()
        }
    }

    /// A successor of a terminator.
    pub fn successor(self, index: u32) -> Option<Block<'m>> {
        // SAFETY: the value is a live terminator and the index within its count.
        Block::new(unsafe { LLVMGetSuccessor(self.0, index) })
    }

    /// An incoming edge of a φ.
    pub fn incoming(self, index: u32) -> Option<(Block<'m>, Self)> {
        // SAFETY: the value is a live φ and the index within its count.
        unsafe {
            Some((
                Block::new(LLVMGetIncomingBlock(self.0, index))?,
                Self::new(LLVMGetIncomingValue(self.0, index))?,
            ))
        }
    }

    /// The indices of `extractvalue` or `insertvalue`.
    pub fn indices(self) -> &'m [u32] {
        // SAFETY: the value is a live instruction of that kind, which owns the indices.
        unsafe { std::slice::from_raw_parts(LLVMGetIndices(self.0), LLVMGetNumIndices(self.0) as usize) }
    }

    /// The mask of `shufflevector`; -1 for an undefined lane.
    pub fn shuffle_mask(self) -> Vec<i32> {
        // SAFETY: the value is a live instruction of that kind and the indices within its count.
        unsafe { (0..LLVMGetNumMaskElements(self.0)).map(|index| LLVMGetMaskValue(self.0, index)).collect() }
    }

    /// Whether a function has an attribute at a place, and the type that the attribute carries.
    pub fn function_attribute(self, place: u32, kind: u32) -> Option<Option<Type<'m>>> {
        // SAFETY: the value is a live function; null means absent.
        attribute(unsafe { LLVMGetEnumAttributeAtIndex(self.0, place, kind) })
    }

    /// The same for a call.
    pub fn call_attribute(self, place: u32, kind: u32) -> Option<Option<Type<'m>>> {
        // SAFETY: the value is a live call; null means absent.
        attribute(unsafe { LLVMGetCallSiteEnumAttribute(self.0, place, kind) })
    }
}

fn attribute<'m>(raw: llvm_sys::prelude::LLVMAttributeRef) -> Option<Option<Type<'m>>> {
    if raw.is_null() {
        return None;
    }
    // SAFETY: the attribute is live, and only type attributes are asked for their type.
    unsafe {
        let ty = (LLVMIsTypeAttribute(raw) != 0).then(|| Type::new(LLVMGetTypeAttributeValue(raw)));
        Some(ty)
    }
}

/// The number of an attribute kind.
pub fn attribute_kind(name: &str) -> u32 {
    // SAFETY: LLVM reads exactly the bytes of the name.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}
