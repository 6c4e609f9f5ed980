//! Variables of the source program and the stack slots they live in.

use super::body::BodyLowering;
use crate::llvm::{Block, Node, Value, Variable as Raw};
use hydrogen_ir::{InstructionId, Location, Position, Run, Variable, VariableKind};
use rustc_hash::FxHashMap;

impl<'m> BodyLowering<'_, 'm, '_> {
    pub(super) fn variables(&mut self, function: Value<'m>) -> Vec<Variable> {
        let list = Node::variables(function);
        let mut blocks: FxHashMap<Node<'m>, Vec<Run>> =
            list.iter().filter_map(|one| Some((one.0.read().scope?, Vec::new()))).collect();
        if !blocks.is_empty() {
            find_blocks(function, &mut blocks);
        }
        list.into_iter().map(|one| self.variable(one, &blocks)).collect()
    }

    fn variable(
        &mut self,
        (node, place, address, next): Raw<'m>,
        blocks: &FxHashMap<Node<'m>, Vec<Run>>,
    ) -> Variable {
        let debug = node.read();
        let declared = debug.file.filter(|_| debug.line > 0).map(|file| Location {
            file: self.unit.files.file(file),
            position: Position { line: debug.line, column: 0 },
        });
        let inner = debug.scope.filter(|_| debug.argument == 0);
        Variable {
            ctype: debug.base.map(|ty| self.unit.ctypes.lower(Some(ty))),
            kind: match debug.argument.checked_sub(1) {
                Some(index) => VariableKind::Parameter(index),
                None if inner.is_some() => VariableKind::Inner,
                None => VariableKind::Local,
            },
            slot: address.and_then(|address| self.slot(address)),
            // The record's own place has the column.
            location: place.and_then(|place| self.unit.location(place)).or(declared),
            name: debug.name,
            begins: next.filter(|_| inner.is_some()).and_then(|next| self.slot(next)),
            block: inner.and_then(|scope| blocks.get(&scope)).cloned().unwrap_or_default(),
        }
    }
}

/// The instructions that belong to each of these blocks. One that has no place in the source is where the one before it is.
fn find_blocks<'m>(function: Value<'m>, blocks: &mut FxHashMap<Node<'m>, Vec<Run>>) {
    let (mut next, mut scope) = (0, None);
    for block in Block::of(function) {
        for value in block.instructions() {
            let own = Node::of_instruction(value).map(Node::location).filter(|(_, line, _)| *line > 0);
            scope = own.map_or(scope, |(scope, ..)| scope);
            let mut around: Option<Node<'m>> = scope;
            while let Some(one) = around {
                if let Some(runs) = blocks.get_mut(&one) {
                    match runs.last_mut().filter(|run| run.first.0 + run.count == next) {
                        Some(run) => run.count += 1,
                        None => runs.push(Run { first: InstructionId(next), count: 1 }),
                    }
                }
                around = one.scope_around();
            }
            next += 1;
        }
    }
}
