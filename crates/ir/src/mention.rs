//! Which names a text mentions.

/// The names in a text that can stand for something outside functions: words, without those in literals and without
/// members. A tag is named with its keyword, `struct list`, so that it is no variable of that name.
pub fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let (start, end) = word(text, &mut at)?;
            let before = text[..start].trim_end();
            if before.ends_with('.') || before.ends_with("->") {
                continue;
            }
            if !matches!(&text[start..end], "struct" | "union" | "enum") {
                return Some(&text[start..end]);
            }
            let mut behind = end;
            if let Some((tag, stop)) = word(text, &mut behind)
                && text[end..tag] == *" "
            {
                at = stop;
                return Some(&text[start..stop]);
            }
        }
    })
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
    fn tags_are_no_variables() {
        check("struct log *log = x", &["struct log", "log", "x"]);
        check("struct { int a; } b", &["int", "a", "b"]);
        check("enum", &[]);
    }
}
