//! Which object an address leads into: a local one, a variable of the program, a block of the heap that was made or freed in the region.
//!
//! Blocks have lives: a block begins where it is made and ends where it is freed, under the conditions of these instructions. Since nothing in a region is
//! executed twice, that is all there is to be known of them.

use crate::region::Region;
use hydrogen_ir::{CastOp, Const, ConstExpr, Op, Operand};
use hydrogen_library::{Clause, Factor, Library, Sum};
use hydrogen_sym::{
    check::Asks,
    context::{ADDRESSES, FIRST_PAGE},
    state::{Origin, Value},
};
use hydrogen_term::{Op as TermOp, Pool, Sort, Term};

/// Numbers of bytes are computed in so many bits, where products of two sizes do not wrap.
pub(crate) const WIDE: u32 = 128;
/// Choices inside of choices that an address is taken apart into.
const MOST_CASES: usize = 16;

/// What gives memory back to the heap.
pub(crate) const FREEING: [&str; 3] = ["free", "realloc", "reallocarray"];

/// A block that is made in the region.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    /// Its address, or null.
    pub base: Term,
    /// Its bytes in [`WIDE`] bits, where that is known.
    pub bytes: Option<Term>,
    /// Whether it is never null.
    sure: bool,
}

/// A block that is freed in the region.
#[derive(Debug, Clone)]
pub(crate) struct Freed {
    /// What was given.
    pub pointer: Term,
    /// When it is freed.
    pub when: Term,
    /// The place of the call among the region's checks.
    pub at: usize,
}

/// Where an address leads.
#[derive(Debug, Clone)]
pub(crate) enum Lead {
    /// Into an object of this size, so many bytes from its beginning, whose life does not end in the region.
    Into { offset: Term, bytes: u64 },
    /// Into a block of the heap.
    Block { offset: Term, bytes: Option<Term>, base: Term },
    /// Nowhere: it is null.
    Null,
    /// It is not known.
    Elsewhere,
}

/// The blocks that are made in the region.
pub(crate) fn blocks(region: &mut Region) -> Vec<Block> {
    let mut found = Vec::new();
    for check in region.checks.clone() {
        let Asks::Calls { name, defined: false, arguments, result: Some(Value::Bits(base, _)) } = check.asks
        else {
            continue;
        };
        let Some(contract) = Library::standard().contract(&name) else { continue };
        for clause in &contract.clauses {
            if let Clause::New { bytes, sure, .. } = clause {
                let bytes = size(&mut region.context.pool, bytes, &arguments);
                found.push(Block { base, bytes, sure: *sure });
            }
        }
    }
    found
}

/// What is freed in the region.
pub(crate) fn freed(region: &mut Region) -> Vec<Freed> {
    let mut found = Vec::new();
    for (at, check) in region.checks.clone().into_iter().enumerate() {
        let Asks::Calls { name, defined: false, arguments, result } = check.asks else { continue };
        let Some(Value::Bits(pointer, None)) = arguments.first().filter(|_| FREEING.contains(&name.as_str()))
        else {
            continue;
        };
        let pool = &mut region.context.pool;
        let is_there = is_not_null(pool, *pointer);
        // Where there is no room for more, the block stays as it is.
        let moved = match (name.as_str(), result) {
            ("free", _) => pool.bool(true),
            (_, Some(Value::Bits(result, _))) => is_not_null(pool, result),
            _ => pool.bool(false),
        };
        let when = pool.and_all([check.when, is_there, moved]);
        found.push(Freed { pointer: *pointer, when, at });
    }
    found
}

/// What is known of blocks: null, or an address that a program can have.
pub(crate) fn facts(region: &mut Region) -> Vec<Term> {
    let blocks = blocks(region);
    let pool = &mut region.context.pool;
    let fact = |block: Block| {
        let (first, end) = (pool.bits(64, FIRST_PAGE), pool.bits(64, ADDRESSES));
        let (above, below) = (pool.uge(block.base, first), pool.ult(block.base, end));
        let is_address = pool.and(above, below);
        let zero = pool.bits(64, 0);
        let is_null = pool.eq(block.base, zero);
        if block.sure { is_address } else { pool.or(is_null, is_address) }
    };
    blocks.into_iter().map(fact).collect()
}

pub(crate) fn is_not_null(pool: &mut Pool, pointer: Term) -> Term {
    let zero = pool.bits(64, 0);
    let is_null = pool.eq(pointer, zero);
    pool.not(is_null)
}

/// A number of a contract in [`WIDE`] bits, where it is made of arguments and numbers alone.
pub(crate) fn size(pool: &mut Pool, sum: &Sum, arguments: &[Value]) -> Option<Term> {
    let mut total = pool.bits(WIDE, 0);
    for product in sum {
        let mut one = pool.bits(WIDE, 1);
        for factor in product {
            let factor = match factor {
                Factor::Number(number) => pool.bits(WIDE, u128::from(u64::try_from(*number).ok()?)),
                Factor::Parameter(at) => match arguments.get(*at)? {
                    Value::Bits(term, _) if matches!(pool.sort(*term), Sort::Bits(..=64)) => {
                        pool.zext(*term, WIDE)
                    }
                    _ => return None,
                },
                Factor::Length(_) | Factor::Any => return None,
            };
            one = pool.mul(one, factor);
        }
        total = pool.add(total, one);
    }
    Some(total)
}

