//! Changing the arguments of a compiler call.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Mistakes that compilers of the time let pass and clang 19 does not.
const TOLERANCE: [&str; 4] = [
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
];

/// The arguments as they are, for a compiler as tolerant as those of the time. Calls that compile nothing, such as
/// `cc --version`, are not changed.
pub fn tolerant(arguments: &[OsString]) -> Vec<OsString> {
    let mut changed: Vec<OsString> = arguments.to_vec();
    if arguments.iter().any(is_source) {
        changed.splice(0..0, TOLERANCE.map(OsString::from));
    }
    changed
}

/// The same result sooner: no optimisation, no debug information, no warnings.
pub fn quick(arguments: &[OsString]) -> Vec<OsString> {
    if !arguments.iter().any(is_source) {
        return arguments.to_vec();
    }
    let mut changed: Vec<OsString> = TOLERANCE.map(OsString::from).to_vec();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let bytes = word.as_bytes();
        if takes_value(bytes) {
            changed.push(word.clone());
            changed.extend(words.next().cloned());
            continue;
        }
        let dropped = bytes.starts_with(b"-Werror")
            || bytes == b"-pedantic-errors"
            || bytes.starts_with(b"-O")
            || bytes.starts_with(b"-flto")
            || (bytes.starts_with(b"-g") && !bytes.starts_with(b"-gcc"));
        if !dropped {
            changed.push(word.clone());
        }
    }
    changed.extend(["-O0", "-w"].map(OsString::from));
    changed
}

/// Replaces `@file` by the words in it, which may be gone when the log is read.
pub fn expanded(arguments: &[OsString]) -> Vec<OsString> {
    let mut all = Vec::with_capacity(arguments.len());
    for word in arguments {
        expand(word, 0, &mut all);
    }
    all
}

fn expand(word: &OsStr, depth: usize, all: &mut Vec<OsString>) {
    // A file that names itself would never end.
    if depth < 8
        && let Some(path) = word.as_bytes().strip_prefix(b"@")
        && let Ok(text) = std::fs::read(OsStr::from_bytes(path))
    {
        for inner in split(&text) {
            expand(&OsString::from_vec(inner), depth + 1, all);
        }
    } else {
        all.push(word.to_owned());
    }
}

/// Words are separated by white space; quotes and backslashes protect it.
fn split(text: &[u8]) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => word.get_or_insert_default().extend(bytes.next()),
            (b'"' | b'\'', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (_, Some(open)) if byte == open => quote = None,
            (_, None) if byte.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words
}

fn is_source(word: &OsString) -> bool {
    let bytes = word.as_bytes();
    let dot = bytes.iter().rposition(|b| *b == b'.');
    let extension = dot.map_or(&b""[..], |dot| &bytes[dot + 1..]);
    !bytes.starts_with(b"-") && matches!(extension, b"c" | b"i" | b"cc" | b"cpp" | b"cxx" | b"C" | b"m")
        || bytes == b"-"
        || bytes.starts_with(b"@")
}

fn takes_value(word: &[u8]) -> bool {
    matches!(
        word,
        b"-o"
            | b"-I"
            | b"-D"
            | b"-U"
            | b"-L"
            | b"-l"
            | b"-x"
            | b"-MF"
            | b"-MT"
            | b"-MQ"
            | b"-include"
            | b"-imacros"
            | b"-isystem"
            | b"-iquote"
            | b"-idirafter"
            | b"-Xlinker"
            | b"-Xclang"
            | b"-Xassembler"
            | b"-Xpreprocessor"
            | b"-T"
            | b"-u"
            | b"-z"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_quick_compilation_is_not_optimised() {
        let quick = quick(&words("-O2 -g -Wall -Werror -DO2 -I -O a.c -o a.o -gcc-toolchain"));
        let expect = "-Wall -DO2 -I -O a.c -o a.o -gcc-toolchain -O0 -w";
        assert_eq!(quick[TOLERANCE.len()..], words(expect));
        assert_eq!(super::quick(&words("-O2 a.o -o a")), words("-O2 a.o -o a"));
        assert_eq!(tolerant(&words("--version")), words("--version"));
    }

    #[test]
    fn response_files_are_split_as_the_compiler_does() {
        let found = split(b"-DX=\"a b\" 'c d'\n e\\ f \"\"");
        assert_eq!(found, [&b"-DX=a b"[..], b"c d", b"e f", b""]);
    }
}
