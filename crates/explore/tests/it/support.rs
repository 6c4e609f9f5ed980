//! Compiling and exploring.

use bstr::BString;
use hydrogen_evidence::Input;
use hydrogen_explore::{ByPath, Exploration, Kind, Options, Test, explore, show};
use hydrogen_frontend::{Command, Pool};
use hydrogen_machine::{Archive, End, Library, Limits, Program, World};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

pub const HEADER: &str = "void hydrogen_symbolic(void *, unsigned long, const char *);\n\
    void hydrogen_assume(unsigned long);\nvoid hydrogen_output(const char *, long long);\n";

pub struct Tools {
    pub library: Option<(Library, Archive)>,
    pub pool: Pool,
}

pub fn tools() -> &'static Tools {
    static TOOLS: OnceLock<Tools> = OnceLock::new();
    TOOLS.get_or_init(|| {
        let lower = Pool::default_program();
        let pool = Pool::new(lower.clone(), Default::default(), || false);
        let library = Library::find().map(|library| {
            let archive = library.archive(&pool, &lower, &|_, _| {}).unwrap();
            (library, archive)
        });
        if library.is_none() {
            eprintln!("skipped: the C library is missing; run scripts/musl.sh");
        }
        Tools { library, pool }
    })
}

/// A program of one file; with the C library or without.
pub fn program(source: &str, library: bool) -> Program {
    let tools = tools();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.c");
    std::fs::write(&path, format!("{HEADER}#line 1\n{source}")).unwrap();
    let bytes = |path: &Path| BString::from(path.as_os_str().as_bytes());
    let mut arguments: Vec<BString> = vec!["cc".into(), "-c".into()];
    arguments.extend(tools.library.iter().flat_map(|(library, _)| library.arguments()));
    arguments.push(bytes(&path));
    let (directory, file) = (bytes(folder.path()), bytes(&path));
    let command = Command { directory: directory.clone(), root: directory, file, arguments };
    let module = hydrogen_ir::decode(&tools.pool.model(&command).unwrap().module).unwrap();
    let archive = tools.library.as_ref().filter(|_| library).map(|(_, archive)| archive);
    Program::load(vec![module], archive)
}

pub fn options() -> Options {
    Options {
        limits: Limits { steps: 1_000_000, ..Limits::default() },
        runs: 2000,
        time: Duration::from_secs(60),
        ..Options::default()
    }
}

/// Explores a program that has no use for the C library, from an input of zeros.
pub fn paths(source: &str) -> Exploration {
    paths_with(source, &options())
}

pub fn paths_with(source: &str, options: &Options) -> Exploration {
    explore(&program(source, false), &World::default(), Input::default(), options, &ByPath)
}

/// How a run ended, in short.
pub fn end(test: &Test) -> String {
    match &test.end {
        End::Exit(status) => format!("exit {status}"),
        End::Fault(fault) => format!("{} {}", fault.kind.name(), fault.stack[0].line),
        End::Assumption(_) => "assumption".to_owned(),
        End::Limit(limit, _) => limit.to_string(),
        other => format!("{other:?}"),
    }
}

/// Every test: how many branches decided, what came out, and how it ended unless well; sorted. No promise may be broken.
pub fn summary(found: &mut Exploration) -> Vec<String> {
    assert_eq!(found.alarms, []);
    let mut shown = Vec::new();
    for test in &found.tests {
        let branches = test.path.iter().filter(|one| one.kind == Kind::Branch).count();
        let mut text = format!("{branches}");
        for one in &test.outputs {
            text.push_str(&format!(" {}={}", one.name, show(&mut found.pool, one.value)));
        }
        if test.end != End::Exit(0) {
            text.push_str(&format!(" {}", end(test)));
        }
        shown.push(text);
    }
    shown.sort();
    shown
}

/// The exploration must be complete and give these.
pub fn check(source: &str, expect: &[&str]) {
    check_with(source, &options(), expect);
}

pub fn check_with(source: &str, options: &Options, expect: &[&str]) {
    let mut found = paths_with(source, options);
    assert!(found.is_complete(), "{:?} {:?}", found.missing, found.alarms);
    assert_eq!(summary(&mut found), expect);
}
