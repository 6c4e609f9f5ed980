//! Reading types, constants and globals.

use super::{Kind, Parser, Result};
use crate::{
    BlockId, CTypeId, Const, ConstExpr, ConstId, FloatKind, FunctionId, Global, GlobalId, Layout, StructType,
    Type, TypeId,
};

/// Nobody writes types deeper than this inline; it keeps the stack small on hostile input.
const DEEPEST: u32 = 64;

impl Parser<'_> {
    pub(super) fn type_definition(&mut self) -> Result<()> {
        let at = self.at;
        let id = self.id('%', "a type's number")?;
        self.in_order(at, id as usize, self.types.len(), "%")?;
        self.expect_mark('=')?;
        let ty = self.type_body()?;
        let layout = self.layout()?;
        if let Type::Struct(StructType { name: Some(name), .. }) = &ty {
            self.struct_ids.entry(name.clone()).or_insert(TypeId(id));
        } else {
            self.type_ids.entry(ty.clone()).or_insert(TypeId(id));
        }
        self.types.push((ty, layout));
        Ok(())
    }

    fn layout(&mut self) -> Result<Option<Layout>> {
        if !self.word_is("size") {
            return Ok(None);
        }
        let size_bits = self.number("a size in bits")?;
        self.expect_word("alloc")?;
        let alloc_bytes = self.number("a size in bytes")?;
        self.expect_word("align")?;
        let align_bytes = self.number("an alignment")?;
        let mut field_offsets = Vec::new();
        if self.word_is("offsets") {
            self.expect_mark('[')?;
            field_offsets = self.list(']', |this| this.number("an offset"))?;
        }
        Ok(Some(Layout { size_bits, alloc_bytes, align_bytes, field_offsets }))
    }

    /// A type by number, by name, or spelled out.
    pub(super) fn ty(&mut self) -> Result<TypeId> {
        let at = self.at;
        match self.kind().clone() {
            Kind::Id('%', id) => {
                self.advance();
                Ok(TypeId(id))
            }
            Kind::Name('%', name) => match self.struct_ids.get(name.as_ref()) {
                Some(&id) => {
                    self.advance();
                    Ok(id)
                }
                None => Err(self.error_at(at, format!("no type of the table is named `{name}`"))),
            },
            _ => {
                let ty = self.type_body()?;
                let id = self.type_ids.get(&ty).copied();
                id.ok_or_else(|| self.error_at(at, "this type is not in the table".into()))
            }
        }
    }

    fn type_body(&mut self) -> Result<Type> {
        if self.depth == DEEPEST {
            return Err(self.error_at(self.at, "types are nested too deeply".into()));
        }
        self.depth += 1;
        let ty = self.type_inner();
        self.depth -= 1;
        ty
    }

    fn type_inner(&mut self) -> Result<Type> {
        if self.mark_is('[') {
            let len = self.number("a length")?;
            self.expect_word("x")?;
            let element = self.ty()?;
            self.expect_mark(']')?;
            return Ok(Type::Array { element, len });
        }
        if self.mark_is('<') {
            let scalable = self.word_is("vscale");
            if scalable {
                self.expect_word("x")?;
            }
            let len = self.number("a length")?;
            self.expect_word("x")?;
            let element = self.ty()?;
            self.expect_mark('>')?;
            return Ok(Type::Vector { element, len, scalable });
        }
        if let Some(width) = self.try_local('i') {
            return Ok(Type::Int(width));
        }
        if let Some(kind) = self.try_keyword::<FloatKind>() {
            return Ok(Type::Float(kind));
        }
        let at = self.at;
        match self.word("a type")? {
            "void" => Ok(Type::Void),
            "ptr" => self.pointer(),
            "other" => Ok(Type::Other(self.string()?)),
            "fn" => self.function_type(),
            "struct" => self.structure(),
            _ => {
                self.at = at;
                Err(self.expected("a type"))
            }
        }
    }

    fn pointer(&mut self) -> Result<Type> {
        if !self.word_is("addrspace") {
            return Ok(Type::Pointer(0));
        }
        self.expect_mark('(')?;
        let space = self.number("an address space")?;
        self.expect_mark(')')?;
        Ok(Type::Pointer(space))
    }

    fn function_type(&mut self) -> Result<Type> {
        self.expect_mark('(')?;
        let (mut parameters, mut varargs) = (Vec::new(), false);
        while !self.mark_is(')') {
            if varargs || !parameters.is_empty() {
                self.expect_mark(',')?;
            }
            match self.mark_is('…') {
                true => varargs = true,
                false => parameters.push(self.ty()?),
            }
        }
        self.expect_mark('→')?;
        Ok(Type::Function { result: self.ty()?, parameters, varargs })
    }

    fn structure(&mut self) -> Result<Type> {
        let packed = self.word_is("packed");
        let name = match self.kind() {
            Kind::Quoted(_) => Some(self.string()?),
            _ => None,
        };
        let fields = match self.word_is("opaque") {
            true => None,
            false => {
                self.expect_mark('{')?;
                Some(self.list('}', Self::ty)?)
            }
        };
        Ok(Type::Struct(StructType { name, fields, packed }))
    }

    pub(super) fn const_definition(&mut self) -> Result<()> {
        let at = self.at;
        let id = self.id('#', "a constant's number")?;
        self.in_order(at, id as usize, self.module.constants.len(), "#")?;
        self.expect_mark('=')?;
        let constant = self.const_body()?;
        self.const_ids.entry(constant.clone()).or_insert(ConstId(id));
        self.module.constants.push(constant);
        Ok(())
    }

    /// A constant by number, or spelled out.
    pub(super) fn constant(&mut self) -> Result<ConstId> {
        let at = self.at;
        if let Kind::Id('#', id) = *self.kind() {
            self.advance();
            return Ok(ConstId(id));
        }
        let constant = self.const_body()?;
        let id = self.const_ids.get(&constant).copied();
        id.ok_or_else(|| self.error_at(at, "this constant is not in the table".into()))
    }

    fn constants(&mut self) -> Result<Vec<ConstId>> {
        self.expect_mark('[')?;
        // Elements are simple or numbers, so this does not recurse through `constant`.
        self.list(']', Self::simple_constant)
    }

    fn simple_constant(&mut self) -> Result<ConstId> {
        match self.kind() {
            Kind::Word("wide" | "aggregate" | "bytes" | "blockaddress" | "expr") => {
                Err(self.expected("a simple constant or a constant's number"))
            }
            _ => self.constant(),
        }
    }

    fn const_body(&mut self) -> Result<Const> {
        match self.kind().clone() {
            Kind::Id('@', id) => {
                self.advance();
                return Ok(Const::Global(GlobalId(id)));
            }
            Kind::Name('@', name) => {
                let id = self.global_ids.get(name.as_ref()).copied();
                let id = id.ok_or_else(|| self.error_at(self.at, format!("no global is named `{name}`")))?;
                self.advance();
                return Ok(Const::Global(id));
            }
            Kind::Id('&', _) | Kind::Name('&', _) => return Ok(Const::Function(self.function_ref()?)),
            _ => {}
        }
        let word = match *self.kind() {
            Kind::Word(
                word @ ("zero" | "undef" | "poison" | "wide" | "aggregate" | "bytes" | "blockaddress"
                | "expr"),
            ) => word,
            _ => return self.const_number(),
        };
        self.advance();
        if word == "blockaddress" {
            let function = self.function_ref()?;
            return Ok(Const::BlockAddress { function, block: BlockId(self.local('b', "a block")?) });
        }
        let ty = self.ty()?;
        Ok(match word {
            "zero" => Const::Zero(ty),
            "undef" => Const::Undef(ty),
            "poison" => Const::Poison(ty),
            "aggregate" => Const::Aggregate { ty, elements: self.constants()? },
            "bytes" => Const::Bytes { ty, data: self.bytes()? },
            "wide" => {
                self.expect_mark('[')?;
                Const::WideInt { ty, words: self.list(']', |this| this.number("a word of 64 bits"))? }
            }
            _ => Const::Expr { ty, expr: self.const_expr()? },
        })
    }

    fn const_number(&mut self) -> Result<Const> {
        let ty = self.ty()?;
        let constant = match *self.kind() {
            Kind::Number(bits) => Const::Int { ty, bits },
            Kind::Hex(bits) => Const::Float { ty, bits },
            _ => return Err(self.expected("a number")),
        };
        self.advance();
        Ok(constant)
    }

    fn function_ref(&mut self) -> Result<FunctionId> {
        let id = match self.kind() {
            Kind::Id('&', id) => FunctionId(*id),
            Kind::Name('&', name) => {
                let id = self.function_ids.get(name.as_ref()).copied();
                id.ok_or_else(|| self.error_at(self.at, format!("no function is named `{name}`")))?
            }
            _ => return Err(self.expected("a function")),
        };
        self.advance();
        Ok(id)
    }

    fn const_expr(&mut self) -> Result<ConstExpr> {
        let at = self.at;
        match self.word("a constant expression")? {
            "gep" => {
                let inbounds = self.word_is("inbounds");
                let source = self.ty()?;
                self.expect_mark(',')?;
                let base = self.simple_constant()?;
                self.expect_mark(',')?;
                Ok(ConstExpr::ElementAddress { source, base, indices: self.constants()?, inbounds })
            }
            "cast" => Ok(ConstExpr::Cast(self.keyword()?, self.simple_constant()?)),
            "binary" => {
                let op = self.keyword()?;
                let left = self.simple_constant()?;
                self.expect_mark(',')?;
                Ok(ConstExpr::Binary(op, left, self.simple_constant()?))
            }
            "other" => Ok(ConstExpr::Other(self.string()?, self.constants()?)),
            _ => {
                self.at = at;
                Err(self.expected("a constant expression"))
            }
        }
    }

    pub(super) fn global_definition(&mut self) -> Result<()> {
        let at = self.at;
        let id = self.id('@', "a global's number")?;
        self.in_order(at, id as usize, self.module.globals.len(), "@")?;
        // The name was taken into account before, so it may be moved out of its token now.
        let mut global = Global {
            name: self.string()?,
            linkage: self.keyword()?,
            ty: self.ty()?,
            ctype: None,
            initializer: None,
            constant: false,
            private: false,
            thread_local: false,
            align: 0,
            alias_of: None,
            location: None,
        };
        loop {
            match *self.kind() {
                Kind::Word("ctype") => {
                    self.advance();
                    global.ctype = Some(CTypeId(self.id('$', "a C type's number")?));
                    continue;
                }
                Kind::Word("constant") => global.constant = true,
                Kind::Word("private") => global.private = true,
                Kind::Word("thread_local") => global.thread_local = true,
                Kind::Word("align") => {
                    self.advance();
                    global.align = self.number("an alignment")?;
                    continue;
                }
                Kind::Mark('=') => {
                    self.advance();
                    global.initializer = Some(self.constant()?);
                    continue;
                }
                Kind::Word("alias") => {
                    self.advance();
                    global.alias_of = Some(self.constant()?);
                    continue;
                }
                Kind::Word("at") => {
                    self.advance();
                    global.location = Some(self.location()?);
                    continue;
                }
                _ => break,
            }
            self.advance();
        }
        self.module.globals.push(global);
        Ok(())
    }
}
