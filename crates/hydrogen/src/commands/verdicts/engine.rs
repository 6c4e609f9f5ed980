//! The analysis of faults behind the commands.

use super::ask::Asked;
use super::question::Question;
use super::suppress::checked;
use crate::cli::FaultOptions;
use crate::context::Context;
use anyhow::{Context as _, Result};
use hydrogen_evidence::{Class, Finding, Verdict};
use hydrogen_frontend::Pool;
use hydrogen_graph::Fix;
use hydrogen_graph::VersionId;
use hydrogen_history::version::Version;
use hydrogen_ir::{FunctionId, Module};
use hydrogen_jail::inside;
use hydrogen_library::Library;
use hydrogen_machine::Archive;
use hydrogen_model::Modeller;
use hydrogen_program::Workshop;
use hydrogen_query::{Analyst, Budget, Code, ComesIn, Program, Shelf};
use hydrogen_witness::{Runner, Units};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Which part of a budget questions get at least, however long reading the versions took.
const LEAST_FOR_QUESTIONS: u32 = 10;

/// The code of a question's versions.
pub struct Functions<'a> {
    code: hydrogen_series::Code<'a>,
    modeller: &'a Modeller,
    /// Brings the C library that witnesses are run with, when the first one is run.
    workshop: OnceLock<Option<Workshop>>,
}

impl<'a> Functions<'a> {
    /// `versions` are all that the graph was built from.
    pub fn new(modeller: &'a Modeller, question: &Question, versions: &[Version]) -> Self {
        let code = hydrogen_series::Code::new(modeller, &question.graph, versions, false);
        Self { code, modeller, workshop: OnceLock::new() }
    }
}

impl Functions<'_> {
    /// The files that a version compiles, alone or as a part of others that include them; none where that is not known.
    pub fn unit_files(&self, version: VersionId) -> Option<BTreeSet<String>> {
        let model = self.code.model(version).ok()?;
        let included = model.units.iter().flat_map(|unit| &unit.summary.functions);
        let units = model.units.iter().map(|unit| unit.file.clone());
        Some(units.chain(included.map(|function| function.file.clone())).collect())
    }
}

impl Code for Functions<'_> {
    fn function(&self, version: VersionId, file: &str, name: &str) -> Option<(Arc<Module>, FunctionId)> {
        self.code.function(version, file, name).ok()
    }

    fn units(&self, version: VersionId) -> Vec<Arc<Module>> {
        self.code.units(version).unwrap_or_default()
    }
}

impl Units for Functions<'_> {
    fn units(&self, version: VersionId) -> Result<Vec<Module>, String> {
        let units = self.code.units(version).map_err(|error| error.to_string())?;
        Ok(units.iter().map(|unit| Module::clone(unit)).collect())
    }

    fn archive(&self) -> Option<&Archive> {
        let make = || match Workshop::new(Pool::default_program(), || false) {
            Ok(workshop) => Some(workshop),
            Err(error) => {
                tracing::warn!("witnesses cannot be run: {error}");
                None
            }
        };
        self.workshop.get_or_init(make).as_ref()?.archive()
    }
}

/// The cache of models is the shelf of rulings, too.
struct Rulings<'a>(&'a Modeller);

impl Shelf for Rulings<'_> {
    fn load(&self, key: &[u8; 32]) -> Option<Vec<u8>> {
        self.0.known_rulings(key)
    }

    fn store(&self, key: &[u8; 32], value: &[u8]) {
        self.0.keep_rulings(key, value);
    }
}

/// What analysts of a command have in common.
pub struct Setting<'a> {
    question: &'a Question,
    functions: &'a Functions<'a>,
    options: &'a FaultOptions,
    analysis: &'a hydrogen_history::config::Analysis,
    /// The contracts: the C library's and those of the files that hydrogen.toml names.
    library: Library,
    /// When all of them end.
    until: Instant,
    /// Where questions are written.
    dump: Option<PathBuf>,
    cancel: Arc<AtomicBool>,
}

impl<'a> Setting<'a> {
    /// As the options want it.
    pub fn new(
        context: &Context,
        question: &'a Question,
        functions: &'a Functions<'_>,
        options: &'a FaultOptions,
        analysis: &'a hydrogen_history::config::Analysis,
    ) -> Result<Self> {
        checked(&analysis.suppress)?;
        let graph = &question.graph;
        let known = |name: &&String| {
            graph.chains().any(|chain| {
                graph.chain_versions(chain).iter().any(|version| graph.name(chain, version) == name.as_str())
            })
        };
        for name in analysis.entry_points.iter().filter(|name| !known(name)) {
            tracing::warn!("hydrogen.toml, [analysis] entry_points: no version has a function `{name}`");
        }
        let mut library = Library::default();
        for path in &analysis.contracts {
            let text = inside::read_text(context.here(), path, inside::MOST_TEXT).with_context(|| {
                format!("hydrogen.toml, [analysis] contracts: cannot read {}", path.display())
            })?;
            library.extend(&text).with_context(|| path.display().to_string())?;
        }
        let mut time = Budget::default().time;
        if let Some(given) = options.budget {
            // What reading the versions took counts, what is done once on a machine does not; a little is left for questions in any case.
            let preparing = Instant::now();
            functions.archive();
            let counted = context.elapsed().saturating_sub(preparing.elapsed());
            time = given.saturating_sub(counted).max(given / LEAST_FOR_QUESTIONS);
        }
        Ok(Self {
            question,
            functions,
            options,
            analysis,
            library,
            until: Instant::now() + time,
            dump: options.dump_smt.as_ref().map(|folder| context.path(folder)),
            cancel: context.cancel_flag(),
        })
    }

