//! Writing the text form.

mod function;
mod op;

use super::escape::quote;
use super::keyword::Keyword;
use super::names::{Names, list, number, put};
use crate::{CType, Function, FunctionId, Global, Instruction, Layout, Location, Module};

/// The whole module as text that [`super::parse`] reads back.
pub fn print(module: &Module) -> String {
    let names = Names::new(module, false);
    let mut out = String::from("module ");
    quote(&mut out, &module.name);
    out.push_str(" target ");
    quote(&mut out, &module.target);
    out.push('\n');
    for (index, file) in module.files.iter().enumerate() {
        put(&mut out, format_args!("file {index} "));
        quote(&mut out, file);
        out.push('\n');
    }
    if !module.assembly.is_empty() {
        out.push_str("assembly ");
        quote(&mut out, &module.assembly);
        out.push('\n');
    }
    for (id, ty) in module.types.iter() {
        put(&mut out, format_args!("type %{} = ", id.0));
        names.type_body(&mut out, ty, id.index());
        if let Some(layout) = module.types.layout(id) {
            print_layout(&mut out, layout);
        }
        out.push('\n');
    }
    for (index, ctype) in module.ctypes.iter().enumerate() {
        put(&mut out, format_args!("ctype ${index} = "));
        print_ctype(&mut out, ctype);
        out.push('\n');
    }
    for (index, constant) in module.constants.iter().enumerate() {
        put(&mut out, format_args!("const #{index} = "));
        names.constant_body(&mut out, constant, index, 0);
        out.push('\n');
    }
    for (index, global) in module.globals.iter().enumerate() {
        print_global(&mut out, &names, index, global);
    }
    for (index, function) in module.functions.iter().enumerate() {
        function::print(&mut out, &names, index, function);
    }
    out
}

/// One function on its own, for readers: types and constants are spelled out, so this need not parse back.
/// An id of another module gives an empty text.
pub fn print_function(module: &Module, id: FunctionId) -> String {
    let mut out = String::new();
    if let Some(function) = module.functions.get(id.index()) {
        if let Some((file, name)) =
            function.file().and_then(|file| Some((file, module.files.get(file.index())?)))
        {
            put(&mut out, format_args!("; file {} is ", file.0));
            quote(&mut out, name);
            out.push('\n');
        }
        function::print(&mut out, &Names::new(module, true), id.index(), function);
    }
    out
}

/// Writes single instructions for readers; `names` once per module, then any number of instructions.
pub(crate) fn instruction_text(module: &Module) -> impl Fn(&Instruction) -> String {
    let names = Names::new(module, true);
    move |instruction: &Instruction| {
        let mut out = String::new();
        names.ty(&mut out, instruction.ty);
        out.push_str(" = ");
        op::print(&mut out, &names, &instruction.op);
        out
    }
}

fn print_layout(out: &mut String, layout: &Layout) {
    let Layout { size_bits, alloc_bytes, align_bytes, field_offsets } = layout;
    put(out, format_args!(" size {size_bits} alloc {alloc_bytes} align {align_bytes}"));
    if !field_offsets.is_empty() {
        out.push_str(" offsets [");
        list(out, field_offsets, |out, offset| put(out, format_args!("{offset}")));
        out.push(']');
    }
}

fn print_ctype(out: &mut String, ctype: &CType) {
    let optional = |out: &mut String, name: &Option<String>| {
        if let Some(name) = name {
            out.push(' ');
            quote(out, name);
        }
    };
    match ctype {
        CType::Void => out.push_str("void"),
        CType::Basic { name, size_bits, encoding } => {
            out.push_str("basic ");
            quote(out, name);
            put(out, format_args!(" size {size_bits} {}", encoding.word()));
        }
        CType::Pointer(target) => put(out, format_args!("pointer ${}", target.0)),
        CType::Array { element, lengths } => {
            put(out, format_args!("array ${}", element.0));
            for length in lengths {
                match length {
                    Some(length) => put(out, format_args!(" [{length}]")),
                    None => out.push_str(" []"),
                }
            }
        }
        CType::Record { kind, name, size_bits, members } => {
            out.push_str(kind.word());
            optional(out, name);
            put(out, format_args!(" size {size_bits} {{ "));
            list(out, members, |out, member| {
                quote(out, &member.name);
                let (ty, offset, size) = (member.ty.0, member.offset_bits, member.size_bits);
                let bits = if member.bit_field { " bits" } else { "" };
                put(out, format_args!(" ${ty} at {offset} size {size}{bits}"));
            });
            out.push_str(" }");
        }
        CType::Enum { name, size_bits, values } => {
            out.push_str("enum");
            optional(out, name);
            put(out, format_args!(" size {size_bits} {{ "));
            list(out, values, |out, value| {
                quote(out, &value.name);
                put(out, format_args!(" = {}", value.value));
            });
            out.push_str(" }");
        }
        CType::Typedef { name, target } => {
            out.push_str("typedef ");
            quote(out, name);
            put(out, format_args!(" ${}", target.0));
        }
        CType::Qualified { qualifier, target } => {
            out.push_str("qualified ");
            quote(out, qualifier);
            put(out, format_args!(" ${}", target.0));
        }
        CType::Function { result, parameters, varargs } => {
            put(out, format_args!("function ${} (", result.0));
            list(out, parameters, |out, parameter| number(out, '$', parameter.0));
            if *varargs {
                out.push_str(if parameters.is_empty() { "..." } else { ", ..." });
            }
            out.push(')');
        }
    }
}

fn print_global(out: &mut String, names: &Names<'_>, index: usize, global: &Global) {
    put(out, format_args!("global @{index} "));
    quote(out, &global.name);
    put(out, format_args!(" {} ", global.linkage.word()));
    names.ty(out, global.ty);
    if let Some(ctype) = global.ctype {
        put(out, format_args!(" ctype ${}", ctype.0));
    }
    for (set, word) in
        [(global.constant, " constant"), (global.private, " private"), (global.thread_local, " thread_local")]
    {
        out.push_str(if set { word } else { "" });
    }
    if global.align != 0 {
        put(out, format_args!(" align {}", global.align));
    }
    for (value, word) in [(global.initializer, " = "), (global.alias_of, " alias ")] {
        if let Some(value) = value {
            out.push_str(word);
            names.constant(out, value);
        }
    }
    if let Some(location) = global.location {
        out.push_str(" at ");
        print_location(out, location);
    }
    out.push('\n');
}

fn print_location(out: &mut String, location: Location) {
    let Location { file, position } = location;
    put(out, format_args!("{}:{}:{}", file.0, position.line, position.column));
}

/// Whether a function has anything to say between braces.
fn is_bare(function: &Function) -> bool {
    function.signature.is_empty()
        && function.parameters.is_empty()
        && function.span.is_none()
        && function.pieces.is_empty()
        && function.flow.is_empty()
        && function.fall_through.is_empty()
        && function.calls.is_empty()
        && function.body.is_none()
}
