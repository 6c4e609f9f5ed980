//! Calls of library functions of which more is known than what their pointers point to.

use super::compiled::Compiled;
use hydrogen_flow::{Effect, ObjectId, Offset, Place, Touched};
use hydrogen_ir::{Body, Const, FunctionId, Op, Operand};
use hydrogen_library::{Clause, Library, Trait};

/// What a statement does with files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Files {
    /// Whether others may read something else there, or at another position.
    pub sets: bool,
    /// Whether it reads, or depends on where reading and writing stand.
    pub reads: bool,
}

impl Files {
    pub fn add(&mut self, other: Files) {
        self.sets |= other.sets;
        self.reads |= other.reads;
    }
}

/// What a call does.
pub(crate) struct LibraryCall {
    pub files: Files,
    /// The memory of the program that it writes.
    pub writes: Touched,
}

/// So many bytes count at a place of unknown memory.
const SOME: u64 = 16;

impl Compiled<'_> {
    /// What the call of a function of the library does; `None` for others. A stream belongs to the library, which nobody else looks
    /// into; what was printed to the terminal is read by nobody; and no valid program reads what it has freed.
    pub fn library_call(
        &self,
        caller: FunctionId,
        body: &Body,
        callee: FunctionId,
        arguments: &[Operand],
    ) -> Option<LibraryCall> {
        let function = self.module.function(callee);
        let name = function.name.as_str();
        if function.body.is_some() {
            return None;
        }
        let library = Library::standard();
        let effects = library.effects(name)?;
        let is = |what: Trait| library.is(name, what);
        let stream = match (is(Trait::StreamFirst), is(Trait::StreamLast)) {
            (true, _) => Some(0),
            (_, true) => arguments.len().checked_sub(1),
            _ => None,
        };
        let to_terminal = is(Trait::Output)
            && stream.and_then(|at| arguments.get(at)).is_some_and(|it| self.is_terminal(body, it));
        let touches = is(Trait::Files) && !to_terminal;
        let files = Files { sets: touches, reads: touches };
        let frees = library
            .contract(name)
            .is_some_and(|it| it.clauses.iter().any(|clause| matches!(clause, Clause::Frees(_))));
        let mut writes = Touched::new();
        let mut write = |at: usize| {
            let places = arguments.get(at).map(|it| self.points_to.points_to(caller, it)).unwrap_or_default();
            writes.extend(places.into_iter().map(|place| (whole(place), SOME)));
        };
        for effect in effects.iter().filter(|_| !frees) {
            match *effect {
                Effect::Writes(Some(at)) if stream != Some(at) => write(at),
                Effect::Writes(None) => (0..arguments.len()).for_each(&mut write),
                Effect::Copy { to, .. } => write(to),
                Effect::Put { into, .. } | Effect::PutForeign(into) => write(into),
                _ => {}
            }
        }
        Some(LibraryCall { files, writes })
    }

    /// Whether an operand is `stdout` or `stderr`.
    fn is_terminal(&self, body: &Body, operand: &Operand) -> bool {
        let Operand::Instruction(id) = operand else { return false };
        let Op::Load { pointer: Operand::Const(from), .. } = &body.instruction(*id).op else { return false };
        let Const::Global(global) = self.module.constant(*from) else { return false };
        matches!(self.module.global(*global).name.as_str(), "stdout" | "stderr")
    }
}

fn whole(place: Place) -> Place {
    match place.object {
        ObjectId::UNKNOWN => place,
        object => Place { object, offset: Offset::Anywhere },
    }
}
