//! Which names a text mentions.

/// A name in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mention<'a> {
    /// It can stand for something outside functions.
    Name(&'a str),
    /// The same, with a `*` behind it: if it is a type, nothing is seen of what stands behind the pointer.
    Pointed(&'a str),
    /// A member: `.name` or `->name`.
    Member(&'a str),
}

/// The names in a text that can stand for something outside functions: words, without those in literals and without
/// members. A tag is named with its keyword, `struct list`, so that it is no variable of that name.
pub fn names_in(text: &str) -> impl Iterator<Item = &str> {
    mentions_in(text).filter_map(|mention| match mention {
        Mention::Name(name) | Mention::Pointed(name) => Some(name),
        Mention::Member(_) => None,
    })
}

/// The names in a text, as [`names_in`], and its members.
pub fn mentions_in(text: &str) -> impl Iterator<Item = Mention<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let (start, end) = word(text, &mut at)?;
            let before = text[..start].trim_end();
            if before.ends_with('.') || before.ends_with("->") {
                return Some(Mention::Member(&text[start..end]));
            }
            // Of what a qualifier is said comes before or behind it.
            if matches!(&text[start..end], "const" | "volatile" | "restrict") {
                continue;
            }
            if !matches!(&text[start..end], "struct" | "union" | "enum") {
                return Some(kind(text, start, end));
            }
            let mut behind = end;
            if let Some((tag, stop)) = word(text, &mut behind)
                && text[end..tag] == *" "
            {
                at = stop;
                return Some(kind(text, start, stop));
            }
        }
    })
}

/// Whether a name that [`mentions_in`] found in the text has a dot behind it: a member of it is used, nothing else.
pub fn is_before_dot(text: &str, name: &str) -> bool {
    let start = (name.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
    let behind = text.get(start.wrapping_add(name.len())..).unwrap_or_default().trim_start();
    behind.starts_with('.') && !behind.starts_with("..")
}

/// Whether a `*` stands behind the name, and not before its parenthesis: `*(struct s *)p` is the structure itself.
fn kind(text: &str, start: usize, end: usize) -> Mention<'_> {
    let mut rest = text[end..].trim_start();
    for qualifier in ["const", "volatile", "restrict"] {
        let behind = rest
            .strip_prefix(qualifier)
            .filter(|it| !it.starts_with(|c: char| c == '_' || c.is_alphanumeric()));
        rest = behind.map_or(rest, str::trim_start);
    }
    let before = text[..start].trim_end();
    let fetched = before.strip_suffix('(').is_some_and(|outer| outer.trim_end().ends_with('*'));
    if rest.starts_with('*') && !fetched {
        Mention::Pointed(&text[start..end])
    } else {
        Mention::Name(&text[start..end])
    }
}

/// The next word.
fn word(text: &str, at: &mut usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    while *at < bytes.len() {
        let start = *at;
        *at += 1;
        match bytes[start] {
            quote @ (b'"' | b'\'') => {
                while *at < bytes.len() && bytes[*at] != quote {
                    *at += if bytes[*at] == b'\\' { 2 } else { 1 };
                }
                *at += 1;
            }
            byte if is_part(byte) => {
                while *at < bytes.len() && is_part(bytes[*at]) {
                    *at += 1;
                }
                if !byte.is_ascii_digit() {
                    return Some((start, *at));
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[&str]) {
        assert_eq!(names_in(text).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn words_outside_literals() {
        check("a1 = f(\"no \\\" no\", 'x', 0xFFu) + b->c_d + e . f;", &["a1", "f", "b", "e"]);
        check("\"open", &[]);
        check("'\\", &[]);
        check("é = ü", &["é", "ü"]);
    }

    #[test]
    fn members_and_pointers() {
        let all: Vec<Mention<'_>> =
            mentions_in("struct s const *p = &q->next.up + *(T *)r + (U *) t").collect();
        let names = ["struct s", "T", "U"];
        assert_eq!(all.iter().filter(|it| matches!(it, Mention::Member(_))).count(), 2);
        let pointed: Vec<&Mention<'_>> = all.iter().filter(|it| matches!(it, Mention::Pointed(_))).collect();
        assert_eq!(pointed, [&Mention::Pointed(names[0]), &Mention::Pointed(names[2])]);
        assert!(all.contains(&Mention::Name(names[1])));
    }

    #[test]
    fn tags_are_no_variables() {
        check("struct log *log = x", &["struct log", "log", "x"]);
        check("struct { int a; } b", &["int", "a", "b"]);
        check("enum", &[]);
    }
}
