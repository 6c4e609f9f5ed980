//! `--reduce DIR`: the new version without what no affected output depends on (B6).

use anyhow::{Context as _, Result, bail};
use hydrogen_evidence::affected::{Files, Kept, Reduced};
use hydrogen_history::tree::{FileEntry, Kind};
use hydrogen_history::{Objects, Repository};
use hydrogen_interact::{Cut, Impact, StatementId, Transition, cut, outputs_of, reduce};
use hydrogen_ir::{Linkage, Role};
use hydrogen_jail::{Command, End, Limits, Policy, Watch};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the files come from.
pub struct Source<'a> {
    pub repository: &'a Repository,
    pub tree: &'a str,
}

/// Writes the reduced program and checks that what compiled before still does.
pub fn write(source: &Source<'_>, step: &Transition, impact: &Impact, folder: &Path) -> Result<Reduced> {
    if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        bail!("{} is not empty; give a new folder for the reduced program", folder.display());
    }
    let affected = impact.affected();
    let mut wanted = outputs_of(&step.new, &affected);
    let of_library = wanted.is_empty();
    if of_library {
        wanted = returns(step, &affected);
    }
    if wanted.is_empty() {
        bail!("nothing that is seen from outside is affected: there is nothing to reduce the program to");
    }
    let reduction = reduce(&step.new, &wanted);
    let objects = Objects::new(source.repository);
    let files: Vec<FileEntry> = objects
        .files(source.tree)?
        .into_iter()
        .filter(|file| matches!(file.kind, Kind::File | Kind::Executable))
        .collect();
    let mut uncut = BTreeMap::new();
    let mut left = 0;
    for file in &files {
        let name = file.path.to_string();
        let content = objects.blob(file.oid)?;
        let path = place(folder, &name)?;
        let cuts: &[Cut] = reduction.cuts.get(&name).map_or(&[], Vec::as_slice);
        let (reduced, kept) = cut(&content, cuts);
        left += kept;
        put(&path, &reduced)?;
        if !cuts.is_empty() {
            uncut.insert(path, content);
        }
    }
    let files = check(folder, &files, &uncut)?;
    let (statements, functions) = (reduction.statements, reduction.functions);
    Ok(Reduced {
        folder: folder.display().to_string(),
        criterion: if of_library { "values that affected functions return" } else { "affected outputs" },
        criterion_statements: wanted.len(),
        statements: Kept { kept: statements.0, removed: statements.1, not_cut: Some(left) },
        functions: Kept { kept: functions.0, removed: functions.1, not_cut: None },
        files,
    })
}

/// Where a program prints nothing, what its functions give to others is its output.
fn returns(step: &Transition, affected: &BTreeSet<StatementId>) -> Vec<StatementId> {
    let seen = |at: &StatementId| {
        let (_, function, piece) = step.new.place(*at);
        function.pieces[piece as usize].role == Role::Return && function.linkage != Linkage::Internal
    };
    affected.iter().copied().filter(seen).collect()
}

/// A path inside of the folder; no honest repository has another.
fn place(folder: &Path, name: &str) -> Result<PathBuf> {
    let inside = Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if !inside {
        bail!("`{name}` leads out of the folder");
    }
    Ok(folder.join(name))
}

fn put(path: &Path, content: &[u8]) -> Result<()> {
    let parent = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    parent
        .and_then(|()| std::fs::write(path, content))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// The compiler is given so much time for one file.
const LONGEST: Duration = Duration::from_secs(120);

/// Compiles what was cut. A file that compiled before and does not now is written as it was.
fn check(folder: &Path, files: &[FileEntry], uncut: &BTreeMap<PathBuf, Vec<u8>>) -> Result<Files> {
    let real = folder.canonicalize().with_context(|| format!("{} is gone", folder.display()))?;
    let uncut: BTreeMap<PathBuf, &Vec<u8>> = uncut
        .iter()
        .map(|(path, content)| (real.join(path.strip_prefix(folder).unwrap_or(path)), content))
        .collect();
    let folder = real.as_path();
    let names = files.iter().map(|file| file.path.to_string()).filter(|name| name.ends_with(".h"));
    let headers: BTreeSet<PathBuf> =
        names.filter_map(|name| folder.join(name).parent().map(Path::to_path_buf)).collect();
    let compiles = |path: &Path| -> Result<bool> {
        let clang = Command::new("clang-19", folder)
            .args(["-fsyntax-only", "-w"])
            .args(headers.iter().map(|folder| format!("-I{}", folder.display())))
            .arg(path);
        let policy = Policy::of_the_system().reading(folder).only_reading().limited(Limits::of_a_compiler());
        match hydrogen_jail::run(clang, &policy, &Watch::new(LONGEST))?.end {
            End::NotStarted(reason) => bail!("{reason}, which checks the reduced program"),
            end => Ok(end.success()),
        }
    };
    let mut found = Files { compile: Vec::new(), restored: Vec::new(), not_checked: Vec::new() };
    for (path, content) in uncut.iter().filter(|(path, _)| path.extension().is_some_and(|it| it == "c")) {
        let name = path.strip_prefix(folder).unwrap_or(path).display().to_string();
        if compiles(path)? {
            found.compile.push(name);
            continue;
        }
        let reduced = std::fs::read(path)?;
        put(path, content)?;
        if compiles(path)? {
            found.restored.push(name);
        } else {
            put(path, &reduced)?;
            found.not_checked.push(name);
        }
    }
    Ok(found)
}
