//! The spelling of statements: comments removed, white space folded.

/// Splits C source into tokens and the gaps between them. Comments and line splices count as white space.
struct Tokens<'a> {
    source: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    /// The next token and whether white space stands before it.
    fn next(&mut self) -> Option<(bool, &'a [u8])> {
        let start = self.at;
        self.skip_space();
        let gap = self.at > start;
        let begin = self.at;
        let first = *self.source.get(begin)?;
        self.at += 1;
        if first == b'"' || first == b'\'' {
            self.skip_quoted(first);
        } else if first.is_ascii_digit() || (first == b'.' && self.peek(0).is_ascii_digit()) {
            while is_word(self.peek(0)) || self.peek(0) == b'.' || self.exponent_sign() {
                self.at += 1;
            }
        } else if is_word(first) {
            while is_word(self.peek(0)) {
                self.at += 1;
            }
        }
        Some((gap, &self.source[begin..self.at]))
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.source.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn skip_space(&mut self) {
        while self.at < self.source.len() {
            match (self.peek(0), self.peek(1)) {
                (b'/', b'*') => {
                    let rest = &self.source[self.at + 2..];
                    let end = rest.windows(2).position(|pair| pair == b"*/");
                    self.at = end.map_or(self.source.len(), |end| self.at + 2 + end + 2);
                }
                (b'/', b'/') => {
                    // A line splice continues the comment.
                    while self.at < self.source.len() && self.peek(0) != b'\n' {
                        self.at +=
                            if self.peek(0) == b'\\' && self.at + 1 < self.source.len() { 2 } else { 1 };
                    }
                }
                (b'\\', b'\n') => self.at += 2,
                (b'\\', b'\r') if self.peek(2) == b'\n' => self.at += 3,
                (byte, _) if byte.is_ascii_whitespace() => self.at += 1,
                _ => return,
            }
        }
    }

    fn skip_quoted(&mut self, quote: u8) {
        while self.at < self.source.len() {
            let byte = self.source[self.at];
            self.at += 1;
            if byte == b'\\' {
                self.at = (self.at + 1).min(self.source.len());
            } else if byte == quote || byte == b'\n' {
                return;
            }
        }
    }

    /// The sign in `1e+5` and `0x1p-3` belongs to the number.
    fn exponent_sign(&self) -> bool {
        matches!(self.peek(0), b'+' | b'-') && matches!(self.source[self.at - 1], b'e' | b'E' | b'p' | b'P')
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

/// The text as shown to people: comments removed, every run of white space a single blank. Bytes that are not
/// UTF-8 are replaced.
pub fn fold(source: &[u8]) -> String {
    let mut tokens = Tokens { source, at: 0 };
    let mut out = Vec::with_capacity(source.len());
    while let Some((gap, token)) = tokens.next() {
        if gap && !out.is_empty() {
            out.push(b' ');
        }
        out.extend_from_slice(token);
    }
    String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// The text as compared between versions: like [`fold`], with white space only where dropping it would join two
/// tokens. Texts that differ in layout alone have equal canonical forms.
pub fn canonical(text: &str) -> String {
    canonical_of(text.as_bytes())
}

/// The canonical form of source as it is written, comments and all.
pub fn canonical_of(source: &[u8]) -> String {
    let mut tokens = Tokens { source, at: 0 };
    let mut out: Vec<u8> = Vec::with_capacity(source.len());
    while let Some((gap, token)) = tokens.next() {
        if gap && out.last().is_some_and(|&last| joins(last, token[0])) {
            out.push(b' ');
        }
        out.extend_from_slice(token);
    }
    String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Whether two neighbouring characters would be read as one token.
fn joins(last: u8, first: u8) -> bool {
    let operator = |byte: u8| b"+-*/%&|^<>=!#:".contains(&byte);
    (is_word(last) && (is_word(first) || first == b'"' || first == b'\''))
        || (operator(last) && operator(first))
        || (last == b'.' && first.is_ascii_digit())
        || (last.is_ascii_digit() && first == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, folded: &str, canonical_form: &str) {
        assert_eq!(fold(source.as_bytes()), folded);
        assert_eq!(canonical(source), canonical_form);
        assert_eq!(canonical(folded), canonical_form, "folding must not change the canonical form");
    }

    #[test]
    fn layout_and_comments_do_not_count() {
        check("f( a,\n  b ) /* why */", "f( a, b )", "f(a,b)");
        check("f(a, b) // tail \\\n more", "f(a, b)", "f(a,b)");
        check("x = a \\\n + b", "x = a + b", "x=a+b");
    }

    #[test]
    fn tokens_are_never_joined_or_split() {
        check("a + +b", "a + +b", "a+ +b");
        check("a - -1e-5 ", "a - -1e-5", "a- -1e-5");
        check("a . b -> c", "a . b -> c", "a.b->c");
        check("x = 1.5e+3 . 2", "x = 1.5e+3 . 2", "x=1.5e+3 . 2");
        check("return  x", "return x", "return x");
        check("x = a / *p", "x = a / *p", "x=a/ *p");
        check("sizeof  ( int )", "sizeof ( int )", "sizeof(int)");
    }

    #[test]
    fn literals_are_kept_as_they_are() {
        check(
            "p(\"a  /* b */ \\\" c\", '\"')",
            "p(\"a  /* b */ \\\" c\", '\"')",
            "p(\"a  /* b */ \\\" c\",'\"')",
        );
        check("L \"x\"", "L \"x\"", "L \"x\"");
        check("\"open", "\"open", "\"open");
        check("/* open", "", "");
    }
}
