//! Sizes of what pointers lead to: items of their own, which only those see that step over what is there, or fetch it.

use super::Seen;
use hydrogen_ir::{Declared, behind, declared};

/// What pointers lead to that a declaration declares under these names. A second name of a type may be that of a pointer.
pub(super) fn behind_names(text: &str, dot: &str, names: &[&str]) -> Vec<Seen> {
    let all = declared(text).into_iter().filter(|one| names.contains(&one.name) && !one.ty.is_empty());
    let seen = all.filter_map(|one| {
        let tag = one.ty.contains(' ');
        let depth = one.stars + one.brackets;
        let (depth, need) = match one.stars {
            0 if tag => return None,
            0 => (depth + 1, behind(one.ty, 1)?),
            _ => (depth, one.ty.to_owned()),
        };
        let name = behind(&format!("{dot}{}", one.name), depth)?;
        Some(Seen { name, text: String::new(), needs: vec![need] })
    });
    seen.collect()
}

/// Whether a variable is a structure, or something else that has a name: who uses a member says which.
pub(super) fn is_structure(text: &str, name: &str) -> bool {
    let own = |one: &Declared<'_>| one.name == name && one.stars + one.brackets == 0 && !one.ty.is_empty();
    !text.contains('{') && declared(text).iter().any(own)
}

/// What pointers lead to whose structure has no name: all that is said in its place.
pub(super) fn behind_unnamed(declarators: &str, names: &[&str], text: &str, needs: &[String]) -> Vec<Seen> {
    // The type stands before the names; here it is somewhere else.
    let declarators = format!("unnamed {declarators}");
    let all = declared(&declarators).into_iter().filter(|one| names.contains(&one.name) && one.stars > 0);
    let seen = all.filter_map(|one| {
        let name = behind(&format!(".{}", one.name), one.stars + one.brackets)?;
        Some(Seen { name, text: text.to_owned(), needs: needs.to_vec() })
    });
    seen.collect()
}
