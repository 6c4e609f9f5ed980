//! How the parameters of C become those of compiled code: structures by value are taken apart, copied, or left away (the x86-64 ABI, as
//! clang lowers it).

use hydrogen_evidence::{Call, Value};
use hydrogen_ir::layout::{plain, size_of};
use hydrogen_ir::{CType, CTypeId, Function, Module, Type, TypeId};

/// How one parameter of C is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Passing {
    /// As it is, in this parameter of the code.
    Direct(usize),
    /// A structure, in parameters that each take the bytes from a place on.
    Pieces(Vec<(usize, u64)>),
    /// A structure, as the address of a copy in this parameter.
    Copy(usize),
    /// An empty structure: not at all.
    Nothing,
}

/// How a function is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Convention {
    /// By parameter of C.
    pub arguments: Vec<Passing>,
    /// The parameter with the address of a structure that is the result, and how large that is.
    pub result: Option<(usize, u64)>,
}

/// Whether values of a type are structures or unions.
pub fn is_record(module: &Module, ctype: CTypeId) -> bool {
    matches!(module.ctype(plain(module, ctype)), CType::Record { .. })
}

/// How a function is called; none where its C type is not known or does not fit its code.
pub fn convention(module: &Module, function: &Function) -> Option<Convention> {
    let CType::Function { parameters, result, .. } = module.ctype(function.ctype?) else { return None };
    let code = &function.parameters;
    let hidden = code.first().is_some_and(|first| first.attributes.struct_return.is_some());
    let result = if hidden { Some((0, size_of(module, *result)?)) } else { None };
    let mut next = usize::from(hidden);
    let mut arguments = Vec::new();
    for ctype in parameters {
        if !is_record(module, *ctype) {
            arguments.push(Passing::Direct(next));
            next += 1;
            continue;
        }
        let Some(size) = size_of(module, *ctype) else {
            arguments.push(Passing::Nothing);
            continue;
        };
        let first = code.get(next)?;
        if first.attributes.by_value.is_some() {
            arguments.push(Passing::Copy(next));
            next += 1;
            continue;
        }
        let covered = module.types.layout(first.ty?)?.alloc_bytes;
        let pieces = if covered >= size { vec![(next, 0)] } else { vec![(next, 0), (next + 1, 8)] };
        next += pieces.len();
        arguments.push(Passing::Pieces(pieces));
    }
    (next == code.len()).then_some(Convention { arguments, result })
}

/// How a call gives its arguments, if that is by the parameters of C: then a structure by value is an object of the call that is of its type.
/// A call can also list what compiled code takes, one value for each of its parameters.
pub fn convention_of(module: &Module, function: &Function, call: &Call) -> Option<Convention> {
    let known = convention(module, function)?;
    let CType::Function { parameters, .. } = module.ctype(function.ctype?) else { return None };
    let given = |at: usize, ctype: CTypeId| match call.arguments.get(at).map(|argument| &argument.value) {
        Some(Value::Object(object, 0)) => {
            call.objects.get(*object).is_some_and(|object| object.of == module.ctype_name(ctype))
        }
        _ => false,
    };
    let structures = (0..).zip(parameters).filter(|(_, ctype)| is_record(module, **ctype));
    let fits = call.arguments.len() <= parameters.len()
        && structures.into_iter().all(|(at, ctype)| given(at, *ctype));
    fits.then_some(known)
}

/// Where the words of a function's result lie in the value: the first byte of each, and how many.
pub fn result_words(module: &Module, function: &Function) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    let ty = function.ty.map(|ty| module.types.get(ty));
    if let Some(Type::Function { result, .. }) = ty {
        words(module, *result, 0, &mut found);
    }
    found
}

fn words(module: &Module, ty: TypeId, at: u64, found: &mut Vec<(u64, u64)>) {
    let types = &module.types;
    let stride = |one: TypeId| types.layout(one).map_or(0, |layout| layout.alloc_bytes);
    match types.get(ty) {
        Type::Struct(body) => {
            let offsets = types.layout(ty).map(|layout| layout.field_offsets.clone()).unwrap_or_default();
            for (field, offset) in body.fields.iter().flatten().zip(offsets) {
                words(module, *field, at + offset, found);
            }
        }
        Type::Array { element, len } => {
            (0..*len).for_each(|index| words(module, *element, at + index * stride(*element), found));
        }
        Type::Vector { element, len, .. } => {
            (0..u64::from(*len))
                .for_each(|index| words(module, *element, at + index * stride(*element), found));
        }
        Type::Int(_) | Type::Float(_) | Type::Pointer(_) => {
            let bytes = types.layout(ty).map_or(0, |layout| layout.size_bits.div_ceil(8));
            found.extend((0..bytes).step_by(8).map(|from| (at + from, (bytes - from).min(8))));
        }
        _ => {}
    }
}
