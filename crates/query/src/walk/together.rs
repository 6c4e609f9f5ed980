//! Numbers of a loop that move together: one goes up while the other goes down, or twice as far.

use crate::meaning::eval::Eval;
use crate::meaning::shape::{Shape, Spot, StepId};
use crate::meaning::state::Value;
use crate::walk::guesses::Guess;
use crate::walk::mods::{counters, moved};
use crate::walk::{Analyst, Frame};
use hydrogen_ir::{BinaryOp, Const, InstructionId, Op, Operand};
use hydrogen_term::{Sort, Term};
use std::collections::BTreeSet;

/// Pairs of numbers that are looked at for one loop.
const MOST_PAIRS: usize = 10;
/// Rounds of an inner loop that are tried as the way that a number goes in one round of the outer one.
const MOST_FACTORS: usize = 3;
/// The longest way in one round.
const FARTHEST: u64 = 1 << 16;

/// A number that a loop moves.
#[derive(Clone, Copy)]
struct Mover {
    number: Term,
    width: u32,
    signed: bool,
    /// How far at most at once, where that is by constants.
    most: Option<u64>,
    up: bool,
    /// What it is set to outside of the loop, where that is one constant.
    begins: Option<i128>,
    /// Whether a loop inside of this one moves it.
    inside: bool,
}

