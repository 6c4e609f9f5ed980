//! The names a mistyped name may have meant.

/// At most three of `names` that look like `wanted`, best first; ties in the order of the names.
pub fn nearest(wanted: &str, names: &[String]) -> Vec<String> {
    let folded = wanted.to_lowercase();
    let mut scored: Vec<(f64, &String)> = names
        .iter()
        .map(|name| {
            let lower = name.to_lowercase();
            // A name that contains the other ("1.2.3" for "v1.2.3", "main" for "origin/main") is a good guess
            // even when the edit distance is long.
            let bonus = if !folded.is_empty() && (lower.contains(&folded) || folded.contains(&lower)) {
                0.2
            } else {
                0.0
            };
            (strsim::normalized_damerau_levenshtein(&folded, &lower) + bonus, name)
        })
        .filter(|(score, _)| *score >= 0.5)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(3).map(|(_, name)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    fn check(wanted: &str, names: &[&str], expect: &[&str]) {
        let names: Vec<_> = names.iter().map(|n| n.to_string()).collect();
        assert_eq!(nearest(wanted, &names), expect);
    }

    #[test]
    fn a_typo_finds_its_name() {
        check("mian", &["main", "release", "v1.0"], &["main"]);
        check("1.0", &["main", "v1.0", "v2.0"], &["v1.0", "v2.0"]);
        check("MAIN", &["main"], &["main"]);
        check("zzz", &["main"], &[]);
    }
}
