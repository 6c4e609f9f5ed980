//! What a search came to, and the same as evidence.

use hydrogen_evidence::exposed::{
    self, Conclusion, Exposed, Label, Natively, Platform, Reached, Sequences, Started, Statistics, Way,
};
use hydrogen_evidence::{Input, until_zero};
use hydrogen_expose::Asked;
use hydrogen_machine::World;
use hydrogen_pair::Outcome;

/// An input on which the versions differ.
pub struct Finding {
    pub input: Input,
    /// Where a function is called: the call as a programmer would write it.
    pub call: Option<String>,
    /// The world that the input is put into.
    pub world: World,
    /// What the old and the new version did.
    pub outcomes: [Outcome; 2],
    /// What of it differs, by name.
    pub differs: Vec<String>,
    pub natively: [Natively; 2],
    /// With the platform's own C library.
    pub platform: Platform,
    pub way: Way,
    /// How it was found.
    pub how: String,
    /// What it is, where a version is known to be right.
    pub label: Option<Label>,
    /// Whether it is words of messages alone.
    pub words: bool,
    /// Whether it is what was searched for.
    pub wanted: bool,
    /// For the call of a function: a test in C for each version.
    pub tests: Option<[CTest; 2]>,
}

/// The call of a function as a test in C.
pub struct CTest {
    /// Of which version.
    pub version: usize,
    /// The unit that it includes.
    pub unit: String,
    pub text: String,
    /// What it prints, as far as the call returns.
    pub prints: Vec<u8>,
}

impl CTest {
    /// The name of its file.
    pub fn file(&self) -> &'static str {
        ["old_test.c", "new_test.c"][self.version]
    }
}

/// Everything that is known in the end.
pub struct Report {
    pub names: [String; 2],
    pub findings: Vec<Finding>,
    pub conclusion: Conclusion,
    /// What is assumed.
    pub ledger: Vec<String>,
    /// Differences that were not confirmed, and why.
    pub refused: Vec<String>,
    /// Where runs begin, if that is not plain.
    pub notes: Vec<String>,
    /// The orders in which runs came to changes, where they are asked for.
    pub sequences: Option<Sequences>,
    pub statistics: Statistics,
    /// What was asked, where it is wanted.
    pub log: Option<Vec<Asked>>,
    /// How far the change got, where that is wanted.
    pub reached: Vec<Reached>,
}

/// What a program of this world is started with, where the input is put into it.
pub fn started(world: &World, input: &Input, call: Option<String>) -> Started {
    let world = world.with_input(input);
    Started {
        call,
        arguments: world.args.iter().skip(1).map(|word| until_zero(word).to_vec()).collect(),
        stdin: world.stdin().to_vec(),
        input: input.clone(),
    }
}

impl Finding {
    fn told(&self) -> exposed::Finding<'_> {
        exposed::Finding {
            started: started(&self.world, &self.input, self.call.clone()),
            outcomes: &self.outcomes,
            differs: &self.differs,
            natively: &self.natively,
            platform: &self.platform,
            way: &self.way,
            how: &self.how,
            label: self.label,
            words: self.words,
        }
    }
}

impl Report {
    pub fn told(&self) -> Exposed<'_> {
        let asked = self.log.iter().flatten();
        let log =
            asked.map(|one| exposed::Asked { class: one.class, condition: &one.condition, sat: one.sat });
        Exposed {
            names: &self.names,
            findings: self.findings.iter().map(Finding::told).collect(),
            conclusion: &self.conclusion,
            ledger: &self.ledger,
            refused: &self.refused,
            notes: &self.notes,
            sequences: self.sequences.as_ref(),
            statistics: &self.statistics,
            log: log.collect(),
            reached: &self.reached,
        }
    }
}
