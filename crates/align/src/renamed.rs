//! Variables and members that only got another name, by how they are used.
//!
//! A name of one version that the other does not have stands for one that the first does not have if all statements that mention it read the same once
//! the names are exchanged, and what they name is alike. Nothing less is taken: a name that is used a little differently may be another thing.

use std::collections::{BTreeMap, BTreeSet};

/// What stands for a name while texts are compared: no name of C.
const PLACE: &str = "\u{1}";

/// The names of one version, and those of the other version that they stand for.
pub type Renamed = BTreeMap<String, String>;

/// Names of which one version's are used as the other version's are, and that only one can be: of each version those that the other does not
/// have, and its texts.
pub fn renamed(
    (new, mine): (&[&String], &[String]),
    (gone, theirs): (&[&String], &[String]),
    of: Names,
    is_alike: impl Fn(&str, &str) -> bool,
) -> Renamed {
    let blank = |texts: &[String], names: &[&String], this: &str| -> Vec<String> {
        let names: BTreeSet<&str> = names.iter().map(|name| name.as_str()).collect();
        let mentions = texts.iter().filter(|text| words(text).any(|word| word == this));
        let mut all: Vec<String> = mentions.map(|text| replaced(text, this, &names, of)).collect();
        all.retain(|text| text.contains(PLACE));
        all.sort();
        all
    };
    let mut found = Renamed::new();
    for name in new {
        let used = blank(mine, new, name);
        let same = gone.iter().filter(|old| is_alike(name, old) && blank(theirs, gone, old) == used);
        if let [old] = same.collect::<Vec<_>>()[..]
            && !used.is_empty()
        {
            found.insert((*name).clone(), (**old).clone());
        }
    }
    // Two names for one thing are none.
    let all: Vec<String> = found.values().cloned().collect();
    found.retain(|_, old| all.iter().filter(|other| *other == old).count() == 1);
    found
}

/// Which names are looked at in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Names that stand alone.
    Variables,
    /// What follows a dot or an arrow.
    Members,
}

/// A text without its names: what it does, whatever it is done to.
pub fn without_names(text: &str) -> String {
    let mut out = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter.is_alphabetic() || letter == '_' {
            while letters.next_if(|next| next.is_alphanumeric() || *next == '_').is_some() {}
            out.push('n');
        } else if !letter.is_whitespace() {
            out.push(letter);
        }
    }
    out
}

fn is_word(byte: char) -> bool {
    byte.is_ascii_alphanumeric() || byte == '_'
}

/// The names and numbers in a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|byte| !is_word(byte)).filter(|word| !word.is_empty())
}

/// A text with places for names: one for this name, another for all others of these.
fn replaced(text: &str, this: &str, names: &BTreeSet<&str>, of: Names) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match is_word(first) {
            true => rest.find(|byte| !is_word(byte)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, behind) = rest.split_at(end);
        // A member of the same name is no variable.
        let is_member = out.ends_with('.') || out.ends_with("->");
        let counts = is_member == (of == Names::Members);
        match word {
            word if word == this && counts => out.push_str(PLACE),
            word if names.contains(word) && counts => {
                out.push_str(PLACE);
                out.push_str(PLACE);
            }
            word => out.push_str(word),
        }
        rest = behind;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_exchanged_as_words() {
        let names = BTreeSet::from(["n", "left"]);
        let text = "n = s->n + left * nn";
        assert_eq!(replaced(text, "n", &names, Names::Variables), "\u{1} = s->n + \u{1}\u{1} * nn");
        assert_eq!(replaced(text, "n", &names, Names::Members), "n = s->\u{1} + left * nn");
        assert_eq!(words("a[i] = 7").collect::<Vec<_>>(), ["a", "i", "7"]);
    }

    #[test]
    fn names_do_not_count() {
        let shape = without_names;
        assert_eq!(shape("int r = v[i];"), shape("int result = table[index];"));
        assert_ne!(shape("int r = v[i];"), shape("int r = v[i + 1];"));
        assert_ne!(shape("q = a % 100 / b"), shape("q = a % 1000 / b"));
    }
}
