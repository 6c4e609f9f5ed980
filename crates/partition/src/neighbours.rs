//! The neighbours of a cell (Alg. 4): what is turned around, and what that promises.

use crate::convergence::Hints;
use crate::joint::{Atom, Turn};
use crate::queue::{Class, Question};
use crate::search::{Method, Partitioner};
use crate::watch::Seen;
use hydrogen_explore::{Conjunct, Kind};
use hydrogen_machine::Site;
use hydrogen_term::Term;

impl Partitioner<'_> {
    /// The neighbours of a run (Alg. 4), by what they promise.
    pub(crate) fn add_questions(
        &mut self,
        atoms: &[Atom],
        nodes: &[u32],
        (runs, hints): (&[Seen], &Hints),
        same: bool,
    ) {
        let run = self.known.len();
        let any = runs.iter().any(|one| !one.executed.is_empty());
        for (at, atom) in atoms.iter().enumerate().rev() {
            if atom.turn != Turn::Ask {
                continue;
            }
            let class = match atom.of {
                None if same => Class::Differs,
                None => Class::Other,
                Some((version, conjunct)) => {
                    let behind = runs[version].first.is_some_and(|first| first <= conjunct.instance);
                    let reaches = || self.distances[version].other_side(&conjunct).is_some();
                    // Where runs become the same again, the other side may keep them apart.
                    let side = match version {
                        0 => Some(0),
                        last if last + 1 == runs.len() => Some(1),
                        _ => None,
                    };
                    match () {
                        () if side.is_some_and(|at| hints.decide[at].contains(&conjunct.instance)) => {
                            Class::Differs
                        }
                        () if behind => Class::Propagates,
                        () if reaches() && conjunct.kind != Kind::NoFault => Class::Reaches,
                        () => Class::Other,
                    }
                }
            };
            if self.options.method == Method::PathsToChanges && class == Class::Other && !any {
                continue;
            }
            if self.tree.is_new(&mut self.found.pool, nodes[at], atom.term) {
                let fresh = atom.of.is_some_and(|(version, conjunct)| self.is_fresh(version, &conjunct));
                self.queue.add(class, fresh, Question { run, at, node: nodes[at] });
            }
        }
    }

    /// Whether nobody executed the other side of a user's branch yet. A side that cannot be reached is no longer preferred after a while.
    pub(crate) fn is_fresh(&mut self, version: usize, conjunct: &Conjunct) -> bool {
        const MOST_TRIES: u32 = 24;
        let (program, function) = (self.subject.programs[version], conjunct.site.function);
        let Some(code) = program.code(function).filter(|_| program.is_users(function)) else { return false };
        let Some(instr) = code.instrs.get(conjunct.site.pc as usize) else { return false };
        let sides = code.targets(instr).unwrap_or_default();
        let other =
            sides.into_iter().filter(|pc| Some(*pc) != conjunct.taken).map(|pc| Site { function, pc });
        let new: Vec<Site> = other.filter(|site| !self.coverage[version].has(*site)).collect();
        let Some(side) = new.first() else { return false };
        let tries = self.tries.entry((version, *side)).or_insert(0);
        *tries += 1;
        *tries <= MOST_TRIES
    }

    /// The conditions of a cell without what follows from the others, for people; at most so many are looked at.
    pub fn shortened(&mut self, cell: usize, most: usize) -> Vec<Term> {
        let mut kept = self.found.cells[cell].condition.clone();
        let mut at = kept.len().min(most);
        while at > 0 {
            at -= 1;
            let others: Vec<Term> =
                kept.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, term)| *term).collect();
            if self.asker.must_hold(&mut self.found.pool, &others, kept[at]) {
                kept.remove(at);
            }
        }
        kept
    }
}
