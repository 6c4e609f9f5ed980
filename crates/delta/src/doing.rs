//! What the steps of a version do, for whoever tells of it: calls as the source writes them, and places that are written to.

use crate::words::{Names, Reader, Text, bytes, quoted, source_name};
use hydrogen_ir::{Const, Op as Code, Operand};
use hydrogen_sym::{
    Side,
    segment::{Did, Step},
};
use hydrogen_term::Pool;

/// Literals of calls are cut here, where that does not hide what differs.
const SHORT_LITERAL: usize = 40;
/// So much is shown around the first difference of two long texts.
const AROUND: usize = 28;

/// What a step does.
#[derive(Debug, Clone)]
pub(crate) enum Doing {
    /// Nothing that is told.
    Nothing,
    /// It makes a call.
    Call(Call),
    /// It writes to a place.
    Place(Text),
}

/// A call in words, from the ones that a reader of the source knows to those that say most.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// As the source writes it, variables by their names, values, literals in full.
    forms: [String; 4],
}

impl Doing {
    /// The call, or nothing.
    pub fn call(&self) -> &str {
        match self {
            Doing::Call(call) => &call.forms[0],
            _ => "",
        }
    }

    /// Whether a text is this call.
    pub fn is_call(&self, text: &str) -> bool {
        matches!(self, Doing::Call(call) if call.forms.iter().any(|one| one == text))
    }
}

/// Two calls in words that tell them apart, the old one first; the same words for both where there are none.
pub(crate) fn apart(old: &Doing, new: &Doing) -> (String, String) {
    let (Doing::Call(a), Doing::Call(b)) = (old, new) else {
        return (old.call().to_owned(), new.call().to_owned());
    };
    let last = a.forms.len() - 1;
    let differ = (0..=last).find(|&at| a.forms[at] != b.forms[at] && !a.forms[at].contains('…'));
    match differ.or_else(|| (0..=last).find(|&at| a.forms[at] != b.forms[at])) {
        Some(at) if at == last => excerpts(&a.forms[at], &b.forms[at]),
        Some(at) => (a.forms[at].clone(), b.forms[at].clone()),
        None => (a.forms[0].clone(), b.forms[0].clone()),
    }
}

/// Two long texts around the first place where they differ.
fn excerpts(a: &str, b: &str) -> (String, String) {
    let same = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    let name = a.split('(').next().unwrap_or_default();
    let cut = |text: &str| -> String {
        let all: Vec<char> = text.chars().collect();
        let (first, last) = (same.saturating_sub(AROUND), (same + AROUND).min(all.len()));
        match first <= name.len() {
            true if last == all.len() => text.to_owned(),
            true => format!("{}…", all[..last].iter().collect::<String>()),
            false => {
                let end = if last == all.len() { "" } else { "…" };
                format!("{name}(…{}{end}", all[first..last].iter().collect::<String>())
            }
        }
    };
    (cut(a), cut(b))
}

/// What the steps of a version do, in its own words.
pub(crate) fn doings(names: &mut Names, pool: &mut Pool, side: Side, steps: &[Step]) -> Vec<Doing> {
    let mut reader = Reader::new(names, pool, side);
    let mut found = Vec::new();
    for step in steps {
        reader.step(step);
        let op = reader.code().op(step.frame, step.id).clone();
        found.push(match (&step.did, &op) {
            (Did::Asks { question, .. }, _) => Doing::Call(call(&reader, step, &op, &question.name)),
            (Did::Writes { .. }, Code::Store { pointer, .. }) => {
                match reader.place(step.frame, pointer).map(|place| reader.first(place)) {
                    Some(place) if !place.text.is_opaque => Doing::Place(place.text),
                    _ => Doing::Nothing,
                }
            }
            // Bytes that are copied or filled are told as the call that does so.
            (Did::Writes { .. }, Code::Call { .. }) => Doing::Call(call(&reader, step, &op, "memcpy")),
            _ => Doing::Nothing,
        });
    }
    found
}

