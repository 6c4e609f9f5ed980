//! The tokens of a statement, as far as expressions need them.

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name, a tag with its keyword (`struct s`), or a keyword.
    Word,
    /// A number or a text.
    Literal,
    /// Anything else.
    Sign,
}

/// A token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind,
    pub(crate) text: &'a str,
}

/// Signs of several characters that matter, or that others could be mistaken for.
const SIGNS: [&str; 20] = [
    "<<=", ">>=", "->", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "==", "!=", "<=", ">=",
    "&&", "||", "##",
];

/// Cuts a text into tokens.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80;
    let word_end =
        |from: usize| bytes[from..].iter().position(|&it| !is_part(it)).map_or(bytes.len(), |it| from + it);
    let mut found: Vec<Token<'_>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let kind = match bytes[at] {
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(bytes.len());
                Kind::Literal
            }
            byte if byte.is_ascii_digit() => {
                // `1e+5` and `1.5` are one number.
                while at < bytes.len()
                    && (is_part(bytes[at])
                        || bytes[at] == b'.'
                        || matches!(bytes[at], b'+' | b'-')
                            && matches!(bytes[at - 1], b'e' | b'E' | b'p' | b'P')
                            && !text[start..at].starts_with("0x"))
                {
                    at += 1;
                }
                Kind::Literal
            }
            byte if is_part(byte) => {
                at = word_end(at);
                if matches!(&text[start..at], "struct" | "union" | "enum") {
                    let tag = at + bytes[at..].iter().take_while(|it| it.is_ascii_whitespace()).count();
                    let end = word_end(tag.min(bytes.len()));
                    // A tag is named with its keyword and one blank, as items are.
                    if end > tag && tag == at + 1 {
                        at = end;
                    }
                }
                Kind::Word
            }
            _ => {
                let long = SIGNS.iter().find(|sign| text[at..].starts_with(**sign));
                at += long.map_or(1, |sign| sign.len());
                Kind::Sign
            }
        };
        found.push(Token { kind, text: &text[start..at] });
    }
    found
}

/// Where a bracket is closed; the end, if it is not.
pub(crate) fn closed(tokens: &[Token<'_>], open: usize, end: usize) -> usize {
    let mut depth = 0u32;
    for (at, token) in tokens.iter().enumerate().take(end).skip(open) {
        match (token.kind, token.text) {
            (Kind::Sign, "(" | "[" | "{") => depth += 1,
            (Kind::Sign, ")" | "]" | "}") => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    end
}
