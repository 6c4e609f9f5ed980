//! Prints what the analyses find in stored program models, and what that cost.
//!
//! `cargo run --release --example facts -- [--closed] [--narrow] MODEL…`
#![allow(clippy::print_stdout)] // This is a program, and these are its results.

use hydrogen_flow::{CallGraph, ObjectKind, Options, PointsTo, Summaries};
use hydrogen_ir::{Const, FunctionId, InstructionId, Module, Op, Operand};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut options = Options::default();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--closed" => options.closed = true,
            "--narrow" => options.narrow = true,
            path => {
                let module = hydrogen_ir::decode(&std::fs::read(path)?)?;
                println!("{path}");
                report(&module, &options);
            }
        }
    }
    Ok(())
}

fn report(module: &Module, options: &Options) {
    let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
    println!("  instructions: {}", bodies.map(|body| body.instructions.len()).sum::<usize>());
    let start = Instant::now();
    let points_to = PointsTo::new(module, options);
    println!("  points-to: {:.2?}, complete: {}", start.elapsed(), points_to.is_complete());
    println!("  {:?}", points_to.statistics());
    let escaped = points_to.objects().filter(|&(id, _)| points_to.is_escaped(id)).count();
    let heap = points_to.objects().filter(|(_, kind)| matches!(kind, ObjectKind::Heap { .. })).count();
    println!("  objects escaped: {escaped}, from the heap: {heap}");
    let unlisted =
        module.functions.iter().enumerate().filter(|(index, _)| !points_to.is_known(FunctionId::at(*index)));
    println!(
        "  functions of which nothing is known: {:?}",
        unlisted.map(|(_, f)| &f.name).collect::<Vec<_>>()
    );
    calls(module, &points_to);
    memory(module, &points_to);
    let start = Instant::now();
    let graph = CallGraph::new(module, &points_to);
    let largest = graph.components().bottom_up().map(<[_]>::len).max().unwrap_or(0);
    println!(
        "  call graph: {:.2?}, edges {}, largest cycle {largest}",
        start.elapsed(),
        graph.graph().edges().len()
    );
    let start = Instant::now();
    let summaries = Summaries::new(module, options, &points_to, &graph);
    let defined =
        || (0..module.functions.len()).map(FunctionId::at).filter(|&id| module.function(id).body.is_some());
    let written: usize = defined().map(|id| summaries.written(&points_to, id).len()).sum();
    let average = written as f64 / f64::max(defined().count() as f64, 1.0);
    println!("  summaries: {:.2?}, places written on average: {average:.1}", start.elapsed());
    peak();
}

fn calls(module: &Module, points_to: &PointsTo) {
    let (mut indirect, mut resolved, mut nobody, mut partly, mut targets) = (0, 0, 0, 0, 0);
    for (function, call, op) in instructions(module) {
        let Op::Call { callee, .. } = op else { continue };
        if matches!(callee, Operand::Const(id) if matches!(module.constant(*id), Const::Function(_))) {
            continue;
        }
        let callees = points_to.callees(function, call);
        indirect += 1;
        targets += callees.functions.len();
        resolved += usize::from(!callees.unknown && !callees.functions.is_empty());
        nobody += usize::from(!callees.unknown && callees.functions.is_empty());
        partly += usize::from(callees.unknown);
    }
    println!(
        "  indirect calls: {indirect}, all callees known: {resolved}, perhaps unknown: {partly}, none: {nobody}, \
         callees on average: {:.1}",
        targets as f64 / f64::max(indirect as f64, 1.0)
    );
}

fn memory(module: &Module, points_to: &PointsTo) {
    let (mut accesses, mut sizes, mut unknown, mut nowhere) = (0, 0, 0, 0);
    for (function, _, op) in instructions(module) {
        let (Op::Load { pointer, .. } | Op::Store { pointer, .. }) = op else { continue };
        if !matches!(pointer, Operand::Instruction(_)) {
            continue;
        }
        let places = points_to.points_to(function, pointer);
        accesses += 1;
        sizes += places.len();
        nowhere += usize::from(places.is_empty());
        unknown += usize::from(places.iter().any(|place| place.object == hydrogen_flow::ObjectId::UNKNOWN));
    }
    println!(
        "  loads and stores: {accesses}, places on average: {:.2}, perhaps unknown: {unknown}, nowhere: {nowhere}",
        sizes as f64 / f64::max(accesses as f64, 1.0)
    );
}

fn instructions(module: &Module) -> impl Iterator<Item = (FunctionId, InstructionId, &Op)> {
    module.functions.iter().enumerate().flat_map(|(index, function)| {
        let body = function.body.iter().flat_map(|body| body.instructions.iter().enumerate());
        body.map(move |(at, instruction)| (FunctionId::at(index), InstructionId::at(at), &instruction.op))
    })
}

fn peak() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(line) = status.lines().find(|line| line.starts_with("VmHWM")) {
        println!("  {line}");
    }
}
