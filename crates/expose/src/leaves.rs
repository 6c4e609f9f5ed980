//! From where the effect of a change ends, on: what the change-effect graph of a run that showed no difference asks for.
//!
//! - INFECT: the changed statement computes the same in both versions: an input on which it does not.
//! - M: an operation gives the same in both versions: an input on which it does not, in the exact form for two versions (`e ≠ e'`).
//! - U: nobody uses what the change assigned: the nearest branches on whose other side it is used, the change staying executed.
//! - B, a branch that goes the same way, is asked about by `Class::Disagree`; where the rest of the paths stands in the way, without it.
//!
//! What an input must fulfil besides is the relevant-slice condition of the instance in each version. The new version's graph comes first, then the old one's.

use crate::asking::Wish;
use crate::effects::Graph;
use crate::rank::Question;
use crate::search::Search;
use crate::types::{Asked, Found, Shape};
use crate::uses::Uses;
use hydrogen_evidence::Input;
use hydrogen_evidence::exposed::Class;
use hydrogen_explore::{Assignment, Distances, Kind};
use hydrogen_machine::{End, Limit, Site};
use hydrogen_pair::{Alignment, Facts, Numbers, Ran, Setting, unequal};
use hydrogen_term::{Answer, Term};
use hydrogen_trace::Static;
use std::collections::{BTreeMap, BTreeSet};

/// So much is asked about one run, of each kind.
const MOST: usize = 6;
/// So many executions of statements: the graphs of longer runs cost more than other questions.
const LONGEST: usize = 100_000;
/// Further branches are no distance, but a call that may go anywhere.
const FAR: u64 = 1 << 20;

/// The instance of a statement in the old and in the new run.
type Both = (u32, u32);

/// What the graphs of a run ask for.
#[derive(Default)]
struct Ends {
    /// Changed statements that computed the same.
    same: BTreeSet<Both>,
    /// Operations that gave the same.
    masked: BTreeSet<Both>,
    /// Statements that computed something else on the way, and may have given the same in the end.
    hidden: BTreeSet<Both>,
    /// By version, what nobody used.
    unused: [BTreeSet<u32>; 2],
}

