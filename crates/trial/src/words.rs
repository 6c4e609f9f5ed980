//! Calls and what they did, as a programmer would write them.

use crate::Observed;
use hydrogen_evidence::{Call, Cell, Value};
use hydrogen_ir::layout::{Slot, SlotKind, slots};
use hydrogen_ir::{Function, Module};
use hydrogen_pair::Ending;
use hydrogen_program::{parameter_type, slots_of};

/// `f(n = 3, x = 0.1, a = {1, 2, 3})`.
pub fn call_text(module: &Module, function: &Function, call: &Call) -> String {
    let mut words: Vec<String> = Vec::new();
    for (at, argument) in call.arguments.iter().enumerate() {
        let ctype = parameter_type(module, function, at);
        let slot = ctype.and_then(|ctype| slots(module, ctype, "", 2).into_iter().next());
        let value = match &argument.value {
            Value::Object(object, 0) => object_text(module, function, call, *object, 0),
            value => value_text(call, slot.map(|slot| slot.kind), value),
        };
        words.push(match argument.name.as_str() {
            "" => value,
            name => format!("{name} = {value}"),
        });
    }
    let mut text = format!("{}({})", function.name, words.join(", "));
    for global in call.globals.iter().filter(|global| !global.cells.is_empty()) {
        let ctype = module.globals.iter().find(|one| one.name == global.name).and_then(|one| one.ctype);
        let types = ctype.map_or(Vec::new(), |ctype| slots(module, ctype, &global.name, 16));
        for cell in &global.cells {
            let kind = types.iter().find(|slot| slot.at == cell.at).map(|slot| slot.kind);
            text += &format!(", {} = {}", cell.path, value_text(call, kind, &cell.value));
        }
    }
    for answer in &call.answers {
        text += &format!(", {}() gives {}", answer.function, value_text(call, None, &answer.value));
    }
    text
}

/// The cells of an object: a list where they are one after the other, else by name.
fn object_text(module: &Module, function: &Function, call: &Call, at: usize, depth: u32) -> String {
    let object = &call.objects[at];
    let types: Vec<Slot> = slots_of(module, function, call, at);
    let kind = |cell: &Cell| types.iter().find(|slot| slot.at == cell.at).map(|slot| slot.kind);
    let zero = |cell: &Cell| {
        matches!(&cell.value, Value::Number(number) if number.bits == 0) || cell.value == Value::Null
    };
    // What is not listed is zero, so that zeros at the end are as good as none.
    let last = object.cells.iter().rposition(|cell| !zero(cell)).map_or(0, |last| last + 1);
    let written = &object.cells[..last];
    let is_text = types.iter().all(|slot| slot.bytes == 1)
        && written
            .iter()
            .all(|cell| matches!(&cell.value, Value::Number(number) if (32..127).contains(&number.bits)))
        && written.iter().enumerate().all(|(n, cell)| cell.at == n as u64);
    if is_text {
        let text = written.iter().filter_map(|cell| match &cell.value {
            Value::Number(number) => Some(number.bits as u8 as char),
            _ => None,
        });
        return format!("\"{}\"", text.collect::<String>().replace('\\', "\\\\").replace('"', "\\\""));
    }
    let is_list = object.cells.iter().all(|cell| !cell.path.contains("->") && !cell.path.contains('.'));
    let mut words: Vec<String> = Vec::new();
    for cell in written {
        let value = match &cell.value {
            Value::Object(inner, 0) if *inner > at && depth < 4 => {
                object_text(module, function, call, *inner, depth + 1)
            }
            value => value_text(call, kind(cell), value),
        };
        if is_list {
            words.push(value);
        } else if !zero(cell) {
            words.push(format!("{} = {value}", cell.path.rsplit(['>', '.']).next().unwrap_or_default()));
        }
    }
    if last < object.cells.len() || words.is_empty() {
        words.push("0…".to_owned());
    }
    format!("{{{}}}", words.join(", "))
}

/// A value of a scalar.
pub fn value_text(call: &Call, kind: Option<SlotKind>, value: &Value) -> String {
    match (value, kind) {
        (Value::Number(number), Some(SlotKind::Float)) if number.width == 32 => {
            format!("{:?}", f32::from_bits(number.bits as u32))
        }
        (Value::Number(number), Some(SlotKind::Float)) => format!("{:?}", f64::from_bits(number.bits)),
        (Value::Number(number), Some(SlotKind::Number { signed: false })) => number.bits.to_string(),
        _ => call.shown(value),
    }
}

/// So much is shown of what was written, and so much of it may be the same in both versions.
const SHOWN: usize = 100;
const SAME: usize = 24;

/// What was written, quoted; where it begins as the other version's does, from a little before the first difference on.
fn from_where_it_differs(own: &[u8], others: &[u8]) -> String {
    let same = own.iter().zip(others).take_while(|(a, b)| a == b).count();
    let from = if same > SAME && own.len() > SHOWN { same - SAME / 2 } else { 0 };
    let (begins, rest) = (if from > 0 { "…" } else { "" }, &own[from..]);
    let (shown, ends) = if rest.len() > SHOWN { (&rest[..SHOWN], "…") } else { (rest, "") };
    format!("{begins}{:?}{ends}", String::from_utf8_lossy(shown))
}

impl Observed {
    /// What a call did, beside another one: only what differs is said of memory.
    pub fn words(&self, other: &Observed) -> String {
        let ending = match &self.outcome.ending {
            Ending::Fault(..) => {
                return format!("faults ({})", self.fault.as_deref().unwrap_or("undefined behaviour"));
            }
            Ending::Cut(why) => return format!("is not known to end ({why})"),
            Ending::Assumption => return "ends by an assumption".to_owned(),
            Ending::Exit(status) if self.after.is_none() => Some(format!("exits with {status}")),
            Ending::Signal(signal) => Some(format!("ends by signal {signal}")),
            Ending::Exit(_) => None,
        };
        let mut parts: Vec<String> = Vec::new();
        parts.extend(ending);
        for line in &self.outcome.memory {
            let is_result = line.starts_with("result = ");
            if line == "returns" || other.outcome.memory.contains(line) || other.after.is_none() && !is_result
            {
                continue;
            }
            // What only one version's structures have is missed by nobody.
            let name = line.split_once(" = ").map_or(line.as_str(), |(name, _)| name);
            if self.outcome.made.contains_key(name)
                && !other.outcome.made.contains_key(name)
                && !self.outcome.has_more(&other.outcome, name)
            {
                continue;
            }
            parts.push(match line.strip_prefix("result = ") {
                Some(value) => format!("returns {value}"),
                None => line.clone(),
            });
        }
        for (name, own, others) in [
            ("stdout", &self.outcome.stdout, &other.outcome.stdout),
            ("stderr", &self.outcome.stderr, &other.outcome.stderr),
        ] {
            if own != others {
                parts.push(format!("{name} {}", from_where_it_differs(own, others)));
            }
        }
        for (name, own) in &self.outcome.files {
            match other.outcome.files.get(name) {
                Some(others) if own == others => {}
                others => {
                    let shown = from_where_it_differs(own, others.map_or(&[][..], Vec::as_slice));
                    parts.push(format!("file {name} holds {shown}"));
                }
            }
        }
        for name in other.outcome.files.keys().filter(|&name| !self.outcome.files.contains_key(name)) {
            parts.push(format!("does not write file {name}"));
        }
        if parts.is_empty() {
            parts.push("returns".to_owned());
        }
        parts.join(", ")
    }
}
