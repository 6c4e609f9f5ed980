//! How versions are built, on small made-up projects.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hydrogen_history::build::{BuildOptions, BuildPlan, Error, How, Problem, Unit, plan};
use hydrogen_history::config::Config;

const WRAPPER: &str = env!("CARGO_BIN_EXE_hydrogen-cc");

pub struct Project {
    pub dir: tempfile::TempDir,
}

impl Project {
    pub fn new(files: &[(&str, &str)]) -> Project {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("slot/files")).unwrap();
        fs::create_dir_all(dir.path().join("slot/scratch")).unwrap();
        let project = Project { dir };
        for (path, content) in files {
            let path = project.root().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        project
    }

    pub fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("slot/files")
    }

    pub fn scratch(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("slot/scratch")
    }

    pub fn try_plan(
        &self,
        config: &str,
        change: impl FnOnce(&mut BuildOptions<'_>),
    ) -> Result<BuildPlan, Error> {
        let scratch = self.scratch();
        let mut options = BuildOptions::new(Path::new(WRAPPER), &scratch);
        change(&mut options);
        plan(&self.root(), &Config::parse(config, "hydrogen.toml").unwrap(), &options)
    }

    pub fn plan(&self, config: &str) -> BuildPlan {
        self.try_plan(config, |_| {}).unwrap()
    }
}

/// File and arguments, without the tolerance that every unit has.
fn shown(units: &[Unit]) -> Vec<String> {
    units
        .iter()
        .map(|unit| {
            let words: Vec<_> =
                unit.arguments.iter().filter(|word| !word.starts_with("-Wno-error=")).cloned().collect();
            format!("{} [{}] {}", unit.file.display(), unit.directory.display(), words.join(" "))
                .trim_end()
                .to_string()
        })
        .collect()
}

/// Every unit must compile from what the plan says.
pub fn compile_all(project_root: &Path, plan: &BuildPlan) -> Vec<String> {
    plan.units
        .iter()
        .filter_map(|unit| {
            let output = std::process::Command::new("clang-19")
                .args(&unit.arguments)
                .args(["-w", "-fsyntax-only"])
                .arg(project_root.join(&unit.file))
                .current_dir(project_root.join(&unit.directory))
                .output()
                .unwrap();
            (!output.status.success())
                .then(|| format!("{}: {}", unit.file.display(), String::from_utf8_lossy(&output.stderr)))
        })
        .collect()
}

#[test]
fn make_is_recorded_with_links() {
    let project = Project::new(&[
        (
            "Makefile",
            "all: prog\nprog: a.o sub/b.o\n\tgcc -o prog a.o sub/b.o\na.o: a.c\n\tgcc -O2 -g -Werror -Iinc -DA='\"x y\"' -c a.c\nsub/b.o: sub/b.c\n\tcd sub && $(CC) -O3 -c b.c -o b.o\nlib.a: a.o\n\tar rcs lib.a a.o\nall: lib.a\n",
        ),
        ("a.c", "#include \"a.h\"\nint main(void) { return f(A[0]); }\n"),
        ("inc/a.h", "int f(int);\n"),
        ("sub/b.c", "int f(int x) { int unused; return x; }\n"),
    ]);
    let plan = project.plan("");
    assert_eq!(plan.how, How::Make);
    assert_eq!(plan.problems, []);
    assert_eq!(shown(&plan.units), ["a.c [] -Iinc -DA=\"x y\"", "sub/b.c [sub]"]);
    assert_eq!(plan.units[1].objects, [PathBuf::from("sub/b.o")]);
    let mut links: Vec<_> =
        plan.links.iter().map(|link| format!("{} <- {:?}", link.output.display(), link.inputs)).collect();
    links.sort();
    assert_eq!(links, ["lib.a <- [\"a.o\"]", "prog <- [\"a.o\", \"sub/b.o\"]"]);
    assert_eq!(compile_all(&project.root(), &plan), Vec::<String>::new());
}

