//! Whether a test is about what a fault needs: by the names in the source, since the two stand in different versions.

use hydrogen_evidence::{Class, Finding, Ruling};
use std::collections::BTreeSet;

/// Whether a test mentions what must come in for a fault: for a null pointer the variable or member that is null, or a variable that got
/// its value on the way; else something that the failing statement or the condition mentions.
pub(super) fn is_about(test: &str, finding: &Finding, has: &Ruling) -> bool {
    let nulls = has.evidence.model.iter().filter(|(_, value)| value == "NULL");
    let mut wanted: BTreeSet<&str> = nulls.filter_map(|(name, _)| names(name).last()).collect();
    if finding.kind != Class::Null || wanted.is_empty() {
        let values = has.evidence.model.iter().filter_map(|(name, _)| names(name).last());
        wanted.extend(values.chain(names(&finding.location.text)));
    }
    for spot in &has.evidence.path {
        let Some((to, from)) = spot.text.split_once('=').filter(|(_, from)| !from.starts_with('=')) else {
            continue;
        };
        if names(from).last().is_some_and(|name| wanted.contains(name)) {
            wanted.extend(names(to).last());
        }
    }
    names(test).any(|name| wanted.contains(name))
}

/// The words of a text that are names.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.filter(|word| {
        word.starts_with(|first: char| first.is_alphabetic() || first == '_') && *word != "NULL"
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
    fn a_number_is_tested_by_what_the_statement_uses() {
        let of = |test, expect| check(Class::Overflow, &["t[end - begin]"], &[("n", "3")], test, expect);
        of("if (end > begin)", true);
        of("if (n > 2)", true);
        of("if (verbose)", false);
    }
}
