//! Counted loops (B-1): `for (i = …; i < n; i++)` around arithmetic on variables, and what the variables are behind it.
//!
//! In one round the counter `i` grows by one, and another variable `s` by `a·i + b` with `a` and `b` that the loop does not change. So
//! behind `k` rounds they are `i₀ + k` and `s₀ + k·(a·i₀ + b) + a·k(k-1)/2`: by induction over the integers, hence modulo every power
//! of two. Whatever else the loop computes is a function of these in its last round. Loops with calls, branches, stores or operations that
//! might fault are not counted ones here.

use crate::frames::{Frame, Registers};
use crate::ops::{Meaning, meaning};
use hydrogen_machine::code::{Code, Instr, Pc, Reg, Role};
use hydrogen_term::{Pool, Sort, Term};
use rustc_hash::FxHashMap;

/// Longer loops are not looked at.
const LONGEST: usize = 64;

/// The shape of a loop that is left at one branch only and has no other one.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    /// From where every round begins to the branch.
    head: Vec<Pc>,
    /// From behind the branch back to the head.
    body: Vec<Pc>,
    /// Registers that a round reads before it writes them, and writes.
    carried: Vec<Reg>,
    /// All registers that a round writes.
    written: Vec<Reg>,
    condition: Reg,
}

impl Shape {
    /// The loop that the branch at `at` stays in by going to `inside`.
    pub(crate) fn of(code: &Code, at: Pc, inside: Pc) -> Option<Shape> {
        let Instr::Branch { cond, .. } = *code.instrs.get(at as usize)? else { return None };
        let (mut body, mut pc) = (Vec::new(), inside);
        let mut start = inside;
        while pc != at {
            if body.len() > LONGEST {
                return None;
            }
            body.push(pc);
            match code.instrs.get(pc as usize)? {
                Instr::Jump { target } => (pc, start) = (*target, *target),
                instr if code.targets(instr).is_some() || !is_plain(instr) => return None,
                _ => pc += 1,
            }
        }
        // The last stretch before the branch is the head; nobody comes into the middle of it.
        let from = body.iter().rposition(|pc| *pc == start)?;
        let head = body.split_off(from);
        if code.blocks.iter().any(|block| (start + 1..=at).contains(block)) || start == inside {
            return None;
        }
        let mut shape = Shape { head, body, carried: Vec::new(), written: Vec::new(), condition: cond };
        let mut open: Vec<Reg> = Vec::new();
        for pc in shape.head.iter().chain(&shape.body) {
            code.accesses(&code.instrs[*pc as usize], &mut |access| {
                let registers = access.first..access.first + access.count;
                if access.role == Role::Result {
                    shape.written.extend(registers);
                } else {
                    open.extend(registers.filter(|reg| !shape.written.contains(reg)));
                }
            });
        }
        shape.written.sort_unstable();
        shape.written.dedup();
        shape.carried = shape.written.iter().copied().filter(|reg| open.contains(reg)).collect();
        // What the head changes is not carried over it.
        let in_head = shape.head.iter().any(|pc| {
            let mut changes = false;
            code.accesses(&code.instrs[*pc as usize], &mut |access| {
                changes |= access.role == Role::Result && shape.carried.contains(&access.first);
            });
            changes
        });
        (!in_head).then_some(shape)
    }

    pub(crate) fn contains(&self, pc: Pc) -> bool {
        self.head.contains(&pc) || self.body.contains(&pc)
    }
}

/// Whether an instruction computes a register from others, or reads a local variable in the head.
fn is_plain(instr: &Instr) -> bool {
    !matches!(
        instr,
        Instr::Call { .. }
            | Instr::Complex { .. }
            | Instr::MoveWide { .. }
            | Instr::Load8 { .. }
            | Instr::Load16 { .. }
            | Instr::Load32 { .. }
            | Instr::Load64 { .. }
            | Instr::Store8 { .. }
            | Instr::Store16 { .. }
            | Instr::Store32 { .. }
            | Instr::Store64 { .. }
            | Instr::StoreLocal8 { .. }
            | Instr::StoreLocal16 { .. }
            | Instr::StoreLocal32 { .. }
            | Instr::StoreLocal64 { .. }
            | Instr::Begin { .. }
            | Instr::Life { .. }
    )
}

fn loads(instr: &Instr) -> bool {
    matches!(
        instr,
        Instr::LoadLocal8 { .. }
            | Instr::LoadLocal16 { .. }
            | Instr::LoadLocal32 { .. }
            | Instr::LoadLocal64 { .. }
    )
}

/// One round over variables for what it carries.
struct Round {
    /// By register, its variable.
    variables: FxHashMap<Reg, Term>,
    /// What registers are at the branch, and at the end of the round.
    at_branch: Frame,
    at_end: Frame,
    counter: Reg,
    limit: Term,
    signed: bool,
}