/// The pointer that an address was computed of, without the steps to members and elements.
pub(crate) fn root(region: &Region, operand: &Operand) -> Operand {
    let mut operand = operand.clone();
    loop {
        let next = match &operand {
            Operand::Instruction(id) => match region.op(*id) {
                Some(Op::ElementAddress { base, .. }) => base.clone(),
                Some(Op::Cast { op: CastOp::BitCast, value, .. } | Op::Freeze { value }) => value.clone(),
                _ => return operand,
            },
            Operand::Const(id) => match region.statement.module.constant(*id) {
                Const::Expr { expr: ConstExpr::ElementAddress { base, .. }, .. } => Operand::Const(*base),
                Const::Expr { expr: ConstExpr::Cast(CastOp::BitCast, base), .. } => Operand::Const(*base),
                _ => return operand,
            },
            _ => return operand,
        };
        operand = next;
    }
}

/// Where an address leads that was computed of a pointer, by cases.
pub(crate) fn leads(region: &mut Region, root: &Value, address: Term) -> Vec<(Term, Lead)> {
    let Value::Bits(pointer, origin) = *root else {
        return vec![(region.context.pool.bool(true), Lead::Elsewhere)];
    };
    let always = region.context.pool.bool(true);
    let into = |region: &mut Region, base: u64, bytes: u64| {
        let base = region.context.word(base);
        Lead::Into { offset: region.context.pool.sub(address, base), bytes }
    };
    match origin {
        Some(Origin::Local(number)) => {
            let object = region.objects.values().find(|(at, _, _)| *at == number).copied();
            let lead = object.map_or(Lead::Elsewhere, |(_, base, bytes)| into(region, base, bytes));
            return vec![(always, lead)];
        }
        Some(Origin::Table(number)) => {
            let table = &region.context.tables[number as usize];
            let (base, bytes) = (table.address, table.bytes);
            return vec![(always, into(region, base, bytes))];
        }
        None => {}
    }
    let blocks = blocks(region);
    let moved = region.context.pool.sub(address, pointer);
    let mut found = Vec::new();
    for (when, leaf) in cases(&mut region.context.pool, pointer) {
        let pool = &mut region.context.pool;
        let lead = match pool.as_bits(leaf) {
            Some(0) => Lead::Null,
            Some(bits) => {
                let holds = |(begin, size): &&(u64, u64)| {
                    u64::try_from(bits).is_ok_and(|bits| bits >= *begin && bits - begin <= *size)
                };
                match region.context.variables.iter().find(holds).copied() {
                    Some((begin, size)) => {
                        let begin = region.context.word(begin);
                        let pool = &mut region.context.pool;
                        let here = pool.add(leaf, moved);
                        Lead::Into { offset: pool.sub(here, begin), bytes: size }
                    }
                    None => Lead::Elsewhere,
                }
            }
            None => {
                let here = pool.add(leaf, moved);
                let block = blocks.iter().find(|block| distance(pool, leaf, block.base).is_some());
                match block {
                    Some(block) => Lead::Block {
                        offset: pool.sub(here, block.base),
                        bytes: block.bytes,
                        base: block.base,
                    },
                    None => Lead::Elsewhere,
                }
            }
        };
        found.push((when, lead));
    }
    found
}

/// When a pointer leads into what another one led into: both were made of the same address.
pub(crate) fn same_object(pool: &mut Pool, one: Term, other: Term) -> Term {
    let mut found = Vec::new();
    for (when, leaf) in cases(pool, one) {
        for (also, freed) in cases(pool, other) {
            if pool.as_bits(leaf).is_none() && distance(pool, leaf, freed).is_some() {
                found.push(pool.and(when, also));
            }
        }
    }
    pool.or_all(found)
}

/// How far an address is from another one that it was made of; none where it is not seen to be.
fn distance(pool: &mut Pool, address: Term, from: Term) -> Option<Term> {
    if pool.as_bits(from).is_some() {
        return None;
    }
    let distance = pool.sub(address, from);
    if pool.as_bits(distance).is_some() {
        return Some(distance);
    }
    let of_from = pool.variables(&[from]);
    let of_distance = pool.variables(&[distance]);
    of_distance.iter().all(|variable| !of_from.contains(variable)).then_some(distance)
}

/// The values of a term that is a choice, each with its condition.
fn cases(pool: &mut Pool, term: Term) -> Vec<(Term, Term)> {
    let always = pool.bool(true);
    let (mut found, mut open) = (Vec::new(), vec![(always, term)]);
    while let Some((when, term)) = open.pop() {
        match (pool.op(term), pool.args(term)) {
            (TermOp::Ite, &[condition, then, otherwise]) if found.len() + open.len() < MOST_CASES => {
                let denied = pool.not(condition);
                let (first, second) = (pool.and(when, condition), pool.and(when, denied));
                open.extend([(first, then), (second, otherwise)]);
            }
            _ => found.push((when, term)),
        }
    }
    found
}
