//! What functions do with pointers.

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

/// Reads an effect as the table has it.
pub(crate) fn parse(text: &str) -> Result<Effect, String> {
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
