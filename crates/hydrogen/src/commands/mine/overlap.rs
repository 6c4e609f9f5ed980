//! Whether a fix repairs what the introducing commit wrote (G12).

use anyhow::Result;
use hydrogen_history::version::CommitInfo;
use hydrogen_history::{Objects, Repository};
use hydrogen_interact::{FileFacts, Index, Touched};
use hydrogen_model::sources::Sources;
use std::collections::BTreeSet;

/// A statement, wherever it stands: its function's name and a hash of what it says.
type Statement = (Box<str>, u64);

/// How many old statements the fix replaced or deleted, and how many of those the introducing commit wrote. With none of the
/// latter, following the fix's lines back (blame) does not lead to the introducing commit.
pub struct Overlap {
    pub replaced: usize,
    pub written: usize,
}

pub fn overlap(repository: &Repository, introduced: &CommitInfo, fix: &CommitInfo) -> Result<Overlap> {
    let written = statements(repository, introduced, true)?;
    let replaced = statements(repository, fix, false)?;
    let shared = replaced.intersection(&written).count();
    Ok(Overlap { replaced: replaced.len(), written: shared })
}

/// The statements that a commit added (or removed), by function: those of one side that the other has not.
fn statements(repository: &Repository, commit: &CommitInfo, added: bool) -> Result<BTreeSet<Statement>> {
    let objects = Objects::new(repository);
    let sources: Sources<FileFacts> = FileFacts::sources(256 << 20);
    let mut index = Index::default();
    if let Some(parent) = commit.parents.first() {
        index.advance(repository, &sources, &objects.commit(parent)?.tree)?;
    }
    let touched = index.advance(repository, &sources, &commit.tree)?;
    let side = |new: bool| -> BTreeSet<Statement> {
        let facts = |file: &Touched| if new { file.new.clone() } else { file.old.clone() };
        let all = touched.iter().filter(|file| file.content).filter_map(facts);
        all.flat_map(|file| {
            let each = file.functions.iter().flat_map(|function| {
                let pieces = function.pieces.iter().skip(2);
                pieces.map(|piece| (function.name.clone(), piece.symbol)).collect::<Vec<_>>()
            });
            each.collect::<Vec<_>>()
        })
        .collect()
    };
    Ok(side(added).difference(&side(!added)).cloned().collect())
}
