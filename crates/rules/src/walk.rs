//! From a call of the rule's first function to where the rule is broken.

use super::effect::{Effects, Way};
use super::flow::Spread;
use super::open::{Open, Reasons};
use super::program::{Is, Program};
use super::rule::Order;
use hydrogen_evidence::Entry;
use hydrogen_graph::{ChainId, NodeId, VersionSet};
use std::collections::BTreeSet;

/// What became of the obligation that a node raises.
pub(super) struct Walk {
    /// The versions in which the node raises one.
    pub raised: VersionSet,
    /// Where the rule is broken.
    pub broken: Open,
    /// Why it may be broken and is not surely so.
    pub reasons: Reasons,
    /// What is taken for granted where the rule is kept.
    pub assumed: Reasons,
    /// How many nodes it went through.
    pub nodes: usize,
    /// Through which functions.
    pub functions: BTreeSet<ChainId>,
}

/// Follows the obligation of a node in the versions asked about.
pub(super) fn walk(effects: Effects<'_>, site: NodeId, asked: &VersionSet) -> Walk {
    let Effects { program, summaries } = effects;
    let graph = program.graph;
    let reached = Spread::from_entry(program, summaries, Way::Returns, graph.chain(site)).at(site);
    let mut spread = Spread::new(program, summaries, Way::Rule);
    let mut broken = Open::default();
    let mut assumed = Reasons::default();
    let mut raised = VersionSet::empty();
    for run in program.runs(site) {
        for (at, act) in run.acts.iter().enumerate() {
            let open = reached.within(&run.versions).within(asked);
            match act.first {
                Is::No => continue,
                Is::Sure => spread.act(site, run, at + 1, open),
                Is::Perhaps => {
                    spread.reasons.add(Entry::RuleCallUnsure, &open.may);
                    spread.act(site, run, at + 1, open.weakened());
                }
            }
            raised = raised.union(&run.versions.intersection(asked));
        }
    }
    let mut functions = BTreeSet::from([graph.chain(site)]);
    while let Some(node) = spread.step() {
        let chain = graph.chain(node);
        functions.insert(chain);
        if program.exit(chain) == Some(node) {
            let open = spread.at(node);
            let uncalled = return_to_callers(program, &mut spread, chain, &open, &mut assumed);
            if program.rule.order == Order::Follows {
                broken.add(&at_the_top(program, &mut spread.reasons, chain, &uncalled));
            }
        }
    }
    if program.rule.order == Order::Never {
        broken = spread.hit.clone();
    }
    let nodes = spread.before.len() + 1;
    Walk { raised, broken, reasons: spread.reasons, assumed, nodes, functions }
}

/// Goes on behind the calls of a function; gives what is left in versions without such calls.
fn return_to_callers(
    program: &Program<'_>,
    spread: &mut Spread<'_>,
    chain: ChainId,
    open: &Open,
    assumed: &mut Reasons,
) -> Open {
    let graph = program.graph;
    let mut called = VersionSet::empty();
    for &(place, sure) in program.callers(chain) {
        let run = program.run_at(place);
        called = called.union(&run.versions);
        let here = open.within(&run.versions);
        let here = if sure { here } else { here.weakened() };
        spread.act(place.node, run, place.at + 1, here);
    }
    for version in open.may.intersection(&called).iter() {
        let name = graph.name(chain, version);
        let function = || name.to_owned();
        let one = VersionSet::one(version);
        if !graph.is_internal(chain, version) && name != "main" {
            assumed.add(Entry::CallersOutside { function: function() }, &one);
        }
        if program.unknown_calls.contains(version) {
            assumed.add(Entry::PointersDoNotEnter { function: function() }, &one);
        }
        if !graph.versions()[version.index()].missing.is_empty() {
            assumed.add(Entry::UnreadDoNotCall { function: function() }, &one);
        }
    }
    let all = VersionSet::all(graph.versions().len());
    open.within(&all.difference(&called))
}

/// The end of a function that nobody is seen to call: the rule is broken there, unless callers may be hidden.
fn at_the_top(program: &Program<'_>, reasons: &mut Reasons, chain: ChainId, open: &Open) -> Open {
    let graph = program.graph;
    let mut hidden = VersionSet::empty();
    for version in open.may.iter() {
        let function = graph.name(chain, version).to_owned();
        let one = VersionSet::one(version);
        if graph.is_internal(chain, version) {
            reasons.add(Entry::CallersHidden { function }, &one);
        } else if !graph.versions()[version.index()].missing.is_empty() {
            reasons.add(Entry::UnreadMayCall { function }, &one);
        } else {
            continue;
        }
        hidden = hidden.union(&one);
    }
    Open { sure: open.sure.difference(&hidden), may: open.may.clone() }
}
