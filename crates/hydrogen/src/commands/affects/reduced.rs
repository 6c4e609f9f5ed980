//! `--reduce DIR`: the new version without what no affected output depends on (B6).

use anyhow::{Context as _, Result, bail};
use hydrogen_evidence::affected::{Files, Kept, Reduced};
use hydrogen_history::tree::{FileEntry, Kind};
use hydrogen_history::{Objects, Repository};
use hydrogen_interact::{Cut, Impact, StatementId, Transition, cut, outputs_of, reduce};
use hydrogen_ir::{Linkage, Role};
use hydrogen_jail::inside;
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
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
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
        let cuts: &[Cut] = reduction.cuts.get(&name).map_or(&[], Vec::as_slice);
        let (reduced, kept) = cut(&content, cuts);
        left += kept;
        put(folder, &name, &reduced)?;
        if !cuts.is_empty() {
            uncut.insert(name, content);
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

fn put(folder: &Path, name: &str, content: &[u8]) -> Result<()> {
    inside::write(folder, Path::new(name), content)
        .with_context(|| format!("cannot write {name} into {}", folder.display()))
}

/// The compiler is given so much time for one file.
const LONGEST: Duration = Duration::from_secs(120);

/// Compiles what was cut. A file that compiled before and does not now is written as it was.
fn check(folder: &Path, files: &[FileEntry], uncut: &BTreeMap<String, Vec<u8>>) -> Result<Files> {
    let real = folder.canonicalize().with_context(|| format!("{} is gone", folder.display()))?;
    let folder = real.as_path();
    let names = files.iter().map(|file| file.path.to_string()).filter(|name| name.ends_with(".h"));
    let headers: BTreeSet<PathBuf> =
        names.filter_map(|name| folder.join(name).parent().map(Path::to_path_buf)).collect();
    let compiles = |name: &str| -> Result<bool> {
        let clang = Command::new("clang-19", folder)
            .args(["-fsyntax-only", "-w"])
            .args(headers.iter().map(|folder| format!("-I{}", folder.display())))
            .arg(folder.join(name));
        let policy = Policy::of_the_system().reading(folder).only_reading().limited(Limits::of_a_compiler());
        match hydrogen_jail::run(clang, &policy, &Watch::new(LONGEST))?.end {
            End::NotStarted(reason) => bail!("{reason}, which checks the reduced program"),
            end => Ok(end.success()),
        }
    };
    let mut found = Files { compile: Vec::new(), restored: Vec::new(), not_checked: Vec::new() };
    for (name, content) in uncut.iter().filter(|(name, _)| name.ends_with(".c")) {
        if compiles(name)? {
            found.compile.push(name.clone());
            continue;
        }
        let reduced = std::fs::read(folder.join(name))?;
        put(folder, name, content)?;
        if compiles(name)? {
            found.restored.push(name.clone());
        } else {
            put(folder, name, &reduced)?;
            found.not_checked.push(name.clone());
        }
    }
    Ok(found)
}
