//! Calls, as the input goes through them.

use crate::concolic::{Concolic, Pending};
use crate::copies::Filling;
use crate::path::Kind;
use hydrogen_machine::code::{CallSite, Reg, Target};
use hydrogen_machine::{Builtin, FuncKind, Step};
use hydrogen_term::{Op, Term};

/// A place to go that may be more than this many is made concrete.
const MOST_TARGETS: usize = 64;

impl Concolic<'_> {
    pub(crate) fn call(&mut self, step: &Step<'_>, site: u32) {
        let call = &step.code.calls[site as usize];
        (self.pending, self.pointer) = (Pending::Nothing, None);
        let target = match call.target {
            Target::Direct(function) => Some(function),
            Target::Indirect(reg) => {
                self.go_to(reg, step.registers, "the address of a function");
                self.program.function_at(step.registers[reg as usize])
            }
        };
        let kind = target.map(|function| self.program.function(function).kind);
        match kind {
            Some(FuncKind::Builtin(builtin)) => {
                let argument = |index: usize| {
                    let arg = call.args.get(index);
                    arg.map_or((None, 0), |arg| (self.term(arg.src), step.registers[arg.src as usize]))
                };
                let arguments = vec![argument(0), argument(1)];
                let byte = argument(1).0;
                self.arguments = arguments;
                // These say what they do with their values themselves.
                let followed: &[usize] = match builtin {
                    _ if self.copies_by_call(builtin, call, step) => &[1, 2],
                    Builtin::Assume => &[0],
                    Builtin::NamedOutput | Builtin::MemSet => &[1],
                    _ => &[],
                };
                let copied = matches!(self.pending, Pending::Copied);
                if builtin == Builtin::MemSet
                    && !copied
                    && let Some(byte) = byte
                {
                    self.pending = Pending::Fill(self.pool.resize_unsigned(byte, 8));
                }
                if let (Builtin::MemCpy | Builtin::MemMove, [_, from, ..]) = (builtin, call.args.as_slice()) {
                    self.pointer = self.take_source(from.src, step.registers);
                }
                for (index, arg) in call.args.iter().enumerate() {
                    if self.term(arg.src).is_some() && !followed.contains(&index) {
                        let name = target.map_or("", |id| self.program.function(id).name.as_str());
                        let why = format!("an argument of `{name}`");
                        self.decide_size(arg.src, step.registers, &why);
                    }
                }
                self.asked_size = self.allocated_size(builtin, call, step.registers);
            }
            // Its answers are listed by what it is given, so that must be known.
            Some(FuncKind::Undefined) => {
                let name = target.map_or("", |id| self.program.function(id).name.as_str());
                let why = format!("an argument of `{name}`, which has no body");
                for arg in &call.args {
                    self.decide_register(arg.src, step.registers, &why, false);
                }
            }
            _ if self.summarise(target, call, step) => {
                self.pending = Pending::Call(Vec::new(), call.dst, call.count);
                return;
            }
            _ => {
                let symbolic = self.frames.last().is_some_and(|frame| frame.is_symbolic());
                let mut terms = Vec::new();
                for arg in call.args.iter().filter(|_| symbolic) {
                    let count: u32 = arg.parts.iter().map(|part| part.scalar.registers()).sum();
                    if arg.by_value.is_some() {
                        self.concretise_register(arg.src, step.registers, "the address of a structure");
                    }
                    terms.extend((arg.src..arg.src + count).map(|reg| self.term(reg)));
                }
                self.pending = Pending::Call(terms, call.dst, call.count);
                return;
            }
        }
        self.clear_results(step.code, step.instr);
    }

    /// A copy by a function of the library, about which everything is said.
    fn copies_by_call(&mut self, builtin: Builtin, call: &CallSite, step: &Step<'_>) -> bool {
        let filling = match builtin {
            Builtin::MemCpy => Filling::Apart,
            Builtin::MemMove => Filling::Bytes,
            Builtin::MemSet => Filling::Byte,
            _ => return false,
        };
        let args: Vec<Reg> = call.args.iter().map(|arg| arg.src).collect();
        <[Reg; 3]>::try_from(args).is_ok_and(|args| self.copies(filling, args, step))
    }

    /// A symbolic value that is followed in its own way: the register is done with.
    pub(crate) fn take_source(&mut self, from: Reg, registers: &[u64]) -> Option<(Term, u64)> {
        let term = self.term(from)?;
        self.set(from, None);
        Some((term, registers[from as usize]))
    }

    /// Goes to one of several places, whose addresses are constants in the term: a chain of branches.
    pub(crate) fn go_to(&mut self, reg: Reg, registers: &[u64], why: &str) {
        let Some(term) = self.term(reg).filter(|_| self.states()) else { return };
        let term = self.pool.resize_unsigned(term, 64);
        let value = u128::from(registers[reg as usize]);
        let mut targets: Vec<u128> = Vec::new();
        for inner in self.pool.postorder(&[term]) {
            if let Op::Bits(target) = self.pool.op(inner)
                && self.pool.width(inner) == 64
                && hydrogen_machine::is_address(target as u64)
            {
                targets.push(target);
            }
        }
        targets.sort_unstable();
        targets.dedup();
        if targets.len() > MOST_TARGETS || !targets.contains(&value) {
            return self.concretise_register(reg, registers, why);
        }
        for target in targets {
            let constant: Term = self.pool.bits(64, target);
            let equal = self.pool.eq(term, constant);
            if target == value {
                return self.require(equal, Kind::Branch);
            }
            let differs = self.pool.not(equal);
            self.require(differs, Kind::Branch);
        }
    }
}
