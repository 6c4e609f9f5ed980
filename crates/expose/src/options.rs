//! What a program's own code says about its command line.

use bstr::BString;
use hydrogen_ir::{Const, ConstId, Module, Op, Operand};
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

/// The letters among which `main` itself chooses, where it walks over its arguments without `getopt`: the cases of a `switch` that are letters and
/// digits, and little else.
fn chosen_letters(module: &Module) -> BTreeSet<char> {
    let main = module.definitions().find(|(_, function)| function.name == "main");
    let instructions = main.and_then(|(_, function)| function.body.as_ref()).map(|body| &body.instructions);
    let mut found = BTreeSet::new();
    for instruction in instructions.into_iter().flatten() {
        let Op::Switch { cases, .. } = &instruction.op else { continue };
        let letter = |id: ConstId| match module.constant(id) {
            Const::Int { bits, .. } => u8::try_from(*bits).ok().filter(u8::is_ascii_alphanumeric),
            _ => None,
        };
        let letters: Vec<u8> = cases.iter().filter_map(|case| letter(case.value)).collect();
        if letters.len() * 2 > cases.len() {
            found.extend(letters.into_iter().map(char::from));
        }
    }
    found
}

/// An option, as the words that stand for it on a command line: where it takes an argument, one comes behind it.
pub type Switch = Vec<BString>;

/// What is given to an option that takes an argument, before it is changed.
const VALUE: &str = "1";

/// What may be options of the program: letters of `getopt`, literals that look like options, and the names in tables, such as the long options of
/// `getopt_long`, which say whether an argument follows.
pub fn switches(module: &Module) -> Vec<Switch> {
    let mut found: Vec<Switch> = Vec::new();
    let mut add = |word: String, wants: bool| {
        let mut words = vec![BString::from(word)];
        words.extend(wants.then(|| BString::from(VALUE)));
        if !found.contains(&words) {
            found.push(words);
        }
    };
    let named = letters(module);
    for (letter, wants) in &named {
        add(format!("-{letter}"), *wants);
    }
    // Whether an argument follows is not known then.
    for letter in chosen_letters(module).into_iter().filter(|_| named.is_empty()) {
        add(format!("-{letter}"), false);
        add(format!("-{letter}"), true);
    }
    let texts = module.globals.iter().filter_map(|global| text(module, global.initializer?));
    for literal in texts {
        let name = literal.trim_start_matches('-');
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let dashes = literal.len() - name.len();
        if (1..=2).contains(&dashes) && (1..32).contains(&name.len()) && name.chars().all(plain) {
            add(literal, false);
        }
    }
    for global in &module.globals {
        let Some(initializer) = global.initializer else { continue };
        for (name, wants) in names(module, initializer) {
            add(format!("--{name}"), wants);
        }
    }
    found
}

/// The text of an array of characters.
fn text(module: &Module, id: ConstId) -> Option<String> {
    match module.constant(id) {
        Const::Bytes { data, .. } => {
            let bytes: &[u8] = data;
            std::str::from_utf8(bytes.strip_suffix(&[0]).unwrap_or(bytes)).ok().map(str::to_owned)
        }
        _ => None,
    }
}

/// The words in a table. Where a 1 stands behind a word, as in the `struct option` of `getopt_long`, an argument follows.
fn names(module: &Module, table: ConstId) -> Vec<(String, bool)> {
    let is_word = |text: &String| {
        (2..32).contains(&text.len())
            && text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    let word = |id: ConstId| match module.constant(id) {
        Const::Global(id) => {
            module.globals[id.index()].initializer.and_then(|id| text(module, id)).filter(is_word)
        }
        _ => None,
    };
    let mut found = Vec::new();
    let mut open = vec![table];
    while let Some(id) = open.pop() {
        let Const::Aggregate { elements, .. } = module.constant(id) else { continue };
        for (at, element) in elements.iter().enumerate() {
            let wants = elements
                .get(at + 1)
                .is_some_and(|next| matches!(module.constant(*next), Const::Int { bits: 1, .. }));
            found.extend(word(*element).map(|name| (name, wants)));
        }
        open.extend(elements.iter().rev());
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
