//! What a question looks at, noted while it runs.

use super::Shelf;
use super::content::Contents;
use crate::judge::members::Member;
use hydrogen_graph::{ChainId, VersionId};
use hydrogen_ir::ContentHash;
use rustc_hash::FxHashSet;

/// The shelf, and what the present question consulted.
#[derive(Default)]
pub(crate) struct Kept<'a> {
    pub(super) shelf: Option<Box<dyn Shelf + 'a>>,
    /// Of everything that holds for all questions: contracts, limits, entry points, the solver.
    pub(super) settings: Option<ContentHash>,
    pub(super) notes: Notes,
    /// Whether notes are taken: not while dependences themselves are looked up.
    pub(super) listening: bool,
    pub(super) contents: Contents,
    /// What this run itself put on the shelf: it is not from an earlier one.
    pub(super) own: FxHashSet<[u8; 32]>,
}

/// What was consulted. What is looked up again and again is noted once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notes {
    /// Functions whose code was read.
    pub code: FxHashSet<(ChainId, VersionId)>,
    /// Functions of which it was asked what they may change: that rests on all that they call, too.
    pub mods: FxHashSet<(ChainId, VersionId)>,
    /// Functions whose callers were asked for.
    pub callers: FxHashSet<ChainId>,
    /// Members of structures of which it was asked what all of the program does with them.
    pub members: FxHashSet<(Member, VersionId)>,
}

impl Kept<'_> {
    /// Whether rulings are kept at all.
    pub fn is_on(&self) -> bool {
        self.shelf.is_some()
    }

    /// A new question, or the same one again from the notes of its beginning.
    pub fn listen(&mut self, from: Notes) {
        self.listening = self.is_on();
        self.notes = from;
    }

    /// Nothing is asked at the moment.
    pub fn rest(&mut self) {
        self.listening = false;
        self.notes = Notes::default();
    }

    /// What was noted so far.
    pub fn notes(&self) -> Notes {
        self.notes.clone()
    }

    /// A function's code is read.
    #[inline]
    pub fn code(&mut self, chain: ChainId, version: VersionId) {
        if self.listening {
            self.notes.code.insert((chain, version));
        }
    }

    /// It is asked what a function may change.
    #[inline]
    pub fn mods(&mut self, chain: ChainId, version: VersionId) {
        if self.listening {
            self.notes.mods.insert((chain, version));
        }
    }

    /// It is asked what all of the program does with a member of a structure.
    #[inline]
    pub fn member(&mut self, member: &Member, version: VersionId) {
        if self.listening {
            self.notes.members.insert((member.clone(), version));
        }
    }

    /// It is asked who calls a function.
    #[inline]
    pub fn callers(&mut self, chain: ChainId) {
        if self.listening {
            self.notes.callers.insert(chain);
        }
    }
}