    /// An analyst for one of so many equal shares of the time that is left.
    pub fn analyst(&self, shares: u32) -> Result<Analyst<'a>> {
        let solver = crate::solvers::named(self.options.solver.as_deref())?;
        let now = Instant::now();
        let time = self.until.saturating_duration_since(now) / shares;
        let budget = Budget { time, ..Budget::default() };
        let program = Program { graph: &self.question.graph, code: self.functions };
        let mut analyst = Analyst::new(program, solver, self.library.clone(), budget);
        analyst.confirm_with(Runner::new(self.functions, Some(Arc::clone(&self.cancel))).until(now + time));
        analyst.begin_at(self.analysis.entry_points.clone());
        let hydrogen_history::config::ComesIn { null, same, any } = self.analysis.comes_in.clone();
        analyst.may_come_in(ComesIn { null, same, any });
        analyst.stop_at(Arc::clone(&self.cancel));
        // Whoever wants to see the questions wants them asked.
        if !self.options.fresh && self.dump.is_none() {
            analyst.keep_on(Rulings(self.functions.modeller));
        }
        if let Some(folder) = &self.dump {
            analyst.dump_to(folder).with_context(|| format!("cannot write into {}", folder.display()))?;
        }
        Ok(analyst)
    }

    /// Whether several analysts may work side by side: what they ask is not written into one folder.
    pub fn is_divisible(&self) -> bool {
        self.dump.is_none()
    }
}

/// One analyst for all questions of a command.
pub fn analyst<'a>(
    context: &Context,
    question: &'a Question,
    functions: &'a Functions<'_>,
    options: &'a FaultOptions,
    analysis: &'a hydrogen_history::config::Analysis,
) -> Result<Analyst<'a>> {
    Setting::new(context, question, functions, options, analysis)?.analyst(1)
}

/// The findings about one statement: by its safety conditions, and by the fix where one is given.
pub fn judge(analyst: &mut Analyst<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    let question = hydrogen_query::Question {
        node: asked.node,
        at: asked.at,
        kind: asked.kind,
        versions: asked.versions,
        inside: true,
    };
    // The fix is compared first: it decides, and looks at much less.
    let by_fix =
        asked.fix.and_then(|(before, after)| analyst.judge_by_own_fix(&question, Fix { before, after }));
    let settled = by_fix.as_ref().is_some_and(|finding| {
        let decided = |ruling: &hydrogen_evidence::Ruling| ruling.verdict != Verdict::Unknown;
        finding.verdicts.iter().all(decided)
    });
    let mut found = Vec::new();
    for node in std::iter::once(asked.node).chain(analyst.parts(asked.node, asked.at)) {
        let question = hydrogen_query::Question { node, ..question };
        found.extend(match settled {
            true => analyst.judge_beside_fix(&question),
            false => analyst.judge(&question),
        });
    }
    // A kind that was asked for, and that no version can have there, is answered without a message.
    found.retain(|finding| !finding.message.is_empty());
    let by_fix = by_fix.or_else(|| by_code(analyst, &question, asked.fix?, &found));
    if let (Some(by_fix), Some((before, after))) = (by_fix, asked.fix) {
        hydrogen_evidence::join(&mut found, by_fix, asked.kind, before.0, after.0);
    }
    // Where one kind of fault is there, those that are not, or that someone outside must cause, are of no interest.
    let present = |finding: &Finding, sure: bool| {
        let counts = |ruling: &hydrogen_evidence::Ruling| {
            ruling.verdict == Verdict::Present && !(sure && ruling.rests_on_outside())
        };
        finding.kind == Class::Change || finding.verdicts.iter().any(counts)
    };
    for sure in [false, true] {
        if found.iter().any(|finding| present(finding, sure)) {
            found.retain(|finding| present(finding, sure));
        }
    }
    found
}

/// What the fix's code alone says of releases. It says nothing to whoever asks about the fix itself, nor where the version before it was
/// proved to be right, or where the fault was seen behind the fix as before it.
fn by_code(
    analyst: &mut Analyst<'_>,
    question: &hydrogen_query::Question<'_>,
    (before, after): (VersionId, VersionId),
    found: &[Finding],
) -> Option<Finding> {
    let is_right = |ruling: &hydrogen_evidence::Ruling| {
        ruling.id == before.0 && matches!(ruling.verdict, Verdict::Absent | Verdict::NotApplicable)
    };
    let others = question.versions.iter().any(|version| version != before && version != after);
    let refuted = !found.is_empty() && found.iter().all(|finding| finding.verdicts.iter().any(is_right));
    let has = |finding: &&Finding, version: VersionId| {
        finding.verdicts.iter().any(|ruling| ruling.id == version.0 && ruling.verdict == Verdict::Present)
    };
    let mut had = found.iter().filter(|finding| has(finding, before)).peekable();
    let remains = had.peek().is_some() && had.all(|finding| has(&finding, after));
    // A statement that cannot fail in the way that was asked about is not what the fix is about.
    let is_possible = question.kind.is_none() || !found.is_empty();
    match others && !refuted && !remains && is_possible {
        true => analyst.judge_by_code(question, Fix { before, after }),
        false => None,
    }
}
