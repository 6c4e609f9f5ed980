//! A condition in as few words as are found.

use crate::{
    differ::{Differ, Places},
    words::Names,
};
use hydrogen_evidence::delta::When;
use hydrogen_term::{Evaluator, Op, Pool, Sort, Term};
use std::collections::BTreeSet;

/// More alternatives than this are not told.
const MOST_CUBES: usize = 5;
/// More comparisons than this are not combined.
const MOST_ATOMS: usize = 48;
/// A condition that is longer than this tells nobody anything.
const LONGEST: usize = 320;

/// A condition in words, and what it is made of.
pub(crate) struct Worded {
    pub when: When,
    pub literals: BTreeSet<Term>,
}

/// A condition in words.
pub(crate) fn worded<P: Places>(differ: &mut Differ<P>, names: &Names, condition: Term) -> Worded {
    if differ.follows(&[], condition) {
        return Worded { when: When::Always, literals: BTreeSet::new() };
    }
    let cubes = cubes(differ, names, condition);
    let Some(cubes) = cubes else { return Worded { when: When::Sometimes, literals: BTreeSet::new() } };
    let literals = cubes.iter().flatten().copied().collect();
    Worded { when: written(differ, names, &cubes), literals }
}

fn written<P: Places>(differ: &mut Differ<P>, names: &Names, cubes: &[Vec<Term>]) -> When {
    // Words that say one thing and its opposite name two things alike.
    let all: BTreeSet<Term> = cubes.iter().flatten().copied().collect();
    let said: BTreeSet<String> =
        all.iter().map(|&literal| names.text(&differ.both.context.pool, literal).text).collect();
    for &literal in &all {
        let denied = differ.both.context.pool.not(literal);
        if !all.contains(&denied) && said.contains(&names.text(&differ.both.context.pool, denied).text) {
            return When::Sometimes;
        }
    }
    let pool = &differ.both.context.pool;
    let mut alternatives = Vec::new();
    for cube in cubes {
        let texts: Vec<_> = cube.iter().map(|&literal| names.text(pool, literal)).collect();
        if texts.iter().any(|text| text.is_opaque) {
            return When::Sometimes;
        }
        let mut parts: Vec<String> = Vec::new();
        for text in texts {
            let part = match text.text.contains("||") && cube.len() > 1 {
                true => format!("({})", text.text),
                false => text.text,
            };
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        let several = cubes.len() > 1 && parts.len() > 1;
        let joined = parts.join(" && ");
        alternatives.push(if several { format!("({joined})") } else { joined });
    }
    let text = alternatives.join(" || ");
    if text.len() > LONGEST { When::Sometimes } else { When::Holds(text) }
}

/// Conjunctions that together are the condition.
fn cubes<P: Places>(differ: &mut Differ<P>, names: &Names, condition: Term) -> Option<Vec<Vec<Term>>> {
    let mut atoms = atoms(&differ.both.context.pool, names, condition);
    // What somebody asks in the source comes before what a pointer has to be.
    let nulls = differ.nulls();
    atoms.sort_by_key(|atom| nulls.contains(atom));
    if atoms.len() > MOST_ATOMS {
        return None;
    }
    let mut equalities = equalities(&mut differ.both.context.pool, &atoms);
    equalities.extend(names.compounds());
    // What a single comparison says is said by it.
    for &one in atoms.iter().chain(&equalities) {
        let denied = differ.both.context.pool.not(one);
        for literal in [one, denied] {
            if differ.follows(&[condition], literal) && differ.follows(&[literal], condition) {
                return Some(vec![vec![literal]]);
            }
        }
    }
    let (mut found, mut open): (Vec<Vec<Term>>, Vec<Term>) = (Vec::new(), vec![condition]);
    while differ.may_hold(&open) {
        if found.len() >= MOST_CUBES {
            return None;
        }
        let model = differ.model(&open)?;
        let pool = &differ.both.context.pool;
        let model = model.completed(pool, &atoms);
        let mut evaluator = Evaluator::new(pool, &model);
        let truths: Vec<bool> = atoms.iter().map(|&atom| evaluator.holds(atom)).collect();
        let mut cube: Vec<Term> = Vec::new();
        for (&atom, truth) in atoms.iter().zip(truths) {
            cube.push(if truth { atom } else { differ.both.context.pool.not(atom) });
        }
        if !differ.follows(&cube, condition) {
            return None;
        }
        shorten(differ, names, condition, &mut cube);
        merge(differ, &equalities, &mut cube);
        let all = differ.both.context.pool.and_all(cube.iter().copied());
        let other = differ.both.context.pool.not(all);
        open.push(other);
        found.push(cube);
    }
    Some(found)
}

/// Leaves out what the rest of a conjunction does not need: first what has no name, then what comes last.
fn shorten<P: Places>(differ: &mut Differ<P>, names: &Names, condition: Term, cube: &mut Vec<Term>) {
    let nulls = differ.nulls();
    let mut order: Vec<(bool, usize, Term)> = Vec::new();
    for (at, &literal) in cube.iter().enumerate() {
        let text = names.text(&differ.both.context.pool, literal);
        let inner = match differ.both.context.pool.op(literal) {
            Op::Not => differ.both.context.pool.args(literal)[0],
            _ => literal,
        };
        order.push((!text.is_opaque && !nulls.contains(&inner), cube.len() - at, literal));
    }
    order.sort_unstable();
    for (_, _, literal) in order {
        let rest: Vec<Term> = cube.iter().copied().filter(|&one| one != literal).collect();
        if differ.follows(&rest, condition) {
            *cube = rest;
        }
    }
}

/// Two bounds that meet are an equality.
fn merge<P: Places>(differ: &mut Differ<P>, equalities: &[Term], cube: &mut Vec<Term>) {
    for &equality in equalities {
        if cube.len() < 2 || cube.contains(&equality) || !differ.follows(cube, equality) {
            continue;
        }
        let kept: Vec<Term> = cube.clone();
        let implied: Vec<Term> =
            kept.iter().copied().filter(|&one| differ.follows(&[equality], one)).collect();
        if implied.len() >= 2 {
            cube.retain(|one| !implied.contains(one));
            cube.push(equality);
        }
    }
}

/// The comparisons that a condition is made of.
fn atoms(pool: &Pool, names: &Names, condition: Term) -> Vec<Term> {
    let (mut open, mut seen, mut found) = (vec![condition], std::collections::BTreeSet::new(), Vec::new());
    while let Some(term) = open.pop() {
        if !seen.insert(term) || pool.as_bool(term).is_some() {
            continue;
        }
        let is_inner = match pool.op(term) {
            _ if names.has(term) => false,
            Op::Not | Op::And | Op::Or => true,
            Op::Ite | Op::Eq => pool.sort(pool.args(term)[1]) == Sort::Bool,
            _ => false,
        };
        match is_inner {
            true => open.extend(pool.args(term).iter().rev()),
            false => found.push(term),
        }
    }
    found
}

/// Equalities of what is compared by order.
fn equalities(pool: &mut Pool, atoms: &[Term]) -> Vec<Term> {
    let mut found = Vec::new();
    for &atom in atoms {
        if let Op::Ult | Op::Slt = pool.op(atom) {
            let [a, b] = *pool.args(atom) else { continue };
            let mut add = |pool: &mut Pool, a: Term, b: Term| {
                let equal = pool.eq(a, b);
                if pool.as_bool(equal).is_none() && !found.contains(&equal) {
                    found.push(equal);
                }
            };
            add(pool, a, b);
            // `x < 5` leaves out 5, and ends with 4.
            for (value, other) in [(a, b), (b, a)] {
                if pool.as_bits(value).is_some() {
                    let width = pool.width(value);
                    for step in [1, -1] {
                        let step = pool.signed_bits(width, step);
                        let near = pool.add(value, step);
                        add(pool, near, other);
                    }
                }
            }
        }
    }
    found
}