impl Shape {
    /// What all registers that the loop writes are when it is left, from what they are at the branch now; `None` if it is no counted one.
    pub(crate) fn behind(
        &self,
        pool: &mut Pool,
        code: &Code,
        now: &Frame,
        values: &[u64],
    ) -> Option<Vec<(Reg, Term)>> {
        let round = self.round(pool, code, now, values)?;
        let registers = Registers { frame: Some(now), values };
        let width = |pool: &Pool, reg: Reg| pool.width(round.variables[&reg]);
        let bits = width(pool, round.counter);
        let first = registers.read(pool, round.counter, bits);
        let goes_on = if round.signed { pool.slt(first, round.limit) } else { pool.ult(first, round.limit) };
        let (difference, zero) = (pool.sub(round.limit, first), pool.bits(bits, 0));
        let rounds = pool.ite(goes_on, difference, zero);
        let one = pool.bits(bits, 1);
        let before_last = pool.sub(rounds, one);
        let (mut last, mut end) = (FxHashMap::default(), FxHashMap::default());
        for reg in &self.carried {
            let variable = round.variables[reg];
            let now = registers.read(pool, *reg, pool.width(variable));
            let (at_last, at_end) = match *reg == round.counter {
                true => (pool.add(first, before_last), pool.add(first, rounds)),
                false => {
                    let growth = growth(pool, &round, *reg)?;
                    let at_last = grown(pool, &round, &growth, (now, first, before_last));
                    (at_last, grown(pool, &round, &growth, (now, first, rounds)))
                }
            };
            last.insert(variable, at_last);
            end.insert(variable, at_end);
        }
        let none = pool.eq(rounds, zero);
        let mut found = Vec::new();
        for reg in &self.written {
            let term = if self.carried.contains(reg) {
                end[&round.variables[reg]]
            } else if self.writes_in_head(code, *reg) {
                // What was read and does not depend on the input is the same every time.
                let Some(term) = round.at_branch.get(*reg) else { continue };
                pool.substitute(term, &end)
            } else {
                let term = round.at_end.get(*reg)?;
                let done = pool.substitute(term, &last);
                let done = pool.resize_unsigned(done, 64);
                let now = registers.read(pool, *reg, 64);
                pool.ite(none, now, done)
            };
            found.push((*reg, term));
        }
        Some(found)
    }

    fn writes_in_head(&self, code: &Code, reg: Reg) -> bool {
        let mut writes = false;
        for pc in &self.head {
            code.accesses(&code.instrs[*pc as usize], &mut |access| {
                writes |=
                    access.role == Role::Result && (access.first..access.first + access.count).contains(&reg);
            });
        }
        writes
    }

    /// One round, beginning at the head.
    fn round(&self, pool: &mut Pool, code: &Code, now: &Frame, values: &[u64]) -> Option<Round> {
        let guard = self.head.iter().rev().find_map(|pc| match code.instrs[*pc as usize] {
            Instr::Ult { dst, a, b } if dst == self.condition => Some((a, b, false, 64)),
            Instr::Slt32 { dst, a, b } if dst == self.condition => Some((a, b, true, 32)),
            Instr::Slt64 { dst, a, b } if dst == self.condition => Some((a, b, true, 64)),
            _ => None,
        });
        let (counter, limit, signed, guard_bits) = guard?;
        if !self.carried.contains(&counter) {
            return None;
        }
        let current = Registers { frame: Some(now), values };
        let mut frame = now.clone();
        let mut variables = FxHashMap::default();
        for reg in &self.carried {
            let narrow = match current.term(*reg) {
                Some(term) => fits(pool, term, 32),
                None => u32::try_from(current.value(*reg)).is_ok(),
            };
            let wide = self.is_wide(code, *reg);
            let bits = if wide { 64 } else { 32 };
            if !wide && !narrow {
                return None;
            }
            let variable = pool.var(&format!("(round) {reg}"), Sort::Bits(bits));
            variables.insert(*reg, variable);
            frame.set(*reg, Some(variable));
        }
        self.execute(pool, code, &self.head, &mut frame, values, counter)?;
        let at_branch = frame.clone();
        self.execute(pool, code, &self.body, &mut frame, values, counter)?;
        let own = variables[&counter];
        let bits = pool.width(own);
        let seen = Registers { frame: Some(&at_branch), values };
        let limit = match signed && guard_bits != bits {
            true => return None,
            false => seen.read(pool, limit, guard_bits),
        };
        // An unsigned comparison is of whole registers: the limit must be as narrow as the counter.
        let limit = match pool.range(limit).1 >> bits {
            0 => pool.resize_unsigned(limit, bits),
            _ => return None,
        };
        let free = |pool: &Pool, term: Term| {
            !pool.variables(&[term]).iter().any(|one| variables.values().any(|own| own == one))
        };
        let one = pool.bits(bits, 1);
        let next = pool.add(own, one);
        let after = frame.get(counter).filter(|term| fits(pool, *term, bits))?;
        let grows = pool.resize_unsigned(after, bits) == next;
        if !grows || !free(pool, limit) {
            return None;
        }
        Some(Round { variables, at_branch, at_end: frame, counter, limit, signed })
    }

