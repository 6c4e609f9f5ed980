//! What macros do with names: with those in their definitions, and with those that they are given.

use super::spots::{Named, Spot};
use super::uses::{Token, Uses, tokens, uses};
use hydrogen_syntax::{ItemKind, NameHash, Unit};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What the definitions of a macro do. What they set for certain or perhaps is all in `may_set`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Macro {
    pub uses: Uses,
    /// Whether something that it is given may be set.
    pub assigns_given: bool,
    /// Whether the address of something that it is given may be taken.
    pub exposes_given: bool,
    has_parameters: bool,
    /// Whether it may be several arguments.
    pub is_list: bool,
    /// Whether it calls through a pointer, or something that it is given.
    pub calls_pointers: bool,
    /// Whether it may leave the function that uses it.
    pub returns: bool,
    /// Whether it may go to a label.
    pub goes: bool,
}

/// The macros of a program.
#[derive(Debug, Default)]
pub(crate) struct Macros(FxHashMap<NameHash, Macro>);

impl Macros {
    pub fn of(units: &[Arc<Unit>]) -> Self {
        let mut macros = Self::default();
        for item in units.iter().flat_map(|unit| &unit.items).filter(|item| item.kind == ItemKind::Macro) {
            macros.0.entry(NameHash::of(item.name.as_bytes())).or_default().define(&item.text);
        }
        macros.hand_on();
        macros
    }

    pub fn get(&self, name: NameHash) -> Option<&Macro> {
        self.0.get(&name)
    }

    pub fn contains(&self, name: NameHash) -> bool {
        self.0.contains_key(&name)
    }

    pub fn all(&self) -> impl Iterator<Item = &Macro> {
        self.0.values()
    }

    /// The macros in a text, and those in their definitions.
    pub fn in_text(&self, text: &str) -> Vec<&Macro> {
        let names = tokens(text).into_iter().map(|it| NameHash::of(it.text().as_bytes()));
        self.closure(names.collect())
    }

    /// The macros among names, and those in their definitions.
    pub fn closure(&self, mut waiting: Vec<NameHash>) -> Vec<&Macro> {
        let mut seen: FxHashSet<NameHash> = FxHashSet::default();
        let mut found = Vec::new();
        while let Some(name) = waiting.pop() {
            let Some(known) = self.get(name).filter(|_| seen.insert(name)) else { continue };
            waiting.extend(&known.uses.reads);
            found.push(known);
        }
        found
    }

    /// What a macro in the definition of another one does to what it is given, the other one does to all that it names, and to
    /// what it is given itself.
    fn hand_on(&mut self) {
        let mut users: FxHashMap<NameHash, Vec<NameHash>> = FxHashMap::default();
        for (name, own) in &self.0 {
            let inner = own.uses.reads.iter().filter(|it| self.0.contains_key(it));
            inner.for_each(|inner| users.entry(*inner).or_default().push(*name));
        }
        let doing = |it: &(&NameHash, &Macro)| it.1.assigns_given || it.1.exposes_given;
        let mut waiting: Vec<NameHash> = self.0.iter().filter(doing).map(|it| *it.0).collect();
        while let Some(name) = waiting.pop() {
            let (assigns, exposes) = (self.0[&name].assigns_given, self.0[&name].exposes_given);
            for user in users.get(&name).into_iter().flatten() {
                let Some(own) = self.0.get_mut(user) else { continue };
                let before = (own.assigns_given, own.exposes_given);
                if assigns {
                    own.uses.set_all_read();
                    own.assigns_given |= own.has_parameters;
                }
                if exposes {
                    own.uses.expose_all();
                    own.exposes_given |= own.has_parameters;
                }
                if before != (own.assigns_given, own.exposes_given) {
                    waiting.push(*user);
                }
            }
        }
    }
}

