//! IR-3, IR-4 and IR-5: constants and initialisers.

use super::{Report, Rule, types::cyclic};
use crate::{Const, ConstId, Module, Reference, StructType, Type, TypeId};

pub(super) fn check(module: &Module, report: &mut Report) {
    let children = |index: usize| {
        let mut children = Vec::new();
        module.constants[index].references(|reference| {
            if let Reference::Const(id) = reference {
                children.push(id.index());
            }
        });
        children
    };
    for index in cyclic(module.constants.len(), children) {
        report.add(Rule::ConstantsFinite, format_args!("constant #{index}"), "contains itself");
    }
    for (index, constant) in module.constants.iter().enumerate() {
        if let Err(message) = fits(module, constant) {
            report.add(Rule::ConstantsFit, format_args!("constant #{index}"), message);
        }
    }
}

fn fits(module: &Module, constant: &Const) -> Result<(), String> {
    match constant {
        Const::Int { ty, bits } => match module.types.get(*ty) {
            Type::Int(width) if *width >= 128 || bits >> width == 0 => Ok(()),
            Type::Int(width) => Err(format!("{bits} has more than {width} bits")),
            _ => Err("an integer needs an integer type".into()),
        },
        Const::WideInt { ty, words } => match module.types.get(*ty) {
            Type::Int(width) if words.len() as u64 == u64::from(*width).div_ceil(64) => Ok(()),
            Type::Int(width) => Err(format!("{} words for {width} bits", words.len())),
            _ => Err("an integer needs an integer type".into()),
        },
        Const::Float { ty, .. } => match module.types.get(*ty) {
            Type::Float(_) => Ok(()),
            _ => Err("a floating-point number needs a floating-point type".into()),
        },
        Const::Aggregate { ty, elements } => {
            let expected = match module.types.get(*ty) {
                Type::Array { len, .. } => *len,
                Type::Vector { len, .. } => u64::from(*len),
                Type::Struct(StructType { fields: Some(fields), .. }) => fields.len() as u64,
                _ => return Err("elements need an array, a vector or a structure".into()),
            };
            match expected == elements.len() as u64 {
                true => Ok(()),
                false => Err(format!("{} elements for {expected}", elements.len())),
            }
        }
        Const::Bytes { ty, data } => match module.types.get(*ty) {
            Type::Array { element, len } if *module.types.get(*element) == Type::Int(8) => {
                match *len == data.len() as u64 {
                    true => Ok(()),
                    false => Err(format!("{} bytes for {len}", data.len())),
                }
            }
            _ => Err("bytes need an array of i8".into()),
        },
        _ => Ok(()),
    }
}

/// The type of a constant; `None` for addresses, which all are pointers.
pub(super) fn type_of(module: &Module, id: ConstId) -> Option<TypeId> {
    module.constant(id).ty()
}

pub(super) fn check_globals(module: &Module, report: &mut Report) {
    for global in &module.globals {
        let place = format_args!("global `{}`", global.name);
        if global.alias_of.is_some() && global.initializer.is_some() {
            report.add(Rule::Initializers, place, "is an alias and has a value of its own");
        }
        let Some(initializer) = global.initializer else { continue };
        let size = |ty| module.types.layout(ty).map(|layout| layout.alloc_bytes);
        let Some(ty) = type_of(module, initializer) else {
            let pointer = matches!(module.types.get(global.ty), Type::Pointer(_));
            // The address space of a symbol is not recorded, so any pointer will do.
            if !pointer {
                report.add(Rule::Initializers, place, "an address initialises something that is no pointer");
            }
            continue;
        };
        if let (Some(found), Some(expected)) = (size(ty), size(global.ty))
            && found != expected
        {
            let message = format!("{found} bytes initialise {expected} bytes");
            report.add(Rule::Initializers, place, message);
        }
    }
}
