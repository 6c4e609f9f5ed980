//! How a person compiles what was run: the commands of its units, for a script.

use bstr::BString;
use std::path::PathBuf;

/// Where sources are.
pub enum Origin {
    /// In a commit, by its full hash.
    Commit(String),
    /// In a folder, as they are now.
    Folder(PathBuf),
}

/// The command of a unit. Folders are relative to the root of the sources; in words, `root` stands for it.
pub struct Compiled {
    /// The file, from the root.
    pub name: String,
    /// The folder that the command is run in.
    pub folder: String,
    /// The file as the command names it, from its folder.
    pub file: BString,
    /// The options, without the compiler and the file.
    pub words: Vec<BString>,
}

/// How a program is compiled.
pub struct Recipe {
    /// Where its sources are.
    pub sources: Origin,
    /// The absolute root that the words of commands may mention.
    pub root: BString,
    /// Its units.
    pub units: Vec<Compiled>,
}
