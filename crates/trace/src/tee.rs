//! Two monitors of one run.

use hydrogen_machine::{
    Answered, Builtin, Extent, FuncId, Leaving, MemoryEvent, Monitor, Place, Step, Stream, StreamEvent, View,
    World,
};

/// Both watch; the first is told first.
#[derive(Debug, Clone, Default)]
pub struct Both<A, B>(pub A, pub B);

impl<A: Monitor, B: Monitor> Monitor for Both<A, B> {
    const ACTIVE: bool = A::ACTIVE || B::ACTIVE;

    fn step(&mut self, step: Step<'_>) {
        self.0.step(step);
        self.1.step(step);
    }
    fn memory(&mut self, address: u64, event: MemoryEvent, view: View<'_>) {
        self.0.memory(address, event, view);
        self.1.memory(address, event, view);
    }
    fn denied(&mut self, address: u64, bytes: u64, write: bool, view: View<'_>) {
        self.0.denied(address, bytes, write, view);
        self.1.denied(address, bytes, write, view);
    }
    fn answered(&mut self, answered: Answered<'_>) {
        self.0.answered(answered);
        self.1.answered(answered);
    }
    fn went_on(&mut self) {
        self.0.went_on();
        self.1.went_on();
    }
    fn stream(&mut self, stream: Stream, event: StreamEvent, world: &World) {
        self.0.stream(stream, event, world);
        self.1.stream(stream, event, world);
    }
    fn named(&mut self, what: Builtin, name: &[u8], memory: Option<(Place, u64)>) {
        self.0.named(what, name, memory);
        self.1.named(what, name, memory);
    }
    fn branch(&mut self, target: u32) {
        self.0.branch(target);
        self.1.branch(target);
    }
    fn called(
        &mut self,
        function: FuncId,
        call: &hydrogen_evidence::Call,
        objects: &[Extent],
        view: View<'_>,
    ) {
        self.0.called(function, call, objects, view);
        self.1.called(function, call, objects, view);
    }
    fn returned(&mut self, left: &Leaving<'_>, view: View<'_>) {
        self.0.returned(left, view);
        self.1.returned(left, view);
    }
    fn enter(&mut self, function: FuncId, depth: usize) {
        self.0.enter(function, depth);
        self.1.enter(function, depth);
    }
    fn leave(&mut self, depth: usize) {
        self.0.leave(depth);
        self.1.leave(depth);
    }
    fn opaque(&mut self) {
        self.0.opaque();
        self.1.opaque();
    }
}
