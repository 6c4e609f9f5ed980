//! Functions that the machine does itself: those that musl has in assembly, and the allocator, so that every heap object has
//! its exact bounds and life.

/// What the machine does itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The names of the C functions.
pub enum Builtin {
    Malloc,
    Calloc,
    Realloc,
    Free,
    /// `aligned_alloc` and `memalign`.
    AlignedAlloc,
    PosixMemalign,
    UsableSize,
    MemCpy,
    MemMove,
    MemSet,
    SetJmp,
    LongJmp,
    SetThreadArea,
    /// Starts a thread.
    Clone,
    /// A thread ends and gives its memory back.
    UnmapSelf,
    /// Calls what must run before `main`.
    Init,
    /// Calls what must run at the end.
    Fini,
    /// `hydrogen_symbolic`: memory gets the input of this name.
    Symbolic,
    /// `hydrogen_assume`: the run ends where the condition is false.
    Assume,
    /// `hydrogen_output`: a value that counts as output under a name.
    NamedOutput,
    /// Another rounding is asked for.
    SetRounding,
    /// It is asked what happened in arithmetic with floating-point numbers.
    TestExceptions,
    /// Called and without effect here.
    Nothing,
}

const NAMES: &[(&str, Builtin)] = &[
    ("malloc", Builtin::Malloc),
    ("__libc_malloc", Builtin::Malloc),
    ("__libc_malloc_impl", Builtin::Malloc),
    ("calloc", Builtin::Calloc),
    ("__libc_calloc", Builtin::Calloc),
    ("realloc", Builtin::Realloc),
    ("__libc_realloc", Builtin::Realloc),
    ("free", Builtin::Free),
    ("__libc_free", Builtin::Free),
    ("aligned_alloc", Builtin::AlignedAlloc),
    ("memalign", Builtin::AlignedAlloc),
    ("posix_memalign", Builtin::PosixMemalign),
    ("malloc_usable_size", Builtin::UsableSize),
    ("memcpy", Builtin::MemCpy),
    ("memmove", Builtin::MemMove),
    ("memset", Builtin::MemSet),
    ("setjmp", Builtin::SetJmp),
    ("_setjmp", Builtin::SetJmp),
    ("__setjmp", Builtin::SetJmp),
    ("sigsetjmp", Builtin::SetJmp),
    ("__sigsetjmp", Builtin::SetJmp),
    ("longjmp", Builtin::LongJmp),
    ("_longjmp", Builtin::LongJmp),
    ("siglongjmp", Builtin::LongJmp),
    ("__set_thread_area", Builtin::SetThreadArea),
    ("__clone", Builtin::Clone),
    ("__unmapself", Builtin::UnmapSelf),
    ("hydrogen_symbolic", Builtin::Symbolic),
    ("klee_make_symbolic", Builtin::Symbolic),
    ("hydrogen_assume", Builtin::Assume),
    ("klee_assume", Builtin::Assume),
    ("hydrogen_output", Builtin::NamedOutput),
    ("_init", Builtin::Init),
    ("_fini", Builtin::Fini),
    ("__fesetround", Builtin::SetRounding),
    ("fetestexcept", Builtin::TestExceptions),
    ("__restore", Builtin::Nothing),
    ("__restore_rt", Builtin::Nothing),
    ("__malloc_donate", Builtin::Nothing),
    ("__malloc_atfork", Builtin::Nothing),
];

/// Symbols that a linker makes around tables that are empty here.
const EDGES: &[&str] = &[
    "__init_array_start",
    "__init_array_end",
    "__fini_array_start",
    "__fini_array_end",
    "__preinit_array_start",
    "__preinit_array_end",
    "__ehdr_start",
];

impl Builtin {
    /// The built-in function of this name; a definition of the user's counts more, one of the library's less.
    pub fn named(name: &str) -> Option<Builtin> {
        builtin(name)
    }
}

/// The built-in function of this name.
pub(crate) fn builtin(name: &str) -> Option<Builtin> {
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, builtin)| *builtin)
}

/// All built-in functions by name.
pub(crate) fn builtins() -> impl Iterator<Item = (&'static str, Builtin)> {
    NAMES.iter().copied()
}

pub(crate) fn is_edge(name: &str) -> bool {
    EDGES.contains(&name)
}
