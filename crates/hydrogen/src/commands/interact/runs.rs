//! `hydrogen interact A..B --run -- ARGS`: what each part of a change does in one run, and which parts interact there (B8, B9).

use crate::cli::{GranularityName, InteractFormat, ProgramOptions};
use crate::commands::mine::parts::Parts;
use crate::commands::{Outcome, program, step};
use crate::context::Context;
use crate::output;
use crate::scratch::Scratch;
use anyhow::{Result, bail};
use hydrogen_expose::{Differing, OutputEffect, PartEffect};
use hydrogen_history::checkout::Checkouts;
use hydrogen_history::version::{Source, Version};
use hydrogen_machine::World;
use hydrogen_pair::{Pair, Setting};
use serde_json::{Value, json};
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
    let told = Told { parts: &parts, effects, pairs, untried };
    context.output(&match options.format {
        InteractFormat::Json => output::json("interact-runs/1", &told.json()),
        _ => told.text(),
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
    let interrupt = context.cancel_flag()?;
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

/// What two parts do to each other: the effect of one, without the other one, is first another at this statement or output.
enum Interaction {
    None,
    At { part: usize, without: usize, place: Option<Differing>, output: Option<OutputEffect> },
    Unknown(String),
}

struct Effect {
    first: Option<Differing>,
    statements: usize,
    output: Vec<OutputEffect>,
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
        let limits = program::limits(self.asked, self.context.cancel_flag()?);
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

struct Told<'a> {
    parts: &'a Parts,
    effects: Vec<Result<Effect, String>>,
    pairs: Vec<([usize; 2], Interaction)>,
    untried: usize,
}

impl Told<'_> {
    fn interacting(&self) -> usize {
        self.pairs.iter().filter(|(_, it)| matches!(it, Interaction::At { .. })).count()
    }

    fn open(&self) -> usize {
        self.pairs.iter().filter(|(_, it)| matches!(it, Interaction::Unknown(_))).count()
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for (number, (part, effect)) in self.parts.all.iter().zip(&self.effects).enumerate() {
            let place = format!("{}:{}", part.path, part.line);
            out.push_str(&format!("change {}  {place}  {} {}\n", number + 1, part.kind, part.text));
            let said = match effect {
                Err(why) => format!("unknown: {why}"),
                Ok(effect) if effect.statements == 0 && effect.output.is_empty() => {
                    "no effect in this run".into()
                }
                Ok(effect) => {
                    let mut said: Vec<String> = effect.first.iter().map(differing).collect();
                    if effect.statements > 1 {
                        said.push(format!("{} statements differ", effect.statements));
                    }
                    said.extend(effect.output.iter().take(SHOWN).map(came_out));
                    said.join("; ")
                }
            };
            out.push_str(&format!("    {said}\n"));
        }
        for ([one, two], interaction) in &self.pairs {
            let names = format!("changes {} and {}", one + 1, two + 1);
            match interaction {
                Interaction::None => {}
                Interaction::Unknown(why) => out.push_str(&format!("{names}: unknown: {why}\n")),
                Interaction::At { part, without, place, output } => {
                    let mut said: Vec<String> = place.iter().map(differing).collect();
                    said.extend(output.iter().map(came_out));
                    out.push_str(&format!(
                        "{names} interact: what change {} does is another without change {}: {}\n",
                        part + 1,
                        without + 1,
                        said.join("; ")
                    ));
                }
            }
        }
        if self.untried > 0 {
            out.push_str(&format!("{} configurations were not built (--configurations)\n", self.untried));
        }
        out + &format!(
            "{} of {} pairs of changes interact in this run\n",
            self.interacting(),
            self.pairs.len()
        )
    }

    fn json(&self) -> Value {
        let place = |it: &Differing| json!({ "file": it.place.0, "line": it.place.1, "text": it.text, "turned": it.turned });
        let outputs = |all: &[OutputEffect]| -> Vec<Value> {
            all.iter().map(|it| json!({ "of": it.of, "with": it.with, "without": it.without })).collect()
        };
        let changes = self.parts.all.iter().zip(&self.effects).map(|(part, effect)| {
            let effect = match effect {
                Err(why) => json!({ "unknown": why }),
                Ok(it) => json!({
                    "first": it.first.as_ref().map(place), "statements": it.statements, "output": outputs(&it.output),
                }),
            };
            json!({ "kind": part.kind, "file": part.path, "line": part.line, "text": part.text, "effect": effect })
        });
        let pairs = self.pairs.iter().map(|(pair, interaction)| match interaction {
            Interaction::None => json!({ "changes": pair, "interact": false }),
            Interaction::Unknown(why) => json!({ "changes": pair, "interact": null, "unknown": why }),
            Interaction::At { part, without, place: at, output } => json!({
                "changes": pair, "interact": true, "effect_of": part, "without": without,
                "first": at.as_ref().map(place), "output": outputs(output.as_slice()),
            }),
        });
        json!({
            "changes": changes.collect::<Vec<_>>(), "pairs": pairs.collect::<Vec<_>>(),
            "other_files": self.parts.other_files, "not_built": self.untried,
        })
    }
}

/// So many outputs of an effect are shown.
const SHOWN: usize = 3;

fn differing(it: &Differing) -> String {
    let how = if it.turned { "goes the other way" } else { "differs" };
    format!("{}:{} `{}` {how}", it.place.0, it.place.1, it.text)
}

fn came_out(it: &OutputEffect) -> String {
    let short = |text: &str| format!("{:?}", text.chars().take(40).collect::<String>());
    format!("{}: {} instead of {}", it.of, short(&it.with), short(&it.without))
}
