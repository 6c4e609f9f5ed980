//! Who calls whom over the versions (F27), and which calls lead to a function (F37).

use anyhow::{Result, bail};
use hydrogen_graph::{CallLink, Graph, Target, VersionId};
use std::collections::BTreeMap;

/// Every function with its versions, and whom it calls in which.
pub fn text(graph: &Graph) -> String {
    let mut out = String::new();
    let mut links: BTreeMap<_, Vec<CallLink>> = BTreeMap::new();
    for link in graph.call_graph() {
        links.entry(link.caller).or_default().push(link);
    }
    for chain in graph.chains() {
        let versions = graph.chain_versions(chain);
        let Some(last) = versions.last() else { continue };
        let (file, line) = graph.location(chain, last);
        out.push_str(&format!("{file}:{line} {} [{}]\n", graph.name(chain, last), graph.show(&versions)));
        for link in links.get(&chain).into_iter().flatten() {
            let callee = match &link.target {
                Target::Chain(callee) => graph.newest_name(*callee).to_owned(),
                Target::Unread(callee) => format!("{} (not read)", graph.newest_name(*callee)),
                Target::External(name) => format!("{name} (elsewhere)"),
                Target::Unknown(text) => format!("whatever `{text}` points to"),
            };
            // What a function calls as long as it exists needs no versions.
            let since = match link.versions == versions {
                true => String::new(),
                false => format!(" [{}]", graph.show(&link.versions)),
            };
            out.push_str(&format!("  -> {callee}{since}\n"));
        }
    }
    out
}

/// For each version, the calls through which a function can be reached.
pub fn reaching(graph: &Graph, name: &str) -> Result<String> {
    let chains = graph.chains_named(name);
    if chains.is_empty() {
        bail!("no version defines a function `{name}`");
    }
    let mut out = String::new();
    for (at, info) in graph.versions().iter().enumerate() {
        let version = VersionId::at(at);
        let here: Vec<_> = chains
            .iter()
            .copied()
            .filter(|&chain| graph.chain_in(chain, version) && graph.name(chain, version) == name)
            .collect();
        if here.is_empty() {
            out.push_str(&format!("{}: no function `{name}`\n", info.name));
        }
        for chain in here {
            let calls = graph.calls_reaching(chain, version);
            let (file, line) = graph.location(chain, version);
            out.push_str(&format!("{}: {} calls can reach {name} ({file}:{line})\n", info.name, calls.len()));
            for node in calls {
                let caller = graph.chain(node);
                let (file, head) = graph.location(caller, version);
                let line = graph.line(node, version).unwrap_or(head);
                let (caller, text) = (graph.name(caller, version), graph.label(node));
                out.push_str(&format!("  {file}:{line} {caller}: {text}\n"));
            }
        }
    }
    Ok(out)
}
