//! Where a file may be cut into pieces that are read on their own.
//!
//! Versions of a file share nearly all of their text, so each piece is read once for all of them. A piece begins behind an empty
//! line or a closing brace, with something that stands at the beginning of its line: between top-level items, as nearly
//! everybody writes them. Whether it is really between items, reading the piece tells ([`crate::piece::Joints`]); where it is
//! not, the piece is read together with the next ones.

use memchr::memchr_iter;

/// The places where a piece may begin, the first byte and the end of the text included.
pub(crate) fn candidates(source: &[u8]) -> Vec<usize> {
    let mut found = Vec::with_capacity(source.len() / 512 + 2);
    found.push(0);
    let mut line = 0;
    for end in memchr_iter(b'\n', source) {
        let next = end + 1;
        let begins =
            source.get(next).is_some_and(|&byte| byte.is_ascii_alphabetic() || b"_#/".contains(&byte));
        if begins && matches!(source[line], b'\n' | b'}' | b'\r') {
            found.push(next);
        }
        line = next;
    }
    if found.last() != Some(&source.len()) {
        found.push(source.len());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::candidates;

    #[test]
    fn items_are_told_apart() {
        let text = "int a;\n\nint f(void)\n{\n\n  x();\n\n label();\n}\nint b;\n\r\n#if X\n\n\n/* c */\n}";
        let found = candidates(text.as_bytes());
        let parts: Vec<&str> = found.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
        assert_eq!(
            parts,
            [
                "int a;\n\n",
                "int f(void)\n{\n\n  x();\n\n label();\n}\n",
                "int b;\n\r\n",
                "#if X\n\n\n",
                "/* c */\n}"
            ]
        );
        assert_eq!(candidates(b""), [0]);
    }
}
