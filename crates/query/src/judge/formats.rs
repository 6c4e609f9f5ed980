//! The texts that a format asks for: `printf("%s", t)` reads `t` to its end.

use hydrogen_ir::{Const, ConstExpr, ConstId, Module, Operand};

/// The functions that take a format, and the place of it among their arguments; what it speaks of comes behind it.
const FORMATTED: [(&str, usize); 5] =
    [("printf", 0), ("fprintf", 1), ("sprintf", 1), ("snprintf", 2), ("dprintf", 1)];

/// A text that a format asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Text {
    /// The number of the argument.
    pub argument: usize,
    /// Whether no more than so many characters are read of it.
    pub bounded: bool,
}

/// The texts among the arguments of a call, where its format is known.
pub(super) fn texts_of_format(module: &Module, name: &str, arguments: &[Operand]) -> Vec<Text> {
    let Some((_, at)) = FORMATTED.into_iter().find(|(known, _)| *known == name) else { return Vec::new() };
    let Some(Operand::Const(format)) = arguments.get(at) else { return Vec::new() };
    literal(module, *format).map_or(Vec::new(), |format| texts(format, at + 1))
}

/// The bytes of a literal.
fn literal(module: &Module, id: ConstId) -> Option<&[u8]> {
    match module.constant(id) {
        Const::Global(global) => match module.constant(module.global(*global).initializer?) {
            Const::Bytes { data, .. } => Some(data),
            _ => None,
        },
        Const::Expr { expr: ConstExpr::ElementAddress { base, indices, .. }, .. } => {
            let is_zero = |id: &ConstId| matches!(module.constant(*id), Const::Int { bits: 0, .. });
            indices.iter().all(is_zero).then(|| literal(module, *base)).flatten()
        }
        _ => None,
    }
}

fn texts(format: &[u8], first: usize) -> Vec<Text> {
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
