//! Which definition of a variable reaches which use of it, in one function (def-use chains).

use super::uses::{Token, Uses, tokens, uses};
use hydrogen_syntax::NameHash;

/// A value that goes from one statement of a function to another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DefUse {
    /// Where it is used.
    pub user: usize,
    /// The variable.
    pub name: Box<str>,
    /// Where it was set; the entry (the first statement) for what comes in: parameters and globals.
    pub definer: usize,
}

/// The def-use chains of a function by the names of its variables, sorted. The first statement is the entry; each has its text
/// and whether it declares something; `flow` says which follows which. What goes through pointers is not followed.
pub fn def_use(statements: &[(&str, bool)], flow: &[(usize, usize)]) -> Vec<DefUse> {
    let mut all: Vec<Uses> = statements.iter().map(|(text, declares)| uses(text, *declares)).collect();
    for (statement, uses) in statements.iter().zip(&mut all) {
        // A declaration without a value mentions its variable and does not read it.
        if statement.1 && !uses.assigns {
            uses.reads.clear();
        }
    }
    let Some(entry) = all.first() else { return Vec::new() };
    let mut incoming: Vec<NameHash> = all.iter().flat_map(|it| it.reads.iter().copied()).collect();
    incoming.extend(&entry.sets);
    incoming.sort_unstable();
    incoming.dedup();
    all[0].sets = incoming;
    let mut successors: Vec<Vec<u32>> = vec![Vec::new(); all.len()];
    flow.iter().for_each(|&(from, to)| successors[from].push(to as u32));
    let mut found = Vec::new();
    reaching(
        &all,
        &successors,
        |_| true,
        |definer, user, name| {
            // A function that is called comes in as well, and is no variable.
            let spelled = tokens(statements[user].0);
            let word = |at: usize| match spelled[at] {
                Token::Word(word) if NameHash::of(word.as_bytes()) == name => Some(word),
                _ => None,
            };
            let called = |at: usize| spelled.get(at + 1) == Some(&Token::Mark("("));
            let read = (0..spelled.len()).filter(|&at| !called(at)).find_map(word);
            if let Some(word) = read {
                found.push(DefUse { user, name: word.into(), definer });
            }
        },
    );
    found.sort_unstable();
    found.dedup();
    found
}

/// Tells which definitions reach which uses on a way without another definition: definer, user, name.
pub(super) fn reaching(
    all: &[Uses],
    successors: &[Vec<u32>],
    followed: impl Fn(&NameHash) -> bool,
    mut found: impl FnMut(usize, usize, NameHash),
) {
    for definer in 0..all.len() {
        let mut own: Vec<NameHash> = all[definer].sets.iter().chain(&all[definer].may_set).copied().collect();
        own.sort_unstable();
        own.dedup();
        for name in own.into_iter().filter(&followed) {
            let mut seen = vec![false; all.len()];
            let mut waiting: Vec<u32> = successors[definer].clone();
            while let Some(piece) = waiting.pop() {
                let at = piece as usize;
                if std::mem::replace(&mut seen[at], true) {
                    continue;
                }
                if all[at].reads.contains(&name) || all[at].may_set.contains(&name) {
                    found(definer, at, name);
                }
                if !all[at].sets.contains(&name) {
                    waiting.extend(&successors[at]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::def_use;

    fn check(statements: &[(&str, bool)], flow: &[(usize, usize)], expect: &str) {
        let all = def_use(statements, flow).into_iter();
        let found: Vec<String> = all.map(|it| format!("{}:{}-{}", it.name, it.definer, it.user)).collect();
        assert_eq!(found.join(" "), expect);
    }

    #[test]
    fn a_definition_reaches_uses_until_another() {
        let straight =
            [("", false), ("int a", true), ("a = n", false), ("a = f(a)", false), ("return a", false)];
        check(&straight, &[(0, 1), (1, 2), (2, 3), (3, 4)], "n:0-2 a:2-3 a:3-4");
        let branch = [("", false), ("x = 1", false), ("c", false), ("x = 2", false), ("return x", false)];
        check(&branch, &[(0, 1), (1, 2), (2, 3), (2, 4), (3, 4)], "c:0-2 x:1-4 x:3-4");
        let round = [("", false), ("i < n", false), ("i++", false), ("return i", false)];
        check(&round, &[(0, 1), (1, 2), (2, 1), (1, 3)], "i:0-1 i:2-1 n:0-1 i:0-2 i:2-2 i:0-3 i:2-3");
    }
}
