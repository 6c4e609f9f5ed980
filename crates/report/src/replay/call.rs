//! The script of a call of a function on which versions differ, for the tool itself.

use super::shell::quoted;
use bstr::ByteSlice;
use hydrogen_evidence::compared::Shown;

/// A version: how it is called, and what the user wrote for it.
pub struct Version<'a> {
    /// Its name in the answer.
    pub name: &'a str,
    /// What names it on the command line.
    pub given: &'a str,
}

/// Runs the call in both versions, in the machine and natively.
pub fn call(function: &str, shown: &Shown, [old, new]: [Version<'_>; 2]) -> String {
    let quote = |text: &str| quoted(text.as_bytes()).to_str_lossy().into_owned();
    let line = |text: &str| text.replace('\n', " ");
    let run = |version: &Version<'_>| {
        format!(
            "echo {}\nhydrogen run --function {} --test \"$here/input.json\" --native {}\n",
            quote(&format!("{}:", version.name)),
            quote(function),
            quote(version.given)
        )
    };
    format!(
        "#!/bin/sh\n# {}\n# {}: {}\n# {}: {}\n# Start it where the versions are: in the repository, or in the folder of the files.\nhere=$(cd \"$(dirname \"$0\")\" && pwd)\n{}{}",
        line(&shown.input),
        old.name,
        line(&shown.old),
        new.name,
        line(&shown.new),
        run(&old),
        run(&new)
    )
}
