//! A trace tells what happened: the replay of a run has the events that a monitor saw.

use super::support::{bare, hosted, limits};
use hydrogen_machine::{Builtin, FuncId, MemoryEvent, Monitor, Place, Program, Step, View, World};
use hydrogen_trace::{Both, Recorder};

/// Everything that a monitor sees, as text.
#[derive(Default)]
struct Seen(Vec<String>);

impl Monitor for Seen {
    fn step(&mut self, step: Step<'_>) {
        self.0.push(format!("{} {}", step.site.function.0, step.site.pc));
    }
    fn memory(&mut self, _address: u64, event: MemoryEvent, _view: View<'_>) {
        let at = |place: Place| format!("{}:{}", place.region, place.at);
        self.0.push(match event {
            MemoryEvent::Load(place, len) => format!("load {} {len}", at(place)),
            MemoryEvent::Store(place, len) => format!("store {} {len}", at(place)),
            MemoryEvent::Copy(to, from, len) => format!("copy {} {} {len}", at(to), at(from)),
            MemoryEvent::Set(place, len) => format!("set {} {len}", at(place)),
            MemoryEvent::Fresh(place, len) => format!("fresh {} {len}", at(place)),
            MemoryEvent::Argument(place, len, reg) => format!("argument {} {len} {reg}", at(place)),
            MemoryEvent::Given(place, len, _) => format!("given {} {len}", at(place)),
            MemoryEvent::Input(place, len, fd, _) => format!("input {} {len} {fd}", at(place)),
            MemoryEvent::Output(place, len, fd) => format!("output {} {len} {fd}", at(place)),
        });
    }
    fn named(&mut self, what: Builtin, name: &[u8], memory: Option<(Place, u64)>) {
        self.0.push(match (what, memory) {
            (Builtin::Symbolic, Some((place, len))) => {
                format!("symbolic {}:{} {len}", place.region, place.at)
            }
            (Builtin::Assume, _) => "assume".into(),
            _ => format!("named {}", String::from_utf8_lossy(name)),
        });
    }
    fn branch(&mut self, target: u32) {
        self.0.push(format!("branch {target}"));
    }
    fn enter(&mut self, function: FuncId, _depth: usize) {
        self.0.push(format!("enter {}", function.0));
    }
    fn leave(&mut self, _depth: usize) {
        self.0.push("leave".into());
    }
    fn opaque(&mut self) {
        self.0.push("opaque".into());
    }
}

fn check(program: &Program, world: World) {
    let run = program.run_with(world, limits(), Both(Recorder::new(1 << 16), Seen::default()));
    let Both(recorder, seen) = run.monitor;
    let trace = recorder.finish().unwrap();
    // The instruction that fails is seen and not counted.
    let failed = u64::from(matches!(run.end, hydrogen_machine::End::Fault(_)));
    assert_eq!(trace.steps, run.statistics.steps + failed, "{:?}", run.end);
    let told = trace.told(program).unwrap();
    assert_eq!(told.len(), seen.0.len());
    for (index, (told, seen)) in told.iter().zip(&seen.0).enumerate() {
        assert_eq!(told, seen, "event {index}");
    }
}

#[test]
fn a_replay_has_the_events_of_the_run() {
    check(
        &bare(
            "struct s { int a[9]; }; static int sum(struct s v, int n, ...) { __builtin_va_list l; __builtin_va_start(l, n);\n\
             int t = v.a[3]; while (n--) t += __builtin_va_arg(l, int); __builtin_va_end(l); return t; }\n\
             int g[3]; static int two(int x) { return 2 * x; } static int (*f)(int) = two;\n\
             int main(void) { struct s v; for (int i = 0; i < 9; i++) v.a[i] = i; int n = 5; char c[n]; c[1] = 3;\n\
             void *to[2] = {&&a, &&b}; goto *to[n & 1]; a: n++; b: switch (n) { case 5: n = f(n); }\n\
             return sum(v, 3, 4, 5, c[1]) + g[1] + n; }",
        ),
        World::default(),
    );
}

#[test]
fn a_replay_has_the_events_of_the_library_too() {
    let source = "#include <stdio.h>\n#include <setjmp.h>\n#include <stdlib.h>\n#include <string.h>\n#include <signal.h>\n\
        static jmp_buf j; static int seen; static void on(int s) { seen = s; }\n\
        static void deep(int n) { if (n == 0) longjmp(j, 7); deep(n - 1); }\n\
        __attribute__((constructor)) static void before(void) { seen = 1; }\n\
        int main(int argc, char **argv) { int n, r, undefined; undefined = undefined; scanf(\"%d\", &n); r = setjmp(j);\n\
        if (r == 0) deep(n); signal(SIGUSR1, on); raise(SIGUSR1); char *p = malloc(10); strcpy(p, argv[0]); p = realloc(p, 99);\n\
        printf(\"%d %d %s %.3f\\n\", r, seen, p, 1.5); free(p); if (n > 3) abort(); return 0; }";
    let Some(program) = hosted(source) else { return };
    check(&program, World::default().with_stdin("3\n"));
    check(&program, World::default().with_stdin("4\n"));
}

#[test]
fn a_fault_ends_a_trace() {
    check(
        &bare("int main(void) { int *p = 0; for (int i = 0; i < 3; i++) if (i == 2) *p = i; return 0; }"),
        World::default(),
    );
}
