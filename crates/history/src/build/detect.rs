//! Trying the ways to build a version, the surest first.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::advice::{Facts, advice};
use super::ninja::Ninja;
use super::process::{Runner, Step};
use super::recorder::{Recorder, on_path};
use super::units::Collected;
use super::ways::ways;
use super::{BuildOptions, BuildPlan, DEFAULT_TIMEOUT, Error, How, Problem, database, makefile, sources};
use crate::config::{Command, Config};

/// The first way that gives units.
pub(super) fn plan(checkout: &Path, config: &Config, options: &BuildOptions<'_>) -> Result<BuildPlan, Error> {
    let mut problems = Vec::new();
    if config.build.command.is_none() && !config.build.sources.is_empty() {
        return Ok(of_sources(How::Config, checkout, config, problems));
    }
    if config.build.command.is_none()
        && let Some(path) = database::find(checkout)
    {
        match database::read(&path, checkout) {
            Ok(collected) if !collected.units.is_empty() => {
                problems.extend(collected.problems());
                return Ok(of(How::CompileCommands, collected, problems));
            }
            Ok(collected) => {
                problems.extend(collected.problems());
                problems.push(Problem::NothingRecorded { how: How::CompileCommands });
            }
            Err(problem) => problems.push(problem),
        }
    }
    let has = |name: &str| checkout.join(name).is_file();
    // What went wrong with ways that compiled nothing counts only where none does.
    let (mut given_up, mut lacking) = (Vec::new(), Vec::new());
    for how in ways(&has, has_wraps(checkout), config) {
        if let Some(tool) = missing_tool(how, checkout) {
            given_up.push(Problem::ToolMissing { tool, how });
            continue;
        }
        let build = Build::new(checkout, config, options)?;
        let mut own = Vec::new();
        let collected = build.run(how, &mut own)?;
        let said = build.runner.lacking();
        if !collected.units.is_empty() {
            problems.extend(advice(&Facts { checkout, how, problems: &own, lacking: &said }));
            problems.extend(own);
            problems.extend(collected.problems());
            problems
                .extend(given_up.into_iter().filter(|one| matches!(one, Problem::NothingRecorded { .. })));
            return Ok(of(how, collected, problems));
        }
        given_up.extend(own);
        given_up.extend(collected.problems());
        given_up.push(Problem::NothingRecorded { how });
        lacking.extend(said);
    }
    let facts = Facts { checkout, how: How::Sources, problems: &given_up, lacking: &lacking };
    problems.splice(0..0, advice(&facts));
    problems.extend(given_up);
    Ok(of_sources(How::Sources, checkout, config, problems))
}

fn of(how: How, collected: Collected, problems: Vec<Problem>) -> BuildPlan {
    BuildPlan { how, units: collected.units, links: collected.links, problems }
}

fn of_sources(how: How, checkout: &Path, config: &Config, mut problems: Vec<Problem>) -> BuildPlan {
    let units = sources::units(checkout, config, &mut problems);
    BuildPlan { how, units, links: Vec::new(), problems }
}

/// Whether meson may want to download subprojects.
fn has_wraps(checkout: &Path) -> bool {
    let entries = std::fs::read_dir(checkout.join("subprojects")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| path.extension().is_some_and(|end| end == "wrap"))
}

fn missing_tool(how: How, checkout: &Path) -> Option<String> {
    let tools: &[&str] = match how {
        How::Cmake => &["cmake"],
        How::Meson => &["meson", "ninja"],
        How::Autotools if !checkout.join("configure").is_file() => &["autoreconf", "make"],
        How::Autotools | How::Make => &["make"],
        How::Config | How::CompileCommands | How::Sources => &[],
    };
    tools.iter().find(|tool| on_path(tool).is_none()).map(|tool| tool.to_string())
}

/// A build to run and to record.
struct Build<'a> {
    checkout: &'a Path,
    config: &'a Config,
    recorder: Recorder,
    runner: Runner<'a>,
    /// Where a build outside of the source tree goes.
    folder: PathBuf,
}

