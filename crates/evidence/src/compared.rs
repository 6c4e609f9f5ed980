//! What is known of the functions that two versions have: proved equal, shown to differ, or open.

use crate::Call;
use crate::partitioned::Share;
use serde::{Deserialize, Serialize};

/// A comparison of two versions, function by function.
#[derive(Debug)]
pub struct Compared<'a> {
    /// The old version.
    pub old: Version<'a>,
    /// The new version.
    pub new: Version<'a>,
    /// The functions that were compared.
    pub functions: Vec<Function<'a>>,
    /// Functions that the old version alone has.
    pub removed: &'a [String],
    /// Functions that the new version alone has.
    pub added: &'a [String],
    /// Variables whose initial value changed.
    pub variables: &'a [String],
    /// What the program as a whole did, where a function differs.
    pub whole: Option<&'a Whole>,
}

/// One of the versions.
#[derive(Debug, Clone, Copy)]
pub struct Version<'a> {
    /// Its name.
    pub name: &'a str,
    /// Units of it that could not be read, and why.
    pub missing: &'a [String],
}

/// What is said of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// It is proved to be equal.
    Equal,
    /// A run shows that it differs.
    Differs,
    /// Neither is known.
    Open,
}

impl Word {
    /// As reports have it.
    pub fn text(self) -> &'static str {
        match self {
            Word::Equal => "equal",
            Word::Differs => "differs",
            Word::Open => "open",
        }
    }
}

/// A function that both versions have.
#[derive(Debug)]
pub struct Function<'a> {
    /// Its name.
    pub name: &'a str,
    /// Where the new version has it.
    pub place: &'a str,
    /// The proof that it is equal.
    pub proof: Option<Proof>,
    /// What the checker of certificates says of the proof, where it was asked.
    pub checked: Option<&'a str>,
    /// A difference that was run.
    pub difference: Option<&'a Shown>,
    /// What may differ, where that was not run.
    pub candidate: Option<&'a str>,
    /// Why nothing is known.
    pub reasons: &'a [String],
    /// What the search for a difference has to say.
    pub note: Option<&'a str>,
    /// What exploring its calls came to, where it is not proved.
    pub explored: Option<Bounded>,
    /// Whether the program leads to it, where that is not so or not known.
    pub reach: Option<&'a str>,
}

impl Function<'_> {
    /// What is said of it.
    pub fn word(&self) -> Word {
        match (&self.proof, &self.difference) {
            (_, Some(_)) => Word::Differs,
            (Some(_), None) => Word::Equal,
            (None, None) => Word::Open,
        }
    }
}

/// How equality was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The code is the same.
    SameCode,
    /// Both compute the same terms: no solver was asked.
    SameForm,
    /// All paths at once, by a solver.
    Paths,
    /// Induction over related loops.
    Induction,
    /// Runs of every partition of the arguments, where these alone decide.
    Partitions,
}

/// A proof that two functions are equal, and what it rests on; with the prover's certificate, or with that as data for those who only show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof<Certificate = serde_json::Value> {
    /// How it was shown.
    pub method: Method,
    /// Callees of which equality is used, by name.
    pub lemmas: Vec<String>,
    /// What is assumed.
    pub ledger: Vec<String>,
    /// Statements that had to hold.
    pub obligations: usize,
    /// Of those, the ones that a solver decided.
    pub asked: usize,
    /// What a checker needs to go through the proof again; none where the code is the same.
    pub certificate: Option<Certificate>,
}

/// A difference as it is shown.
#[derive(Debug)]
pub struct Shown {
    /// The call, as a programmer would write it.
    pub input: String,
    /// What the old version does.
    pub old: String,
    /// What the new version does.
    pub new: String,
    /// What native builds of both versions say to it.
    pub native: Native,
    /// The call itself.
    pub call: Call,
    /// The tests in C, of the old version and of the new one.
    pub tests: [String; 2],
}

/// What native builds say.
#[derive(Debug)]
pub enum Native {
    /// They differ too.
    Confirmed,
    /// Undefined behaviour: a native run need not show it.
    Undefined,
    /// They could not be asked.
    NotRun(String),
}

/// What exploring the calls of a function came to.
#[derive(Debug, Clone, Copy)]
pub struct Bounded {
    /// How much of the calls within the bounds is decided.
    pub share: Share,
    /// The partitions that were found.
    pub partitions: usize,
    /// The elements that pointers lead to at most.
    pub elements: u64,
    /// Whether every call within the bounds is in a partition, and none seems to differ.
    pub is_equal: bool,
}

/// What runs of both versions as whole programs came to.
#[derive(Debug)]
pub enum Whole {
    /// A run shows a difference.
    Differs {
        /// The input.
        input: String,
        /// What the old version does.
        old: String,
        /// What the new version does.
        new: String,
        /// What native builds say.
        native: String,
    },
    /// So many runs did not.
    Nothing(usize),
    /// It could not be run.
    NotRun(String),
}
