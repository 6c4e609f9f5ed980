//! Answers requests.

use crate::attribute::Statistics;
use crate::llvm::{self, LlvmError, LlvmModule};
use crate::lower::{Origin, lower};
use crate::{pieces, unit};
use bstr::BString;
use hydrogen_frontend::protocol::{self, Command, Reply, Request, Stage, Stats};
use hydrogen_ir::Module;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Instant;

/// Answers until the input ends.
pub fn serve(input: &mut impl Read, output: &mut impl Write) -> io::Result<()> {
    while let Some(request) = protocol::read(input)? {
        protocol::write(output, &answer(request))?;
    }
    Ok(())
}

/// Answers one request.
pub fn answer(request: Request) -> Reply {
    let result = match request {
        Request::Preprocess(command) => preprocess(&command),
        Request::Model(command) => model(&command),
        Request::Bitcode { path, root } => bitcode(&path, &root),
    };
    result.unwrap_or_else(|(stage, message)| Reply::Failed { stage, message })
}

/// How many broken invariants of one model are reported.
const REPORTED: usize = 5;

type Answer = Result<Reply, (Stage, String)>;

fn failed(stage: Stage) -> impl Fn(LlvmError) -> (Stage, String) {
    move |error| (stage, error.to_string())
}

fn preprocess(command: &Command) -> Answer {
    let unit = unit::identify(command).map_err(failed(Stage::Preprocess))?;
    Ok(Reply::Preprocessed { hash: unit.hash, dependencies: unit.dependencies })
}

fn model(command: &Command) -> Answer {
    let start = Instant::now();
    // A single unit should not have to wait for two readings in a row.
    let (compiled, parsed) = pieces::beside(|| pieces::parse(command), || unit::compile(command));
    let compiled = compiled.map_err(failed(Stage::Compile))?;
    let dependencies = unit::absolute(&command.directory, &compiled.dependencies);
    let mut warnings: Vec<String> = compiled.warnings.lines().map(str::to_owned).collect();
    let attribute = |module: &mut Module| match &parsed {
        Ok(parsed) => pieces::add_pieces(module, parsed, command),
        Err(_) => pieces::add_lines(module),
    };
    if let Err(error) = &parsed {
        warnings.push(format!("{error}; source lines stand for statements"));
    }
    modelled(start, &compiled.module, &unit::origin(command), dependencies, warnings, attribute)
}

fn bitcode(path: &[u8], root: &[u8]) -> Answer {
    let start = Instant::now();
    let path = Path::new(std::ffi::OsStr::from_bytes(path));
    let module = llvm::load(path).map_err(failed(Stage::Read))?;
    let root = Path::new(std::ffi::OsStr::from_bytes(root));
    let dependencies = vec![path.as_os_str().as_bytes().into()];
    modelled(start, &module, &Origin::new(root, root), dependencies, Vec::new(), pieces::add_lines)
}

fn modelled(
    start: Instant,
    llvm: &LlvmModule,
    origin: &Origin,
    dependencies: Vec<BString>,
    mut warnings: Vec<String>,
    attribute: impl FnOnce(&mut Module) -> Statistics + Send,
) -> Answer {
    let compiled = Instant::now();
    let mut module = lower(llvm, origin).map_err(|error| (Stage::Lower, error.to_string()))?;
    let lowered = Instant::now();
    let statistics = pieces::deep(|| attribute(&mut module));
    let attributed = Instant::now();
    // A broken promise is our bug; the model is still the best there is, and the user is told.
    if let Err(violations) = hydrogen_ir::verify(&module) {
        warnings.extend(violations.iter().take(REPORTED).map(|one| format!("the model is not right: {one}")));
    }
    let bytes = hydrogen_ir::codec::encode(&module);
    let summary = postcard::to_stdvec(&hydrogen_ir::summarize(&module));
    let summary = summary.map_err(|error| (Stage::Lower, error.to_string()))?;
    let counts = llvm.counts();
    let stats = Stats {
        functions: counts.functions,
        blocks: counts.blocks,
        edges: counts.edges,
        instructions: counts.instructions,
        synthetic: statistics.synthetic,
        unattributed: statistics.unattributed.len() as u64,
        unexplained: statistics.unexplained.len() as u64,
        compile_us: micros(start, compiled),
        lower_us: micros(compiled, lowered),
        attribute_us: micros(lowered, attributed),
        encode_us: micros(attributed, Instant::now()),
    };
    Ok(Reply::Modelled { module: bytes, summary, dependencies, warnings, stats })
}

fn micros(from: Instant, to: Instant) -> u64 {
    u64::try_from(to.duration_since(from).as_micros()).unwrap_or(u64::MAX)
}
