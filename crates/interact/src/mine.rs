//! Regressions in a history: what messages and release notes say (G1), chains of incorrect fixes (G7).

mod line_changes;
mod needs;
mod verdicts;
mod wording;

pub use hydrogen_minimal::{Configuration, Hopeless, Minimal, minimal_failing};
pub use line_changes::{Granularity, LineChange, line_changes, with_changes};
pub use needs::{Versions, misfit, needs};
pub use verdicts::{ErrorClass, InteractionLabel};
pub use wording::{Purpose, Wording, is_test, label, purpose, wording};

use std::collections::{BTreeMap, BTreeSet};

/// What a text says about a regression.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hints {
    /// The words that were found, in the order of [`KEYWORDS`].
    pub words: Vec<&'static str>,
    /// Bug reports that are named.
    pub bugs: BTreeSet<String>,
    /// What is said to have introduced the error: a commit or a version.
    pub introduced_by: Option<String>,
}

/// Stems that point to a repaired regression, the strongest first.
pub const KEYWORDS: [&str; 4] = ["regress", "introduced", "broken", "broke"];

/// Files in which projects tell their users what was repaired.
pub fn is_news(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let stem = name.split('.').next().unwrap_or(&name);
    matches!(stem, "news" | "changes" | "changelog" | "release-notes" | "releasenotes" | "history")
}

/// Reads a commit message, or the lines that a commit added to release notes.
pub fn hints(text: &str) -> Hints {
    let lower = text.to_ascii_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty()).collect();
    let mut found = Hints::default();
    for keyword in KEYWORDS {
        let hit =
            |word: &&str| if keyword == "regress" { word.starts_with(keyword) } else { **word == *keyword };
        if words.iter().any(hit) {
            found.words.push(keyword);
        }
    }
    found.bugs = bugs(&lower);
    found.introduced_by = introduced_by(text);
    found
}

/// `bug 123`, `#123`, `bugs.gnu.org/123`, `issue 123`, `fixes 123`: numbers behind a word that names a report.
fn bugs(lower: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let bytes = lower.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && bytes[at].is_ascii_digit() {
            at += 1;
        }
        let before = lower.get(..start).unwrap_or_default();
        let joined = at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'.');
        let trimmed = before.trim_end_matches([' ', ':', '(']);
        let named = before.ends_with('#')
            || before.ends_with('/') && before.rfind("bug").is_some_and(|it| start - it < 80)
            || before.ends_with("?id=")
            || ["bug", "issue", "report", "bugs"]
                .iter()
                .any(|word| trimmed.ends_with(word) && trimmed != before);
        if named && !joined {
            found.insert(lower[start..at].to_owned());
        }
    }
    found
}

/// So many words behind one that says it, a culprit is named.
const NEAR: usize = 8;

/// What is named behind "introduced in", "introduced by", "since", "caused by" and the like, in the same sentence: a commit, or else a version.
/// A commit says more: one that was "introduced in 2.7 by commit X" was introduced by X. So does a line "Fixes: X".
fn introduced_by(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let bare = |word: &&str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let mut version = None;
    for (at, word) in words.iter().enumerate() {
        let said = bare(word).to_ascii_lowercase();
        let is_line = word.eq_ignore_ascii_case("fixes:");
        if !is_line
            && !matches!(said.as_str(), "introduced" | "caused" | "since" | "broken" | "broke" | "regression")
        {
            continue;
        }
        let behind = &words[at + 1..];
        let end =
            behind.iter().position(|word| word.ends_with(['.', ';'])).map_or(behind.len(), |end| end + 1);
        let named: Vec<String> =
            behind[..end].iter().take(if is_line { 1 } else { NEAR }).map(bare).collect();
        if let Some(commit) = named.iter().find(|word| is_hash(word)) {
            return Some(commit.clone());
        }
        version = version.or_else(|| named.into_iter().find(|word| !is_line && is_version(word)));
    }
    version
}

/// Whether a word is a commit's hash, or the beginning of one. A short number is rather a date or a report.
fn is_hash(word: &str) -> bool {
    let has = |what: fn(&char) -> bool| word.chars().any(|letter| what(&letter));
    (7..=64).contains(&word.len())
        && word.chars().all(|letter| letter.is_ascii_hexdigit())
        && has(char::is_ascii_digit)
        && (word.len() > 12 || has(char::is_ascii_alphabetic))
}

fn is_version(word: &str) -> bool {
    word.contains('.')
        && word.chars().any(|letter| letter.is_ascii_digit())
        && word.chars().all(|letter| letter.is_ascii_alphanumeric() || ".-_".contains(letter))
}

/// An error of a study: who introduced it and who fixed it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ErrorPair {
    /// The introducing commit.
    pub introduced: String,
    /// The fixing commit.
    pub fixed: String,
    /// The report, or whatever else the line says.
    pub report: String,
}