impl<'a> Build<'a> {
    fn new(
        checkout: &'a Path,
        config: &'a Config,
        options: &'a BuildOptions<'a>,
    ) -> Result<Build<'a>, Error> {
        let recorder = Recorder::set_up(options)?;
        let mut environment = recorder.environment(options, checkout)?;
        environment.extend(config.build.env.iter().map(|(name, value)| (name.into(), value.into())));
        // What the user says counts: a repository may ask for more time than anybody wants to wait.
        let time = options.timeout.or(config.build.timeout).unwrap_or(DEFAULT_TIMEOUT);
        let deadline = Instant::now() + time;
        let folder =
            options.scratch.canonicalize().map_err(Error::io("find", options.scratch))?.join("build");
        let runner = Runner::new(options, checkout, deadline, environment);
        Ok(Build { checkout, config, recorder, runner, folder })
    }

    fn run(&self, how: How, problems: &mut Vec<Problem>) -> Result<Collected, Error> {
        match how {
            How::Config => self.command(problems)?,
            How::Cmake => return self.cmake(problems),
            How::Meson => return self.meson(problems),
            How::Autotools => self.autotools(problems)?,
            How::Make => self.make(problems)?,
            How::CompileCommands | How::Sources => {}
        }
        Ok(Collected::from_calls(&self.recorder.calls(), self.checkout))
    }

    /// Runs a step; a recorded one writes down its compiler calls.
    fn step(
        &self,
        line: Vec<OsString>,
        directory: &Path,
        record: bool,
        problems: &mut Vec<Problem>,
    ) -> Result<bool, Error> {
        let mut words = line.into_iter();
        let program = words.next().unwrap_or_default();
        let environment = if record { self.recorder.recording() } else { BTreeMap::new() };
        let step = Step { program, arguments: words.collect(), directory, environment };
        match self.runner.run(&step, problems) {
            // Half of the commands is better than nothing.
            Err(Error::Timeout { step, after, tail }) if record && !self.recorder.calls().is_empty() => {
                problems.push(Problem::TimedOut { step, after, tail });
                Ok(false)
            }
            other => other,
        }
    }

    fn command(&self, problems: &mut Vec<Problem>) -> Result<(), Error> {
        let line = match &self.config.build.command {
            Some(Command::Shell(line)) => words(&["sh", "-c", line]),
            Some(Command::Program(line)) => line.iter().map(OsString::from).collect(),
            None => return Ok(()),
        };
        let directory = self.checkout.join(self.config.build.directory.as_deref().unwrap_or(Path::new("")));
        self.step(line, &directory, true, problems).map(drop)
    }

    fn make(&self, problems: &mut Vec<Problem>) -> Result<(), Error> {
        let directory = self.checkout.join(self.config.build.directory.as_deref().unwrap_or(Path::new("")));
        let Some(makefile) = makefile::find(&directory) else { return Ok(()) };
        if makefile::wants_choices(&directory) {
            self.step(words(&["make", "defconfig"]), &directory, false, problems)?;
        }
        // Keep going: one file that does not compile should not hide the commands of all others.
        let mut line = words(&["make", "-k", &format!("-j{}", self.runner.options.jobs.max(1))]);
        line.extend(
            makefile::overrides((self.checkout, &makefile), &self.recorder, self.runner.options)?
                .into_iter()
                .map(OsString::from),
        );
        self.step(line, &directory, true, problems).map(drop)
    }

    fn autotools(&self, problems: &mut Vec<Problem>) -> Result<(), Error> {
        let configure = self.checkout.join("configure");
        for line in makers(self.checkout) {
            if !configure.is_file() {
                self.step(line, self.checkout, false, problems)?;
            }
        }
        if configure.is_file() {
            let executable = configure.metadata().is_ok_and(|found| found.permissions().mode() & 0o100 != 0);
            let line = if executable { words(&["./configure"]) } else { words(&["sh", "./configure"]) };
            self.step(line, self.checkout, false, problems)?;
        }
        self.make(problems)
    }

    fn cmake(&self, problems: &mut Vec<Problem>) -> Result<Collected, Error> {
        let mut line = words(&["cmake", "-S", ".", "-B"]);
        line.push(self.folder.clone().into());
        if on_path("ninja").is_some() {
            line.extend(words(&["-G", "Ninja"]));
        }
        line.extend(words(&["-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]));
        for (variable, name) in [("CMAKE_C_COMPILER", "cc"), ("CMAKE_CXX_COMPILER", "c++")] {
            let mut option = OsString::from(format!("-D{variable}="));
            option.push(self.recorder.program(name));
            line.push(option);
        }
        self.step(line, self.checkout, false, problems)?;
        let mut build = words(&["cmake", "--build"]);
        build.push(self.folder.clone().into());
        build.extend(words(&["-j", &self.runner.options.jobs.max(1).to_string()]));
        self.out_of_tree(build, problems)
    }

    fn meson(&self, problems: &mut Vec<Problem>) -> Result<Collected, Error> {
        let mut line = words(&["meson", "setup", "--wrap-mode=nodownload"]);
        line.push(self.folder.clone().into());
        self.step(line, self.checkout, false, problems)?;
        let mut build = words(&["ninja", "-k", "0", "-C"]);
        build.push(self.folder.clone().into());
        self.out_of_tree(build, problems)
    }

    /// The units come from the database, which is complete even when a build fails. Generated files must exist
    /// before their users can be compiled: with ninja only they are made, otherwise everything is built.
    fn out_of_tree(&self, build: Vec<OsString>, problems: &mut Vec<Problem>) -> Result<Collected, Error> {
        let path = self.folder.join("compile_commands.json");
        let ninja = Ninja::read(&self.folder).filter(|_| path.is_file());
        match &ninja {
            Some(ninja) if ninja.generated.is_empty() => {}
            Some(ninja) => {
                let mut line = words(&["ninja", "-k", "0", "-C"]);
                line.push(self.folder.clone().into());
                line.extend(ninja.generated.iter().map(OsString::from));
                self.step(line, self.checkout, true, problems)?;
            }
            None if self.folder.is_dir() => {
                self.step(build, self.checkout, true, problems)?;
            }
            None => {}
        }
        let recorded = Collected::from_calls(&self.recorder.calls(), self.checkout);
        if !path.is_file() {
            return Ok(recorded);
        }
        match database::read(&path, self.checkout) {
            Ok(mut collected) => {
                collected.links = match ninja {
                    Some(ninja) => ninja.links(&self.folder, self.checkout),
                    None => recorded.links,
                };
                Ok(collected)
            }
            Err(problem) => {
                problems.push(problem);
                Ok(recorded)
            }
        }
    }
}

/// What makes a `configure` script, the usual way first. The script that gnulib's users have fetches gnulib, unless it is there.
fn makers(checkout: &Path) -> Vec<Vec<OsString>> {
    let has = |name: &str| checkout.join(name).is_file();
    let mut makers = Vec::new();
    if has("bootstrap") && has("gnulib/gnulib-tool") {
        makers.push(words(&["./bootstrap", "--no-git", "--skip-po", "--gnulib-srcdir=gnulib"]));
    }
    makers.push(words(&["autoreconf", "-fi"]));
    if has("autogen.sh") {
        makers.push(words(&["env", "NOCONFIGURE=1", "sh", "./autogen.sh"]));
    }
    makers
}

fn words(line: &[&str]) -> Vec<OsString> {
    line.iter().map(OsString::from).collect()
}
