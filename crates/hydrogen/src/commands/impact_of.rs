//! `hydrogen impact-of COMMIT`.

use super::{Outcome, step};
use crate::cli::TableFormat;
use crate::context::Context;
use crate::output;
use anyhow::{Context as _, Result, bail};
use hydrogen_history::Repository;
use hydrogen_interact::{Dependence, Impact, StatementId, functions_of, outputs_of};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

pub fn run(context: &Context, what: &str, with: Option<&str>, format: TableFormat) -> Result<Outcome> {
    let value = match with {
        Some(other) => branches(context, what, other)?,
        None => one(context, what)?,
    };
    context.output(&match format {
        TableFormat::Json => output::json(&value),
        TableFormat::Text => text(&value),
    })?;
    Ok(Outcome::Done)
}

fn one(context: &Context, what: &str) -> Result<Value> {
    let (old, new) = step::ends(context, what)?;
    let repository = context.trees.repository(&new.repository)?;
    let step = step::read(&repository, old.as_ref().map(|old| old.tree.as_str()), &new.tree)?;
    let impact = Impact::of(&step.index, &step.changes, &step.dependence);
    let mut value = summary(&impact, &step.dependence);
    let interference: Vec<Value> = impact
        .interference()
        .into_iter()
        .map(|(a, b, at)| json!({ "hunks": [a, b], "first": place(&step.dependence, at) }))
        .collect();
    value["interference"] = interference.into();
    Ok(value)
}

/// What both sides of a merge affect. The merge is made in a folder of ours, so that the repository is only read.
fn branches(context: &Context, ours: &str, theirs: &str) -> Result<Value> {
    let (ours, theirs) = (step::commit(context, ours)?, step::commit(context, theirs)?);
    let folder = std::env::temp_dir().join(format!("hydrogen-merge-{}", std::process::id()));
    let result = merged(&folder, &ours.repository, &ours.commit, &theirs.commit).and_then(|tree| {
        let repository = Repository::open(&folder)?;
        let mine = step::read(&repository, Some(&theirs.tree), &tree)?;
        let other = step::read(&repository, Some(&ours.tree), &tree)?;
        let first = Impact::of(&mine.index, &mine.changes, &mine.dependence);
        let second = Impact::of(&other.index, &other.changes, &other.dependence);
        let both: BTreeSet<StatementId> =
            first.affected().intersection(&second.affected()).copied().collect();
        let places: Vec<Value> = both.iter().map(|&at| place(&mine.dependence, at)).collect();
        let verdict = match (both.is_empty(), first.not_followed.is_empty() && second.not_followed.is_empty())
        {
            (false, _) => "may interfere",
            (true, true) => "cannot interfere",
            (true, false) => "unknown",
        };
        Ok(json!({
            "ours": summary(&first, &mine.dependence),
            "theirs": summary(&second, &other.dependence),
            "verdict": verdict,
            "both": places,
        }))
    });
    // Best effort: it is a folder for temporary files.
    drop(std::fs::remove_dir_all(&folder));
    result
}

/// The tree of a merge, made beside the repository: the new folder borrows its objects.
fn merged(folder: &Path, git_dir: &Path, ours: &str, theirs: &str) -> Result<String> {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "safe.directory=*"]).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.output().context("cannot run git, which makes the merge")
    };
    let path = folder.to_string_lossy();
    let made = git(&["init", "-q", "--bare", &path])?;
    if !made.status.success() {
        bail!("git init: {}", String::from_utf8_lossy(&made.stderr).trim());
    }
    let objects = hydrogen_history::Objects::new(&Repository::open(git_dir)?).directory();
    let alternates = folder.join("objects/info/alternates");
    std::fs::write(&alternates, format!("{}\n", objects.display()))
        .with_context(|| format!("cannot write {}", alternates.display()))?;
    let result = git(&["-C", &path, "merge-tree", "--write-tree", "--name-only", ours, theirs])?;
    let out = String::from_utf8_lossy(&result.stdout).into_owned();
    let mut lines = out.lines();
    let tree = lines.next().unwrap_or_default().to_owned();
    match result.status.code() {
        Some(0) => Ok(tree),
        Some(1) => {
            let files: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
            bail!("the branches conflict in {}; merge them first", files.join(", "))
        }
        _ => bail!("git merge-tree: {}", String::from_utf8_lossy(&result.stderr).trim()),
    }
}

