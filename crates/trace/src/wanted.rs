//! What members of one slice read and branches before them might have changed: [`crate::wants`] for a single criterion, where it
//! is enough to know whether anybody wants something.
//!
//! Going backwards, a cell is wanted from its reader to its last writer. What a branch might have written is a set of cells, found
//! once per branch; a branch keeps the wanted ones among them that it met, and looks again only at cells that became wanted since.

use crate::dependences::Dependences;
use crate::node::Node;
use crate::page::Record;
use crate::places::PSEUDO;
use crate::touched::Words;
use rustc_hash::FxHashMap;

/// What is wanted while going backwards, by anybody.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// By cell: since when nobody wrote it.
    since: Vec<Node>,
    /// The cells that are wanted, or were.
    bits: Vec<u64>,
    /// Cells in the order in which they became wanted, and how often this list began anew.
    news: Vec<u32>,
    epoch: u32,
    /// By activation: variables, and since when nobody wrote them.
    variables: FxHashMap<u32, Vec<(u32, Node)>>,
    /// By function and instruction: the number of the branch, and one; 0 for those that were not asked yet.
    numbers: Vec<Vec<u32>>,
    branches: Vec<Branch>,
}

/// What a branch or a store might have written.
#[derive(Debug)]
struct Branch {
    variables: Vec<u32>,
    /// Cells that are no memory, by bit.
    pseudo: u8,
    /// Cells of memory.
    words: Words,
    /// Cells of it that were wanted when it was asked last; all of those, but for news behind `seen` of `epoch`.
    met: Vec<u32>,
    seen: usize,
    epoch: u32,
}

/// Nobody wants it.
const NEVER: Node = Node::LAST;
/// News are kept up to this many; branches that have not seen them look at everything.
const MOST_NEWS: usize = 1 << 20;

impl Wanted {
    pub(crate) fn new(dependences: &Dependences<'_, '_>) -> Self {
        let count = dependences.cells.len();
        Self {
            since: vec![NEVER; count],
            bits: vec![0; count.div_ceil(64)],
            news: Vec::new(),
            epoch: 1,
            variables: FxHashMap::default(),
            numbers: vec![Vec::new(); dependences.statics.program.function_count()],
            branches: Vec::new(),
        }
    }

    pub(crate) fn variable(&mut self, frame: u32, variable: u32, since: Node) {
        let list = self.variables.entry(frame).or_default();
        match list.iter_mut().find(|one| one.0 == variable) {
            Some(known) => known.1 = known.1.min(since),
            None => list.push((variable, since)),
        }
    }

    /// Somebody at `reader`, before all that were asked so far, reads a cell that nobody wrote since.
    pub(crate) fn cell(&mut self, cell: u32, since: Node, reader: Node) {
        let known = &mut self.since[cell as usize];
        if *known >= reader {
            *known = since;
            self.bits[cell as usize / 64] |= 1 << (cell % 64);
            if self.news.len() == MOST_NEWS {
                self.news.clear();
                self.epoch += 1;
            }
            self.news.push(cell);
        } else {
            *known = (*known).min(since);
        }
    }

    /// The activation begins here: nothing before was of it.
    pub(crate) fn forget(&mut self, frame: u32) {
        self.variables.remove(&frame);
    }

    /// Whether anybody wants something that a branch or a store might have changed.
    pub(crate) fn matches(&mut self, dependences: &Dependences<'_, '_>, record: &Record<'_>) -> bool {
        let number = self.number(dependences, record);
        let Self { since, bits, variables, branches, news, epoch, .. } = self;
        let branch = &mut branches[number];
        if let Some(of_frame) = variables.get_mut(&record.frame)
            && !branch.variables.is_empty()
        {
            // What somebody wrote since is wanted by nobody before.
            of_frame.retain(|one| one.1 < record.node);
            if of_frame.iter().any(|one| branch.variables.binary_search(&one.0).is_ok()) {
                return true;
            }
        }
        branch.cell(since, bits, (news, *epoch), record.node)
    }

    /// The branch of a record, by number.
    fn number(&mut self, dependences: &Dependences<'_, '_>, record: &Record<'_>) -> usize {
        let of_function = &mut self.numbers[record.function as usize];
        if of_function.is_empty() {
            let code = dependences.statics.program.code(record.function());
            of_function.resize(code.map_or(0, |code| code.instrs.len()).max(record.pc as usize + 1), 0);
        }
        let number = &mut of_function[record.pc as usize];
        if *number == 0 {
            let missed = dependences.statics.missed(record.function(), record.pc);
            let words = dependences.touched(&missed.memory);
            let (variables, pseudo) = (missed.variables.clone(), missed.pseudo);
            self.branches.push(Branch { variables, pseudo, words, met: Vec::new(), seen: 0, epoch: 0 });
            *number = self.branches.len() as u32;
        }
        *number as usize - 1
    }
}

impl Branch {
    /// Whether a cell that it might have written is wanted at `node`.
    fn cell(
        &mut self,
        since: &mut [Node],
        bits: &mut [u64],
        (news, epoch): (&[u32], u32),
        node: Node,
    ) -> bool {
        while let Some(cell) = self.met.last() {
            if since[*cell as usize] < node {
                return true;
            }
            self.met.pop();
        }
        if self.epoch == epoch && news.len() - self.seen <= self.words.len() {
            while let Some(cell) = news.get(self.seen) {
                self.seen += 1;
                if since[*cell as usize] < node && self.has(*cell) {
                    self.met.push(*cell);
                    return true;
                }
            }
            return false;
        }
        for (word, mask) in self.words.iter().chain([&(0, u64::from(self.pseudo))]) {
            let mut common = bits[*word as usize] & mask;
            while common != 0 {
                let bit = common.trailing_zeros();
                common &= common - 1;
                let cell = *word * 64 + bit;
                if since[cell as usize] < node {
                    self.met.push(cell);
                } else {
                    // Somebody wrote it since: from here on backwards nobody wants it.
                    bits[*word as usize] &= !(1 << bit);
                    since[cell as usize] = NEVER;
                }
            }
        }
        (self.seen, self.epoch) = (news.len(), epoch);
        !self.met.is_empty()
    }

    fn has(&self, cell: u32) -> bool {
        if cell < PSEUDO {
            return self.pseudo >> cell & 1 != 0;
        }
        let at = self.words.binary_search_by_key(&(cell / 64), |one| one.0);
        at.is_ok_and(|at| self.words[at].1 >> (cell % 64) & 1 != 0)
    }
}
