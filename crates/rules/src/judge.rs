//! Verdicts about rules.

use super::effect::Effects;
use super::program::Program;
use super::rule::{Order, Rule};
use super::story::{Places, story};
use super::summary::Summaries;
use super::walk::{Walk, walk};
use super::witness::{Found, witness};
use hydrogen_evidence::{Basis, Class, Counters, Entry, Evidence, Finding, Ruling, Verdict, mark_fixed};
use hydrogen_graph::{ChainId, Graph, NodeId, VersionId, VersionSet};
use std::collections::BTreeSet;

/// What judging a rule gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ruled {
    /// One per statement that calls the rule's first function in some version asked about.
    pub findings: Vec<Finding>,
    /// The work it took; the time is the caller's to measure.
    pub counters: Counters,
    /// What else the reader should know.
    pub notes: Vec<String>,
}

/// Judges a rule in the versions asked about, in their order.
pub fn judge(graph: &Graph, rule: &Rule, asked: &[VersionId]) -> Ruled {
    let program = Program::new(graph, rule);
    let summaries = Summaries::of(&program);
    let effects = Effects { program: &program, summaries: &summaries };
    let versions: VersionSet = asked.iter().copied().collect();
    let mut ruled = Ruled::default();
    let mut functions: BTreeSet<ChainId> = BTreeSet::new();
    for site in program.sites() {
        let walk = walk(effects, site, &versions);
        let Some(newest) = walk.raised.last() else { continue };
        ruled.counters.raised += 1;
        ruled.counters.nodes += walk.nodes;
        functions.extend(&walk.functions);
        let mut verdicts: Vec<Ruling> =
            asked.iter().map(|&version| ruling(effects, &walk, site, version)).collect();
        mark_fixed(&mut verdicts);
        ruled.counters.findings += verdicts.iter().filter(|one| one.verdict == Verdict::Present).count();
        ruled.findings.push(Finding {
            kind: Class::Rule,
            message: rule.sentence(),
            location: Places::new(&program, newest).spot(site, Vec::new()),
            at_version: graph.versions()[newest.index()].name.clone(),
            node: site.0,
            status: None,
            verdicts,
        });
    }
    let place = |finding: &Finding| (finding.location.file.clone(), finding.location.line, finding.node);
    ruled.findings.sort_by_key(place);
    ruled.counters.functions = functions.len();
    ruled.notes = notes(&program, &ruled.findings, &versions);
    ruled
}

fn ruling(effects: Effects<'_>, walk: &Walk, site: NodeId, version: VersionId) -> Ruling {
    let Effects { program, .. } = effects;
    let graph = program.graph;
    let rule = program.rule;
    let chain = graph.chain(site);
    let ruling = |verdict, evidence, ledger: Vec<Entry>| Ruling {
        id: version.0,
        version: graph.versions()[version.index()].name.clone(),
        verdict,
        basis: Basis::Fault,
        evidence,
        ledger,
    };
    let says = |constraint: String| Evidence { constraint, ..Evidence::default() };
    if !walk.raised.contains(version) {
        if graph.is_unread(chain, version) {
            let file = graph.location(chain, version).0.to_owned();
            return ruling(Verdict::Unknown, Evidence::default(), vec![Entry::FileUnread { file }]);
        }
        return ruling(Verdict::NotApplicable, says(format!("{}() is not called here", rule.first)), vec![]);
    }
    if walk.broken.sure.contains(version) {
        return match witness(effects, site, version) {
            Found::Path(steps) => {
                let (evidence, ledger) = story(program, site, version, &steps);
                ruling(Verdict::Present, evidence, ledger)
            }
            Found::Contradictory => {
                ruling(Verdict::Unknown, Evidence::default(), vec![Entry::BranchesContradict])
            }
            Found::TooMany => ruling(Verdict::Unknown, Evidence::default(), vec![Entry::SearchGivenUp]),
        };
    }
    if walk.broken.may.contains(version) {
        return ruling(Verdict::Unknown, Evidence::default(), walk.reasons.of(version).collect());
    }
    let kept = match rule.order {
        Order::Follows => format!("every path from {}() calls {}()", rule.first, rule.second),
        Order::Never => format!("no path from {}() calls {}()", rule.first, rule.second),
    };
    ruling(Verdict::Absent, says(kept), walk.assumed.of(version).collect())
}

/// What no finding can say: calls that were not seen.
fn notes(program: &Program<'_>, findings: &[Finding], versions: &VersionSet) -> Vec<String> {
    let mut notes = Vec::new();
    if findings.is_empty() {
        notes.push(format!("rule `{}`: no version asked about calls {}()", program.rule, program.rule.first));
    }
    let hidden = program.unknown_calls.intersection(versions);
    if !hidden.is_empty() {
        let first = &program.rule.first;
        notes.push(format!(
            "rule `{}`: calls whose target is not known are taken not to be calls of {first}()",
            program.rule
        ));
    }
    notes
}