#[test]
fn an_absolute_compiler_in_the_makefile_is_overridden() {
    let project = Project::new(&[
        ("Makefile", "CC = /usr/bin/gcc\nprog: a.c\n\t$(CC) -DX a.c -o prog\n"),
        ("a.c", "int main(void) { return 0; }\n"),
    ]);
    assert_eq!(shown(&project.plan("").units), ["a.c [] -DX"]);
    let project = Project::new(&[
        ("Makefile", "CC = strange-gcc\nprog: a.c\n\t$(CC) -DX a.c -o prog\n"),
        ("a.c", "int main(void) { return 0; }\n"),
    ]);
    assert_eq!(shown(&project.plan("").units), ["a.c [] -DX"]);
}

#[test]
fn a_build_that_fails_half_way_keeps_its_commands() {
    let project = Project::new(&[
        ("Makefile", "all: a.o b.o c.o\n%.o: %.c\n\t$(CC) -c $<\n"),
        ("a.c", "int a;\n"),
        ("b.c", "this is not C\n"),
        ("c.c", "int c;\n"),
    ]);
    let plan = project.plan("");
    assert_eq!(plan.how, How::Make);
    assert_eq!(shown(&plan.units), ["a.c []", "b.c []", "c.c []"]);
    let [Problem::StepFailed { tail, status, .. }] = &plan.problems[..] else {
        panic!("{:?}", plan.problems)
    };
    assert!(tail.contains("b.c") && status == "exit code 2", "{tail} {status}");
}

#[test]
fn a_build_that_compiles_nothing_falls_back_to_the_sources() {
    let project = Project::new(&[("Makefile", "all:\n\techo nothing; false\n"), ("a.c", "int a;\n")]);
    let plan = project.plan("");
    assert_eq!(plan.how, How::Sources);
    assert!(
        matches!(
            &plan.problems[..],
            [
                Problem::Advice { .. },
                Problem::StepFailed { .. },
                Problem::NothingRecorded { how: How::Make },
                Problem::Guessed { files: 1, folders: 0 }
            ]
        ),
        "{:?}",
        plan.problems
    );
}

#[test]
fn plain_sources_get_include_folders() {
    let project = Project::new(&[
        (
            "src/a.c",
            "#include <stdio.h>\n#include \"lib/api.h\"\n#include \"own.h\"\n#include <conf.h>\nint x = API + OWN + CONF;\n",
        ),
        ("src/own.h", "#define OWN 1\n"),
        ("include/lib/api.h", "#define API 1\n"),
        ("other/conf.h", "#define CONF 1\n"),
        ("unused/never.h", ""),
        (".hidden/x.c", "not met"),
        ("path with spaces/b\n.c", "int b;\n"),
    ]);
    let plan = project.plan("");
    assert_eq!(plan.how, How::Sources);
    assert_eq!(
        shown(&plan.units),
        ["path with spaces/b\n.c [] -Iinclude -Iother", "src/a.c [] -Iinclude -Iother"]
    );
    assert_eq!(plan.problems, [Problem::Guessed { files: 2, folders: 2 }]);
    assert_eq!(compile_all(&project.root(), &plan), Vec::<String>::new());
}

