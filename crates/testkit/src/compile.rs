//! C to models, and to programs that run.

use bstr::BString;
use hydrogen_frontend::{Command, Pool};
use hydrogen_ir::Module;
use hydrogen_machine::{Archive, Library, Program};
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::OnceLock;

/// What programs of tests declare to talk to the machine, on one line.
pub const HEADER: &str = "void hydrogen_symbolic(void *, unsigned long, const char *); void hydrogen_assume(unsigned long); \
    void hydrogen_output(const char *, long long);";

/// Children that compile.
pub fn pool() -> &'static Pool {
    static POOL: OnceLock<Pool> = OnceLock::new();
    POOL.get_or_init(|| Pool::new(Pool::default_program(), Default::default(), || false))
}

/// The C library; `None` where it was not fetched, which is no answer where `CI` is set.
pub fn archive() -> Option<&'static Archive> {
    static ARCHIVE: OnceLock<Option<Archive>> = OnceLock::new();
    let make = || {
        let library = Library::find()?;
        Some(library.archive(pool(), &Pool::default_program(), &|_, _| {}).expect("the library compiles"))
    };
    let archive = ARCHIVE.get_or_init(make).as_ref();
    crate::need(archive, "the C library is missing; run scripts/musl.sh")
}

/// How a text is compiled: against the C library's headers, where they are.
#[derive(Debug, Clone, Copy, Default)]
pub struct Compile<'a> {
    /// Further arguments.
    pub flags: &'a [&'a str],
    /// Declarations before the text; its first line stays line 1.
    pub header: &'a str,
}

impl Compile<'_> {
    /// The model of one file, `test.c`.
    pub fn model(&self, source: &str) -> Module {
        let mut models = self.models(&BTreeMap::from([("test.c".to_owned(), source.to_owned())]));
        models.pop().expect("one file gives one model")
    }

    /// The models of the C files among these, which lie in one folder.
    pub fn models(&self, files: &BTreeMap<String, String>) -> Vec<Module> {
        let folder = tempfile::tempdir().expect("a folder for the files");
        for (name, source) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("the folder is above"))
                .expect("a folder for the file");
            let text = match self.header {
                "" => source.clone(),
                header => format!("# 1 \"prelude.h\"\n{header}\n# 1 \"{name}\"\n{source}"),
            };
            std::fs::write(path, text).expect("the file can be written");
        }
        let sources = files.keys().filter(|name| name.ends_with(".c"));
        sources.map(|name| self.file(folder.path(), &folder.path().join(name))).collect()
    }

    /// The model of a file in a folder, as it stands.
    pub fn file(&self, folder: &Path, path: &Path) -> Module {
        let bytes = |path: &Path| BString::from(path.as_os_str().as_bytes());
        let mut arguments: Vec<BString> = vec!["cc".into(), "-c".into(), "-w".into()];
        arguments.extend(self.flags.iter().map(|flag| BString::from(*flag)));
        arguments.extend(Library::find().map(|library| library.arguments()).unwrap_or_default());
        arguments.push(bytes(path));
        let (directory, file) = (bytes(folder), bytes(path));
        let command = Command { directory: directory.clone(), root: directory, file, arguments };
        let model = pool().model(&command);
        let model = model.unwrap_or_else(|error| panic!("{} does not compile: {error}", path.display()));
        hydrogen_ir::decode(&model.module).expect("what was encoded decodes")
    }
}

/// A program of one file that needs no C library, with [`HEADER`] before it.
pub fn bare(source: &str) -> Program {
    Program::load(vec![Compile { header: HEADER, flags: &[] }.model(source)], None)
}

/// A program of one file with the C library, with [`HEADER`] before it.
pub fn hosted(source: &str) -> Option<Program> {
    Some(Program::load(vec![Compile { header: HEADER, flags: &[] }.model(source)], Some(archive()?)))
}