impl Analyst<'_> {
    /// Guesses about pairs of numbers that a loop moves.
    pub(super) fn moving_together(
        &mut self,
        frame: &Frame,
        head: Spot,
        shape: &Shape,
        body: &[StepId],
    ) -> Vec<Guess> {
        let place = Self::place(frame, head, 0);
        let mut movers = Vec::new();
        for (slot, _) in counters(shape, body) {
            movers.extend(self.mover(frame, shape, body, slot));
        }
        let factors = factors(shape, body);
        let fixed = self.fixed(frame, shape, body);
        let (mut guesses, mut pairs) = (Vec::new(), 0);
        guesses.extend(fixed);
        for &mover in &movers {
            self.one_way(&place, mover, &mut guesses);
        }
        self.three(&place, &movers, &mut guesses);
        for (at, &first) in movers.iter().enumerate() {
            for &second in &movers[at + 1..] {
                if pairs == MOST_PAIRS {
                    return guesses;
                }
                pairs += 1;
                self.pair(&place, (first, second), &factors, &mut guesses);
            }
        }
        guesses
    }

    /// That numbers which the loop reads and never sets are the constants that they are set to.
    fn fixed(&mut self, frame: &Frame, shape: &Shape, body: &[StepId]) -> Vec<Guess> {
        let set = counters(shape, body);
        let mut read = BTreeSet::new();
        for &id in body.iter().flat_map(|&step| &shape.steps[step].instructions) {
            if let Op::Load { pointer: Operand::Instruction(slot), .. } = shape.op(id)
                && shape.plain.contains_key(slot)
                && !set.contains_key(slot)
            {
                read.insert(*slot);
            }
        }
        let mut guesses = Vec::new();
        for slot in read {
            if let Some(Mover { number, width, begins: Some(begins), .. }) =
                self.mover(frame, shape, body, slot)
            {
                let constant = self.terms.pool.signed_bits(width, begins);
                guesses.push(Guess::of(self.terms.pool.eq(number, constant)));
            }
        }
        guesses
    }

    /// That a number does not come back behind where it began, and keeps to its steps.
    fn one_way(&mut self, place: &str, mover: Mover, guesses: &mut Vec<Guess>) {
        let Mover { number, width, .. } = mover;
        let pool = &mut self.terms.pool;
        if let Some(begins) = mover.begins {
            let began = pool.signed_bits(width, begins);
            if mover.most.is_none() || mover.up {
                guesses.push(Guess::of(pool.sle(began, number)));
            }
            if mover.most.is_none() || !mover.up {
                guesses.push(Guess::of(pool.sle(number, began)));
            }
            if let Some(most @ 2..) = mover.most
                && !most.is_power_of_two()
            {
                let (way, most) = (pool.sub(number, began), pool.bits(width, most.into()));
                let (over, zero) = (pool.urem(way, most), pool.bits(width, 0));
                guesses.push(Guess::of(pool.eq(over, zero)));
            }
        }
        // Signed numbers that go by constants are known not to wrap, and pointers likewise.
        if mover.signed && mover.most.is_some() {
            return;
        }
        let measured = pool.var(&format!("{place} began with {}", guesses.len()), Sort::Bits(width));
        let since = Some((measured, number));
        if mover.most.is_none() || mover.up {
            guesses.push(Guess { since, ..Guess::of(pool.ule(measured, number)) });
        }
        if mover.most.is_none() || !mover.up {
            guesses.push(Guess { since, ..Guess::of(pool.ule(number, measured)) });
        }
    }

    /// That one of three numbers goes as far as the two others together.
    fn three(&mut self, place: &str, movers: &[Mover], guesses: &mut Vec<Guess>) {
        let same = |one: &&Mover| one.most.is_some() && one.most == movers[0].most && one.up == movers[0].up;
        let [one, two, three] = movers.iter().filter(same).copied().collect::<Vec<_>>()[..] else { return };
        if one.width != two.width || two.width != three.width {
            return;
        }
        for (whole, part, other) in [(one, two, three), (two, one, three), (three, one, two)] {
            let pool = &mut self.terms.pool;
            let parts = pool.add(part.number, other.number);
            let measure = pool.sub(whole.number, parts);
            let name = format!("{place} entered with {}", guesses.len());
            let measured = pool.var(&name, Sort::Bits(whole.width));
            let holds = pool.eq(measure, measured);
            guesses.push(Guess { since: Some((measured, measure)), ..Guess::of(holds) });
        }
    }

    fn pair(
        &mut self,
        place: &str,
        (first, second): (Mover, Mover),
        factors: &BTreeSet<u64>,
        guesses: &mut Vec<Guess>,
    ) {
        let both = first.most.zip(second.most);
        let (ahead, behind) = match both {
            Some((one, other)) => {
                let common = divisor(one, other);
                (other / common, one / common)
            }
            None => (1, 1),
        };
        let known = both.is_some();
        for apart in [true, false] {
            // Both the same way: how far they are apart stays. Against each other: their sum does.
            if known && apart != (first.up == second.up) {
                continue;
            }
            self.since_entered(place, (first, ahead), (second, behind), apart, guesses);
            self.since_begun((first, ahead), (second, behind), apart, true, guesses);
        }
        // What an inner loop moves goes as far in every round as the inner loop has rounds.
        if first.inside != second.inside {
            let (inner, outer) = if first.inside { (first, second) } else { (second, first) };
            for &factor in factors.iter().take(MOST_FACTORS) {
                let apart = inner.up == outer.up;
                self.since_entered(place, (inner, 1), (outer, factor), apart, guesses);
                self.since_begun((inner, 1), (outer, factor), apart, false, guesses);
            }
        }
    }

    /// That a sum is what it was when the loop was entered. It is computed as the numbers are, so that a wrap changes nothing.
    fn since_entered(
        &mut self,
        place: &str,
        first: (Mover, u64),
        second: (Mover, u64),
        apart: bool,
        guesses: &mut Vec<Guess>,
    ) {
        let width = first.0.width.max(second.0.width);
        let measure = self.sum(first, second, apart, width);
        let name = format!("{place} entered with {}", guesses.len());
        let measured = self.terms.pool.var(&name, Sort::Bits(width));
        let holds = self.terms.pool.eq(measure, measured);
        guesses.push(Guess { since: Some((measured, measure)), ..Guess::of(holds) });
    }

    /// That a sum is what it is where both begin with constants, or does not become smaller or larger.
    fn since_begun(
        &mut self,
        (first, ahead): (Mover, u64),
        (second, behind): (Mover, u64),
        apart: bool,
        bounds: bool,
        guesses: &mut Vec<Guess>,
    ) {
        let (Some(begins), Some(other)) = (first.begins, second.begins) else { return };
        let (begins, other) = (begins * i128::from(ahead), other * i128::from(behind));
        let sum = self.sum((first, ahead), (second, behind), apart, 64);
        let pool = &mut self.terms.pool;
        let began = pool.signed_bits(64, if apart { begins - other } else { begins + other });
        guesses.push(Guess::of(pool.eq(sum, began)));
        if bounds {
            guesses.push(Guess::of(pool.sle(sum, began)));
            guesses.push(Guess::of(pool.sle(began, sum)));
        }
    }

    fn sum(
        &mut self,
        (first, ahead): (Mover, u64),
        (second, behind): (Mover, u64),
        apart: bool,
        width: u32,
    ) -> Term {
        let mut part = |mover: Mover, times: u64| {
            let pool = &mut self.terms.pool;
            let wide =
                if mover.signed { pool.sext(mover.number, width) } else { pool.zext(mover.number, width) };
            let times = pool.bits(width, times.into());
            pool.mul(wide, times)
        };
        let (first, second) = (part(first, ahead), part(second, behind));
        match apart {
            true => self.terms.pool.sub(first, second),
            false => self.terms.pool.add(first, second),
        }
    }

    fn mover(&mut self, frame: &Frame, shape: &Shape, body: &[StepId], slot: InstructionId) -> Option<Mover> {
        let (number, pointer) = match Eval::new(&mut self.terms, shape, &frame.prefix, 0).slot(slot)? {
            Value::Int(number) => (number, false),
            Value::Pointer(_, offset) => (offset, true),
            Value::Opaque => return None,
        };
        let width = self.terms.pool.width(number);
        if !(32..=64).contains(&width) {
            return None;
        }
        let address = Operand::Instruction(slot);
        let (mut most, mut ups, mut signed, mut inside) = (Some(0), BTreeSet::new(), pointer, false);
        let mut begins: BTreeSet<Option<i128>> = BTreeSet::new();
        for (step, run) in shape.steps.iter().enumerate() {
            for &id in &run.instructions {
                let Op::Store { value, pointer, .. } = shape.op(id) else { continue };
                if *pointer != address {
                    continue;
                }
                if body.binary_search(&step).is_err() {
                    begins.insert(self.constant_stored(frame, shape, value));
                    continue;
                }
                inside |= is_in_inner_loop(shape, body, step);
                signed |= is_signed(shape, value);
                let how = moved(shape, value, &address);
                ups.extend(how.map(|how| how.up));
                most = most.zip(how).map(|(most, how): (u64, _)| most.max(how.amount));
            }
        }
        let scale = if pointer { self.pointer_scale(shape, body, &address) } else { 1 };
        let most = most.map(|most| most.saturating_mul(scale)).filter(|most| (1..FARTHEST).contains(most));
        let begins = match begins.into_iter().collect::<Vec<_>>()[..] {
            [Some(only)] => Some(only),
            _ => None,
        };
        let one_way = ups.len() == 1;
        let up = ups.first().copied().unwrap_or(true);
        Some(Mover { number, width, signed, most: most.filter(|_| one_way), up, begins, inside })
    }

    /// How many bytes a step of a pointer is.
    fn pointer_scale(&self, shape: &Shape, body: &[StepId], address: &Operand) -> u64 {
        let mut all = body.iter().flat_map(|&step| &shape.steps[step].instructions);
        let scale = all.find_map(|&id| {
            let Op::Store { value: Operand::Instruction(value), pointer, .. } = shape.op(id) else {
                return None;
            };
            match shape.op(*value) {
                Op::ElementAddress { source, .. } if pointer == address => {
                    Some(shape.module.types.layout(*source)?.alloc_bytes)
                }
                _ => None,
            }
        });
        scale.unwrap_or(1)
    }

    /// The constant that a store puts into a number, or where in its object it lets a pointer begin.
    fn constant_stored(&mut self, frame: &Frame, shape: &Shape, value: &Operand) -> Option<i128> {
        let mut eval = Eval::new(&mut self.terms, shape, &frame.prefix, 0);
        let value = match value {
            Operand::Instruction(id) if matches!(shape.op(*id), Op::ElementAddress { .. }) => {
                let Op::ElementAddress { source, base, indices, .. } = shape.op(*id) else { return None };
                eval.element(*id, *source, base, indices)
            }
            _ => eval.operand(value),
        };
        match value {
            Value::Int(term) | Value::Pointer(_, term) => self.terms.pool.as_signed(term),
            Value::Opaque => None,
        }
    }
}

/// Whether what is stored was computed as a signed number.
fn is_signed(shape: &Shape, value: &Operand) -> bool {
    let Operand::Instruction(id) = value else { return false };
    matches!(shape.op(*id), Op::Binary { op: BinaryOp::Add | BinaryOp::Sub, flags, .. } if flags.nsw)
}

fn is_in_inner_loop(shape: &Shape, body: &[StepId], step: StepId) -> bool {
    let mut all = shape.loops.all().iter();
    all.any(|one| {
        one.body.len() < body.len()
            && body.binary_search(&one.header).is_ok()
            && one.body.binary_search(&step).is_ok()
    })
}

/// Small constants that the loop compares something with.
fn factors(shape: &Shape, body: &[StepId]) -> BTreeSet<u64> {
    let mut found = BTreeSet::new();
    for &id in body.iter().flat_map(|&step| &shape.steps[step].instructions) {
        let Op::IntCompare { left, right, .. } = shape.op(id) else { continue };
        for side in [left, right] {
            if let Operand::Const(id) = side
                && let Const::Int { bits: bits @ 2..=64, .. } = shape.module.constant(*id)
            {
                found.extend(u64::try_from(*bits).ok());
            }
        }
    }
    found
}

fn divisor(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one.max(1)
}
