//! Looks at source bytes where the syntax tree says too little.

/// The offsets at which lines begin, counted as clang does: `\n`, `\r\n` and a lone `\r` end a line.
pub(super) fn line_starts(bytes: &[u8]) -> Vec<u32> {
    let mut starts = vec![0];
    for (at, &byte) in bytes.iter().enumerate() {
        if byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
            starts.push(at as u32 + 1);
        }
    }
    starts
}

/// Whether the file has `#line` directives, or the `# 12 "file"` of preprocessed text.
pub(super) fn has_line_directives(bytes: &[u8]) -> bool {
    let directive = |line: &[u8]| {
        let Some(rest) = line.trim_ascii_start().strip_prefix(b"#") else { return false };
        let rest = rest.trim_ascii_start();
        rest.starts_with(b"line") || rest.first().is_some_and(u8::is_ascii_digit)
    };
    bytes.split(|&byte| byte == b'\n').any(directive)
}

/// Whether the text of an expression may hold control flow of its own; it may say yes wrongly, never no.
pub(super) fn may_branch(bytes: &[u8]) -> bool {
    bytes.iter().enumerate().any(|(at, &byte)| match byte {
        b'?' => true,
        b'&' | b'|' => bytes.get(at + 1) == Some(&byte),
        // The brace of `({`; between the two only white space or a comment can stand.
        b'{' => bytes[..at]
            .iter()
            .rev()
            .find(|byte| !byte.is_ascii_whitespace())
            .is_some_and(|&before| before == b'(' || before == b'/'),
        _ => false,
    })
}

/// Where an operator stands in the text between its operands, which holds only it, white space and comments.
pub(super) fn find_operator(bytes: &[u8], operator: &[u8]) -> Option<usize> {
    let mut walk = Walk::new(bytes, 0);
    while let Some((at, _)) = walk.next() {
        if bytes[at..].starts_with(operator) {
            return Some(at);
        }
    }
    None
}

/// Walks over the tokens of C text, as far as brackets and separators are concerned.
pub(super) struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    /// How many brackets of any kind are open.
    pub(super) depth: i32,
}

