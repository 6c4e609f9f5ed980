//! The script that a person replays a test with: in both versions, in one of them, or in a program that is built already.

use super::shell::{environment, quoted};
use bstr::{BString, ByteSlice};
use hydrogen_evidence::{Ending, Input, Origin, Recipe, until_zero};

/// A test of two versions.
pub struct Replayed<'a> {
    /// The input, whole.
    pub input: &'a Input,
    /// The name that the program is started by.
    pub program: &'a [u8],
    /// For the call of a function: of each version, the unit that its test in C includes and the file of the test.
    pub tests: Option<[(&'a str, &'a str); 2]>,
    /// Whether one of the versions ends with a fault.
    pub faults: bool,
    /// Whether the programs need `hydrogen.h`, which lies beside the script then, in `include`.
    pub headers: bool,
    /// How each is compiled. Without it only programs that are built already can be given.
    pub recipes: Option<&'a [Recipe; 2]>,
}

/// What no unit defines is missing only where it is called, as in the machine.
const LINKED: &str = "-Wl,--unresolved-symbols=ignore-in-object-files -Wl,--allow-multiple-definition";
/// What newer compilers turned into errors, and old programs do.
const TOLERATED: &str =
    "-w -g -Wno-error=implicit-function-declaration -Wno-error=implicit-int -Wno-error=int-conversion";
/// A fault shows itself natively only where somebody looks for it.
const SANITIZED: &str = "-fsanitize=address,undefined -fno-sanitize-recover=all";

const HEAD: &str = r#"#!/bin/sh
# A test that shows what a change does.
#   sh replay.sh            compiles both versions and runs it in both; exit code 0 where each does what it did before
#   sh replay.sh old        in the old version alone: exit code 1, because it does not do what the new one does
#   sh replay.sh new        in the new version alone: exit code 0
"#;
const PROGRAM: &str = "#   sh replay.sh PROGRAM    in a program that is built already: exit code 0 where it does what the new version does\n";
const WORK: &str = r#"# What both did is in old.* and new.*. CC names the compiler, CFLAGS has options for it.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
repository=$here
"#;
/// What programs print is compared byte by byte; of what calls left behind, numbers that are none have no sign, since compilers choose it.
const SAME: &str = "same() { cmp -s \"$1\" \"$2\"; }\n";
const SAME_VALUES: &str = r#"values() { sed 's/= bits [7f]ff[89a-f][0-9a-f]*$/= not a number/; s/= bits [7f]f[c-f][0-9a-f]\{5\}$/= not a number/' "$1"; }
same() { [ "$(values "$1")" = "$(values "$2")" ]; }
"#;
/// Compares what a run did with what was recorded, prints it, and says whose it is.
const JUDGE: &str = r#"is_like() { # VERSION STATUS
    case $(cat "$here/$1.status") in
        fault) [ "$2" -ne 0 ] ;;
        # What a program that ends with a signal has not written yet is lost with some libraries: then its end says whose it is.
        "$2") [ "$2" -gt 128 ] && ! cmp -s "$here/old.status" "$here/new.status" ||
            { same "$work/out" "$here/$1.out" && { [ ! -f "$here/$1.named" ] || same "$work/named" "$here/$1.named"; } && { [ ! -f "$here/$1.only-err" ] || cmp -s "$work/err" "$here/$1.err"; }; } ;;
        *) false ;;
    esac
}
whose() { # STATUS
    # Any failure may be the fault: what is exact is asked for first.
    case $(cat "$here/new.status") in fault) order="old new" ;; *) order="new old" ;; esac
    for one in $order; do
        if is_like $one "$1"; then echo "the $one version"; return; fi
    done
    echo "neither version"
}
show() { # NAME, and how to run it
    name=$1; shift
    rm -rf "$work/run"; mkdir -p "$work/run"
    : > "$work/named"
    [ ! -d "$here/files" ] || cp -r "$here/files/." "$work/run"
    run "$@" > "$work/out" 2> "$work/err"
    status=$?
    who=$(whose $status)
    echo "== $name: exit $status"
    cat "$work/out"
    head -n 20 "$work/err" >&2
    echo "-- as $who"
    [ "$who" = "the new version" ]
}
"#;
const BOTH: &str = r#"case ${1-both} in
    both)
        compile_old && compile_new || exit 2
        show old "$work/old/$program"; first=$who
        show new "$work/new/$program" && [ "$first" = "the old version" ] ;;
    old) compile_old || exit 2; show old "$work/old/$program" ;;
    new) compile_new || exit 2; show new "$work/new/$program" ;;
