//! The script of a test of one program, whose files stand beside it.

use super::shell::{environment, quoted};
use hydrogen_evidence::{Input, until_zero};

/// `sh 0001.sh PROGRAM` runs the test of this name, with these arguments behind the program. Files are copied into the current folder.
pub fn alone<'a>(name: &str, input: &Input, arguments: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut out = b"#!/bin/sh\n# Replays this test: sh ".to_vec();
    out.extend(format!("{name}.sh PROGRAM\nhere=$(dirname \"$0\")\n").bytes());
    if !input.files.is_empty() {
        out.extend(format!("cp -r \"$here/{name}.files/.\" .\n").bytes());
    }
    out.extend(b"exec env");
    out.extend(environment(input, &format!("{name}.memory")));
    out.extend(b" \"$@\"");
    if !input.args.is_empty() {
        for arg in arguments {
            out.push(b' ');
            out.extend(quoted(until_zero(arg)));
        }
    }
    if !input.stdin.is_empty() || input.exact {
        out.extend(format!(" < \"$here/{name}.stdin\"").bytes());
    }
    out.push(b'\n');
    out
}
