//! What the functions do that a statement calls: a fault in there, on a way through this call, is the statement's.

use crate::judge::fault::Site;
use crate::meaning::program::Callee;
use crate::meaning::shape::Shape;
use crate::run::Mode;
use crate::walk::whom::Whom;
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::ledger;
use hydrogen_evidence::{Class, Entry};
use hydrogen_graph::{ChainId, NodeId, VersionId};
use hydrogen_ir::{InstructionId, Op, Operand, Role, Type};
use std::collections::{BTreeMap, BTreeSet};

/// How many calls deep.
const DEEPEST: usize = 2;
/// How many possible faults are looked at.
const MOST_SITES: usize = 24;

/// What of each version was not looked at.
pub(crate) type Unseen = BTreeMap<VersionId, BTreeSet<Left>>;

/// Something that was not looked at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Left {
    pub entry: Entry,
    pub of: Of,
}

/// Which faults there may be in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Of {
    /// All.
    Any,
    /// Those of sizes: numbers are given to it.
    Numbers,
    /// Lost memory: it may give some.
    Memory,
}

impl Left {
    /// Whether a fault of this kind may be in it.
    pub fn hides(&self, kind: Class) -> bool {
        match self.of {
            Of::Any => true,
            Of::Numbers => matches!(kind, Class::Sign | Class::SizeOverflow),
            Of::Memory => kind == Class::Leak,
        }
    }
}

/// Whether a fault of a kind may be in what was not looked at.
pub(crate) fn is_unseen(unseen: &Unseen, kind: Class) -> bool {
    unseen.values().flatten().any(|left| left.hides(kind))
}

/// A function that a statement calls.
struct Called {
    name: ledger::Callee,
    /// None if it is not seen.
    chain: Option<ChainId>,
    /// Which faults there may be in it, or behind it.
    of: Vec<Of>,
}

impl Analyst<'_> {
    /// The possible faults inside the functions that a statement calls, and what was not looked at.
    pub(crate) fn inside(
        &mut self,
        node: NodeId,
        version: VersionId,
        kind: Option<Class>,
    ) -> (Vec<(Frame, Site)>, Vec<Left>) {
        let (mut found, mut left) = (Vec::new(), Vec::new());
        let not_all = |function: &String| {
            let entry = Entry::InsideLeft { function: function.clone() };
            Left { entry, of: Of::Any }
        };
        let mut open = vec![(node, vec![node])];
        while let Some((node, within)) = open.pop() {
            for Called { name, chain, of } in self.called(node, version) {
                let unseen = |of: &Of| {
                    let callee = name.clone();
                    let entry = match of {
                        Of::Memory => Entry::MemoryGiven { callee },
                        _ => Entry::NotLookedInside { callee },
                    };
                    Left { entry, of: *of }
                };
                left.extend(of.iter().map(unseen));
                let Some(chain) = chain else { continue };
                let frame = Frame { within: within.clone(), ..Frame::of(chain) };
                let recursive = within.iter().any(|&call| self.subject.program.graph.chain(call) == chain);
                let inner = self.subject.program.graph.pieces(chain, version);
                let function = self.subject.program.graph.name(chain, version).to_owned();
                if recursive || self.shape(chain, version).is_none() {
                    left.push(not_all(&function));
                    continue;
                }
                for one in inner {
                    if matches!(self.subject.program.graph.role(one), Role::Entry | Role::Exit) {
                        continue;
                    }
                    let sites = self.sites(&frame, one, version).into_iter();
                    let wanted = |site: &Site| kind.map_or(site.unsure.is_none(), |kind| kind == site.kind);
                    for site in sites.filter(wanted) {
                        // Whether memory is lost is asked where it was made.
                        if site.kind == Class::Leak {
                            continue;
                        }
                        if found.len() == MOST_SITES {
                            left.push(not_all(&function));
                            return (found, left);
                        }
                        found.push((frame.clone(), site));
                    }
                    let mut calls = vec![one];
                    calls.extend(&within);
                    if calls.len() <= DEEPEST {
                        open.push((one, calls));
                    } else if !self.called(one, version).is_empty() {
                        left.push(not_all(&function));
                    }
                }
            }
        }
        (found, left)
    }

    /// The functions that a statement calls, those aside that a contract tells all of and those that get and give nothing.
    fn called(&mut self, node: NodeId, version: VersionId) -> Vec<Called> {
        let caller = self.subject.program.graph.chain(node);
        let Some(shape) = self.shape(caller, version) else { return Vec::new() };
        let mut found = Vec::new();
        for step in 0..shape.steps.len() {
            let Some(id) = shape.call(step).filter(|_| shape.steps[step].spot.node == node) else { continue };
            let Op::Call { callee, .. } = shape.op(id) else { continue };
            let (name, chain, mut of) = match self.whom(&shape, callee) {
                // Whatever of the program is called may fail, by what it is given or by what it looks up.
                None => (ledger::Callee::Pointer, None, vec![Of::Any]),
                Some(Whom { name, callee, .. }) => match callee {
                    Callee::External if self.subject.library.contract(&name).is_some() => continue,
                    Callee::Chain(chain) => (ledger::Callee::Named(name), Some(chain), Vec::new()),
                    Callee::Unclear => (ledger::Callee::Named(name), None, vec![Of::Any]),
                    Callee::External => (ledger::Callee::Named(name), None, given(&shape, id)),
                },
            };
            let makes = match chain {
                Some(chain) => self.in_mode(Mode::Prove, |one| one.mods_of(chain, version).makes),
                None => is_pointer(&shape, &Operand::Instruction(id)),
            };
            if makes {
                of.push(Of::Memory);
            }
            if chain.is_some() || !of.is_empty() {
                found.push(Called { name, chain, of });
            }
        }
        found
    }
}

fn is_pointer(shape: &Shape, operand: &Operand) -> bool {
    match shape.operand_type(operand) {
        Some(ty) => matches!(shape.module.types.get(ty), Type::Pointer { .. }),
        // The address of a variable or a function.
        None => matches!(operand, Operand::Const(_)),
    }
}

/// Which faults there may be in a function that is not seen, by what it is given.
fn given(shape: &Shape, call: InstructionId) -> Vec<Of> {
    let Op::Call { arguments, .. } = shape.op(call) else { return Vec::new() };
    let is_number = |argument: &Operand| {
        let ty = shape.operand_type(argument);
        ty.is_some_and(|ty| matches!(shape.module.types.get(ty), Type::Int(_)))
    };
    if arguments.iter().any(|argument| is_pointer(shape, argument)) {
        vec![Of::Any]
    } else if arguments.iter().any(is_number) {
        vec![Of::Numbers]
    } else {
        Vec::new()
    }
}
