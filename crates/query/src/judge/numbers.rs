//! What becomes of the numbers of a function, in the functions that it calls as well, and beyond that in those that find them in a member of a
//! structure or get them as a result.

use crate::judge::members::{Member, member_at};
use crate::meaning::program::Callee;
use crate::meaning::shape::Shape;
use crate::meaning::sizes::{Becomes, Leaves, Sizes, by_contract};
use crate::walk::Analyst;
use hydrogen_evidence::Class;
use hydrogen_graph::{ChainId, VersionId};
use hydrogen_ir::{InstructionId, Op, Operand};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is a size somewhere in a version: members of structures, and results of functions.
#[derive(Debug, Default)]
pub(crate) struct Sized {
    members: BTreeSet<Member>,
    results: BTreeSet<ChainId>,
}

/// Whether a kind of fault is about sizes, so that it is worth to look through all of a version for what becomes one.
pub(crate) fn is_of_sizes(kind: Option<Class>) -> bool {
    matches!(kind, Some(Class::SizeOverflow | Class::Sign))
}

impl Analyst<'_> {
    /// Which numbers of a function become sizes. Where sizes are asked about, also those that others make sizes of.
    pub(crate) fn sizes_of(&mut self, chain: ChainId, version: VersionId) -> Arc<Sizes> {
        // It rests on all that the function calls, as what it changes does.
        self.kept.mods(chain, version);
        let near = self.near_sizes(chain, version);
        if !self.asking.sizes {
            return near;
        }
        if let Some(known) = self.store.far_sizes.get(&(chain, version)) {
            let known = Arc::clone(known);
            self.note_members(chain, version);
            return known;
        }
        let Some(shape) = self.shape(chain, version) else { return near };
        self.store.far_sizes.insert((chain, version), near);
        let sized = self.sized(version);
        let module = Arc::clone(&shape.module);
        let sizes = Sizes::of(&shape, &mut |leaves| match leaves {
            Leaves::Given(callee, at) => self.becomes(&shape, callee, at),
            Leaves::Stored(Operand::Instruction(address)) => {
                let member = member_at(&module, shape.body(), *address);
                let is_sized = member.is_some_and(|member| sized.members.contains(&member));
                if is_sized { Becomes::Size } else { Becomes::Unsure }
            }
            Leaves::Returned if sized.results.contains(&chain) => Becomes::Size,
            Leaves::Stored(_) | Leaves::Returned => Becomes::Unsure,
        });
        self.store.far_sizes.insert((chain, version), Arc::new(sizes));
        self.note_members(chain, version);
        Arc::clone(&self.store.far_sizes[&(chain, version)])
    }

    /// As far as the function and what it calls say.
    fn near_sizes(&mut self, chain: ChainId, version: VersionId) -> Arc<Sizes> {
        if let Some(known) = self.store.sizes.get(&(chain, version)) {
            return Arc::clone(known);
        }
        // A function that calls itself may do anything with a number until it is known better.
        self.store.sizes.insert((chain, version), Arc::new(Sizes::unknown()));
        if let Some(shape) = self.shape(chain, version) {
            let sizes = Sizes::of(&shape, &mut |leaves| match leaves {
                Leaves::Given(callee, at) => self.becomes(&shape, callee, at),
                Leaves::Stored(_) | Leaves::Returned => Becomes::Unsure,
            });
            self.store.sizes.insert((chain, version), Arc::new(sizes));
        }
        Arc::clone(&self.store.sizes[&(chain, version)])
    }

    /// Notes the members that a function stores numbers to, and its callers: what becomes of these is not its own affair.
    fn note_members(&mut self, chain: ChainId, version: VersionId) {
        let Some(shape) = self.shape(chain, version) else { return };
        for (call, _) in self.callers_of(chain) {
            self.kept.mods(self.subject.program.graph.chain(call), version);
        }
        for instruction in &shape.body().instructions {
            if let Op::Store { pointer: Operand::Instruction(address), .. } = &instruction.op
                && let Some(member) = member_at(&shape.module, shape.body(), *address)
            {
                self.kept.member(&member, version);
            }
        }
    }

    /// Whether a member is a size somewhere.
    pub(crate) fn is_sized(&mut self, member: &Member, version: VersionId) -> bool {
        self.sized(version).members.contains(member)
    }

    /// All that is a size somewhere in a version.
    fn sized(&mut self, version: VersionId) -> Arc<Sized> {
        if let Some(known) = self.store.sized.get(&version) {
            return Arc::clone(known);
        }
        let graph = self.subject.program.graph;
        let mut sized = Sized::default();
        let chains: Vec<ChainId> = graph.chains().filter(|&chain| graph.chain_in(chain, version)).collect();
        for chain in chains {
            let Some(shape) = self.shape(chain, version) else { continue };
            let sizes = self.near_sizes(chain, version);
            for (at, instruction) in shape.body().instructions.iter().enumerate() {
                let id = InstructionId(at as u32);
                if sizes.result(id) < Becomes::Index {
                    continue;
                }
                match &instruction.op {
                    Op::Load { pointer: Operand::Instruction(address), .. } => {
                        sized.members.extend(member_at(&shape.module, shape.body(), *address));
                    }
                    Op::Call { callee, .. } => {
                        if let Some(Callee::Chain(callee)) = self.whom(&shape, callee).map(|whom| whom.callee)
                        {
                            sized.results.insert(callee);
                        }
                    }
                    _ => {}
                }
            }
        }
        let sized = Arc::new(sized);
        self.store.sized.insert(version, Arc::clone(&sized));
        sized
    }

    /// What a call makes of one of its arguments.
    fn becomes(&mut self, shape: &Shape, callee: &Operand, at: usize) -> Becomes {
        let Some(whom) = self.whom(shape, callee) else { return Becomes::Unsure };
        let name = whom.name;
        match whom.callee {
            Callee::Chain(chain) => self.near_sizes(chain, shape.version).parameter(at),
            Callee::External => match self.subject.library.contract(&name) {
                Some(contract) => by_contract(contract, at),
                // The compiler's own functions take no sizes but by contract.
                None if name.starts_with("llvm.") => Becomes::Nothing,
                None => Becomes::Unsure,
            },
            Callee::Unclear => Becomes::Unsure,
        }
    }
}
