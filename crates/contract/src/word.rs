//! The words of a contract.

use crate::parse::ContractError;

/// A word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Word {
    /// `requires`, `stdout`; with a backslash, `\status`.
    Name(String),
    Number(i128),
    Text(Vec<u8>),
    /// `==`, `(`, `;`.
    Sign(&'static str),
}

/// A word, and the line and column that it begins at, both from 1.
pub(crate) type Placed = (Word, (u32, u32));

/// The longer ones first.
const SIGNS: [&str; 22] = [
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "+", "-", "*", "/", "%", "(", ")", "[", "]", ",", ";",
    ":", "?",
];

/// The words of a text.
pub(crate) fn words(text: &str) -> Result<Vec<Placed>, ContractError> {
    let mut found = Vec::new();
    for (line, text) in (1u32..).zip(text.lines()) {
        let mut rest = text;
        loop {
            rest = rest.trim_start();
            if rest.is_empty() || rest.starts_with("//") {
                break;
            }
            let at = (line, (text.len() - rest.len()) as u32 + 1);
            let wrong =
                |message: &str| ContractError { line: at.0, column: at.1, message: message.to_owned() };
            let (word, len) = if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                (Word::Sign(sign), sign.len())
            } else if let Some(quote @ ('"' | '\'')) = rest.chars().next() {
                let (bytes, len) = quoted(rest, quote).ok_or_else(|| wrong("the quotation does not end"))?;
                match (quote, bytes.as_slice()) {
                    ('"', _) => (Word::Text(bytes), len),
                    (_, [byte]) => (Word::Number(i128::from(*byte)), len),
                    _ => return Err(wrong("a character is one byte")),
                }
            } else {
                let named = rest.strip_prefix('\\').unwrap_or(rest);
                let len = named.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(named.len());
                let len = len + rest.len() - named.len();
                let word = &rest[..len];
                match word.starts_with(|c: char| c.is_ascii_digit()) {
                    _ if word.is_empty() || word == "\\" => return Err(wrong("this begins no word")),
                    true => (Word::Number(number(word).ok_or_else(|| wrong("this is no number"))?), len),
                    false => (Word::Name(word.to_owned()), len),
                }
            };
            found.push((word, at));
            rest = &rest[len..];
        }
    }
    Ok(found)
}

fn number(word: &str) -> Option<i128> {
    match word.strip_prefix("0x").or(word.strip_prefix("0X")) {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

/// The bytes of a quotation, and how long it is.
fn quoted(text: &str, quote: char) -> Option<(Vec<u8>, usize)> {
    let (mut bytes, mut letters) = (Vec::new(), text.char_indices().skip(1));
    while let Some((at, letter)) = letters.next() {
        let letter = match letter {
            '\\' => match letters.next()?.1 {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                '0' => '\0',
                other => other,
            },
            end if end == quote => return Some((bytes, at + end.len_utf8())),
            other => other,
        };
        bytes.extend(letter.encode_utf8(&mut [0; 4]).as_bytes());
    }
    None
}
