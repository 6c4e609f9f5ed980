//! Sources that no reader should follow to their end. The limits are far beyond what people and generators write; they are checked on the
//! preprocessed text, before anything recursive looks at it, so that the answer is the same every time.

/// Bytes of preprocessed text: macros that double themselves.
const MOST_TEXT: usize = 64 << 20;
/// Prefix operators in a row.
const MOST_OPERATORS: usize = 1000;
/// Statements inside of each other without braces. Brackets of all kinds are counted by clang itself.
const MOST_HEADS: usize = 2000;

/// Which limit the preprocessed text of a unit exceeds.
pub(crate) fn exceeded(text: &[u8]) -> Option<String> {
    if text.len() > MOST_TEXT {
        return Some(format!("the preprocessed text is longer than {} MB", MOST_TEXT >> 20));
    }
    let mut operators = 0;
    let mut heads = 0;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'"' | b'\'' => {
                at = end_of_literal(text, at, byte);
                operators = 0;
            }
            b'!' | b'~' | b'-' | b'+' | b'*' | b'&' => operators += 1,
            b' ' | b'\t' | b'\n' => {}
            b';' | b'{' | b'}' => (operators, heads) = (0, 0),
            byte if is_word(byte) => {
                let start = at - 1;
                while text.get(at).copied().is_some_and(is_word) {
                    at += 1;
                }
                operators = 0;
                heads +=
                    usize::from(matches!(&text[start..at], b"if" | b"for" | b"while" | b"switch" | b"do"));
            }
            _ => operators = 0,
        }
        if operators > MOST_OPERATORS {
            return Some(format!("more than {MOST_OPERATORS} operators stand in front of each other"));
        }
        if heads > MOST_HEADS {
            return Some(format!("more than {MOST_HEADS} statements are inside of each other"));
        }
    }
    None
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn end_of_literal(text: &[u8], mut at: usize, quote: u8) -> usize {
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'\\' => at += 1,
            // A quote that is not closed ends with its line.
            b'\n' => break,
            _ if byte == quote => break,
            _ => {}
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_is_within_the_limits() {
        let line = "if (a && !b) { x = -y * *p; puts(\"---!!!\"); } else if (c) for (;;) ;\n";
        assert_eq!(exceeded(line.repeat(5000).as_bytes()), None);
    }

    #[test]
    fn each_limit_is_said() {
        let check = |text: String, expect: &str| {
            assert!(exceeded(text.as_bytes()).is_some_and(|found| found.contains(expect)), "{expect}");
        };
        check("! ".repeat(1001), "operators");
        check("if (x) ".repeat(2001), "statements");
        check("x ".repeat(MOST_TEXT / 2 + 1), "longer");
    }
}