fn summary(impact: &Impact, dependence: &Dependence) -> Value {
    let hunks: Vec<Value> = impact
        .hunks
        .iter()
        .map(|hunk| {
            let functions = functions_of(dependence, &hunk.affected);
            json!({
                "file": hunk.file, "line": hunk.line, "function": hunk.function,
                "statements": hunk.statements.len(), "affected_statements": hunk.affected.len(),
                "affected_functions": functions.len(),
            })
        })
        .collect();
    let affected = impact.affected();
    let functions = functions_of(dependence, &affected).into_iter();
    let functions: Vec<Value> = functions.map(|(file, name)| json!({ "file": file, "name": name })).collect();
    let outputs: Vec<Value> =
        outputs_of(dependence, &affected).into_iter().map(|at| place(dependence, at)).collect();
    json!({
        "hunks": hunks, "functions": functions, "outputs": outputs,
        "statements": { "affected": affected.len(), "all": dependence.len() },
        "not_followed": impact.not_followed,
    })
}

fn place(dependence: &Dependence, at: StatementId) -> Value {
    let (unit, function, piece) = dependence.place(at);
    let piece = &function.pieces[piece as usize];
    let line = piece.span.map_or(0, |span| span.start.line);
    json!({ "file": unit.module.name, "line": line, "function": function.name, "text": piece.label() })
}

fn text(value: &Value) -> String {
    if value.get("verdict").is_none() {
        return side(value) + &interference(value);
    }
    let mut out = format!("ours\n{}theirs\n{}", side(&value["ours"]), side(&value["theirs"]));
    for at in list(&value["both"]) {
        out.push_str(&format!("both affect {}\n", line(at)));
    }
    out + &format!("the branches {}\n", value["verdict"].as_str().unwrap_or_default())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn line(at: &Value) -> String {
    let cell = |key: &str| at[key].as_str().unwrap_or_default().to_owned();
    format!("{}:{} {}: {}", cell("file"), at["line"], cell("function"), cell("text"))
}

fn side(value: &Value) -> String {
    let mut out = String::new();
    for (at, hunk) in list(&value["hunks"]).iter().enumerate() {
        out.push_str(&format!(
            "hunk {at}: {}:{} {}: {} statements, may affect {} statements in {} functions\n",
            hunk["file"].as_str().unwrap_or_default(),
            hunk["line"],
            hunk["function"].as_str().unwrap_or_default(),
            hunk["statements"],
            hunk["affected_statements"],
            hunk["affected_functions"]
        ));
    }
    for function in list(&value["functions"]) {
        let cell = |key: &str| function[key].as_str().unwrap_or_default();
        out.push_str(&format!("affects {} {}\n", cell("file"), cell("name")));
    }
    for output in list(&value["outputs"]) {
        out.push_str(&format!("output {}\n", line(output)));
    }
    for missing in list(&value["not_followed"]) {
        out.push_str(&format!("not followed: {}\n", missing.as_str().unwrap_or_default()));
    }
    let statements = &value["statements"];
    out + &format!("{} of {} statements may be affected\n", statements["affected"], statements["all"])
}

fn interference(value: &Value) -> String {
    let mut out = String::new();
    for pair in list(&value["interference"]) {
        let (a, b) = (&pair["hunks"][0], &pair["hunks"][1]);
        out.push_str(&format!("hunks {a} and {b} may affect the same, first {}\n", line(&pair["first"])));
    }
    if out.is_empty() && list(&value["hunks"]).len() > 1 && list(&value["not_followed"]).is_empty() {
        out.push_str("no two hunks affect the same statement: they can be tested one by one\n");
    }
    out
}
