//! What functions and calls may read and write.

use crate::points_to::Set;
use crate::{CallGraph, Code, Effect, ObjectId, ObjectKind, Offset, Options, Place, PointsTo, Successors};
use hydrogen_ir::{Body, Const, FunctionId, InstructionId, Module, Op, Operand, TypeId};

/// Accesses of up to this many bytes count at their offset; larger ones count for the whole object.
const SMALL: u64 = 16;

/// May-read and may-write sets of all functions, callees included.
///
/// The unknown memory stands for every escaped object. Stack slots of a function are left out of what its callers see,
/// unless it is recursive: they are gone when it returns.
#[derive(Debug)]
pub struct Summaries {
    by_component: Vec<Summary>,
    component_of: Vec<usize>,
}

/// Two sets of places. A place is the number of a location, or behind those, of an object as a whole.
#[derive(Debug, Clone, Default)]
struct Summary {
    written: Set,
    read: Set,
}

impl Summary {
    fn add(&mut self, other: &Summary) {
        self.written.union(&other.written);
        self.read.union(&other.read);
    }
}

impl Summaries {
    /// Summarises all functions, callees before callers.
    pub fn new(module: &Module, options: &Options, points_to: &PointsTo, calls: &CallGraph) -> Self {
        let collector = Collector { module, options, points_to };
        let components = calls.components();
        let mut by_component: Vec<Summary> = Vec::with_capacity(components.count());
        for (index, members) in components.bottom_up().enumerate() {
            let mut summary = Summary::default();
            let mut callees: Vec<usize> = Vec::new();
            for &node in members {
                match calls.code(node) {
                    Code::Function(id) => collector.function(id, &mut summary),
                    Code::Unknown => collector.unknown(&mut summary),
                }
                callees.extend(calls.graph().successors(node).map(|next| components.component_of(next)));
            }
            callees.sort_unstable();
            callees.dedup();
            for callee in callees.into_iter().filter(|&callee| callee != index) {
                summary.add(&by_component[callee]);
            }
            if let ([node], false) = (members, components.is_cyclic(index))
                && let Code::Function(id) = calls.code(*node)
            {
                collector.forget_frame(id, &mut summary);
            }
            by_component.push(summary);
        }
        let component_of =
            (0..calls.graph().node_count()).map(|node| components.component_of(node)).collect();
        Self { by_component, component_of }
    }

    /// What a call of this function may write, ascending.
    pub fn written(&self, points_to: &PointsTo, function: FunctionId) -> Vec<Place> {
        places(points_to, &self.summary(function).written)
    }

    /// What a call of this function may read, ascending.
    pub fn read(&self, points_to: &PointsTo, function: FunctionId) -> Vec<Place> {
        places(points_to, &self.summary(function).read)
    }

    /// Everything that one instruction may write, calls included, ascending.
    pub fn written_at(&self, at: At<'_>) -> Vec<Place> {
        places(at.points_to, &self.instruction(at).written)
    }

    /// Everything that one instruction may read from memory, calls included, ascending.
    pub fn read_at(&self, at: At<'_>) -> Vec<Place> {
        places(at.points_to, &self.instruction(at).read)
    }

    /// Whether an instruction, calls included, may change one of the `size` bytes that `pointer` points to.
    pub fn may_write(&self, at: At<'_>, pointer: &Operand, size: u64) -> bool {
        let written = self.instruction(at).written;
        let target = at.points_to.points_to(at.function, pointer);
        places(at.points_to, &written)
            .iter()
            .any(|&place| target.iter().any(|&other| at.points_to.overlap(place, SMALL, other, size)))
    }

    fn summary(&self, function: FunctionId) -> &Summary {
        &self.by_component[self.component_of[function.index()]]
    }

    fn instruction(&self, at: At<'_>) -> Summary {
        let collector = Collector { module: at.module, options: at.options, points_to: at.points_to };
        let mut summary = Summary::default();
        let Some(body) = &at.module.function(at.function).body else { return summary };
        collector.instruction(at.function, body, at.instruction, &mut summary);
        if matches!(body.instruction(at.instruction).op, Op::Call { .. }) {
            let callees = at.points_to.callees(at.function, at.instruction);
            for callee in callees.functions {
                summary.add(self.summary(callee));
            }
            if callees.unknown {
                summary.add(&self.by_component[self.component_of[self.component_of.len() - 1]]);
            }
        }
        summary
    }
}

