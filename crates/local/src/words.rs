//! A condition in the function's own variables.

use crate::region::Region;
use hydrogen_ir::{CType, Encoding, layout::plain};
use hydrogen_sym::context::Context;
use hydrogen_term::{Engine, Op, Pool, Solver, Sort, Substitution, Term};
use std::collections::BTreeSet;

/// Longer conditions are not told.
const MOST_LETTERS: usize = 90;

/// When a statement that is reached fails; none where that takes more than the function's own variables.
pub(crate) fn told<S: Solver>(
    region: &mut Region,
    engine: &mut Engine<S>,
    reached: Term,
    fails: Term,
) -> Option<String> {
    let condition = without(region, fails, reached);
    let variables = region.context.pool.variables(&[condition]);
    if let [variable] = variables[..]
        && let Some(name) = region.names.get(&variable).cloned()
        && let Some(is_signed) = is_number(region, &name)
        && let Some(text) = range(&mut region.context.pool, engine, condition, (variable, &name, is_signed))
    {
        return Some(text);
    }
    let context: &mut Context = &mut region.context;
    let mut names = Substitution::default();
    let mut used = BTreeSet::new();
    for variable in variables {
        let name = region.names.get(&variable).filter(|name| used.insert((*name).clone()))?;
        let sort = context.pool.sort(variable);
        let Sort::Bits(_) = sort else { return None };
        let own = context.pool.var(name, sort);
        names.insert(variable, own);
    }
    let condition = context.pool.substitute(condition, &names);
    let text = context.pool.to_c(condition);
    (text.len() <= MOST_LETTERS && !names.is_empty()).then_some(text)
}

/// Whether a variable of the function is a number, and one with a sign.
fn is_number(region: &Region, name: &str) -> Option<bool> {
    let module = region.statement.module;
    let body = module.function(region.statement.function).body.as_ref()?;
    let mut types = body.variables.iter().filter(|one| one.name == name).map(|one| one.ctype);
    let (Some(Some(ctype)), None) = (types.next(), types.next()) else { return None };
    match module.ctype(plain(module, ctype)) {
        CType::Basic { encoding: Encoding::Signed, .. } => Some(true),
        CType::Basic { encoding: Encoding::Unsigned, .. } => Some(false),
        _ => None,
    }
}

/// A condition on one number as the ends of a range: all numbers outside of it, or those in it. Where the range ends is found by trying numbers, and that it is
/// the whole condition is asked.
fn range<S: Solver>(
    pool: &mut Pool,
    engine: &mut Engine<S>,
    condition: Term,
    (variable, name, is_signed): (Term, &str, bool),
) -> Option<String> {
    let Sort::Bits(width @ 8..=64) = pool.sort(variable) else { return None };
    let (least, most) = match is_signed {
        true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
        false => (0, (1i128 << width) - 1),
    };
    let bits = |pool: &mut Pool, number: i128| pool.signed_bits(width, number);
    let holds = |pool: &mut Pool, number: i128| {
        let number = bits(pool, number);
        let one: Substitution = [(variable, number)].into_iter().collect();
        let holds = pool.substitute(condition, &one);
        pool.as_bool(holds)
    };
    let tried = [0, 1, 2, 4, -1, 8, 100, least, most];
    for inside in [false, true] {
        let mut starts: Vec<i128> = tried.into_iter().filter(|one| (least..=most).contains(one)).collect();
        starts.extend(
            constants(pool, condition, is_signed).into_iter().filter(|one| (least..=most).contains(one)),
        );
        let Some(start) = starts.into_iter().find(|&one| holds(pool, one) == Some(inside)) else { continue };
        // The farthest number to a side for which it is still so, if there is one border alone.
        let end = |pool: &mut Pool, far: i128| {
            let (mut near, mut far) = (start, far);
            if holds(pool, far) == Some(inside) {
                return far;
            }
            while (far - near).abs() > 1 {
                let middle = near + (far - near) / 2;
                if holds(pool, middle) == Some(inside) { near = middle } else { far = middle }
            }
            near
        };
        let (low, high) = (end(pool, least), end(pool, most));
        let (first, last) = (bits(pool, low), bits(pool, high));
        let (above, below) = match is_signed {
            true => (pool.sge(variable, first), pool.sle(variable, last)),
            false => (pool.uge(variable, first), pool.ule(variable, last)),
        };
        let within = pool.and(above, below);
        let guess = if inside { within } else { pool.not(within) };
        let same = pool.eq(guess, condition);
        if engine.must_hold(pool, &[], same) == Some(true) {
            return Some(words(name, (low, high), (least, most), inside));
        }
    }
    None
}

fn words(name: &str, (low, high): (i128, i128), (least, most): (i128, i128), inside: bool) -> String {
    match (inside, low == least, high == most) {
        (true, _, _) if low == high => format!("{name} == {low}"),
        (false, _, _) if low == high => format!("{name} != {low}"),
        (true, true, _) => format!("{name} <= {high}"),
        (true, _, true) => format!("{name} >= {low}"),
        (true, _, _) => format!("{low} <= {name} && {name} <= {high}"),
        (false, true, _) => format!("{name} > {high}"),
        (false, _, true) => format!("{name} < {low}"),
        (false, _, _) => format!("{name} < {low} || {name} > {high}"),
    }
}

/// The numbers in a condition, and those beside them.
fn constants(pool: &Pool, condition: Term, is_signed: bool) -> Vec<i128> {
    let all = pool.postorder(&[condition]);
    let number = |term: &Term| match is_signed {
        true => pool.as_signed(*term),
        false => pool.as_bits(*term).and_then(|bits| i128::try_from(bits).ok()),
    };
    all.iter()
        .filter_map(number)
        .take(16)
        .flat_map(|one| [one, one.saturating_add(1), one.saturating_sub(1)])
        .collect()
}

/// A condition without the parts that hold wherever the statement is reached.
fn without(region: &mut Region, fails: Term, reached: Term) -> Term {
    let known: BTreeSet<Term> = parts(region, reached).into_iter().collect();
    let own = parts(region, fails);
    let left: Vec<Term> = own.into_iter().filter(|part| !known.contains(part)).collect();
    region.context.pool.and_all(left)
}

/// The parts of a conjunction.
fn parts(region: &Region, term: Term) -> Vec<Term> {
    let pool = &region.context.pool;
    let (mut found, mut open) = (Vec::new(), vec![term]);
    while let Some(term) = open.pop() {
        match pool.op(term) {
            Op::And if pool.sort(term) == Sort::Bool => open.extend(pool.args(term).iter().rev()),
            _ => found.push(term),
        }
    }
    found
}
