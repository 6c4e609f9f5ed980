//! Whom a name reaches.

/// How the file of a caller sees a function of the name that it calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// It is in the file itself.
    Own,
    /// It is elsewhere, and every file sees it.
    Everywhere,
    /// It is elsewhere, for its own file alone.
    Hidden,
}

/// Whether the functions of a file are part of those that include it.
pub fn is_included(path: &str) -> bool {
    path.ends_with(".h")
}

/// Whom a name reaches among the functions that have it: those of the caller's own file; without one, those that every
/// file sees. Where several programs define the name, all of them are possible. The order stays.
pub fn reached<T>(named: impl IntoIterator<Item = T>, sight: impl Fn(&T) -> Sight) -> Vec<T> {
    let mut best = Sight::Everywhere;
    let mut found = Vec::new();
    for function in named {
        match sight(&function) {
            Sight::Own if best != Sight::Own => {
                best = Sight::Own;
                found.clear();
                found.push(function);
            }
            seen if seen == best => found.push(function),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Sight::*, reached};

    #[test]
    fn the_own_file_comes_first_and_strangers_statics_never() {
        let names = |list: &[_]| reached(0..list.len(), |&at| list[at]);
        assert_eq!(names(&[Everywhere, Own, Hidden, Own, Everywhere]), [1, 3]);
        assert_eq!(names(&[Hidden, Everywhere, Everywhere]), [1, 2]);
        assert_eq!(names(&[Hidden]), [] as [usize; 0]);
    }
}
