//! Cuts a body into straight runs of one piece each, and finds how control goes from run to run.

use super::assign::Assignment;
use super::blocks::{Blocks, constant_target};
use super::thread::{Known, Threads};
use hydrogen_ir::{BlockId, Body, Const, ConstId, EdgeKind, InstructionId, Op};

/// Where control goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Landing {
    /// Into a run.
    Run(usize),
    /// Round and round without doing anything.
    Forever,
}

/// Instructions of one piece that run one after the other.
pub(super) struct Run {
    /// The piece of the source's graph.
    pub(super) piece: usize,
    /// The instructions that count.
    pub(super) instructions: Vec<usize>,
    /// Where control goes afterwards, and under which outcome as compiled.
    pub(super) onward: Vec<(EdgeKind, Landing)>,
}

/// The runs of a body.
pub(super) struct Runs {
    pub(super) runs: Vec<Run>,
    /// Where control goes from the entry.
    pub(super) start: Vec<(EdgeKind, Landing)>,
}

impl Runs {
    pub(super) fn new(
        body: &Body,
        blocks: &Blocks,
        assignment: &Assignment,
        threads: &Threads,
        constants: &[Const],
    ) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        let mut first: Vec<Option<usize>> = vec![None; body.blocks.len()];
        let mut last: Vec<Option<usize>> = vec![None; body.blocks.len()];
        // In the order of the text, which is the order that readers expect parts in.
        for block in (0..body.blocks.len()).filter(|&block| blocks.reached[block]) {
            for id in body.instructions_of(BlockId::at(block)).map(InstructionId::index) {
                if !assignment.counts[id] {
                    continue;
                }
                let piece = assignment.piece[id];
                match last[block] {
                    Some(run) if runs[run].piece == piece => runs[run].instructions.push(id),
                    before => {
                        let run = runs.len();
                        runs.push(Run { piece, instructions: vec![id], onward: Vec::new() });
                        if let Some(before) = before {
                            runs[before].onward = vec![(EdgeKind::Next, Landing::Run(run))];
                        }
                        first[block].get_or_insert(run);
                        last[block] = Some(run);
                    }
                }
            }
        }
        let flow = Flow { body, constants, threads, first: &first };
        for block in (0..body.blocks.len()).filter(|&block| blocks.reached[block]) {
            if let Some(run) = last[block] {
                runs[run].onward = flow.outcomes(block);
            }
        }
        let start =
            if body.blocks.is_empty() { Vec::new() } else { flow.land(EdgeKind::Next, 0, 0, Known::new()) };
        let mut found = Self { runs, start };
        found.merge();
        found
    }

    /// Joins a run with the only one that leads to it, if both belong to one piece.
    fn merge(&mut self) {
        let mut incoming = vec![0; self.runs.len()];
        let ways = self.runs.iter().flat_map(|run| &run.onward).chain(&self.start);
        for (_, landing) in ways {
            if let Landing::Run(to) = landing {
                incoming[*to] += 1;
            }
        }
        let mut into: Vec<usize> = (0..self.runs.len()).collect();
        for run in 0..self.runs.len() {
            let mut at = run;
            while !self.runs[at].instructions.is_empty()
                && let [(_, Landing::Run(next))] = self.runs[at].onward[..]
                && next != at
                && incoming[next] == 1
                && self.runs[next].piece == self.runs[at].piece
                && !self.runs[next].instructions.is_empty()
            {
                let taken = std::mem::take(&mut self.runs[next].instructions);
                let onward = std::mem::take(&mut self.runs[next].onward);
                self.runs[at].instructions.extend(taken);
                self.runs[at].onward = onward;
                into[next] = at;
                at = run;
            }
        }
        self.renumber(&into);
    }

    fn renumber(&mut self, into: &[usize]) {
        let mut number = vec![0; into.len()];
        let mut next = 0;
        for (run, &to) in into.iter().enumerate() {
            if to == run {
                number[run] = next;
                next += 1;
            }
        }
        let mut kept = std::mem::take(&mut self.runs);
        let mut index = 0;
        kept.retain(|_| {
            index += 1;
            into[index - 1] == index - 1
        });
        self.runs = kept;
        let ways = self.runs.iter_mut().flat_map(|run| &mut run.onward).chain(&mut self.start);
        for (_, landing) in ways {
            if let Landing::Run(to) = landing {
                *to = number[*to];
            }
        }
    }
}

/// Follows control through blocks in which nothing counts.
struct Flow<'a> {
    body: &'a Body,
    constants: &'a [Const],
    threads: &'a Threads<'a>,
    first: &'a [Option<usize>],
}

impl Flow<'_> {
    fn outcomes(&self, block: usize) -> Vec<(EdgeKind, Landing)> {
        let mut out: Vec<(EdgeKind, Landing)> = Vec::new();
        for (kind, target) in self.targets(block) {
            out.extend(self.land(kind, block, target, Known::new()));
        }
        out
    }

    fn targets(&self, block: usize) -> Vec<(EdgeKind, usize)> {
        let op = &self.body.terminator(BlockId::at(block)).op;
        if let Some(target) = constant_target(op, self.constants) {
            return vec![(EdgeKind::Next, target.index())];
        }
        match op {
            Op::Jump { target } => vec![(EdgeKind::Next, target.index())],
            Op::Branch { then, otherwise, .. } => {
                vec![(EdgeKind::True, then.index()), (EdgeKind::False, otherwise.index())]
            }
            Op::Switch { default, cases, .. } => std::iter::once((EdgeKind::Default, default.index()))
                .chain(cases.iter().map(|case| (EdgeKind::Case(self.label(case.value)), case.target.index())))
                .collect(),
            Op::AsmBranch { next, targets, .. } => std::iter::once((EdgeKind::Next, next.index()))
                .chain(targets.iter().map(|target| (EdgeKind::Indirect, target.index())))
                .collect(),
            op => op.successors().into_iter().map(|target| (EdgeKind::Indirect, target.index())).collect(),
        }
    }

    /// Where control arrives that goes from one block to another; more than one place behind a shared computed
    /// `goto`, or behind a branch that is seen through.
    fn land(&self, kind: EdgeKind, from: usize, block: usize, mut known: Known) -> Vec<(EdgeKind, Landing)> {
        let mut seen = vec![block];
        let (mut from, mut at) = (from, block);
        loop {
            if let Some(run) = self.first[at] {
                return vec![(kind, Landing::Run(run))];
            }
            self.threads.enter(from, at, &mut known);
            let mut targets = self.targets(at);
            if self.threads.sees_through(at)
                && let Some(next) = self.threads.decided(at, &known)
            {
                targets = vec![(EdgeKind::Next, next)];
            }
            match targets.as_slice() {
                [] => return Vec::new(),
                [(EdgeKind::Next, next)] if seen.contains(next) => return vec![(kind, Landing::Forever)],
                [(EdgeKind::Next, next)] => (from, at) = (at, *next),
                _ => {
                    let land = |(kind, next)| self.land(kind, at, next, known.clone());
                    return targets.into_iter().flat_map(land).collect();
                }
            }
            seen.push(at);
        }
    }

    /// The value of a `case` as people write it.
    fn label(&self, value: ConstId) -> String {
        match self.constants.get(value.index()) {
            Some(Const::Int { bits, .. }) => {
                // The width is not at hand; what looks negative in 32 or 64 bits is shown so.
                match *bits {
                    bits if bits >> 32 == 0 => (bits as u32 as i32).to_string(),
                    bits => (bits as u64 as i64).to_string(),
                }
            }
            _ => "?".to_owned(),
        }
    }
}
