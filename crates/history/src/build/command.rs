//! Reading a compiler call: which files, which arguments matter, what comes out.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// Old code that compilers of its time accepted must still compile; these are errors in clang 19.
pub(super) const TOLERANCE: [&str; 4] = [
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
];

/// A compiler call, taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Compilation {
    /// Sources with their language.
    pub sources: Vec<(PathBuf, Language)>,
    /// Objects and archives for the linker.
    pub objects: Vec<PathBuf>,
    /// What `-o` says.
    pub output: Option<PathBuf>,
    /// How far the compiler goes.
    pub stage: Stage,
    /// The arguments that decide what the program means.
    pub arguments: Vec<OsString>,
    /// What `-l` names.
    pub libraries: Vec<OsString>,
}

/// How far a compiler goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stage {
    /// `-E`, `-M`, `-fsyntax-only`, or only a question such as `--version`.
    Nothing,
    /// `-c`, `-S`.
    Compile,
    /// To the end.
    #[default]
    Link,
}

/// The language of a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Language {
    C,
    Cxx,
    Assembler,
    ObjectiveC,
    Other,
}

impl Language {
    /// How to call files of that language.
    pub fn name(self) -> &'static str {
        match self {
            Language::C => "C",
            Language::Cxx => "C++",
            Language::Assembler => "assembler",
            Language::ObjectiveC => "Objective-C",
            Language::Other => "other",
        }
    }

    fn of_extension(extension: &[u8]) -> Option<Language> {
        Some(match extension {
            b"c" | b"i" => Language::C,
            b"cc" | b"cpp" | b"cxx" | b"c++" | b"cp" | b"C" | b"CPP" | b"ii" | b"cppm" | b"mm" => {
                Language::Cxx
            }
            b"s" | b"S" | b"sx" | b"asm" => Language::Assembler,
            b"m" => Language::ObjectiveC,
            b"f" | b"f90" | b"F" | b"F90" | b"go" | b"d" | b"cu" | b"adb" | b"rs" => Language::Other,
            _ => return None,
        })
    }

    fn named(name: &[u8]) -> Option<Language> {
        match name {
            b"none" => None,
            b"c" | b"cpp-output" => Some(Language::C),
            b"c++" | b"c++-cpp-output" => Some(Language::Cxx),
            b"assembler" | b"assembler-with-cpp" => Some(Language::Assembler),
            b"objective-c" => Some(Language::ObjectiveC),
            _ => Some(Language::Other),
        }
    }
}

/// Options whose value is the next word, and which decide what the program means.
const KEPT_PAIRS: [&[u8]; 21] = [
    b"-I",
    b"-D",
    b"-U",
    b"-include",
    b"-imacros",
    b"-isystem",
    b"-iquote",
    b"-idirafter",
    b"-iprefix",
    b"-iwithprefix",
    b"-iwithprefixbefore",
    b"-isysroot",
    b"--sysroot",
    b"-target",
    b"--target",
    b"-arch",
    b"-F",
    b"-Xclang",
    b"-Xpreprocessor",
    b"-B",
    b"-mllvm",
];
/// Options whose value is the next word, and which do not.
const DROPPED_PAIRS: [&[u8]; 16] = [
    b"-L",
    b"-T",
    b"-u",
    b"-z",
    b"-e",
    b"-MF",
    b"-MT",
    b"-MQ",
    b"-MJ",
    b"-Xlinker",
    b"-Xassembler",
    b"-framework",
    b"--param",
    b"-aux-info",
    b"-dumpbase",
    b"-h",
];
/// Options, or beginnings of options, that only say how to produce code, or what only GCC understands.
const DROPPED: [&[u8]; 31] = [
    b"-O",
    b"-W",
    b"-w",
    b"-pedantic",
    b"-L",
    b"-M",
    b"-flto",
    b"-fno-lto",
    b"-fuse-ld",
    b"-fprofile",
    b"-fcoverage",
    b"-ftest-coverage",
    b"--coverage",
    b"-pipe",
    b"-shared",
    b"-static",
    b"-rdynamic",
    b"-pie",
    b"-no-pie",
    b"-fdiagnostics",
    b"-fno-diagnostics",
    b"-fmax-errors",
    b"-fdump",
    b"-fno-tree",
    b"-ftree",
    b"-fno-ipa",
    b"-fipa",
    b"-fconserve-stack",
    b"-fno-var-tracking",
    b"-fvar-tracking",
    b"-fno-allow-store",
];

