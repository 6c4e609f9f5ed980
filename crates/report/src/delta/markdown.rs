//! The deltas as a comment on a pull request.

use super::{briefly, caused, headline, is_told, place, same, version, within};
use crate::md::{code, escape};
use hydrogen_evidence::delta::Told;
use std::fmt::Write as _;

/// The deltas as Markdown.
pub fn markdown(told: &Told) -> String {
    let mut out = format!("### What this change does\n\n**{}**  \n", escape(&headline(told)));
    let _ = writeln!(out, "{} → {}\n", code(&version(&told.old)), code(&version(&told.new)));
    for one in told.functions.iter().filter(|one| is_told(one)) {
        let _ = writeln!(
            out,
            "**{}** ({})\n",
            code(&format!("{}()", one.name)),
            code(&format!("{}:{}", one.file, one.line))
        );
        for region in one.own_regions() {
            let (listed, rest) = briefly(region);
            for words in listed.into_iter().map(|delta| within(region, delta)).chain(rest) {
                let _ = writeln!(out, "- {}: {}", escape(&place(region)), code(&words));
            }
        }
        for words in one.declared.iter().chain(&one.ledger) {
            let _ = writeln!(out, "- {}", escape(words));
        }
        out.push('\n');
    }
    for words in same(told, &code) {
        let _ = writeln!(out, "{words}\n");
    }
    for cause in &told.causes {
        let _ = writeln!(out, "- {}", escape(&caused(told, cause)));
    }
    for words in told.types.iter().chain(&told.variables).chain(&told.missing).chain(&told.outside) {
        let _ = writeln!(out, "- {}", escape(words));
    }
    out
}
