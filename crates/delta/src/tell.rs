//! Differences in words.

use crate::{
    cut::Cut,
    differ::{Case, Difference, Exit},
    doing::{Doing, apart},
    evaluate::Start,
    words::{Names, Text},
};
use hydrogen_evidence::Class;
use hydrogen_ir::Role;
use hydrogen_sym::closed::natural_loop;
use hydrogen_term::{Pool, Term};
use std::collections::BTreeSet;

/// Everything that words are made of.
pub(crate) struct Teller<'a, 'c, 'm> {
    pub pool: &'a Pool,
    pub names: &'a Names<'c, 'm>,
    pub cuts: (&'a Cut<'m>, &'a Cut<'m>),
    pub start: Start,
    /// The places that both versions share, of each.
    pub level: (&'a BTreeSet<usize>, &'a BTreeSet<usize>),
    /// Calls and places written, by step, of both versions.
    pub doings: (&'a [Doing], &'a [Doing]),
}

/// One thing that the new version does otherwise.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Phrase {
    /// How far down it is told.
    pub rank: u8,
    pub words: String,
    pub holds: Holds,
}

/// Where a phrase is true.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(clippy::enum_variant_names, reason = "they are read with the word in front")]
pub(crate) enum Holds {
    /// Where something differs.
    WhereDifferent,
    /// Wherever both versions come there: it names what one of them does, which the other does not.
    WhereReached,
    /// Wherever both versions come there: it names what both do, and they differ where these are different.
    WhereCompared,
    /// The same, where the condition under which something differs has no words.
    WhereNamed,
}

use Holds::{WhereCompared, WhereDifferent, WhereNamed, WhereReached};

/// Where control goes, as a verb and as a gerund.
struct Way {
    does: String,
    doing: String,
}

