//! Both versions piece by piece, from one place that they share to the next.
//!
//! Where most of a function did not change, this is all there is to do: variables with the same name or the same value are carried from place to place, equal
//! code makes the same terms of them, and a solver is asked about what changed alone. A place at which something does not follow is left out together
//! with its neighbours, so that the piece around it becomes larger, until the proof stands or nothing is left to leave out.

use crate::{
    Obstacle,
    align::Alignment,
    certificate::{Certificate, Relations},
    code::{Code, Jumps, Reading, Var},
    context::Side,
    matched::matched,
    pair::Options,
    prepare::{Prepared, prepare},
    prove::{Failure, Prover, partners, sorted},
    relation::{Fact, Operand, Order, Places, Relation},
    required::is_end,
    segment::{End, Loops, Runner, Target},
    subject::Subject,
    variables::number,
    verdict::{Method, Proof},
    ways,
};
use hydrogen_term::{Engine, Limits, Op, Term, standard};
use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    time::{Duration, Instant},
};

/// Times that places are left out.
const MOST_TRIES: usize = 12;
/// Work and time for one question: the pieces are small.
const WORK: u64 = 400_000;
const QUESTION: Duration = Duration::from_secs(6);
/// Conditions that are carried on to one place.
const MOST_FACTS: usize = 24;
/// Functions with fewer nodes are compared as a whole.
const FEWEST_NODES: usize = 12;

/// Where a proof stopped.
struct Stuck {
    from: Places,
    to: Option<Places>,
    words: String,
}

/// Pairs of nodes that are the same place; some are heads of loops, which stay cuts in any case.
struct Cuts {
    pairs: Vec<(usize, usize)>,
    loops: (BTreeSet<usize>, BTreeSet<usize>),
}

impl Cuts {
    fn put_into(&self, old: &mut Code, new: &mut Code) {
        old.heads = self.loops.0.iter().copied().chain(self.pairs.iter().map(|pair| pair.0)).collect();
        new.heads = self.loops.1.iter().copied().chain(self.pairs.iter().map(|pair| pair.1)).collect();
    }

    /// The cuts that a certificate has to name.
    fn extra(&self) -> Vec<(usize, usize)> {
        let is_loop =
            |pair: &&(usize, usize)| self.loops.0.contains(&pair.0) && self.loops.1.contains(&pair.1);
        self.pairs.iter().filter(|pair| !is_loop(pair)).copied().collect()
    }

    /// Whether both versions may be at these places at once: they belong together, or are heads of loops that belong to no others.
    fn go_together(&self, to: Places) -> bool {
        let (Target::Head(a), Target::Head(b)) = to else { return false };
        match self.pairs.iter().find(|pair| pair.0 == a || pair.1 == b) {
            Some(&pair) => pair == (a, b),
            None => true,
        }
    }

    /// Leaves out the pairs near a place; whether there were any.
    fn leave_out(&mut self, stuck: &Stuck, around: usize) -> bool {
        let places = [Some(stuck.from), stuck.to];
        let is_there = |pair: &(usize, usize)| {
            let is = |places: &Places| places.0 == Target::Head(pair.0) || places.1 == Target::Head(pair.1);
            places.iter().flatten().any(is)
        };
        let is_loop =
            |pair: &(usize, usize)| self.loops.0.contains(&pair.0) || self.loops.1.contains(&pair.1);
        let hit: Vec<usize> = (0..self.pairs.len()).filter(|&at| is_there(&self.pairs[at])).collect();
        let near = |at: usize| hit.iter().any(|hit| at.abs_diff(*hit) <= around);
        let before = self.pairs.len();
        let mut at = 0;
        let kept: Vec<(usize, usize)> = std::mem::take(&mut self.pairs)
            .into_iter()
            .filter(|pair| {
                at += 1;
                !near(at - 1) || is_loop(pair)
            })
            .collect();
        self.pairs = kept;
        self.pairs.len() < before
    }
}

