//! Versions of generated programs: guards added, removed, weakened, statements inserted and deleted.

use super::{Chance, Function, Statement};

/// A way to a statement list inside a body, and a place in it.
type Place = (Vec<(usize, usize)>, usize);

fn places(body: &[Statement], above: &[(usize, usize)], out: &mut Vec<Place>) {
    for (at, statement) in body.iter().enumerate() {
        out.push((above.to_vec(), at));
        if let Statement::Block(parts) = statement {
            for (part, (head, inner)) in parts.iter().enumerate() {
                // Jumping into a switch's cases is no place for statements.
                if !head.starts_with("switch") {
                    let mut way = above.to_vec();
                    way.push((at, part));
                    places(inner, &way, out);
                }
            }
        }
    }
}

fn list<'a>(body: &'a mut Vec<Statement>, way: &[(usize, usize)]) -> &'a mut Vec<Statement> {
    let mut current = body;
    for &(at, part) in way {
        let Statement::Block(parts) = &mut current[at] else { unreachable!("a way leads through blocks") };
        current = &mut parts[part].1;
    }
    current
}

/// One edit of a body. `condition` and `line` are a new guard's and a new statement's text; statements of the text `keep` stay.
pub fn edit(chance: &mut Chance, function: &mut Function, condition: &str, line: &str, keep: &str) {
    let mut all = Vec::new();
    places(&function.body, &[], &mut all);
    let (way, at) = chance.one(&all).clone();
    let holds = |statement: &Statement| format!("{statement:?}").contains(keep) && !keep.is_empty();
    let list = list(&mut function.body, &way);
    match chance.below(6) {
        // A guard around a statement.
        0 | 1 => {
            let inner = list[at].clone();
            list[at] = Statement::Block(vec![(format!("if ({condition})"), vec![inner])]);
        }
        // A guard less.
        2 => {
            if let Statement::Block(parts) = &list[at]
                && let [(head, inner)] = &parts[..]
                && head.starts_with("if")
            {
                let inner = inner.clone();
                list.splice(at..=at, inner);
            }
        }
        // A weaker guard, or a stronger one.
        3 => {
            if let Statement::Block(parts) = &mut list[at]
                && parts[0].0.starts_with("if")
            {
                let head = &mut parts[0].0;
                *head = match (head.contains(" < "), head.contains(" >= ")) {
                    (true, _) => head.replacen(" < ", " <= ", 1),
                    (_, true) => head.replacen(" >= ", " > ", 1),
                    _ => head.replacen(" > ", " >= ", 1),
                };
            }
        }
        4 => {
            if !holds(&list[at])
                && !matches!(&list[at], Statement::Line(text) if text.starts_with("case") || text.starts_with("default"))
            {
                list.remove(at);
            }
        }
        _ => list.insert(at, Statement::Line(line.to_owned())),
    }
}