/// Takes the words after the compiler's name apart.
pub(super) fn parse(words: &[OsString]) -> Compilation {
    let mut found = Compilation::default();
    let mut stage = Stage::Link;
    let mut language: Option<Language> = None;
    let mut words = words.iter();
    let mut only_files = false;
    while let Some(word) = words.next() {
        let bytes = word.as_bytes();
        if !bytes.starts_with(b"-") || bytes == b"-" || only_files {
            file(&mut found, word, language);
            continue;
        }
        match bytes {
            b"--" => only_files = true,
            b"-c" | b"-S" if stage == Stage::Nothing => {}
            b"-c" | b"-S" => stage = Stage::Compile,
            b"-E" | b"-M" | b"-MM" | b"-fsyntax-only" | b"--version" | b"-v" | b"-dumpversion"
            | b"-dumpmachine" | b"-###" => {
                stage = Stage::Nothing;
            }
            b"-o" => found.output = words.next().map(PathBuf::from),
            b"-x" => language = words.next().and_then(|name| Language::named(name.as_bytes())),
            b"-s" | b"-nostdlib" | b"-nostartfiles" | b"-nodefaultlibs" => {}
            _ if bytes.starts_with(b"-print-") => stage = Stage::Nothing,
            // What clang takes for an error may be none for the user.
            _ if bytes.starts_with(b"-Wno-") => found.arguments.push(word.clone()),
            _ if bytes.starts_with(b"-Wp,") => preprocessor(&mut found, &bytes[4..]),
            _ if KEPT_PAIRS.contains(&bytes) => {
                found.arguments.push(word.clone());
                found.arguments.extend(words.next().cloned());
            }
            b"-l" => found.libraries.extend(words.next().cloned()),
            _ if DROPPED_PAIRS.contains(&bytes) => {
                words.next();
            }
            _ if bytes.starts_with(b"-l") => found.libraries.push(OsStr::from_bytes(&bytes[2..]).to_owned()),
            _ if bytes.starts_with(b"-x") => language = Language::named(&bytes[2..]),
            _ if bytes.starts_with(b"-o") => found.output = Some(OsStr::from_bytes(&bytes[2..]).into()),
            _ if is_debug(bytes) || DROPPED.iter().any(|beginning| bytes.starts_with(beginning)) => {}
            _ => found.arguments.push(word.clone()),
        }
    }
    found.stage = stage;
    found
}

fn is_debug(bytes: &[u8]) -> bool {
    bytes.starts_with(b"-g") && !bytes.starts_with(b"-gcc")
}

fn file(found: &mut Compilation, word: &OsStr, language: Option<Language>) {
    let bytes = word.as_bytes();
    let name = bytes.rsplit(|b| *b == b'/').next().unwrap_or(bytes);
    let extension = name.iter().rposition(|b| *b == b'.').map(|dot| &name[dot + 1..]);
    // The standard input is nothing that could be compiled again.
    if bytes == b"-" {
        found.sources.push((PathBuf::from("-"), Language::Other));
        return;
    }
    match language.or_else(|| extension.and_then(Language::of_extension)) {
        Some(language) => found.sources.push((word.into(), language)),
        None => found.objects.push(word.into()),
    }
}

/// `-Wp,-DX,-MD,file`: options for the preprocessor, separated by commas.
fn preprocessor(found: &mut Compilation, options: &[u8]) {
    let mut words = options.split(|b| *b == b',');
    while let Some(word) = words.next() {
        match word {
            b"-MD" | b"-MMD" | b"-MF" | b"-MT" | b"-MQ" => {
                words.next();
            }
            _ if word.starts_with(b"-M") => {}
            _ => found.arguments.push(OsString::from_vec(word.to_vec())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        shlex::split(line).unwrap().into_iter().map(OsString::from).collect()
    }

    fn check(
        line: &str,
        sources: &[&str],
        objects: &[&str],
        output: Option<&str>,
        stage: Stage,
        arguments: &str,
    ) {
        let found = parse(&words(line));
        let names: Vec<_> = found.sources.iter().map(|(path, _)| path.to_str().unwrap()).collect();
        assert_eq!(names, sources, "{line}");
        assert_eq!(found.objects, objects.iter().map(PathBuf::from).collect::<Vec<_>>(), "{line}");
        assert_eq!(found.output, output.map(PathBuf::from), "{line}");
        assert_eq!(found.stage, stage, "{line}");
        assert_eq!(found.arguments, words(arguments), "{line}");
    }

    #[test]
    fn only_what_decides_the_meaning_is_kept() {
        check(
            "-O2 -g3 -Wall -Werror=vla -Wno-vla -DA=1 -D B -Iinc -I inc2 -include cfg.h -std=gnu99 -fPIC -c a.c -o a.o -MD -MF a.d -MT a.o",
            &["a.c"],
            &[],
            Some("a.o"),
            Stage::Compile,
            "-Wno-vla -DA=1 -D B -Iinc -I inc2 -include cfg.h -std=gnu99 -fPIC",
        );
        check("-Wp,-MD,.a.d,-DX=2 -c a.c", &["a.c"], &[], None, Stage::Compile, "-DX=2");
        check(
            "-DNAME='\"a b\"' -pthread -m32 -c a.c",
            &["a.c"],
            &[],
            None,
            Stage::Compile,
            "-DNAME='\"a b\"' -pthread -m32",
        );
    }

    #[test]
    fn links_have_objects_and_sources_alike() {
        check(
            "-o prog a.c b.c c.o lib/libx.a -lm -Lfoo -shared",
            &["a.c", "b.c"],
            &["c.o", "lib/libx.a"],
            Some("prog"),
            Stage::Link,
            "",
        );
        assert_eq!(parse(&words("a.o -lm -l z -Lfoo")).libraries, words("m z"));
        check("--version", &[], &[], None, Stage::Nothing, "");
        check("-E a.c", &["a.c"], &[], None, Stage::Nothing, "");
        check("-c -E a.c", &["a.c"], &[], None, Stage::Nothing, "");
        check("-E -c a.c", &["a.c"], &[], None, Stage::Nothing, "");
    }

    #[test]
    fn languages_come_from_x_or_the_name() {
        let found = parse(&words("-c a.c b.cc c.S -x c d.inc -x none e.C f.o"));
        let languages: Vec<_> = found.sources.iter().map(|(_, language)| *language).collect();
        use Language::*;
        assert_eq!(languages, [C, Cxx, Assembler, C, Cxx]);
        assert_eq!(found.objects, [PathBuf::from("f.o")]);
    }
}
