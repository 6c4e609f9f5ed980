//! From calls to units and links.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use globset::{Glob, GlobSet, GlobSetBuilder};

use super::command::{Language, Stage, TOLERANCE, parse};
use super::recorder::{Call, Tool};
use super::{Link, Problem, Unit};
use crate::config::Config;

/// Units and links of a recorded build, and what was left out.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub units: Vec<Unit>,
    pub links: Vec<Link>,
    skipped: BTreeMap<Language, usize>,
    not_text: Vec<PathBuf>,
    missing: Vec<PathBuf>,
    /// Which of the links names which libraries by `-l`.
    asked: Vec<(usize, Vec<OsString>)>,
}

impl Collected {
    /// Everything that was called, in its order.
    pub fn from_calls(calls: &[Call], checkout: &Path) -> Collected {
        let mut collected = Collected::default();
        for call in calls {
            match call.tool {
                Tool::Archiver => collected.archive(call, checkout),
                Tool::C | Tool::Cxx => collected.compilation(call, checkout),
            }
        }
        collected.find_libraries();
        collected
    }

    /// What `-l` names is an input of a link where the same build made it.
    fn find_libraries(&mut self) {
        let made: Vec<PathBuf> = self.links.iter().map(|link| link.output.clone()).collect();
        for (link, names) in std::mem::take(&mut self.asked) {
            for name in names {
                let is_it = |output: &&PathBuf| {
                    let file = output.file_name().unwrap_or_default().as_bytes();
                    let rest = file.strip_prefix(b"lib").and_then(|rest| rest.strip_prefix(name.as_bytes()));
                    rest.is_some_and(|rest| rest == b".a" || rest.starts_with(b".so"))
                };
                // A static and a shared one hold the same units.
                if let Some(output) = made.iter().find(is_it) {
                    self.links[link].inputs.push(output.clone());
                }
            }
        }
    }

    /// One call of a compiler.
    pub fn compilation(&mut self, call: &Call, checkout: &Path) {
        let parsed = parse(&call.arguments);
        if parsed.stage == Stage::Nothing {
            return;
        }
        let place = |path: &Path| relative(&call.directory.join(path), checkout);
        let output = place(parsed.output.as_deref().unwrap_or(Path::new("a.out")));
        let alone = parsed.sources.len() == 1 && parsed.objects.is_empty();
        for (source, language) in &parsed.sources {
            // A C++ compiler takes a `.c` file for C++.
            let language = match (call.tool, language) {
                (Tool::Cxx, Language::C) => Language::Cxx,
                _ => *language,
            };
            // Builds ask the compiler about its options with sources that say nothing.
            if source.as_os_str() == "-" || source == Path::new("/dev/null") {
                continue;
            }
            if language != Language::C {
                *self.skipped.entry(language).or_default() += 1;
                continue;
            }
            let file = place(source);
            if !checkout.join(&file).is_file() {
                self.missing.push(file);
                continue;
            }
            let Some(arguments) = text(&parsed.arguments) else {
                self.not_text.push(file);
                continue;
            };
            let object = match (parsed.stage, &parsed.output) {
                (Stage::Compile, Some(output)) if alone => place(output),
                (Stage::Compile, _) => {
                    place(Path::new(&source.with_extension("o").file_name().unwrap_or_default()))
                }
                _ => at_once(&output, &file),
            };
            let directory = relative(&call.directory, checkout);
            self.units.push(Unit { file, directory, arguments, objects: vec![object] });
        }
        if parsed.stage == Stage::Link && !(parsed.sources.is_empty() && parsed.objects.is_empty()) {
            let sources = parsed.sources.iter().map(|(source, _)| at_once(&output, &place(source)));
            let inputs = sources.chain(parsed.objects.iter().map(|input| place(input))).collect();
            if !parsed.libraries.is_empty() {
                self.asked.push((self.links.len(), parsed.libraries));
            }
            self.links.push(Link { output, inputs });
        }
    }

