//! The decoded form: what the machine executes.
//!
//! A function's values live in a window of 64-bit registers: parameters first, then results, then constants, which a
//! call copies in. Integers and pointers are kept zero-extended; a value of more than 64 bits takes two registers, an
//! aggregate or vector one or two per scalar part. Frequent instructions are small and stand in [`Instr`]; the rest
//! are [`Complex`] and stand in a table beside the code.

use super::asm::Assembly;
use super::scalar::{Part, Scalar};
use super::switch::SwitchTable;
use super::x86::X86;
use hydrogen_ir::{BinaryOp, CastOp, FloatPredicate, IntPredicate, Intrinsic, RmwOp};

/// A register of the current window.
pub type Reg = u32;
/// An index into [`super::Code::instrs`].
pub type Pc = u32;

/// A frequent instruction. Names ending in 32 or 64 work on that many bits; `S` marks the checked signed forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // `dst`, `a`, `b` are registers; targets are positions in the code.
#[rustfmt::skip] // One line per instruction.
pub enum Instr {
    Move { dst: Reg, src: Reg },
    MoveWide { dst: Reg, src: Reg, count: u32 },

    Add32 { dst: Reg, a: Reg, b: Reg },
    Add64 { dst: Reg, a: Reg, b: Reg },
    Sub32 { dst: Reg, a: Reg, b: Reg },
    Sub64 { dst: Reg, a: Reg, b: Reg },
    Mul32 { dst: Reg, a: Reg, b: Reg },
    Mul64 { dst: Reg, a: Reg, b: Reg },
    AddS32 { dst: Reg, a: Reg, b: Reg },
    AddS64 { dst: Reg, a: Reg, b: Reg },
    SubS32 { dst: Reg, a: Reg, b: Reg },
    SubS64 { dst: Reg, a: Reg, b: Reg },
    MulS32 { dst: Reg, a: Reg, b: Reg },
    MulS64 { dst: Reg, a: Reg, b: Reg },
    And { dst: Reg, a: Reg, b: Reg },
    Or { dst: Reg, a: Reg, b: Reg },
    Xor { dst: Reg, a: Reg, b: Reg },
    Shl32 { dst: Reg, a: Reg, b: Reg },
    Shl64 { dst: Reg, a: Reg, b: Reg },
    /// A left shift of a number that is signed in the source.
    ShlS { width: u8, dst: Reg, a: Reg, b: Reg },
    LShr32 { dst: Reg, a: Reg, b: Reg },
    LShr64 { dst: Reg, a: Reg, b: Reg },
    AShr32 { dst: Reg, a: Reg, b: Reg },
    AShr64 { dst: Reg, a: Reg, b: Reg },
    /// Any other integer operation of at most 64 bits.
    Int { op: BinaryOp, width: u8, nsw: bool, dst: Reg, a: Reg, b: Reg },

    Eq { dst: Reg, a: Reg, b: Reg },
    Ne { dst: Reg, a: Reg, b: Reg },
    Ult { dst: Reg, a: Reg, b: Reg },
    Ule { dst: Reg, a: Reg, b: Reg },
    Slt32 { dst: Reg, a: Reg, b: Reg },
    Sle32 { dst: Reg, a: Reg, b: Reg },
    Slt64 { dst: Reg, a: Reg, b: Reg },
    Sle64 { dst: Reg, a: Reg, b: Reg },
    /// Signed comparison of another width; `or_equal` for ≤.
    SltN { width: u8, or_equal: bool, dst: Reg, a: Reg, b: Reg },

    Trunc { dst: Reg, a: Reg, width: u8 },
    SExt { dst: Reg, a: Reg, from: u8, to: u8 },

    FBin64 { op: BinaryOp, dst: Reg, a: Reg, b: Reg },
    FBin32 { op: BinaryOp, dst: Reg, a: Reg, b: Reg },
    FCmp64 { predicate: FloatPredicate, dst: Reg, a: Reg, b: Reg },
    FCmp32 { predicate: FloatPredicate, dst: Reg, a: Reg, b: Reg },

