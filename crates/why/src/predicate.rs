//! Virtual predicates (10.3): what nobody's branch asks and a wrong assignment answers otherwise. Of everything that a function returns,
//! its sign or whether it is null (F-C16); of every assignment, how the new value stands to those of other variables (F-C17). They are
//! made of a run's terms, so the program is neither changed nor slower, and the same are asked of both versions (INV-W9).

use crate::ask::Ask;
use hydrogen_align::IndexId;
use hydrogen_evidence::why::Side;
use hydrogen_explore::{Assigned, Conjunct, Kind, Whose, assigned, holds};
use hydrogen_machine::Site;
use hydrogen_pair::{Node, Pair, Ran};
use hydrogen_term::{Pool, Term};
use hydrogen_trace::Slice;
use std::collections::BTreeMap;

/// A run has so many at most.
const MOST: usize = 4000;
/// A new value is compared with so many others, those that were set last.
const MOST_OTHERS: usize = 8;

/// A predicate that a run answered.
#[derive(Debug, Clone)]
pub(crate) struct Predicate {
    /// What names it in every run of a version: the instance of the statement, and the words.
    pub(crate) name: (IndexId, Node, String),
    pub(crate) step: u64,
    site: Site,
    /// What holds in this run.
    pub(crate) term: Term,
    /// Whether that is the predicate itself, or its opposite.
    pub(crate) outcome: bool,
}

impl Predicate {
    /// As a condition like those of branches.
    pub(crate) fn conjunct(&self) -> Conjunct {
        Conjunct { term: self.term, kind: Kind::Branch, site: self.site, instance: self.step, taken: None }
    }

    /// The words, as they hold in this run.
    pub(crate) fn words(&self) -> &str {
        &self.name.2
    }
}

/// The predicates of a run, in the order of execution; where a slice is given, only those of its assignments.
pub(crate) fn predicates(
    ask: &Ask<'_>,
    pair: &mut Pair<'_>,
    side: Side,
    ran: &Ran,
    slice: Option<&Slice>,
) -> Vec<Predicate> {
    let (program, setting) = (ask.program(side), ask.setting);
    let world = setting.symbolic.world(program, setting.world, &ran.input);
    let limits = setting.limits.clone();
    let all = assigned(program, setting.symbolic, world, &ran.input, limits, &mut pair.pool);
    let mut known: BTreeMap<(String, u64), Vec<(String, Term)>> = BTreeMap::new();
    let mut found = Vec::new();
    for one in &all {
        let asked = asked(&mut pair.pool, program, one, &known);
        if let Whose::Variable { name, function, activation } = &one.whose {
            let set = known.entry((function.clone(), *activation)).or_default();
            set.retain(|other| other.0 != *name);
            set.push((name.clone(), one.value));
        }
        let counts =
            program.is_users(one.site.function) && slice.is_none_or(|slice| slice.contains(one.step));
        let instance = ran.instances.at_step(one.step).filter(|_| counts);
        let Some((index, node)) = instance.map(|it| (it.index, it.node)) else { continue };
        for (words, term) in asked {
            if pair.pool.variables(&[term]).is_empty() || found.len() >= MOST {
                continue;
            }
            let outcome = holds(&pair.pool, &ran.input, term);
            let term = if outcome { term } else { pair.pool.not(term) };
            let name = (index, node, words);
            found.push(Predicate { name, step: one.step, site: one.site, term, outcome });
        }
    }
    found
}

/// What is asked about a value, in words and as a term.
fn asked(
    pool: &mut Pool,
    program: &hydrogen_machine::Program,
    one: &Assigned,
    known: &BTreeMap<(String, u64), Vec<(String, Term)>>,
) -> Vec<(String, Term)> {
    let width = pool.width(one.value);
    let zero = pool.bits(width, 0);
    match &one.whose {
        Whose::Result { pointer } => {
            let name = &program.function(one.site.function).name;
            let is_zero = pool.eq(one.value, zero);
            match pointer {
                true => vec![(format!("{name} returns a null pointer"), is_zero)],
                false => vec![
                    (format!("{name} returns 0"), is_zero),
                    (format!("{name} returns less than 0"), pool.slt(one.value, zero)),
                ],
            }
        }
        Whose::Variable { name, function, activation } => {
            let own = known.get(&(function.clone(), *activation));
            let globals = known.get(&(String::new(), 0)).filter(|_| *activation != 0);
            let others = own.into_iter().chain(globals).flat_map(|all| all.iter().rev());
            let fits = |other: &&(String, Term)| {
                other.0 != *name && pool.width(other.1) == width && is_plain(&other.0)
            };
            let others: Vec<(String, Term)> =
                others.filter(fits).filter(|_| is_plain(name)).take(MOST_OTHERS).cloned().collect();
            let mut asked = Vec::new();
            for (other, value) in others {
                asked.push((format!("{name} == {other}"), pool.eq(one.value, value)));
                asked.push((format!("{name} < {other}"), pool.slt(one.value, value)));
            }
            asked
        }
    }
}

/// Whether a name is that of a whole variable.
fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c == '_' || c.is_alphanumeric())
}

/// Conditions and predicates together, in the order of execution.
pub(crate) fn together(conditions: &[Conjunct], predicates: &[Predicate]) -> Vec<Conjunct> {
    let mut all: Vec<Conjunct> = conditions.to_vec();
    all.extend(predicates.iter().map(Predicate::conjunct));
    all.sort_by_key(|one| one.instance);
    all
}

/// Why an input does not show what it should of a predicate; nothing where the version answers it otherwise now.
pub(crate) fn refuted(wanted: &Predicate, now: &[Predicate], side: Side) -> Option<String> {
    match now.iter().find(|one| one.name == wanted.name) {
        Some(one) if one.outcome != wanted.outcome => None,
        _ => Some(format!("the {side} version does not come there with it, or computes alike")),
    }
}
