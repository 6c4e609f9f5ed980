//! Writing instructions.

use super::function::print_attributes;
use crate::text::escape::quote;
use crate::text::keyword::Keyword;
use crate::text::names::{Names, list, number, put};
use crate::{
    AtomicOrdering, BlockId, FastMath, InlineAsm, MemoryAccess, Op, Operand, ParameterAttributes, WrapFlags,
};

pub(super) fn print(out: &mut String, names: &Names<'_>, op: &Op) {
    Writer { out, names }.op(op);
}

struct Writer<'o, 'm> {
    out: &'o mut String,
    names: &'o Names<'m>,
}

impl Writer<'_, '_> {
    fn op(&mut self, op: &Op) {
        match op {
            Op::Unary { op, value, fast } => self.word(op.word()).fast(*fast).operands(&[value]),
            Op::Binary { op, left, right, flags, fast } => {
                self.word(op.word()).flags(*flags).fast(*fast).operands(&[left, right])
            }
            Op::IntCompare { predicate, left, right } => {
                self.word("icmp ").word(predicate.word()).operands(&[left, right])
            }
            Op::FloatCompare { predicate, left, right, fast } => {
                self.word("fcmp ").word(predicate.word()).fast(*fast).operands(&[left, right])
            }
            Op::Cast { op, value, flags } => self.word(op.word()).flags(*flags).operands(&[value]),
            Op::Alloca { ty, count, align } => {
                self.word("alloca ");
                self.names.ty(self.out, *ty);
                self.word(",").operands(&[count]).align(*align)
            }
            Op::Load { pointer, access } => self.word("load").operands(&[pointer]).access(*access),
            Op::Store { value, pointer, access } => {
                self.word("store").operands(&[value, pointer]).access(*access)
            }
            Op::ElementAddress { source, base, indices, inbounds } => {
                self.word(if *inbounds { "gep inbounds " } else { "gep " });
                self.names.ty(self.out, *source);
                self.word(",").operands(&[base]).word(", [").list(indices).word("]")
            }
            Op::Phi { incoming } => {
                self.word("phi [");
                let names = self.names;
                list(self.out, incoming, |out, (block, value)| {
                    put(out, format_args!("b{} ", block.0));
                    operand(out, names, value);
                });
                self.word("]")
            }
            Op::Select { condition, then, otherwise, fast } => {
                self.word("select").fast(*fast).operands(&[condition, then, otherwise])
            }
            Op::ExtractValue { aggregate, indices } => {
                self.word("extractvalue").operands(&[aggregate]).numbers(indices)
            }
            Op::InsertValue { aggregate, value, indices } => {
                self.word("insertvalue").operands(&[aggregate, value]).numbers(indices)
            }
            Op::ExtractElement { vector, index } => self.word("extractelement").operands(&[vector, index]),
            Op::InsertElement { vector, value, index } => {
                self.word("insertelement").operands(&[vector, value, index])
            }
            Op::ShuffleVector { left, right, mask } => {
                self.word("shufflevector").operands(&[left, right]).numbers(mask)
            }
            Op::Call { callee, ty, arguments, attributes } => {
                self.word("call ");
                self.names.ty(self.out, *ty);
                self.operands(&[callee]).word("(").list(arguments).word(")").attributes(attributes)
            }
            Op::Asm { asm, ty, arguments } => {
                self.word("asm ");
                self.names.ty(self.out, *ty);
                self.asm(asm).word(" (").list(arguments).word(")")
            }
            Op::VaArg { list } => self.word("va_arg").operands(&[list]),
            Op::Fence { ordering } => self.word("fence ").word(ordering.word()),
            Op::CompareExchange { pointer, expected, new, access, failure, weak } => self
                .word(if *weak { "cmpxchg weak" } else { "cmpxchg" })
                .operands(&[pointer, expected, new])
                .access(*access)
                .word(" failure ")
                .word(failure.word()),
            Op::AtomicRmw { op, pointer, value, access } => {
                self.word("atomicrmw ").word(op.word()).operands(&[pointer, value]).access(*access)
            }
            Op::Freeze { value } => self.word("freeze").operands(&[value]),
            Op::Opaque { name, operands } => {
                self.word("opaque ").quote(name).word(" (").list(operands).word(")")
            }
            Op::Return { value: None } => self.word("ret"),
            Op::Return { value: Some(value) } => self.word("ret").operands(&[value]),
            Op::Jump { target } => self.word("jump").block(*target),
            Op::Branch { condition, then, otherwise } => {
                self.word("br").operands(&[condition]).word(",").block(*then).word(",").block(*otherwise)
            }
            Op::Switch { value, default, cases } => {
                self.word("switch").operands(&[value]).word(",").block(*default).word(" [");
                let names = self.names;
                list(self.out, cases, |out, case| {
                    names.constant(out, case.value);
                    put(out, format_args!(" -> b{}", case.target.0));
                });
                self.word("]")
            }
            Op::IndirectJump { address, targets } => {
                self.word("indirectjump").operands(&[address]).blocks(targets)
            }
            Op::AsmBranch { asm, ty, arguments, next, targets } => {
                self.word("asm_branch ");
                self.names.ty(self.out, *ty);
                self.asm(asm).word(" (").list(arguments).word(")").block(*next).blocks(targets)
            }
            Op::Unreachable => self.word("unreachable"),
            Op::OpaqueTerminator { name, operands, targets } => self
                .word("opaque_terminator ")
                .quote(name)
                .word(" (")
                .list(operands)
                .word(")")
                .blocks(targets),
        };
    }