#[test]
fn the_configuration_comes_first() {
    let project = Project::new(&[
        ("Makefile", "all:\n\tfalse\n"),
        ("build.sh", "test \"$MODE\" = fast && cc -DFAST -c ../a.c -o ../a.o\n"),
        ("sub/keep", ""),
        ("a.c", "int a;\n"),
        ("b.c", "int b;\n"),
        ("test/t.c", "int t;\n"),
    ]);
    let plan = project.plan("[build]\ncommand = [\"sh\", \"../build.sh\"]\ndirectory = \"sub\"\nenv = { MODE = \"fast\" }\nflags = [\"-DEXTRA\"]\n");
    assert_eq!((plan.how, shown(&plan.units)), (How::Config, vec!["a.c [sub] -DFAST -DEXTRA".to_string()]));
    let plan = project.plan("[build]\nsources = [\"*.c\", \"none/*.c\"]\nexclude = [\"test/**\", \"b.c\"]\ninclude = [\"inc\"]\nflags = [\"-DX=1\"]\n");
    let root = project.root();
    assert_eq!(
        (plan.how, shown(&plan.units)),
        (How::Config, vec![format!("a.c [] -DX=1 -I {}", root.join("inc").display())])
    );
    assert_eq!(plan.problems, [Problem::NoMatch { pattern: "none/*.c".into() }]);
}

#[test]
fn compile_commands_are_read_in_both_forms() {
    let project = Project::new(&[
        ("a.c", "int a;\n"),
        ("src/b.c", "int b;\n"),
        ("src/c.cc", "int c;\n"),
        (
            "compile_commands.json",
            r#"[
            {"directory": ".", "file": "a.c", "command": "gcc -O2 -DA='\"x\"' -c a.c -o a.o"},
            {"directory": "src", "file": "b.c", "arguments": ["ccache", "cc", "-I", "../inc", "-c", "b.c"]},
            {"directory": "src", "file": "c.cc", "arguments": ["c++", "-c", "c.cc"]},
            {"directory": "/home/alice/project/build", "file": "/home/alice/project/src/b.c", "command": "cc -I/home/alice/project/inc -DMOVED -c /home/alice/project/src/b.c"},
            {"directory": ".", "file": "gone.c", "command": "cc -c gone.c"}
        ]"#,
        ),
    ]);
    let plan = project.plan("");
    assert_eq!(plan.how, How::CompileCommands);
    let root = project.root();
    assert_eq!(
        shown(&plan.units),
        [
            "a.c [] -DA=\"x\"".to_string(),
            format!("src/b.c [] -I{}/inc -DMOVED", root.display()),
            "src/b.c [src] -I ../inc".into()
        ]
    );
    assert_eq!(
        plan.problems,
        [
            Problem::Skipped { language: "C++", count: 1 },
            Problem::Missing { count: 1, example: "gone.c".into() }
        ]
    );
    fs::write(root.join("compile_commands.json"), "[{]").unwrap();
    let plan = project.plan("");
    assert_eq!(plan.how, How::Sources);
    assert!(matches!(plan.problems[0], Problem::Database { .. }));
}

#[test]
fn one_call_with_several_files_and_a_response_file() {
    let project = Project::new(&[
        (
            "Makefile",
            "all:\n\techo '-DR=1 a.c b.c' > args; cc -c @args; rm args\n\tcc -x c -c weird.inc -o weird.o\n\tc++ -c d.cc; cc -c e.S\n\tcc -fPIC -DPIC -c a.c -o pic.o -DR=1\n\tcc -DOTHER -c a.c -o other.o\n",
        ),
        ("a.c", "int a;\n"),
        ("b.c", "int b;\n"),
        ("weird.inc", "int w;\n"),
        ("d.cc", "int d;\n"),
        ("e.S", "\n"),
    ]);
    let plan = project.plan("");
    assert_eq!(shown(&plan.units), ["a.c [] -DOTHER", "a.c [] -DR=1", "b.c [] -DR=1", "weird.inc []"]);
    assert_eq!(plan.units[1].objects, [PathBuf::from("a.o"), "pic.o".into()]);
    assert_eq!(
        plan.problems,
        [
            Problem::Skipped { language: "C++", count: 1 },
            Problem::Skipped { language: "assembler", count: 1 }
        ]
    );
}

