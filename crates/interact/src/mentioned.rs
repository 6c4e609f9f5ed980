//! What the text of a function mentions, by the names that items have: members with a dot in front, tags with their keyword.
//!
//! Of a type behind a pointer nothing is seen, unless a statement goes from one element to the next, or fetches one: then its size
//! matters, and the statement mentions the type though it names a variable only.

use hydrogen_ir::{Function, Mention, Role, mentions_in, moves_pointers};
use hydrogen_syntax::NameHash;
use rustc_hash::FxHashMap;

/// What a text mentions. A name before a star is told from one that stands alone.
pub(crate) fn mentioned(text: &str) -> Vec<NameHash> {
    mentions_in(text).map(of).collect()
}

fn of(mention: Mention<'_>) -> NameHash {
    match mention {
        Mention::Name(name) => NameHash::of(name.as_bytes()),
        Mention::Pointed(name) => NameHash::of(format!("*{name}").as_bytes()),
        Mention::Member(name) => NameHash::of(format!(".{name}").as_bytes()),
    }
}

/// The variables of a function that are pointers, with the types that they lead to.
#[derive(Debug, Default)]
pub(crate) struct Pointers<'a> {
    types: FxHashMap<&'a str, Vec<NameHash>>,
    locals: Vec<&'a str>,
}

impl<'a> Pointers<'a> {
    /// Those that a function declares, and its parameters.
    pub fn of(function: &'a Function) -> Self {
        let mut found = Self {
            locals: function.parameters.iter().map(|it| it.name.as_str()).collect(),
            ..Self::default()
        };
        let parameters = function.signature.split_once('(').map_or("", |(_, rest)| rest);
        parameters.split([',', ';']).for_each(|one| found.declared(one));
        for piece in function.pieces.iter().filter(|piece| piece.role == Role::Declaration) {
            found.declared(&piece.text);
        }
        found
    }

    /// Notes the variables of a declaration: names behind the type.
    fn declared(&mut self, text: &'a str) {
        let declared = text.split_once('=').map_or(text, |(declared, _)| declared);
        let mut types: Vec<NameHash> = Vec::new();
        for mention in mentions_in(declared) {
            match mention {
                Mention::Pointed(name) => types.push(NameHash::of(name.as_bytes())),
                Mention::Name(name) if !types.is_empty() => {
                    self.types.entry(name).or_default().extend(&types);
                    self.locals.push(name);
                }
                Mention::Name(_) | Mention::Member(_) => {}
            }
        }
    }

    /// The names of these variables as they are before a star.
    pub fn starred(&self) -> impl Iterator<Item = NameHash> + '_ {
        self.locals.iter().map(|name| NameHash::of(format!("*{name}").as_bytes()))
    }

    /// What a statement mentions, with the types whose size matters to it.
    pub fn mentioned(&self, text: &str) -> Vec<NameHash> {
        let mut found = mentioned(text);
        let declares = || mentions_in(text).any(|mention| matches!(mention, Mention::Pointed(_)));
        if !self.types.is_empty() && moves_pointers(text, declares()) {
            for mention in mentions_in(text) {
                if let Mention::Name(name) | Mention::Pointed(name) = mention {
                    found.extend(self.types.get(name).into_iter().flatten());
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::NameHash;
    use hydrogen_syntax::{Options, read};

    /// Which of the names each statement of the function mentions.
    fn check(source: &str, names: &[&str], expect: &[&str]) {
        let unit = read("t.c", source.as_bytes(), &Options::default());
        let function = &unit.module.functions[0];
        let pointers = super::Pointers::of(function);
        let said = function.pieces.iter().filter(|piece| !piece.is_synthetic()).map(|piece| {
            let found = pointers.mentioned(&piece.text);
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