impl<'a> Walk<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, depth: 0 }
    }

    /// The offset and first byte of the next token; words are given once, comments and literals' insides never.
    pub(super) fn next(&mut self) -> Option<(usize, u8)> {
        loop {
            let at = self.at;
            let byte = *self.bytes.get(at)?;
            self.at += 1;
            match byte {
                b'/' if self.bytes.get(at + 1) == Some(&b'*') => self.skip_past(b"*/"),
                b'/' if self.bytes.get(at + 1) == Some(&b'/') => self.skip_past(b"\n"),
                b'"' | b'\'' => {
                    self.skip_quoted(byte);
                    return Some((at, byte));
                }
                b'(' | b'[' | b'{' => {
                    self.depth += 1;
                    return Some((at, byte));
                }
                b')' | b']' | b'}' => {
                    self.depth -= 1;
                    return Some((at, byte));
                }
                _ if byte.is_ascii_whitespace() || byte == b'\\' => {}
                _ if is_word(byte) => {
                    while self.bytes.get(self.at).copied().is_some_and(is_word) {
                        self.at += 1;
                    }
                    return Some((at, byte));
                }
                _ => return Some((at, byte)),
            }
        }
    }

    /// The word that the token at `at` is.
    pub(super) fn word(&self, at: usize) -> &'a [u8] {
        let rest = &self.bytes[at..];
        &rest[..rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len())]
    }

    fn skip_past(&mut self, end: &[u8]) {
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        let found = rest.windows(end.len()).position(|window| window == end);
        self.at = found.map_or(self.bytes.len(), |found| self.at + 1 + found + end.len());
    }

    fn skip_quoted(&mut self, quote: u8) {
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == quote || byte == b'\n' {
                return;
            }
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// The offsets of the two semicolons in the head of a `for` that starts at the beginning of `bytes`.
pub(super) fn for_semicolons(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut walk = Walk::new(bytes, 0);
    let mut found = None;
    while let Some((at, byte)) = walk.next() {
        match (byte, walk.depth, found) {
            (b';', 1, None) => found = Some(at),
            (b';', 1, Some(first)) => return Some((first, at)),
            (b')', 0, _) => return None,
            _ => {}
        }
    }
    None
}

/// The labels of an `asm goto`: its fifth section.
pub(super) fn asm_labels(bytes: &[u8]) -> Vec<String> {
    let mut walk = Walk::new(bytes, 0);
    let mut section = 0;
    let mut labels = Vec::new();
    while let Some((at, byte)) = walk.next() {
        if byte == b':' && walk.depth == 1 {
            section += 1;
        } else if section == 4 && is_word(byte) {
            labels.push(String::from_utf8_lossy(walk.word(at)).into_owned());
        }
    }
    labels
}

/// Takes the parentheses around a text away: the offsets of what is left.
pub(super) fn strip_parentheses(bytes: &[u8]) -> (usize, usize) {
    let (mut start, mut end) = (0, bytes.len());
    loop {
        let inner = &bytes[start..end];
        start += inner.len() - inner.trim_ascii_start().len();
        end -= inner.len() - inner.trim_ascii_end().len();
        if start >= end || bytes[start] != b'(' || bytes[end - 1] != b')' {
            return (start, end);
        }
        let mut walk = Walk::new(&bytes[..end], start);
        while let Some((at, _)) = walk.next() {
            if walk.depth == 0 {
                if at + 1 != end {
                    return (start, end);
                }
                break;
            }
        }
        start += 1;
        end -= 1;
    }
}

/// The truth value of a literal (`1`, `0`, `!0`, `(1)`); `None` for everything else. A rule on the text, so
/// that both modes agree.
pub(super) fn literal_truth(text: &[u8]) -> Option<bool> {
    let (start, end) = strip_parentheses(text);
    let text = &text[start..end];
    if let Some(rest) = text.strip_prefix(b"!") {
        return literal_truth(rest).map(|truth| !truth);
    }
    let digits = text.strip_prefix(b"0x").or(text.strip_prefix(b"0X"));
    let radix = if digits.is_some() { 16 } else { 10 };
    let digits = digits.unwrap_or(text);
    let length = digits.iter().position(|&byte| !char::from(byte).is_digit(radix)).unwrap_or(digits.len());
    let (number, suffix) = digits.split_at(length);
    let is_suffix = suffix.len() <= 3 && suffix.iter().all(|byte| b"uUlL".contains(byte));
    (!number.is_empty() && is_suffix).then(|| number.iter().any(|&digit| digit != b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_a_truth() {
        let cases: &[(&str, Option<bool>)] = &[
            ("1", Some(true)),
            ("0", Some(false)),
            ("!0", Some(true)),
            ("( 1 )", Some(true)),
            ("!(0x0UL)", Some(true)),
            ("10LL", Some(true)),
            ("a", None),
            ("1.5", None),
            ("1 + 1", None),
            ("(1) + (1)", None),
            ("", None),
        ];
        for (text, truth) in cases {
            assert_eq!(literal_truth(text.as_bytes()), *truth, "{text}");
        }
    }

    #[test]
    fn operators_stand_between_operands() {
        assert_eq!(find_operator(b" << ", b"<<"), Some(1));
        assert_eq!(find_operator(b" /* << */ <<= // <<", b"<<="), Some(10));
        assert_eq!(find_operator(b" OP ", b"<<"), None);
    }

    #[test]
    fn semicolons_of_a_for() {
        assert_eq!(for_semicolons(b"for (;;) x;"), Some((5, 6)));
        assert_eq!(for_semicolons(b"for (i = ';'; /* ; */ f(({1;})); i++)"), Some((12, 31)));
        assert_eq!(for_semicolons(b"for (X) ;"), None);
    }
}
