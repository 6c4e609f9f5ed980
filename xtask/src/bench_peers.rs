//! Other analysers on both sides of the same faults, and the tool beside them.

use crate::cases::{CASES, Case};
use crate::table;
use crate::tool::{Tool, verdicts};
use anyhow::{Context, Result, ensure};
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// A line and what is said about it.
struct Warning {
    line: usize,
    what: String,
}

/// What an analyser says of one release.
struct Side {
    /// At the faulty statement, where the release still has it as it was.
    at: usize,
    /// In the function, the statement included.
    within: usize,
    /// Elsewhere.
    others: usize,
    seconds: f64,
}

pub fn run() -> Result<()> {
    let cppcheck = Command::new("cppcheck").arg("--version").output().is_ok();
    if !cppcheck {
        println!("NOT MEASURED: cppcheck is not installed; its rows are left out (apt-get install cppcheck)");
    }
    let mut rows = Vec::new();
    for case in &CASES {
        let root = case.repository()?;
        rows.push(ours(case, &root)?);
        if cppcheck {
            rows.push(peer(case, &root, "cppcheck", with_cppcheck)?);
        }
        rows.push(peer(case, &root, "clang --analyze", with_clang)?);
    }
    let header = [
        "case",
        "tool",
        "sees it before",
        "silent after",
        "in the function before/after",
        "other warnings before/after",
        "seconds",
    ];
    table::print("peers", &header, &rows);
    Ok(())
}

fn yes(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

/// The tool is asked about one statement, and says nothing of others.
fn ours(case: &Case, root: &Path) -> Result<Vec<String>> {
    let tool = Tool::new(&format!("peers-{}", case.name))?;
    let (old, new) = case.fix;
    let (fix, bug) = (format!("{old}..{new}"), format!("{}:{}@{old}", case.file, case.line(root)?));
    let arguments = ["impact", "--bug", &bug, "--kind", case.kind, "--fix", &fix, old, new];
    let said = tool.ask(root, &arguments)?;
    let any = |release: &str, wanted: &[&str]| {
        verdicts(&said.json, release).iter().any(|(_, _, verdict)| wanted.contains(verdict))
    };
    let after = if any(new, &["fixed", "absent"]) { "proven" } else { "not decided" };
    Ok(vec![
        case.name.to_owned(),
        "hydrogen impact".to_owned(),
        yes(any(old, &["present"])),
        if any(new, &["present"]) && after != "proven" { "no" } else { after }.to_owned(),
        "–".to_owned(),
        "–".to_owned(),
        format!("{:.2}", said.time.as_secs_f64()),
    ])
}

type Analyser = fn(&Case, &Path) -> Result<Vec<Warning>>;

fn peer(case: &Case, root: &Path, name: &str, analyse: Analyser) -> Result<Vec<String>> {
    let (old, new) = case.fix;
    let before = side(case, root, old, analyse)?;
    let after = side(case, root, new, analyse)?;
    let sees = before.at > 0;
    Ok(vec![
        String::new(),
        name.to_owned(),
        yes(sees),
        if sees { yes(after.within < before.within) } else { "–".to_owned() },
        format!("{}/{}", before.within, after.within),
        format!("{}/{}", before.others, after.others),
        format!("{:.2}", before.seconds + after.seconds),
    ])
}

fn side(case: &Case, root: &Path, release: &str, analyse: Analyser) -> Result<Side> {
    crate::series::git(root, &["-c", "advice.detachedHead=false", "checkout", "-q", release])?;
    let start = Instant::now();
    let warnings = analyse(case, root)?;
    let seconds = start.elapsed().as_secs_f64();
    let function = extent(&case.text(root, release)?, case.function)
        .with_context(|| format!("{release} has no {}", case.function))?;
    let line = (release == case.fix.0).then(|| case.line(root)).transpose()?;
    let within: Vec<&Warning> = warnings.iter().filter(|one| function.contains(&one.line)).collect();
    for warning in &within {
        eprintln!("{} {release}:{}: {}", case.name, warning.line, warning.what);
    }
    // A statement of several lines: the warning may be at its second.
    let near = |one: &&&Warning| line.is_some_and(|line| (line..line + 2).contains(&one.line));
    Ok(Side {
        at: within.iter().filter(near).count(),
        within: within.len(),
        others: warnings.len() - within.len(),
        seconds,
    })
}

/// The lines of a function, whose head and closing brace begin lines as all eight libraries write them.
fn extent(text: &str, function: &str) -> Option<Range<usize>> {
    let lines: Vec<&str> = text.lines().collect();
    let head = format!("{function}(");
    let spaced = format!("{function} (");
    for (at, line) in lines.iter().enumerate() {
        let starts = line.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        if !starts || !(line.contains(&head) || line.contains(&spaced)) {
            continue;
        }
        let rest = &lines[at..];
        // A declaration ends before any brace opens; the parameters of an old definition end in `;` too, but indented.
        let opens = rest.iter().position(|line| line.trim_end().ends_with('{') || line.starts_with('{'))?;
        let declares = rest[..=opens].iter().any(|line| line.trim_end().ends_with(");"));
        if declares {
            continue;
        }
        let closes = rest.iter().position(|line| line.starts_with('}'))?;
        return Some(at + 1..at + closes + 2);
    }
    None
}

fn with_clang(case: &Case, root: &Path) -> Result<Vec<Warning>> {
    let output = Command::new("clang-19")
        .args(["--analyze", "-Xclang", "-analyzer-output=text", "-o", "/dev/null"])
        .args(case.flags)
        .arg(case.file)
        .current_dir(root)
        .output()
        .context("cannot run clang-19")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // The compiler's own warnings are marked with -W.
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(read(&told, case.file).filter(|one| !one.what.contains("[-W")).collect())
}

fn with_cppcheck(case: &Case, root: &Path) -> Result<Vec<Warning>> {
    let output = Command::new("cppcheck")
        .args([
            "--quiet",
            "--enable=warning,portability",
            "--template={file}:{line}:0: warning: {id} {message}",
        ])
        .args(case.flags)
        .arg(case.file)
        .current_dir(root)
        .output()
        .context("cannot run cppcheck")?;
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(read(&told, case.file).collect())
}

/// The warnings on a file in lines of the form `FILE:LINE:COLUMN: warning: WHAT`.
fn read<'a>(told: &'a str, file: &'a str) -> impl Iterator<Item = Warning> + 'a {
    told.lines().filter_map(move |line| {
        let (place, what) = line.split_once(": warning: ").or_else(|| line.split_once(": error: "))?;
        let mut parts = place.strip_prefix(file)?.split(':').skip(1);
        Some(Warning { line: parts.next()?.parse().ok()?, what: what.to_owned() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_extents() {
        let text = "int f(int);\nint g(void)\n{\n  return f(1);\n}\nint f(a)\nint a;\n{\n  return a;\n}\n";
        assert_eq!(extent(text, "f"), Some(6..11));
        assert_eq!(extent(text, "g"), Some(2..6));
        assert_eq!(extent(text, "h"), None);
    }

    #[test]
    fn warnings_are_read() {
        let told = "a.c:3:4: warning: x [core.Null]\na.c:3:4: note: y\nb.c:1:1: warning: z\n";
        let found: Vec<(usize, String)> = read(told, "a.c").map(|one| (one.line, one.what)).collect();
        assert_eq!(found, [(3, "x [core.Null]".to_owned())]);
    }
}