/// Places with the number of bytes that are touched there.
pub type Touched = Vec<(Place, u64)>;

/// What one instruction itself may read and write. What a function with a body does when it is called is left out; unknown code
/// may touch all that escaped.
pub fn own_effects(at: At<'_>) -> (Touched, Touched) {
    let collector = Collector { module: at.module, options: at.options, points_to: at.points_to };
    let mut summary = Summary::default();
    let Some(body) = &at.module.function(at.function).body else { return Default::default() };
    collector.instruction(at.function, body, at.instruction, &mut summary);
    let instruction = body.instruction(at.instruction);
    let size = match &instruction.op {
        Op::Load { .. } => collector.size(instruction.ty),
        Op::Store { value, .. } => collector.operand_size(at.function, body, value),
        Op::Call { .. } => {
            let callees = at.points_to.callees(at.function, at.instruction);
            let unknown = |&id: &FunctionId| {
                !at.points_to.is_known(id) && !at.module.function(id).name.starts_with("llvm.")
            };
            if callees.unknown || callees.functions.iter().any(unknown) {
                collector.unknown(&mut summary);
            }
            None
        }
        _ => None,
    };
    let sized = |set: &Set| -> Touched {
        places(at.points_to, set).into_iter().map(|place| (place, size.unwrap_or(SMALL))).collect()
    };
    (sized(&summary.read), sized(&summary.written))
}

/// An instruction and what is known about its module.
#[derive(Debug, Clone, Copy)]
pub struct At<'a> {
    /// The module.
    pub module: &'a Module,
    /// The options of the points-to analysis.
    pub options: &'a Options,
    /// Its result.
    pub points_to: &'a PointsTo,
    /// The function.
    pub function: FunctionId,
    /// The instruction in it.
    pub instruction: InstructionId,
}

fn places(points_to: &PointsTo, set: &Set) -> Vec<Place> {
    let locations = points_to.location_count();
    let mut places: Vec<_> = set
        .iter()
        .map(|number| match (number as usize).checked_sub(locations) {
            Some(object) => Place { object: ObjectId(object as u32), offset: Offset::Anywhere },
            None => points_to.place(number),
        })
        .collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// Finds what instructions do themselves.
struct Collector<'a> {
    module: &'a Module,
    options: &'a Options,
    points_to: &'a PointsTo,
}

