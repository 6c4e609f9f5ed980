#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]
use hydrogen_frontend::protocol::Command;
use hydrogen_graph::*;
use hydrogen_ir::Module;
use hydrogen_lowering::{lower, pieces, unit};
use hydrogen_query::*;
use std::sync::Arc;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let kind = Kind::of_word(&args[0]);
    let line: u32 = args[1].parse().unwrap();
    let dirs: Vec<&str> = args[2].split(',').collect();
    let file = &args[3];
    let flags = &args[4..];
    let mut modules = Vec::new();
    for dir in &dirs {
        let mut arguments: Vec<_> =
            ["cc", "-c", file.as_str()].iter().map(|s| s.to_string().into()).collect();
        arguments.extend(flags.iter().map(|s| s.clone().into()));
        let command =
            Command { directory: (*dir).into(), root: (*dir).into(), file: file.as_str().into(), arguments };
        let compiled = unit::compile(&command).unwrap();
        let mut module = lower(&compiled.module, &unit::origin(&command)).unwrap();
        pieces::add_pieces(&mut module, &pieces::parse(&command).unwrap(), &command);
        modules.push(vec![Arc::new(module)]);
    }
    let parts: Vec<(VersionInfo, Vec<Module>)> = modules
        .iter()
        .enumerate()
        .map(|(at, modules)| {
            let info = VersionInfo {
                name: dirs[at].split('/').find(|x| x.contains("-")).unwrap_or("?").to_owned(),
                parents: at.checked_sub(1).map(VersionId::at).into_iter().collect(),
                ..Default::default()
            };
            (info, modules.iter().map(|m: &Arc<Module>| Module::clone(m)).collect())
        })
        .collect();
    let parts: Vec<_> = parts
        .into_iter()
        .enumerate()
        .map(|(i, (mut a, b))| {
            a.name = format!("{i}");
            (a, b)
        })
        .collect();
    let graph =
        Graph::build(parts.iter().map(|(info, modules)| VersionInput::from_modules(info.clone(), modules)))
            .unwrap();
    let at = VersionId::at(0);
    let nodes = graph.nodes_at(at, file, line);
    let program = Program { graph: &graph, code: &modules };
    let versions = VersionSet::all(modules.len());
    for node in nodes {
        println!("== {} ({})", graph.label(node), graph.name(graph.chain(node), at));
        let t = std::time::Instant::now();
        let mut analyst =
            Analyst::new(program, hydrogen_term::standard(), Contracts::standard(), Budget::default());
        let question = Question { node, at, kind, versions: &versions };
        for finding in analyst.judge(&question) {
            show(&finding);
        }
        println!(
            "   judge {:?} visited {} {:?}",
            t.elapsed(),
            analyst.visited().len(),
            analyst.solver_report()
        );
        let t = std::time::Instant::now();
        let mut analyst =
            Analyst::new(program, hydrogen_term::standard(), Contracts::standard(), Budget::default());
        match analyst.judge_by_fix(&question, Fix { before: at, after: VersionId::at(1) }) {
            Some(finding) => show(&finding),
            None => println!("   no delta"),
        }
        println!("   fix {:?} {:?}", t.elapsed(), analyst.solver_report());
    }
}
fn show(f: &Finding) {
    println!("  {} {}: {}", f.kind.word(), f.location.line, f.message);
    for r in &f.verdicts {
        println!("     v{} {} {:?} {:?}", r.version, r.verdict.word(), r.basis, r.ledger);
        let c: String = r.evidence.constraint.chars().take(300).collect();
        if !c.is_empty() {
            println!("        when {c}");
            println!("        model {:?}", r.evidence.model);
        }
        for s in &r.evidence.path {
            println!("        {}:{} {}", s.function, s.line, s.text);
        }
    }
}
