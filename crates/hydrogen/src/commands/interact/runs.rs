//! `hydrogen interact A..B --run -- ARGS`: what each part of a change does in one run, and which parts interact there (B8, B9).

use crate::cli::{GranularityName, InteractFormat, ProgramOptions};
use crate::commands::mine::parts::Parts;
use crate::commands::{Outcome, program, step};
use crate::context::Context;
use crate::scratch::Scratch;
use anyhow::{Result, bail};
use hydrogen_evidence::interplay::{Effect, InRun, Interaction, OutputEffect};
use hydrogen_expose::PartEffect;
use hydrogen_history::checkout::Checkouts;
use hydrogen_history::version::{Source, Version};
use hydrogen_machine::World;
use hydrogen_pair::{Pair, Setting};
use hydrogen_report::interaction as report;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// What is run, and how much of it.
pub struct Options {
    pub stdin: Option<PathBuf>,
    pub args: Vec<std::ffi::OsString>,
    pub granularity: GranularityName,
    /// How many configurations may be built.
    pub configurations: usize,
    pub format: InteractFormat,
}

/// A configuration by the parts that are left out: its program, or why there is none.
type Configurations = BTreeMap<Vec<usize>, Result<program::Loaded, String>>;

pub fn run(context: &Context, what: &str, options: &Options) -> Result<Outcome> {
    if !matches!(options.format, InteractFormat::Text | InteractFormat::Json) {
        bail!("what parts do in a run is shown as text or json");
    }
    let (old, new) = step::ends(context, what)?;
    let Some(old) = old else { bail!("{what} has no parent to compare with; give OLD..NEW") };
    let parts = Parts::of(context, Some(&old), &new, options.granularity.into())?;
    let asked = ProgramOptions {
        stdin: options.stdin.clone(),
        args: options.args.clone(),
        ..ProgramOptions::plain(vec!["program".into()])
    };
    let world = program::world(context, &asked)?;
    let version = Version { name: new.commit.chars().take(10).collect(), source: Source::Commit(new) };
    let (known, untried) = build(context, &version, &parts, &asked, options.configurations)?;
    let run = Runs { context, asked: &asked, world: &world, known: &known };
    let mut effects = Vec::new();
    for part in 0..parts.all.len() {
        effects.push(run.effect(part)?);
    }
    let mut pairs = Vec::new();
    for one in 0..parts.all.len() {
        for two in one + 1..parts.all.len() {
            pairs.push(([one, two], run.interaction([one, two])?));
        }
    }
    let told = InRun { other_files: parts.other_files, parts: parts.told(), effects, pairs, untried };
    context.output(&match options.format {
        InteractFormat::Json => report::in_run_json(&told),
        _ => report::in_run(&told),
    })?;
    Ok(match (told.interacting(), told.open()) {
        (1.., _) => Outcome::Findings,
        (0, 0) => Outcome::Done,
        (0, _) => Outcome::Undecided,
    })
}

/// Builds the new version, without each part, and without each two of them; those that fit into the number first. How many are left over.
fn build(
    context: &Context,
    version: &Version,
    parts: &Parts,
    asked: &ProgramOptions,
    most: usize,
) -> Result<(Configurations, usize)> {
    let count = parts.all.len();
    let singles = (0..count).map(|one| vec![one]);
    let twos = (0..count).flat_map(|one| (one + 1..count).map(move |two| vec![one, two]));
    let wanted: Vec<Vec<usize>> = [vec![]].into_iter().chain(singles).chain(twos).collect();
    let untried = wanted.len().saturating_sub(most);
    let interrupt = context.cancel_flag();
    let scratch = Scratch::new("interact")?;
    let checkouts = Checkouts::with_trees(&scratch.path().join("checkouts"), Arc::clone(&context.trees))?;
    let mut known = Configurations::new();
    for without in wanted.into_iter().take(most) {
        let chosen: Vec<usize> = (0..count).filter(|part| !without.contains(part)).collect();
        let one = if parts.misfit(&chosen) {
            Err("does not fit together".to_owned())
        } else {
            let checkout = checkouts.lease(version)?;
            parts.write(checkout.path(), &chosen)?;
            let folder = checkout.path().to_string_lossy().into_owned();
            let options = ProgramOptions { programs: vec![folder], ..asked.clone() };
            program::load(context, &options, &interrupt).map_err(|error| format!("does not build: {error:#}"))
        };
        if let (Err(why), true) = (&one, without.is_empty()) {
            bail!("the new version {why}");
        }
        known.insert(without, one);
    }
    Ok((known, untried))
}

struct Runs<'a> {
    context: &'a Context,
    asked: &'a ProgramOptions,
    world: &'a World,
    known: &'a Configurations,
}

impl Runs<'_> {
    /// Runs the input in configurations, and hands over the programs side by side.
    fn side_by_side<T>(
        &self,
        configurations: &[Vec<usize>],
        tell: impl FnOnce(&Pair<'_>, &[hydrogen_pair::Ran]) -> Result<T, String>,
    ) -> Result<Result<T, String>> {
        let mut programs = Vec::new();
        for without in configurations {
            match self.known.get(without) {
                Some(Ok(loaded)) => programs.push(&loaded.linked.program),
                Some(Err(why)) => return Ok(Err(format!("a configuration {why}"))),
                None => return Ok(Err("not built: --configurations says how many may be".into())),
            }
        }
        let mut pair = Pair::new(&programs);
        let symbolic = hydrogen_explore::Symbolic::default();
        let limits = program::limits(self.asked, self.context.cancel_flag());
        let setting = Setting { world: self.world, symbolic: &symbolic, limits: &limits };
        let input = symbolic.first(self.world);
        let ran = pair.run(setting, &input)?;
        Ok(tell(&pair, &ran))
    }

    /// What a part does.
    fn effect(&self, part: usize) -> Result<Result<Effect, String>> {
        self.side_by_side(&[vec![], vec![part]], |pair, ran| {
            let effect = PartEffect::of(&pair.nodes, &ran[0], &ran[1])?;
            let first = effect.first(&pair.nodes);
            Ok(Effect { first, statements: effect.statements(), output: effect.output })
        })
    }

    /// Whether two parts interact: the effect of each with the other one and without it.
    fn interaction(&self, [one, two]: [usize; 2]) -> Result<Interaction> {
        let four = [vec![], vec![one], vec![two], vec![one, two]];
        let found = self.side_by_side(&four, |pair, ran| {
            for (part, without, apart) in [(one, two, [(0, 1), (2, 3)]), (two, one, [(0, 2), (1, 3)])] {
                let [with, alone] = apart.map(|(a, b)| PartEffect::of(&pair.nodes, &ran[a], &ran[b]));
                let (with, alone) = (with?, alone?);
                if !with.same(&alone) {
                    let place = with.first_unlike(&alone, &pair.nodes);
                    let unlike = |it: &&OutputEffect| !alone.output.contains(it);
                    let output = with.output.iter().find(unlike).cloned();
                    return Ok(Interaction::At { part, without, place, output });
                }
            }
            Ok(Interaction::None)
        })?;
        Ok(found.unwrap_or_else(Interaction::Unknown))
    }
}
