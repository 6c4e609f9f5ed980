//! `hydrogen affects COMMIT`.

mod reduced;

use super::{Outcome, step};
use crate::cli::TableFormat;
use crate::context::Context;
use crate::output;
use crate::scratch::Scratch;
use anyhow::{Context as _, Result, bail};
use hydrogen_history::Repository;
use hydrogen_interact::{
    Dependence, Dependency, HunkKind, Impact, PASSED, Sided, StatementId, Transition, functions_of,
    likelihood, outputs_of,
};
use hydrogen_jail::{Command, End, Kept, Limits, Policy, Watch};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub struct Options {
    pub with: Option<String>,
    pub likely: usize,
    pub reduce: Option<PathBuf>,
    pub format: TableFormat,
}

pub fn run(context: &Context, what: &str, options: &Options) -> Result<Outcome> {
    let value = match &options.with {
        Some(other) => branches(context, what, other)?,
        None => one(context, what, options)?,
    };
    context.output(&match options.format {
        TableFormat::Json => output::json("affects/1", &value),
        TableFormat::Text => text(&value),
    })?;
    Ok(Outcome::Done)
}

fn one(context: &Context, what: &str, options: &Options) -> Result<Value> {
    let (old, new) = step::ends(context, what)?;
    let repository = context.trees.repository(&new.repository)?;
    let step = step::read(&repository, old.as_ref().map(|old| old.tree.as_str()), &new.tree)?;
    let impact = Impact::of(&step);
    let likelihood = likelihoods(&step, &impact);
    let mut value = summary(&impact, &step.new, &likelihood);
    let interference: Vec<Value> = impact
        .interference()
        .into_iter()
        .map(|(a, b, at)| json!({ "hunks": [a, b], "first": place(&step.new, at) }))
        .collect();
    value["interference"] = interference.into();
    value["dependences"] = dependences(&step);
    value["likely"] = likely(&step, &impact, &likelihood, options.likely).into();
    if let Some(folder) = &options.reduce {
        let source = reduced::Source { repository: &repository, tree: &new.tree };
        value["reduced"] = reduced::write(&source, &step, &impact, &context.path(folder))?;
    }
    Ok(value)
}

/// How likely each statement is affected (B3). What depended on something that is gone is one dependence away from it, and each has
/// its share.
fn likelihoods(step: &Transition, impact: &Impact) -> Vec<f64> {
    let starts = impact.hunks.iter().flat_map(|hunk| {
        let gone = hunk.kind != HunkKind::Changed;
        let share = PASSED / hunk.starts.len().max(1) as f64;
        let survivors = hunk.starts.iter().filter(move |_| gone).map(move |start| (start.at, share));
        hunk.changed.iter().map(|&at| (at, 1.0)).chain(survivors)
    });
    likelihood(&step.new, starts)
}

/// The statements that are most likely affected, changed ones left out.
fn likely(step: &Transition, impact: &Impact, likelihood: &[f64], count: usize) -> Vec<Value> {
    let changed: BTreeSet<StatementId> =
        impact.hunks.iter().flat_map(|hunk| hunk.changed.iter().copied()).collect();
    let all = impact.affected().into_iter().filter(|at| !changed.contains(at)).collect();
    let one = |at: StatementId| {
        let mut value = place(&step.new, at);
        value["likelihood"] = likelihood[at.0 as usize].into();
        value
    };
    ranked(all, likelihood).into_iter().take(count).map(one).collect()
}

/// The likeliest first.
fn ranked(mut all: Vec<StatementId>, likelihood: &[f64]) -> Vec<StatementId> {
    all.sort_by(|a, b| likelihood[b.0 as usize].total_cmp(&likelihood[a.0 as usize]).then(a.cmp(b)));
    all
}

/// What both sides of a merge affect. The merge is made in a folder of ours, so that the repository is only read.
fn branches(context: &Context, ours: &str, theirs: &str) -> Result<Value> {
    let (ours, theirs) = (step::commit(context, ours)?, step::commit(context, theirs)?);
    let folder = Scratch::new("merge")?;
    merged(folder.path(), &ours.repository, &ours.commit, &theirs.commit).and_then(|tree| {
        let repository = Repository::open(folder.path())?;
        let mine = step::read(&repository, Some(&theirs.tree), &tree)?;
        let other = step::read(&repository, Some(&ours.tree), &tree)?;
        let (first, second) = (Impact::of(&mine), Impact::of(&other));
        let both: BTreeSet<StatementId> =
            first.affected().intersection(&second.affected()).copied().collect();
        let places: Vec<Value> = both.iter().map(|&at| place(&mine.new, at)).collect();
        let verdict = match (both.is_empty(), first.not_followed.is_empty() && second.not_followed.is_empty())
        {
            (false, _) => "may interfere",
            (true, true) => "cannot interfere",
            (true, false) => "unknown",
        };
        Ok(json!({
            "ours": summary(&first, &mine.new, &likelihoods(&mine, &first)),
            "theirs": summary(&second, &other.new, &likelihoods(&other, &second)),
            "verdict": verdict,
            "both": places,
        }))
    })
}

