//! What of a program was executed.

use hydrogen_machine::{FuncId, Program, Site};
use std::collections::{BTreeMap, BTreeSet};

/// The executed instructions of the user's functions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// By function, a bit per instruction; empty for functions that are not the user's.
    functions: Vec<Vec<u64>>,
    users: Vec<bool>,
}

impl Coverage {
    /// Nothing executed yet.
    pub fn new(program: &Program) -> Self {
        let users = program.ids().map(|id| program.is_users(id)).collect();
        Self { functions: Vec::new(), users }
    }

    pub(crate) fn enter(&mut self, function: FuncId) {
        let index = function.0 as usize;
        if self.functions.len() <= index {
            self.functions.resize(index + 1, Vec::new());
        }
    }

    pub(crate) fn step(&mut self, site: Site) {
        let index = site.function.0 as usize;
        if !self.users.get(index).copied().unwrap_or(false) {
            return;
        }
        let Some(bits) = self.functions.get_mut(index) else { return };
        let word = site.pc as usize / 64;
        if bits.len() <= word {
            bits.resize(word + 1, 0);
        }
        bits[word] |= 1 << (site.pc % 64);
    }

    /// Whether an instruction was executed.
    pub fn has(&self, site: Site) -> bool {
        let bits = self.functions.get(site.function.0 as usize);
        let word = bits.and_then(|bits| bits.get(site.pc as usize / 64));
        word.is_some_and(|word| word & 1 << (site.pc % 64) != 0)
    }

    /// Adds what another run executed; gives how many instructions are new.
    pub fn add(&mut self, other: &Coverage) -> u64 {
        let mut new = 0;
        if self.functions.len() < other.functions.len() {
            self.functions.resize(other.functions.len(), Vec::new());
        }
        for (mine, theirs) in self.functions.iter_mut().zip(&other.functions) {
            if mine.len() < theirs.len() {
                mine.resize(theirs.len(), 0);
            }
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                new += u64::from((theirs & !*mine).count_ones());
                *mine |= theirs;
            }
        }
        new
    }

    /// How many instructions another run executed that are not here.
    pub fn lacks(&self, other: &Coverage) -> u64 {
        let pairs = other.functions.iter().enumerate();
        let one = |(index, theirs): (usize, &Vec<u64>)| {
            let mine = self.functions.get(index).map_or(&[][..], |bits| bits.as_slice());
            let words = theirs.iter().enumerate();
            words.map(|(at, word)| u64::from((word & !mine.get(at).unwrap_or(&0)).count_ones())).sum::<u64>()
        };
        pairs.map(one).sum()
    }

    /// Whether a function was called.
    pub fn called(&self, function: FuncId) -> bool {
        self.functions.get(function.0 as usize).is_some_and(|bits| bits.iter().any(|word| *word != 0))
    }

    /// The source lines of the user's functions that were called: by file, those that have code, and whether they were
    /// executed.
    pub fn lines(&self, program: &Program) -> BTreeMap<String, BTreeMap<u32, bool>> {
        let mut files: BTreeMap<String, BTreeMap<u32, bool>> = BTreeMap::new();
        let mut done = BTreeSet::new();
        for id in program.ids().filter(|id| self.called(*id)) {
            let Some(code) = program.code(id) else { continue };
            for pc in 0..code.instrs.len() as u32 {
                let site = Site { function: id, pc };
                let place = program.place(site);
                if place.line == 0 {
                    continue;
                }
                let executed = self.has(site);
                if done.insert((place.file.clone(), place.line, executed)) {
                    *files.entry(place.file).or_default().entry(place.line).or_insert(false) |= executed;
                }
            }
        }
        files
    }

    /// The user's functions with a body: how many were called, and how many there are.
    pub fn functions(&self, program: &Program) -> (usize, usize) {
        let all = || program.ids().filter(|id| program.is_users(*id));
        (all().filter(|id| self.called(*id)).count(), all().count())
    }

    /// How many instructions were executed.
    pub fn count(&self) -> u64 {
        self.functions.iter().flatten().map(|word| u64::from(word.count_ones())).sum()
    }
}
