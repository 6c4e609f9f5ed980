//! What a member is to those behind it: how much room it takes, not what it is called or what it points to.

use super::declarators;
use crate::words::is_type_word;

/// A declaration of members without their names, and without what stands behind pointers; as it is written where it is not
/// certain what declares what.
pub(super) fn placed(declared: &str) -> String {
    shapes(declared).map_or_else(|| declared.to_owned(), |all| all.join(","))
}

fn shapes(declared: &str) -> Option<Vec<String>> {
    let parts = declarators(declared);
    let (first, name) = parts.first()?;
    let name_at = position(first, name)?;
    let specifiers = first[..first.find(['*', '(']).unwrap_or(name_at).min(name_at)].trim();
    let last = specifiers.rsplit(' ').next()?;
    // Without a type before it, what looks like a name is the type.
    if parts.iter().any(|(_, name)| name.is_empty())
        || last.is_empty()
        || ["struct", "union", "enum"].contains(&last)
        || is_type_word(name.as_bytes())
    {
        return None;
    }
    parts.iter().map(|(part, name)| shape(specifiers, part, name)).collect()
}

fn shape(specifiers: &str, part: &str, name: &str) -> Option<String> {
    let behind = &part[position(part, name)? + name.len()..];
    let pointer = part[..part.len() - behind.len()].contains('*');
    match (part.contains("(*"), pointer) {
        // `(*f[4])(int)` is four pointers.
        (true, _) => behind.split_once(')').map(|(sizes, _)| format!("*{sizes}")),
        // A macro or an attribute: it may be anything.
        (false, _) if part.contains('(') => None,
        (false, true) => Some(format!("*{behind}")),
        (false, false) => Some(format!("{specifiers}{behind}")),
    }
}

/// Where a name stands as a word, the last time before sizes.
fn position(part: &str, name: &str) -> Option<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let whole = |at: &usize| !part[..*at].ends_with(is_word) && !part[at + name.len()..].starts_with(is_word);
    let until = part.find(['[', ':']).unwrap_or(part.len());
    part.match_indices(name).map(|(at, _)| at).filter(whole).filter(|at| *at < until).last()
}

#[cfg(test)]
mod tests {
    use super::placed;

    fn check(declared: &str, expect: &str) {
        assert_eq!(placed(declared), expect, "{declared}");
    }

    #[test]
    fn names_and_what_is_pointed_to_do_not_count() {
        check("int a", "int");
        check("unsigned long a[4]", "unsigned long[4]");
        check("uint32_t *buffer", "*");
        check("struct s *one, **two, three[N]", "*,*,struct s[N]");
        check("int (*read)(struct s *, int)", "*");
        check("int (*table[4])(void)", "*[4]");
        check("unsigned a : 3, b : N", "unsigned : 3,unsigned : N");
        check("struct s", "struct s");
        check("int : 3", "int : 3");
        check("int a : 2, : 3", "int a : 2, : 3");
        check("{1f} free", "{1f}");
        check("{1f} *free[2]", "*[2]");
        check("{1f} ", "{1f} ");
        check("uint8_t : 3", "uint8_t : 3");
        check("LIST_ENTRY(s) next", "LIST_ENTRY(s) next");
        check("char c __attribute__((aligned(8)))", "char c __attribute__((aligned(8)))");
    }
}