/// Tries to prove two functions equal piece by piece; none where that does not lead to a proof.
pub(crate) fn prove(
    old: Subject,
    new: Subject,
    options: &Options,
    deadline: Instant,
) -> Result<Option<Proof>, Obstacle> {
    let reading = Reading::plain(Jumps::Never);
    let Prepared { old: mut a, new: mut b, mut context, lemmas, old_addresses, new_addresses } =
        prepare(old, new, &options.alike, options.reaches.clone(), reading.jumps)?;
    if a.nodes.len().min(b.nodes.len()) < FEWEST_NODES {
        return Ok(None);
    }
    context.deadline = Some(deadline);
    let mut cuts = Cuts { pairs: matched(&a, &b), loops: (a.heads.clone(), b.heads.clone()) };
    let has_loops = !cuts.loops.0.is_empty() || !cuts.loops.1.is_empty();
    let has_floats = ways::computes_with_floats(&a) || ways::computes_with_floats(&b);
    for round in 0..MOST_TRIES {
        cuts.put_into(&mut a, &mut b);
        let runner = |code, side, addresses: &[u64]| Runner {
            code,
            side,
            addresses: addresses.to_vec(),
            loops: Loops::Cut,
            reader: None,
        };
        let (one, other) = (runner(&a, Side::Old, &old_addresses), runner(&b, Side::New, &new_addresses));
        let limits = Limits { time: QUESTION, work: WORK, ..Limits::default() };
        let mut engine = Engine::new(standard(), limits).alone();
        engine.set_deadline(deadline);
        let mut prover = Prover::new(&mut context, &mut engine, one, other, deadline);
        prover.assume_defined = options.assume_defined;
        prover.by_form = true;
        prover.unfolds = true;
        let mut relations = BTreeMap::from([((Target::Entry, Target::Entry), Relation::default())]);
        let stuck = match prover.in_lockstep(&cuts, &mut relations)? {
            Ok(()) => {
                let method = match (prover.asked, has_loops) {
                    (0, _) => Method::SameForm,
                    (_, true) => Method::Induction,
                    (_, false) => Method::Paths,
                };
                let (obligations, asked) = (prover.obligations, prover.asked);
                let mut ledger = ways::ledger(has_loops || ways::calls_itself(old), has_floats, options);
                if ways::calls_maths(&a) || ways::calls_maths(&b) {
                    ledger.push(ways::MATHS.to_owned());
                }
                if !prover.kinds_of_faults {
                    ledger.insert(0, ways::ANY_FAULT.to_owned());
                }
                let alignment = in_step();
                let certificate = Relations::new(
                    (old, new),
                    &lemmas,
                    (reading, cuts.extra()),
                    options.assume_defined,
                    &alignment,
                    &relations,
                );
                let certificate = certificate.map(Certificate::Relations);
                return Ok(Some(Proof { method, lemmas, ledger, obligations, asked, certificate }));
            }
            Err(stuck) => stuck,
        };
        tracing::debug!(
            "piece by piece, {} places: stuck at {:?} to {:?}: {}",
            cuts.pairs.len(),
            stuck.from,
            stuck.to,
            stuck.words
        );
        if Instant::now() >= deadline || !cuts.leave_out(&stuck, round * round / 2) {
            break;
        }
    }
    Ok(None)
}

fn in_step() -> Alignment {
    Alignment { lead: Side::New, steps: BTreeMap::new(), stride: 1 }
}