/// Reads lines of "introducing fixing report"; lines that begin with `#` are dropped candidates, and a `+` before a hash means
/// that the next line holds a substitute, which replaces it. Lines that begin with `!` are errors that are left out: see
/// [`read_excluded`].
pub fn read_pairs(text: &str) -> Result<Vec<ErrorPair>, String> {
    let mut pairs: Vec<ErrorPair> = Vec::new();
    let mut replaces = [false, false];
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', '!']) {
            continue;
        }
        let mut words = line.split_whitespace();
        if replaces != [false, false] {
            let last = pairs.last_mut().ok_or("a substitute stands before any pair")?;
            for (at, word) in [0, 1].into_iter().filter(|&at| replaces[at]).zip(&mut words) {
                let word = word.trim_start_matches('+').to_owned();
                if at == 0 { last.introduced = word } else { last.fixed = word }
            }
            replaces = [false, false];
            continue;
        }
        let (Some(introduced), Some(fixed)) = (words.next(), words.next()) else {
            return Err(format!("line {}: an introducing and a fixing commit are expected", number + 1));
        };
        replaces = [introduced.starts_with('+'), fixed.starts_with('+')];
        let clean = |word: &str| word.trim_start_matches('+').to_owned();
        let report = words.collect::<Vec<_>>().join(" ");
        pairs.push(ErrorPair { introduced: clean(introduced), fixed: clean(fixed), report });
    }
    Ok(pairs)
}

/// The errors of such a list that are left out because nobody can reproduce them (system, concurrency): lines that begin with `!`, with
/// what they say.
pub fn read_excluded(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix('!'));
    lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// Chains of incorrect fixes: each commit but the first fixed the error of the one before, and introduced the next. Only whole
/// chains of at least two errors are given.
pub fn chains(pairs: &[ErrorPair]) -> Vec<Vec<String>> {
    let mut fixes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for pair in pairs {
        fixes.entry(&pair.introduced).or_default().insert(&pair.fixed);
    }
    let fixed: BTreeSet<&str> = pairs.iter().map(|pair| pair.fixed.as_str()).collect();
    let mut found = Vec::new();
    for &start in fixes.keys().filter(|start| !fixed.contains(*start)) {
        let mut waiting = vec![vec![start.to_owned()]];
        while let Some(chain) = waiting.pop() {
            let last = chain.last().expect("a chain has a commit");
            let next = fixes
                .get(last.as_str())
                .into_iter()
                .flatten()
                .filter(|it| !chain.iter().any(|that| that == *it));
            let longer: Vec<Vec<String>> =
                next.map(|it| chain.iter().cloned().chain([(*it).to_owned()]).collect()).collect();
            if longer.is_empty() && chain.len() > 2 {
                found.push(chain);
            }
            waiting.extend(longer);
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_point_to_regressions() {
        let it = hints(
            "cut: fix a segfault\n\nRegression introduced in commit 2e636af1.  See http://bugs.gnu.org/13627",
        );
        assert_eq!(it.words, ["regress", "introduced"]);
        assert_eq!(it.bugs, BTreeSet::from(["13627".to_owned()]));
        assert_eq!(it.introduced_by.as_deref(), Some("2e636af1"));
        let it = hints("** Bug fixes\n  du no longer ... [bug introduced in coreutils-8.6]; fixes #77");
        assert_eq!(it.bugs, BTreeSet::from(["77".to_owned()]));
        assert_eq!(it.introduced_by.as_deref(), Some("coreutils-8.6"));
        assert_eq!(hints("Add a feature in 2013"), Hints::default());
        for (text, culprit) in [
            ("broken since 2.7, introduced in version 2.7 by commit 0123abc", Some("0123abc")),
            ("Introduced in 2.7 (commit 0123abcd).", Some("0123abcd")),
            ("introduced in 2.7. The fix is that of 0123abc", Some("2.7")),
            ("introduced on 20240131 in 1.3", Some("1.3")),
            ("a bug\n\nFixes: 89abcdef0123 (\"area: what it was\")", Some("89abcdef0123")),
            ("Fixes: #77", None),
            ("Fixes: 2.0", None),
            ("broken by v1.2-rc1", Some("v1.2-rc1")),
        ] {
            assert_eq!(hints(text).introduced_by.as_deref(), culprit, "{text}");
        }
        assert!(is_news("NEWS") && is_news("doc/ChangeLog.md") && !is_news("src/news_reader.c"));
    }

    /// The chains of the published benchmark.
    #[test]
    fn incorrect_fixes_form_chains() {
        let text = "7380cf79 2e636af1 bug 7993\n2e636af1 ec48bead\nec48bead be7932e8\n# dropped one\n\
                    659fc6b5 0afbbf85\n0afbbf85 fd30db12\n0afbbf85 40a49f24\n+6c5f11fb 86e4b778 msg\n3964d508\n";
        let pairs = read_pairs(text).expect("well formed");
        assert_eq!(pairs.len(), 7);
        assert_eq!(pairs[6].introduced, "3964d508");
        let found: Vec<String> = chains(&pairs).iter().map(|chain| chain.join(" ")).collect();
        assert_eq!(
            found,
            [
                "659fc6b5 0afbbf85 40a49f24",
                "659fc6b5 0afbbf85 fd30db12",
                "7380cf79 2e636af1 ec48bead be7932e8"
            ]
        );
    }
}
