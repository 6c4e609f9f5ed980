//! `hydrogen graph V…`.

mod calls;

use super::Outcome;
use crate::cli::GraphFormat;
use crate::context::Context;
use crate::{graphs, output};
use anyhow::{Context as _, Result, bail};
use hydrogen_graph::{ChainId, DotOptions, Graph, JsonOptions, VersionSet};
use hydrogen_report::histories as report;
use std::path::PathBuf;
use std::time::Instant;

pub struct Options {
    pub syntax: bool,
    pub function: Option<String>,
    pub subset: Vec<String>,
    pub pointers: bool,
    pub check: bool,
    pub base: Option<PathBuf>,
    pub calls: bool,
    pub reaching: Option<String>,
    pub format: GraphFormat,
}

pub fn run(context: &Context, names: &[String], options: Options) -> Result<Outcome> {
    let start = Instant::now();
    let base = options.base.map(|path| graphs::load(context, &path)).transpose()?;
    let how = hydrogen_series::Options {
        syntax: options.syntax,
        pointers: options.pointers,
        check: options.check,
        base,
        ..hydrogen_series::Options::default()
    };
    let graph = graphs::build(context, names, how)?;
    let graph =
        if options.subset.is_empty() { graph } else { graph.project(&subset(&graph, &options.subset)?) };
    let chains = chosen(&graph, options.function.as_deref())?;
    if options.calls || options.reaching.is_some() {
        context.output(&match (&options.reaching, options.format) {
            (Some(name), GraphFormat::Text) => report::reaching_text(name, &calls::reaching(&graph, name)?),
            (Some(name), GraphFormat::Json) => report::reaching_json(name, &calls::reaching(&graph, name)?),
            (None, GraphFormat::Text) => report::calls_text(&calls::callers(&graph)),
            (None, GraphFormat::Json) => report::calls_json(&calls::callers(&graph)),
            (None, GraphFormat::Dot) => graph.call_graph_dot(),
            (Some(_), _) => bail!("the calls that lead to a function are shown as text or json"),
            (None, _) => bail!("calls alone are shown as text, json or dot"),
        })?;
        return Ok(Outcome::Done);
    }
    if options.check && !context.is_quiet() {
        let count = graph.versions().len();
        eprintln!(
            "checked: each of {count} versions was taken out of the graph again and is as it was put in"
        );
    }
    let mut stats = serde_json::Map::new();
    stats.insert("seconds".into(), start.elapsed().as_secs_f64().into());
    stats.insert("peak_bytes".into(), output::peak_bytes().into());
    let json =
        |compact| graph.to_json(&JsonOptions { compact, chains: chains.clone(), stats: stats.clone() });
    match options.format {
        GraphFormat::Text => context.output(&match &chains {
            None => graph.to_text(),
            Some(chains) => chains.iter().map(|chain| graph.chain_text(*chain)).collect(),
        })?,
        GraphFormat::Dot => context.output(&graph.to_dot(&DotOptions { chains, compare: None }))?,
        GraphFormat::Json => context.output(&output::headed("graph/1", &json(false)))?,
        GraphFormat::Html => {
            let value = serde_json::from_str(&json(true)).context("our own JSON")?;
            context.output(&hydrogen_report::html(&value, &title(&graph)))?;
        }
        GraphFormat::Hyg => context.output_bytes(&graph.save())?,
    }
    Ok(Outcome::Done)
}

fn title(graph: &Graph) -> String {
    let name =
        |info: Option<&hydrogen_graph::VersionInfo>| info.map_or("", |info| info.name.as_str()).to_owned();
    format!("{} … {}", name(graph.versions().first()), name(graph.versions().last()))
}

fn subset(graph: &Graph, names: &[String]) -> Result<VersionSet> {
    let mut set = VersionSet::empty();
    for name in names {
        let version = graph.version(name).with_context(|| format!("`{name}` is none of the versions"))?;
        set = set.union(&VersionSet::one(version));
    }
    Ok(set)
}

fn chosen(graph: &Graph, function: Option<&str>) -> Result<Option<Vec<ChainId>>> {
    let Some(name) = function else { return Ok(None) };
    let chains: Vec<ChainId> = graph.chains_named(name).into_iter().collect();
    if chains.is_empty() {
        bail!("no version defines a function `{name}`");
    }
    Ok(Some(chains))
}