impl Prover<'_, '_, '_> {
    /// Goes from place to place. A pair of places is looked at again when less is known there than before, so that at the end every step was taken with
    /// what is known in the end.
    fn in_lockstep(
        &mut self,
        cuts: &Cuts,
        relations: &mut BTreeMap<Places, Relation>,
    ) -> Result<Result<(), Stuck>, Obstacle> {
        let alignment = in_step();
        let order = |places: &Places, prover: &Self| match places.0 {
            Target::Head(node) => (prover.old.code.position[node] + 1, *places),
            _ => (0, *places),
        };
        let entry = (Target::Entry, Target::Entry);
        let mut open = BTreeSet::from([order(&entry, self)]);
        let none = BTreeSet::new();
        while let Some((_, places)) = open.pop_first() {
            if Instant::now() > self.deadline {
                return Err(Obstacle::new("the time is over"));
            }
            let start = self.start(places, &relations[&places]);
            let (leader, followers) = self.segments(&alignment, places, &start)?;
            let stuck = |to: Option<Places>, failure: Failure| {
                Ok(Err(Stuck { from: places, to, words: failure.words().to_owned() }))
            };
            if let Err(failure) = self.as_said(&start, &leader, &followers) {
                return stuck(None, failure);
            }
            for (lead, follower) in leader.ends.iter().zip(&followers) {
                let ends: Vec<&End> = partners(lead, follower).collect();
                for end in ends {
                    let premises: Vec<Term> = self.premises(&start, &leader, follower, lead, end);
                    let (old, new) = sorted(alignment.lead, lead, end);
                    let to = (old.target, new.target);
                    let outcome = match to {
                        to if is_end(to) => self.ends(&premises, old, new),
                        to if cuts.go_together(to) => {
                            if let Entry::Vacant(free) = relations.entry(to) {
                                free.insert(self.carried(to, old, new));
                                open.insert(order(&to, self));
                            }
                            let atoms = relations[&to].atoms();
                            let failed = self.unfounded(&premises, (old, new), &atoms);
                            if !failed.is_empty() {
                                open.insert(order(&to, self));
                                let relation = relations.get_mut(&to).expect("it was put there");
                                failed.iter().for_each(|atom| relation.drop(atom));
                            }
                            self.cut(&premises, old, new, &none)
                        }
                        _ => self.never(&premises, old, new, "places that do not belong together"),
                    };
                    if let Err(failure) = outcome {
                        return stuck(Some(to), failure);
                    }
                }
            }
            if let Err(failure) = self.faults(&alignment, &start, &leader, &followers) {
                return stuck(None, failure);
            }
        }
        Ok(Ok(()))
    }

    /// What is carried on from place to place: variables that have the same name, or held the same when they came here first, and local objects.
    fn carried(&mut self, to: Places, old: &End, new: &End) -> Relation {
        let mut relation = self.by_arrival(to, old, new);
        relation.facts = self.on_the_way(old);
        relation
    }

    /// What branches on the way have said of the old version's variables: comparisons with each other and with numbers.
    fn on_the_way(&self, old: &End) -> BTreeSet<Fact> {
        let pool = &self.context.pool;
        let holders: BTreeMap<Term, Var> =
            old.state.values.keys().filter_map(|&var| Some((number(&old.state, var)?, var))).collect();
        let operand = |term: Term| match pool.as_bits(term) {
            Some(bits) => Some(Operand::Number(bits)),
            None => holders.get(&term).map(|&var| Operand::Old(var)),
        };
        let known = crate::prove::conjuncts(pool, old.guard);
        let facts = known.into_iter().filter_map(|one| {
            let (is_denied, inner) = match pool.op(one) {
                Op::Not => (true, pool.args(one)[0]),
                _ => (false, one),
            };
            let [a, b] = pool.args(inner) else { return None };
            let (left, right) = (operand(*a)?, operand(*b)?);
            let (order, left, right) = match (pool.op(inner), is_denied) {
                (Op::Slt, false) => (Order::SignedStrictly, left, right),
                (Op::Slt, true) => (Order::Signed, right, left),
                (Op::Ult, false) => (Order::UnsignedStrictly, left, right),
                (Op::Ult, true) => (Order::Unsigned, right, left),
                (Op::Eq, false) => (Order::Equal, left, right),
                (Op::Eq, true) => (Order::Different, left, right),
                _ => return None,
            };
            Some(Fact { order, left, right })
        });
        facts.take(MOST_FACTS).collect()
    }
}
