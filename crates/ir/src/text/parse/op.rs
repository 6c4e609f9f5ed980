//! Reading instructions.

use super::{Kind, Parser, Result};
use crate::text::keyword::Keyword;
use crate::{
    AtomicOrdering, BinaryOp, BlockId, Case, CastOp, FastMath, InlineAsm, InstructionId, MemoryAccess, Op,
    Operand, ParameterAttributes, UnaryOp, WrapFlags,
};

impl Parser<'_> {
    pub(super) fn op(&mut self) -> Result<Op> {
        let at = self.at;
        let word = self.word("an instruction")?;
        if let Some(op) = self.simple_op(word)? {
            return Ok(op);
        }
        if let Some(op) = self.memory_op(word)? {
            return Ok(op);
        }
        if let Some(op) = self.call_op(word)? {
            return Ok(op);
        }
        if let Some(op) = self.terminator(word)? {
            return Ok(op);
        }
        self.at = at;
        Err(self.expected("an instruction"))
    }

    fn simple_op(&mut self, word: &str) -> Result<Option<Op>> {
        if let Some(op) = BinaryOp::from_word(word) {
            let (flags, fast) = (self.flags(), self.fast()?);
            let (left, right) = self.pair()?;
            return Ok(Some(Op::Binary { op, left, right, flags, fast }));
        }
        if let Some(op) = CastOp::from_word(word) {
            let flags = self.flags();
            return Ok(Some(Op::Cast { op, value: self.operand()?, flags }));
        }
        if let Some(op) = UnaryOp::from_word(word) {
            let fast = self.fast()?;
            return Ok(Some(Op::Unary { op, value: self.operand()?, fast }));
        }
        Ok(Some(match word {
            "icmp" => {
                let predicate = self.keyword()?;
                let (left, right) = self.pair()?;
                Op::IntCompare { predicate, left, right }
            }
            "fcmp" => {
                let (predicate, fast) = (self.keyword()?, self.fast()?);
                let (left, right) = self.pair()?;
                Op::FloatCompare { predicate, left, right, fast }
            }
            "phi" => {
                self.expect_mark('[')?;
                Op::Phi { incoming: self.list(']', |this| Ok((this.block()?, this.operand()?)))? }
            }
            "select" => {
                let fast = self.fast()?;
                let (condition, then, otherwise) = self.triple()?;
                Op::Select { condition, then, otherwise, fast }
            }
            "extractvalue" => Op::ExtractValue { aggregate: self.operand()?, indices: self.indices()? },
            "insertvalue" => {
                let (aggregate, value) = self.pair()?;
                Op::InsertValue { aggregate, value, indices: self.indices()? }
            }
            "extractelement" => {
                let (vector, index) = self.pair()?;
                Op::ExtractElement { vector, index }
            }
            "insertelement" => {
                let (vector, value, index) = self.triple()?;
                Op::InsertElement { vector, value, index }
            }
            "shufflevector" => {
                let (left, right) = self.pair()?;
                self.expect_mark(',')?;
                self.expect_mark('[')?;
                Op::ShuffleVector { left, right, mask: self.list(']', Self::lane)? }
            }
            "freeze" => Op::Freeze { value: self.operand()? },
            _ => return Ok(None),
        }))
    }

    fn memory_op(&mut self, word: &str) -> Result<Option<Op>> {
        Ok(Some(match word {
            "alloca" => {
                let ty = self.ty()?;
                self.expect_mark(',')?;
                Op::Alloca { ty, count: self.operand()?, align: self.align()? }
            }
            "load" => Op::Load { pointer: self.operand()?, access: self.access()? },
            "store" => {
                let (value, pointer) = self.pair()?;
                Op::Store { value, pointer, access: self.access()? }
            }
            "gep" => {
                let inbounds = self.word_is("inbounds");
                let source = self.ty()?;
                self.expect_mark(',')?;
                let base = self.operand()?;
                self.expect_mark(',')?;
                self.expect_mark('[')?;
                Op::ElementAddress { source, base, indices: self.list(']', Self::operand)?, inbounds }
            }
            "va_arg" => Op::VaArg { list: self.operand()? },
            "fence" => Op::Fence { ordering: self.keyword()? },
            "cmpxchg" => {
                let weak = self.word_is("weak");
                let (pointer, expected, new) = self.triple()?;
                let access = self.access()?;
                self.expect_word("failure")?;
                Op::CompareExchange { pointer, expected, new, access, failure: self.keyword()?, weak }
            }
            "atomicrmw" => {
                let op = self.keyword()?;
                let (pointer, value) = self.pair()?;
                Op::AtomicRmw { op, pointer, value, access: self.access()? }
            }
            _ => return Ok(None),
        }))
    }

    fn call_op(&mut self, word: &str) -> Result<Option<Op>> {
        Ok(Some(match word {
            "call" => {
                let (ty, callee) = (self.ty()?, self.operand()?);
                let arguments = self.arguments()?;
                Op::Call { callee, ty, arguments, attributes: self.attribute_list()? }
            }
            "asm" => Op::Asm { ty: self.ty()?, asm: self.asm()?, arguments: self.arguments()? },
            "opaque" => Op::Opaque { name: self.string()?, operands: self.arguments()? },
            _ => return Ok(None),
        }))
    }

    fn terminator(&mut self, word: &str) -> Result<Option<Op>> {
        Ok(Some(match word {
            "ret" => {
                let value = if *self.kind() == Kind::Mark('|') { None } else { Some(self.operand()?) };
                Op::Return { value }
            }
            "jump" => Op::Jump { target: self.block()? },
            "br" => {
                let condition = self.operand()?;
                self.expect_mark(',')?;
                let then = self.block()?;
                self.expect_mark(',')?;
                Op::Branch { condition, then, otherwise: self.block()? }
            }
            "switch" => {
                let value = self.operand()?;
                self.expect_mark(',')?;
                let default = self.block()?;
                self.expect_mark('[')?;
                Op::Switch { value, default, cases: self.list(']', Self::case)? }
            }
            "indirectjump" => Op::IndirectJump { address: self.operand()?, targets: self.targets()? },
            "asm_branch" => Op::AsmBranch {
                ty: self.ty()?,
                asm: self.asm()?,
                arguments: self.arguments()?,
                next: self.block()?,
                targets: self.targets()?,
            },
            "unreachable" => Op::Unreachable,
            "opaque_terminator" => Op::OpaqueTerminator {
                name: self.string()?,
                operands: self.arguments()?,
                targets: self.targets()?,
            },
            _ => return Ok(None),
        }))
    }

    fn operand(&mut self) -> Result<Operand> {
        if let Some(id) = self.try_local('v') {
            return Ok(Operand::Instruction(InstructionId(id)));
        }
        if let Some(index) = self.try_local('a') {
            return Ok(Operand::Parameter(index));
        }
        if self.mark_is('!') {
            return Ok(Operand::Metadata(self.string()?));
        }
        match self.kind() {
            Kind::Mark('[' | '<') | Kind::Word(_) | Kind::Id(..) | Kind::Name(..) => {
                Ok(Operand::Const(self.constant()?))
            }
            _ => Err(self.expected("an operand")),
        }
    }

    fn pair(&mut self) -> Result<(Operand, Operand)> {
        let first = self.operand()?;
        self.expect_mark(',')?;
        Ok((first, self.operand()?))
    }

    fn triple(&mut self) -> Result<(Operand, Operand, Operand)> {
        let (first, second) = self.pair()?;
        self.expect_mark(',')?;
        Ok((first, second, self.operand()?))
    }

    fn block(&mut self) -> Result<BlockId> {
        Ok(BlockId(self.local('b', "a block")?))
    }

    fn targets(&mut self) -> Result<Vec<BlockId>> {
        self.expect_mark(',')?;
        self.expect_mark('[')?;
        self.list(']', Self::block)
    }

    fn case(&mut self) -> Result<Case> {
        let value = self.constant()?;
        self.expect_mark('→')?;
        Ok(Case { value, target: self.block()? })
    }

    fn indices(&mut self) -> Result<Vec<u32>> {
        self.expect_mark(',')?;
        self.expect_mark('[')?;
        self.list(']', |this| this.number("an index"))
    }

    fn lane(&mut self) -> Result<i32> {
        let at = self.at;
        i32::try_from(self.integer()?).map_err(|_| self.error_at(at, "expected a lane".into()))
    }

    fn flags(&mut self) -> WrapFlags {
        WrapFlags {
            nuw: self.word_is("nuw"),
            nsw: self.word_is("nsw"),
            exact: self.word_is("exact"),
            other: self.word_is("flag"),
        }
    }

    fn fast(&mut self) -> Result<FastMath> {
        if !self.word_is("fast") {
            return Ok(FastMath(0));
        }
        self.expect_mark('(')?;
        let flags = self.number("flags")?;
        self.expect_mark(')')?;
        Ok(FastMath(flags))
    }

    fn align(&mut self) -> Result<u32> {
        if self.word_is("align") { self.number("an alignment") } else { Ok(0) }
    }

    fn access(&mut self) -> Result<MemoryAccess> {
        let align = self.align()?;
        let volatile = self.word_is("volatile");
        let ordering = self.try_keyword::<AtomicOrdering>().unwrap_or_default();
        Ok(MemoryAccess { align, volatile, ordering })
    }

    fn arguments(&mut self) -> Result<Vec<Operand>> {
        self.expect_mark('(')?;
        self.list(')', Self::operand)
    }

    fn attribute_list(&mut self) -> Result<Vec<ParameterAttributes>> {
        if !self.word_is("attributes") {
            return Ok(Vec::new());
        }
        self.expect_mark('[')?;
        self.list(']', |this| {
            this.expect_word("_")?;
            this.attributes()
        })
    }

    fn asm(&mut self) -> Result<InlineAsm> {
        let (template, constraints) = (self.string()?, self.string()?);
        Ok(InlineAsm { template, constraints, side_effects: self.word_is("side_effects") })
    }
}
