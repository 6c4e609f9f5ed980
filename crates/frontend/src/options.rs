//! Which options of a compile command the compiler is given.
//!
//! A command comes from a repository, so nobody vouches for it. Kept are the options of one list: they say what the source means. Some
//! others say only how code is made or where it goes; they are left out without a word. The rest is left out and named, whatever it is:
//! among clang's options are some that write files, load plugins or run programs.

mod lists;

use lists::{
    ALONE, FEATURES, FEATURES_WITH_VALUE, JOINED, NOT_VALUES, SEPARATE, SILENT, SILENT_ALONE, SILENT_PAIRS,
    VALUES,
};

/// What of a command is kept.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Sifted {
    /// The options that say what the source means, with their values.
    pub kept: Vec<Vec<u8>>,
    /// Options that are not known to be harmless, as the command has them.
    pub left_out: Vec<String>,
}

/// Sorts the words behind the compiler's name. `file` is the source itself.
pub fn sift(words: &[&[u8]], file: &[u8]) -> Sifted {
    let mut sifted = Sifted::default();
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        let is = |list: &[&str]| list.iter().any(|option| option.as_bytes() == word);
        let begins = |list: &[&str]| list.iter().any(|option| word.starts_with(option.as_bytes()));
        if word == b"--" {
            break;
        } else if word == file || !word.starts_with(b"-") && !word.starts_with(b"@") {
            // The source itself, and other inputs of the same command.
        } else if is(VALUES) || is(SEPARATE) {
            match words.next() {
                Some(value) if harmless(word, value) => sifted.kept.extend([word.to_vec(), value.to_vec()]),
                Some(value) => sifted.left_out.push(shown(&[word, value])),
                None => {}
            }
        } else if word == b"-Xclang" || word == b"-Xpreprocessor" || word == b"-mllvm" {
            let value = words.next().copied().unwrap_or_default();
            let plain =
                [b"-D", b"-U", b"-I"].iter().any(|option| value.starts_with(*option)) && value.len() > 2;
            match plain && word == b"-Xpreprocessor" {
                true => sifted.kept.push(value.to_vec()),
                false => sifted.left_out.push(shown(&[word, value])),
            }
        } else if is(SILENT_PAIRS) {
            words.next();
        } else if let Some(parts) = word.strip_prefix(b"-Wp,") {
            // The way older makefiles hand options to the preprocessor; all but -MD and the like matter.
            let parts = parts.split(|byte| *byte == b',');
            let plain = |part: &&[u8]| [b"-D", b"-U", b"-I"].iter().any(|option| part.starts_with(*option));
            sifted.kept.extend(parts.filter(plain).map(<[u8]>::to_vec));
        } else if is(ALONE) || begins(JOINED) || is_machine(word) || is_feature(word) {
            sifted.kept.push(word.to_vec());
        } else if word.strip_prefix(b"-Wno-").is_some_and(|name| name.iter().all(is_plain)) {
            // What clang takes for an error may be none for the user, and then the unit compiles.
            sifted.kept.push(word.to_vec());
        } else if is(SILENT_ALONE) || begins(SILENT) && !word.starts_with(b"-opt-") {
        } else if begins(VALUES) && !begins(NOT_VALUES) && harmless(word, word) {
            sifted.kept.push(word.to_vec());
        } else {
            sifted.left_out.push(shown(&[word]));
        }
    }
    sifted
}

/// Files that are no files have no end, or belong to somebody else.
fn harmless(option: &[u8], value: &[u8]) -> bool {
    let reads = option.starts_with(b"-i");
    let device = |place: &[u8]| value.windows(place.len()).any(|part| part == place);
    !reads || !(device(b"/dev/") || device(b"/proc/"))
}

/// `-m32`, `-march=…`, `-mno-sse`: what the machine can do. `-mllvm` and its kind are something else.
fn is_machine(word: &[u8]) -> bool {
    let Some(rest) = word.strip_prefix(b"-m") else { return false };
    let name = rest.split(|byte| *byte == b'=').next().unwrap_or_default();
    !rest.is_empty()
        && !name.starts_with(b"llvm")
        && !name.starts_with(b"linker")
        && rest.iter().all(is_plain)
}