#[test]
fn old_code_still_builds() {
    let project = Project::new(&[
        ("Makefile", "old: old.c\n\tcc -o old old.c\n"),
        (
            "old.c",
            "static x; main(argc, argv) char **argv; { char *p = x; puts(\"hi\"); return foo(p); }\nfoo(p) char *p; { return 0; }\n",
        ),
    ]);
    let plan = project.plan("");
    assert_eq!(plan.problems, []);
    assert_eq!(compile_all(&project.root(), &plan), Vec::<String>::new());
}

#[test]
fn configure_is_run_unrecorded_and_then_make() {
    let project = Project::new(&[
        (
            "configure",
            "#!/bin/sh\necho 'int main(void){return 0;}' > conftest.c\n$CC -o conftest conftest.c && ./conftest && echo '#define OK 1' > config.h\nrm -f conftest*\nsed 's/@X@/all/' Makefile.in > Makefile\n",
        ),
        ("Makefile.in", "@X@: a.o\na.o: a.c config.h\n\t$(CC) -DHAVE_CONFIG_H -c a.c\n"),
        ("a.c", "#include \"config.h\"\nint a = OK;\n"),
    ]);
    let plan = project.plan("");
    assert_eq!((plan.how, shown(&plan.units)), (How::Autotools, vec!["a.c [] -DHAVE_CONFIG_H".to_string()]));
    assert_eq!(plan.problems, []);
}

#[test]
fn cmake_with_a_generated_header() {
    let project = Project::new(&[
        (
            "CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.13)\nproject(p C)\nadd_executable(gen gen.c)\nadd_custom_command(OUTPUT made.h COMMAND gen > made.h DEPENDS gen)\nadd_library(l STATIC l.c)\nadd_executable(p a.c made.h)\ntarget_include_directories(p PRIVATE ${CMAKE_CURRENT_BINARY_DIR})\ntarget_link_libraries(p l)\n",
        ),
        ("gen.c", "#include <stdio.h>\nint main(void) { puts(\"#define MADE 1\"); return 0; }\n"),
        ("a.c", "#include \"made.h\"\nint l(void);\nint main(void) { return MADE + l(); }\n"),
        ("l.c", "int l(void) { return 0; }\n"),
    ]);
    let plan = project.plan("");
    assert_eq!(plan.how, How::Cmake, "{:?}", plan.problems);
    let files: Vec<_> = plan.units.iter().map(|unit| unit.file.display().to_string()).collect();
    assert_eq!(files, ["a.c", "gen.c", "l.c"]);
    assert_eq!(plan.problems, []);
    assert_eq!(compile_all(&project.root(), &plan), Vec::<String>::new());
    let program = plan.links.iter().find(|link| link.output.ends_with("p")).unwrap();
    assert!(program.inputs.iter().any(|input| input.ends_with("libl.a")), "{program:?}");
    let object = program.inputs.iter().find(|input| input.to_string_lossy().contains("a.c")).unwrap();
    assert!(plan.units[0].objects.contains(object), "{object:?} in {:?}", plan.units[0]);
}

#[test]
fn meson_is_set_up_and_built() {
    let project = Project::new(&[
        ("meson.build", "project('p', 'c')\nexecutable('p', 'a.c', c_args: ['-DM=1'])\n"),
        ("a.c", "int main(void) { return M; }\n"),
    ]);
    let plan = project.plan("");
    assert_eq!(plan.how, How::Meson, "{:?}", plan.problems);
    assert_eq!(plan.units.len(), 1);
    assert_eq!(plan.units[0].file, PathBuf::from("a.c"));
    assert_eq!(compile_all(&project.root(), &plan), Vec::<String>::new());
    assert_eq!(plan.problems, []);
}

