//! IR-6 to IR-9 and IR-12: blocks, terminators, φ, parameters.

use super::dominance::Flow;
use super::{Report, Rule, dominance, operands};
use crate::{BlockId, Body, Function, Module, Op, Operand, Type};

pub(super) fn check(module: &Module, function: &Function, body: &Body, report: &mut Report) {
    let before = report.violations.len();
    head(module, function, report);
    partition(body, report);
    // Without whole blocks there is no control flow to speak of.
    if report.violations.len() != before {
        return;
    }
    terminators(body, report);
    if report.violations.len() != before {
        return;
    }
    let flow = Flow::new(body);
    if let Some(predecessor) = flow.predecessors[0].first() {
        let message = format!("b{} leads back to the entry", predecessor.0);
        report.add(Rule::BlocksPartition, "block b0", message);
    }
    phis(body, &flow, report);
    operands::check(module, function, body, report);
    dominance::check(body, &flow, report);
}

fn head(module: &Module, function: &Function, report: &mut Report) {
    let Some(ty) = function.ty else {
        return report.add(Rule::FunctionType, "head", "a function with a body has a type");
    };
    let Type::Function { parameters, .. } = module.types.get(ty) else {
        return report.add(Rule::FunctionType, "head", "its type is not a function's");
    };
    if parameters.len() != function.parameters.len() {
        let message = format!("{} parameters for {}", function.parameters.len(), parameters.len());
        return report.add(Rule::FunctionType, "head", message);
    }
    for (index, (parameter, expected)) in function.parameters.iter().zip(parameters).enumerate() {
        if parameter.ty != Some(*expected) {
            let place = format_args!("parameter a{index}");
            report.add(Rule::FunctionType, place, "its type differs from the function's");
        }
    }
}

fn partition(body: &Body, report: &mut Report) {
    let mut next = 0u64;
    for (index, block) in body.blocks.iter().enumerate() {
        if block.count == 0 {
            report.add(Rule::BlocksPartition, format_args!("block b{index}"), "is empty");
        }
        if u64::from(block.first.0) != next {
            let message = format!("begins with v{} instead of v{next}", block.first.0);
            report.add(Rule::BlocksPartition, format_args!("block b{index}"), message);
        }
        next = u64::from(block.first.0) + u64::from(block.count);
    }
    if next != body.instructions.len() as u64 {
        let message = format!("{} instructions, and the blocks end at v{next}", body.instructions.len());
        report.add(Rule::BlocksPartition, "body", message);
    }
    if body.blocks.is_empty() {
        report.add(Rule::BlocksPartition, "body", "has no entry block");
    }
}

fn terminators(body: &Body, report: &mut Report) {
    for index in 0..body.blocks.len() {
        let block = BlockId::at(index);
        let last = body.blocks[index].first.0 + body.blocks[index].count - 1;
        for id in body.instructions_of(block) {
            match (body.instruction(id).op.is_terminator(), id.0 == last) {
                (true, false) => {
                    report.add(Rule::Terminators, format_args!("v{}", id.0), "ends the block too early");
                }
                (false, true) => {
                    report.add(Rule::Terminators, format_args!("block b{index}"), "has no terminator");
                }
                _ => {}
            }
        }
    }
}

fn phis(body: &Body, flow: &Flow, report: &mut Report) {
    for (index, predecessors) in flow.predecessors.iter().enumerate() {
        let mut leading = true;
        // Sorted once per block, not once per φ.
        let mut expected: Option<Vec<BlockId>> = None;
        for id in body.instructions_of(BlockId::at(index)) {
            let Op::Phi { incoming } = &body.instruction(id).op else {
                leading = false;
                continue;
            };
            let place = format_args!("v{}", id.0);
            if !leading {
                report.add(Rule::PhisLead, place, "a φ stands behind another instruction");
            }
            let expected = expected.get_or_insert_with(|| {
                let mut sorted = predecessors.clone();
                sorted.sort_unstable();
                sorted
            });
            phi(incoming, expected, place, report);
        }
    }
}

fn phi(
    incoming: &[(BlockId, Operand)],
    expected: &[BlockId],
    place: std::fmt::Arguments<'_>,
    report: &mut Report,
) {
    let mut found: Vec<&(BlockId, Operand)> = incoming.iter().collect();
    found.sort_by_key(|(block, _)| *block);
    if !found.iter().map(|(block, _)| block).eq(expected) {
        return report.add(Rule::PhiEdges, place, "its blocks are not the block's predecessors");
    }
    if let Some(pair) = found.windows(2).find(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1) {
        report.add(Rule::PhiEdges, place, format!("has two values for b{}", pair[0].0.0));
    }
}