    /// `ar rcs lib.a a.o b.o`.
    fn archive(&mut self, call: &Call, checkout: &Path) {
        let mut words = call.arguments.iter().filter(|word| !word.as_bytes().starts_with(b"--"));
        let operation = words.next().map(|word| word.as_bytes()).unwrap_or_default();
        if !operation.contains(&b'r') && !operation.contains(&b'q') {
            return;
        }
        let mut files = words.filter(|word| !word.as_bytes().starts_with(b"-"));
        let place = |path: &OsString| relative(&call.directory.join(path), checkout);
        if let Some(output) = files.next() {
            let inputs: Vec<PathBuf> = files.map(place).collect();
            if !inputs.is_empty() {
                self.links.push(Link { output: place(output), inputs });
            }
        }
    }

    /// What was left out.
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems: Vec<Problem> = self
            .skipped
            .iter()
            .map(|(language, count)| Problem::Skipped { language: language.name(), count: *count })
            .collect();
        if let Some(example) = self.missing.iter().min() {
            problems.push(Problem::Missing { count: self.missing.len(), example: example.clone() });
        }
        if let Some(example) = self.not_text.iter().min() {
            problems.push(Problem::NotText { count: self.not_text.len(), example: example.clone() });
        }
        problems
    }
}

/// What stands for the object of a source that is compiled and linked in one call: the same file may be compiled otherwise for another
/// program.
fn at_once(output: &Path, file: &Path) -> PathBuf {
    output.join(file)
}

fn text(words: &[OsString]) -> Option<Vec<String>> {
    words.iter().map(|word| word.to_str().map(String::from)).collect()
}

/// A path without `.` and `..`, from the checkout when it is inside.
pub(super) fn relative(path: &Path, checkout: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    match clean.strip_prefix(checkout) {
        Ok(inside) => inside.to_path_buf(),
        Err(_) => clean,
    }
}

/// What holds for the units of every plan: the configuration's flags, no duplicates, one order.
pub(super) fn finish(
    mut units: Vec<Unit>,
    checkout: &Path,
    config: &Config,
    problems: &mut Vec<Problem>,
) -> Vec<Unit> {
    let exclude = globs(&config.build.exclude);
    for pattern in &config.build.exclude {
        let one = globs(std::slice::from_ref(pattern));
        if !units.iter().any(|unit| one.is_match(&unit.file)) {
            problems.push(Problem::NoMatch { pattern: pattern.clone() });
        }
    }
    let mut extra: Vec<String> = config.build.flags.clone();
    for folder in &config.build.include {
        extra.push("-I".to_string());
        extra.push(checkout.join(folder).to_string_lossy().into_owned());
    }
    extra.extend(TOLERANCE.map(String::from));
    // A parallel build calls the compiler in another order every time; which duplicate is kept must not depend on it.
    units.sort();
    let mut first: BTreeMap<(PathBuf, PathBuf, Vec<String>), Unit> = BTreeMap::new();
    for mut unit in units.into_iter().filter(|unit| !exclude.is_match(&unit.file)) {
        let key = (unit.file.clone(), unit.directory.clone(), essence(&unit.arguments));
        match first.get_mut(&key) {
            Some(known) => known.objects.append(&mut unit.objects),
            None => {
                unit.arguments.extend(extra.iter().cloned());
                first.insert(key, unit);
            }
        }
    }
    let mut units: Vec<Unit> = first.into_values().collect();
    for unit in &mut units {
        unit.objects.sort();
        unit.objects.dedup();
    }
    units
}

/// The arguments without what build systems add when a file goes into a shared library too: libtool `-fPIC -DPIC`,
/// CMake `-D<library>_EXPORTS`, and without warnings. The meaning of the file is the same.
fn essence(arguments: &[String]) -> Vec<String> {
    const POSITION: [&str; 9] =
        ["-fPIC", "-fpic", "-fPIE", "-fpie", "-fno-PIC", "-fno-pic", "-fno-PIE", "-fno-pie", "-DPIC"];
    let exports = |word: &str| word.starts_with("-D") && word.ends_with("_EXPORTS");
    let matters =
        |word: &&String| !POSITION.contains(&word.as_str()) && !exports(word) && !word.starts_with("-Wno-");
    arguments.iter().filter(matters).cloned().collect()
}

/// A set of patterns; the configuration was checked when it was read, so none is invalid.
pub(super) fn globs(patterns: &[String]) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for glob in patterns.iter().filter_map(|pattern| Glob::new(pattern).ok()) {
        set.add(glob);
    }
    set.build().unwrap_or_default()
}
