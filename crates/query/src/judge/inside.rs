//! What the functions do that a statement calls: a fault in there, on a way through this call, is the statement's.

use crate::judge::fault::Site;
use crate::meaning::program::Callee;
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::ledger;
use hydrogen_evidence::{Class, Entry};
use hydrogen_graph::{ChainId, NodeId, VersionId};
use hydrogen_ir::{Op, Operand, Role, Type};

/// How many calls deep.
const DEEPEST: usize = 2;
/// How many possible faults are looked at.
const MOST_SITES: usize = 24;

impl Analyst<'_> {
    /// The possible faults inside the functions that a statement calls, and what was not looked at.
    pub(crate) fn inside(
        &mut self,
        node: NodeId,
        version: VersionId,
        kind: Option<Class>,
    ) -> (Vec<(Frame, Site)>, Vec<Entry>) {
        let (mut found, mut left) = (Vec::new(), Vec::new());
        let mut open = vec![(node, vec![node])];
        while let Some((node, within)) = open.pop() {
            for (name, chain) in self.called(node, version) {
                let Some(chain) = chain else {
                    left.push(Entry::NotLookedInside { callee: name });
                    continue;
                };
                let frame = Frame { within: within.clone(), ..Frame::of(chain) };
                let recursive = within.iter().any(|&call| self.program.graph.chain(call) == chain);
                let inner = self.program.graph.pieces(chain, version);
                let function = self.program.graph.name(chain, version).to_owned();
                if recursive || self.shape(chain, version).is_none() {
                    left.push(Entry::InsideLeft { function });
                    continue;
                }
                for one in inner {
                    if matches!(self.program.graph.role(one), Role::Entry | Role::Exit) {
                        continue;
                    }
                    let sites = self.sites(&frame, one, version).into_iter();
                    for site in sites.filter(|site| kind.is_none_or(|kind| kind == site.kind)) {
                        // Whether memory is lost is asked where it was made.
                        if site.kind == Class::Leak {
                            continue;
                        }
                        if found.len() == MOST_SITES {
                            left.push(Entry::InsideLeft { function: function.clone() });
                            return (found, left);
                        }
                        found.push((frame.clone(), site));
                    }
                    let mut calls = vec![one];
                    calls.extend(&within);
                    if calls.len() <= DEEPEST {
                        open.push((one, calls));
                    } else if !self.called(one, version).is_empty() {
                        left.push(Entry::InsideLeft { function: function.clone() });
                    }
                }
            }
        }
        (found, left)
    }

    /// The functions that a statement calls: those of the program, and others without a contract that get a pointer.
    fn called(&mut self, node: NodeId, version: VersionId) -> Vec<(ledger::Callee, Option<ChainId>)> {
        let caller = self.program.graph.chain(node);
        let Some(shape) = self.shape(caller, version) else { return Vec::new() };
        let mut found = Vec::new();
        for step in 0..shape.steps.len() {
            let Some(id) = shape.call(step).filter(|_| shape.steps[step].spot.node == node) else { continue };
            let Op::Call { callee, arguments, .. } = shape.op(id) else { continue };
            let leads = |argument: &Operand| {
                let ty = shape.operand_type(argument);
                ty.is_some_and(|ty| matches!(shape.module.types.get(ty), Type::Pointer { .. }))
            };
            let gets_pointer = arguments.iter().any(leads);
            match shape.named(callee) {
                None if gets_pointer => found.push((ledger::Callee::Pointer, None)),
                None => {}
                Some(function) => {
                    let name = function.name.clone();
                    match self.program.callee(caller, version, &name) {
                        Callee::Chain(chain) => found.push((ledger::Callee::Named(name), Some(chain))),
                        Callee::External if self.library.contract(&name).is_some() || !gets_pointer => {}
                        _ => found.push((ledger::Callee::Named(name), None)),
                    }
                }
            }
        }
        found
    }
}
