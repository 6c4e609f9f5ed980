//! How the entries of a module's tables are written where they are used.

use super::{escape::quote, keyword::Keyword};
use crate::{CTypeId, Const, ConstExpr, ConstId, FunctionId, GlobalId, Module, StructType, Type, TypeId};
use std::collections::HashMap;
use std::fmt::Write;
use std::hash::Hash;

/// Longer types are written by number: a reader is not helped, and nested ones could grow without bound.
const LONGEST_TYPE: usize = 120;
/// Constants in constants, for readers.
const DEEPEST_CONSTANT: u32 = 6;

/// The names of all entries.
pub(super) struct Names<'m> {
    pub(super) module: &'m Module,
    types: Vec<String>,
    globals: Vec<String>,
    functions: Vec<String>,
    /// Constants that their own text names beyond doubt.
    plain: Vec<bool>,
    /// For readers: constants always by content.
    inline: bool,
}

impl<'m> Names<'m> {
    pub(super) fn new(module: &'m Module, inline: bool) -> Self {
        let mut names = Names {
            module,
            types: Vec::with_capacity(module.types.len()),
            globals: symbols('@', module.globals.iter().map(|global| global.name.as_str()), inline),
            functions: symbols('&', module.functions.iter().map(|function| function.name.as_str()), inline),
            plain: plain_constants(module),
            inline,
        };
        let unique = unique(module.types.iter().map(|(_, ty)| TypeKey::of(ty)));
        for ((id, ty), unique) in module.types.iter().zip(unique) {
            let mut text = String::new();
            match ty {
                Type::Struct(StructType { name: Some(name), .. }) => symbol(&mut text, '%', name),
                _ => names.type_body(&mut text, ty, id.index()),
            }
            if !(unique || inline) || text.len() > LONGEST_TYPE {
                text = format!("%{}", id.0);
            }
            names.types.push(text);
        }
        names
    }

    pub(super) fn ty(&self, out: &mut String, id: TypeId) {
        self.type_below(out, id, usize::MAX);
    }

    /// The type `id` as entry `bound` may write it: only earlier entries have a name yet when that is read back.
    fn type_below(&self, out: &mut String, id: TypeId, bound: usize) {
        match self.types.get(id.index()).filter(|_| id.index() < bound) {
            Some(name) => out.push_str(name),
            None => number(out, '%', id.0),
        }
    }

    /// A type spelled out, as entry `bound` of the table.
    pub(super) fn type_body(&self, out: &mut String, ty: &Type, bound: usize) {
        match ty {
            Type::Void => out.push_str("void"),
            Type::Int(width) => number(out, 'i', *width),
            Type::Float(kind) => out.push_str(kind.word()),
            Type::Pointer(0) => out.push_str("ptr"),
            Type::Pointer(space) => put(out, format_args!("ptr addrspace({space})")),
            Type::Array { element, len } => {
                put(out, format_args!("[{len} x "));
                self.type_below(out, *element, bound);
                out.push(']');
            }
            Type::Vector { element, len, scalable } => {
                let scale = if *scalable { "vscale x " } else { "" };
                put(out, format_args!("<{scale}{len} x "));
                self.type_below(out, *element, bound);
                out.push('>');
            }
            Type::Struct(StructType { name, fields, packed }) => {
                out.push_str(if *packed { "struct packed " } else { "struct " });
                if let Some(name) = name {
                    quote(out, name);
                    out.push(' ');
                }
                match fields {
                    None => out.push_str("opaque"),
                    Some(fields) => {
                        out.push_str("{ ");
                        self.type_list(out, fields, bound);
                        out.push_str(" }");
                    }
                }
            }
            Type::Function { result, parameters, varargs } => {
                out.push_str("fn(");
                self.type_list(out, parameters, bound);
                if *varargs {
                    out.push_str(if parameters.is_empty() { "..." } else { ", ..." });
                }
                out.push_str(") -> ");
                self.type_below(out, *result, bound);
            }
            Type::Other(name) => {
                out.push_str("other ");
                quote(out, name);
            }
        }
    }

