//! What a build says that it lacks, told from the lines it prints.

/// One thing that a build could not find.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lacking {
    /// It wanted to fetch something.
    Network,
    /// A program.
    Program(String),
    /// A library, by the name that the build gives it.
    Library(String),
    /// A header.
    Header(String),
    /// A macro of autoconf, which some package should have brought.
    Macro(String),
    /// More processes, memory or room than a build may have, in its own words.
    Room(&'static str),
    /// The build's own words.
    Said(String),
}

/// What a line of a build's output says is lacking.
fn of_line(line: &str) -> Option<Lacking> {
    let line = line.trim_end();
    network(line)
        .or_else(|| room(line))
        .or_else(|| program(line))
        .or_else(|| library(line))
        .or_else(|| header(line))
        .or_else(|| autoconf_macro(line))
        .or_else(|| said(line))
}

/// What the output of a step says is lacking, in its order, of each kind the first: what comes later often follows from it.
pub(super) fn of_output(output: &[u8], tail: &str) -> Vec<Lacking> {
    let output = String::from_utf8_lossy(output);
    let kind = std::mem::discriminant::<Lacking>;
    let mut found: Vec<Lacking> = Vec::new();
    for new in output.lines().chain(tail.lines()).filter_map(of_line) {
        if !found.iter().any(|old| kind(old) == kind(&new)) {
            found.push(new);
        }
    }
    found
}

fn network(line: &str) -> Option<Lacking> {
    const SIGNS: [&str; 7] = [
        "Could not resolve host",
        "Network is unreachable",
        "Temporary failure in name resolution",
        "unable to access 'http",
        "subproject downloading is disabled",
        "Name or service not known",
        "unable to look up",
    ];
    SIGNS.iter().any(|sign| line.contains(sign)).then_some(Lacking::Network)
}

/// What programs say that came to one of the jail's limits.
fn room(line: &str) -> Option<Lacking> {
    const SIGNS: [&str; 5] = [
        "Cannot fork",
        "fork: Resource",
        "File too large",
        "Cannot allocate memory",
        "No space left on device",
    ];
    SIGNS.iter().find(|sign| line.contains(*sign)).map(|sign| Lacking::Room(sign))
}

fn program(line: &str) -> Option<Lacking> {
    let name = behind_make(line)
        .or_else(|| line.strip_suffix(": not found").and_then(last_part))
        .or_else(|| line.strip_suffix(": command not found").and_then(last_part))
        .or_else(|| between(line, "Can't exec \"", "\""))
        .or_else(|| between(line, "Program '", "' not found"))
        .or_else(|| between(line, "bootstrap: Error: '", "' not found"))?;
    is_name(name).then(|| Lacking::Program(name.to_string()))
}

/// `make[1]: bison: No such file or directory`: make could not start it.
fn behind_make(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("make").or_else(|| line.strip_prefix("gmake"))?;
    let (level, rest) = rest.split_once(": ")?;
    let level = level.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(level);
    let counted = level.bytes().all(|byte| byte.is_ascii_digit());
    rest.strip_suffix(": No such file or directory").filter(|_| counted)
}

fn library(line: &str) -> Option<Lacking> {
    let name = between(line, "No package '", "' found")
        .or_else(|| {
            between(line, "Package requirements (", ")").and_then(|list| list.split([' ', ',']).next())
        })
        // With `--` in front, cmake goes on without it.
        .or_else(|| line.strip_prefix("  Could NOT find ").and_then(|rest| rest.split_whitespace().next()))
        .or_else(|| between(line, "ERROR: Dependency \"", "\" not found"))
        .or_else(|| line.rsplit_once("cannot find -l").and_then(|(_, rest)| rest.split([':', ' ']).next()))
        .or_else(|| error(line).and_then(|words| words.trim_matches('"').strip_suffix(" not found")))?;
    is_name(name).then(|| Lacking::Library(name.to_string()))
}