    /// Loads of a local variable whose place in the frame is known; `offset` counts from the frame's memory.
    LoadLocal8 { dst: Reg, offset: u32 },
    LoadLocal16 { dst: Reg, offset: u32 },
    LoadLocal32 { dst: Reg, offset: u32 },
    LoadLocal64 { dst: Reg, offset: u32 },
    StoreLocal8 { src: Reg, offset: u32 },
    StoreLocal16 { src: Reg, offset: u32 },
    StoreLocal32 { src: Reg, offset: u32 },
    StoreLocal64 { src: Reg, offset: u32 },
    /// A variable in the frame's memory has no value from here on.
    Begin { offset: u32, size: u32 },
    /// A variable that has an address is there from here on, or not any more.
    Life { address: Reg, size: u32 },
    Load8 { dst: Reg, ptr: Reg },
    Load16 { dst: Reg, ptr: Reg },
    Load32 { dst: Reg, ptr: Reg },
    Load64 { dst: Reg, ptr: Reg },
    Store8 { src: Reg, ptr: Reg },
    Store16 { src: Reg, ptr: Reg },
    Store32 { src: Reg, ptr: Reg },
    Store64 { src: Reg, ptr: Reg },
    /// `a + offset`.
    Offset { dst: Reg, a: Reg, offset: i32 },
    /// `a + b × scale`.
    Scaled { dst: Reg, a: Reg, b: Reg, scale: u16 },

    Jump { target: Pc },
    Branch { cond: Reg, then: Pc, otherwise: Pc },
    /// Through a table of the code.
    Switch { value: Reg, table: u32 },

    Call { site: u32 },
    Return { src: Reg, count: u32 },
    Unreachable,
    Complex { index: u32 },

    // Several at once, in [`Code::quick`] alone. They do all that the single ones do: what is computed on the way goes into its registers.
    /// An address (`via`), then an access there.
    LoadAt8 { via: u16, a: u16, dst: u16, offset: i32 },
    LoadAt16 { via: u16, a: u16, dst: u16, offset: i32 },
    LoadAt32 { via: u16, a: u16, dst: u16, offset: i32 },
    LoadAt64 { via: u16, a: u16, dst: u16, offset: i32 },
    StoreAt8 { via: u16, a: u16, src: u16, offset: i32 },
    StoreAt16 { via: u16, a: u16, src: u16, offset: i32 },
    StoreAt32 { via: u16, a: u16, src: u16, offset: i32 },
    StoreAt64 { via: u16, a: u16, src: u16, offset: i32 },
    /// Two addresses, one from the other, then an access at the second.
    LoadDeep32 { via: u16, inner: u16, a: u16, dst: u16, first: i16, second: i16 },
    LoadDeep64 { via: u16, inner: u16, a: u16, dst: u16, first: i16, second: i16 },
    /// A scaled address, then an access there.
    LoadIndexed8 { via: u16, a: u16, b: u16, dst: u16, scale: u16 },
    LoadIndexed32 { via: u16, a: u16, b: u16, dst: u16, scale: u16 },
    LoadIndexed64 { via: u16, a: u16, b: u16, dst: u16, scale: u16 },
    StoreIndexed8 { via: u16, a: u16, b: u16, src: u16, scale: u16 },
    StoreIndexed32 { via: u16, a: u16, b: u16, src: u16, scale: u16 },
    StoreIndexed64 { via: u16, a: u16, b: u16, src: u16, scale: u16 },
    /// An index is copied, then scaled.
    MoveScaled { index: u16, b: u16, dst: u16, a: u16, scale: u16 },
    /// An index of 32 bits is extended with its sign, then scaled.
    WidenScaled { index: u16, b: u16, dst: u16, a: u16, scale: u16 },
    /// And then an access there.
    MoveIndexed8 { index: u16, b: u16, via: u16, a: u16, dst: u16, scale: u16 },
    WidenIndexed8 { index: u16, b: u16, via: u16, a: u16, dst: u16, scale: u16 },
    WidenIndexed32 { index: u16, b: u16, via: u16, a: u16, dst: u16, scale: u16 },
    WidenIndexed64 { index: u16, b: u16, via: u16, a: u16, dst: u16, scale: u16 },
    /// A comparison, and the branch that it decides.
    EqBranch { dst: u16, a: u16, b: u16, then: Pc, otherwise: Pc },
    NeBranch { dst: u16, a: u16, b: u16, then: Pc, otherwise: Pc },
    UltBranch { dst: u16, a: u16, b: u16, then: Pc, otherwise: Pc },
    UleBranch { dst: u16, a: u16, b: u16, then: Pc, otherwise: Pc },
    Slt32Branch { dst: u16, a: u16, b: u16, then: Pc, otherwise: Pc },
    Sle32Branch { dst: u16, a: u16, b: u16, then: Pc, otherwise: Pc },
    Slt64Branch { dst: u16, a: u16, b: u16, then: Pc, otherwise: Pc },
    Sle64Branch { dst: u16, a: u16, b: u16, then: Pc, otherwise: Pc },
    /// And then elsewhere.
    MoveJump { dst: Reg, src: Reg, target: Pc },

