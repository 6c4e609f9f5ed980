//! The first line about a build that did not work: what is missing, and the one thing that helps.

use std::path::Path;

use super::lacking::Lacking;
use super::problem::short;
use super::{How, Problem};

/// What is known about a build that did not go as it should.
pub(super) struct Facts<'a> {
    pub checkout: &'a Path,
    /// How the version was built in the end.
    pub how: How,
    /// What went wrong on the way.
    pub problems: &'a [Problem],
    /// What the failed steps said is lacking, in their order.
    pub lacking: &'a [Lacking],
}

/// What to say first, where a step failed or could not be run.
pub(super) fn advice(facts: &Facts<'_>) -> Option<Problem> {
    let late = facts.problems.iter().find_map(|problem| match problem {
        Problem::TimedOut { step, after, .. } => Some((step, after)),
        _ => None,
    });
    if let Some((step, after)) = late {
        let lacking =
            format!("the build was stopped after {:.0} s, during `{}`", after.as_secs_f64(), short(step));
        let helps = "give it more time: --build-timeout 1h, or in hydrogen.toml: [build] timeout = \"1h\""
            .to_string();
        return Some(Problem::Advice { lacking, helps });
    }
    let failed = facts.problems.iter().find_map(|problem| match problem {
        Problem::StepFailed { step, .. } => Some(step.as_str()),
        _ => None,
    });
    let (lacking, helps) = match failed {
        Some(step) => {
            let (why, helps) = reason(facts)?;
            (format!("`{}` failed: {why}", short(step)), helps)
        }
        None => facts.problems.iter().find_map(|problem| match problem {
            Problem::ToolMissing { tool, how } => {
                Some((format!("`{tool}` is not installed, which {how} needs"), install(tool)))
            }
            _ => None,
        })?,
    };
    Some(Problem::Advice { lacking, helps })
}

/// Why the build failed, the surest sign first.
fn reason(facts: &Facts<'_>) -> Option<(String, String)> {
    let submodules = empty_submodules(facts.checkout);
    let find = |wanted: fn(&Lacking) -> bool| facts.lacking.iter().find(|one| wanted(one));
    let from_gnulib = |one: &Lacking| matches!(one, Lacking::Macro(name) if name.starts_with("gl_"));
    let bootstrap =
        ["bootstrap", "bootstrap.sh"].into_iter().find(|name| facts.checkout.join(name).is_file());
    if let Some(Lacking::Room(words)) = find(|one| matches!(one, Lacking::Room(_))) {
        let helps = "docs/security.md says what a build may use; leave out what needs more".to_string();
        return Some((format!("it came to a limit (\"{words}\")"), format!("{helps}: {}", line("…"))));
    }
    if let Some(Lacking::Program(name)) = find(|one| matches!(one, Lacking::Program(_))) {
        return Some((format!("the program `{name}` is missing"), install(name)));
    }
    if let Some(Lacking::Library(name)) = find(|one| matches!(one, Lacking::Library(_))) {
        let lower = name.to_lowercase();
        let package =
            if lower.starts_with("lib") { format!("{lower}-dev") } else { format!("lib{lower}-dev") };
        return Some((
            format!("the library `{name}` is missing"),
            format!(
                "install its development files (Debian: most likely {package}), or build without it: {}",
                line("…")
            ),
        ));
    }
    if let Some(first) = submodules.first() {
        let more = if submodules.len() > 1 {
            format!(" (and {} more)", submodules.len() - 1)
        } else {
            String::new()
        };
        let lacking = format!("the files of the submodule `{first}`{more} are in another repository");
        return Some((lacking, "bring them: git submodule update --init".to_string()));
    }
    let wants_bootstrap =
        facts.lacking.iter().any(from_gnulib) || !facts.checkout.join("configure").is_file();
    if let Some(script) = bootstrap.filter(|_| wants_bootstrap && facts.how != How::Config) {
        return Some((
            format!(
                "it has no `configure`, and what `./{script}` makes one of (gnulib, say) is not in the repository"
            ),
            format!("{}, with --allow-network", command(&format!("./{script} && ./configure && make -k"))),
        ));
    }
    if let Some(Lacking::Network) = find(|one| matches!(one, Lacking::Network)) {
        return Some(("it wants to download something".to_string(), "allow it: --allow-network".to_string()));
    }
    if let Some(Lacking::Macro(name)) = find(|one| matches!(one, Lacking::Macro(_))) {
        return Some((
            format!("configure.ac uses the macro `{name}`, which is not installed"),
            "install the package that brings it (pkg-config, libtool, gettext, autoconf-archive, …)"
                .to_string(),
        ));
    }
    if let Some(Lacking::Header(name)) = find(|one| matches!(one, Lacking::Header(_))) {
        return Some((
            format!("the header `{name}` is missing"),
            format!("install the library it belongs to, or make it before: {}", line("…")),
        ));
    }
    let words = facts.lacking.iter().find_map(|one| match one {
        Lacking::Said(words) => Some(words.clone()),
        _ => None,
    });
    match words {
        Some(words) => Some((words, command("what builds it"))),
        // Where most was compiled, a file that was not is said below.
        None => (facts.how == How::Sources)
            .then(|| ("-v shows its last lines".to_string(), command("what builds it"))),
    }
}

