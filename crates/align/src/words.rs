//! What variables are called in two versions, and what code says of types, members and constants: by name, never by number, so that what only lies
//! elsewhere is the same.

pub use crate::records::{Records, plain_name, record_word};
use hydrogen_ir::{Body, Const, ConstExpr, ConstId, InstructionId, Module, Op, Operand, Type, TypeId};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Constants inside of constants are read up to this depth.
const DEEPEST: u32 = 12;

/// The local variables of a function by their stack slots: the name, and which of the variables of that name it is.
pub fn variables(module: &Module, body: &Body) -> FxHashMap<InstructionId, String> {
    let mut found = FxHashMap::default();
    let mut count: FxHashMap<String, u32> = FxHashMap::default();
    let mut numbered = |name: String| {
        let number = count.entry(name.clone()).or_insert(0);
        *number += 1;
        if *number == 1 { name } else { format!("{name}#{number}") }
    };
    for variable in &body.variables {
        if let Some(slot) = variable.slot
            && !found.contains_key(&slot)
        {
            found.insert(slot, numbered(variable.name.clone()));
        }
    }
    for (at, instruction) in body.instructions.iter().enumerate() {
        let id = InstructionId::at(at);
        if let Op::Alloca { ty, .. } = &instruction.op
            && !found.contains_key(&id)
        {
            found.insert(id, numbered(format!("#{}", type_word(module, *ty))));
        }
    }
    found
}

/// A machine type in a word. Structures by name: how they are laid out is another matter.
pub fn type_word(module: &Module, ty: TypeId) -> String {
    match module.types.get(ty) {
        Type::Void => "void".to_owned(),
        Type::Int(width) => format!("i{width}"),
        Type::Float(_) => {
            format!("f{}", module.types.layout(ty).map_or(0, |layout| layout.size_bits))
        }
        Type::Pointer(space) => format!("p{space}"),
        Type::Array { element, len } => format!("[{len} {}]", type_word(module, *element)),
        Type::Vector { element, len, .. } => format!("<{len} {}>", type_word(module, *element)),
        Type::Struct(body) => match &body.name {
            Some(name) => record_word(name).to_owned(),
            None => {
                let fields = body.fields.iter().flatten().map(|&field| type_word(module, field));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(" "))
            }
        },
        Type::Function { result, parameters, varargs } => {
            let all: Vec<String> = parameters.iter().map(|&one| type_word(module, one)).collect();
            format!("{}({}{})", type_word(module, *result), all.join(" "), if *varargs { " ..." } else { "" })
        }
        Type::Other(name) => name.clone(),
    }
}

/// The way that indices take through a type: members by name.
pub fn path(
    module: &Module,
    records: &Records,
    source: TypeId,
    indices: &[Operand],
    mut index: impl FnMut(&Operand, &mut String),
    out: &mut String,
) {
    let mut ty = source;
    for (at, one) in indices.iter().enumerate() {
        if at > 0 {
            match module.types.get(ty) {
                Type::Struct(body) => {
                    let number = match one {
                        Operand::Const(id) => match module.constant(*id) {
                            Const::Int { bits, .. } => usize::try_from(*bits).ok(),
                            Const::Zero(_) => Some(0),
                            _ => None,
                        },
                        _ => None,
                    };
                    let field = number.and_then(|number| Some((number, *body.fields.as_ref()?.get(number)?)));
                    let Some((number, field)) = field else {
                        out.push_str(" ?");
                        return;
                    };
                    let offset =
                        module.types.layout(ty).and_then(|one| one.field_offsets.get(number).copied());
                    let name = body.name.as_deref().map(record_word);
                    let member = name.and_then(|name| {
                        records.member_at(module, name, offset?).map(|it| format!("{name}.{it}"))
                    });
                    match member {
                        Some(member) => write!(out, " .{member}").expect("a string grows"),
                        None => write!(out, " .{number}@{}", offset.unwrap_or(0)).expect("a string grows"),
                    }
                    ty = field;
                    continue;
                }
                Type::Array { element, .. } | Type::Vector { element, .. } => ty = *element,
                _ => {}
            }
        }
        write!(out, " [{}]", type_word(module, ty)).expect("a string grows");
        index(one, out);
    }
}

/// A constant in words that are the same for the same constant. Named things go by their names, unnamed ones by what they hold.
pub fn constant(module: &Module, records: &Records, id: ConstId, depth: u32, out: &mut String) {
    if depth > DEEPEST {
        out.push_str(" deep");
        return;
    }
    let one = module.constant(id);
    if let Some(ty) = one.ty() {
        write!(out, " {}", type_word(module, ty)).expect("a string grows");
    }
    let written = match one {
        Const::Int { bits, .. } | Const::Float { bits, .. } => write!(out, ":{bits:x}"),
        Const::WideInt { words, .. } => write!(out, ":{words:x?}"),
        Const::Zero(_) => write!(out, ":0"),
        Const::Undef(_) => write!(out, ":undefined"),
        Const::Poison(_) => write!(out, ":poison"),
        Const::Bytes { data, .. } => write!(out, ":{data:x?}"),
        Const::Aggregate { elements, .. } => {
            out.push_str(" {");
            elements.iter().for_each(|&element| constant(module, records, element, depth + 1, out));
            write!(out, " }}")
        }
        Const::Global(global) => {
            let global = module.global(*global);
            match (global.private, global.initializer) {
                (true, Some(value)) => {
                    out.push_str(" unnamed");
                    constant(module, records, value, depth + 1, out);
                    Ok(())
                }
                _ => {
                    // Static variables of one function may share a name.
                    let plain = plain_name(&global.name);
                    let is_local = plain.contains('.');
                    let same = |one: &&hydrogen_ir::Global| is_local && plain_name(&one.name) == plain;
                    let before = module.globals.iter().take_while(|one| one.name != global.name);
                    write!(out, " @{plain}#{}", before.filter(same).count())
                }
            }
        }
        Const::Function(function) => write!(out, " @{}", module.function(*function).name),
        Const::BlockAddress { block, .. } => write!(out, " label {}", block.0),
        Const::Expr { expr, .. } => {
            match expr {
                ConstExpr::ElementAddress { source, base, indices, .. } => {
                    out.push_str(" element");
                    constant(module, records, *base, depth + 1, out);
                    let indices: Vec<Operand> = indices.iter().map(|&one| Operand::Const(one)).collect();
                    let index = |one: &Operand, out: &mut String| {
                        if let Operand::Const(id) = one {
                            constant(module, records, *id, depth + 1, out);
                        }
                    };
                    path(module, records, *source, &indices, index, out);
                }
                ConstExpr::Cast(_, value) => {
                    out.push_str(" cast");
                    constant(module, records, *value, depth + 1, out);
                }
                ConstExpr::Binary(op, left, right) => {
                    write!(out, " {}", *op as u8).expect("a string grows");
                    constant(module, records, *left, depth + 1, out);
                    constant(module, records, *right, depth + 1, out);
                }
                ConstExpr::Other(name, inner) => {
                    out.push_str(name);
                    inner.iter().for_each(|&one| constant(module, records, one, depth + 1, out));
                }
            }
            Ok(())
        }
    };
    written.expect("a string grows");
}