impl Teller<'_, '_, '_> {
    /// What the new version does otherwise, the most important first.
    pub fn case(&self, case: &Case) -> Vec<Phrase> {
        let result = case.differences.iter().find_map(|one| match one {
            Difference::Result(old, new) => Some((*old, *new)),
            _ => None,
        });
        let mut told: Vec<Phrase> =
            case.differences.iter().filter_map(|one| self.difference(case, one, result)).collect();
        told.sort();
        told.dedup();
        told
    }

    fn difference(
        &self,
        case: &Case,
        difference: &Difference,
        result: Option<(Option<Term>, Option<Term>)>,
    ) -> Option<Phrase> {
        let (rank, (words, holds)) = match difference {
            Difference::Exit(old, new) => (0, (self.exit(*old, *new, result), WhereDifferent)),
            // Where control goes to another place, what is returned is told with it.
            Difference::Result(..)
                if case.differences.iter().any(|one| matches!(one, Difference::Exit(..))) =>
            {
                return None;
            }
            Difference::Result(old, new) => (1, self.result(*old, *new)),
            Difference::OldCall(at) => {
                let old = self.doings.0[*at].call();
                // One call in the place of another.
                let words = match self.instead(case) {
                    Some((one, other)) if one == *at => {
                        format!("calls {} instead of {old}", self.doings.1[other].call())
                    }
                    _ => format!("no longer calls {old}"),
                };
                (2, (words, WhereDifferent))
            }
            Difference::NewCall(at) => match self.instead(case) {
                Some((_, other)) if other == *at => return None,
                _ => (2, (format!("calls {}", self.doings.1[*at].call()), WhereDifferent)),
            },
            Difference::Call(old, new) => {
                let (a, b) = apart(&self.doings.0[*old], &self.doings.1[*new]);
                match a == b {
                    true => (
                        2,
                        (
                            format!("calls {b} with other arguments, or where memory holds something else"),
                            WhereDifferent,
                        ),
                    ),
                    false => (2, (format!("calls {b} instead of {a}"), WhereNamed)),
                }
            }
            Difference::Memory { old_step, new_step, old, new } => {
                (3, self.memory(*old_step, *new_step, *old, *new))
            }
            Difference::Value { name, old, new } => {
                // What another call gives goes without saying.
                let is_call = |term: Term, doings: &[Doing]| {
                    self.term(term).is_some_and(|text| doings.iter().any(|one| one.is_call(&text)))
                };
                if self.instead(case).is_some()
                    && is_call(*old, self.doings.0)
                    && is_call(*new, self.doings.1)
                {
                    return None;
                }
                (4, self.value(name, *old, *new))
            }
        };
        (!words.is_empty()).then_some(Phrase { rank, words, holds })
    }

    fn result(&self, old: Option<Term>, new: Option<Term>) -> (String, Holds) {
        match (old, new) {
            (Some(old), Some(new)) => match (self.term(old), self.term(new)) {
                (Some(old), Some(new)) if old != new => {
                    (format!("returns {new} instead of {old}"), WhereCompared)
                }
                (_, Some(new)) => (format!("returns {new}, which is another value"), WhereDifferent),
                _ => ("returns another value".to_owned(), WhereDifferent),
            },
            (None, Some(new)) => match self.term(new) {
                Some(new) => (format!("returns {new}; it returned nothing"), WhereDifferent),
                None => ("returns a value; it returned nothing".to_owned(), WhereDifferent),
            },
            _ => ("returns nothing".to_owned(), WhereDifferent),
        }
    }

    fn term(&self, term: Term) -> Option<String> {
        let text = self.names.text(self.pool, term);
        (!text.is_opaque).then_some(text.text)
    }

    fn value(&self, name: &str, old: Term, new: Term) -> (String, Holds) {
        let name = name.split('#').next().unwrap_or(name);
        if name.is_empty() || name.starts_with("value ") {
            return match (self.term(old), self.term(new)) {
                (Some(old), Some(new)) if old != new => {
                    (format!("goes on with {new} instead of {old}"), WhereCompared)
                }
                _ => ("goes on with another value".to_owned(), WhereDifferent),
            };
        }
        match (self.term(old), self.term(new)) {
            (Some(old), Some(new)) if old == new => {
                (format!("sets {name} to {new}, which is another value"), WhereDifferent)
            }
            (Some(old), Some(new)) if old == name => (format!("sets {name} to {new}"), WhereReached),
            (Some(old), Some(new)) if new == name => {
                (format!("no longer sets {name} to {old}"), WhereReached)
            }
            (Some(old), Some(new)) => (format!("sets {name} to {new} instead of {old}"), WhereCompared),
            (None, Some(new)) => (format!("sets {name} to {new} instead of another value"), WhereCompared),
            _ => (format!("{name} gets another value"), WhereNamed),
        }
    }

    /// The only call that one version makes, and the only one that the other makes.
    fn instead(&self, case: &Case) -> Option<(usize, usize)> {
        let of = |is_old: bool| -> Vec<usize> {
            let all = case.differences.iter().filter_map(|one| match one {
                Difference::OldCall(at) if is_old => Some(*at),
                Difference::NewCall(at) if !is_old => Some(*at),
                _ => None,
            });
            all.collect()
        };
        match (of(true).as_slice(), of(false).as_slice()) {
            ([old], [new]) => Some((*old, *new)),
            _ => None,
        }
    }

    fn memory(
        &self,
        old_step: Option<usize>,
        new_step: Option<usize>,
        old: Term,
        new: Term,
    ) -> (String, Holds) {
        let one = old_step.map(|at| &self.doings.0[at]);
        let other = new_step.map(|at| &self.doings.1[at]);
        let calls =
            |doing: Option<&Doing>| doing.map(|one| one.call().to_owned()).filter(|call| !call.is_empty());
        let both = one.zip(other).filter(|(one, other)| !one.call().is_empty() && !other.call().is_empty());
        if let Some((before, now)) = both.map(|(one, other)| apart(one, other)).filter(|(a, b)| a != b) {
            return (format!("calls {now} instead of {before}"), WhereNamed);
        }
        match (calls(one), calls(other)) {
            (Some(_), Some(now)) => {
                return (format!("calls {now} with other values"), WhereDifferent);
            }
            (Some(before), None) if other.is_none() => {
                return (format!("no longer calls {before}"), WhereDifferent);
            }
            (None, Some(now)) if one.is_none() => return (format!("calls {now}"), WhereDifferent),
            _ => {}
        }
        let place = |doing: Option<&Doing>| match doing {
            Some(Doing::Place(text)) => Some(text.clone()),
            _ => None,
        };
        let place: Option<Text> = place(other).or_else(|| place(one));
        let value = |term: Term| {
            let text = self.names.beside(self.pool, term, place.as_ref());
            (!text.is_opaque).then_some(text.text)
        };
        let (before, now) = (value(old), value(new));
        let place = place.as_ref().map_or("what a pointer leads to", |place| place.text.as_str());
        match (old_step, new_step, before, now) {
            (None, _, _, Some(now)) => (format!("sets {place} to {now}"), WhereDifferent),
            (None, _, _, None) => (format!("changes {place}"), WhereDifferent),
            (Some(_), None, Some(before), _) if before != place => {
                (format!("no longer sets {place} to {before}"), WhereDifferent)
            }
            (Some(_), None, _, _) => (format!("no longer sets {place}"), WhereDifferent),
            (Some(_), Some(_), Some(before), Some(now)) if before != now => {
                (format!("sets {place} to {now} instead of {before}"), WhereCompared)
            }
            (_, _, _, Some(now)) => {
                (format!("sets {place} to {now}, which is another value"), WhereDifferent)
            }
            _ => (format!("sets {place} to another value"), WhereDifferent),
        }
    }

    /// A loop that one version alone has, where control goes to one, in the words of the source.
    fn own_loop(&self, side: usize, exit: Exit) -> Option<String> {
        let (cut, level) = match side {
            0 => (self.cuts.0, self.level.0),
            _ => (self.cuts.1, self.level.1),
        };
        let Exit::To(head) = exit else { return None };
        if level.contains(&head) || !cut.loops.contains(&head) {
            return None;
        }
        let mut nodes: Vec<usize> = natural_loop(&cut.code, head).into_iter().collect();
        nodes.sort_by_key(|&node| cut.code.nodes[node].first);
        let label = cut.statement(head).label();
        let mut inner: Vec<String> = Vec::new();
        for node in nodes.into_iter().filter(|&node| node != head) {
            let piece = cut.statement(node);
            let told = matches!(piece.role, Role::Expression | Role::Return | Role::If | Role::Break);
            let text = format!("`{}`", piece.label());
            if told && !inner.contains(&text) {
                inner.push(text);
            }
        }
        let more = if inner.len() > 3 { ", …" } else { "" };
        inner.truncate(3);
        Some(match inner.is_empty() {
            true => format!("the loop `{label}`"),
            false => format!("the loop `{label}` with {}{more}", inner.join(", ")),
        })
    }

    fn exit(&self, old: Exit, new: Exit, result: Option<(Option<Term>, Option<Term>)>) -> String {
        let around = self.around();
        let before = self.way(self.cuts.0, around.0, old, result.and_then(|one| one.0), self.doings.0);
        let now = self.way(self.cuts.1, around.1, new, result.and_then(|one| one.1), self.doings.1);
        match (self.own_loop(0, old), self.own_loop(1, new)) {
            (Some(before), Some(now)) => return format!("runs {now} instead of {before}"),
            (None, Some(now)) => return format!("runs {now}, which is new"),
            (Some(before), None) => return format!("no longer runs {before}"),
            (None, None) => {}
        }
        if let Exit::Faults(class) = old
            && !matches!(new, Exit::Faults(_))
        {
            return format!("no longer {}; {}", fault(class).0, now.does);
        }
        if before.doing == "leaving the loop" && now.does.starts_with("goes on with `") {
            return "stays in the loop instead of leaving it".to_owned();
        }
        if let (Some(now), Some(before)) =
            (now.does.strip_prefix("goes on with `"), before.doing.strip_prefix("going on with `"))
            && now != before
        {
            return format!("goes on with `{now} instead of `{before}");
        }
        if now.does == before.does {
            let (Exit::To(a), Exit::To(b)) = (old, new) else { return now.does };
            return format!("goes on with {} instead of {}", label(self.cuts.1, b), label(self.cuts.0, a));
        }
        format!("{} instead of {}", now.does, before.doing)
    }

    /// The nodes, old and new, whose loops control may leave here: that in front of the region, unless its loop is left already.
    fn around(&self) -> (usize, usize) {
        let starts = (self.start.old, self.start.new);
        let Some(from) = self.start.from else { return starts };
        let stays = |cut: &Cut, from: usize, start: usize| {
            innermost(cut, from).is_some_and(|(_, nodes)| nodes.contains(&start))
        };
        match stays(self.cuts.0, from.0, starts.0) || stays(self.cuts.1, from.1, starts.1) {
            true => from,
            false => starts,
        }
    }

    fn way(&self, cut: &Cut, around: usize, exit: Exit, result: Option<Term>, doings: &[Doing]) -> Way {
        let way = |does: &str, doing: &str| Way { does: does.to_owned(), doing: doing.to_owned() };
        match exit {
            Exit::Returns => match result.map(|term| self.term(term)) {
                Some(Some(value)) => way(&format!("returns {value}"), &format!("returning {value}")),
                _ => way("returns", "returning"),
            },
            Exit::Stops(at) => {
                let last = at.map(|at| doings[at].call()).filter(|text| !text.is_empty());
                match last {
                    Some(text) => way(&format!("ends in {text}"), &format!("ending in {text}")),
                    None => way("does not come back", "not coming back"),
                }
            }
            Exit::Faults(class) => {
                let (does, doing) = fault(class);
                way(does, doing)
            }
            Exit::To(node) => {
                let inside = innermost(cut, around);
                if let Some((head, nodes)) = inside {
                    let is_step = matches!(cut.role(node), Role::ForStep) && nodes.contains(&node);
                    if node == head || is_step {
                        return way("goes on with the next iteration", "going on with the next iteration");
                    }
                    if !nodes.contains(&node) {
                        return way("leaves the loop", "leaving the loop");
                    }
                }
                let label = label(cut, node);
                way(&format!("goes on with {label}"), &format!("going on with {label}"))
            }
        }
    }
}

/// A statement with its line.
fn label(cut: &Cut, node: usize) -> String {
    let piece = cut.statement(node);
    let line = cut.line(node).map_or_else(String::new, |line| format!(" (line {line})"));
    let label: String = piece.label().chars().take(60).collect();
    format!("`{label}`{line}")
}

/// The smallest loop around a node.
fn innermost(cut: &Cut, node: usize) -> Option<(usize, std::collections::BTreeSet<usize>)> {
    let loops = cut.loops.iter().map(|&head| (head, natural_loop(&cut.code, head)));
    loops.filter(|(_, nodes)| nodes.contains(&node)).min_by_key(|(_, nodes)| nodes.len())
}

fn fault(class: Class) -> (&'static str, &'static str) {
    match class {
        Class::Division => ("divides by zero", "dividing by zero"),
        Class::Shift => ("shifts by more bits than there are", "shifting by more bits than there are"),
        Class::Null => ("uses a null pointer", "using a null pointer"),
        Class::Overflow => ("leaves the bounds of an array", "leaving the bounds of an array"),
        _ => ("fails", "failing"),
    }
}
