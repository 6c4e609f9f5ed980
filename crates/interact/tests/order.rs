//! What is said of a step does not depend on the order in which files were met: walks begin in different places.
#![allow(clippy::unwrap_used)]

use hydrogen_interact::{Complexity, Reading, advance_to, index_of};

fn files(word: &str) -> Vec<(&'static str, String)> {
    let calls = |name: &str| format!("int {name}(int x)\n{{\n  if (x)\n    {word}(x);\n  return x;\n}}\n");
    let straight = |name: &str| format!("int {name}(int x)\n{{\n  {word}(x);\n  return x;\n}}\n");
    vec![("a.c", calls("one") + &straight("two")), ("b.c", straight("three")), ("c.c", calls("four"))]
}

fn measured(order: [usize; 3]) -> Complexity {
    let side = |word: &str| {
        let all = files(word);
        order.map(|at| all[at].clone())
    };
    let (old, new) = (side("old_name"), side("new_name"));
    fn given<'a>(files: &'a [(&'static str, String); 3]) -> Vec<(&'a str, &'a [u8])> {
        files.iter().map(|(path, text)| (*path, text.as_bytes())).collect()
    }
    let mut index = index_of(given(&old));
    let touched = advance_to(&mut index, given(&new));
    Complexity::of_step(&index, &touched, Reading::Full)
}

#[test]
fn the_place_that_counts_is_the_first_by_path() {
    let first = measured([0, 1, 2]);
    assert_eq!(first.mechanical.len(), 1);
    assert_eq!(first.functions.iter().map(|it| &*it.name).collect::<Vec<_>>(), ["one"]);
    for order in [[2, 1, 0], [1, 0, 2], [2, 0, 1]] {
        assert_eq!(measured(order), first);
    }
}