/// Git is given so much time, and so much of its output is read.
const LONGEST: Duration = Duration::from_secs(300);
const MESSAGES: usize = 16 << 20;

/// The tree of a merge, made beside the repository: the new folder borrows its objects.
fn merged(folder: &Path, git_dir: &Path, ours: &str, theirs: &str) -> Result<String> {
    let git = |arguments: &[&str]| {
        let command = Command::new("git", folder)
            .args(["-c", "safe.directory=*"])
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        let watch = Watch::new(LONGEST).keeping(Kept::Apart(MESSAGES));
        hydrogen_jail::run(command, &Policy::trusted(Limits::default()), &watch)
            .context("cannot run git, which makes the merge")
    };
    let path = folder.to_string_lossy();
    let made = git(&["init", "-q", "--bare", &path])?;
    if !made.end.success() {
        bail!("git init: {}", String::from_utf8_lossy(&made.errors).trim());
    }
    let objects = hydrogen_history::Objects::new(&Repository::open(git_dir)?).directory();
    let alternates = folder.join("objects/info/alternates");
    std::fs::write(&alternates, format!("{}\n", objects.display()))
        .with_context(|| format!("cannot write {}", alternates.display()))?;
    let result = git(&["-C", &path, "merge-tree", "--write-tree", "--name-only", ours, theirs])?;
    let out = String::from_utf8_lossy(&result.output).into_owned();
    let mut lines = out.lines();
    let tree = lines.next().unwrap_or_default().to_owned();
    match result.end {
        End::Exit(0) => Ok(tree),
        End::Exit(1) => {
            let files: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
            bail!("the branches conflict in {}; merge them first", files.join(", "))
        }
        _ => bail!("git merge-tree: {}", String::from_utf8_lossy(&result.errors).trim()),
    }
}

fn summary(impact: &Impact, dependence: &Dependence, likelihood: &[f64]) -> Value {
    let hunks: Vec<Value> = impact
        .hunks
        .iter()
        .map(|hunk| {
            let functions = functions_of(dependence, &hunk.affected);
            json!({
                "kind": kind(hunk.kind), "file": hunk.file, "line": hunk.line, "function": hunk.function,
                "statements": hunk.statements, "affected_statements": hunk.affected.len(),
                "affected_functions": functions.len(),
            })
        })
        .collect();
    let affected = impact.affected();
    // Files and outputs by what is likeliest in them.
    let mut order: BTreeMap<&str, usize> = BTreeMap::new();
    for at in ranked(affected.iter().copied().collect(), likelihood) {
        let next = order.len();
        order.entry(dependence.place(at).0.module.name.as_str()).or_insert(next);
    }
    let mut functions: Vec<(String, String)> = functions_of(dependence, &affected).into_iter().collect();
    functions.sort_by_key(|(file, _)| order.get(file.as_str()).copied());
    let functions: Vec<Value> =
        functions.into_iter().map(|(file, name)| json!({ "file": file, "name": name })).collect();
    let outputs = ranked(outputs_of(dependence, &affected), likelihood);
    let outputs: Vec<Value> = outputs.into_iter().map(|at| place(dependence, at)).collect();
    json!({
        "hunks": hunks, "functions": functions, "outputs": outputs,
        "statements": { "affected": affected.len(), "all": dependence.len() },
        "not_followed": impact.not_followed,
    })
}

fn kind(kind: HunkKind) -> &'static str {
    match kind {
        HunkKind::Changed => "changed",
        HunkKind::Deleted => "deleted",
        HunkKind::Head => "head",
        HunkKind::Gone => "gone",
    }
}

/// Which dependences began and ceased (B5), by what depends.
fn dependences(step: &Transition) -> Value {
    let evolution = &step.evolution;
    let at = |it: Sided| match it {
        Sided::New(at) => place(&step.new, at),
        Sided::Gone(at) => {
            let mut value = place(&step.old, at);
            value["old"] = true.into();
            value
        }
    };
    let list = |pairs: &[Dependency]| -> Vec<Value> {
        let one = |run: &[Dependency]| {
            let on: Vec<Value> = run.iter().map(|pair| at(pair.on)).collect();
            json!({ "dependent": at(run[0].dependent), "on": on })
        };
        pairs.chunk_by(|a, b| a.dependent == b.dependent).map(one).collect()
    };
    json!({
        "kept": evolution.kept,
        "begun": list(&evolution.begun),
        "ceased": list(&evolution.ceased),
        "counted_only": evolution.unlisted,
    })
}