fn call(reader: &Reader, step: &Step, op: &Code, name: &str) -> Call {
    let written = |one: &Operand| reader.as_written(step.frame, one);
    let values = |one: &Operand| reader.operand(step.frame, one);
    let whole = |one: &Operand| match one {
        Operand::Const(id) => reader.whole(*id).unwrap_or_else(|| reader.operand(step.frame, one)),
        _ => reader.operand(step.frame, one),
    };
    let text = call_text(op, name, reader, &written);
    let source = reader.statement(step).and_then(|statement| in_source(statement, &text));
    Call {
        forms: [
            source.unwrap_or_else(|| text.clone()),
            text,
            call_text(op, name, reader, &values),
            call_text(op, name, reader, &whole),
        ],
    }
}

/// A call with its arguments.
pub(crate) fn call_text(
    op: &Code,
    name: &str,
    reader: &Reader,
    operand: &dyn Fn(&Operand) -> Text,
) -> String {
    let Code::Call { callee, arguments, .. } = op else { return name.to_owned() };
    let module = reader.module();
    let direct = match callee {
        Operand::Const(id) => match module.constant(*id) {
            Const::Function(function) => Some(module.function(*function).name.clone()),
            _ => None,
        },
        _ => None,
    };
    if let (Some("__assert_fail"), Some(what)) = (direct.as_deref(), arguments.first().map(operand))
        && let Some(condition) = what.text.strip_prefix('"').and_then(|text| text.strip_suffix('"'))
    {
        return format!("assert({})", condition.replace("\\\"", "\""));
    }
    let name = match direct {
        Some(name) => source_name(&name).to_owned(),
        None => match operand(callee) {
            text if text.is_opaque => "a function that a pointer leads to".to_owned(),
            text => text.within_call(),
        },
    };
    let most = if matches!(name.as_str(), "memcpy" | "memmove" | "memset") { 3 } else { arguments.len() };
    let all = arguments.iter().take(most).map(|one| operand(one).text);
    format!("{name}({})", all.collect::<Vec<_>>().join(", "))
}

/// A call in the words of its statement, if the statement makes one call of that name.
fn in_source(statement: &str, call: &str) -> Option<String> {
    let name = call.split_once('(')?.0;
    let opening = format!("{name}(");
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut starts = statement
        .match_indices(&opening)
        .map(|(at, _)| at)
        .filter(|&at| at == 0 || !is_word(statement.as_bytes()[at - 1]));
    let (start, None) = (starts.next()?, starts.next()) else { return None };
    let (mut depth, mut quote, mut escaped) = (0u32, None, false);
    for (at, one) in statement[start..].char_indices() {
        match (quote, one) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if open == one => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(one),
            (None, '(') => depth += 1,
            (None, ')') => {
                depth -= 1;
                if depth == 0 {
                    return Some(cut_literals(&statement[start..=start + at]));
                }
            }
            _ => {}
        }
    }
    None
}

/// A text whose long literals are cut.
fn cut_literals(text: &str) -> String {
    let (mut out, mut inside, mut escaped, mut length) = (String::new(), false, false, 0);
    for one in text.chars() {
        if inside {
            let ends = one == '"' && !escaped;
            escaped = one == '\\' && !escaped;
            length += 1;
            if ends {
                out.push_str(if length > SHORT_LITERAL + 1 { "…\"" } else { "\"" });
                inside = false;
            } else if length <= SHORT_LITERAL {
                out.push(one);
            }
        } else {
            out.push(one);
            (inside, length, escaped) = (one == '"', 0, false);
        }
    }
    out
}

impl Reader<'_, '_, '_> {
    /// A literal in full.
    fn whole(&self, id: hydrogen_ir::ConstId) -> Option<Text> {
        let module = self.module();
        let Const::Global(global) = module.constant(id) else { return None };
        let global = module.global(*global);
        let data = bytes(module, global.initializer.filter(|_| global.private)?)?;
        Some(Text::plain(quoted(&data, usize::MAX)))
    }
}
