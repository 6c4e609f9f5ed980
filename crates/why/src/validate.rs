//! No alternate input is believed unrun (F-C8): both versions run it, and must go where the question said.

use crate::ask::{Ask, Mode};
use crate::branches::{Branch, Way};
use crate::compare::differing;
use crate::decompose::Deviation;
use crate::long::Targets;
use crate::predicate::{Predicate, predicates, refuted};
use hydrogen_align::IndexId;
use hydrogen_evidence::why::Side;
use hydrogen_explore::{Conjunct, Kind};
use hydrogen_machine::{Program, Site};
use hydrogen_pair::{Node, Outcome, Pair, Ran};
use hydrogen_term::Term;
use hydrogen_trace::TraceError;
use std::collections::BTreeMap;

/// What runs of an alternate input said.
#[derive(Debug)]
pub(crate) struct Validated {
    /// Why it does not show what it should.
    pub(crate) invalid: Option<String>,
    /// Where the runs of both inputs part, if a comparison of traces says so; else where the question did.
    pub(crate) turned: Option<Branch>,
    /// What came out, of the old version first.
    pub(crate) outcomes: [Outcome; 2],
    /// Whether the test passes with it; nothing where the user's oracle cannot tell.
    pub(crate) passes: Option<bool>,
}

/// The runs of the failing input, to compare with.
pub(crate) struct Reference<'r> {
    /// By side: the run.
    pub(crate) ran: [&'r Ran; 2],
    /// By side: the conditions that are kept.
    pub(crate) conditions: [&'r [Conjunct]; 2],
    /// By side, where conditions are those of the path.
    pub(crate) ways: Option<[Way; 2]>,
    /// Whether runs are too long for terms.
    pub(crate) is_long: bool,
}

impl Ask<'_> {
    pub(crate) fn program(&self, side: Side) -> &Program {
        match side {
            Side::Old => self.old,
            Side::New => self.new,
        }
    }

    /// Where all branches of the failing input went.
    pub(crate) fn ways(&self, input: &hydrogen_evidence::Input) -> [Way; 2] {
        [Side::Old, Side::New].map(|side| Way::of(self.program(side), self.setting, input))
    }

    /// The verdict of the user, or that both versions give the same.
    pub(crate) fn passes(&self, input: &hydrogen_evidence::Input, outcomes: &[Outcome; 2]) -> Option<bool> {
        let [old, new] = outcomes;
        if !old.is_whole() || !new.is_whole() {
            return Some(false);
        }
        match self.oracle {
            Some(oracle) => oracle(input, old, new),
            None => Some(old.same(new, self.observables)),
        }
    }
}

pub(crate) fn validate(
    ask: &Ask<'_>,
    pair: &mut Pair<'_>,
    reference: &Reference<'_>,
    deviation: &Deviation,
    // Where no branch but a predicate is asked about.
    wanted: Option<&Predicate>,
) -> Result<Validated, TraceError> {
    let (mut invalid, turned, outcomes) = match &reference.ways {
        Some(ways) => by_way(ask, ways, deviation, wanted.is_some()),
        None => {
            let (invalid, outcomes) = by_index(ask, pair, reference, deviation, wanted.is_some())?;
            (invalid, None, outcomes)
        }
    };
    if let (Some(wanted), None) = (wanted, &invalid) {
        let other = deviation.side;
        let ran = pair.run_untraced(other.number(), ask.setting, &deviation.input)?;
        invalid = refuted(wanted, &predicates(ask, pair, other, &ran, None), other);
    }
    let passes = ask.passes(&deviation.input, &outcomes);
    Ok(Validated { invalid, turned, outcomes, passes })
}

/// Every branch of one version goes as before; those of the other do, up to the one in question.
fn by_way(
    ask: &Ask<'_>,
    ways: &[Way; 2],
    deviation: &Deviation,
    is_virtual: bool,
) -> (Option<String>, Option<Branch>, [Outcome; 2]) {
    let alternate = ask.ways(&deviation.input);
    let (same, other) = (deviation.side.other(), deviation.side);
    let mut turned = None;
    let invalid = if ways[same.number()].parting(&alternate[same.number()]).is_some() {
        Some(format!("the {same} version does not go the same way with it"))
    } else if is_virtual {
        None
    } else if ask.mode == Mode::Plain {
        let [one, two] = [ways, &alternate].map(|ways| &ways[other.number()]);
        let users = |way: &Way| -> Vec<Branch> {
            let own = way.branches.iter().filter(|one| ask.program(other).is_users(one.site.function));
            own.copied().collect()
        };
        turned = differing(&users(one), &users(two), ask.metric).and_then(|all| all.first().copied());
        one.parting(two).is_none().then(|| format!("the {other} version goes the same way with it"))
    } else {
        let wanted = ways[other.number()].position_of(deviation.conjunct.instance);
        match ways[other.number()].parting(&alternate[other.number()]) {
            Some(at) if at == wanted => None,
            // What is decided there is no branch: an access, a size, a fault.
            Some(at) if at > wanted && deviation.conjunct.taken.is_none() => None,
            None if deviation.conjunct.kind == Kind::Fault => None,
            Some(_) => Some(format!("the {other} version goes another way at another branch first")),
            None => Some(format!("the {other} version goes the same way with it")),
        }
    };
    (invalid, turned, alternate.map(|way| way.outcome))
}