    // Those of the table that are frequent, in [`Code::quick`] alone. Where one of them would be a fault, the one in the table says so.
    Choose { dst: u16, cond: u16, then: u16, otherwise: u16 },
    Negate { dst: Reg, a: Reg, sign: u8 },
    /// An integer of up to 64 bits to floating point, of 64 bits or of 32.
    FromInt { dst: Reg, a: Reg, width: u8, signed: bool, double: bool },
    /// Floating point to an integer of up to 64 bits.
    ToInt { dst: Reg, a: Reg, width: u8, signed: bool, double: bool },
    Widen { dst: Reg, a: Reg },
    Narrow { dst: Reg, a: Reg },
    /// So many bytes from one place to another.
    CopyBytes { to: u16, from: u16, len: u16 },
}

/// An instruction that is rare enough to stand in a table.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)] // As in `Instr`.
#[rustfmt::skip] // One line per instruction.
pub enum Complex {
    Select { dst: Reg, cond: Reg, then: Reg, otherwise: Reg, count: u32 },
    /// Integers of 65 to 128 bits.
    WideInt { op: BinaryOp, width: u8, nsw: bool, dst: Reg, a: Reg, b: Reg },
    WideCompare { predicate: IntPredicate, width: u8, dst: Reg, a: Reg, b: Reg },
    /// Integers of more than 128 bits.
    BigInt { op: BinaryOp, kind: Scalar, dst: Reg, a: Reg, b: Reg },
    BigCompare { predicate: IntPredicate, kind: Scalar, dst: Reg, a: Reg, b: Reg },
    BigCast { op: CastOp, from: Scalar, to: Scalar, dst: Reg, src: Reg },
    Float { op: BinaryOp, kind: Scalar, dst: Reg, a: Reg, b: Reg },
    FloatCompare { predicate: FloatPredicate, kind: Scalar, dst: Reg, a: Reg, b: Reg },
    FloatNegate { kind: Scalar, dst: Reg, a: Reg },
    Cast { op: CastOp, from: Scalar, to: Scalar, dst: Reg, src: Reg },
    /// The same bits seen as other parts.
    Repack { from: Vec<Part>, to: Vec<Part>, dst: Reg, src: Reg, bytes: u32 },
    /// A value of several parts, or of a width that is not 8, 16, 32 or 64 bits.
    Load { ptr: Reg, dst: Reg, parts: Vec<Part> },
    Store { ptr: Reg, src: Reg, parts: Vec<Part> },
    /// An array whose size is known only now.
    Alloca { dst: Reg, count: Reg, size: u64, align: u32 },
    ExtractElement { dst: Reg, vector: Reg, index: Reg, lanes: u32, stride: u32 },
    InsertElement { dst: Reg, vector: Reg, value: Reg, index: Reg, lanes: u32, stride: u32 },
    Rmw { op: RmwOp, kind: Scalar, dst: Reg, ptr: Reg, value: Reg },
    CompareExchange { kind: Scalar, dst: Reg, ptr: Reg, expected: Reg, new: Reg },
    Intrinsic { which: Intrinsic, kind: Scalar, dst: Reg, args: Vec<Reg>, lanes: u32 },
    /// A vector instruction: of values with these lanes.
    Packed { which: X86, dst: Reg, result: Vec<Part>, args: Vec<(Reg, Vec<Part>)> },
    /// Inline assembly of the table; which of the answers each output takes is in `places`.
    Assembly { which: Assembly, outputs: Vec<Reg>, places: Vec<usize>, inputs: Vec<Reg> },
    /// Inline assembly that does nothing but hand values through.
    AsmCopy { dst: Reg, src: Option<Reg>, count: u32 },
    /// The `syscall` instruction: number, then up to six arguments.
    Syscall { dst: Reg, args: Vec<Reg> },
    /// The thread pointer.
    ThreadPointer { dst: Reg },
    IndirectJump { address: Reg, targets: Vec<(u32, Pc)> },
    /// What the machine cannot execute, said when it is reached.
    Unsupported { what: String },
}

