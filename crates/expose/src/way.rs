//! Where a difference was born, travelled and came out.

use crate::effects::number_of;
use crate::search::Search;
use crate::types::Found;
use hydrogen_evidence::exposed::{Point, Way};
use hydrogen_machine::End;
use hydrogen_pair::{Alignment, Instances, Node, Nodes, Observable, Ran, Statement};
use hydrogen_trace::{Criterion, Dependences, OutputName, Seeds, Slice, Static};
use std::collections::BTreeSet;

/// So many statements are shown.
const MOST: usize = 12;

/// The statement of a node, as people see it.
pub(crate) fn point(nodes: &Nodes<'_>, node: Node, changed: bool) -> Point {
    let line = |program| nodes.line(program, node).map(|(file, line)| (file.to_owned(), line));
    let text = match nodes.statement(node) {
        Statement::Graph(id) => nodes.graph().label(*id),
        Statement::Elsewhere(_, name, _) => name.to_string(),
    };
    Point { lines: [line(0), line(1)], text, changed }
}

impl Search<'_, '_> {
    /// The way of a difference that was found.
    pub fn way(&mut self, found: &Found) -> Way {
        let [old, new] = &found.runs;
        let alignment = Alignment::of(&old.instances, &new.instances);
        let other = |of: &Instances, than: &Instances, partners: &[Option<u32>]| -> BTreeSet<u32> {
            let unequal = |(at, partner): &(u32, &Option<u32>)| {
                partner.is_none_or(|partner| of.all[*at as usize].values != than.all[partner as usize].values)
            };
            (0u32..).zip(partners).filter(unequal).map(|(at, _)| at).collect()
        };
        let affected = [
            other(&old.instances, &new.instances, &alignment.second_of),
            other(&new.instances, &old.instances, &alignment.first_of),
        ];
        // Where the new version does less, the old one shows it.
        let side = usize::from(affected[1].iter().any(|at| self.is_written(new, *at)));
        let ran = &found.runs[side];
        let program = self.pair.programs()[side];
        let entry = ran.call.as_ref().map_or(&ran.seen.world.entry, |call| &call.function).clone();
        let statics = Static::new(program, &[entry.as_str()]);
        let own = |at: &&u32| self.is_written(ran, **at);
        let mut steps: Vec<u32> = affected[side].iter().filter(own).copied().collect();
        if let Some(slice) = what_came_out(&statics, ran, found) {
            let used: BTreeSet<u32> = (1..=ran.seen.steps)
                .filter(|step| slice.contains(*step))
                .filter_map(|step| number_of(&ran.instances, step))
                .collect();
            let narrowed: Vec<u32> = steps.iter().filter(|at| used.contains(at)).copied().collect();
            if !narrowed.is_empty() {
                steps = narrowed;
            }
        }
        let mut seen = BTreeSet::new();
        let nodes = steps.iter().map(|at| ran.instances.all[*at as usize].node);
        let nodes: Vec<_> = nodes.filter(|node| seen.insert(*node)).collect();
        let mut points: Vec<Point> = nodes.iter().map(|node| self.point(*node)).collect();
        let left_out = points.len().saturating_sub(MOST);
        if left_out > 0 {
            points.drain(MOST / 2..MOST / 2 + left_out);
        }
        Way { points, left_out }
    }

    /// A statement as it is shown.
    pub fn point(&self, node: Node) -> Point {
        point(&self.pair.nodes, node, self.changes.contains(node))
    }

    /// Whether an instance is of a statement that the user wrote.
    fn is_written(&self, ran: &Ran, at: u32) -> bool {
        let node = ran.instances.all[at as usize].node;
        matches!(self.pair.nodes.statement(node), Statement::Graph(_))
            && (0..2).any(|program| self.pair.nodes.line(program, node).is_some())
    }
}

/// What the first thing that differs depends on in a run.
fn what_came_out(statics: &Static<'_>, ran: &Ran, found: &Found) -> Option<Slice> {
    let first = found.differences.first()?;
    let place = first.same as u64;
    let (bytes, criterion) = match &first.observable {
        Observable::Stdout if ran.outcome.stdout.len() as u64 > place => {
            (Some((1, place..place + 1)), Criterion::Bytes(1, place..place + 1))
        }
        Observable::Stderr if ran.outcome.stderr.len() as u64 > place => {
            (Some((2, place..place + 1)), Criterion::Bytes(2, place..place + 1))
        }
        Observable::Named => {
            let name = ran.outcome.named.get(first.same)?.0.to_string();
            (None, Criterion::Output(OutputName::Named(name)))
        }
        Observable::Ending if !matches!(ran.seen.end, End::Limit(..)) => (None, Criterion::End),
        _ => (None, Criterion::Everything),
    };
    let options = hydrogen_trace::Options { anywhere: ran.somewhere.clone(), bytes, ..Default::default() };
    let dependences = Dependences::new(statics, &ran.trace, &options).ok()?;
    let seeds: Seeds = dependences.find(&criterion).ok()?;
    dependences.dynamic_slice(&seeds).ok()
}
