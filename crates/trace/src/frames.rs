//! Activations of functions during a replay.

use crate::node::Node;
use crate::places::Owner;
use crate::replay::FRAMES;
use crate::shape::Shape;
use crate::statics::Static;
use hydrogen_flow::ObjectId;
use hydrogen_machine::code::Code;
use hydrogen_machine::{FuncId, Place};

/// A call that has not returned.
pub(crate) struct Activation<'s> {
    pub(crate) number: u32,
    pub(crate) function: FuncId,
    pub(crate) code: &'s Code,
    pub(crate) shape: &'s Shape,
    /// Who wrote each register last.
    pub(crate) registers: Vec<Node>,
    /// By block, the last time that its end was executed, with its index.
    last: Vec<(Node, u64)>,
    /// What called it.
    parent: (Node, u64),
    /// Where its local variables begin.
    pub(crate) local: usize,
    pub(crate) pc: u32,
    /// What decided that the current block is executed, with its index.
    pub(crate) control: (Node, u64),
    pub(crate) started: bool,
    /// Memory of the activation beside its variables: arrays of variable length, structures and arguments passed.
    pub(crate) areas: Vec<Owner>,
}

impl<'s> Activation<'s> {
    pub(crate) fn new(
        statics: &'s Static<'_>,
        number: u32,
        function: FuncId,
        local: usize,
        parent: (Node, u64),
    ) -> Option<Self> {
        let (code, shape) = (statics.program.code(function)?, statics.shape(function)?);
        Some(Self {
            number,
            function,
            code,
            shape,
            registers: vec![Node::NONE; code.first_constant as usize],
            last: vec![(Node::NONE, 0); shape.control.controls.len()],
            parent,
            local,
            pc: 0,
            control: parent,
            started: false,
            areas: Vec::new(),
        })
    }

    /// Who wrote a register; nobody wrote constants.
    pub(crate) fn writer(&self, register: u32) -> Node {
        self.registers.get(register as usize).copied().unwrap_or(Node::NONE)
    }

    /// An instruction is executed; at the beginning of a block, what decided over it is looked up: the latest among
    /// the ends that statically decide over the block (D-2.9), or the call.
    pub(crate) fn go(&mut self, pc: u32) {
        self.pc = pc;
        let control = &self.shape.control;
        let block = control.block_of[pc as usize];
        if control.starts[block as usize] == pc {
            let latest = control.controls[block as usize].iter().map(|by| self.last[*by as usize]).max();
            self.control = latest.filter(|latest| latest.0 != Node::NONE).unwrap_or(self.parent);
        }
    }

    /// The end of a block decides.
    pub(crate) fn decide(&mut self, pc: u32, by: (Node, u64)) {
        let block = self.shape.control.block_of[pc as usize];
        self.last[block as usize] = by;
    }

    /// The index of the current instruction: the way to it in the tree of control dependence (D-6.18).
    pub(crate) fn index(&self) -> u64 {
        mix(mix(self.control.1, self.function.0.into()), self.pc.into())
    }

    /// The object that a byte of the stack belongs to, if it is one of this activation that has an address.
    pub(crate) fn owner(&self, statics: &Static<'_>, at: usize) -> Option<Owner> {
        let offset = at.checked_sub(self.local)?;
        let local = |l: &&hydrogen_machine::code::Local| {
            l.offset as usize <= offset && offset < (l.offset + l.size) as usize
        };
        if let Some(local) = self.code.locals.iter().find(local) {
            let object = statics.made_at(self.function, local.origin, false);
            let start = self.local + local.offset as usize;
            return Some(Owner { start, len: local.size.into(), object });
        }
        let inside = |area: &&Owner| area.start <= at && at < area.start + area.len as usize;
        self.areas.iter().rev().find(inside).copied()
    }
}

/// Where an index goes on.
pub(crate) fn mix(index: u64, with: u64) -> u64 {
    let mixed = (index.rotate_left(23) ^ with.wrapping_add(0x9e37_79b9_7f4a_7c15))
        .wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ mixed >> 32
}

/// The object of a byte on the stack.
pub(crate) fn owner_on_stack(frames: &[Activation<'_>], statics: &Static<'_>, place: Place) -> Option<Owner> {
    debug_assert_eq!(place.region, FRAMES);
    let above = frames.partition_point(|frame| frame.local <= place.at);
    // A frame without variables begins where the next one does.
    frames[..above].iter().rev().take(8).find_map(|frame| frame.owner(statics, place.at))
}

/// An owner of which nothing is known.
pub(crate) fn unknown(place: Place, len: u64) -> Owner {
    Owner { start: place.at, len, object: ObjectId::UNKNOWN }
}
