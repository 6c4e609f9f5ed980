//! When a statement fails, by class of fault: by what its instructions ask.

use crate::{
    Condition,
    given::given,
    origin::{Freed, Lead, WIDE, freed, leads, root, same_object},
    region::Region,
};
use hydrogen_evidence::Class;
use hydrogen_ir::{Op, Operand, Type};
use hydrogen_library::Library;
use hydrogen_sym::{check::Asks, context::FIRST_PAGE, state::Value};
use hydrogen_term::{Sort, Term};
use std::collections::BTreeMap;

/// The classes that are followed.
const CLASSES: [Class; 7] = [
    Class::Overflow,
    Class::Null,
    Class::UseAfterFree,
    Class::DoubleFree,
    Class::SignedOverflow,
    Class::Division,
    Class::Shift,
];
/// Those that are about memory.
const OF_MEMORY: [Class; 4] = [Class::Overflow, Class::Null, Class::UseAfterFree, Class::DoubleFree];

/// What is known so far of every class.
pub(crate) struct Faults {
    found: BTreeMap<Class, Condition>,
    /// What was freed in the region.
    pub freed: Vec<Freed>,
}

impl Faults {
    /// It fails where this holds.
    pub fn fails(&mut self, region: &mut Region, class: Class, when: Term) {
        let Some(condition) = self.found.get_mut(&class) else { return };
        let pool = &mut region.context.pool;
        condition.fails = pool.or(condition.fails, when);
        condition.may = condition.may.map(|may| pool.or(may, when));
    }

    /// It may fail where this holds, as far as is known.
    pub fn may_fail(&mut self, region: &mut Region, class: Class, when: Term) {
        let Some(condition) = self.found.get_mut(&class) else { return };
        condition.may = condition.may.map(|may| region.context.pool.or(may, when));
    }

    /// It may fail, and when is not followed.
    pub fn open(&mut self, classes: &[Class]) {
        for class in classes {
            if let Some(condition) = self.found.get_mut(class) {
                condition.may = None;
            }
        }
    }
}

/// The conditions of a statement.
pub(crate) fn conditions(region: &mut Region) -> BTreeMap<Class, Condition> {
    let never = region.context.pool.bool(false);
    let found = CLASSES.map(|class| (class, Condition { fails: never, may: Some(never) })).into();
    let mut faults = Faults { found, freed: freed(region) };
    if region.enters() {
        // What goes wrong inside of a callee is not looked at here.
        faults.open(&CLASSES);
    }
    let checks = region.checks.clone();
    for (at, check) in checks.into_iter().enumerate() {
        if check.frame != 0 || !region.statement.instructions.contains(&check.id) {
            continue;
        }
        match check.asks {
            Asks::Fails {
                class: class @ (Class::SignedOverflow | Class::Division | Class::Shift),
                condition,
            } => {
                let when = region.context.pool.and(check.when, condition);
                faults.fails(region, class, when);
            }
            // Memory is looked at below, by what is accessed.
            Asks::Fails { class, .. } if OF_MEMORY.contains(&class) => {}
            Asks::Fails { class, .. } => faults.open(&[class]),
            Asks::Accesses { address, bytes, writes } => {
                let pointer = match region.op(check.id) {
                    Some(Op::Load { pointer, .. } | Op::Store { pointer, .. }) => Some(pointer.clone()),
                    _ => None,
                };
                let root = pointer.as_ref().map(|pointer| root(region, pointer));
                let is_direct = matches!(&root, Some(Operand::Const(_)))
                    || matches!(&root, Some(Operand::Instruction(id)) if region.objects.contains_key(id));
                let of = root.and_then(|root| region.value(&root)).unwrap_or_else(|| address.clone());
                let bytes = region.context.pool.bits(WIDE, u128::from(bytes));
                accessed(
                    region,
                    &mut faults,
                    &Access { at, when: check.when, of, is_direct, address, bytes },
                );
                if let Some(pointer) = pointer {
                    let when = leaves_a_part(region, &pointer);
                    match when {
                        Some(when) => {
                            let when = region.context.pool.and(check.when, when);
                            faults.may_fail(region, Class::Overflow, when);
                        }
                        None => faults.open(&[Class::Overflow]),
                    }
                }
                // Constants are not written.
                if writes {
                    faults.may_be_constant(region, check.id);
                }
            }
            Asks::Calls { name, defined, arguments, .. } => {
                let known = !defined && Library::standard().contract(&name).is_some();
                match known {
                    true => given(region, &mut faults, at, check.when, &name, &arguments),
                    false if name.starts_with("llvm.") => {}
                    false => faults.open(&CLASSES),
                }
            }
            Asks::CallsPointer => faults.open(&CLASSES),
            Asks::Runs | Asks::Gives(_) | Asks::Places(_) => {}
        }
    }
    faults.found
}

impl Faults {
    /// Writes to variables that are constant: only of tables with known bytes it is known here.
    fn may_be_constant(&mut self, region: &Region, id: hydrogen_ir::InstructionId) {
        if let Some(Op::Store { pointer, .. }) = region.op(id)
            && let Operand::Const(_) = root(region, pointer)
        {
            self.open(&[Class::Overflow]);
        }
    }
}

/// So many bytes at an address that was made of a pointer.
pub(crate) struct Access {
    /// The place among the region's checks.
    pub at: usize,
    pub when: Term,
    /// The pointer, and whether it is the variable itself and not what another one holds.
    pub of: Value,
    pub is_direct: bool,
    pub address: Value,
    /// In [`WIDE`] bits.
    pub bytes: Term,
}

