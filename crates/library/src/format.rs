//! What a format asks for: `printf("%s", t)` reads `t` to its end.

/// A text that a format asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// The number of the argument.
    pub argument: usize,
    /// Whether no more than so many characters are read of it.
    pub bounded: bool,
}

/// The texts that a format asks for, of which the first argument has this number.
pub fn texts(format: &[u8], first: usize) -> Vec<Text> {
    let (mut found, mut argument) = (Vec::new(), first);
    let mut rest = format.iter().copied().take_while(|byte| *byte != 0).peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            continue;
        }
        let mut bounded = false;
        for byte in rest.by_ref() {
            match byte {
                b'%' => break,
                b'*' => argument += 1,
                // Arguments by number, or wide characters: not read here.
                b'$' | b'S' => return Vec::new(),
                b'.' => bounded = true,
                b'l' | b'h' | b'j' | b'z' | b't' | b'L' | b'q' | b'-' | b'+' | b' ' | b'#' | b'\'' => {}
                b'0'..=b'9' => {}
                b's' => {
                    found.push(Text { argument, bounded });
                    argument += 1;
                    break;
                }
                _ => {
                    argument += 1;
                    break;
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Text, texts};

    #[test]
    fn texts_are_counted_with_what_stands_before_them() {
        let at = |argument, bounded| Text { argument, bounded };
        assert_eq!(texts(b"%d: %s%%, %-*s and %.*s\0", 1), [at(2, false), at(4, false), at(6, true)]);
        assert_eq!(texts(b"%lu %5.2f %c %.3s", 2), [at(5, true)]);
        assert_eq!(texts(b"%2$s", 1), []);
        assert_eq!(texts(b"%", 1), []);
    }
}
