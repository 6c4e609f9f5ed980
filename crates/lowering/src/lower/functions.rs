//! Functions: the head; the body is in `body.rs`.

use super::{LowerError, Lowering, operators};
use crate::llvm::{Node, Value};
use hydrogen_ir::{Function, Parameter, Piece, Position, Role, Span};

impl<'m> Lowering<'m, '_> {
    pub(super) fn function(&mut self, value: Value<'m>) -> Result<Function, LowerError> {
        let mut function = Function {
            name: value.name(),
            linkage: operators::linkage(value.linkage()),
            ty: Some(self.types.lower(value.object_type())),
            ctype: None,
            signature: String::new(),
            parameters: (0..value.parameter_count()).map(|index| self.parameter(value, index)).collect(),
            no_return: self.attributes.no_return(value),
            span: None,
            pieces: Vec::new(),
            flow: Vec::new(),
            fall_through: Vec::new(),
            calls: Vec::new(),
            body: None,
        };
        let debug = Node::of_function(value).map(Node::read);
        if let Some(debug) = &debug {
            function.ctype = debug.base.map(|ty| self.ctypes.lower(Some(ty)));
        }
        if value.is_declaration() {
            return Ok(function);
        }
        if let Some((file, line)) = debug.and_then(|debug| Some((debug.file?, debug.line))) {
            // Debug information knows the line alone; the exact extent comes with the statements.
            let place = Position { line, column: 0 };
            function.span = Some(Span { file: self.files.file(file), start: place, end: place });
        }
        function.pieces = vec![synthetic(Role::Entry), synthetic(Role::Exit)];
        let (body, calls) = self.body(value)?;
        function.body = Some(body);
        function.calls = calls;
        Ok(function)
    }

    fn parameter(&mut self, function: Value<'m>, index: u32) -> Parameter {
        let value = function.parameter(index);
        Parameter {
            name: value.name(),
            ty: Some(self.types.lower(value.ty())),
            attributes: self.attributes.parameter(function, index, &mut self.types),
        }
    }
}

fn synthetic(role: Role) -> Piece {
    Piece { role, statement: 0, part: 0, text: String::new(), span: None }
}
