//! From a version's files to its compile commands, without running a build where its outcome is known.

use crate::key::Key;
use crate::modeller::{Error, Modeller, Settings, lock};
use crate::programs::programs;
use crate::record::{Place, PlanRecord, UnitPlan, UnitRecord, VersionRecord};
use crate::unit::{Outcome, SystemFiles, blob_hash};
use crate::version::Failure;
use bstr::{BString, ByteSlice};
use hydrogen_frontend::Command;
use hydrogen_frontend::options::sift;
use hydrogen_history::build::{self, BuildOptions};
use hydrogen_history::checkout::Checkout;
use hydrogen_history::config::Config;
use hydrogen_history::tree::FileEntry;
use hydrogen_history::version::Version;
use hydrogen_jail::inside;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Part of the message about a file that a failed build did not come to: nobody knows whether it would have.
pub const NOT_REACHED: &str = "the build stopped before it came to this file";

/// How many files are listed by name in one message.
const NAMED: usize = 5;
/// Stands for the checkout in stored commands.
const ROOT: &str = "@ROOT@";
/// Stands for its scratch folder.
const SCRATCH: &str = "@SCRATCH@";

/// Where units are looked at: a version's tree, and its checkout once there is one.
pub(crate) struct Workplace {
    /// The git hash of every file of the version.
    tree: HashMap<PathBuf, [u8; 20]>,
    /// A hash of all paths.
    pub(crate) paths: [u8; 32],
    checkout: Option<(PathBuf, PathBuf)>,
    /// Whether a build ran in the checkout: then files there may differ from the tree.
    built: bool,
    on_disk: Mutex<HashMap<PathBuf, Option<[u8; 20]>>>,
}

impl Workplace {
    fn new(files: &[FileEntry]) -> Self {
        let path = |file: &FileEntry| PathBuf::from(OsStr::from_bytes(&file.path));
        let hash = |file: &FileEntry| {
            let mut hash = [0; 20];
            hash.copy_from_slice(&file.oid.as_bytes()[..20]);
            hash
        };
        let tree = files.iter().map(|file| (path(file), hash(file))).collect();
        let paths = files.iter().fold(Key::new("paths"), |key, file| key.with(&file.path)).finish();
        Self { tree, paths, checkout: None, built: false, on_disk: Mutex::default() }
    }

    fn enter(&mut self, checkout: &Checkout) {
        self.checkout = Some((checkout.path().to_owned(), checkout.scratch().to_owned()));
    }

    /// What the compiler may read besides the system's files: the checkout, and what the tool itself adds to every command.
    pub(crate) fn readable_folders(&self, settings: &Settings) -> Vec<PathBuf> {
        let slot = self.checkout.iter().filter_map(|(root, _)| root.parent());
        let own = settings.extra_arguments.iter().map(|word| Path::new(OsStr::from_bytes(word)));
        slot.chain(own.filter(|path| path.is_absolute())).map(Path::to_owned).collect()
    }

    /// The content hash of a file that a unit read.
    pub(crate) fn content(&self, place: &Place, system: &SystemFiles) -> Option<[u8; 20]> {
        match place {
            Place::Outside(path) => system.content(path),
            Place::Inside(path) if !self.built => self.tree.get(path).copied(),
            Place::Inside(path) => self.disk(&self.checkout.as_ref()?.0, path),
            Place::Scratch(path) => self.disk(&self.checkout.as_ref()?.1, path),
        }
    }

    fn disk(&self, root: &Path, path: &Path) -> Option<[u8; 20]> {
        let mut known = lock(&self.on_disk);
        let read = || inside::read(root, path, inside::MOST).ok().map(|content| blob_hash(&content));
        *known.entry(root.join(path)).or_insert_with(read)
    }

    /// Where a file lies.
    pub(crate) fn place(&self, path: &Path) -> Place {
        if let Some((root, scratch)) = &self.checkout {
            if let Ok(inside) = path.strip_prefix(root) {
                return Place::Inside(inside.to_owned());
            }
            if let Ok(made) = path.strip_prefix(scratch) {
                return Place::Scratch(made.to_owned());
            }
        }
        Place::Outside(path.to_owned())
    }