"#;
const GIVEN: &str = r#"    *)
        # The test runs in a folder of its own.
        case $1 in */*) given=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") ;; *) given=$1 ;; esac
        shift
        show "$given" "$given" "$@" ;;
"#;

/// The status that a shell sees, or that there is none to rely on.
pub fn status(ending: &Ending) -> String {
    match ending {
        Ending::Exit(status) => status.to_string(),
        Ending::Signal(signal) => (128 + signal).to_string(),
        _ => "fault".to_owned(),
    }
}

/// The words of a shell, with the folder of the sources wherever they name it.
fn word(root: &BString, word: &[u8]) -> Vec<u8> {
    let quote = |part: &[u8]| if part.is_empty() { Vec::new() } else { quoted(part) };
    match root.is_empty() {
        true => quoted(word),
        false => bstr::join("\"$tree\"", word.split_str(root.as_slice()).map(quote)),
    }
}

/// The function of the script that compiles a version; the test in C stands for the unit that it includes.
fn compile(
    version: &str,
    recipe: &Recipe,
    test: Option<(&str, &str)>,
    (extra, headers): (&str, bool),
) -> Vec<u8> {
    let mut out = format!("compile_{version}() {{\n    mkdir -p \"$work/{version}\"\n").into_bytes();
    match &recipe.sources {
        Origin::Commit(commit) => out.extend(
            format!(
                "    tree=$work/{version}/tree; mkdir \"$tree\"\n    git -C \"$repository\" cat-file -e {commit} 2> /dev/null || repository=.\n    \
                 git -C \"$repository\" cat-file -e {commit} 2> /dev/null || {{ echo \"replay.sh: there is no commit {commit} here; start it inside of the repository\" >&2; exit 2; }}\n    \
                 git --git-dir=\"$(git -C \"$repository\" rev-parse --absolute-git-dir)\" archive {commit} | tar -x -C \"$tree\" || return 2\n"
            )
            .bytes(),
        ),
        Origin::Folder(folder) => {
            out.extend(b"    tree=");
            out.extend(quoted(folder.to_string_lossy().as_bytes()));
            out.push(b'\n');
        }
    }
    for (number, unit) in recipe.units.iter().enumerate() {
        out.extend(b"    (cd \"$tree\"/");
        out.extend(quoted(unit.folder.as_bytes()));
        out.extend(format!(" && ${{CC:-cc}} {TOLERATED}").bytes());
        let is_test = test.is_some_and(|(name, _)| unit.name == name);
        // Compilers do not know each other's warnings, and the test is written in today's C.
        let is_warning = |word: &BString| word.starts_with(b"-W") && word.get(3) != Some(&b',');
        let is_old = |word: &BString| {
            is_test && (word.starts_with(b"-std=") || word == "-ansi" || word.starts_with(b"-pedantic"))
        };
        for one in unit.words.iter().filter(|word| !is_warning(word) && !is_old(word)) {
            out.push(b' ');
            out.extend(word(&recipe.root, one));
        }
        out.extend(format!(" {extra}$CFLAGS -c ").bytes());
        match test {
            Some((name, file)) if unit.name == name => {
                out.extend(b"-I\"$tree\" ");
                out.extend(format!("\"$here/{file}\"").bytes());
            }
            _ => out.extend(word(&recipe.root, &unit.file)),
        }
        out.extend(format!(" -o \"$work/{version}/{number}.o\") || return 2\n").bytes());
    }
    let first = test.and_then(|(name, _)| recipe.units.iter().position(|unit| unit.name == name));
    let order = first.into_iter().chain((0..recipe.units.len()).filter(|at| Some(*at) != first));
    let mut objects: Vec<String> = order.map(|number| format!("\"$work/{version}/{number}.o\"")).collect();
    if headers {
        objects.push("\"$here/include/hydrogen.c\"".to_owned());
    }
    out.extend(
        format!(
            "    ${{CC:-cc}} {extra}$CFLAGS {} {LINKED} -lm -o \"$work/{version}/$program\"\n}}\n",
            objects.join(" ")
        )
        .bytes(),
    );
    out
}

/// The script.
pub fn both(test: &Replayed<'_>) -> Vec<u8> {
    let is_call = test.tests.is_some();
    let mut out = HEAD.as_bytes().to_vec();
    if !is_call {
        out.extend(PROGRAM.bytes());
    }
    out.extend(WORK.bytes());
    out.extend(b"program=");
    let plain = !test.program.is_empty() && !test.program.contains(&b'=') && !test.program.contains(&b'/');
    out.extend(quoted(match (is_call, plain) {
        (true, _) => b"test",
        (false, true) => test.program,
        (false, false) => b"program",
    }));
    out.extend(b"\n");
    out.extend(run(test));
    out.extend(if is_call { SAME_VALUES } else { SAME }.bytes());
    out.extend(JUDGE.bytes());
    let mut extra = if test.faults { format!("{SANITIZED} ") } else { String::new() };
    if test.headers {
        extra.push_str("-I\"$here/include\" ");
    }
    for (at, version) in ["old", "new"].into_iter().enumerate() {
        match test.recipes {
            Some(recipes) => {
                out.extend(compile(version, &recipes[at], test.tests.map(|tests| tests[at]), (&extra, test.headers)));
            }
            None => out.extend(
                format!(
                    "compile_{version}() {{ echo 'it is not known how the {version} version is compiled: give a program' >&2; return 2; }}\n"
                )
                .bytes(),
            ),
        }
    }
    out.extend(BOTH.bytes());
    if is_call {
        out.extend(b"    *) echo \"sh replay.sh [old|new]\" >&2; exit 2 ;;\n");
    } else {
        out.extend(GIVEN.bytes());
    }
    out.extend(b"esac\n");
    out
}

/// The function of the script that runs a program with the input. It is found by its name alone, as in the machine, so that messages have the same name.
fn run(test: &Replayed<'_>) -> Vec<u8> {
    let mut out = b"run() {\n    executable=$1; shift\n".to_vec();
    if test.tests.is_some() {
        out.extend(b"    (cd \"$work/run\" && \"$executable\")\n}\n");
        return out;
    }
    out.extend(b"    (cd \"$work/run\" && PATH=$(dirname \"$executable\"):$PATH && env");
    out.extend(environment(test.input, "memory"));
    if test.headers {
        out.extend(b" HYDROGEN_OUTPUT=\"$work/named\"");
    }
    out.extend(b" \"$(basename \"$executable\")\" \"$@\"");
    for arg in test.input.args.values() {
        out.push(b' ');
        out.extend(quoted(until_zero(arg)));
    }
    out.extend(b" < \"$here/stdin\")\n}\n");
    out
}
