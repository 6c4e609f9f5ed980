//! What calls of functions that are not here do to memory and files, by their names.

use hydrogen_flow::Effect;
use hydrogen_library::{Library, Trait};

/// How much of the memory is touched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Extent {
    #[default]
    None,
    /// Texts and numbers behind pointers, no members of structures.
    Texts,
    /// Anything.
    All,
}

/// What a call may do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Outside {
    pub reads: Extent,
    pub sets: Extent,
    /// Whether it depends on files, or others then depend on it.
    pub files: bool,
}

impl Outside {
    pub fn add(&mut self, other: Self) {
        self.reads = self.reads.max(other.reads);
        self.sets = self.sets.max(other.sets);
        self.files |= other.files;
    }
}

/// What the call of a function without a body here may do. Memory that it makes is nobody's yet, and what it frees is read by nobody.
pub(crate) fn outside(name: &str) -> Outside {
    let library = Library::standard();
    if matches!(name, "va_start" | "va_arg" | "va_end" | "va_copy" | "assert" | "defined") {
        return Outside::default();
    }
    let everything = Outside { reads: Extent::All, sets: Extent::All, files: true };
    if library.is(name, Trait::Pure) {
        // It changes nothing; but it may look at what it is given.
        let reads = if has_memory(library.effects(name)) { extent(name) } else { Extent::None };
        return Outside { reads, ..Outside::default() };
    }
    let Some(effects) = library.effects(name) else { return by_kind(name).unwrap_or(everything) };
    let mut found = Outside { files: library.is(name, Trait::Files), ..Outside::default() };
    if matches!(name, "free" | "malloc" | "calloc" | "realloc" | "reallocarray") {
        return found;
    }
    // A stream is memory of the library, which nobody else looks into.
    let stream = match (library.is(name, Trait::StreamFirst), library.is(name, Trait::StreamLast)) {
        (true, _) => Some(0),
        (_, true) => effects.iter().filter_map(argument).max(),
        _ => None,
    };
    for effect in effects.iter().filter(|effect| stream.is_none() || argument(effect) != stream) {
        match effect {
            Effect::Reads(_) => found.reads = found.reads.max(extent(name)),
            Effect::Writes(_) | Effect::Put { .. } | Effect::PutForeign(_) => {
                found.sets = found.sets.max(extent(name))
            }
            Effect::Copy { .. } => {
                found.reads = found.reads.max(extent(name));
                found.sets = found.sets.max(extent(name));
            }
            Effect::Calls { .. } => return everything,
            _ => {}
        }
    }
    found
}

/// The argument behind which something is read or written.
fn argument(effect: &Effect) -> Option<usize> {
    match effect {
        Effect::Reads(at) | Effect::Writes(at) => *at,
        _ => None,
    }
}

fn extent(name: &str) -> Extent {
    if Library::standard().is(name, Trait::Texts) { Extent::Texts } else { Extent::All }
}

/// Whether a function may look behind its arguments.
fn has_memory(effects: Option<&[Effect]>) -> bool {
    effects.is_none_or(|all| {
        all.iter().any(|effect| {
            matches!(effect, Effect::Reads(_) | Effect::Copy { .. } | Effect::Same(_) | Effect::Inside(_))
        })
    })
}

/// What the table says of functions without saying what they do with pointers.
fn by_kind(name: &str) -> Option<Outside> {
    let texts = |sets: Extent, files: bool| Outside { reads: Extent::Texts, sets, files };
    let kinds = [
        (Trait::Unseeing, Outside::default()),
        (Trait::OfNames, texts(Extent::None, true)),
        (Trait::OfTexts, texts(Extent::Texts, true)),
        (Trait::Environment, texts(Extent::Texts, false)),
    ];
    kinds.into_iter().find(|(kind, _)| Library::standard().is(name, *kind)).map(|(_, outside)| outside)
}
