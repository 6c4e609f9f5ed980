//! Quoted strings, for text and for bytes that are not text.

use std::fmt::Write;

/// Appends `text` in quotes. Printable characters of any script stay as they are.
pub(super) fn quote(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => write_unicode(out, c),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn write_unicode(out: &mut String, c: char) {
    write!(out, "\\u{{{:x}}}", u32::from(c)).expect("writing to a string cannot fail");
}

/// Appends `bytes` in quotes; everything but printable ASCII is escaped, so that bytes come back exactly.
pub(super) fn quote_bytes(out: &mut String, bytes: &[u8]) {
    out.push('"');
    for &byte in bytes {
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => write!(out, "\\x{byte:02x}").expect("writing to a string cannot fail"),
        }
    }
    out.push('"');
}

/// Reads the quoted string that begins at `start` of `text`: the bytes, and the offset behind the closing quote.
/// An error gives the offset and what is wrong there.
pub(super) fn unquote(text: &str, start: usize) -> Result<(Vec<u8>, usize), (usize, &'static str)> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            None => return Err((start, "this string has no end")),
            Some(b'"') => return Ok((out, at + 1)),
            Some(b'\\') => at = escape(text, at, &mut out)?,
            Some(&byte) => {
                out.push(byte);
                at += 1;
            }
        }
    }
}

fn escape(text: &str, at: usize, out: &mut Vec<u8>) -> Result<usize, (usize, &'static str)> {
    let rest = &text.as_bytes()[at + 1..];
    let simple = match rest.first() {
        Some(b'n') => b'\n',
        Some(b't') => b'\t',
        Some(b'"') => b'"',
        Some(b'\\') => b'\\',
        Some(b'x') => {
            let digits = rest.get(1..3).and_then(|digits| std::str::from_utf8(digits).ok());
            let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
            let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
            out.push(byte.ok_or((at, "expected two hexadecimal digits after `\\x`"))?);
            return Ok(at + 4);
        }
        Some(b'u') => {
            let wrong = (at, "expected a character number such as `\\u{7f}`");
            let body = rest[1..].strip_prefix(b"{").ok_or(wrong)?;
            // No character number has more than six digits; looking no further keeps this linear.
            let length = body.iter().take(7).position(|&byte| byte == b'}').ok_or(wrong)?;
            let digits = std::str::from_utf8(&body[..length]).map_err(|_| wrong)?;
            let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32).ok_or(wrong)?;
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            return Ok(at + 2 + 1 + length + 1);
        }
        _ => return Err((at, "unknown escape")),
    };
    out.push(simple);
    Ok(at + 2)
}
