//! Inline assembly whose meaning is known, by a table. Everything else stops the run where it is reached.

use super::decode::Decoder;
use super::instr::{Complex, Reg};
use hydrogen_ir::{InlineAsm, Operand};

/// What a piece of assembly computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assembly {
    /// What the processor can do: `eax`, `ebx`, `ecx` and `edx` for a number.
    Identify,
    /// A clock, in two halves: instructions executed so far.
    Clock,
    /// The bytes in the other order.
    SwapBytes(u32),
    /// A product of twice as many bits, in two halves.
    Multiply(u32),
    /// The number of the highest bit that is set.
    HighestBit(u32),
    /// The number of the lowest bit that is set.
    LowestBit(u32),
}

impl Decoder<'_> {
    pub(super) fn assembly(&mut self, asm: &InlineAsm, arguments: &[Operand]) -> Option<()> {
        let result = self.result();
        let count = result.as_ref().map_or(0, |result| result.registers());
        let first = result.as_ref().map_or(0, |result| result.first);
        let text = instructions(&asm.template);
        match text.as_str() {
            // A barrier for the optimiser; an output is tied to an input or keeps its memory.
            "" => {
                if count == 0 {
                    return Some(());
                }
                let src = match tied_input(&asm.constraints).and_then(|index| arguments.get(index)) {
                    Some(operand) => Some(self.operand(operand)?.first),
                    None => None,
                };
                self.complex(Complex::AsmCopy { dst: first, src, count });
            }
            "syscall" => {
                let args = self.firsts(arguments)?;
                self.complex(Complex::Syscall { dst: first, args });
            }
            "mov %fs:0,$0" | "movq %fs:0,$0" => self.complex(Complex::ThreadPointer { dst: first }),
            text => {
                let known = known(text).filter(|_| !asm.constraints.contains('*'));
                let (Some(which), Some(result)) = (known, result) else {
                    self.unsupported(format!("inline assembly: `{}`", asm.template));
                    return Some(());
                };
                let outputs = result.parts.iter().map(|part| result.first + part.register).collect();
                let names = asm.constraints.split(',').filter(|one| one.starts_with('='));
                let places: Vec<usize> = names.enumerate().map(|(at, name)| place(name, at)).collect();
                let inputs = self.firsts(arguments)?;
                self.complex(Complex::Assembly { which, outputs, places, inputs });
            }
        }
        Some(())
    }

    fn firsts(&mut self, arguments: &[Operand]) -> Option<Vec<Reg>> {
        arguments.iter().map(|argument| Some(self.operand(argument)?.first)).collect()
    }
}

/// The instructions of a template without those that compute nothing, and without blanks that mean nothing.
fn instructions(template: &str) -> String {
    const NOTHING: [&str; 9] = [
        "nop",
        "pause",
        "rep",
        "rep nop",
        "mfence",
        "lfence",
        "sfence",
        "xchgq %rbx,${1:q}",
        "xchg %rbx,${1:q}",
    ];
    let one = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ").replace(", ", ",")
    };
    let computes = |text: &String| {
        let aligns = [".p2align", ".align", ".balign", "#"].iter().any(|start| text.starts_with(start));
        !(text.is_empty() || aligns || NOTHING.contains(&text.as_str()))
    };
    template.split(['\n', ';']).map(one).filter(computes).collect::<Vec<_>>().join("; ")
}

fn known(text: &str) -> Option<Assembly> {
    let (name, operands) = text.split_once(' ').unwrap_or((text, ""));
    // `${0:q}` is `$0` as a register of 64 bits.
    let wide = operands.contains(":q}");
    let bits = match name.as_bytes().last() {
        Some(b'q') => 64,
        Some(b'l') if name != "mul" => 32,
        _ if wide => 64,
        _ => 32,
    };
    Some(match name {
        "cpuid" => Assembly::Identify,
        "rdtsc" => Assembly::Clock,
        "bswap" | "bswapl" | "bswapq" => Assembly::SwapBytes(bits),
        "mulq" | "mull" => Assembly::Multiply(bits),
        "bsrq" | "bsrl" => Assembly::HighestBit(bits),
        "bsfq" | "bsfl" => Assembly::LowestBit(bits),
        _ => return None,
    })
}

/// Which of the processor's answers an output is: by its register, or where that is the compiler's choice by its own place.
fn place(constraint: &str, at: usize) -> usize {
    match constraint.trim_start_matches(['=', '&']) {
        "{ax}" => 0,
        "{bx}" => 1,
        "{cx}" => 2,
        "{dx}" => 3,
        _ => at,
    }
}

/// The input that the first output shares its register with, counted among the inputs.
fn tied_input(constraints: &str) -> Option<usize> {
    let inputs = constraints.split(',').filter(|one| !one.starts_with(['=', '~', '!']));
    inputs.enumerate().find(|(_, one)| *one == "0").map(|(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_computes_nothing_is_left_out() {
        assert_eq!(instructions("nop\n\t.p2align 4,,15\n rep; nop"), "");
        assert_eq!(instructions("  xchgq  %rbx,${1:q}\n  cpuid\n  xchgq  %rbx,${1:q}"), "cpuid");
        assert_eq!(instructions("mov %fs:0, $0"), "mov %fs:0,$0");
    }

    #[test]
    fn widths_are_in_names_and_operands() {
        assert_eq!(known("bswap ${0:q}"), Some(Assembly::SwapBytes(64)));
        assert_eq!(known("bswap $0"), Some(Assembly::SwapBytes(32)));
        assert_eq!(known("bsrq $1,$0"), Some(Assembly::HighestBit(64)));
        assert_eq!(known("vaddps $0,$1"), None);
    }
}
