//! What functions without a body do: a readable table, which callers can extend.

use std::collections::BTreeMap;

/// One thing that calling a library function does. Numbers are arguments, from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// The result points to new memory.
    Fresh,
    /// The result is this argument.
    Same(usize),
    /// The result points into what this argument points to.
    Inside(usize),
    /// The result points to memory that belongs to this function alone.
    Static,
    /// The result points to any memory that unknown code can see.
    Foreign,
    /// Memory is copied, pointers included.
    Copy {
        /// The pointer to the destination.
        to: usize,
        /// The pointer to the source.
        from: usize,
    },
    /// A pointer into an argument's memory is stored.
    Put {
        /// The pointer to where.
        into: usize,
        /// The argument.
        value: usize,
    },
    /// Pointers to memory of the library are stored in what this argument points to.
    PutForeign(usize),
    /// The library keeps this argument.
    Escape(usize),
    /// An argument is called.
    Calls {
        /// The function pointer.
        callee: usize,
        /// It gets pointers into what these arguments point to.
        arguments: Vec<usize>,
    },
    /// What this argument points to is read; `None` for all arguments.
    Reads(Option<usize>),
    /// What this argument points to is written; `None` for all arguments.
    Writes(Option<usize>),
}

/// The functions whose effects are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    functions: BTreeMap<String, Vec<Effect>>,
}

/// Why a line of the table could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}; write `name: effect, effect …`, such as `xmalloc: fresh`")]
pub struct LibraryError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl Default for Library {
    fn default() -> Self {
        Self::standard()
    }
}

impl Library {
    /// A table without entries: every function without a body may do anything.
    pub fn empty() -> Self {
        Self { functions: BTreeMap::new() }
    }

    /// The C library, POSIX and the compiler's intrinsics.
    pub fn standard() -> Self {
        let mut library = Self::empty();
        library.extend(include_str!("library.txt")).expect("the built-in table is well formed");
        library
    }

    /// Adds the entries of a table in the form of `library.txt`; later entries replace earlier ones.
    pub fn extend(&mut self, table: &str) -> Result<(), LibraryError> {
        for (index, line) in table.lines().enumerate() {
            let fail = |message: String| LibraryError { line: index + 1, message };
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let (name, effects) = line.split_once(':').ok_or_else(|| fail("no colon".into()))?;
            let effects: Result<Vec<_>, _> =
                effects.split(',').map(str::trim).filter(|effect| !effect.is_empty()).map(effect).collect();
            self.functions.insert(name.trim().into(), effects.map_err(fail)?);
        }
        Ok(())
    }

    /// The effects of a function, if it is known. Intrinsics that are not in the table compute values only.
    pub fn effects(&self, name: &str) -> Option<&[Effect]> {
        if let Some(effects) = self.functions.get(name) {
            return Some(effects);
        }
        if !name.starts_with("llvm.") {
            return None;
        }
        // Intrinsics carry the types of their operands: `llvm.memcpy.p0.p0.i64`.
        let family = name.match_indices('.').rev().find_map(|(dot, _)| self.functions.get(&name[..=dot]));
        let whole = || self.functions.get(&format!("{name}."));
        Some(family.or_else(whole).map_or(&[][..], Vec::as_slice))
    }

    /// Whether the result of a function is new memory.
    pub fn allocates(&self, name: &str) -> bool {
        self.effects(name).is_some_and(|effects| effects.contains(&Effect::Fresh))
    }
}

fn effect(text: &str) -> Result<Effect, String> {
    let mut words = text.split_whitespace();
    let verb = words.next().unwrap_or_default();
    let rest: Vec<&str> = words.collect();
    let number = |index: usize| -> Result<usize, String> {
        let word = rest.get(index).ok_or_else(|| format!("`{text}` lacks an argument number"))?;
        word.parse().map_err(|_| format!("`{word}` is no argument number"))
    };
    let some = || if rest == ["*"] { Ok(None) } else { number(0).map(Some) };
    Ok(match verb {
        "fresh" => Effect::Fresh,
        "same" => Effect::Same(number(0)?),
        "inside" => Effect::Inside(number(0)?),
        "static" => Effect::Static,
        "foreign" => Effect::Foreign,
        "copy" => Effect::Copy { to: number(0)?, from: number(1)? },
        "put" => Effect::Put { into: number(0)?, value: number(1)? },
        "putforeign" => Effect::PutForeign(number(0)?),
        "escape" => Effect::Escape(number(0)?),
        "calls" => {
            let arguments: Result<_, _> = (1..rest.len()).map(number).collect();
            Effect::Calls { callee: number(0)?, arguments: arguments? }
        }
        "reads" => Effect::Reads(some()?),
        "writes" => Effect::Writes(some()?),
        _ => return Err(format!("`{verb}` is no effect")),
    })
}

#[cfg(test)]
mod tests {
    use super::{Effect, Library};

    #[test]
    fn the_table_reads_and_extends() {
        let mut library = Library::standard();
        assert_eq!(library.effects("strchr"), Some(&[Effect::Reads(Some(0)), Effect::Inside(0)][..]));
        assert_eq!(library.effects("llvm.memcpy.p0.p0.i64"), Some(&[Effect::Copy { to: 0, from: 1 }][..]));
        assert_eq!(library.effects("llvm.umul.with.overflow.i64"), Some(&[][..]));
        assert_eq!(library.effects("llvm.stacksave.p0"), Some(&[][..]));
        assert_eq!(library.effects("frobnicate"), None);
        assert!(!library.allocates("pool_get"));
        library.extend("pool_get: fresh # ours").unwrap();
        assert!(library.allocates("pool_get"));
    }

    #[test]
    fn wrong_lines_are_named() {
        let check = |line: &str, message: &str| {
            let error = Library::empty().extend(&format!("\n{line}")).unwrap_err();
            assert_eq!((error.line, error.message.as_str()), (2, message));
        };
        check("malloc fresh", "no colon");
        check("f: returns 1", "`returns` is no effect");
        check("f: same", "`same` lacks an argument number");
        check("f: copy 0 x", "`x` is no argument number");
    }
}