impl<'p> Search<'p, '_> {
    /// Asks what the change-effect graph of a run asks for, and runs what answers it.
    pub(crate) fn follow(&mut self, run: usize) -> Option<Box<Found>> {
        let (shape, input) = (self.runs[run].shape, self.runs[run].input.clone());
        for wish in self.wishes(shape, &input)? {
            if self.is_over() {
                return None;
            }
            if self.pair.pool.as_bool(wish.wanted) == Some(false)
                || !self.wished.insert((wish.wanted, wish.before.clone()))
            {
                continue;
            }
            let Answer::Sat(model) = self.put(shape, &input, &wish) else { continue };
            let next = input.with_model(&self.pair.pool, &model);
            if let Some(found) = self.take(shape, next, Some(wish.class)) {
                return Some(found);
            }
        }
        None
    }

    fn wishes(&mut self, shape: usize, input: &Input) -> Option<Vec<Wish>> {
        let runs = self.again(shape, input)?;
        if runs.iter().any(|ran| ran.instances.all.len() > LONGEST) {
            return None;
        }
        let statics = self.take_statics(&runs);
        let wishes = self.wishes_of(shape, &runs, &statics);
        self.statics = statics.map(Some);
        wishes
    }

    fn wishes_of(&mut self, shape: usize, runs: &[Ran; 2], statics: &[Static<'_>; 2]) -> Option<Vec<Wish>> {
        let facts = [Facts::new(&statics[0], &runs[0]).ok()?, Facts::new(&statics[1], &runs[1]).ok()?];
        let alignment = Alignment::of(&runs[0].instances, &runs[1].instances);
        let mut ends = Ends { same: self.uninfected(runs, &alignment), ..Ends::default() };
        for side in [1, 0] {
            let graph = self.graph(runs, side, &alignment, facts[side].dependences())?;
            let partners = if side == 0 { &alignment.second_of } else { &alignment.first_of };
            ends.add(side, &graph, partners);
        }
        let mut wishes = Vec::new();
        let numbers = self.numbers(shape, runs, &ends);
        for (class, whole, pairs) in ends.pairs() {
            // The last ones are nearest to what comes out.
            for (old, new) in pairs.iter().rev().take(MOST) {
                let (Some(one), Some(two)) = (numbers[0].get(old), numbers[1].get(new)) else { continue };
                let Some(wanted) = self.differ(whole, one, two) else { continue };
                let mut before = reaching(&facts[0], one.step)?;
                before.extend(reaching(&facts[1], two.step)?);
                let site = site_of(&facts[1], two.step);
                wishes.push(Wish { class, before, wanted, site });
            }
        }
        for side in [1, 0] {
            for at in ends.unused[side].iter().rev().take(MOST) {
                wishes.extend(self.towards_a_use(&runs[side], &facts[side], *at)?);
            }
        }
        Some(wishes)
    }

    /// Changed statements that both versions executed at the same place, and that computed the same.
    fn uninfected(&self, [old, new]: &[Ran; 2], alignment: &Alignment) -> BTreeSet<Both> {
        let changed = |ran: &Ran, at: usize| self.changes.contains(ran.instances.all[at].node);
        let matched = alignment.pairs().filter(|(one, two)| {
            let (one, two) = (&old.instances.all[*one as usize], &new.instances.all[*two as usize]);
            self.changes.contains(two.node) && one.values == two.values
        });
        let mut found: BTreeSet<Both> = matched.collect();
        // One that has another text now is another statement: those at the same place of the run belong together, in their order.
        let alone = |ran: &Ran, partners: &[Option<u32>]| {
            let mut by_place: BTreeMap<_, Vec<u32>> = BTreeMap::new();
            for at in (0..partners.len()).filter(|at| partners[*at].is_none() && changed(ran, *at)) {
                by_place.entry(ran.instances.all[at].index).or_default().push(at as u32);
            }
            by_place
        };
        let (olds, news) = (alone(old, &alignment.second_of), alone(new, &alignment.first_of));
        for (place, new) in news {
            found.extend(olds.get(&place).into_iter().flatten().copied().zip(new));
        }
        found
    }

    fn numbers(&mut self, shape: usize, runs: &[Ran; 2], ends: &Ends) -> [BTreeMap<u32, Numbers>; 2] {
        let pairs = || ends.pairs().into_iter().flat_map(|(.., pairs)| pairs.iter().rev().take(MOST));
        let wanted: [BTreeSet<u32>; 2] =
            [pairs().map(|one| one.0).collect(), pairs().map(|one| one.1).collect()];
        let Shape { world, symbolic, .. } = &self.shapes[shape];
        let setting = Setting { world, symbolic, limits: &self.options.limits };
        [0, 1].map(|at| self.pair.numbers(&runs[at], setting, &wanted[at]))
    }

    /// When two executions of a statement compute something else: any of its values where all of them correspond, otherwise the last one, which is what a
    /// statement is for.
    fn differ(&mut self, whole: bool, one: &Numbers, two: &Numbers) -> Option<Term> {
        let pool = &mut self.pair.pool;
        if !whole {
            let (one, two) = (one.last?, two.last?);
            return if one.1 == two.1 { unequal(pool, one, two) } else { None };
        }
        let both = one.all.iter().filter_map(|(place, value)| Some((*value, *two.all.get(place)?)));
        let differ: Vec<Term> = both.filter_map(|(one, two)| unequal(pool, one, two)).collect();
        Some(pool.or_all(differ))
    }

    /// The branches behind a definition on whose other side it is used, the nearest first; what defines it stays executed.
    fn towards_a_use(&mut self, ran: &Ran, facts: &Facts<'_, '_>, at: u32) -> Option<Vec<Wish>> {
        let begin = ran.instances.all[at as usize].step;
        let Some(site) = site_of(facts, begin) else { return Some(Vec::new()) };
        let program = self.pair.programs()[ran.program];
        let entry = ran.call.as_ref().map_or(ran.seen.world.entry.as_str(), |call| &call.function);
        let uses = self.uses[ran.program].get_or_insert_with(|| Uses::new(program, entry));
        let distances = self
            .to_uses
            .entry((ran.program, site))
            .or_insert_with(|| Distances::to_sites(program, uses.of(site)));
        let behind = |one: &hydrogen_explore::Conjunct| one.kind == Kind::Branch && one.instance > begin;
        let mut near: Vec<(u64, usize)> = (ran.seen.path.iter().enumerate())
            .filter(|(_, one)| behind(one))
            .filter_map(|(at, one)| Some((distances.other_side(one).filter(|away| *away < FAR)?, at)))
            .collect();
        near.sort_unstable();
        let mut wishes = Vec::new();
        for (_, at) in near.into_iter().take(MOST) {
            let conjunct = ran.seen.path[at];
            let mut before = reaching(facts, begin)?;
            before.extend(facts.turning(at).ok()?.conjuncts.iter().map(|one| one.term));
            let wanted = self.pair.pool.not(conjunct.term);
            wishes.push(Wish { class: Class::Use, before, wanted, site: Some(conjunct.site) });
        }
        Some(wishes)
    }

    /// Where two branches of one instance cannot disagree on these paths, conditions that they do not depend on may stand in the way.
    pub(crate) fn pair_without_the_rest(
        &mut self,
        question: Question,
        number: usize,
        wanted: Term,
    ) -> Option<Box<Found>> {
        let joint = &self.runs[question.run];
        let (shape, input, places) = (joint.shape, joint.input.clone(), joint.alike[number]);
        let whole = joint.before_pair(places).len();
        let terms = [joint.paths[0][places.0].term, joint.paths[1][places.1].term];
        let runs = self.again(shape, &input)?;
        // A run that the clock cut does not come as far as the first one did.
        let branch =
            |at: usize, place: usize| runs[at].seen.path.get(place).filter(|one| one.term == terms[at]);
        let site = branch(0, places.0).and(branch(1, places.1))?.site;
        let statics = self.take_statics(&runs);
        let turning = |at: usize, place: usize| {
            let facts = Facts::new(&statics[at], &runs[at]).ok()?;
            let condition = facts.turning(place).ok()?;
            Some(condition.conjuncts.iter().map(|one| one.term).collect::<Vec<Term>>())
        };
        let both = turning(0, places.0).zip(turning(1, places.1));
        self.statics = statics.map(Some);
        let before = both.map(|(old, new)| [old, new].concat())?;
        if before.len() >= whole || !self.wished.insert((wanted, before.clone())) {
            return None;
        }
        let wish = Wish { class: question.class, before, wanted, site: Some(site) };
        let Answer::Sat(model) = self.put(shape, &input, &wish) else { return None };
        let next = input.with_model(&self.pair.pool, &model);
        self.take(shape, next, Some(question.class))
    }

    /// What the change-effect graph of an input asks for, and the answers: how its effect could get further.
    pub fn lead_on(&mut self, shape: usize, input: &Input) -> Vec<Asked> {
        let begin = self.log.len();
        for wish in self.wishes(shape, input).unwrap_or_default() {
            if !self.is_over() && self.pair.pool.as_bool(wish.wanted).is_none() {
                self.put(shape, input, &wish);
            }
        }
        self.log.split_off(begin)
    }

    /// The facts about both programs, which are prepared when they are wanted first.
    fn take_statics(&mut self, runs: &[Ran; 2]) -> [Static<'p>; 2] {
        [0, 1].map(|at| {
            let world = &runs[at].seen.world;
            let entry = runs[at].call.as_ref().map_or(world.entry.as_str(), |call| &call.function);
            self.statics[at].take().unwrap_or_else(|| Static::new(self.pair.programs()[at], &[entry]))
        })
    }

    /// An input in both versions, once more; nothing where they were stopped.
    fn again(&mut self, shape: usize, input: &Input) -> Option<[Ran; 2]> {
        let Shape { world, symbolic, .. } = &self.shapes[shape];
        let setting = Setting { world, symbolic, limits: &self.options.limits };
        let runs: [Ran; 2] = self.pair.run(setting, input).ok()?.try_into().ok()?;
        let stopped = |ran: &Ran| matches!(ran.seen.end, End::Limit(Limit::Interrupted, _));
        (!runs.iter().any(stopped)).then_some(runs)
    }
}