    fn type_list(&self, out: &mut String, types: &[TypeId], bound: usize) {
        for (index, &ty) in types.iter().enumerate() {
            out.push_str(if index == 0 { "" } else { ", " });
            self.type_below(out, ty, bound);
        }
    }

    /// A C type by number; for readers by name.
    pub(super) fn ctype(&self, out: &mut String, id: CTypeId) {
        match self.inline {
            true => quote(out, &self.module.ctype_name(id)),
            false => number(out, '$', id.0),
        }
    }

    pub(super) fn constant(&self, out: &mut String, id: ConstId) {
        self.constant_at(out, id, usize::MAX, 0);
    }

    /// The constant `id` as entry `bound` may write it.
    fn constant_at(&self, out: &mut String, id: ConstId, bound: usize, depth: u32) {
        match self.module.constants.get(id.index()) {
            Some(constant) if self.inline && depth < DEEPEST_CONSTANT => {
                self.constant_body(out, constant, bound, depth + 1);
            }
            Some(constant) if self.plain[id.index()] && id.index() < bound => {
                self.constant_body(out, constant, bound, depth + 1);
            }
            _ => number(out, '#', id.0),
        }
    }

    /// A constant spelled out, as entry `bound` of the table.
    pub(super) fn constant_body(&self, out: &mut String, constant: &Const, bound: usize, depth: u32) {
        let mut typed = |word: &str, ty: &TypeId| {
            out.push_str(word);
            self.ty(out, *ty);
        };
        match constant {
            Const::Int { ty, bits } => {
                typed("", ty);
                put(out, format_args!(" {bits}"));
            }
            Const::Float { ty, bits } => {
                typed("", ty);
                put(out, format_args!(" 0x{bits:x}"));
            }
            Const::Zero(ty) => typed("zero ", ty),
            Const::Undef(ty) => typed("undef ", ty),
            Const::Poison(ty) => typed("poison ", ty),
            Const::WideInt { ty, words } => {
                typed("wide ", ty);
                out.push_str(" [");
                list(out, words, |out, word| put(out, format_args!("{word}")));
                out.push(']');
            }
            Const::Aggregate { ty, elements } => {
                typed("aggregate ", ty);
                self.constants(out, elements, bound, depth);
            }
            Const::Bytes { ty, data } => {
                typed("bytes ", ty);
                out.push(' ');
                super::escape::quote_bytes(out, data);
            }
            Const::Global(id) => {
                self.global(out, *id);
                self.literal(out, *id);
            }
            Const::Function(id) => self.function(out, *id),
            Const::BlockAddress { function, block } => {
                out.push_str("blockaddress ");
                self.function(out, *function);
                put(out, format_args!(" b{}", block.0));
            }
            Const::Expr { ty, expr } => {
                typed("expr ", ty);
                out.push(' ');
                self.expression(out, expr, bound, depth);
            }
        }
    }

    fn constants(&self, out: &mut String, ids: &[ConstId], bound: usize, depth: u32) {
        out.push_str(" [");
        list(out, ids, |out, id| self.constant_at(out, *id, bound, depth));
        out.push(']');
    }

    fn expression(&self, out: &mut String, expr: &ConstExpr, bound: usize, depth: u32) {
        match expr {
            ConstExpr::ElementAddress { source, base, indices, inbounds } => {
                out.push_str(if *inbounds { "gep inbounds " } else { "gep " });
                self.ty(out, *source);
                out.push_str(", ");
                self.constant_at(out, *base, bound, depth);
                out.push(',');
                self.constants(out, indices, bound, depth);
            }
            ConstExpr::Cast(op, value) => {
                put(out, format_args!("cast {} ", op.word()));
                self.constant_at(out, *value, bound, depth);
            }
            ConstExpr::Binary(op, left, right) => {
                put(out, format_args!("binary {} ", op.word()));
                self.constant_at(out, *left, bound, depth);
                out.push_str(", ");
                self.constant_at(out, *right, bound, depth);
            }
            ConstExpr::Other(name, values) => {
                out.push_str("other ");
                quote(out, name);
                self.constants(out, values, bound, depth);
            }
        }
    }

