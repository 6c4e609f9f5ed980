//! An input, on one line.

use hydrogen_evidence::{Input, escape};

/// What differs from the usual: the call, or the streams, arguments, files and variables that it gives.
pub fn input(input: &Input) -> String {
    const LONGEST: usize = 70;
    let text = |bytes: &[u8]| format!("\"{}\"", escape(bytes).replace('"', "\\\""));
    let mut list = Vec::new();
    if let Some(call) = &input.call {
        return call.to_string();
    }
    if !input.stdin.is_empty() || input.exact {
        list.push(text(&input.stdin));
    }
    list.extend(input.args.iter().map(|(index, bytes)| format!("arg {index}: {}", text(bytes))));
    list.extend(input.files.iter().map(|(name, bytes)| format!("{name}: {}", text(bytes))));
    list.extend(input.environment.iter().map(|(name, bytes)| format!("${name}: {}", text(bytes))));
    for (name, bytes) in &input.named {
        let mut word = [0u8; 8];
        list.push(match bytes.len() {
            1 | 2 | 4 | 8 => {
                let negative = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
                word.fill(if negative { 0xff } else { 0 });
                word[..bytes.len()].copy_from_slice(bytes);
                format!("{name}={}", i64::from_le_bytes(word))
            }
            _ => format!("{name}={}", text(bytes)),
        });
    }
    let mut all = list.join(" ");
    if all.chars().count() > LONGEST {
        all = all.chars().take(LONGEST).collect::<String>() + "…";
    }
    all
}