    /// Whether the files are the version's own or the system's, none made or changed by the build.
    pub(crate) fn all_original(&self, dependencies: &[(Place, [u8; 20])]) -> bool {
        dependencies.iter().all(|(place, hash)| match place {
            Place::Inside(path) => self.tree.get(path) == Some(hash),
            Place::Scratch(_) => false,
            Place::Outside(_) => true,
        })
    }

    /// The command with its placeholders filled in.
    pub(crate) fn command(&self, unit: &UnitPlan) -> Command {
        let (root, scratch) = self.checkout.clone().unwrap_or_default();
        let bytes = |path: &Path| BString::from(path.as_os_str().as_bytes());
        let (root, scratch) = (bytes(&root), bytes(&scratch));
        let fill = |text: &BString| BString::from(text.replace(ROOT, &root).replace(SCRATCH, &scratch));
        // The child expects the compiler's name first.
        let arguments = std::iter::once("cc".into()).chain(unit.arguments.iter().map(fill)).collect();
        Command { directory: fill(&unit.directory), file: fill(&unit.file), root: root.clone(), arguments }
    }

    /// Makes the folders that units are compiled in: the build made them, but it does not run for this version.
    fn make_folders(&self, units: &[UnitPlan]) {
        let Some((root, scratch)) = &self.checkout else { return };
        for unit in units {
            let folder = PathBuf::from(OsStr::from_bytes(&self.command(unit).directory));
            for tree in [root, scratch] {
                if let Ok(name) = folder.strip_prefix(tree)
                    && !folder.is_dir()
                {
                    // Where this fails, compiling says so, unit by unit.
                    let _ = inside::make_folder(tree, name);
                }
            }
        }
    }

    /// A message without the checkout's own place, which means nothing to the user.
    pub(crate) fn readable(&self, message: &str) -> String {
        let Some((root, scratch)) = &self.checkout else { return message.to_owned() };
        let message = message.replace(&format!("{}/", root.display()), "");
        message.replace(&scratch.display().to_string(), "<build>")
    }
}

impl Modeller {
    /// Models a version that no record knows. Gives the record and how many units were compiled.
    pub(crate) fn build_and_model(
        &self,
        version: &Version,
        config: &Config,
    ) -> Result<(VersionRecord, usize), Error> {
        let files = self.trees.files(version)?;
        let mut work = Workplace::new(&files);
        let name = self.plan_key(version, &files, config)?;
        let stored: Option<PlanRecord> = self.load("plan", &name).filter(|plan: &PlanRecord| plan.pure);
        if let Some(plan) = &stored {
            let known: Option<Vec<_>> = plan
                .units
                .iter()
                .map(|unit| {
                    let (key, compiled, pure) = (self.unchanged(unit, &work)?, false, true);
                    Some(Outcome::Done { key, compiled, pure })
                })
                .collect();
            if let Some(outcomes) = known {
                self.settings.progress.units(outcomes.len());
                outcomes.iter().for_each(|_| self.settings.progress.unit_done(false));
                return Ok(collect(plan.clone(), outcomes));
            }
        }
        self.settings.progress.stage(&version.name, "checking out");
        let checkout = self.checkouts.lease(version)?;
        work.enter(&checkout);
        self.pool.reading(work.readable_folders(&self.settings)).prepare();
        let mut plan = match stored {
            Some(plan) => {
                work.make_folders(&plan.units);
                plan
            }
            None => {
                self.settings.progress.stage(&version.name, "building");
                let plan = self.run_build(&checkout, config)?;
                work.built = true;
                plan
            }
        };
        self.settings.progress.stage(&version.name, "reading");
        self.settings.progress.units(plan.units.len());
        let outcomes: Result<Vec<Outcome>, Error> = plan
            .units
            .par_iter()
            .map(|unit| {
                let outcome = self.unit(unit, &work)?;
                let compiled = !matches!(outcome, Outcome::Done { compiled: false, .. });
                self.settings.progress.unit_done(compiled);
                Ok(outcome)
            })
            .collect();
        let outcomes = outcomes?;
        plan.pure = plan.pure || outcomes.iter().all(|one| matches!(one, Outcome::Done { pure: true, .. }));
        let (stopped, timed_out) = (plan.stopped, plan.timed_out);
        if !timed_out {
            self.store("plan", &name, &plan);
        }
        let (mut record, compiled) = collect(plan, outcomes);
        record.fleeting |= timed_out;
        record.problems.extend(checkout.problems().iter().map(ToString::to_string));
        let unbuilt = self.unbuilt(&files, &record);
        record.problems.extend(describe(&unbuilt));
        if stopped {
            let message = |file: &str| format!("{file}: {NOT_REACHED}");
            let failure = |file: String| Failure { message: message(&file), file };
            record.failures.extend(unbuilt.into_iter().map(failure));
        }
        Ok((record, compiled))
    }