    pub(super) fn global(&self, out: &mut String, id: GlobalId) {
        match self.globals.get(id.index()) {
            Some(name) => out.push_str(name),
            None => number(out, '@', id.0),
        }
    }

    /// For readers: what a string literal says.
    fn literal(&self, out: &mut String, id: GlobalId) {
        let global = self.module.globals.get(id.index()).filter(|global| self.inline && global.private);
        let value = global.and_then(|global| self.module.constants.get(global.initializer?.index()));
        if let Some(Const::Bytes { data, .. }) = value {
            out.push(' ');
            super::escape::quote_bytes(out, data);
        }
    }

    pub(super) fn function(&self, out: &mut String, id: FunctionId) {
        match self.functions.get(id.index()) {
            Some(name) => out.push_str(name),
            None => number(out, '&', id.0),
        }
    }
}

/// What a type is recognised by: structures with a name by that name alone.
#[derive(PartialEq, Eq, Hash)]
enum TypeKey<'m> {
    Named(&'m str),
    Structural(&'m Type),
}

impl<'m> TypeKey<'m> {
    fn of(ty: &'m Type) -> Self {
        match ty {
            Type::Struct(StructType { name: Some(name), .. }) => TypeKey::Named(name),
            _ => TypeKey::Structural(ty),
        }
    }
}

/// For each key, whether no other is equal to it.
fn unique<K: Hash + Eq>(keys: impl Iterator<Item = K> + Clone) -> Vec<bool> {
    let mut counts: HashMap<K, u32> = HashMap::new();
    keys.clone().for_each(|key| *counts.entry(key).or_default() += 1);
    keys.map(|key| counts[&key] == 1).collect()
}

fn plain_constants(module: &Module) -> Vec<bool> {
    let simple = |constant: &Const| {
        matches!(
            constant,
            Const::Int { .. }
                | Const::Float { .. }
                | Const::Zero(_)
                | Const::Undef(_)
                | Const::Poison(_)
                | Const::Global(_)
                | Const::Function(_)
        )
    };
    let unique = unique(module.constants.iter());
    module.constants.iter().zip(unique).map(|(constant, unique)| unique && simple(constant)).collect()
}

/// Each by name where that is unique; for readers (`always`) a name says more than a number even where it is not.
fn symbols<'m>(sigil: char, names: impl Iterator<Item = &'m str> + Clone, always: bool) -> Vec<String> {
    let unique = unique(names.clone());
    let write = |(index, (name, unique)): (usize, (&str, bool))| {
        let mut text = String::new();
        match unique || always {
            true => symbol(&mut text, sigil, name),
            false => text = format!("{sigil}{index}"),
        }
        text
    };
    names.zip(unique).enumerate().map(write).collect()
}

/// A name behind its sigil, quoted where it could be misread.
fn symbol(out: &mut String, sigil: char, name: &str) {
    out.push(sigil);
    let first = name.bytes().next();
    let bare = first.is_some_and(|byte| !byte.is_ascii_digit()) && name.bytes().all(super::lexer::in_name);
    match bare {
        true => out.push_str(name),
        false => quote(out, name),
    }
}

pub(super) fn number(out: &mut String, sigil: char, id: u32) {
    put(out, format_args!("{sigil}{id}"));
}

pub(super) fn put(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    out.write_fmt(arguments).expect("writing to a string cannot fail");
}

/// Items with commas between them.
pub(super) fn list<T>(out: &mut String, items: &[T], mut item: impl FnMut(&mut String, &T)) {
    for (index, each) in items.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        item(out, each);
    }
}
