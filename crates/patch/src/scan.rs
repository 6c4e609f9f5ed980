//! Just enough of C's surface to know where a statement or a function ends.

/// The text of a file in lines, each with its line end. Lines are counted from 1 in the graph and from 0 here.
pub(super) fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').collect()
}

/// What is left of C when comments, strings and characters are taken out: the significant bytes with the numbers of their lines.
fn significant<'a>(lines: &'a [&'a [u8]], from: usize) -> impl Iterator<Item = (usize, u8)> + 'a {
    let bytes =
        lines.iter().enumerate().skip(from).flat_map(|(line, text)| text.iter().map(move |&b| (line, b)));
    let mut bytes = bytes.peekable();
    let mut inside: Option<u8> = None;
    std::iter::from_fn(move || {
        loop {
            let (line, byte) = bytes.next()?;
            match (inside, byte) {
                (Some(b'*'), b'*') if bytes.peek().is_some_and(|&(_, next)| next == b'/') => {
                    bytes.next();
                    inside = None;
                }
                (Some(b'/'), b'\n') => inside = None,
                (Some(b'"' | b'\''), b'\\') => drop(bytes.next()),
                (Some(quote @ (b'"' | b'\'')), end) if quote == end => {
                    inside = None;
                    return Some((line, b'"'));
                }
                (Some(_), _) => {}
                (None, b'/') => match bytes.peek() {
                    Some((_, b'*')) => {
                        bytes.next();
                        inside = Some(b'*');
                    }
                    Some((_, b'/')) => inside = Some(b'/'),
                    _ => return Some((line, byte)),
                },
                (None, b'"' | b'\'') => inside = Some(byte),
                (None, _) => return Some((line, byte)),
            }
        }
    })
}

/// The line at which the statement that begins at a line ends; for `if`, `while`, `for` and `switch` the end of what is in parentheses.
pub(super) fn statement_end(lines: &[&[u8]], begin: usize) -> usize {
    let mut word = Vec::new();
    let mut head: Option<bool> = None;
    let (mut depth, mut last, mut line) = (0_usize, b' ', begin);
    let mut braces = 0_usize;
    for (at, byte) in significant(lines, begin) {
        if head.is_none() {
            if byte.is_ascii_alphanumeric() || byte == b'_' {
                word.push(byte);
            } else if word == b"else" || (word.is_empty() && (byte.is_ascii_whitespace() || byte == b'}')) {
                word.clear();
            } else {
                head = Some(matches!(&word[..], b"if" | b"while" | b"for" | b"switch"));
            }
        }
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && byte == b')' && head == Some(true) {
                    return at;
                }
            }
            b'{' if last == b'=' || braces > 0 || depth > 0 => braces += 1,
            b'{' if head.is_some() => return line,
            b'}' if braces > 0 => braces -= 1,
            b'}' if head.is_some() => return line,
            b';' if depth == 0 && braces == 0 => return at,
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            (last, line) = (byte, at);
        }
    }
    line
}

/// The line of the brace that closes the function which begins at a line.
pub(super) fn function_end(lines: &[&[u8]], begin: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in significant(lines, begin) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth <= 1 => return Some(at),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Opening braces less closing ones.
pub(super) fn balance(lines: &[&[u8]]) -> i64 {
    let sign = |byte: u8| i64::from(byte == b'{') - i64::from(byte == b'}');
    significant(lines, 0).map(|(_, byte)| sign(byte)).sum()
}

/// Whether the lines hold nothing but blanks and comments.
pub(super) fn is_silent(lines: &[&[u8]]) -> bool {
    significant(lines, 0).all(|(_, byte)| byte.is_ascii_whitespace())
}

/// Whether the lines hold nothing but blanks, comments and braces.
pub(super) fn is_brace(lines: &[&[u8]]) -> bool {
    significant(lines, 0).all(|(_, byte)| byte.is_ascii_whitespace() || byte == b'{' || byte == b'}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_found() {
        let text = b"int f(int a)\n{\n  if (a &&\n      b) {\n    s = \"};\"; /* ; */\n    int t[] = { 1,\n      2 };\n    call(a,\n      b);\n  } else if (c)\n    return;\n}\n";
        let lines = lines(text);
        let end = |line| statement_end(&lines, line);
        assert_eq!([2, 4, 5, 7, 9, 10].map(end), [3, 4, 6, 8, 9, 10]);
        assert_eq!(function_end(&lines, 0), Some(11));
        assert_eq!(balance(&lines), 0);
        assert_eq!(balance(&lines[3..4]), 1);
        assert!(is_brace(&lines[1..2]) && !is_silent(&lines[1..2]) && is_silent(&[b"  /* { */\n"]));
    }
}