    /// A version on disk, with how its units are compiled there.
    pub(crate) fn checked_out(
        &self,
        version: &Version,
        config: &Config,
    ) -> Result<(Checkout, Workplace, PlanRecord), Error> {
        let files = self.trees.files(version)?;
        let mut work = Workplace::new(&files);
        let stored: Option<PlanRecord> = self.load("plan", &self.plan_key(version, &files, config)?);
        let checkout = self.checkouts.lease(version)?;
        work.enter(&checkout);
        let plan = match stored.filter(|plan| plan.pure) {
            Some(plan) => {
                work.make_folders(&plan.units);
                plan
            }
            None => self.run_build(&checkout, config)?,
        };
        Ok((checkout, work, plan))
    }

    fn run_build(&self, checkout: &Checkout, config: &Config) -> Result<PlanRecord, Error> {
        let options = BuildOptions {
            compiler: &self.settings.compiler,
            timeout: self.settings.build_time,
            jobs: self.settings.jobs,
            cancel: self.settings.cancel.clone(),
            ..BuildOptions::new(&self.settings.wrapper, checkout.scratch())
        };
        let plan = build::plan(checkout.path(), config, &options);
        self.check_cancelled()?;
        let plan = plan?;
        let root = checkout.path().as_os_str().as_bytes();
        let scratch = checkout.scratch().as_os_str().as_bytes();
        let general = |text: &[u8]| BString::from(text.replace(root, ROOT).replace(scratch, SCRATCH));
        let place = |path: &Path| general(checkout.path().join(path).as_os_str().as_bytes());
        let name = |path: &PathBuf| general(path.as_os_str().as_bytes()).to_string();
        let link = |link: &build::Link| (name(&link.output), link.inputs.iter().map(name).collect());
        let unit = |unit: &build::Unit| UnitPlan {
            name: unit.file.to_string_lossy().into_owned(),
            file: place(&unit.file),
            directory: place(&unit.directory),
            arguments: unit.arguments.iter().map(|argument| general(argument.as_bytes())).collect(),
            objects: unit.objects.iter().map(name).collect(),
        };
        Ok(PlanRecord {
            how: plan.how.to_string(),
            units: plan.units.iter().map(unit).collect(),
            problems: plan.problems.iter().map(ToString::to_string).chain(left_out(&plan.units)).collect(),
            stopped: plan.problems.iter().any(|one| {
                matches!(one, build::Problem::StepFailed { .. } | build::Problem::TimedOut { .. })
            }),
            timed_out: plan.problems.iter().any(|one| matches!(one, build::Problem::TimedOut { .. })),
            pure: !plan.how.runs_a_build(),
            links: plan.links.iter().map(link).collect(),
        })
    }

    /// The C files that no unit contains: a change there is not in the answer, and the user should know.
    fn unbuilt(&self, files: &[FileEntry], record: &VersionRecord) -> Vec<String> {
        let mut built: HashSet<String> = record.units.iter().map(|unit| unit.file.clone()).collect();
        built.extend(record.failures.iter().map(|failure| failure.file.clone()));
        for summary in record.units.iter().filter_map(|unit| self.summary(&unit.key)) {
            built.extend(summary.functions.iter().map(|function| function.file.clone()));
        }
        let sources = files.iter().filter(|file| file.path.ends_with(b".c"));
        sources.map(|file| file.path.to_string()).filter(|name| !built.contains(name)).collect()
    }

