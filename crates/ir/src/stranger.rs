//! Functions that nobody of the program wrote: what a pointer to a function may lead to when the pointer comes from outside.
//!
//! There is one for every type of function. Its name is made of the type, so that it is the same function in every version.

use crate::layout::{plain, size_of};
use crate::{CType, CTypeId, Encoding, Module};

/// What the names of strangers begin with.
const PREFIX: &str = "any_";

/// What a stranger gives or takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// Nothing.
    Nothing,
    /// A whole number of so many bits.
    Number(u32),
    /// A floating-point number of so many bits.
    Float(u32),
    /// A pointer.
    Pointer,
}

impl Word {
    fn of(module: &Module, ctype: CTypeId) -> Option<Self> {
        let bits = size_of(module, ctype).and_then(|bytes| u32::try_from(8 * bytes).ok());
        match module.ctype(plain(module, ctype)) {
            CType::Void => Some(Self::Nothing),
            CType::Pointer(_) => Some(Self::Pointer),
            CType::Enum { .. } => bits.map(Self::Number),
            CType::Basic { encoding: Encoding::Float, .. } => {
                bits.filter(|bits| [32, 64].contains(bits)).map(Self::Float)
            }
            CType::Basic { encoding: Encoding::Boolean, .. } => Some(Self::Number(1)),
            CType::Basic { encoding: Encoding::Signed | Encoding::Unsigned, .. } => {
                bits.filter(|bits| *bits <= 64).map(Self::Number)
            }
            _ => None,
        }
    }
}

/// The stranger of a type of function; none where it would take or give structures, or any number of arguments.
pub fn stranger(module: &Module, ctype: CTypeId) -> Option<String> {
    let ctype = plain(module, ctype);
    signature_of(module, ctype)?;
    let mut name = PREFIX.to_owned();
    for letter in module.ctype_name(ctype).chars() {
        match letter {
            '*' => name.push('p'),
            '(' => name.push_str("of_"),
            letter if letter.is_ascii_alphanumeric() => name.push(letter),
            _ if !name.ends_with('_') => name.push('_'),
            _ => {}
        }
    }
    Some(name.trim_end_matches('_').to_owned())
}

/// All strangers that pointers of a module may lead to, in the order of their types.
pub fn strangers(module: &Module) -> impl Iterator<Item = (String, CTypeId)> + '_ {
    let all = (0..module.ctypes.len()).map(CTypeId::at);
    let functions = all.filter(|id| matches!(module.ctype(*id), CType::Function { .. }));
    functions.filter_map(|id| Some((stranger(module, id)?, id)))
}

/// What the stranger of this name gives and takes.
pub fn signature(module: &Module, name: &str) -> Option<(Word, Vec<Word>)> {
    if !name.starts_with(PREFIX) {
        return None;
    }
    let (_, ctype) = strangers(module).find(|(own, _)| own == name)?;
    signature_of(module, ctype)
}

fn signature_of(module: &Module, ctype: CTypeId) -> Option<(Word, Vec<Word>)> {
    let CType::Function { result, parameters, varargs: false } = module.ctype(ctype) else { return None };
    let taken = parameters.iter().map(|one| Word::of(module, *one).filter(|word| *word != Word::Nothing));
    Some((Word::of(module, *result)?, taken.collect::<Option<_>>()?))
}
