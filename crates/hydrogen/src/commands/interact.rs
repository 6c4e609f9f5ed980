//! `hydrogen interact A..B`.

pub mod runs;

use super::{Outcome, step};
use crate::cli::InteractFormat;
use crate::context::Context;
use anyhow::{Context as _, Result};
use hydrogen_history::version::{Source, Version};
use hydrogen_interact::{Changes, Index, InteractionGraph, Touched, Verdict, export, interactions};
use hydrogen_report::interaction as report;
use std::path::Path;

pub struct Options {
    /// Whether locations are kept that merely depend on another one.
    pub all: bool,
    /// Whether both versions are built, to tell memory apart.
    pub compiled: bool,
    pub format: InteractFormat,
}

pub fn run(context: &Context, what: &str, options: &Options) -> Result<Outcome> {
    let &Options { all, compiled, format } = options;
    let (old, new) = step::ends(context, what)?;
    let repository = context.trees.repository(&new.repository)?;
    let before = old.as_ref().map(|old| old.tree.as_str());
    if matches!(format, InteractFormat::Text) && !all {
        let (index, touched) = step::touched(&repository, before, &new.tree)?;
        if let Some((file, line, function)) = only_change(&index, &touched) {
            let version = Version { name: new.commit.clone(), source: Source::Commit(new) };
            let source = context.trees.read_path(&version, file.as_str().into())?.unwrap_or_default();
            let source = source.split(|&byte| byte == b'\n').nth(line as usize - 1).unwrap_or_default();
            let source = String::from_utf8_lossy(source);
            context.output(&report::alone(&file, line, &function, source.trim()))?;
            return Ok(Outcome::Done);
        }
    }
    let step = match compiled {
        true => step::compiled(context, &repository, old.as_ref(), &new)?,
        false => step::read(&repository, before, &new.tree)?,
    };
    show(context, &interactions(&step, all)?, format)
}

/// Shows a graph that was written as a file.
pub fn import(context: &Context, file: &Path, format: InteractFormat) -> Result<Outcome> {
    let path = context.path(file);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let graph = hydrogen_interact::import(&text).with_context(|| path.display().to_string())?;
    show(context, &graph, format)
}

fn show(context: &Context, graph: &InteractionGraph, format: InteractFormat) -> Result<Outcome> {
    context.output(&match format {
        InteractFormat::Text => report::text(graph),
        InteractFormat::Dot => report::dot(graph),
        InteractFormat::Json => report::json(graph),
        InteractFormat::Html => report::html(graph),
        InteractFormat::Csg => export(graph),
    })?;
    Ok(if matches!(graph.verdict, Verdict::Unknown(_)) { Outcome::Undecided } else { Outcome::Done })
}

/// The file, line and function of the change of a step with a single one, for which no dependence needs to be known.
fn only_change(index: &Index, touched: &[Touched]) -> Option<(String, u32, String)> {
    let mut sides = touched.iter().flat_map(|file| [&file.old, &file.new]).flatten();
    // What could not be read may hide another change.
    let read = sides.all(|file| file.failed.is_none() && file.functions.iter().all(|it| it.problems == 0));
    let changes = Changes::of(index, touched);
    let mut functions = changes.functions.iter();
    let (Some((&key, change)), None) = (functions.next(), functions.next()) else { return None };
    let facts = index.function(key);
    let line = match (change.pieces.len(), change.deletions.len(), change.head) {
        (1, 0, false) => facts.line_of(*change.pieces.keys().next()? as usize),
        (0, 1, false) => change.deletions[0].line,
        (0, 0, true) => facts.line,
        _ => return None,
    };
    let file = index.file(key.file)?.path.to_string();
    (read && changes.gone.is_empty() && line > 0).then(|| (file, line, facts.name.to_string()))
}
