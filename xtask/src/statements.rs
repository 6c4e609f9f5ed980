//! How many instructions of real programs belong to statements.

use crate::{corpora, table};
use anyhow::Result;
use bstr::BString;
use hydrogen_frontend::{Command, Limits, Pool};
use hydrogen_ir::Module;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A pool that runs the release build of the child program.
pub fn pool() -> Pool {
    Pool::new(corpora::target().join("release/hydrogen-lower"), Limits::default(), || false)
}

/// The command that compiles a file of a corpus alone.
pub fn command(corpus: &corpora::Corpus, file: &Path) -> Command {
    let bytes = |path: &Path| BString::from(path.as_os_str().as_bytes());
    let arguments = std::iter::once("cc").chain(corpus.flags.iter().copied()).map(BString::from).collect();
    Command { root: bytes(&corpus.folder), directory: bytes(&corpus.folder), file: bytes(file), arguments }
}

/// The models of a corpus's files; what does not compile is said and left out.
pub fn models(
    pool: &Pool,
    corpus: &corpora::Corpus,
) -> Result<Vec<(PathBuf, Module, hydrogen_frontend::Stats)>> {
    let mut models = Vec::new();
    for file in corpus.files()? {
        match pool.model(&command(corpus, &file)) {
            Ok(answer) => {
                let module = hydrogen_ir::codec::decode(&answer.module)?;
                models.push((file, module, answer.stats));
            }
            Err(error) => eprintln!("left out: {error}"),
        }
    }
    Ok(models)
}

pub fn run() -> Result<()> {
    let pool = pool();
    let mut rows = Vec::new();
    for corpus in corpora::fetch_all()? {
        let mut sums = [0u64; 5];
        for (_, module, stats) in models(&pool, &corpus)? {
            let defined = module.definitions().count() as u64;
            let more = [defined, stats.instructions, stats.synthetic, stats.unattributed, stats.unexplained];
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        let [functions, instructions, synthetic, unattributed, unexplained] = sums;
        let body = instructions - synthetic;
        let share = 100.0 * (body - unattributed) as f64 / body.max(1) as f64;
        rows.push(vec![
            corpus.name.to_owned(),
            functions.to_string(),
            instructions.to_string(),
            synthetic.to_string(),
            unattributed.to_string(),
            format!("{share:.3} %"),
            unexplained.to_string(),
        ]);
    }
    let header = [
        "program",
        "functions",
        "instructions",
        "synthetic",
        "unattributed",
        "in statements",
        "unexplained edges",
    ];
    table::print("statements", &header, &rows);
    Ok(())
}
