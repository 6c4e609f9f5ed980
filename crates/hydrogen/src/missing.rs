//! What the user is told about what an answer lacks, and when it lacks so much that it is none.

use hydrogen_model::NOT_REACHED;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// More different problems than this are not listed unasked.
const SAID: usize = 6;
/// More units than this that could not be read are counted, not listed.
const LISTED: usize = 3;

/// What was told so far.
#[derive(Default)]
pub struct Told(Mutex<State>);

#[derive(Default)]
struct State {
    words: BTreeSet<String>,
    /// The versions spoken of, and those of them with too little to go by.
    versions: usize,
    starved: usize,
}

/// What is known about the reading of a version.
pub struct Reading<'a> {
    pub name: &'a str,
    pub problems: &'a [String],
    /// How many units could be read.
    pub read: usize,
    /// What is said about each of the others.
    pub missing: Vec<&'a str>,
}

impl Told {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this is the first time that it is said.
    pub fn is_new(&self, words: &str) -> bool {
        self.state().words.insert(words.to_owned())
    }

    /// Says what a version lacks: how to get it first, then examples; `-v` lists all.
    pub fn tell(&self, reading: &Reading<'_>) {
        let Reading { name, problems, read, missing } = reading;
        for problem in *problems {
            self.problem(name, problem);
        }
        let starved = is_starved(*read, missing);
        {
            let mut state = self.state();
            state.versions += 1;
            state.starved += usize::from(starved);
        }
        for (at, message) in missing.iter().enumerate() {
            let first = first_sentence(message);
            match at < LISTED && self.is_new(&without_numbers(&first)) {
                true => tracing::warn!("{name}: left out: {first}"),
                false => tracing::info!("{name}: left out: {message}"),
            }
        }
        let (lost, all) = (missing.len(), read + missing.len());
        match lost {
            0 => {}
            1 => tracing::warn!("{name}: one of {all} units is missing from the answer"),
            _ if lost > LISTED => {
                tracing::warn!("{name}: {lost} of {all} units are missing from the answer; -v lists them")
            }
            _ => tracing::warn!("{name}: {lost} of {all} units are missing from the answer"),
        }
    }

    /// Says that a version is not part of the answer at all.
    pub fn left_out(&self, version: &str, why: &str) {
        tracing::warn!("version {version}: {why}; the version is left out");
        let mut state = self.state();
        state.versions += 1;
        state.starved += 1;
    }

    fn problem(&self, name: &str, problem: &str) {
        // Versions have the same few problems as the one before, a few lines further down: each is said once.
        let (first, more) = problem.split_once('\n').map_or((problem, false), |(first, _)| (first, true));
        let mut state = self.state();
        match (state.words.insert(without_numbers(first)), state.words.len()) {
            (true, ..=SAID) => tracing::warn!("{name}: {first}"),
            (true, count) if count == SAID + 1 => tracing::warn!("and more of the kind; -v lists all"),
            _ => {}
        }
        if more {
            tracing::info!("{name}: {problem}");
        }
    }

    /// Says that there is too little to go by, if so: then "nothing found" is no answer.
    pub fn too_little(&self) -> bool {
        let State { versions, starved, .. } = *self.state();
        let too_little = starved > 0 && 2 * starved >= versions;
        if too_little {
            tracing::error!(
                "most of {starved} of {versions} versions could not be read: this is no answer about the program. If the above does \
                 not help, say how it is built in hydrogen.toml: [build] command = \"…\"; or ask with --syntax, where there is such an option"
            );
        }
        too_little
    }
}

/// Whether most units failed. Whether a build that stopped would have come to a file is not known: there, less than a third is too
/// little.
fn is_starved(read: usize, missing: &[&str]) -> bool {
    let failed = missing.iter().filter(|message| !message.contains(NOT_REACHED)).count();
    failed > read || missing.len() > 2 * read
}

/// The compiler's first sentence says what is wrong; the rest is where it came from.
fn first_sentence(message: &str) -> String {
    let mut lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    // Which file included which says nothing; what the compiler calls an error does.
    let mut rest =
        lines.filter(|line| !line.starts_with("In file included from") && !line.starts_with("from "));
    match rest.next().filter(|_| first.ends_with(':')) {
        Some(second) => {
            let first = first.split_once("In file included from").map_or(first, |(before, _)| before.trim());
            format!("{first} {second}")
        }
        None => first.to_owned(),
    }
}

fn without_numbers(words: &str) -> String {
    words.replace(|c: char| c.is_ascii_digit(), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_units_must_be_read() {
        assert!(!is_starved(0, &[]));
        assert!(is_starved(0, &["x"]));
        assert!(!is_starved(1, &["x"]));
        assert!(is_starved(1, &["x", "y"]));
        assert!(!is_starved(1, &[NOT_REACHED; 2]));
        assert!(is_starved(1, &[NOT_REACHED; 3]));
    }

    #[test]
    fn one_version_of_two_is_half_of_the_answer() {
        let told = Told::default();
        let version = |read, missing| told.tell(&Reading { name: "v", problems: &[], read, missing });
        version(5, Vec::new());
        assert!(!told.too_little());
        version(0, vec!["a.c: broken"]);
        assert!(told.too_little());
        version(5, vec!["a.c: broken"]);
        assert!(!told.too_little());
    }
}
