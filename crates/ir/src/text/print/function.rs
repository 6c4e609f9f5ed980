//! Writing functions: head, statement graph, body.

use super::{is_bare, op, print_location};
use crate::text::escape::quote;
use crate::text::keyword::Keyword;
use crate::text::names::{Names, put};
use crate::{Body, Callee, EdgeKind, Function, Parameter, ParameterAttributes, Span, VariableKind};

pub(super) fn print(out: &mut String, names: &Names<'_>, index: usize, function: &Function) {
    put(out, format_args!("function &{index} "));
    quote(out, &function.name);
    put(out, format_args!(" {}", function.linkage.word()));
    if let Some(ty) = function.ty {
        out.push_str(" type ");
        names.ty(out, ty);
    }
    if let Some(ctype) = function.ctype {
        out.push_str(" ctype ");
        names.ctype(out, ctype);
    }
    out.push_str(if function.no_return { " noreturn" } else { "" });
    if is_bare(function) {
        out.push('\n');
        return;
    }
    out.push_str(" {\n");
    if !function.signature.is_empty() {
        out.push_str("  signature ");
        quote(out, &function.signature);
        out.push('\n');
    }
    if let Some(span) = function.span {
        out.push_str("  span ");
        print_span(out, span);
        out.push('\n');
    }
    for parameter in &function.parameters {
        print_parameter(out, names, parameter);
    }
    print_graph(out, function);
    if let Some(body) = &function.body {
        print_body(out, names, body);
    }
    out.push_str("}\n");
}

fn print_span(out: &mut String, span: Span) {
    let Span { file, start, end } = span;
    put(out, format_args!("{}:{}:{}-{}:{}", file.0, start.line, start.column, end.line, end.column));
}

fn print_parameter(out: &mut String, names: &Names<'_>, parameter: &Parameter) {
    out.push_str("  param ");
    quote(out, &parameter.name);
    if let Some(ty) = parameter.ty {
        out.push(' ');
        names.ty(out, ty);
    }
    print_attributes(out, names, &parameter.attributes);
    out.push('\n');
}

/// The attributes, each after a blank; nothing for the default.
pub(super) fn print_attributes(out: &mut String, names: &Names<'_>, attributes: &ParameterAttributes) {
    if let Some(ty) = attributes.by_value {
        out.push_str(" by_value ");
        names.ty(out, ty);
    }
    if let Some(ty) = attributes.struct_return {
        out.push_str(" struct_return ");
        names.ty(out, ty);
    }
    out.push_str(if attributes.sign_extend { " sign_extend" } else { "" });
    out.push_str(if attributes.zero_extend { " zero_extend" } else { "" });
}

fn print_graph(out: &mut String, function: &Function) {
    for (index, piece) in function.pieces.iter().enumerate() {
        put(out, format_args!("  piece p{index} {} s{} ", piece.role.word(), piece.statement));
        if piece.part != 0 {
            put(out, format_args!("part {} ", piece.part));
        }
        quote(out, &piece.text);
        if let Some(span) = piece.span {
            out.push(' ');
            print_span(out, span);
        }
        out.push('\n');
    }
    for edge in &function.flow {
        put(out, format_args!("  flow p{} -> p{} ", edge.from.0, edge.to.0));
        let (word, text) = edge_words(&edge.kind);
        out.push_str(word);
        if let Some(text) = text {
            out.push(' ');
            quote(out, text);
        }
        out.push('\n');
    }
    for (jump, next) in &function.fall_through {
        put(out, format_args!("  fall p{} -> p{}\n", jump.0, next.0));
    }
    for call in &function.calls {
        put(out, format_args!("  call p{} ", call.piece.0));
        match &call.callee {
            Callee::Direct(name) => quote(out, name),
            Callee::Indirect(text) => {
                out.push_str("indirect ");
                quote(out, text);
            }
        }
        if let Some(instruction) = call.instruction {
            put(out, format_args!(" v{}", instruction.0));
        }
        out.push('\n');
    }
}

fn edge_words(kind: &EdgeKind) -> (&'static str, Option<&str>) {
    match kind {
        EdgeKind::Next => ("next", None),
        EdgeKind::True => ("true", None),
        EdgeKind::False => ("false", None),
        EdgeKind::Case(label) => ("case", Some(label)),
        EdgeKind::Default => ("default", None),
        EdgeKind::Indirect => ("indirect", None),
        EdgeKind::Config(condition) => ("config", Some(condition)),
    }
}

fn print_body(out: &mut String, names: &Names<'_>, body: &Body) {
    for variable in &body.variables {
        out.push_str("  variable ");
        quote(out, &variable.name);
        match variable.kind {
            VariableKind::Parameter(index) => put(out, format_args!(" parameter {index}")),
            VariableKind::Local => out.push_str(" local"),
            VariableKind::Inner => out.push_str(" inner"),
        }
        if let Some(ctype) = variable.ctype {
            out.push_str(" ctype ");
            names.ctype(out, ctype);
        }
        if let Some(slot) = variable.slot {
            put(out, format_args!(" slot v{}", slot.0));
        }
        if let Some(location) = variable.location {
            out.push_str(" at ");
            print_location(out, location);
        }
        if let Some(begins) = variable.begins {
            put(out, format_args!(" begins v{}", begins.0));
        }
        for run in &variable.block {
            put(out, format_args!(" in v{} {}", run.first.0, run.count));
        }
        out.push('\n');
    }
    out.push_str("  body {\n");
    for (index, block) in body.blocks.iter().enumerate() {
        put(out, format_args!("    block b{index} "));
        quote(out, &block.label);
        out.push_str(" {\n");
        let first = block.first.index();
        // Also forged bodies can be printed, so the run may reach past the end.
        let run = body.instructions.iter().enumerate().skip(first).take(block.count as usize);
        for (index, instruction) in run {
            put(out, format_args!("      v{index}: "));
            names.ty(out, instruction.ty);
            out.push_str(" = ");
            op::print(out, names, &instruction.op);
            put(out, format_args!(" | p{}", instruction.piece.0));
            if let Some(location) = instruction.location {
                out.push(' ');
                print_location(out, location);
            }
            out.push('\n');
        }
        out.push_str("    }\n");
    }
    out.push_str("  }\n");
}