/// A call.
#[derive(Debug, Clone, PartialEq)]
pub struct CallSite {
    /// Whom.
    pub target: Target,
    /// With what.
    pub args: Vec<Arg>,
    /// Where the result goes.
    pub dst: Reg,
    /// How many registers the result takes.
    pub count: u32,
    /// Whether the callee is known to take just these arguments.
    pub checked: bool,
}

/// Whom a call reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A function of the program.
    Direct(crate::program::FuncId),
    /// The address in a register.
    Indirect(Reg),
}

/// An argument.
#[derive(Debug, Clone, PartialEq)]
pub struct Arg {
    /// Its first register.
    pub src: Reg,
    /// Its scalar parts.
    pub parts: Vec<Part>,
    /// For a structure by value: its size and alignment; the register holds its address.
    pub by_value: Option<(u64, u32)>,
}

/// Everything a call needs to execute a function.
#[derive(Debug, Clone, Default)]
pub struct Code {
    /// The instructions.
    pub instrs: Vec<Instr>,
    /// The same, place for place, but where several can be done at once the first of them does: for runs that nobody watches.
    pub(crate) quick: Vec<Instr>,
    /// The rare instructions.
    pub complex: Vec<Complex>,
    /// The calls.
    pub calls: Vec<CallSite>,
    /// The jump tables.
    pub switches: Vec<SwitchTable>,
    /// The instruction of the model behind each instruction.
    pub origin: Vec<hydrogen_ir::InstructionId>,
    /// Registers of the parameters.
    pub parameters: u32,
    /// The scalar parts of each parameter.
    pub parameter_parts: Vec<Vec<Part>>,
    /// Registers in all.
    pub registers: u32,
    /// Where the constants begin.
    pub first_constant: u32,
    /// The constants.
    pub constants: Vec<u64>,
    /// Bytes of local variables.
    pub local_bytes: u32,
    /// How far the stack pointer falls in a call, besides for scalars that have an address.
    pub(crate) extent: u64,
    /// How many scalars have an address.
    pub(crate) cells: u64,
    /// The local variables that have an address.
    pub locals: Vec<Local>,
    /// Where the variables of the source live.
    pub variables: Vec<Slot>,
    /// Whether further arguments may follow.
    pub varargs: bool,
    /// The first instruction of each block.
    pub blocks: Vec<Pc>,
    /// Which registers a jump carries over, once somebody asked.
    pub(super) across: std::sync::OnceLock<Vec<Reg>>,
}

/// A local variable that needs an object of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Local {
    /// The register that holds its address.
    pub address: Reg,
    /// Its place in the frame's memory.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
    /// How it is aligned.
    pub align: u32,
    /// Whether it is a scalar: those lie at the stack pointer.
    pub is_cell: bool,
    /// The instruction that makes it.
    pub origin: hydrogen_ir::InstructionId,
}

/// A local variable, and where it lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// The instruction that makes it.
    pub origin: hydrogen_ir::InstructionId,
    /// Its register, if it needs no memory.
    pub register: Option<Reg>,
    /// Its place in the frame's memory otherwise.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
}

#[cfg(test)]
mod tests {
    /// The loop reads one per step; two fit in half a cache line.
    #[test]
    fn an_instruction_is_small() {
        assert_eq!(size_of::<super::Instr>(), 16);
    }
}
