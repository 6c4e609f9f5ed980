//! Who calls whom over the versions (F27), and which calls lead to a function (F37).

use anyhow::{Result, bail};
use hydrogen_evidence::calls::{Callee, Caller, LeadingCall, Reached, Reaching};
use hydrogen_graph::{CallLink, Graph, Target, VersionId};
use std::collections::BTreeMap;

/// Every function with its versions, and whom it calls in which.
pub fn callers(graph: &Graph) -> Vec<Caller> {
    let mut links: BTreeMap<_, Vec<CallLink>> = BTreeMap::new();
    for link in graph.call_graph() {
        links.entry(link.caller).or_default().push(link);
    }
    let caller = |chain| {
        let versions = graph.chain_versions(chain);
        let last = versions.last()?;
        let (file, line) = graph.location(chain, last);
        let calls = links.get(&chain).into_iter().flatten().map(|link| Callee {
            callee: match &link.target {
                Target::Chain(callee) => graph.newest_name(*callee).to_owned(),
                Target::Unread(callee) => format!("{} (not read)", graph.newest_name(*callee)),
                Target::External(name) => format!("{name} (elsewhere)"),
                Target::Unknown(text) => format!("whatever `{text}` points to"),
            },
            versions: (link.versions != versions).then(|| graph.show(&link.versions)),
        });
        Some(Caller {
            file: file.to_string(),
            line,
            name: graph.name(chain, last).to_owned(),
            versions: graph.show(&versions),
            calls: calls.collect(),
        })
    };
    graph.chains().filter_map(caller).collect()
}

/// For each version, the calls through which a function can be reached.
pub fn reaching(graph: &Graph, name: &str) -> Result<Vec<Reaching>> {
    let chains = graph.chains_named(name);
    if chains.is_empty() {
        bail!("no version defines a function `{name}`");
    }
    let in_version = |(at, info): (usize, &hydrogen_graph::VersionInfo)| {
        let version = VersionId::at(at);
        let here = chains.iter().copied();
        let here = here.filter(|&chain| graph.chain_in(chain, version) && graph.name(chain, version) == name);
        let reached = here.map(|chain| {
            let (file, line) = graph.location(chain, version);
            let calls = graph.calls_reaching(chain, version).into_iter().map(|node| {
                let caller = graph.chain(node);
                let (file, head) = graph.location(caller, version);
                LeadingCall {
                    file: file.to_string(),
                    line: graph.line(node, version).unwrap_or(head),
                    caller: graph.name(caller, version).to_owned(),
                    text: graph.label(node).to_string(),
                }
            });
            Reached { file: file.to_string(), line, calls: calls.collect() }
        });
        Reaching { version: info.name.clone(), functions: reached.collect() }
    };
    Ok(graph.versions().iter().enumerate().map(in_version).collect())
}
