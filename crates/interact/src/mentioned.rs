//! What the text of a function mentions, by the names that items have: members with a dot in front, tags with their keyword.
//!
//! Of a type behind a pointer nothing is seen, unless a statement goes from one element to the next, or fetches one: then its size
//! matters, and the statement mentions the type though it names a variable only.

use hydrogen_ir::{Mention, Piece, Pointers, Role, is_before_dot, mentions_in};
use hydrogen_syntax::NameHash;

/// What a text mentions. A name before a star, or before the dot of a member, is told from one that stands alone.
pub(crate) fn mentioned(text: &str) -> Vec<NameHash> {
    mentions_in(text).map(|mention| of(text, mention)).collect()
}

fn of(text: &str, mention: Mention<'_>) -> NameHash {
    match mention {
        Mention::Name(name) if is_before_dot(text, name) => dotted(name),
        Mention::Name(name) => NameHash::of(name.as_bytes()),
        Mention::Pointed(name) => NameHash::of(format!("*{name}").as_bytes()),
        Mention::Member(name) => NameHash::of(format!(".{name}").as_bytes()),
    }
}

/// What a statement mentions, with the types whose size matters to it.
pub(crate) fn mentioned_in(pointers: &Pointers<'_>, piece: &Piece) -> Vec<NameHash> {
    let mut found = mentioned(&piece.text);
    // What macros do is not known here, but most of them can be told by their names.
    let is_macro = |name: &str| !name.contains(|it: char| it.is_ascii_lowercase());
    let sizes = pointers.sizes(&piece.text, piece.role == Role::Declaration, is_macro);
    found.extend(sizes.iter().map(|name| NameHash::of(name.as_bytes())));
    found
}

/// A name as it is before a dot.
pub(crate) fn dotted(name: &str) -> NameHash {
    NameHash::of(format!("{name}.").as_bytes())
}

/// The names of a function's variables as they are before a star, and before a dot.
pub(crate) fn sides<'a>(pointers: &'a Pointers<'_>) -> impl Iterator<Item = NameHash> + 'a {
    pointers.variables().flat_map(|name| [NameHash::of(format!("*{name}").as_bytes()), dotted(name)])
}

#[cfg(test)]
mod tests {
    use super::NameHash;
    use hydrogen_syntax::{Options, read};

    /// Which of the names each statement of the function mentions.
    fn check(source: &str, names: &[&str], expect: &[&str]) {
        let unit = read("t.c", source.as_bytes(), &Options::default());
        let function = &unit.module.functions[0];
        let pointers = hydrogen_ir::Pointers::of(function);
        let said = function.pieces.iter().filter(|piece| !piece.is_synthetic()).map(|piece| {
            let found = super::mentioned_in(&pointers, piece);
            let known = names.iter().filter(|name| found.contains(&NameHash::of(name.as_bytes())));
            format!("{}: {}", piece.text, known.copied().collect::<Vec<_>>().join(" "))
        });
        assert_eq!(said.collect::<Vec<_>>(), expect);
    }

    #[test]
    fn the_size_of_a_structure_matters_where_a_pointer_moves() {
        check(
            "int f(struct s *p, struct t *q) { struct u v; struct s *e = p + 1; if (p) q->a = p->b; return e - p; }",
            &["struct s", "struct t", "struct u", ".a", ".b"],
            &[
                "struct u v: struct u",
                "struct s *e = p + 1: struct s",
                "p: ",
                "q->a = p->b: .a .b",
                "return e - p: struct s",
            ],
        );
    }
}