impl Collector<'_> {
    fn function(&self, id: FunctionId, summary: &mut Summary) {
        let Some(body) = &self.module.function(id).body else { return };
        for at in 0..body.instructions.len() {
            self.instruction(id, body, InstructionId::at(at), summary);
        }
    }

    fn unknown(&self, summary: &mut Summary) {
        summary.written.insert(crate::points_to::UNKNOWN);
        summary.read.insert(crate::points_to::UNKNOWN);
    }

    fn touch(&self, f: FunctionId, pointer: &Operand, size: Option<u64>, set: &mut Set) {
        let targets = self.points_to.locations(f, pointer);
        if size.is_some_and(|size| size <= SMALL) {
            set.union(&targets);
            return;
        }
        let locations = self.points_to.location_count() as u32;
        for loc in targets.iter() {
            let place = self.points_to.place(loc);
            let whole = place.object != ObjectId::UNKNOWN;
            set.insert(if whole { locations + place.object.0 } else { loc });
        }
    }

    fn instruction(&self, f: FunctionId, body: &Body, at: InstructionId, summary: &mut Summary) {
        let instruction = body.instruction(at);
        match &instruction.op {
            Op::Load { pointer, .. } => {
                self.touch(f, pointer, self.size(instruction.ty), &mut summary.read);
            }
            Op::Store { value, pointer, .. } => {
                self.touch(f, pointer, self.operand_size(f, body, value), &mut summary.written);
            }
            Op::AtomicRmw { pointer, value, .. } | Op::CompareExchange { pointer, new: value, .. } => {
                let size = self.operand_size(f, body, value);
                self.touch(f, pointer, size, &mut summary.read);
                self.touch(f, pointer, size, &mut summary.written);
            }
            Op::VaArg { list } => {
                self.touch(f, list, None, &mut summary.read);
                self.touch(f, list, None, &mut summary.written);
                let rest = self.points_to.object_of(ObjectKind::Rest(f));
                let locations = self.points_to.location_count() as u32;
                summary.read.union(&rest.map(|object| locations + object.0).into_iter().collect());
            }
            Op::Call { arguments, .. } => {
                for callee in self.points_to.callees(f, at).functions {
                    self.library(f, callee, arguments, summary);
                }
            }
            Op::Asm { .. } | Op::AsmBranch { .. } | Op::Opaque { .. } | Op::OpaqueTerminator { .. } => {
                self.unknown(summary);
            }
            _ => {}
        }
    }

    /// What a function of the library does with its arguments.
    fn library(&self, f: FunctionId, callee: FunctionId, arguments: &[Operand], summary: &mut Summary) {
        let callee = self.module.function(callee);
        if callee.body.is_some() {
            return;
        }
        let Some(effects) = self.options.library.effects(&callee.name) else { return };
        // The length of the intrinsics for memory is their third argument.
        let length = match (callee.name.starts_with("llvm.mem"), arguments.get(2)) {
            (true, Some(Operand::Const(id))) => match self.module.constant(*id) {
                Const::Int { bits, .. } => u64::try_from(*bits).ok(),
                _ => None,
            },
            _ => None,
        };
        let each = |index: Option<usize>| match index {
            Some(index) => arguments.get(index..=index).unwrap_or_default(),
            None => arguments,
        };
        for effect in effects {
            match *effect {
                Effect::Reads(index) => {
                    each(index).iter().for_each(|a| self.touch(f, a, length, &mut summary.read));
                }
                Effect::Writes(index) => {
                    each(index).iter().for_each(|a| self.touch(f, a, length, &mut summary.written));
                }
                Effect::Copy { to, from } => {
                    each(Some(to)).iter().for_each(|a| self.touch(f, a, length, &mut summary.written));
                    each(Some(from)).iter().for_each(|a| self.touch(f, a, length, &mut summary.read));
                }
                Effect::Put { into, .. } | Effect::PutForeign(into) => {
                    each(Some(into)).iter().for_each(|a| self.touch(f, a, None, &mut summary.written));
                }
                _ => {}
            }
        }
        if callee.name.starts_with("llvm.va_start") {
            each(Some(0)).iter().for_each(|a| self.touch(f, a, None, &mut summary.written));
        }
    }

    fn forget_frame(&self, id: FunctionId, summary: &mut Summary) {
        let locations = self.points_to.location_count();
        let keep = |number: u32| {
            let object = match (number as usize).checked_sub(locations) {
                Some(object) => ObjectId(object as u32),
                None => self.points_to.place(number).object,
            };
            !matches!(self.points_to.object(object),
                ObjectKind::Stack { function, .. } | ObjectKind::Copy { function, .. } | ObjectKind::Rest(function)
                    if function == id)
        };
        summary.written = summary.written.iter().filter(|&number| keep(number)).collect();
        summary.read = summary.read.iter().filter(|&number| keep(number)).collect();
    }

    fn size(&self, ty: TypeId) -> Option<u64> {
        self.module.types.layout(ty).map(|layout| layout.alloc_bytes)
    }

    fn operand_size(&self, f: FunctionId, body: &Body, operand: &Operand) -> Option<u64> {
        match operand {
            Operand::Instruction(id) => self.size(body.instruction(*id).ty),
            Operand::Parameter(index) => {
                self.size(self.module.function(f).parameters.get(*index as usize)?.ty?)
            }
            Operand::Const(id) => self.module.constant(*id).ty().map_or(Some(8), |ty| self.size(ty)),
            Operand::Metadata(_) => None,
        }
    }
}