#[test]
fn a_build_that_hangs_is_stopped_with_its_children() {
    let seconds = format!("600.{}", std::process::id());
    let makefile = format!("all:\n\techo before the end; sh -c 'sleep {seconds} & sleep {seconds}'\n");
    let project = Project::new(&[("Makefile", &makefile), ("a.c", "int a;\n")]);
    let start = Instant::now();
    let error = project.try_plan("", |options| options.timeout = Some(Duration::from_secs(1))).unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(10));
    let message = error.to_string();
    assert!(
        message.starts_with("the build was stopped after 1.") && message.contains("before the end"),
        "{message}"
    );
    let runs = |entry: fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        line == format!("sleep\0{seconds}\0").as_bytes()
    };
    assert!(!fs::read_dir("/proc").unwrap().flatten().any(runs), "the child still runs");
    // The configuration's limit wins.
    let error = project.try_plan("[build]\ntimeout = \"200ms\"", |_| {}).unwrap_err();
    assert!(error.to_string().starts_with("the build was stopped after 0."), "{error}");
}

#[test]
fn a_build_can_be_cancelled() {
    let project = Project::new(&[("Makefile", "all:\n\tsleep 600\n"), ("a.c", "int a;\n")]);
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = cancel.clone();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        flag.store(true, Ordering::Relaxed);
    });
    let error = project.try_plan("", |options| options.cancel = cancel).unwrap_err();
    assert!(matches!(error, Error::Cancelled));
    stopper.join().unwrap();
}

#[test]
fn a_build_that_prints_without_end_is_stopped() {
    let project = Project::new(&[("Makefile", "all:\n\tyes\n"), ("a.c", "int a;\n")]);
    let error = project.try_plan("", |_| {}).unwrap_err();
    assert!(matches!(error, Error::Exceeded { .. }), "{error}");
}

#[test]
fn a_build_cannot_write_outside_of_its_folders() {
    let project = Project::new(&[
        (
            "Makefile",
            "all:\n\t-echo x > ../../outside\n\t-echo x > $(VICTIM)\n\t-rm -f $(KEPT)\n\techo y > inside; echo z > $$TMPDIR/t; echo > /dev/null; echo $$HOME > home\n\tcc -c a.c\n",
        ),
        ("a.c", "int a;\n"),
    ]);
    let elsewhere = tempfile::tempdir().unwrap();
    let victim = elsewhere.path().join("victim");
    let kept = elsewhere.path().join("kept");
    fs::write(&kept, "kept").unwrap();
    let config = format!("[build]\nenv = {{ VICTIM = {victim:?}, KEPT = {kept:?} }}\n");
    let plan = project.plan(&config);
    let outside = project.dir.path().join("outside");
    let protected = hydrogen_jail::offered();
    assert!(protected.landlock || protected.namespaces != hydrogen_jail::Namespaces::None, "{protected:?}");
    assert!(!outside.exists() && !victim.exists() && kept.exists());
    assert!(project.root().join("inside").exists());
    let home = fs::read_to_string(project.root().join("home")).unwrap();
    assert_eq!(Path::new(home.trim()), project.scratch().join("home"));
    assert_eq!(plan.units.len(), 1);
}

#[test]
fn names_that_are_not_utf8_are_recorded() {
    use std::os::unix::ffi::OsStrExt;
    let project = Project::new(&[("Makefile", "all:\n\tfor f in *.c; do cc -c \"$$f\" -o x.o; done\n")]);
    let name = std::ffi::OsStr::from_bytes(b"bad \xff\n.c");
    fs::write(project.root().join(name), "int x;\n").unwrap();
    let plan = project.plan("");
    assert_eq!(plan.problems, []);
    assert_eq!(plan.units[0].file.as_os_str(), name);
}

#[test]
fn what_is_missing_is_said() {
    let project = Project::new(&[("Makefile", "all:\n\tcc -c a.c\n"), ("a.c", "int a;\n")]);
    let error = project.try_plan("", |options| options.compiler = "no-such-clang").unwrap_err();
    assert!(matches!(error, Error::NoCompiler { .. }));
    let error =
        project.try_plan("", |options| options.wrapper = Path::new("/nowhere/hydrogen-cc")).unwrap_err();
    assert!(matches!(error, Error::NoWrapper { .. }));
}

