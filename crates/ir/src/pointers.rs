//! What the pointers of a function lead to, and of which types its statements see the size.
//!
//! Sizes are items with names of their own: behind a variable or member `x` that is declared `T *x`, `&x` stands for `T`, and `&&x`
//! behind `T **x`. So a statement can mention what a member leads to without knowing how it is declared.

use crate::declared::{declared, is_number};
use crate::stepped::{Link, Pointer, may_step, steps};
use crate::{Function, Mention, Role, mentions_in};
use std::collections::{BTreeMap, BTreeSet};

/// The variables of a function, with the types that they lead to.
#[derive(Debug, Default)]
pub struct Pointers<'a> {
    variables: BTreeMap<&'a str, BTreeSet<(&'a str, i32)>>,
    /// The types that the function names behind a star.
    pointed: BTreeSet<&'a str>,
}

impl<'a> Pointers<'a> {
    /// Those that a function declares, and its parameters.
    pub fn of(function: &'a Function) -> Self {
        let mut found = Self::default();
        for part in in_parentheses(&function.signature) {
            found.declare(part);
        }
        for parameter in &function.parameters {
            found.variables.entry(&parameter.name).or_default();
        }
        for piece in &function.pieces {
            if piece.role == Role::Declaration {
                found.declare(&piece.text);
            }
            found.name_types(&piece.text);
        }
        found.name_types(&function.signature);
        found
    }

    fn declare(&mut self, text: &'a str) {
        for one in declared(text) {
            let types = self.variables.entry(one.name).or_default();
            if !one.ty.is_empty() {
                types.insert((one.ty, one.stars + one.brackets));
            }
        }
    }

    fn name_types(&mut self, text: &'a str) {
        let pointed = |mention| match mention {
            Mention::Pointed(name) => Some(name),
            _ => None,
        };
        self.pointed.extend(mentions_in(text).filter_map(pointed));
    }

    /// The variables.
    pub fn variables(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.variables.keys().copied()
    }

    /// The items whose size a statement sees, beyond those that it names. `is_macro` says of a name with arguments whether it may be a macro
    /// that steps over what it is given.
    pub fn sizes(&self, text: &'a str, declares: bool, is_macro: impl Fn(&str) -> bool) -> Vec<String> {
        let mut found = Vec::new();
        if !may_step(text) {
            return found;
        }
        let steps = steps(text, declares);
        let by_macros = steps.given.iter().filter(|(name, _)| is_macro(name));
        for pointer in steps.stepped.iter().chain(by_macros.map(|(_, pointer)| pointer)) {
            self.behind(pointer, &mut found);
        }
        // What a function gives back is not known here, unless it is declared: any of the types that are pointers in this one.
        if steps.surely.iter().any(|pointer| matches!(pointer.link, Link::Call(_))) {
            found.extend(self.pointed.iter().map(|name| (*name).to_owned()));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn behind(&self, pointer: &Pointer<'a>, found: &mut Vec<String>) {
        let depth = pointer.followed + 1;
        match pointer.link {
            Link::Name(name) => match self.variables.get(name) {
                Some(types) => types.iter().for_each(|(ty, stars)| found.extend(behind(ty, depth - stars))),
                None => found.extend(behind(name, depth.max(1))),
            },
            Link::Member(_) | Link::Cast(..) | Link::Call(_) => found.extend(item(pointer)),
        }
    }
}

/// The items whose size a text outside of functions sees: that of a macro.
pub fn sizes_in(text: &str) -> Vec<String> {
    let steps = steps(text, false);
    let given = steps.given.iter().map(|(_, pointer)| pointer);
    steps.stepped.iter().chain(given).filter_map(item).collect()
}

/// The items that a text stands for, as something that may be stepped over: that of a macro.
pub fn stands_for(text: &str) -> Vec<String> {
    let told =
        |pointer: &&Pointer<'_>| matches!(pointer.link, Link::Member(_) | Link::Cast(..) | Link::Call(_));
    steps(text, false).value.iter().filter(told).filter_map(item).collect()
}

/// The item behind a pointer, without knowledge of variables.
fn item(pointer: &Pointer<'_>) -> Option<String> {
    let depth = pointer.followed + 1;
    match pointer.link {
        Link::Name(name) => behind(name, depth.max(1)),
        Link::Call(name) => behind(&format!("{name}()"), depth.max(1)),
        Link::Member(name) => (depth > 0).then(|| behind(&format!(".{name}"), depth)).flatten(),
        Link::Cast(name, stars) => (!is_number(name)).then(|| behind(name, depth - stars)).flatten(),
    }
}

/// More stars than this nobody follows.
const DEEPEST: i32 = 4;

/// How what stands so many stars behind something is called.
pub fn behind(name: &str, depth: i32) -> Option<String> {
    let depth = usize::try_from(depth.min(DEEPEST)).ok()?;
    Some(format!("{}{name}", "&".repeat(depth)))
}

/// The parts of all pairs of parentheses of a head: parameters, also those that are declared behind them.
fn in_parentheses(head: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0u32, head.len());
    for (at, byte) in head.bytes().enumerate() {
        match byte {
            b'(' => {
                depth += 1;
                if depth == 1 {
                    start = at + 1;
                }
            }
            b')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && start < at {
                    found.push(&head[start..at]);
                    start = at + 1;
                }
            }
            b',' if depth == 1 => {
                found.push(&head[start..at]);
                start = at + 1;
            }
            b';' if depth == 0 && start < at => {
                found.push(&head[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found
}
