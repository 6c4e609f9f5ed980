//! Cases that stand in macros: `switch (t) { X(A, p + 1) X(B, p + 2) }`.
//!
//! No way leads to a statement behind `break`, or in front of the first `case`, so C has no use for one there. A use of a macro in such a
//! place brings its own label.

use crate::words::is_macro_like;
use hydrogen_statements::{CaseLabel, Stmt};

/// The body of a `switch`, with a label in front of every use of a macro that nothing else leads to.
pub(crate) fn with_labels(body: Stmt) -> Stmt {
    let Stmt::Block(statements) = body else { return body };
    let mut out = Vec::with_capacity(statements.len());
    let mut is_cut_off = true;
    for statement in statements {
        match &statement {
            Stmt::Case { .. } | Stmt::Label { .. } => is_cut_off = false,
            Stmt::Break(_) | Stmt::Continue(_) | Stmt::Goto { .. } | Stmt::Return(_) => is_cut_off = true,
            // What the macro ends with is not known: the next use has a label, too.
            Stmt::Expression { value, .. } if is_cut_off && is_use(&value.text) => {
                let label = CaseLabel::Value(value.text.clone());
                out.push(Stmt::Case { label, body: Box::new(Stmt::Empty) });
            }
            _ => {}
        }
        out.push(statement);
    }
    Stmt::Block(out)
}

/// Whether a statement is written like the use of a macro: a name in capitals, maybe with arguments.
fn is_use(text: &str) -> bool {
    let end = text.find('(').unwrap_or(text.len());
    let (name, arguments) = text.split_at(end);
    is_macro_like(name.as_bytes()) && (arguments.is_empty() || arguments.ends_with(')'))
}

#[cfg(test)]
mod tests {
    use super::is_use;

    #[test]
    fn uses_of_macros_are_names_with_arguments() {
        for text in ["X(A, p + 1)", "COMMON", "X()", "CASE_2(f(a), b)"] {
            assert!(is_use(text), "{text}");
        }
        for text in ["a = B", "(F)(x)", "F(x) + 1", "", "f(x)", "*P", "A + B"] {
            assert!(!is_use(text), "{text}");
        }
    }
}
