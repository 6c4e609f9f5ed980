//! Every C file of `tests/c`: the model is what LLVM says, and clang in this process is clang in its own.
#![allow(clippy::unwrap_used)] // A test's helpers fail as the test does.

mod support;

use hydrogen_ir::Op;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command as Process;

fn files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(support::c_folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "c")).collect();
    files.sort();
    assert!(files.len() >= 30, "the files of tests/c are missing");
    files
}

#[test]
fn models_are_what_llvm_says() {
    for file in files() {
        let flags = support::flags(&file);
        let flags: Vec<_> = flags.iter().map(String::as_str).collect();
        if let Err(message) = support::faithful(&support::command(&file, &flags)) {
            panic!("{}: {message}", file.display());
        }
    }
}

/// The shim configures clang by hand; the result must be the module that the clang program writes, through bitcode
/// and through text.
#[test]
fn clang_inside_is_clang_outside() {
    let folder = tempfile::tempdir().unwrap();
    for file in files() {
        let flags = support::flags(&file);
        let plain: Vec<_> = flags.iter().map(String::as_str).collect();
        let command = support::command(&file, &plain);
        let (_, inside) = support::faithful(&command).unwrap();
        for (kind, name) in [("-c", "unit.bc"), ("-S", "unit.ll")] {
            let output = folder.path().join(name);
            let status = Process::new("clang-19")
                .args(["-O0", "-g", "-w", "-emit-llvm", kind, "-fno-discard-value-names"])
                .args(["-Xclang", "-disable-O0-optnone", "-Xclang", "-disable-llvm-passes"])
                .arg(format!("-fmacro-prefix-map={}/=", file.parent().unwrap().display()))
                .args(&flags)
                .arg(file.file_name().unwrap())
                .arg("-o")
                .arg(&output)
                .current_dir(file.parent().unwrap())
                .env("SOURCE_DATE_EPOCH", "0")
                .status()
                .unwrap();
            assert!(status.success(), "{}", file.display());
            let mut outside = support::load_faithful(&output, &command);
            // The order in which types are met may differ after a detour through a file; ids follow it.
            assert_eq!(shape(&mut outside), shape(&mut inside.clone()), "{} through {name}", file.display());
        }
    }
}

/// A model without the numbering of types and constants, which follows the order of use lists.
fn shape(model: &mut hydrogen_ir::Module) -> String {
    use std::fmt::Write;
    let mut text = format!("{} {:?} {:?}\n", model.name, model.files, model.assembly);
    for global in &model.globals {
        writeln!(text, "{} {:?} {} {:?}", global.name, global.linkage, global.align, global.location)
            .unwrap();
    }
    for function in &model.functions {
        writeln!(text, "{} {:?} {:?} {:?}", function.name, function.linkage, function.calls, function.span)
            .unwrap();
        let Some(body) = &function.body else { continue };
        for instruction in &body.instructions {
            writeln!(text, "  {:?} {:?}", std::mem::discriminant(&instruction.op), instruction.location)
                .unwrap();
        }
        for variable in &body.variables {
            writeln!(text, "  {} {:?} {:?}", variable.name, variable.slot, variable.location).unwrap();
        }
    }
    text
}

/// The corpus is worth something only if it reaches every kind of instruction that clang emits for C.
#[test]
fn the_corpus_reaches_every_kind_of_instruction() {
    let mut kinds = BTreeSet::new();
    for file in files() {
        let flags = support::flags(&file);
        let flags: Vec<_> = flags.iter().map(String::as_str).collect();
        let (_, model) = support::faithful(&support::command(&file, &flags)).unwrap();
        for body in model.functions.iter().filter_map(|function| function.body.as_ref()) {
            for instruction in &body.instructions {
                assert!(
                    !matches!(instruction.op, Op::Opaque { .. } | Op::OpaqueTerminator { .. }),
                    "{instruction:?}"
                );
                let text = format!("{:?}", instruction.op);
                kinds.insert(text.split([' ', '{']).next().unwrap_or_default().to_owned());
            }
        }
    }
    let wanted = "Alloca Asm AsmBranch AtomicRmw Binary Branch Call Cast CompareExchange ElementAddress \
                  ExtractElement ExtractValue Fence FloatCompare IndirectJump InsertElement InsertValue IntCompare Jump \
                  Load Phi Return Select ShuffleVector Store Switch Unary Unreachable VaArg";
    let missing: Vec<_> = wanted.split_whitespace().filter(|kind| !kinds.contains(*kind)).collect();
    assert!(missing.is_empty(), "no file of tests/c makes {missing:?}");
}
