//! What is stored between runs.

use crate::programs::LinkedProgram;
use crate::version::Failure;
use bstr::BString;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A whole version: which units it has and under which keys their models are.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct VersionRecord {
    pub how: String,
    pub units: Vec<UnitRecord>,
    /// The programs that the build linked.
    pub programs: Vec<LinkedProgram>,
    pub failures: Vec<Failure>,
    /// Whether a failure was one of the moment, a crash or the end of the time: then the next run asks again.
    #[serde(skip)]
    pub fleeting: bool,
    pub problems: Vec<String>,
}

/// A unit of a version. Units of one file that have the same model are one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct UnitRecord {
    pub file: String,
    pub key: [u8; 32],
    /// The object files that the build made of it.
    pub objects: Vec<String>,
}

/// A recorded build. Paths below the checkout or its scratch folder start with a placeholder, since the next
/// version lies elsewhere.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PlanRecord {
    pub how: String,
    pub units: Vec<UnitPlan>,
    pub problems: Vec<String>,
    /// Whether it took too long: another time it may not.
    #[serde(skip)]
    pub timed_out: bool,
    /// Whether the build stopped half way: then it is not known how the files it did not reach are compiled.
    pub stopped: bool,
    /// Whether the units read nothing that the build made or changed: then the commands alone are all that
    /// there is to know about the build, and it need not run again.
    pub pure: bool,
    /// What was linked of what, in the names that units give their objects.
    pub links: Vec<(String, Vec<String>)>,
}

/// A compile command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UnitPlan {
    /// The file as people call it: relative to the version's root.
    pub name: String,
    pub file: BString,
    pub directory: BString,
    pub arguments: Vec<BString>,
    /// The object files that the build made of it.
    pub objects: Vec<String>,
}

/// What a unit read, and what came of it. Alternatives differ in the headers' contents.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub alternatives: Vec<Alternative>,
}

/// One set of files that a unit once read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Alternative {
    pub dependencies: Vec<(Place, [u8; 20])>,
    pub unit: [u8; 32],
}

/// Where a file lies, independent of where the checkout is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum Place {
    /// Below the version's root.
    Inside(PathBuf),
    /// Below the scratch folder of the build.
    Scratch(PathBuf),
    /// Anywhere else: system headers.
    Outside(PathBuf),
}
