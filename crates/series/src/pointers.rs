//! Whom calls through pointers may reach, by points-to analysis of a version's whole program.

use crate::Error;
use hydrogen_flow::{Options, PointsTo};
use hydrogen_graph::{ChainId, Graph, NodeId, PointerCall, VersionId};
use hydrogen_ir::{Callee, Function, FunctionId, Module};
use hydrogen_model::{Modeller, VersionModel};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Analyses a version that is in the graph.
pub fn resolve(
    modeller: &Modeller,
    model: &VersionModel,
    graph: &Graph,
    version: VersionId,
) -> Result<Vec<(NodeId, Vec<PointerCall>)>, Error> {
    let mut modules = Vec::new();
    for unit in &model.units {
        modules.push(Arc::unwrap_or_clone(modeller.module(unit)?));
    }
    let module = hydrogen_ir::link(modules).module;
    let calls_pointers =
        |function: &Function| function.calls.iter().any(|call| matches!(call.callee, Callee::Indirect(_)));
    if !module.functions.iter().any(calls_pointers) {
        return Ok(Vec::new());
    }
    // A unit that is missing may do anything with what it sees, and so may whoever calls a library: the program is open.
    let points_to = PointsTo::new(&module, &Options::default());
    let chains = chains(graph, version);
    let chain_of = |function: &Function| chains.get(&place(&module, function)).copied();
    let mut found = Vec::new();
    for (id, function) in module.definitions().filter(|(_, function)| calls_pointers(function)) {
        let Some(chain) = chain_of(function) else { continue };
        let nodes = graph.pieces(chain, version);
        let mut by_node: BTreeMap<NodeId, Vec<PointerCall>> = BTreeMap::new();
        for call in function.calls.iter().filter(|call| matches!(call.callee, Callee::Indirect(_))) {
            let Some(&node) = nodes.get(call.piece.index()) else { continue };
            let reached = match call.instruction {
                Some(instruction) => pointer_call(&module, &points_to, (id, instruction), &chain_of),
                None => PointerCall { unknown: true, ..PointerCall::default() },
            };
            by_node.entry(node).or_default().push(reached);
        }
        found.extend(by_node);
    }
    Ok(found)
}

fn pointer_call(
    module: &Module,
    points_to: &PointsTo,
    (function, instruction): (FunctionId, hydrogen_ir::InstructionId),
    chain_of: &impl Fn(&Function) -> Option<ChainId>,
) -> PointerCall {
    let callees = points_to.callees(function, instruction);
    let mut call = PointerCall { unknown: callees.unknown, ..PointerCall::default() };
    for callee in callees.functions.into_iter().map(|id| module.function(id)) {
        match chain_of(callee) {
            Some(chain) => call.functions.push(chain),
            None => call.externals.push(callee.name.clone()),
        }
    }
    call.functions.sort_unstable();
    call.functions.dedup();
    call.externals.sort_unstable();
    call.externals.dedup();
    call
}

/// Linking may give a `static` function another name, but not another place.
type Place = (String, u32);

fn place(module: &Module, function: &Function) -> Place {
    let file = function.file().map_or(module.name.as_str(), |file| module.file(file));
    (file.to_owned(), function.line().unwrap_or(0))
}

fn chains(graph: &Graph, version: VersionId) -> HashMap<Place, ChainId> {
    let here = graph.chains().filter(|&chain| graph.chain_in(chain, version));
    here.map(|chain| {
        let (file, line) = graph.location(chain, version);
        ((file.to_owned(), line), chain)
    })
    .collect()
}
