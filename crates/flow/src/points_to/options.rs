//! What the analysis may assume.

use hydrogen_library::Library;

/// Assumptions and limits of the points-to analysis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Functions without a body that are known.
    pub library: Library,
    /// Functions *with* a body of which the caller knows better what they return, such as a program's own
    /// allocator: each call then gives out memory of its own.
    pub wrappers: Library,
    /// The module is a whole program: only `main` is called from outside, and globals with a definition here are
    /// named by no one else. Otherwise whatever is not `static` is open to unknown code.
    pub closed: bool,
    /// Further functions that unknown code calls.
    pub roots: Vec<String>,
    /// Follow pointers also through integers narrower than a pointer, as in copying byte by byte by hand. Without
    /// this the analysis assumes that programs copy pointers whole or with the library's functions.
    pub narrow: bool,
    /// How much work to spend (about 10⁷ units a second) before falling back to "everything may point everywhere".
    pub budget: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            library: Library::default(),
            wrappers: Library::empty(),
            closed: false,
            roots: Vec::new(),
            narrow: false,
            budget: 500_000_000,
        }
    }
}
