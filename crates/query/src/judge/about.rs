//! Whether a test is about what a fault needs: by the names in the source, since the two stand in different versions.

use hydrogen_evidence::{Class, Finding, Ruling};
use std::collections::BTreeSet;

/// Whether a test mentions what must come in for a fault: for a null pointer the variable or member that is null, or a variable that got
/// its value on the way; else something that the failing statement or the condition mentions.
pub(super) fn is_about(test: &str, finding: &Finding, has: &Ruling) -> bool {
    let nulls = has.evidence.model.iter().filter(|(_, value)| value == "NULL");
    let mut wanted: BTreeSet<&str> = nulls.filter_map(|(name, _)| names(name).last()).collect();
    if finding.kind == Class::Null && wanted.len() > 1 {
        // Of several null pointers, the one that the statement uses.
        let used = used(finding, has);
        wanted.retain(|name| used.contains(name));
        if wanted.is_empty() {
            return false;
        }
    }
    if finding.kind != Class::Null || wanted.is_empty() {
        let values = has.evidence.model.iter().filter_map(|(name, _)| names(name).last());
        wanted.extend(values.chain(leaves(&finding.location.text)));
    }
    for spot in &has.evidence.path {
        let Some((to, from)) = assignment(&spot.text) else { continue };
        if names(from).last().is_some_and(|name| wanted.contains(name)) {
            wanted.extend(names(to).last());
        }
    }
    match finding.kind {
        Class::Null => parts(test).any(|part| wanted.iter().any(|name| may_tell_null(part, name))),
        _ => leaves(test).any(|name| wanted.contains(name)),
    }
}

/// What a text sets, and what to.
fn assignment(text: &str) -> Option<(&str, &str)> {
    text.split_once('=').filter(|(_, from)| !from.starts_with('='))
}

/// The names that the failing statement uses, and what they were set to on the way.
fn used<'f>(finding: &'f Finding, has: &'f Ruling) -> BTreeSet<&'f str> {
    let mut used: BTreeSet<&str> = names(&finding.location.text).collect();
    for (to, from) in has.evidence.path.iter().rev().filter_map(|spot| assignment(&spot.text)) {
        if names(to).last().is_some_and(|name| used.contains(name)) {
            used.extend(names(from).last());
        }
    }
    used
}

/// Whether a statement chooses between values, or compares some: `n = p ? p->n : 0`, `first = argv[0] != NULL`.
pub(super) fn computes_condition(text: &str) -> bool {
    !text.contains(['"', '\''])
        && ["?", "==", "!=", "<=", ">=", "&&", "||"].iter().any(|sign| text.contains(sign))
}

/// The parts of a condition that are tested one by one; what is chosen by it is none of them.
fn parts(test: &str) -> impl Iterator<Item = &str> {
    let tested = test.split_once('?').map_or(test, |(tested, _)| tested);
    tested.split("&&").flat_map(|part| part.split("||"))
}

/// Whether part of a condition may tell whether what has this name is null: it does not look behind it, compares nothing by order, and if by
/// value then with null.
fn may_tell_null(part: &str, name: &str) -> bool {
    let part = part.replace("->", ".");
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let is_meant = |(at, _): (usize, &str)| {
        let (before, after) = (&part[..at], &part[at + name.len()..]);
        let whole = !before.ends_with(is_word) && !after.starts_with(is_word);
        let path = before.trim_end_matches(|letter: char| is_word(letter) || letter == '.');
        whole && !path.ends_with('*') && !after.trim_start().starts_with(['.', '[', '('])
    };
    if part.contains(['<', '>']) || !part.match_indices(name).any(is_meant) {
        return false;
    }
    let sides = part.split_once("==").or_else(|| part.split_once("!="));
    let is_null = |side: &str| {
        let side = side.trim_matches(|letter: char| letter.is_whitespace() || "();{".contains(letter));
        side == "0" || side.ends_with("NULL") || side == "nullptr"
    };
    sides.is_none_or(|(left, right)| is_null(left) || is_null(right))
}

/// The words of a text that are names.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.filter(|word| {
        word.starts_with(|first: char| first.is_alphabetic() || first == '_') && *word != "NULL"
    })
}

/// The names of a text that are no mere way to a member: of `s->len`, `len`.
fn leaves(text: &str) -> impl Iterator<Item = &str> {
    names(text).filter(move |name| {
        let end = name.as_ptr() as usize - text.as_ptr() as usize + name.len();
        let rest = text[end..].trim_start();
        !rest.starts_with("->") && !rest.starts_with('.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hydrogen_evidence::{Basis, Evidence, Spot, Verdict};

    fn check(kind: Class, path: &[&str], model: &[(&str, &str)], test: &str, expect: bool) {
        let spot = |text: &&str| Spot { text: (*text).to_owned(), ..Spot::default() };
        let path: Vec<Spot> = path.iter().map(spot).collect();
        let model = model.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let location = path.last().cloned().unwrap_or_default();
        let has = Ruling {
            id: 0,
            version: "v1".to_owned(),
            verdict: Verdict::Unknown,
            basis: Basis::Fault,
            evidence: Evidence { path, model, ..Evidence::default() },
            ledger: Vec::new(),
        };
        let finding = Finding {
            kind,
            message: String::new(),
            location,
            at_version: "v1".to_owned(),
            node: 0,
            status: None,
            verdicts: Vec::new(),
        };
        assert_eq!(is_about(test, &finding, &has), expect, "{test}");
    }

    #[test]
    fn a_null_is_tested_by_its_name() {
        let of_member = |test, expect| {
            check(
                Class::Null,
                &["if (c->funcs->close)"],
                &[("c->funcs", "NULL"), ("c->fd", "3")],
                test,
                expect,
            );
        };
        of_member("if (c->funcs)", true);
        of_member("if (c->verbose)", false);
        of_member("if (c->fd > 0)", false);
        let of_copy = |test, expect| {
            check(Class::Null, &["struct reply *r = given", "r->type"], &[("given", "NULL")], test, expect);
        };
        of_copy("if (r == NULL)", true);
        of_copy("if (!given)", true);
        of_copy("if (verbose)", false);
    }

    #[test]
    fn order_says_nothing_of_null() {
        let of_member = |test, expect| {
            let null = [("c->pos", "NULL")];
            check(Class::Null, &["if (*c->pos != '<')"], &null, test, expect);
        };
        of_member("if (c->pos >= c->end)", false);
        of_member("if (c->pos == c->end)", false);
        of_member("while (c->pos < c->end && *c->pos)", false);
        of_member("if (c->pos[1] || c->pos->next)", false);
        of_member("if (c->position)", false);
        of_member("if (!c->pos || c->pos >= c->end)", true);
        of_member("if (c->pos == NULL)", true);
        of_member("if (Z_NULL != c->pos)", true);
        of_member("if (is_over(c->pos))", true);
        of_member("n = c->pos ? *c->pos : 0", true);
        of_member("n = c->end ? *c->pos : 0", false);
    }

    #[test]
    fn a_number_is_tested_by_what_the_statement_uses() {
        let of = |test, expect| check(Class::Overflow, &["t[end - begin]"], &[("n", "3")], test, expect);
        let of_member =
            |test, expect| check(Class::SizeOverflow, &["s->len--"], &[("len", "0")], test, expect);
        of_member("if (!isatty(s->fd))", false);
        of_member("if (!s->len)", true);
        of("if (end > begin)", true);
        of("if (n > 2)", true);
        of("if (verbose)", false);
    }
}