fn place(dependence: &Dependence, at: StatementId) -> Value {
    let (unit, function, piece) = dependence.place(at);
    let piece = &function.pieces[piece as usize];
    // The entry of a function has no line of its own.
    let line = piece.span.map(|span| span.start.line).or(function.line()).unwrap_or(0);
    json!({ "file": unit.module.name, "line": line, "function": function.name, "text": piece.label() })
}

fn text(value: &Value) -> String {
    if value.get("verdict").is_none() {
        if list(&value["hunks"]).is_empty() {
            return side(value);
        }
        return side(value)
            + &interference(value)
            + &likely_lines(value)
            + &dependence_lines(value)
            + &reduced::text(&value["reduced"]);
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
    if list(&value["hunks"]).is_empty() && list(&value["not_followed"]).is_empty() {
        return "no executable change\n".into();
    }
    for (at, hunk) in list(&value["hunks"]).iter().enumerate() {
        out.push_str(&format!(
            "hunk {at}: {}:{} {}: {} statements{}, may affect {} statements in {} functions\n",
            hunk["file"].as_str().unwrap_or_default(),
            hunk["line"],
            hunk["function"].as_str().unwrap_or_default(),
            hunk["statements"],
            match hunk["kind"].as_str() {
                Some("deleted") => " deleted",
                Some("head") => " (the head of the function)",
                Some("gone") => " gone with their function",
                _ => "",
            },
            hunk["affected_statements"],
            hunk["affected_functions"]
        ));
    }
    let functions = list(&value["functions"]);
    let by_file: Vec<&[Value]> = functions.chunk_by(|a, b| a["file"] == b["file"]).collect();
    for own in by_file.iter().take(SHOWN) {
        let names = own.iter().map(|it| it["name"].as_str().unwrap_or_default().to_owned()).collect();
        let file = own[0]["file"].as_str().unwrap_or_default();
        out.push_str(&format!("affects {file}: {}\n", output::shortened(names, ", ")));
    }
    more(&mut out, by_file.len(), "files");
    let outputs = list(&value["outputs"]);
    for output in outputs.iter().take(SHOWN) {
        out.push_str(&format!("output {}\n", line(output)));
    }
    more(&mut out, outputs.len(), "outputs");
    for missing in list(&value["not_followed"]) {
        out.push_str(&format!("not followed: {}\n", missing.as_str().unwrap_or_default()));
    }
    let statements = &value["statements"];
    out + &format!("{} of {} statements may be affected\n", statements["affected"], statements["all"])
}

fn likely_lines(value: &Value) -> String {
    let one = |at: &Value| format!("likely {:.4} {}\n", at["likelihood"].as_f64().unwrap_or(0.0), line(at));
    list(&value["likely"]).iter().map(one).collect()
}

/// So many of a kind are shown to people.
const SHOWN: usize = 15;

/// Says how many are not shown.
fn more(out: &mut String, count: usize, what: &str) {
    if count > SHOWN {
        out.push_str(&format!("and {} more {what}; --format json lists all\n", count - SHOWN));
    }
}

fn dependence_lines(value: &Value) -> String {
    let (mut out, mut counts) = (String::new(), Vec::new());
    for (key, verb) in [("begun", "now depends on"), ("ceased", "no longer depends on")] {
        let all = list(&value["dependences"][key]);
        for one in all.iter().take(SHOWN) {
            let on = list(&one["on"]).iter().map(short).collect();
            out.push_str(&format!("{} {verb} {}\n", line(&one["dependent"]), output::shortened(on, ", ")));
        }
        more(&mut out, all.len(), &format!("statements with {key} dependences"));
        counts.push(format!("{} {key}", all.iter().map(|one| list(&one["on"]).len()).sum::<usize>()));
    }
    let unlisted = match value["dependences"]["counted_only"].as_u64() {
        None | Some(0) => String::new(),
        Some(count) => format!(", {count} more counted only"),
    };
    out + &format!("dependences: {} kept, {}{unlisted}\n", value["dependences"]["kept"], counts.join(", "))
}

/// A place as file and line; `old` where it is one of the old version.
fn short(at: &Value) -> String {
    let old = if at["old"] == json!(true) { " (old)" } else { "" };
    format!("{}:{}{old}", at["file"].as_str().unwrap_or_default(), at["line"])
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
