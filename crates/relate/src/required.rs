//! What must follow from relations that carry themselves: equal outcomes, equal faults, equal memory at loops.

use crate::{
    Obstacle,
    align::Alignment,
    candidates,
    context::Side,
    prove::{Failure, Prover, partners, sorted},
    relation::{Places, Relation, Spilled},
    segment::{End, FaultAt, Segment, Target, is_cut},
    start::Start,
};
use hydrogen_evidence::Class;
use hydrogen_term::Term;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of places.
const MOST_PAIRS: usize = 24;

/// Whether both versions end there, in the same way.
pub(crate) fn is_end(places: Places) -> bool {
    matches!(places, (Target::Return, Target::Return) | (Target::Stop, Target::Stop))
}

impl Prover<'_, '_, '_> {
    /// What must follow from stable relations.
    pub fn required(
        &mut self,
        alignment: &Alignment,
        relations: &mut BTreeMap<Places, Relation>,
    ) -> Result<Result<(), Failure>, Obstacle> {
        let all: Vec<Places> = relations.keys().copied().collect();
        let mut is_new = false;
        let never = self.context.pool.bool(false);
        for places in all {
            let start = self.start(places, &relations[&places]);
            let (leader, followers) = self.segments(alignment, places, &start)?;
            if let Err(failure) = self.as_said(&start, &leader, &followers) {
                return Ok(Err(failure));
            }
            for (lead, follower) in leader.ends.iter().zip(&followers) {
                let mut parts: Vec<(&End, Vec<Term>)> = Vec::new();
                for end in partners(lead, follower) {
                    let premises = self.premises(&start, &leader, follower, lead, end);
                    parts.push((end, premises));
                }
                for (end, premises) in parts {
                    let (old, new) = sorted(alignment.lead, lead, end);
                    let to = (old.target, new.target);
                    let outcome = match to {
                        to if is_end(to) => self.ends(&premises, old, new),
                        to if is_cut(to) => {
                            if let Some(relation) = relations.get(&to) {
                                self.cut(&premises, old, new, &relation.spilled)
                            } else {
                                let apart =
                                    self.never(&premises, old, new, "places that were not seen together");
                                let may_add =
                                    relations.len() < MOST_PAIRS && !self.strict && alignment.stride == 1;
                                if apart.is_err() && may_add {
                                    // Nobody has been here before: claim what names and values suggest, and begin again.
                                    let relation = self.proposed(to, old, new);
                                    relations.insert(to, relation);
                                    is_new = true;
                                    continue;
                                }
                                apart
                            }
                        }
                        _ => self.require(&premises, never, "one version goes on where the other ends"),
                    };
                    if let Err(failure) = outcome {
                        return Ok(Err(failure));
                    }
                }
            }
            if let Err(failure) = self.faults(alignment, &start, &leader, &followers) {
                return Ok(Err(failure));
            }
        }
        if is_new {
            return self.attempt(alignment, relations);
        }
        Ok(Ok(()))
    }

    /// What must follow where both versions end.
    pub(crate) fn ends(&mut self, premises: &[Term], old: &End, new: &End) -> Result<(), Failure> {
        match old.target {
            Target::Return => self.returns(premises, old, new),
            _ => self.worlds(premises, old, new, "the calls made before the end"),
        }
    }

    /// Both versions never come to two places at once.
    pub(crate) fn never(
        &mut self,
        premises: &[Term],
        old: &End,
        new: &End,
        words: &str,
    ) -> Result<(), Failure> {
        // Where both come under the same condition, there is nothing to ask.
        if old.guard == new.guard {
            return Err(Failure::Refuted(words.to_owned()));
        }
        let never = self.context.pool.bool(false);
        self.require(premises, never, words)
    }

    /// Recursive calls that were read as jumps are what they were read as.
    pub(crate) fn as_said(
        &mut self,
        start: &Start,
        leader: &Segment,
        followers: &[Segment],
    ) -> Result<(), Failure> {
        let all: BTreeSet<Term> =
            [leader].into_iter().chain(followers).flat_map(|segment| &segment.required).copied().collect();
        for one in all {
            self.require(&start.premises, one, "what follows a recursive call")?;
        }
        Ok(())
    }

    /// Variables that have the same name, or held the same when both came to a pair of places first, and local objects.
    pub(crate) fn by_arrival(&self, to: Places, old: &End, new: &End) -> Relation {
        let mut relation = candidates::relation(self.old.code, self.new.code, to, &[]);
        candidates::arrived(&mut relation, &old.state, &new.state);
        relation.objects = self.context.shared.clone();
        relation
    }

    /// What is claimed of a pair of places where both have just arrived for the first time.
    fn proposed(&mut self, to: Places, old: &End, new: &End) -> Relation {
        let mut relation = self.by_arrival(to, old, new);
        relation.kept = self.first.keys().copied().collect();
        relation.spilled = self.spillable(to, &relation);
        self.recurrent(to, new, &mut relation);
        relation
    }

    pub(crate) fn worlds(
        &mut self,
        premises: &[Term],
        old: &End,
        new: &End,
        words: &str,
    ) -> Result<(), Failure> {
        let same = self.context.pool.eq(old.state.world, new.state.world);
        self.require(premises, same, words)
    }

    pub(crate) fn cut(
        &mut self,
        premises: &[Term],
        old: &End,
        new: &End,
        spilled: &BTreeSet<Spilled>,
    ) -> Result<(), Failure> {
        self.worlds(premises, old, new, "the calls made up to the loop")?;
        let same = self.context.pool.eq(old.state.epoch, new.state.epoch);
        self.require(premises, same, "the calls made up to the loop")?;
        let memories = (old.state.public, new.state.public);
        self.require_memory(premises, memories, spilled, "the memory at the loop")
    }

    pub(crate) fn returns(&mut self, premises: &[Term], old: &End, new: &End) -> Result<(), Failure> {
        let mut values = (Vec::new(), Vec::new());
        old.result.iter().for_each(|value| crate::call::flatten(value, &mut values.0));
        new.result.iter().for_each(|value| crate::call::flatten(value, &mut values.1));
        if values.0.len() != values.1.len() {
            return Err(Failure::Undecided("results of different shapes".to_owned()));
        }
        let formats = crate::meaning::result_formats(self.old.code.module, self.old.code.frames[0].function);
        for (at, (a, b)) in values.0.into_iter().zip(values.1).enumerate() {
            if self.context.pool.sort(a) != self.context.pool.sort(b) {
                return Err(Failure::Undecided("results of different widths".to_owned()));
            }
            let mut same = self.context.pool.eq(a, b);
            if let Some(format) = formats.get(at).copied().flatten() {
                let (one, other) = (self.context.pool.is_nan(format, a), self.context.pool.is_nan(format, b));
                let neither = self.context.pool.and(one, other);
                same = self.context.pool.or(same, neither);
            }
            self.require(premises, same, "the result")?;
        }
        self.worlds(premises, old, new, "the calls made")?;
        let memories = (old.state.public, new.state.public);
        self.require_memory(premises, memories, &BTreeSet::new(), "the memory that the caller sees")
    }

    /// Both fault in the same cases, in the same way, after the same calls.
    pub(crate) fn faults(
        &mut self,
        alignment: &Alignment,
        start: &Start,
        leader: &Segment,
        followers: &[Segment],
    ) -> Result<(), Failure> {
        let words = "where it faults";
        let mut premises = start.premises.clone();
        premises.extend(leader.assumptions.iter().copied());
        for follower in followers {
            premises.extend(follower.assumptions.iter().copied());
        }
        // The follower may need its largest number of steps to come to the same fault.
        let longest = followers.iter().max_by_key(|follower| follower.faults.len());
        let none = Vec::new();
        let most = longest.map_or(&none, |follower| &follower.faults);
        let (old, new) = match alignment.lead {
            Side::Old => (&leader.faults, most),
            Side::New => (most, &leader.faults),
        };
        if self.assume_defined {
            // Where the old version is defined, the new one is; what both do then was compared under that premise.
            let fine: Vec<Term> = old.iter().map(|fault| self.context.pool.not(fault.guard)).collect();
            premises.extend(fine);
            let bad = self.context.pool.or_all(new.iter().map(|fault| fault.guard));
            let fine = self.context.pool.not(bad);
            return self.require(&premises, fine, words);
        }
        // A run faults once, or arrives. So what both versions have under the very same condition goes with each other and with nothing else.
        let leading = &leader.faults;
        let classes: BTreeSet<Class> = old.iter().chain(new).map(|fault| fault.class).collect();
        // Class by class; none is any of them.
        let mut kinds: Vec<Option<Class>> = match self.kinds_of_faults {
            true => classes.into_iter().map(Some).collect(),
            false => vec![None],
        };
        let mut at = 0;
        while let Some(&kind) = kinds.get(at) {
            let counts = |fault: &&FaultAt| kind.is_none_or(|kind| fault.class == kind);
            let guards: Vec<Term> = most.iter().filter(counts).map(|fault| fault.guard).collect();
            let known: FxHashSet<Term> = guards.iter().copied().collect();
            let others = leading.iter().filter(counts).map(|fault| fault.guard);
            let others: Vec<Term> = others.filter(|guard| !known.contains(guard)).collect();
            // Where the leader faults, the follower does.
            let (a, b) = (self.context.pool.or_all(others), self.context.pool.or_all(guards));
            let follows = self.context.pool.implies(a, b);
            match self.require(&premises, follows, words) {
                Err(_) if self.kinds_of_faults => {
                    // Undefined is undefined, whatever comes first.
                    self.kinds_of_faults = false;
                    (kinds, at) = (vec![None], 0);
                }
                other => {
                    other?;
                    at += 1;
                }
            }
        }
        // Where the leader arrives, the follower does not fault on its way there.
        let known: FxHashSet<Term> = leading.iter().map(|fault| fault.guard).collect();
        for (lead, follower) in leader.ends.iter().zip(followers) {
            let others = follower.faults.iter().map(|fault| fault.guard).filter(|one| !known.contains(one));
            let bad = self.context.pool.or_all(others);
            let fine = self.context.pool.not(bad);
            let mut premises = premises.clone();
            premises.push(lead.guard);
            self.require(&premises, fine, words)?;
        }
        // The same calls were made before.
        let (of_old, of_new): (FxHashSet<Term>, FxHashSet<Term>) =
            (old.iter().map(|fault| fault.guard).collect(), new.iter().map(|fault| fault.guard).collect());
        for a in old {
            for b in new {
                let go_together = match of_new.contains(&a.guard) || of_old.contains(&b.guard) {
                    true => a.guard == b.guard,
                    false => true,
                };
                if a.world == b.world || !go_together {
                    continue;
                }
                let same = self.context.pool.eq(a.world, b.world);
                let mut premises = premises.clone();
                premises.extend([a.guard, b.guard]);
                self.require(&premises, same, "the calls made before a fault")?;
            }
        }
        Ok(())
    }
}
