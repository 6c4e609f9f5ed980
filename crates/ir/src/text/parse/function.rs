//! Reading functions: head, statement graph, body.

use super::{Kind, Parser, Result};
use crate::{
    Block, Body, Call, Callee, EdgeKind, FlowEdge, Function, Instruction, InstructionId, Parameter,
    ParameterAttributes, Piece, PieceId, Run, Variable, VariableKind,
};

impl Parser<'_> {
    pub(super) fn function_definition(&mut self) -> Result<()> {
        let at = self.at;
        let id = self.id('&', "a function's number")?;
        self.in_order(at, id as usize, self.module.functions.len(), "&")?;
        let mut function = Function {
            name: self.string()?,
            linkage: self.keyword()?,
            ty: None,
            ctype: None,
            signature: String::new(),
            parameters: Vec::new(),
            no_return: false,
            span: None,
            pieces: Vec::new(),
            flow: Vec::new(),
            fall_through: Vec::new(),
            calls: Vec::new(),
            body: None,
        };
        if self.word_is("type") {
            function.ty = Some(self.ty()?);
        }
        if self.word_is("ctype") {
            function.ctype = Some(self.ctype()?);
        }
        function.no_return = self.word_is("noreturn");
        if self.mark_is('{') {
            self.function_items(&mut function)?;
        }
        self.module.functions.push(function);
        Ok(())
    }

    fn function_items(&mut self, function: &mut Function) -> Result<()> {
        let mut variables = Vec::new();
        while !self.mark_is('}') {
            let at = self.at;
            match self.word("a part of a function")? {
                "signature" => function.signature = self.string()?,
                "span" => function.span = Some(self.span()?),
                "param" => function.parameters.push(self.parameter()?),
                "piece" => {
                    let at = self.at;
                    let id = self.local('p', "a piece")?;
                    self.in_order(at, id as usize, function.pieces.len(), "p")?;
                    function.pieces.push(self.piece()?);
                }
                "flow" => function.flow.push(self.flow()?),
                "fall" => {
                    let jump = self.piece_id()?;
                    self.expect_mark('→')?;
                    function.fall_through.push((jump, self.piece_id()?));
                }
                "call" => function.calls.push(self.call()?),
                "variable" => variables.push(self.variable()?),
                "body" => function.body = Some(self.body()?),
                _ => {
                    self.at = at;
                    return Err(self.expected("a part of a function"));
                }
            }
        }
        match &mut function.body {
            Some(body) => body.variables = variables,
            None if variables.is_empty() => {}
            None => return Err(self.error_at(self.at - 1, "variables need a body".into())),
        }
        Ok(())
    }

    fn parameter(&mut self) -> Result<Parameter> {
        let name = self.string()?;
        let ty = match *self.kind() {
            // Every other word here begins a type or the next line.
            Kind::Word(
                "by_value" | "struct_return" | "sign_extend" | "zero_extend" | "signature" | "span" | "param"
                | "piece" | "flow" | "fall" | "call" | "variable" | "body",
            )
            | Kind::Mark('}') => None,
            _ => Some(self.ty()?),
        };
        Ok(Parameter { name, ty, attributes: self.attributes()? })
    }

    pub(super) fn attributes(&mut self) -> Result<ParameterAttributes> {
        let mut attributes = ParameterAttributes::default();
        loop {
            if self.word_is("by_value") {
                attributes.by_value = Some(self.ty()?);
            } else if self.word_is("struct_return") {
                attributes.struct_return = Some(self.ty()?);
            } else if self.word_is("sign_extend") {
                attributes.sign_extend = true;
            } else if self.word_is("zero_extend") {
                attributes.zero_extend = true;
            } else {
                return Ok(attributes);
            }
        }
    }

    fn piece(&mut self) -> Result<Piece> {
        let role = self.keyword()?;
        let statement = self.local('s', "a statement")?;
        let part = if self.word_is("part") { self.number("a part")? } else { 0 };
        let text = self.string()?;
        let span = match self.kind() {
            Kind::Number(_) => Some(self.span()?),
            _ => None,
        };
        Ok(Piece { role, statement, part, text, span })
    }

    pub(super) fn piece_id(&mut self) -> Result<PieceId> {
        Ok(PieceId(self.local('p', "a piece")?))
    }

    fn flow(&mut self) -> Result<FlowEdge> {
        let from = self.piece_id()?;
        self.expect_mark('→')?;
        let to = self.piece_id()?;
        let at = self.at;
        let kind = match self.word("a kind of flow")? {
            "next" => EdgeKind::Next,
            "true" => EdgeKind::True,
            "false" => EdgeKind::False,
            "case" => EdgeKind::Case(self.string()?),
            "default" => EdgeKind::Default,
            "indirect" => EdgeKind::Indirect,
            "config" => EdgeKind::Config(self.string()?),
            _ => {
                self.at = at;
                return Err(self.expected("a kind of flow"));
            }
        };
        Ok(FlowEdge { from, to, kind })
    }

    fn call(&mut self) -> Result<Call> {
        let piece = self.piece_id()?;
        let callee = match self.word_is("indirect") {
            true => Callee::Indirect(self.string()?),
            false => Callee::Direct(self.string()?),
        };
        Ok(Call { piece, callee, instruction: self.try_local('v').map(InstructionId) })
    }

    fn variable(&mut self) -> Result<Variable> {
        let name = self.string()?;
        let kind = match self.word_is("parameter") {
            true => VariableKind::Parameter(self.number("a parameter's number")?),
            false if self.word_is("inner") => VariableKind::Inner,
            false => {
                self.expect_word("local")?;
                VariableKind::Local
            }
        };
        let ctype = if self.word_is("ctype") { Some(self.ctype()?) } else { None };
        let slot = match self.word_is("slot") {
            true => Some(InstructionId(self.local('v', "an instruction")?)),
            false => None,
        };
        let location = if self.word_is("at") { Some(self.location()?) } else { None };
        let begins = match self.word_is("begins") {
            true => Some(InstructionId(self.local('v', "an instruction")?)),
            false => None,
        };
        let mut block = Vec::new();
        while self.word_is("in") {
            let first = InstructionId(self.local('v', "an instruction")?);
            block.push(Run { first, count: self.number("how many instructions")? });
        }
        Ok(Variable { name, ctype, kind, slot, location, begins, block })
    }

    fn body(&mut self) -> Result<Body> {
        let mut body = Body::default();
        self.expect_mark('{')?;
        while !self.mark_is('}') {
            self.expect_word("block")?;
            let at = self.at;
            let id = self.local('b', "a block")?;
            self.in_order(at, id as usize, body.blocks.len(), "b")?;
            let label = self.string()?;
            let first = InstructionId::at(body.instructions.len());
            self.expect_mark('{')?;
            while !self.mark_is('}') {
                let at = self.at;
                let id = self.local('v', "an instruction")?;
                self.in_order(at, id as usize, body.instructions.len(), "v")?;
                let instruction = self.instruction()?;
                body.instructions.push(instruction);
            }
            let count = InstructionId::at(body.instructions.len()).0 - first.0;
            body.blocks.push(Block { label, first, count });
        }
        Ok(body)
    }

    fn instruction(&mut self) -> Result<Instruction> {
        self.expect_mark(':')?;
        let ty = self.ty()?;
        self.expect_mark('=')?;
        let op = self.op()?;
        self.expect_mark('|')?;
        let piece = self.piece_id()?;
        let location = match self.kind() {
            Kind::Number(_) => Some(self.location()?),
            _ => None,
        };
        Ok(Instruction { ty, op, piece, location })
    }
}