impl Macro {
    /// Adds a definition, by the text of its directive. Parameters are no variables.
    fn define(&mut self, text: &str) {
        let text = text.strip_prefix("#define ").unwrap_or(text);
        let (head, body) = match text.find([' ', '(']) {
            Some(at) if text[at..].starts_with('(') => {
                text.split_at(text.find(')').map_or(at, |close| close + 1))
            }
            Some(at) => text.split_at(at),
            None => (text, ""),
        };
        let parameters: Vec<NameHash> =
            tokens(head).iter().skip(1).map(|it| NameHash::of(it.text().as_bytes())).collect();
        let given = NameHash::of(b"__VA_ARGS__");
        let is_given = |name: &NameHash| *name == given || parameters.contains(name);
        let mut found = uses(body, false);
        // A name that is put together may be anything.
        let pasted = body.contains("##") && found.assigns;
        found.may_set.append(&mut found.sets);
        let called = |name: &NameHash| found.calls.iter().any(|it| it.0 == *name);
        self.calls_pointers |= parameters.iter().any(called) || calls_pointer(body);
        self.is_list |= body.contains(',');
        let words = tokens(body);
        self.returns |= words.contains(&Token::Word("return"));
        self.goes |= words.contains(&Token::Word("goto"));
        self.has_parameters |= !parameters.is_empty();
        self.assigns_given |= !parameters.is_empty() && (pasted || found.may_set.iter().any(is_given));
        self.exposes_given |= found.spots.addresses.iter().any(is_given);
        // What is set is named, too.
        found.reads.extend(found.may_set.clone());
        [&mut found.reads, &mut found.may_set, &mut found.spots.addresses]
            .into_iter()
            .for_each(|all| all.retain(|name| !is_given(name)));
        let bare = |spot: &mut Spot| match *spot {
            Spot::Member(name, _) => *spot = Spot::Member(name, None),
            Spot::Behind(Some(Named::Variable(_)), steps) => *spot = Spot::Behind(None, steps),
            Spot::Behind(..) => {}
        };
        found.spots.reads.iter_mut().chain(&mut found.spots.sets).for_each(bare);
        if pasted {
            found.set_all_read();
        }
        self.uses.add(&found);
    }
}

/// Whether a text calls a member, or `(*something)`.
fn calls_pointer(text: &str) -> bool {
    let tokens = tokens(text);
    let member = |at: usize| {
        matches!(tokens[at], Token::Mark("." | "->")) && tokens.get(at + 2) == Some(&Token::Mark("("))
    };
    let opened = |at: usize| tokens[at..].starts_with(&[Token::Mark("("), Token::Mark("*")]);
    let called = || tokens.windows(2).any(|it| it == [Token::Mark(")"), Token::Mark("(")]);
    (0..tokens.len()).any(member) || (0..tokens.len()).any(opened) && called()
}

#[cfg(test)]
mod tests {
    use super::Macros;
    use hydrogen_syntax::{NameHash, Options, read};
    use std::sync::Arc;

    fn set_by(source: &str, name: &str) -> (Vec<&'static str>, bool, bool) {
        let unit = Arc::new(read("t.c", source.as_bytes(), &Options::default()));
        let macros = Macros::of(&[unit]);
        let found = macros.get(NameHash::of(name.as_bytes())).expect("it is defined");
        let names = ["a", "b", "c", "g", "NULL", "f", "x"];
        let set = |name: &&&str| found.uses.may_set.contains(&NameHash::of(name.as_bytes()));
        (names.iter().filter(set).copied().collect(), found.assigns_given, found.exposes_given)
    }

    #[test]
    fn macros_set_what_stands_on_the_left() {
        let source = "#define ONE (g = f(NULL))\n#define ADD(x) ((x) += g)\n#define TWICE(x) ADD(x); ADD(x)\n\
            #define OWN ADD(a)\n#define KEEP(x) f(&(x))\n#define LOOK(x) ((x) == g)\n#define PASTE(x) a##x = b\n";
        assert_eq!(set_by(source, "ONE"), (vec!["g"], false, false));
        assert_eq!(set_by(source, "ADD"), (vec![], true, false));
        assert!(set_by(source, "TWICE").1);
        assert_eq!(set_by(source, "OWN"), (vec!["a"], false, false));
        assert!(set_by(source, "KEEP").2);
        assert_eq!(set_by(source, "LOOK"), (vec![], false, false));
        assert!(set_by(source, "PASTE").1 && set_by(source, "PASTE").0.contains(&"a"));
    }
}