    /// Whether a register is changed as a number of 64 bits.
    fn is_wide(&self, code: &Code, reg: Reg) -> bool {
        self.body.iter().any(|pc| {
            matches!(code.instrs[*pc as usize],
                Instr::Add64 { dst, .. } | Instr::AddS64 { dst, .. } | Instr::Sub64 { dst, .. } | Instr::Move { dst, .. } if dst == reg)
        })
    }

    /// Executes a stretch on terms. Only the counter's own step may have a condition: below the limit there is always a next number.
    fn execute(
        &self,
        pool: &mut Pool,
        code: &Code,
        stretch: &[Pc],
        frame: &mut Frame,
        values: &[u64],
        counter: Reg,
    ) -> Option<()> {
        for pc in stretch {
            let instr = &code.instrs[*pc as usize];
            if matches!(instr, Instr::Jump { .. }) {
                continue;
            }
            if loads(instr) {
                // Nothing is stored in the loop: what was read on the way to the branch is read every time.
                if !self.head.contains(pc) {
                    return None;
                }
                continue;
            }
            let (dst, value, fine) = match meaning(pool, instr, &Registers { frame: Some(frame), values }) {
                Meaning::Value(dst, value, fine) => (dst, value, fine),
                Meaning::Unknown(_) => return None,
            };
            if fine.is_some_and(|fine| pool.as_bool(fine) != Some(true)) && dst != counter {
                return None;
            }
            frame.set(dst, Some(value));
        }
        Some(())
    }
}

/// By how much a variable grows in a round: so many times the counter, and so much.
struct Growth {
    times: Term,
    plus: Term,
}

/// The growth of a register that is not the counter, if it is one.
fn growth(pool: &mut Pool, round: &Round, reg: Reg) -> Option<Growth> {
    let (variable, own) = (round.variables[&reg], round.variables[&round.counter]);
    let bits = pool.width(variable);
    let end = round.at_end.get(reg)?;
    if !fits(pool, end, bits) {
        return None;
    }
    let end = pool.resize_unsigned(end, bits);
    let delta = pool.sub(end, variable);
    let at = |pool: &mut Pool, value: u128| {
        let constant = pool.bits(pool.width(own), value);
        pool.substitute(delta, &[(own, constant)].into_iter().collect())
    };
    let (plus, with_one) = (at(pool, 0), at(pool, 1));
    let times = pool.sub(with_one, plus);
    let counter = widened(pool, own, bits, round.signed)?;
    let product = pool.mul(times, counter);
    let linear = pool.add(product, plus);
    let carried = |pool: &Pool, term: Term| {
        pool.variables(&[term]).iter().any(|one| round.variables.values().any(|own| own == one))
    };
    (linear == delta && !carried(pool, times) && !carried(pool, plus)).then_some(Growth { times, plus })
}

/// Whether a value has no more than so many bits.
fn fits(pool: &Pool, term: Term, bits: u32) -> bool {
    pool.width(term) <= bits || pool.range(term).1 >> bits == 0
}

/// The counter in the width of a variable that grows with it.
fn widened(pool: &mut Pool, counter: Term, bits: u32, signed: bool) -> Option<Term> {
    match pool.width(counter) {
        own if own == bits => Some(counter),
        own if own < bits && signed => Some(pool.sext(counter, bits)),
        own if own < bits => Some(pool.zext(counter, bits)),
        _ => None,
    }
}

/// What a variable is behind so many rounds.
fn grown(pool: &mut Pool, round: &Round, growth: &Growth, (now, first, rounds): (Term, Term, Term)) -> Term {
    let bits = pool.width(now);
    let first = widened(pool, first, bits, round.signed).unwrap_or(first);
    let count = pool.resize_unsigned(rounds, bits);
    // The half of k(k-1) needs a bit more than the result has, and a number of rounds is never negative.
    let double = (2 * bits.max(pool.width(rounds))).min(128);
    let (wide, one) = (pool.zext(rounds, double), pool.bits(double, 1));
    let less = pool.sub(wide, one);
    let product = pool.mul(wide, less);
    let half = pool.lshr(product, one);
    let pairs = pool.resize_unsigned(half, bits);
    let slope = pool.mul(growth.times, first);
    let each = pool.add(slope, growth.plus);
    let straight = pool.mul(count, each);
    let curved = pool.mul(growth.times, pairs);
    let sum = pool.add(straight, curved);
    pool.add(now, sum)
}