fn command(words: &str) -> String {
    format!("say how in hydrogen.toml: {}", line(words))
}

fn line(words: &str) -> String {
    format!("[build] command = \"{words}\"")
}

/// How to get a program that builds use.
fn install(program: &str) -> String {
    const PACKAGES: [(&str, &str); 14] = [
        ("aclocal", "automake"),
        ("autoconf", "autoconf"),
        ("automake", "automake"),
        ("autopoint", "autopoint"),
        ("autoreconf", "autoconf"),
        ("bison", "bison"),
        ("flex", "flex"),
        ("gperf", "gperf"),
        ("help2man", "help2man"),
        ("libtoolize", "libtool"),
        ("makeinfo", "texinfo"),
        ("msgfmt", "gettext"),
        ("ninja", "ninja-build"),
        ("yacc", "bison"),
    ];
    match PACKAGES.iter().find(|(name, _)| *name == program) {
        Some((_, package)) => format!("install it (Debian: apt install {package})"),
        None => format!("install `{program}`"),
    }
}

/// The submodules whose folder is empty.
fn empty_submodules(checkout: &Path) -> Vec<String> {
    let text = super::left::read(checkout, &checkout.join(".gitmodules")).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let path = |line: &str| {
        let rest = line.trim_start().strip_prefix("path")?.trim_start().strip_prefix('=')?;
        Some(rest.trim().to_string())
    };
    let is_empty = |path: &String| {
        std::fs::read_dir(checkout.join(path)).map_or(true, |mut entries| entries.next().is_none())
    };
    text.lines().filter_map(path).filter(is_empty).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)], step: &str, lacking: &[Lacking], expected: &str) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let problems =
            [Problem::StepFailed { step: step.into(), status: "exit code 1".into(), tail: String::new() }];
        let facts = Facts { checkout: folder.path(), how: How::Sources, problems: &problems, lacking };
        assert_eq!(advice(&facts).unwrap().to_string(), expected);
    }

    #[test]
    fn the_first_line_says_what_helps() {
        check(
            &[("configure", "")],
            "./configure",
            &[Lacking::Library("libevent".into()), Lacking::Said("x".into())],
            "`./configure` failed: the library `libevent` is missing; install its development files (Debian: most likely \
             libevent-dev), or build without it: [build] command = \"…\"",
        );
        check(
            &[],
            "make -k -j2 CC=cc",
            &[Lacking::Program("bison".into())],
            "`make` failed: the program `bison` is missing; install it (Debian: apt install bison)",
        );
        check(
            &[(".gitmodules", "[submodule \"m\"]\n\tpath = modules/m\n\turl = x\n")],
            "autoreconf -fi",
            &[],
            "`autoreconf` failed: the files of the submodule `modules/m` are in another repository; bring them: git \
             submodule update --init",
        );
        check(
            &[("bootstrap", "")],
            "autoreconf -fi",
            &[Lacking::Macro("gl_EARLY".into())],
            "`autoreconf` failed: it has no `configure`, and what `./bootstrap` makes one of (gnulib, say) is not in the \
             repository; say how in hydrogen.toml: [build] command = \"./bootstrap && ./configure && make -k\", with \
             --allow-network",
        );
    }

    #[test]
    fn a_build_without_problems_gets_no_advice() {
        let facts = Facts {
            checkout: Path::new("/nowhere"),
            how: How::Make,
            problems: &[],
            lacking: &[Lacking::Network],
        };
        assert_eq!(advice(&facts), None);
    }
}
