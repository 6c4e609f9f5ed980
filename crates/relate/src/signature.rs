//! Whether two functions can be called alike.

use crate::subject::Subject;
use hydrogen_ir::{CType, CTypeId, Encoding, Module};

/// Why two functions cannot be compared; none if they take and give the same.
pub fn different_signatures(old: Subject, new: Subject) -> Option<String> {
    let shape = |subject: Subject| -> Option<Vec<(String, u64)>> {
        let (module, function) = (subject.module, subject.module.function(subject.function));
        let hydrogen_ir::Type::Function { result, parameters, varargs } = module.types.get(function.ty?)
        else {
            return None;
        };
        let describe = |id: &hydrogen_ir::TypeId| {
            let kind = match module.types.get(*id) {
                hydrogen_ir::Type::Int(_) => "integer",
                hydrogen_ir::Type::Float(_) => "floating point",
                hydrogen_ir::Type::Pointer(_) => "pointer",
                hydrogen_ir::Type::Void => "void",
                _ => "other",
            };
            (kind.to_owned(), module.types.layout(*id).map_or(0, |layout| layout.size_bits))
        };
        let mut all = vec![describe(result), (varargs.to_string(), 0)];
        all.extend(parameters.iter().map(describe));
        all.extend(signs(module, function).into_iter().map(|sign| (sign.to_owned(), 0)));
        Some(all)
    };
    match (shape(old), shape(new)) {
        (Some(a), Some(b)) if a == b => None,
        (Some(_), Some(_)) => Some("the signatures differ".to_owned()),
        _ => Some("a function without a type".to_owned()),
    }
}

/// Which of the result and the parameters are signed, as far as debug information tells: a caller sees -1 or 255 in the same bits.
fn signs(module: &Module, function: &hydrogen_ir::Function) -> Vec<&'static str> {
    let Some(CType::Function { result, parameters, .. }) = function.ctype.map(|id| module.ctype(id)) else {
        return Vec::new();
    };
    let sign = |id: &CTypeId| {
        let mut id = *id;
        for _ in 0..32 {
            match module.ctype(id) {
                CType::Typedef { target, .. } | CType::Qualified { target, .. } => id = *target,
                CType::Basic { encoding: Encoding::Signed, .. } => return "signed",
                CType::Basic { encoding: Encoding::Boolean, .. } => return "truth value",
                CType::Basic { encoding: Encoding::Unsigned, .. } => return "unsigned",
                _ => return "",
            }
        }
        ""
    };
    std::iter::once(result).chain(parameters).map(sign).collect()
}
