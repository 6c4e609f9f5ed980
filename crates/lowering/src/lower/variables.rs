//! Variables of the source program and the stack slots they live in.

use super::body::BodyLowering;
use crate::llvm::{Node, Value};
use hydrogen_ir::{Location, Position, Variable, VariableKind};

impl<'m> BodyLowering<'_, 'm, '_> {
    pub(super) fn variables(&mut self, function: Value<'m>) -> Vec<Variable> {
        let list = Node::variables(function);
        list.into_iter().map(|(node, place, address)| self.variable(node, place, address)).collect()
    }

    fn variable(&mut self, node: Node<'m>, place: Option<Node<'m>>, address: Option<Value<'m>>) -> Variable {
        let debug = node.read();
        let declared = debug.file.filter(|_| debug.line > 0).map(|file| Location {
            file: self.unit.files.file(file),
            position: Position { line: debug.line, column: 0 },
        });
        Variable {
            ctype: debug.base.map(|ty| self.unit.ctypes.lower(Some(ty))),
            kind: match debug.argument.checked_sub(1) {
                Some(index) => VariableKind::Parameter(index),
                None if debug.inner => VariableKind::Inner,
                None => VariableKind::Local,
            },
            slot: address.and_then(|address| self.slot(address)),
            // The record's own place has the column.
            location: place.and_then(|place| self.unit.location(place)).or(declared),
            name: debug.name,
        }
    }
}
