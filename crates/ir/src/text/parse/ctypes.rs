//! Reading C types.

use super::{Kind, Parser, Result};
use crate::{CType, CTypeId, Enumerator, Member, RecordKind};

impl Parser<'_> {
    pub(super) fn ctype_definition(&mut self) -> Result<()> {
        let at = self.at;
        let id = self.id('$', "a C type's number")?;
        self.in_order(at, id as usize, self.module.ctypes.len(), "$")?;
        self.expect_mark('=')?;
        let ctype = self.ctype_body()?;
        self.module.ctypes.push(ctype);
        Ok(())
    }

    pub(super) fn ctype(&mut self) -> Result<CTypeId> {
        Ok(CTypeId(self.id('$', "a C type's number")?))
    }

    fn ctype_body(&mut self) -> Result<CType> {
        if let Some(kind) = self.try_keyword::<RecordKind>() {
            let (name, size_bits) = (self.tag()?, self.size()?);
            self.expect_mark('{')?;
            return Ok(CType::Record { kind, name, size_bits, members: self.list('}', Self::member)? });
        }
        let at = self.at;
        match self.word("a C type")? {
            "void" => Ok(CType::Void),
            "basic" => {
                let (name, size_bits) = (self.string()?, self.size()?);
                Ok(CType::Basic { name, size_bits, encoding: self.keyword()? })
            }
            "pointer" => Ok(CType::Pointer(self.ctype()?)),
            "array" => self.carray(),
            "enum" => {
                let (name, size_bits) = (self.tag()?, self.size()?);
                self.expect_mark('{')?;
                Ok(CType::Enum { name, size_bits, values: self.list('}', Self::enumerator)? })
            }
            "typedef" => Ok(CType::Typedef { name: self.string()?, target: self.ctype()? }),
            "qualified" => Ok(CType::Qualified { qualifier: self.string()?, target: self.ctype()? }),
            "function" => self.cfunction(),
            _ => {
                self.at = at;
                Err(self.expected("a C type"))
            }
        }
    }

    fn tag(&mut self) -> Result<Option<String>> {
        match self.kind() {
            Kind::Quoted(_) => self.string().map(Some),
            _ => Ok(None),
        }
    }

    fn size(&mut self) -> Result<u64> {
        self.expect_word("size")?;
        self.number("a size in bits")
    }

    fn carray(&mut self) -> Result<CType> {
        let element = self.ctype()?;
        let mut lengths = Vec::new();
        while self.mark_is('[') {
            if self.mark_is(']') {
                lengths.push(None);
                continue;
            }
            lengths.push(Some(self.number("a length")?));
            self.expect_mark(']')?;
        }
        Ok(CType::Array { element, lengths })
    }

    fn member(&mut self) -> Result<Member> {
        let (name, ty) = (self.string()?, self.ctype()?);
        self.expect_word("at")?;
        let offset_bits = self.number("an offset in bits")?;
        let size_bits = self.size()?;
        Ok(Member { name, ty, offset_bits, size_bits, bit_field: self.word_is("bits") })
    }

    fn enumerator(&mut self) -> Result<Enumerator> {
        let name = self.string()?;
        self.expect_mark('=')?;
        Ok(Enumerator { name, value: self.integer()? })
    }

    fn cfunction(&mut self) -> Result<CType> {
        let result = self.ctype()?;
        self.expect_mark('(')?;
        let (mut parameters, mut varargs) = (Vec::new(), false);
        while !self.mark_is(')') {
            if varargs || !parameters.is_empty() {
                self.expect_mark(',')?;
            }
            match self.mark_is('…') {
                true => varargs = true,
                false => parameters.push(self.ctype()?),
            }
        }
        Ok(CType::Function { result, parameters, varargs })
    }
}
