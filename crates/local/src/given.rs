//! What functions of the library need of what they are given, by their contracts.

use crate::{
    faults::{Access, Faults, accessed},
    origin::{FREEING, Lead, is_not_null, leads, same_object, size},
    region::Region,
};
use hydrogen_evidence::Class;
use hydrogen_library::{Clause, Library, Sum};
use hydrogen_sym::{context::FIRST_PAGE, state::Value};
use hydrogen_term::Term;

/// What can go wrong with a call of a function that has a contract.
pub(crate) fn given(
    region: &mut Region,
    faults: &mut Faults,
    at: usize,
    when: Term,
    name: &str,
    arguments: &[Value],
) {
    let Some(contract) = Library::standard().contract(name) else { return };
    // Texts may be without an end, copies may overlap, and what the library does with what it was given is its own.
    faults.open(&[Class::Overflow, Class::UseAfterFree, Class::DoubleFree]);
    if Library::standard().format(name).is_some() || name.contains("printf") || name.contains("scanf") {
        faults.open(&[Class::Null]);
    }
    if FREEING.contains(&name) {
        ended(region, faults, at, when, arguments);
    }
    for clause in &contract.clauses {
        match clause {
            Clause::Reads(pointer, bytes)
            | Clause::Writes(pointer, bytes)
            | Clause::Fills(pointer, bytes, _)
            | Clause::Looks(pointer, bytes) => {
                let whole = !matches!(clause, Clause::Looks(..));
                touched(
                    region,
                    faults,
                    &Touch { at, when, pointer: *pointer, bytes: Some(bytes), whole },
                    arguments,
                );
            }
            Clause::Copies(to, from, bytes) => {
                for pointer in [to, from] {
                    let touch = Touch { at, when, pointer: *pointer, bytes: Some(bytes), whole: true };
                    touched(region, faults, &touch, arguments);
                }
            }
            Clause::Text(pointer) => {
                touched(
                    region,
                    faults,
                    &Touch { at, when, pointer: *pointer, bytes: None, whole: false },
                    arguments,
                );
            }
            // It is said to go wrong, whatever a run does.
            Clause::Needs(pointer) => match arguments.get(*pointer) {
                Some(Value::Bits(pointer, None)) => {
                    let pool = &mut region.context.pool;
                    let first = pool.bits(64, FIRST_PAGE);
                    let is_near = pool.ult(*pointer, first);
                    let when = pool.and(when, is_near);
                    faults.may_fail(region, Class::Null, when);
                }
                Some(_) => {}
                None => faults.open(&[Class::Null]),
            },
            _ => {}
        }
    }
}

/// Memory behind an argument that is used.
struct Touch<'c> {
    at: usize,
    when: Term,
    pointer: usize,
    /// How many bytes; at least one where that is not said.
    bytes: Option<&'c Sum>,
    /// Whether all of them are.
    whole: bool,
}

fn touched(region: &mut Region, faults: &mut Faults, touch: &Touch, arguments: &[Value]) {
    let Some(pointer) = arguments.get(touch.pointer).cloned() else { return faults.open(&[Class::Null]) };
    let pool = &mut region.context.pool;
    let one = pool.bits(crate::origin::WIDE, 1);
    let bytes = match touch.bytes.map(|sum| size(pool, sum, arguments)) {
        // Of so many bytes, the first at least is looked at if there is one.
        Some(Some(bytes)) if !touch.whole => {
            let zero = pool.bits(crate::origin::WIDE, 0);
            let is_none = pool.eq(bytes, zero);
            pool.ite(is_none, zero, one)
        }
        Some(Some(bytes)) => bytes,
        Some(None) => {
            if let Value::Bits(pointer, None) = pointer {
                let first = pool.bits(64, FIRST_PAGE);
                let is_near = pool.ult(pointer, first);
                let when = pool.and(touch.when, is_near);
                faults.may_fail(region, Class::Null, when);
            }
            return;
        }
        None => one,
    };
    let of = pointer.clone();
    let access = Access { at: touch.at, when: touch.when, of, is_direct: false, address: pointer, bytes };
    accessed(region, faults, &access);
}

/// What cannot be freed: what is no block, the middle of one, and what was freed before.
fn ended(region: &mut Region, faults: &mut Faults, at: usize, when: Term, arguments: &[Value]) {
    let Some(Value::Bits(pointer, origin)) = arguments.first().cloned() else { return };
    let is_there = is_not_null(&mut region.context.pool, pointer);
    let when = region.context.pool.and(when, is_there);
    for (case, lead) in leads(region, &Value::Bits(pointer, origin), pointer) {
        let pool = &mut region.context.pool;
        let when = pool.and(when, case);
        match lead {
            Lead::Into { .. } => faults.fails(region, Class::DoubleFree, when),
            Lead::Block { offset, base, .. } => {
                let zero = pool.bits(64, 0);
                let is_begin = pool.eq(offset, zero);
                let is_inside = pool.not(is_begin);
                let is_made = is_not_null(pool, base);
                let when = pool.and_all([when, is_inside, is_made]);
                faults.fails(region, Class::DoubleFree, when);
            }
            Lead::Null | Lead::Elsewhere => {}
        }
    }
    for freed in faults.freed.clone().into_iter().filter(|freed| freed.at < at) {
        let pool = &mut region.context.pool;
        let same = same_object(pool, pointer, freed.pointer);
        let when = pool.and_all([when, freed.when, same]);
        faults.fails(region, Class::DoubleFree, when);
    }
}
