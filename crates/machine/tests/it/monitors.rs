//! Someone who watches sees everything, and changes nothing.

use super::support::{file, limits, load, tools};
use hydrogen_machine::{FuncId, Given, MemoryEvent, Monitor, Step, View, World};

/// Counts what happens.
#[derive(Default)]
struct Counter {
    steps: u64,
    branches: u64,
    loads: u64,
    stores: u64,
    depth: usize,
    input: Vec<(i32, u64, u64)>,
    output: u64,
    given: Vec<(Given, u64)>,
    arguments: u64,
}

impl Monitor for Counter {
    fn step(&mut self, step: Step<'_>) {
        self.steps += 1;
        assert_eq!(step.depth, self.depth);
        assert_eq!(step.registers.len(), step.code.registers as usize);
        step.code.accesses(step.instr, &mut |access| {
            assert!(((access.first + access.count) as usize) <= step.registers.len());
        });
    }
    fn memory(&mut self, _address: u64, event: MemoryEvent, _view: View<'_>) {
        match event {
            MemoryEvent::Load(..) => self.loads += 1,
            MemoryEvent::Store(..) => self.stores += 1,
            MemoryEvent::Input(_, len, fd, offset) => self.input.push((fd, offset, len)),
            MemoryEvent::Output(_, len, _) => self.output += len,
            MemoryEvent::Given(_, len, given) => self.given.push((given, len)),
            MemoryEvent::Argument(_, len, _) => self.arguments += len,
            _ => {}
        }
    }
    fn branch(&mut self, _target: u32) {
        self.branches += 1;
    }
    fn enter(&mut self, _function: FuncId, depth: usize) {
        self.depth = depth;
    }
    fn leave(&mut self, depth: usize) {
        self.depth = depth.saturating_sub(1);
    }
}

#[test]
fn a_watched_run_is_the_same_run() {
    let Some(tools) = tools() else { return };
    let source = "#include <stdio.h>\nint main(void) { int n, s = 0, undefined; undefined = undefined; scanf(\"%d\", &n); for (int i = 0; i < n; i++) s += i; printf(\"%d\\n\", s); return 0; }";
    let (_folder, path) = file(source);
    let program = load(tools, &path, &[]);
    let plain = program.run(World::default().with_stdin("10\n"), limits());
    let watched = program.run_with(World::default().with_stdin("10\n"), limits(), Counter::default());
    assert_eq!(plain.world.stdout, b"45\n");
    assert_eq!(watched.world.stdout, plain.world.stdout);
    assert_eq!(watched.statistics, plain.statistics);
    // A load of undefined bits is executed twice and seen once.
    assert_eq!(watched.monitor.steps, plain.statistics.steps);
    assert_eq!(watched.monitor.branches, plain.statistics.branches);
    assert!(watched.monitor.loads > 50 && watched.monitor.stores > 50);
    assert_eq!(watched.monitor.input, [(0, 0, 3)]);
    assert_eq!(watched.monitor.output, 3);
    assert_eq!(watched.monitor.given, [(Given::Argument(0), 7)]);
    // `&n` and `s`.
    assert_eq!(watched.monitor.arguments, 16);
}
