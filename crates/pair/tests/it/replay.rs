//! Runs of the machine, natively once more.

use super::support::limits;
use hydrogen_evidence::{Call, Input};
use hydrogen_explore::Symbolic;
use hydrogen_machine::{After, Program, World};
use hydrogen_pair::{Agreement, Built, Pair, Setting};
use hydrogen_program::{CLibrary, Native, c_test, call_of, run_test_of_files};
use std::path::PathBuf;

struct Side {
    program: Program,
    folder: tempfile::TempDir,
}

impl Side {
    fn new(source: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("unit.c"), source).unwrap();
        Some(Self { program: hydrogen_testkit::hosted(source)?, folder })
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("unit.c")
    }

    fn native(&self) -> Native {
        Native::of_files(self.folder.path(), vec![self.file()], &[], Vec::new(), CLibrary::Machine).unwrap()
    }
}

#[test]
fn whole_programs_agree_with_their_native_builds() {
    let text = |limit: u32| {
        format!(
            "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {{ int n = atoi(argv[1]); printf(\"%d\\n\", n > {limit}); return n; }}\n"
        )
    };
    let (Some(old), Some(new)) = (Side::new(&text(3)), Side::new(&text(4))) else { return };
    let mut pair = Pair::new(&[&old.program, &new.program]);
    let mut world = World::default();
    world.args = vec!["program".into(), "4".into()];
    let (symbolic, limits) = (Symbolic::default(), limits());
    let input = Input::default();
    let runs = pair.run(Setting { world: &world, symbolic: &symbolic, limits: &limits }, &input).unwrap();
    assert_eq!((&runs[0].outcome.stdout[..], &runs[1].outcome.stdout[..]), (&b"1\n"[..], &b"0\n"[..]));
    let (first, second) = (old.native(), new.native());
    let built = [Built::Program(&first), Built::Program(&second)];
    let agreement = pair.replay(&runs, &built, &world).unwrap();
    assert!(agreement.iter().all(Agreement::is_same), "{agreement:?}");
    // The other version's build shows that a difference would be seen.
    let swapped = [Built::Program(&second), Built::Program(&first)];
    let agreement = pair.replay(&runs, &swapped, &world).unwrap();
    assert!(agreement.iter().all(|one| matches!(one, Agreement::Differs(_))), "{agreement:?}");
}

#[test]
fn calls_agree_with_their_tests_in_c() {
    let text = |step: u32| {
        format!(
            "#include <stdio.h>\nint f(int *p, int n) {{ puts(\"in\"); *p += {step}; return *p * n; }}\nint main(void) {{ return 0; }}\n"
        )
    };
    let (Some(old), Some(new)) = (Side::new(&text(1)), Side::new(&text(2))) else { return };
    let mut pair = Pair::new(&[&old.program, &new.program]);
    let function = |program: &Program| program.named("f", None).unwrap();
    let (module, model) = old.program.model(function(&old.program)).unwrap();
    let call = call_of(module, model, &["[5]".into(), "3".into()]).unwrap();
    // The file is another one in each version.
    let input = Input { call: Some(Call { unit: None, ..call }), ..Input::default() };
    let (world, symbolic, limits) = (World::default(), Symbolic::default(), limits());
    let runs = pair.run(Setting { world: &world, symbolic: &symbolic, limits: &limits }, &input).unwrap();
    assert_eq!(runs[0].outcome.memory, ["*p = 6", "result = 18"]);
    assert_eq!(runs[1].outcome.memory, ["*p = 7", "result = 21"]);
    let test = |side: &Side, call: &Call, after: Option<&After>| {
        let (module, model) = side.program.model(function(&side.program)).unwrap();
        let text = c_test(module, model, call, after, &side.file().to_string_lossy(), "");
        run_test_of_files(side.folder.path(), &side.file(), &text, Vec::new(), &[], CLibrary::Machine)
    };
    let first = |call: &Call, after: Option<&After>| test(&old, call, after);
    let second = |call: &Call, after: Option<&After>| test(&new, call, after);
    let agreement = pair.replay(&runs, &[Built::Calls(&first), Built::Calls(&second)], &world).unwrap();
    assert_eq!(agreement, [Agreement::Same, Agreement::Same]);
    let agreement = pair.replay(&runs, &[Built::Calls(&second), Built::Calls(&first)], &world).unwrap();
    assert!(
        matches!(&agreement[0], Agreement::Differs(how) if how == "`result = 21` instead of `result = 18`"),
        "{agreement:?}"
    );
}
