//! Whether a changed branch decided as the one did that stood in its place, execution by execution. A change that rewrites many tests and
//! gets one wrong is told apart by this: the others decide as before.

use crate::changed::Changed;
use crate::spot::{decides, partner_of};
use hydrogen_align::{IndexId, Level};
use hydrogen_evidence::why::{Did, Side};
use hydrogen_pair::{Node, Pair, Ran, Statement};
use rustc_hash::FxHashMap;

/// So many executions of a branch are compared.
const MOST_COMPARED: usize = 200;
/// So many executed statements are looked through for where a branch led.
const MOST_PASSED: usize = 20_000;

/// What changed branches did, by node; nothing is known of the others.
#[derive(Debug, Default)]
pub(crate) struct Dids {
    all: FxHashMap<Node, Did>,
}

impl Dids {
    /// What is known of a branch; nothing where nothing stands in its place.
    pub(crate) fn of(&self, node: Node) -> Option<Did> {
        self.all.get(&node).copied()
    }

    pub(crate) fn new(pair: &Pair<'_>, changed: &Changed, runs: [&Ran; 2]) -> Self {
        let mut looks = runs.map(|ran| Look::new(pair, changed, ran));
        let mut found = Self::default();
        // The earliest step of the new run at which a branch does something else, and the two branches.
        let mut first: Option<(u64, [Node; 2])> = None;
        let own: Vec<Node> = looks[1].executions.keys().copied().collect();
        for new in own {
            let Some(old) = partner_of(&pair.nodes, changed, Side::New, new) else { continue };
            if !is_branch(pair, new) || !is_branch(pair, old) {
                continue;
            }
            let (did, step) = compared(&mut looks, [old, new]);
            found.all.insert(old, did);
            found.all.insert(new, did);
            if let Some(step) = step.filter(|step| first.is_none_or(|(known, _)| *step < known)) {
                first = Some((step, [old, new]));
            }
        }
        // What only the old run comes to, where the new version has something in its place, comes behind the parting.
        let gone: Vec<Node> = looks[0].executions.keys().copied().collect();
        for old in gone.into_iter().filter(|old| is_branch(pair, *old)) {
            if let Some(new) = partner_of(&pair.nodes, changed, Side::Old, old)
                && !looks[1].executions.contains_key(&new)
            {
                found.all.entry(old).or_insert(Did::OneSided);
            }
        }
        for node in first.into_iter().flat_map(|(_, both)| both) {
            found.all.insert(node, Did::First);
        }
        found
    }
}

fn is_branch(pair: &Pair<'_>, node: Node) -> bool {
    match pair.nodes.statement(node) {
        Statement::Graph(id) => decides(pair.nodes.graph(), *id),
        Statement::Elsewhere(..) => false,
    }
}

/// What two branches that stand for each other did, and the step of the new run at which they did something else first.
fn compared(looks: &mut [Look<'_, '_>; 2], [old, new]: [Node; 2]) -> (Did, Option<u64>) {
    let both = [(0, old), (1, new)].map(|(run, node)| looks[run].executions.get(&node).cloned());
    let [Some(before), Some(now)] = both else { return (Did::OneSided, None) };
    for (one, two) in before.iter().zip(&now).take(MOST_COMPARED) {
        match (looks[0].next(*one), looks[1].next(*two)) {
            (Next::Unknown, _) | (_, Next::Unknown) => return (Did::Unknown, None),
            (one, two) if one == two => {}
            _ => return (Did::Unknown, Some(looks[1].ran.instances.all[*two as usize].step)),
        }
    }
    let whole = before.len().max(now.len()) <= MOST_COMPARED;
    (if whole { Did::Alike } else { Did::Unknown }, None)
}

/// Where a branch led.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// To this statement of both versions.
    Statement(Node),
    /// Out of the function.
    Out,
    /// Through something that changed, too, or too far.
    Unknown,
}

/// A run that is looked at.
struct Look<'a, 'p> {
    pair: &'a Pair<'p>,
    changed: &'a Changed,
    ran: &'a Ran,
    /// The positions of the changed statements that were executed.
    executions: FxHashMap<Node, Vec<u32>>,
    /// The activation that an index lies in, where it was asked for.
    activations: FxHashMap<IndexId, IndexId>,
}

impl<'a, 'p> Look<'a, 'p> {
    fn new(pair: &'a Pair<'p>, changed: &'a Changed, ran: &'a Ran) -> Self {
        let mut executions: FxHashMap<Node, Vec<u32>> = FxHashMap::default();
        for (at, instance) in (0u32..).zip(&ran.instances.all) {
            if changed.has(instance.node) && !changed.is_moved(instance.node) {
                let own = executions.entry(instance.node).or_default();
                if own.len() <= MOST_COMPARED {
                    own.push(at);
                }
            }
        }
        Self { pair, changed, ran, executions, activations: FxHashMap::default() }
    }

    /// The call of a function that an index lies in.
    fn activation(&mut self, index: IndexId) -> IndexId {
        if let Some(known) = self.activations.get(&index) {
            return *known;
        }
        let (mut at, mut passed) = (index, Vec::new());
        let found = loop {
            if let Some(known) = self.activations.get(&at) {
                break *known;
            }
            passed.push(at);
            match self.pair.indices.last(at) {
                Some((_, Level::Call { .. })) | None => break at,
                Some((above, _)) => at = above,
            }
        };
        self.activations.extend(passed.into_iter().map(|index| (index, found)));
        found
    }

    /// The statement of both versions that comes behind an instance in the same call.
    fn next(&mut self, position: u32) -> Next {
        let ran = self.ran;
        let own = self.activation(ran.instances.all[position as usize].index);
        let caller = self.pair.indices.last(own).map(|(above, _)| self.activation(above));
        let behind = ran.instances.all[position as usize + 1..].iter().take(MOST_PASSED);
        for instance in behind {
            let here = self.activation(instance.index);
            if Some(here) == caller {
                return Next::Out;
            }
            if here != own {
                continue;
            }
            match self.pair.nodes.is_shared(instance.node) && !self.changed.has(instance.node) {
                true => return Next::Statement(instance.node),
                // The other parts of a condition lead on; what else changed may do anything.
                false if is_branch(self.pair, instance.node) => {}
                false => return Next::Unknown,
            }
        }
        match behind_end(ran, position) {
            true => Next::Out,
            false => Next::Unknown,
        }
    }
}

/// Whether the run ends so soon behind an instance that all of the rest was looked at.
fn behind_end(ran: &Ran, position: u32) -> bool {
    ran.instances.cut.is_none() && ran.instances.all.len() - position as usize <= MOST_PASSED
}