fn is_feature(word: &[u8]) -> bool {
    let Some(rest) = word.strip_prefix(b"-f") else { return false };
    let name = rest.strip_prefix(b"no-").unwrap_or(rest);
    // Generated sources nest brackets deeply; more than this is meant to exhaust a stack.
    if let Some(depth) = rest.strip_prefix(b"bracket-depth=") {
        return std::str::from_utf8(depth)
            .is_ok_and(|text| text.parse().is_ok_and(|depth: u32| depth <= 2048));
    }
    FEATURES.iter().any(|feature| feature.as_bytes() == name)
        || FEATURES_WITH_VALUE.iter().any(|feature| rest.starts_with(feature.as_bytes()))
            && rest.iter().all(is_plain)
}

/// What values of a word have; a path has more.
fn is_plain(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"=-_+,.:".contains(byte)
}

fn shown(words: &[&[u8]]) -> String {
    let words: Vec<String> = words.iter().map(|word| word.escape_ascii().to_string()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, kept: &str, left_out: &[&str]) {
        let words: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
        let found = sift(&words, b"x.c");
        let text = found.kept.iter().map(|word| String::from_utf8_lossy(word)).collect::<Vec<_>>().join(" ");
        assert_eq!(
            (text.as_str(), &*found.left_out),
            (kept, &*left_out.iter().map(ToString::to_string).collect::<Vec<_>>()),
            "{line}"
        );
    }

    #[test]
    fn meaning_stays() {
        check("-I inc -Isrc -DX=1 -D Y -std=gnu99 -m32 x.c", "-I inc -Isrc -DX=1 -D Y -std=gnu99 -m32", &[]);
        check(
            "-fPIC -fno-strict-aliasing -funsigned-char -pthread",
            "-fPIC -fno-strict-aliasing -funsigned-char -pthread",
            &[],
        );
        check("-include config.h -isystem /a b.c y.o -lm -L /lib", "-include config.h -isystem /a", &[]);
        check("-Wp,-MD,x.d,-D_FORTIFY_SOURCE=2 -Wl,-z,now", "-D_FORTIFY_SOURCE=2", &[]);
        check(
            "-march=native -mno-sse -fvisibility=hidden",
            "-march=native -mno-sse -fvisibility=hidden",
            &[],
        );
        check(
            "-Wall -Wno-return-mismatch -Wno-error=vla -Werror",
            "-Wno-return-mismatch -Wno-error=vla",
            &[],
        );
        check("-fbracket-depth=1024", "-fbracket-depth=1024", &[]);
    }

    #[test]
    fn how_code_is_made_goes_without_a_word() {
        check(
            "-c -O2 -g3 -Wall -Werror -o x.o x.c -MD -MP -MF x.d -flto=thin -fsanitize=address -pg",
            "",
            &[],
        );
        check("-fno-tree-vectorize -fno-inline -s -shared -static-libgcc", "", &[]);
    }

    #[test]
    fn what_writes_loads_or_runs_is_left_out_and_named() {
        for option in [
            "-Xclang -dependency-file",
            "-Xclang -load",
            "-mllvm -opt-record",
            "-fplugin=evil.so",
            "-fpass-plugin=evil.so",
            "-fsave-optimization-record",
            "-ftime-trace",
            "-ftime-trace=/home/x",
            "-save-temps",
            "-save-temps=obj",
            "--save-temps",
            "-specs=evil",
            "-wrapper",
            "-B.",
            "-Bevil",
            "@evil",
            "--config=evil",
            "--config",
            "-fmodules",
            "-fmodules-cache-path=/home/x",
            "-fcrash-diagnostics-dir=/x",
            "-fproc-stat-report=/x",
            "-fstack-usage",
            "-fdump-record-layouts",
            "-include-pch",
            "-ivfsoverlay",
            "-working-directory=/",
            "-resource-dir=/x",
            "-serialize-diagnostics",
            "-header-include-file",
            "-stats-file=x",
            "-opt-record-file",
            "-imultilib",
            "-include /dev/stdin",
            "-imacros /proc/self/environ",
            "-fvisibility=/x",
            "-mfoo=/x",
            "--serialize-diagnostics",
            "-fopenmp=/x",
            "-cc1",
            "-fbracket-depth=100000",
            "-###",
            "--analyze",
            "-dependency-file",
        ] {
            let words: Vec<&[u8]> = option.split(' ').map(str::as_bytes).collect();
            let found = sift(&words, b"x.c");
            assert!(found.kept.is_empty() && !found.left_out.is_empty(), "{option}");
        }
        check("-Xclang -load -Xclang x.so", "", &["-Xclang -load", "-Xclang x.so"]);
        check("-fplugin=a -DX @b", "-DX", &["-fplugin=a", "@b"]);
    }
}