/// What names a decision in every run of a version.
type Name = (IndexId, Node, Site);

/// By decision, where it went; what is no branch, by its condition, where there are some.
type Decisions = BTreeMap<Name, Vec<(Option<u32>, Option<Term>)>>;

fn name(ran: &Ran, step: u64, site: Site) -> Option<Name> {
    let instance = ran.instances.at_step(step)?;
    Some((instance.index, instance.node, site))
}

/// A run, with what it decides.
fn decided(
    ask: &Ask<'_>,
    pair: &mut Pair<'_>,
    reference: &Reference<'_>,
    side: Side,
    input: &hydrogen_evidence::Input,
) -> Result<(Ran, Decisions), TraceError> {
    let mut all = Decisions::new();
    let mut add = |ran: &Ran, step: u64, site: Site, what: (Option<u32>, Option<Term>)| {
        if let Some(name) = name(ran, step, site) {
            all.entry(name).or_default().push(what);
        }
    };
    let ran = match reference.is_long {
        true => {
            let sites = reference.conditions[side.number()].iter().map(|one| one.site).collect();
            let watcher = Targets::of(sites);
            let (ran, targets) = pair.run_watched(side.number(), ask.setting, input, watcher)?;
            for (step, site, target) in targets.found {
                add(&ran, step, site, (Some(target), None));
            }
            ran
        }
        false => {
            let ran = pair.run_untraced(side.number(), ask.setting, input)?;
            for one in &ran.seen.path {
                add(&ran, one.instance, one.site, (one.taken, Some(one.term)));
            }
            ran
        }
    };
    Ok((ran, all))
}

/// One version decides all that counts as before, and the other comes to the instance and decides it otherwise.
fn by_index(
    ask: &Ask<'_>,
    pair: &mut Pair<'_>,
    reference: &Reference<'_>,
    deviation: &Deviation,
    is_virtual: bool,
) -> Result<(Option<String>, [Outcome; 2]), TraceError> {
    let (old, of_old) = decided(ask, pair, reference, Side::Old, &deviation.input)?;
    let (new, of_new) = decided(ask, pair, reference, Side::New, &deviation.input)?;
    let (runs, decisions) = ([old, new], [of_old, of_new]);
    let (same, other) = (deviation.side.other(), deviation.side);
    // Without terms nothing is known of what is no branch: the same place of an array may be reached in another way.
    let can_be_told = |one: &Conjunct| !reference.is_long || one.taken.is_some();
    let find = |side: Side, one: &Conjunct| {
        let name = name(reference.ran[side.number()], one.instance, one.site);
        name.and_then(|name| decisions[side.number()].get(&name))
    };
    let as_before = || {
        let branches = reference.conditions[same.number()].iter().filter(|one| one.kind == Kind::Branch);
        branches.filter(|one| can_be_told(one)).all(|one| {
            find(same, one).is_some_and(|known| {
                known.iter().any(|it| it.1 == Some(one.term) || it.0.is_some() && it.0 == one.taken)
            })
        })
    };
    let otherwise = || {
        let one = &deviation.conjunct;
        if one.kind == Kind::Fault {
            return !matches!(runs[other.number()].outcome.ending, hydrogen_pair::Ending::Fault(..));
        }
        can_be_told(one)
            && find(other, one).is_some_and(|known| {
                known.iter().any(|it| it.1 != Some(one.term) && (it.0.is_none() || it.0 != one.taken))
            })
    };
    let invalid = if !as_before() {
        Some(format!("the {same} version does not decide the same with it"))
    } else if !is_virtual && !otherwise() {
        Some(format!("the {other} version does not come there with it, or decides the same"))
    } else {
        None
    };
    let [old, new] = runs;
    Ok((invalid, [old.outcome, new.outcome]))
}