#[test]
fn the_log_gets_every_line() {
    let project = Project::new(&[
        ("Makefile", "all:\n\t@echo one; sleep 0.1; echo two; cc -c a.c\n"),
        ("a.c", "int a;\n"),
    ]);
    let lines = std::sync::Mutex::new(Vec::new());
    let log = |line: &str| lines.lock().unwrap().push(line.to_string());
    let scratch = project.scratch();
    let mut options = BuildOptions::new(Path::new(WRAPPER), &scratch);
    options.log = Some(&log);
    plan(&project.root(), &Config::default(), &options).unwrap();
    assert_eq!(*lines.lock().unwrap(), ["one", "two"]);
}

fn advice(plan: &BuildPlan) -> String {
    match plan.problems.first() {
        Some(advice @ Problem::Advice { .. }) => advice.to_string(),
        _ => panic!("no advice in {:?}", plan.problems),
    }
}

#[test]
fn a_makefile_is_preferred_over_a_meson_file_that_downloads() {
    let project = Project::new(&[
        ("meson.build", "project('p', 'c')\ndependency('nowhere-to-be-found')\n"),
        ("subprojects/nowhere.wrap", "[wrap-file]\n"),
        ("Makefile", "all:\n\tcc -c a.c\n"),
        ("a.c", "int a;\n"),
    ]);
    let plan = project.plan("");
    assert_eq!((plan.how, plan.units.len()), (How::Make, 1), "{:?}", plan.problems);
    assert_eq!(plan.problems, []);
}

#[test]
fn what_one_build_system_cannot_the_next_may() {
    let project = Project::new(&[
        ("CMakeLists.txt", "message(FATAL_ERROR \"not today\")\n"),
        ("Makefile", "all:\n\tcc -c a.c\n"),
        ("a.c", "int a;\n"),
    ]);
    let plan = project.plan("");
    assert_eq!((plan.how, plan.units.len()), (How::Make, 1));
    assert_eq!(plan.problems, [Problem::NothingRecorded { how: How::Cmake }]);
}

#[test]
fn options_are_chosen_before_a_build_that_wants_them() {
    let project = Project::new(&[
        ("Config.in", "mainmenu\n"),
        ("Makefile", "all: .config\n\tcc -D`cat .config` -c a.c\ndefconfig:\n\techo CHOSEN > .config\n"),
        ("a.c", "int a;\n"),
    ]);
    assert_eq!(shown(&project.plan("").units), ["a.c [] -DCHOSEN"]);
}

#[test]
fn the_first_problem_says_what_helps() {
    let configure = "#!/bin/sh\necho 'configure: error: \"libevent not found\"' >&2\nexit 1\n";
    let project = Project::new(&[("configure", configure), ("a.c", "#include <event.h>\n")]);
    let plan = project.plan("");
    assert_eq!(plan.how, How::Sources);
    assert!(advice(&plan).contains("the library `libevent` is missing; install"), "{}", advice(&plan));
    let project = Project::new(&[
        ("Makefile", "all: a.o\n\tno-such-program\n"),
        ("a.c", "int main(void) { return 0; }\n"),
    ]);
    let plan = project.plan("");
    assert_eq!((plan.how, plan.units.len()), (How::Make, 1));
    assert!(advice(&plan).contains("the program `no-such-program` is missing"), "{}", advice(&plan));
}

#[test]
fn what_was_recorded_before_the_time_was_up_is_used() {
    let project = Project::new(&[("Makefile", "all:\n\tcc -c a.c\n\tsleep 600\n"), ("a.c", "int a;\n")]);
    let plan = project.plan("[build]\ntimeout = \"3s\"");
    assert_eq!(plan.units.len(), 1);
    assert!(advice(&plan).starts_with("the build was stopped after 3 s, during `make`"), "{}", advice(&plan));
}
