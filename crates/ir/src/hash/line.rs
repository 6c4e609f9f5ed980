//! Numbers that are a place in the source: see the module's documentation on `__LINE__`.

use crate::{Const, ConstId, Function, Instruction, Module};

/// Where `value` lies relative to the line of `instruction`, when it is a line of the same statement and the
/// statement does not write that number itself.
///
/// Not only the instruction's own line counts: in a call that goes over several lines, clang's `__LINE__` is the last
/// of them, and debug information gives the first.
pub fn relative_line(function: &Function, instruction: &Instruction, value: u128) -> Option<i64> {
    let value = u32::try_from(value).ok()?;
    let location = instruction.location?;
    let line = location.position.line;
    let piece = function.pieces.get(instruction.piece.index());
    let span = piece.and_then(|piece| piece.span).filter(|span| span.file == location.file);
    let inside = value == line || span.is_some_and(|span| (span.start.line..=span.end.line).contains(&value));
    if value == 0 || !inside || piece.is_some_and(|piece| has_literal(&piece.text, value)) {
        return None;
    }
    Some(i64::from(value) - i64::from(line))
}

/// The text of a string literal in which lines of its own statement are written relative to it (`__FILE__ ":" TEXT(__LINE__)`);
/// `None` where it has none.
pub(super) fn relative_text(
    module: &Module,
    function: &Function,
    instruction: &Instruction,
    operand: ConstId,
) -> Option<Vec<u8>> {
    let Const::Global(id) = module.constants.get(operand.index())? else { return None };
    let global = module.globals.get(id.index()).filter(|global| global.private)?;
    let Const::Bytes { data, .. } = module.constants.get(global.initializer?.index())? else { return None };
    let text = &function.pieces.get(instruction.piece.index())?.text;
    let (mut found, mut out, mut at) = (false, Vec::with_capacity(data.len()), 0);
    while at < data.len() {
        let digits = data[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let run = &data[at..at + digits.max(1)];
        at += run.len();
        let number = std::str::from_utf8(run).ok().filter(|run| digits > 0 && !text.contains(run));
        let line = number.and_then(|run| relative_line(function, instruction, run.parse().ok()?));
        match line {
            Some(line) => {
                found = true;
                out.extend(format!("\0{line}\0").bytes());
            }
            None => out.extend(run),
        }
    }
    found.then_some(out)
}

/// Whether the C text has an integer literal of this value.
fn has_literal(text: &str, value: u32) -> bool {
    let in_token = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    text.split(|c| !in_token(c)).any(|token| literal(token) == Some(u128::from(value)))
}

fn literal(token: &str) -> Option<u128> {
    let digits = token.trim_end_matches(['u', 'U', 'l', 'L']);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let lower = digits.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0x") {
        return u128::from_str_radix(hex, 16).ok();
    }
    if let Some(binary) = lower.strip_prefix("0b") {
        return u128::from_str_radix(binary, 2).ok();
    }
    match lower.strip_prefix('0') {
        Some(octal) if !octal.is_empty() => u128::from_str_radix(octal, 8).ok(),
        _ => lower.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::has_literal;

    #[test]
    fn literals_are_recognised_in_every_notation() {
        for text in ["f(42)", "x = 42u;", "x[0x2A]", "052", "0b101010", "42UL+1", "a-42"] {
            assert!(has_literal(text, 42), "{text}");
        }
        for text in ["f(x42)", "42.5", "142", "4 2", "a42b", "\"x\"", "0x42", ""] {
            assert!(!has_literal(text, 42), "{text}");
        }
    }
}
