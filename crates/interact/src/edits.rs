//! Which edits of a step need each other: a change is the smallest group of edits that can be applied alone (B11, W3).

use crate::changes::Changes;
use crate::index::{FunctionKey, Index};
use hydrogen_syntax::NameHash;

/// An edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The function it is in.
    pub function: FunctionKey,
    /// What it does.
    pub kind: EditKind,
    /// The edits without which it cannot be applied, as positions in the list.
    pub needs: Vec<usize>,
}

/// What an edit does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditKind {
    /// Adds the function itself.
    Function,
    /// Changes a run of its statements: the first piece, and how many.
    Statements(u32, u32),
}

/// The edits of a step's functions. `is_new` says which functions were added.
pub fn edits(index: &Index, changes: &Changes, is_new: impl Fn(FunctionKey) -> bool) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    let mut added: Vec<(NameHash, usize)> = Vec::new();
    for (&function, change) in &changes.functions {
        let container = is_new(function).then(|| {
            added.push((index.function(function).id, edits.len()));
            edits.push(Edit { function, kind: EditKind::Function, needs: Vec::new() });
            edits.len() - 1
        });
        for hunk in &change.hunks {
            let kind = EditKind::Statements(hunk.new.0, hunk.new.1);
            edits.push(Edit { function, kind, needs: container.into_iter().collect() });
        }
    }
    // A statement that names a function that is added needs it.
    for edit in &mut edits {
        let EditKind::Statements(first, count) = edit.kind else { continue };
        let facts = index.function(edit.function);
        for &(name, at) in &added {
            let named =
                (first..first + count).any(|piece| facts.words_of(piece as usize).contains(&(name.0 as u32)));
            if named && !edit.needs.contains(&at) {
                edit.needs.push(at);
            }
        }
        edit.needs.sort_unstable();
    }
    edits
}

/// Whether a choice of edits can be applied without the others; else the first edit that misses one, and what it misses.
pub fn consistent(edits: &[Edit], chosen: &[usize]) -> Result<(), (usize, usize)> {
    for &at in chosen {
        if let Some(&missing) = edits[at].needs.iter().find(|need| !chosen.contains(need)) {
            return Err((at, missing));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{EditKind, consistent, edits};
    use crate::{Changes, advance_to, index_of};

    /// W3: a statement needs the function it is in; whoever calls the function needs it too.
    #[test]
    fn a_statement_needs_its_function() {
        let old = [("a.c", &b"int use(int a) { return a; }\n"[..])];
        let new = [("a.c", &b"void bump(int *b) { (*b)++; }\nint use(int a) { bump(&a); return a; }\n"[..])];
        let mut index = index_of(old);
        let touched = advance_to(&mut index, new);
        let changes = Changes::of(&index, &touched);
        let all = edits(&index, &changes, |key| &*index.function(key).name == "bump");
        let kinds: Vec<_> = all.iter().map(|edit| (edit.kind, edit.needs.clone())).collect();
        assert_eq!(
            kinds,
            [
                (EditKind::Function, vec![]),
                (EditKind::Statements(2, 1), vec![0]),
                (EditKind::Statements(2, 1), vec![0]),
            ]
        );
        for (chosen, expect) in
            [(&[][..], Ok(())), (&[0], Ok(())), (&[0, 1], Ok(())), (&[1], Err((1, 0))), (&[2], Err((2, 0)))]
        {
            assert_eq!(consistent(&all, chosen), expect, "{chosen:?}");
        }
    }
}
