//! What a relevant slice leaves out does not matter: statements outside of it are deleted, negated or made constant, and what the
//! slice is of stays as it was.
//!
//! `HYDROGEN_MUTATIONS=N` tries that many instead of a few, `HYDROGEN_MUTATED=FILE` another program.

use super::support::{limits, model, record};
use hydrogen_ir::{Function, Module, Piece, Role, Span};
use hydrogen_machine::{End, Program, World};
use hydrogen_testkit::archive;
use hydrogen_trace::{Criterion, Dependences, Options, OutputName, Static};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A statement of a function, by numbers.
type Statement = (usize, u32);

/// A program, its input, and what its output depends on.
struct Sliced {
    source: String,
    world: World,
    module: Module,
    stdout: Vec<u8>,
    /// Statements that were executed, and those of them that the output depends on.
    executed: BTreeSet<Statement>,
    relevant: BTreeSet<Statement>,
}

/// The standard input that a program names in its first line.
pub fn stdin(source: &str) -> Vec<u8> {
    let line = source.lines().next().unwrap_or("");
    let text = line.strip_prefix("/* stdin: ").and_then(|line| line.strip_suffix(" */")).unwrap_or("");
    text.replace("\\n", "\n").replace("\\t", "\t").into_bytes()
}

fn load(source: &str) -> Option<(Module, Program)> {
    let module = model(source);
    Some((module.clone(), Program::load(vec![module], Some(archive()?))))
}

fn sliced(path: &Path) -> Option<Sliced> {
    let source = std::fs::read_to_string(path).unwrap();
    let world = World::new(["program"]).with_stdin(stdin(&source));
    let (module, program) = load(&source)?;
    let (run, trace) = record(&program, world.clone());
    assert!(matches!(run.end, End::Exit(_)), "{}: {:?}", path.display(), run.end);
    let statics = Static::new(&program, &["main"]).with_jumps();
    let dependences = Dependences::new(&statics, &trace, &Options::default()).unwrap();
    let seeds = dependences.find(&Criterion::Output(OutputName::Descriptor(1))).unwrap();
    let slice = dependences.relevant_slice(&seeds).unwrap();
    let (mut executed, mut relevant) = (BTreeSet::new(), BTreeSet::new());
    let visit = |one: hydrogen_trace::Instance| {
        let function = one.site.function;
        let (Some((_, model)), Some(code)) = (program.model(function), program.code(function)) else {
            return;
        };
        let Some(body) = model.body.as_ref().filter(|_| program.is_users(function)) else { return };
        let instruction = body.instruction(code.origin[one.site.pc as usize]);
        let Some(piece) = model.pieces.get(instruction.piece.index()) else { return };
        let index = module.functions.iter().position(|one| one.name == model.name).unwrap();
        executed.insert((index, piece.statement));
        if slice.contains(one.step) {
            relevant.insert((index, piece.statement));
        }
    };
    dependences.instances(visit).unwrap();
    Some(Sliced { source, world, module, stdout: run.world.stdout, executed, relevant })
}

/// Other texts for a piece.
fn replacements(piece: &Piece) -> Vec<String> {
    let text = &piece.text;
    match piece.role {
        Role::Expression | Role::Break | Role::Continue | Role::Goto | Role::Return => {
            vec!["(void)0".to_owned()]
        }
        Role::If | Role::While | Role::DoWhile | Role::For | Role::Condition => {
            vec![format!("!({text})"), "0".to_owned(), "1".to_owned()]
        }
        Role::ForStep => vec!["(void)0".to_owned()],
        Role::Switch => vec!["0".to_owned(), format!("1 + ({text})")],
        _ => Vec::new(),
    }
}

/// The source with another text at a place.
fn replaced(source: &str, span: Span, text: &str) -> String {
    let mut starts = vec![0];
    starts.extend(source.match_indices('\n').map(|(at, _)| at + 1));
    let at =
        |position: hydrogen_ir::Position| starts[position.line as usize - 1] + position.column as usize - 1;
    let mut end = at(span.end);
    // A statement's own semicolon stays.
    if source[..end].ends_with(';') {
        end -= 1;
    }
    format!("{}{text}{}", &source[..at(span.start)], &source[end..])
}

/// All mutations of statements that the output does not depend on: the mutated source, and what was done.
fn mutations(program: &Sliced) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (index, function) in program.module.functions.iter().enumerate() {
        let mut by_statement: BTreeMap<u32, Vec<&Piece>> = BTreeMap::new();
        for piece in function.pieces.iter().skip(Function::EXIT.index() + 1) {
            by_statement.entry(piece.statement).or_default().push(piece);
        }
        for (statement, pieces) in by_statement {
            if !program.executed.contains(&(index, statement))
                || program.relevant.contains(&(index, statement))
            {
                continue;
            }
            for piece in pieces.into_iter().filter(|piece| piece.part == 0) {
                let Some(span) = piece.span else { continue };
                for text in replacements(piece) {
                    let what = format!("{}:{}: `{}` → `{text}`", function.name, span.start.line, piece.text);
                    all.push((replaced(&program.source, span, &text), what));
                }
            }
        }
    }
    all
}

#[test]
fn what_is_outside_of_a_slice_does_not_matter() {
    let asked = std::env::var("HYDROGEN_MUTATIONS").ok().and_then(|text| text.parse::<usize>().ok());
    let mut files: Vec<PathBuf> = match std::env::var_os("HYDROGEN_MUTATED") {
        Some(file) => vec![file.into()],
        None => {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mutated");
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
        }
    };
    files.sort();
    let (mut same, mut ended_otherwise) = (0, 0);
    for file in &files {
        let Some(program) = sliced(file) else {
            assert!(std::env::var_os("CI").is_none(), "the C library is not there");
            return;
        };
        let all = mutations(&program);
        // A few, spread over the program.
        let step = (all.len() / asked.unwrap_or(8).max(1)).max(1);
        for (source, what) in all.into_iter().step_by(step) {
            let Some((_, mutated)) = load(&source) else { return };
            let run = mutated.run(program.world.clone(), limits());
            match run.end {
                End::Exit(_) => {
                    assert_eq!(
                        String::from_utf8_lossy(&run.world.stdout),
                        String::from_utf8_lossy(&program.stdout),
                        "{}: {what}",
                        file.display()
                    );
                    same += 1;
                }
                // A slice says nothing about mutants that fault or never end.
                _ => ended_otherwise += 1,
            }
        }
    }
    eprintln!("{same} mutations changed no output, {ended_otherwise} ended otherwise");
    assert!(same > 4 * ended_otherwise, "{same} and {ended_otherwise}");
}
