//! Questions to the solver as files.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{pool::Pool, solver::Answer, term::Term};

/// A folder of numbered SMT-LIB files.
pub(super) struct Dump {
    folder: PathBuf,
    written: u32,
}

impl Dump {
    pub fn new(folder: &Path) -> std::io::Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self { folder: folder.to_owned(), written: 0 })
    }

    /// Writes one question with its answer. A full disk must not stop an analysis, so errors are not reported here.
    pub fn write(&mut self, pool: &Pool, constraints: &[Term], answer: &Answer, time: Duration) {
        self.written += 1;
        let path = self.folder.join(format!("{:06}.smt2", self.written));
        let milliseconds = time.as_secs_f64() * 1e3;
        let head = format!(
            "; answered {} in {milliseconds:.1} ms\n(set-info :status {})\n",
            answer.word(),
            answer.word()
        );
        let script = pool.to_smt_script(constraints);
        // Not through a link that somebody left there.
        let _ = fs::remove_file(&path);
        let _ = fs::write(path, format!("{head}{script}"));
    }
}