fn header(line: &str) -> Option<Lacking> {
    let (_, rest) = line.split_once("fatal error: ")?;
    let name = between(rest, "'", "' file not found")
        .or_else(|| rest.strip_suffix(": No such file or directory"))?;
    Some(Lacking::Header(name.to_string()))
}

fn autoconf_macro(line: &str) -> Option<Lacking> {
    let (_, name) = line.split_once("possibly undefined macro: ")?;
    Some(Lacking::Macro(name.split_whitespace().next()?.to_string()))
}

fn said(line: &str) -> Option<Lacking> {
    let words = error(line).or_else(|| line.split_once(": ***").map(|(_, words)| words.trim()))?;
    let words = words.trim_end_matches(" Stop.").trim_end().trim_end_matches('.');
    // That a recipe failed is what is asked about.
    (!words.is_empty() && !words.starts_with('[')).then(|| Lacking::Said(words.to_string()))
}

/// The message of a script that gives up.
fn error(line: &str) -> Option<&str> {
    ["configure: error: ", "CMake Error: ", "error: configure: "]
        .iter()
        .find_map(|sign| line.strip_prefix(sign))
}

fn between<'a>(line: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(start)?;
    rest.split_once(end).map(|(name, _)| name)
}

fn last_part(line: &str) -> Option<&str> {
    line.rsplit(": ").next()
}

/// Whether this is the name of a program or library, and not a sentence.
fn is_name(text: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte);
    !text.is_empty() && text.len() < 40 && text.bytes().all(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Option<Lacking>) {
        assert_eq!(of_line(line), expected, "{line}");
    }

    #[test]
    fn lines_of_builds_name_what_is_lacking() {
        let program = |name: &str| Some(Lacking::Program(name.into()));
        check("make[2]: bison: No such file or directory", program("bison"));
        check("/bin/sh: 1: flex: not found", program("flex"));
        check("./autogen.sh: line 12: aclocal: command not found", program("aclocal"));
        check(
            "Can't exec \"libtoolize\": No such file or directory at /usr/bin/autoreconf",
            program("libtoolize"),
        );
        check("meson.build:3:0: ERROR: Program 'xsltproc' not found or not executable", program("xsltproc"));
        let library = |name: &str| Some(Lacking::Library(name.into()));
        check("configure: error: \"libevent not found\"", library("libevent"));
        check("No package 'libpsl' found", library("libpsl"));
        check(
            "configure: error: Package requirements (libevent_core >= 2) were not met:",
            library("libevent_core"),
        );
        check("  Could NOT find Libpsl (missing: LIBPSL_LIBRARY)", library("Libpsl"));
        check("-- Could NOT find Libpsl (missing: LIBPSL_LIBRARY)", None);
        check("meson.build:9:4: ERROR: Dependency \"expat\" not found, tried pkgconfig", library("expat"));
        check("/usr/bin/ld: cannot find -lcurses: No such file or directory", library("curses"));
        let header = |name: &str| Some(Lacking::Header(name.into()));
        check("a.c:1:10: fatal error: 'config.h' file not found", header("config.h"));
        check("a.c:1:10: fatal error: event.h: No such file or directory", header("event.h"));
        check(
            "configure.ac:9: error: possibly undefined macro: gl_EARLY",
            Some(Lacking::Macro("gl_EARLY".into())),
        );
        check("fatal: unable to access 'https://x/': Could not resolve host: x", Some(Lacking::Network));
        check("/bin/sh: 1: Cannot fork", Some(Lacking::Room("Cannot fork")));
        let said = |words: &str| Some(Lacking::Said(words.into()));
        check("configure: error: cannot run C compiled programs.", said("cannot run C compiled programs"));
        check("Makefile:7: *** Please run configure first.  Stop.", said("Please run configure first"));
        check("make: *** [Makefile:3: all] Error 2", None);
        check("checking for bison... no", None);
        check("cat: x: No such file or directory", None);
    }
}