impl Ends {
    /// The pairs with what is asked for them, and whether any value of the statement may be the one that differs.
    fn pairs(&self) -> [(Class, bool, &BTreeSet<Both>); 3] {
        [
            (Class::Infect, false, &self.same),
            (Class::Unmask, true, &self.masked),
            (Class::Unmask, false, &self.hidden),
        ]
    }

    fn add(&mut self, side: usize, graph: &Graph, partners: &[Option<u32>]) {
        let pair = |at: u32| {
            let partner = partners[at as usize]?;
            Some(if side == 0 { (at, partner) } else { (partner, at) })
        };
        for leaf in graph.leaves() {
            self.hidden.extend(pair(leaf));
            let Some(users) = graph.others.get(&leaf) else {
                self.unused[side].insert(leaf);
                continue;
            };
            let operations = users.iter().filter(|(_, branches)| !branches);
            self.masked.extend(operations.filter_map(|(user, _)| pair(*user)));
        }
    }
}

/// What an input must fulfil to come to an executed instruction with the same operands.
fn reaching(facts: &Facts<'_, '_>, step: u64) -> Option<Vec<Term>> {
    Some(facts.reaching(step).ok()?.conjuncts.iter().map(|one| one.term).collect())
}

/// Where an executed instruction is.
fn site_of(facts: &Facts<'_, '_>, step: u64) -> Option<Site> {
    let mut site = None;
    let visit = |instance: hydrogen_trace::Instance| {
        if instance.step >= step && site.is_none() {
            site = Some(instance.site);
        }
    };
    facts.dependences().instances(visit).ok()?;
    site
}
