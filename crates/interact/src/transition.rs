//! A step between two versions of a program, with the dependence of both.

use crate::changes::Changes;
use crate::correspond::Correspondence;
use crate::depend::Dependence;
use crate::evolution::Evolution;
use crate::index::Index;
use crate::pairs::Touched;

/// A step, and the programs before and after it.
#[derive(Debug)]
pub struct Transition {
    /// The functions of the new tree.
    pub index: Index,
    /// What changed.
    pub changes: Changes,
    /// Dependence before.
    pub old: Dependence,
    /// Dependence after.
    pub new: Dependence,
    /// The statements that both have.
    pub same: Correspondence,
    /// How dependence changed.
    pub evolution: Evolution,
}

impl Transition {
    /// Puts a step together; `index` is at the new tree, and `touched` are the files that differ.
    pub fn new(index: Index, touched: &[Touched], old: Dependence, new: Dependence) -> Self {
        let changes = Changes::of(&index, touched);
        let same = Correspondence::of(touched, &old, &new);
        let evolution = Evolution::of(&old, &new, &same);
        Self { index, changes, old, new, same, evolution }
    }
}