    fn word(&mut self, word: &str) -> &mut Self {
        self.out.push_str(word);
        self
    }

    fn quote(&mut self, text: &str) -> &mut Self {
        quote(self.out, text);
        self
    }

    fn operands(&mut self, operands: &[&Operand]) -> &mut Self {
        self.out.push(' ');
        list(self.out, operands, |out, value| operand(out, self.names, value));
        self
    }

    fn list(&mut self, operands: &[Operand]) -> &mut Self {
        list(self.out, operands, |out, value| operand(out, self.names, value));
        self
    }

    fn numbers<T: std::fmt::Display>(&mut self, numbers: &[T]) -> &mut Self {
        self.out.push_str(", [");
        list(self.out, numbers, |out, number| put(out, format_args!("{number}")));
        self.word("]")
    }

    fn block(&mut self, block: BlockId) -> &mut Self {
        put(self.out, format_args!(" b{}", block.0));
        self
    }

    fn blocks(&mut self, blocks: &[BlockId]) -> &mut Self {
        self.out.push_str(", [");
        list(self.out, blocks, |out, block| number(out, 'b', block.0));
        self.word("]")
    }

    fn flags(&mut self, flags: WrapFlags) -> &mut Self {
        let WrapFlags { nuw, nsw, exact, other } = flags;
        for (set, word) in [(nuw, " nuw"), (nsw, " nsw"), (exact, " exact"), (other, " flag")] {
            self.out.push_str(if set { word } else { "" });
        }
        self
    }

    fn fast(&mut self, fast: FastMath) -> &mut Self {
        if fast.0 != 0 {
            put(self.out, format_args!(" fast({})", fast.0));
        }
        self
    }

    fn align(&mut self, align: u32) -> &mut Self {
        if align != 0 {
            put(self.out, format_args!(" align {align}"));
        }
        self
    }

    fn access(&mut self, access: MemoryAccess) -> &mut Self {
        let MemoryAccess { align, volatile, ordering } = access;
        self.align(align).word(if volatile { " volatile" } else { "" });
        match ordering {
            AtomicOrdering::NotAtomic => self,
            ordering => self.word(" ").word(ordering.word()),
        }
    }

    fn attributes(&mut self, attributes: &[ParameterAttributes]) -> &mut Self {
        if attributes.is_empty() {
            return self;
        }
        self.out.push_str(" attributes [");
        list(self.out, attributes, |out, each| {
            out.push('_');
            print_attributes(out, self.names, each);
        });
        self.word("]")
    }

    fn asm(&mut self, asm: &InlineAsm) -> &mut Self {
        self.word(" ").quote(&asm.template).word(" ").quote(&asm.constraints);
        self.word(if asm.side_effects { " side_effects" } else { "" })
    }
}

fn operand(out: &mut String, names: &Names<'_>, operand: &Operand) {
    match operand {
        Operand::Instruction(id) => number(out, 'v', id.0),
        Operand::Parameter(index) => number(out, 'a', *index),
        Operand::Const(id) => names.constant(out, *id),
        Operand::Metadata(text) => {
            out.push('!');
            quote(out, text);
        }
    }
}
