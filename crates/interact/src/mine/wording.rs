//! What a commit is, by its message and the files it touches (E1).

/// What a commit changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// C code that is not a test.
    Code,
    /// Tests only.
    Tests,
    /// Anything else: builds, documentation, translations.
    Maintenance,
}

/// The words of a message that matter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wording {
    /// bug, bugs.
    pub bug: bool,
    /// fix, fixes, fixed, repair, correct.
    pub fix: bool,
    /// regression, regressed.
    pub regression: bool,
    /// introduced, broken or broke by something.
    pub introduced: bool,
    /// A crash: segfault, segmentation fault, crash.
    pub crash: bool,
}

impl Wording {
    /// Whether it repairs something.
    pub fn is_fix(self) -> bool {
        self.bug || self.fix || self.is_regression()
    }

    /// Whether it says that what it repairs worked before.
    pub fn is_regression(self) -> bool {
        self.regression || self.introduced
    }
}

/// Reads a message.
pub fn wording(message: &str) -> Wording {
    let lower = message.to_ascii_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty()).collect();
    let any = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let begins = |stem: &str| words.iter().any(|word| word.starts_with(stem));
    Wording {
        bug: any(&["bug", "bugs", "bugfix"]),
        fix: any(&["fix", "fixes", "fixed", "fixing", "fixup", "repair", "repairs", "correct", "corrects"]),
        regression: begins("regress"),
        introduced: any(&["introduced", "broken", "broke"]),
        crash: begins("segfault")
            || lower.contains("segmentation fault")
            || any(&["crash", "crashes", "crashed"]),
    }
}

/// The label of a summary: `seq` of `seq: handle -w`. Nothing where there is none.
pub fn label(summary: &str) -> Option<&str> {
    let (label, rest) = summary.split_once(':')?;
    let plain = |c: char| c.is_alphanumeric() || "-_./,+ ".contains(c);
    let words = label.split(' ').count();
    let fits = !label.is_empty() && label.len() <= 30 && words <= 2 && label.chars().all(plain);
    (fits && rest.starts_with(' ')).then_some(label)
}

/// Labels that say that a commit is about tests, and those that say that it is about neither code nor tests.
const TESTS: [&str; 4] = ["test", "tests", "testsuite", "t"];
const MAINTENANCE: [&str; 14] = [
    "maint", "build", "doc", "docs", "ci", "gnulib", "po", "news", "readme", "chore", "style", "release",
    "version", "cmake",
];

/// Whether a path belongs to tests.
pub fn is_test(path: &str) -> bool {
    let mut parts = path.split('/').rev();
    let name = parts.next().unwrap_or_default().to_ascii_lowercase();
    let folder =
        |part: &str| matches!(part, "test" | "tests" | "testsuite" | "t" | "unit-tests" | "fuzzing" | "fuzz");
    parts.any(|part| folder(&part.to_ascii_lowercase()))
        || name.starts_with("test")
        || name.contains("_test.")
}

/// What a commit is: by its label where that says it, else by its files, given as path and whether it is C.
pub fn purpose<'a>(summary: &str, files: impl IntoIterator<Item = (&'a str, bool)>) -> Purpose {
    let said = label(summary).map(str::to_ascii_lowercase);
    let says = |list: &[&str]| said.as_deref().is_some_and(|label| list.contains(&label));
    let (mut code, mut tests) = (false, false);
    for (path, is_c) in files {
        match (is_test(path), is_c) {
            (true, _) => tests = true,
            (false, c) => code |= c,
        }
    }
    match (code, tests) {
        (_, true) if says(&TESTS) => Purpose::Tests,
        _ if says(&MAINTENANCE) => Purpose::Maintenance,
        (true, _) => Purpose::Code,
        (false, true) => Purpose::Tests,
        (false, false) => Purpose::Maintenance,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_say_what_a_commit_is() {
        let check = |message: &str, expect: (bool, bool, bool)| {
            let found = wording(message);
            assert_eq!((found.is_fix(), found.is_regression(), found.crash), expect, "{message}");
        };
        check("seq: fix a regression\n\nIntroduced in v8.5, it made seq segfault.", (true, true, true));
        check("cut: avoid a buffer overrun [bug introduced by ec48bead]", (true, true, false));
        check("Add --prefix", (false, false, false));
        check("Correct a comment", (true, false, false));
        check("A prefix is suffixed", (false, false, false));
        for (summary, expect) in [
            ("seq: handle -w", Some("seq")),
            ("tests/misc: more", Some("tests/misc")),
            ("Merge: a long story about everything here", Some("Merge")),
            ("Note that a:b is no label", None),
            ("no label at all", None),
        ] {
            assert_eq!(label(summary), expect, "{summary}");
        }
    }

    #[test]
    fn files_and_labels_say_what_a_commit_changes() {
        let check = |summary: &str, files: &[(&str, bool)], expect| {
            assert_eq!(purpose(summary, files.iter().copied()), expect, "{summary} {files:?}");
        };
        check("seq: fix", &[("src/seq.c", true), ("tests/seq.sh", false)], Purpose::Code);
        check("tests: more of seq", &[("tests/seq.sh", false), ("src/seq.c", true)], Purpose::Tests);
        check("more of seq", &[("tests/check.c", true)], Purpose::Tests);
        check("maint: years", &[("src/seq.c", true)], Purpose::Maintenance);
        check("Update NEWS", &[("NEWS", false)], Purpose::Maintenance);
        check("", &[], Purpose::Maintenance);
    }
}
