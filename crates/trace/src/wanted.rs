//! What members of one slice read and branches before them might have changed: [`crate::wants`] for a single criterion, where it
//! is enough to know whether anybody wants something.
//!
//! Cells are bits, and so is what a branch might have written, found once per branch; a question is an intersection.

use crate::dependences::Dependences;
use crate::effects::Missed;
use crate::node::Node;
use crate::places::PSEUDO;
use crate::records::Record;
use hydrogen_flow::ObjectId;
use rustc_hash::FxHashMap;

/// What is wanted while going backwards, by anybody.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// By cell: since when nobody wrote it.
    since: Vec<Node>,
    /// The cells that are wanted, or were.
    bits: Vec<u64>,
    /// By activation: variables, and since when nobody wrote them.
    variables: FxHashMap<u32, Vec<(u32, Node)>>,
    branches: FxHashMap<(u32, u32), Branch>,
    /// The cells of each object.
    cells: FxHashMap<ObjectId, Vec<u32>>,
}

/// What a branch or a store might have written.
#[derive(Debug)]
struct Branch {
    variables: Vec<u32>,
    /// Words of bits with something in them.
    words: Vec<(u32, u64)>,
    /// Where the last question found something: often the next one does too.
    hint: usize,
}

/// Nobody wants it.
const NEVER: Node = Node::LAST;

impl Wanted {
    pub(crate) fn new(dependences: &Dependences<'_, '_>) -> Self {
        let count = dependences.cells.len();
        let mut cells: FxHashMap<ObjectId, Vec<u32>> = FxHashMap::default();
        for (number, cell) in (0u32..).zip(&dependences.cells).skip(PSEUDO as usize) {
            cells.entry(cell.place.object).or_default().push(number);
        }
        Self {
            since: vec![NEVER; count],
            bits: vec![0; count.div_ceil(64)],
            variables: FxHashMap::default(),
            branches: FxHashMap::default(),
            cells,
        }
    }

    pub(crate) fn variable(&mut self, frame: u32, variable: u32, since: Node) {
        let list = self.variables.entry(frame).or_default();
        match list.iter_mut().find(|one| one.0 == variable) {
            Some(known) => known.1 = known.1.min(since),
            None => list.push((variable, since)),
        }
    }

    pub(crate) fn cell(&mut self, cell: u32, since: Node) {
        let known = &mut self.since[cell as usize];
        *known = (*known).min(since);
        self.bits[cell as usize / 64] |= 1 << (cell % 64);
    }

    /// The activation begins here: nothing before was of it.
    pub(crate) fn forget(&mut self, frame: u32) {
        self.variables.remove(&frame);
    }

    /// Whether anybody wants something that a branch or a store might have changed.
    pub(crate) fn matches(&mut self, dependences: &Dependences<'_, '_>, record: &Record) -> bool {
        let Self { since, bits, variables, branches, cells } = self;
        let branch = branches.entry((record.function, record.pc)).or_insert_with(|| {
            let missed = dependences.statics.missed(record.function(), record.pc);
            Branch::new(dependences, cells, &missed)
        });
        let of_frame = variables.get(&record.frame).map_or(&[][..], Vec::as_slice);
        let variable =
            |one: &(u32, Node)| one.1 < record.node && branch.variables.binary_search(&one.0).is_ok();
        if of_frame.iter().any(variable) {
            return true;
        }
        let count = branch.words.len();
        for index in (branch.hint..count).chain(0..branch.hint) {
            let (word, mask) = branch.words[index];
            let mut common = bits[word as usize] & mask;
            while common != 0 {
                let bit = common.trailing_zeros();
                let cell = word as usize * 64 + bit as usize;
                if since[cell] < record.node {
                    branch.hint = index;
                    return true;
                }
                // Somebody wrote it since: from here on backwards nobody wants it.
                common &= common - 1;
                bits[word as usize] &= !(1 << bit);
                since[cell] = NEVER;
            }
        }
        false
    }
}

impl Branch {
    fn new(
        dependences: &Dependences<'_, '_>,
        cells: &FxHashMap<ObjectId, Vec<u32>>,
        missed: &Missed,
    ) -> Self {
        let statics = dependences.statics;
        let mut found: Vec<u32> = (0..PSEUDO).filter(|cell| missed.pseudo >> cell & 1 != 0).collect();
        let mut look = |object: ObjectId| {
            let of_object = cells.get(&object).map_or(&[][..], Vec::as_slice);
            let may = |cell: &&u32| statics.may_write(missed, **cell, &dependences.cells[**cell as usize]);
            found.extend(of_object.iter().filter(may));
        };
        match missed.unknown {
            true => cells.keys().for_each(|object| look(*object)),
            false => {
                missed.memory.keys().for_each(|object| look(*object));
                look(ObjectId::UNKNOWN);
            }
        }
        found.sort_unstable();
        let mut words: Vec<(u32, u64)> = Vec::new();
        for cell in found {
            let (word, bit) = (cell / 64, 1 << (cell % 64));
            match words.last_mut() {
                Some(last) if last.0 == word => last.1 |= bit,
                _ => words.push((word, bit)),
            }
        }
        Self { variables: missed.variables.clone(), words, hint: 0 }
    }
}
