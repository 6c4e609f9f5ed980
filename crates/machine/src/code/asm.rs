//! The few pieces of inline assembly whose meaning is known. Everything else stops the run where it is reached.

use super::decode::Decoder;
use super::instr::Complex;
use hydrogen_ir::{InlineAsm, Operand};

impl Decoder<'_> {
    pub(super) fn assembly(&mut self, asm: &InlineAsm, arguments: &[Operand]) -> Option<()> {
        let result = self.result();
        let count = result.as_ref().map_or(0, |result| result.registers());
        let dst = result.map_or(0, |result| result.first);
        let text: String = asm.template.split_whitespace().collect::<Vec<_>>().join(" ");
        match text.as_str() {
            // A barrier for the optimiser; an output is tied to an input or keeps its memory.
            "" | "nop" | "pause" | "rep; nop" | "rep nop" | "mfence" | "lfence" | "sfence" => {
                if count == 0 {
                    return Some(());
                }
                let tied = tied_input(&asm.constraints).and_then(|index| arguments.get(index));
                let src = match tied {
                    Some(operand) => Some(self.operand(operand)?.first),
                    None => None,
                };
                self.complex(Complex::AsmCopy { dst, src, count });
            }
            "syscall" => {
                let mut args = Vec::new();
                for argument in arguments {
                    args.push(self.operand(argument)?.first);
                }
                self.complex(Complex::Syscall { dst, args });
            }
            "mov %fs:0,$0" | "mov %fs:0, $0" | "movq %fs:0,$0" | "movq %fs:0, $0" => {
                self.complex(Complex::ThreadPointer { dst })
            }
            _ => self.unsupported(format!("inline assembly: `{}`", asm.template)),
        }
        Some(())
    }
}

/// The input that the first output shares its register with, counted among the inputs.
fn tied_input(constraints: &str) -> Option<usize> {
    let inputs = constraints.split(',').filter(|one| !one.starts_with(['=', '~', '!']));
    inputs.enumerate().find(|(_, one)| *one == "0").map(|(index, _)| index)
}
