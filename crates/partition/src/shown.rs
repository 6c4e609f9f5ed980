//! Cells for people.

use hydrogen_explore::show;
use hydrogen_term::{Pool, Term};

/// Conditions as a person would write them, joined by `&&`; `true` where there is none.
pub fn shown(pool: &mut Pool, conditions: &[Term]) -> String {
    let mut words: Vec<String> = Vec::new();
    for term in conditions {
        let word = show(pool, *term);
        if !words.contains(&word) {
            words.push(word);
        }
    }
    match words.is_empty() {
        true => "true".to_owned(),
        false => words.join(" && "),
    }
}