/// What can go wrong with an access.
pub(crate) fn accessed(region: &mut Region, faults: &mut Faults, access: &Access) {
    let (Value::Bits(pointer, _), Value::Bits(address, _)) = (&access.of, &access.address) else {
        faults.open(&OF_MEMORY);
        return;
    };
    if region.context.pool.sort(*pointer) != Sort::Bits(64)
        || region.context.pool.sort(*address) != Sort::Bits(64)
    {
        faults.open(&OF_MEMORY);
        return;
    }
    let zero = region.context.pool.bits(WIDE, 0);
    let is_empty = region.context.pool.eq(access.bytes, zero);
    let not_empty = region.context.pool.not(is_empty);
    let when = region.context.pool.and(access.when, not_empty);
    for (case, lead) in leads(region, &access.of, *address) {
        let pool = &mut region.context.pool;
        let when = pool.and(when, case);
        match lead {
            Lead::Into { offset, bytes } => {
                // The block of a variable that another one leads to may have ended.
                if !access.is_direct {
                    faults.open(&[Class::UseAfterFree]);
                }
                let outside = outside(region, offset, access.bytes, None, bytes);
                let when = region.context.pool.and(when, outside);
                faults.fails(region, Class::Overflow, when);
            }
            Lead::Null => {
                let distance = pool.sub(*address, *pointer);
                null(region, faults, distance, when);
                faults.open(&[Class::Overflow]);
            }
            Lead::Block { offset, bytes, base } => {
                let none = pool.bits(64, 0);
                let is_null = pool.eq(base, none);
                let is_there = pool.not(is_null);
                let (null, there) = (pool.and(when, is_null), pool.and(when, is_there));
                self::null(region, faults, offset, null);
                match bytes {
                    Some(bytes) => {
                        let outside = outside(region, offset, access.bytes, Some(bytes), 0);
                        let when = region.context.pool.and(there, outside);
                        faults.fails(region, Class::Overflow, when);
                    }
                    None => faults.open(&[Class::Overflow]),
                }
                // Who has its address may free it.
                faults.open(&[Class::UseAfterFree]);
            }
            Lead::Elsewhere => {
                let first = pool.bits(64, FIRST_PAGE);
                let none = pool.bits(64, 0);
                let (is_null, is_near) = (pool.eq(*pointer, none), pool.ult(*pointer, first));
                let (null, near) = (pool.and(when, is_null), pool.and(when, is_near));
                let distance = pool.sub(*address, *pointer);
                self::null(region, faults, distance, null);
                faults.may_fail(region, Class::Null, near);
                faults.open(&[Class::Overflow, Class::UseAfterFree]);
            }
        }
    }
    let Value::Bits(pointer, None) = access.of else { return };
    for freed in faults.freed.clone().into_iter().filter(|freed| freed.at < access.at) {
        let pool = &mut region.context.pool;
        let same = same_object(pool, pointer, freed.pointer);
        let when = pool.and_all([when, freed.when, same]);
        faults.fails(region, Class::UseAfterFree, when);
    }
}

/// An access so many bytes from null. Moved by a number that varies, null is something else for a run.
fn null(region: &mut Region, faults: &mut Faults, distance: Term, when: Term) {
    match region.context.pool.as_bits(distance).is_some_and(|distance| distance < FIRST_PAGE) {
        true => faults.fails(region, Class::Null, when),
        false => {
            faults.may_fail(region, Class::Null, when);
            faults.open(&[Class::Overflow]);
        }
    }
}

/// Whether some bytes lie outside of an object: from its beginning, how many there are, in [`WIDE`] bits.
fn outside(region: &mut Region, offset: Term, bytes: Term, wide: Option<Term>, size: u64) -> Term {
    let pool = &mut region.context.pool;
    let size = wide.unwrap_or_else(|| pool.bits(WIDE, u128::from(size)));
    let offset = pool.zext(offset, WIDE);
    let end = pool.add(offset, bytes);
    pool.ult(size, end)
}

/// When an index leads out of an array inside of an object, which may still be inside of the object; none where that is not followed.
fn leaves_a_part(region: &mut Region, pointer: &Operand) -> Option<Term> {
    let mut operand = pointer.clone();
    let mut found = region.context.pool.bool(false);
    while let Operand::Instruction(id) = operand {
        let Some(Op::ElementAddress { source, base, indices, .. }) = region.op(id) else { break };
        let mut ty = *source;
        for index in indices.iter().skip(1) {
            let types = &region.statement.module.types;
            match types.get(ty) {
                Type::Array { element, len } => {
                    let (element, len) = (*element, *len);
                    let Some(Value::Bits(index, _)) = region.value(index) else { return None };
                    let pool = &mut region.context.pool;
                    let index = pool.resize_signed(index, 64);
                    let len = pool.bits(64, u128::from(len));
                    let inside = pool.ult(index, len);
                    let leaves = pool.not(inside);
                    found = pool.or(found, leaves);
                    ty = element;
                }
                Type::Struct(body) => {
                    let Some(Value::Bits(index, _)) = region.value(index) else { return None };
                    let at = usize::try_from(region.context.pool.as_bits(index)?).ok()?;
                    ty = *body.fields.as_ref()?.get(at)?;
                }
                _ => return None,
            }
        }
        operand = base.clone();
    }
    Some(found)
}
