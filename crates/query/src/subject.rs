//! What all questions are about. It is settled before the first one and does not change.

use crate::judge::members::ComesIn;
use crate::meaning::program::Program;
use hydrogen_library::Library;

/// The program, and what is known of it beside its code.
pub(crate) struct Subject<'a> {
    pub program: Program<'a>,
    pub library: Library,
    /// Where execution may begin besides `main`; if none are named, wherever nobody else calls.
    pub entries: Vec<String>,
    /// What a person says of what comes in.
    pub comes_in: ComesIn,
}
