//! What the tests share: compile a file as a user's command would, lower it, compare with LLVM.
#![allow(dead_code)] // Each test program uses a part of it.

use hydrogen_frontend::protocol::Command;
use hydrogen_ir::Module;
use hydrogen_lowering::attribute::Statistics;
use hydrogen_lowering::llvm::{LlvmModule, load};
use hydrogen_lowering::{fidelity, lower, pieces, unit};
use std::path::{Path, PathBuf};

pub fn c_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c")
}

/// The command `cc FLAGS -c FILE`, run in the file's folder.
pub fn command(file: &Path, flags: &[&str]) -> Command {
    let directory = file.parent().unwrap().to_str().unwrap();
    let name = file.file_name().unwrap().to_str().unwrap();
    let mut arguments = vec!["cc"];
    arguments.extend(flags);
    arguments.extend(["-c", name]);
    Command {
        directory: directory.into(),
        root: directory.into(),
        file: name.into(),
        arguments: arguments.into_iter().map(Into::into).collect(),
    }
}

/// The flags that a test file asks for in a comment `// flags: …` on its first line.
pub fn flags(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap();
    let first = text.lines().next().and_then(|line| line.strip_prefix("// flags: "));
    first.map(|flags| flags.split_whitespace().map(str::to_owned).collect()).unwrap_or_default()
}

/// Compiles and lowers; the model must be what LLVM says.
pub fn faithful(command: &Command) -> Result<(LlvmModule, Module), String> {
    let compiled = unit::compile(command).map_err(|error| error.to_string())?;
    let model = lower(&compiled.module, &unit::origin(command)).map_err(|error| error.to_string())?;
    assert_faithful(&compiled.module, &model);
    Ok((compiled.module, model))
}

pub fn assert_faithful(module: &LlvmModule, model: &Module) {
    let found = fidelity(module, model);
    let list: Vec<String> = found.iter().take(20).map(ToString::to_string).collect();
    assert!(found.is_empty(), "{}: {} mismatches:\n{}", model.name, found.len(), list.join("\n"));
}

pub fn load_faithful(path: &Path, command: &Command) -> Module {
    let module = load(path).unwrap();
    let model = lower(&module, &unit::origin(command)).unwrap();
    assert_faithful(&module, &model);
    model
}

/// Attributes instructions to statements; what attribution promises must hold.
pub fn attributed(command: &Command, model: &mut Module) -> Statistics {
    let parsed = pieces::parse(command).unwrap();
    let (statistics, broken) = pieces::add_pieces_checked(model, &parsed, command);
    assert!(broken.is_empty(), "{}: {} broken promises:\n{}", model.name, broken.len(), broken.join("\n"));
    statistics
}

/// The verifier accepts the model, and it survives storing and printing.
#[allow(dead_code)] // Not every test binary uses it.
pub fn sound(model: &hydrogen_ir::Module) {
    if let Err(violations) = hydrogen_ir::verify(model) {
        panic!("{}: {violations:?}", model.name);
    }
    let stored = hydrogen_ir::codec::decode(&hydrogen_ir::codec::encode(model));
    assert!(stored.is_ok_and(|stored| stored == *model), "{} changes when it is stored", model.name);
    let read = hydrogen_ir::text::parse(&hydrogen_ir::text::print(model));
    assert!(read.is_ok_and(|read| read == *model), "{} changes when it is printed and read", model.name);
}