    /// What a build can depend on when it makes none of the sources: which files there are, and the contents of
    /// those that are not C.
    fn plan_key(&self, version: &Version, files: &[FileEntry], config: &Config) -> Result<[u8; 32], Error> {
        let key = self.with_submodules(self.key("plan with links"), version, files)?;
        let key = key.with(format!("{:?} {}", config.build, self.settings.compiler).as_bytes());
        let is_c = |path: &[u8]| path.ends_with(b".c") || path.ends_with(b".h");
        let add = |key: Key, file: &FileEntry| {
            let key = key.with(&file.path);
            if is_c(&file.path) { key } else { key.with(file.oid.as_bytes()) }
        };
        Ok(files.iter().fold(key, add).finish())
    }
}

/// The options that the compiler is not given, each named once.
fn left_out(units: &[build::Unit]) -> Vec<String> {
    let mut all = BTreeSet::new();
    for unit in units {
        let words: Vec<&[u8]> = unit.arguments.iter().map(String::as_bytes).collect();
        all.extend(sift(&words, unit.file.as_os_str().as_bytes()).left_out);
    }
    let sentence = |option| format!("the compiler was not given `{option}`: it is not known to be harmless");
    all.into_iter().map(sentence).collect()
}

/// The files that are not built, in a sentence.
fn describe(unbuilt: &[String]) -> Option<String> {
    let (shown, more) = unbuilt.split_at(unbuilt.len().min(NAMED));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    let shown = shown.join(", ");
    (!unbuilt.is_empty())
        .then(|| format!("{} C files are not part of the build: {shown}{more}", unbuilt.len()))
}

/// What an object is put in order by.
fn near(object: &str) -> (usize, usize, String) {
    (object.matches('/').count(), object.len(), object.to_owned())
}

fn collect(plan: PlanRecord, outcomes: Vec<Outcome>) -> (VersionRecord, usize) {
    let mut record = VersionRecord {
        how: plan.how,
        units: Vec::new(),
        programs: Vec::new(),
        failures: Vec::new(),
        fleeting: false,
        problems: plan.problems,
    };
    let mut count = 0;
    for (unit, outcome) in plan.units.into_iter().zip(outcomes) {
        match outcome {
            Outcome::Done { key, compiled, .. } => {
                record.units.push(UnitRecord { file: unit.name, key, objects: unit.objects });
                count += usize::from(compiled);
            }
            Outcome::Failed { failure, fleeting } => {
                record.failures.push(failure);
                record.fleeting |= fleeting;
            }
        }
    }
    record.units.sort();
    record.units.dedup_by(|next, known| {
        let same = (&next.file, next.key) == (&known.file, known.key);
        if same {
            known.objects.append(&mut next.objects);
        }
        same
    });
    // Units of one file are in the same order in every version, whatever they contain: who needs one of them takes the first. What lies
    // nearest to the top is rather the library than one of its tests.
    record
        .units
        .sort_by_cached_key(|unit| (unit.file.clone(), unit.objects.iter().map(|one| near(one)).min()));
    record.programs = programs(&plan.links, &record.units);
    (record, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_one_file_have_one_order_whatever_they_contain() {
        let objects = ["tests/small.o", "lib.o", "tests/large.o"];
        let orders = [[1, 2, 3], [3, 1, 2], [2, 3, 1], [3, 2, 1]].map(|keys| {
            let units = objects.map(|object| UnitPlan {
                name: "lib.c".into(),
                file: "lib.c".into(),
                directory: "".into(),
                arguments: Vec::new(),
                objects: vec![object.to_owned()],
            });
            let plan = PlanRecord {
                how: String::new(),
                units: units.to_vec(),
                problems: Vec::new(),
                timed_out: false,
                stopped: false,
                pure: true,
                links: Vec::new(),
            };
            let outcomes = keys.map(|key| Outcome::Done { key: [key; 32], compiled: false, pure: true });
            let (record, _) = collect(plan, outcomes.into_iter().collect());
            record.units.into_iter().flat_map(|unit| unit.objects).collect::<Vec<_>>()
        });
        assert!(
            orders.iter().all(|order| order[..] == ["lib.o", "tests/large.o", "tests/small.o"]),
            "{orders:?}"
        );
    }
}
