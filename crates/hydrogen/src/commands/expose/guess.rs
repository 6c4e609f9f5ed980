//! What a program's own code says about its command line.

use bstr::BString;
use hydrogen_ir::{Const, Module, Op, Operand, Reference};
use std::collections::BTreeSet;

/// More arguments are not tried.
const MOST: u128 = 32;

/// The function that an operand names.
fn called<'m>(module: &'m Module, callee: &Operand) -> Option<&'m str> {
    let Operand::Const(id) = callee else { return None };
    match module.constant(*id) {
        Const::Function(id) => Some(&module.function(*id).name),
        _ => None,
    }
}

/// The text of a string literal.
fn literal<'m>(module: &'m Module, operand: &Operand) -> Option<&'m [u8]> {
    let Operand::Const(id) = operand else { return None };
    let Const::Global(id) = module.constant(*id) else { return None };
    match module.constant(module.globals[id.index()].initializer?) {
        Const::Bytes { data, .. } => data.split(|byte| *byte == 0).next(),
        _ => None,
    }
}

/// The letters that the program gives to `getopt`, each with whether an argument follows.
pub fn letters(module: &Module) -> Vec<(char, bool)> {
    let mut found = BTreeSet::new();
    let bodies = module.definitions().filter_map(|(_, function)| function.body.as_ref());
    for instruction in bodies.flat_map(|body| &body.instructions) {
        let Op::Call { callee, arguments, .. } = &instruction.op else { continue };
        if !matches!(called(module, callee), Some("getopt" | "getopt_long" | "getopt_long_only")) {
            continue;
        }
        let text = arguments.get(2).and_then(|argument| literal(module, argument)).unwrap_or_default();
        for (at, letter) in text.iter().enumerate().filter(|(_, letter)| letter.is_ascii_alphanumeric()) {
            found.insert((char::from(*letter), text.get(at + 1) == Some(&b':')));
        }
    }
    found.into_iter().collect()
}

/// The words that may be options of the program: letters of `getopt`, literals that look like options, and those of tables, such as the long options of
/// `getopt_long`. An option that takes an argument gets one.
pub fn options(module: &Module) -> Vec<BString> {
    let mut found: Vec<BString> = Vec::new();
    let mut add = |word: String| {
        let word = BString::from(word);
        if !found.contains(&word) {
            found.push(word);
        }
    };
    for (letter, wants) in letters(module) {
        add(if wants { format!("-{letter}1") } else { format!("-{letter}") });
    }
    let is_word = |text: &str| {
        text.len() > 1
            && text.len() < 32
            && text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    let text = |id: hydrogen_ir::ConstId| match module.constant(id) {
        Const::Bytes { data, .. } => {
            let bytes: &[u8] = data;
            std::str::from_utf8(bytes.strip_suffix(&[0]).unwrap_or(bytes)).ok().map(str::to_owned)
        }
        _ => None,
    };
    for literal in module.globals.iter().filter_map(|global| text(global.initializer?)) {
        let name = literal.trim_start_matches('-');
        if literal.len() - name.len() <= 2 && literal.starts_with('-') && !name.is_empty() && name.len() < 32
        {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            if name.chars().all(plain) {
                add(literal.clone());
            }
        }
    }
    for global in &module.globals {
        let Some(initializer) = global.initializer else { continue };
        if matches!(module.constant(initializer), Const::Bytes { .. }) {
            continue;
        }
        let mut open = vec![initializer];
        while let Some(id) = open.pop() {
            match module.constant(id) {
                Const::Global(id) => {
                    let literal = module.globals[id.index()].initializer.and_then(text);
                    if let Some(word) = literal.filter(|word| is_word(word)) {
                        add(format!("--{word}"));
                    }
                }
                constant => constant.references(|reference| {
                    if let Reference::Const(id) = reference {
                        open.push(*id);
                    }
                }),
            }
        }
    }
    found
}

/// How many arguments `main` looks for: the numbers that it compares `argc` with, and those beside them.
pub fn counts(module: &Module) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let main = module.definitions().find(|(_, function)| function.name == "main");
    let Some(body) = main.and_then(|(_, function)| function.body.as_ref()) else { return found };
    let slots: Vec<&Operand> = body
        .instructions
        .iter()
        .filter_map(|instruction| match &instruction.op {
            Op::Store { value: Operand::Parameter(0), pointer, .. } => Some(pointer),
            _ => None,
        })
        .collect();
    let is_count = |operand: &Operand| match operand {
        Operand::Parameter(0) => true,
        Operand::Instruction(id) => {
            matches!(&body.instruction(*id).op, Op::Load { pointer, .. } if slots.contains(&pointer))
        }
        _ => false,
    };
    let number = |operand: &Operand| match operand {
        Operand::Const(id) => match module.constant(*id) {
            Const::Int { bits, .. } if *bits <= MOST => Some(*bits),
            _ => None,
        },
        _ => None,
    };
    let compares = body.instructions.iter().filter_map(|instruction| match &instruction.op {
        Op::IntCompare { left, right, .. } => Some((left, right)),
        _ => None,
    });
    let mut walks = false;
    let mut limits = BTreeSet::new();
    for (left, right) in compares {
        let other = match (is_count(left), is_count(right)) {
            (true, false) => right,
            (false, true) => left,
            _ => {
                limits.extend([left, right].into_iter().filter_map(number));
                continue;
            }
        };
        match number(other) {
            // `argc` counts the program's name too.
            Some(bits) => found.extend((bits.saturating_sub(2)..=bits).map(|count| count as usize)),
            None => walks |= !matches!(other, Operand::Const(_)),
        }
    }
    // A program that walks over its arguments may be given more than it has room for.
    if walks {
        found.extend(
            limits
                .into_iter()
                .filter(|limit| *limit > 1)
                .flat_map(|limit| [limit as usize, limit as usize + 1]),
        );
    }
    found
}
