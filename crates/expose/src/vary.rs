//! Inputs made from other inputs: bytes changed, inserted, left out and copied from one part of the input to another.
//!
//! Questions lead to a change step by step; what comes out often needs several parts of an input to fit each other (a pattern and a line that it matches), and
//! there a copy finds in one step what takes questions a hundred.

use crate::mutate::changed;
use crate::types::Shape;
use crate::vocabulary::Vocabulary;
use bstr::BString;
use hydrogen_evidence::{Argument, Call, Cell, Input, Object, Value};
use hydrogen_explore::Symbolic;

/// A small generator: the same numbers for the same search, always.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    /// A number below a limit; 0 where nothing is below it.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) % (limit.max(1) as u64)) as usize
    }

    pub(crate) fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
    }
}

/// A part of an input.
#[derive(Debug, Clone)]
enum Part {
    Stdin,
    Argument(usize),
    Number(usize),
    File(BString),
    Environment(BString),
    Named(BString),
    /// A text that is given to a call, by the number of its object.
    Text(usize),
    /// A number that is given to a call, by the number of its argument.
    Given(usize),
}

/// The parts of an input that may change.
fn parts(symbolic: &Symbolic, input: &Input) -> Vec<Part> {
    let mut all = Vec::new();
    if symbolic.stdin > 0 {
        all.push(Part::Stdin);
    }
    all.extend(symbolic.args.keys().map(|at| Part::Argument(*at)));
    all.extend(symbolic.numbers.keys().map(|at| Part::Number(*at)));
    all.extend(symbolic.files.keys().cloned().map(Part::File));
    all.extend(symbolic.environment.keys().cloned().map(Part::Environment));
    all.extend(input.named.keys().cloned().map(Part::Named));
    if let Some(call) = &input.call {
        all.extend((0..call.objects.len()).filter(|at| is_text(&call.objects[*at])).map(Part::Text));
        let is_number = |at: &usize| matches!(call.arguments[*at].value, Value::Number(_));
        all.extend((0..call.arguments.len()).filter(is_number).map(Part::Given));
    }
    all
}

/// Whether an object of a call is made of characters.
fn is_text(object: &Object) -> bool {
    let small = |cell: &Cell| matches!(cell.value, Value::Number(number) if number.width == 8);
    object.cells.iter().all(small) && object.of.ends_with("char")
}

/// An argument and the like end with their first zero.
fn text(bytes: Option<&Vec<u8>>) -> Vec<u8> {
    let bytes = bytes.map_or(&[][..], Vec::as_slice);
    bytes.split(|byte| *byte == 0).next().unwrap_or_default().to_vec()
}

fn padded(mut bytes: Vec<u8>, len: usize) -> Vec<u8> {
    bytes.resize(len, 0);
    bytes
}

impl Part {
    fn get(&self, input: &Input) -> Vec<u8> {
        match self {
            Self::Stdin => input.stdin.clone(),
            Self::Argument(at) | Self::Number(at) => text(input.args.get(at)),
            Self::File(name) => input.files.get(name).cloned().unwrap_or_default(),
            Self::Environment(name) => text(input.environment.get(name)),
            Self::Named(name) => input.named.get(name).cloned().unwrap_or_default(),
            // Another call may have fewer objects.
            Self::Text(at) => {
                let object = input.call.as_ref().and_then(|call| call.objects.get(*at));
                object.map_or(Vec::new(), characters)
            }
            Self::Given(_) => Vec::new(),
        }
    }

    /// Puts bytes into an input, in the form that the part has.
    fn put(&self, input: &mut Input, shape: &Shape, bytes: Vec<u8>) {
        let Shape { symbolic, open, .. } = shape;
        let room = |most: usize, len: usize| if *open { most.max(len.min(MOST_BYTES)) } else { most };
        match self {
            Self::Stdin => {
                let before = input.stdin.clone();
                let fixed = symbolic.line.is_some() || !symbolic.shorter;
                input.stdin = bytes;
                input.stdin.truncate(room(symbolic.stdin, input.stdin.len()));
                if fixed {
                    input.stdin.resize(before.len(), b' ');
                }
                for (at, byte) in
                    before.iter().enumerate().filter(|(at, _)| !symbolic.stdin_changes(*at as u64))
                {
                    if let Some(place) = input.stdin.get_mut(at) {
                        *place = *byte;
                    }
                }
            }
            Self::Argument(at) => {
                let mut bytes = text(Some(&bytes));
                if symbolic.texts.contains(at) {
                    bytes.retain(|byte| (0x20..0x7f).contains(byte));
                }
                let most = room(symbolic.args.get(at).copied().unwrap_or(0), bytes.len());
                input.args.insert(*at, padded(bytes, most));
            }
            // Numbers have a form of their own.
            Self::Number(_) | Self::Given(_) => {}
            Self::Text(at) => {
                if let Some(call) = &mut input.call {
                    write_text(call, *at, &bytes);
                }
            }
            Self::File(name) => {
                let before = input.files.get(name).map_or(0, Vec::len);
                let bytes = match open {
                    true => bytes.into_iter().take(before.max(MOST_BYTES)).collect(),
                    false => padded(bytes, before),
                };
                input.files.insert(name.clone(), bytes);
            }
            Self::Environment(name) => {
                let most = symbolic.environment.get(name).copied().unwrap_or(0);
                input.environment.insert(name.clone(), padded(text(Some(&bytes)), most));
            }
            Self::Named(name) => {
                let most = input.named.get(name).map_or(0, Vec::len);
                input.named.insert(name.clone(), padded(bytes, most));
            }
        }
    }
}

/// The text in an object of a call.
fn characters(object: &Object) -> Vec<u8> {
    let mut all = Vec::new();
    for cell in &object.cells {
        if let Value::Number(number) = cell.value
            && cell.at == all.len() as u64
            && number.bits != 0
        {
            all.push(number.bits as u8);
        }
    }
    all
}

/// Puts a text into an object of a call. A number that said how long the text was goes on saying so: without that, most calls read behind
/// their texts or see none of the change.
fn write_text(call: &mut Call, at: usize, bytes: &[u8]) {
    let Some(object) = call.objects.get_mut(at) else { return };
    let before = characters(object).len() as u64;
    write(object, bytes);
    let after = characters(object).len() as u64;
    let is_it = |argument: &Argument| argument.value == Value::Object(at, 0);
    let Some(place) = call.arguments.iter().position(is_it) else { return };
    if let Some(Argument { value: Value::Number(number), .. }) = call.arguments.get_mut(place + 1)
        && number.bits == before
        && number.width >= 16
    {
        number.bits = after;
    }
}

/// A text with the zero behind it. Where a function may write, room that was there stays: nobody gives it a buffer that holds the text alone.
fn write(object: &mut Object, bytes: &[u8]) {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    let text = &text[..text.len().min(LONGEST)];
    let cell = |(at, byte): (u64, &u8)| Cell {
        at,
        path: format!("{}[{at}]", object.name),
        value: Value::number(8, (*byte).into()),
    };
    object.cells = (0u64..).zip(text).map(cell).collect();
    let spare = if object.of.starts_with("const ") { 0 } else { object.size };
    object.size = (text.len() as u64 + 1).max(spare);
}

/// A text of a call has at most so many characters.
const LONGEST: usize = 300;
/// No part grows beyond so many bytes.
const MOST_BYTES: usize = 5000;
/// At most so many changes at once.
const MOST: usize = 4;

/// An input made from one of the others.
pub(crate) fn vary(
    dice: &mut Dice,
    words: &Vocabulary,
    shape: &Shape,
    from: &Input,
    others: &[Input],
) -> Input {
    let mut input = from.clone();
    let parts = parts(&shape.symbolic, from);
    for _ in 0..=dice.below(MOST) {
        let Some(part) = dice.pick(&parts) else { break };
        if let Part::Number(at) = part {
            let number = number(dice, words, &input, *at);
            if let Some(form) = shape.symbolic.numbers.get(at) {
                let text = number.clamp(form.low, form.high).to_string().into_bytes();
                input.args.insert(*at, text);
            }
            continue;
        }
        if let (Part::Given(at), Some(call)) = (part, &mut input.call) {
            if let Some(Value::Number(number)) = call.arguments.get(*at).map(|one| one.value.clone()) {
                let bits = given(dice, words, number.signed()) as u64;
                call.arguments[*at].value = Value::number(number.width, bits);
            }
            continue;
        }
        let donor = match dice.below(2) {
            0 => dice.pick(others).unwrap_or(from).clone(),
            _ => input.clone(),
        };
        let lender = dice.pick(&parts).unwrap_or(part).get(&donor);
        let bytes = changed(dice, words, part.get(&input), &lender);
        part.put(&mut input, shape, bytes);
    }
    input
}

fn number(dice: &mut Dice, words: &Vocabulary, input: &Input, at: usize) -> i64 {
    let known = |bytes: &Vec<u8>| std::str::from_utf8(bytes).ok().and_then(|text| text.parse::<i64>().ok());
    let before = input.args.get(&at).and_then(known).unwrap_or(0);
    let others: Vec<i64> = input.args.values().filter_map(known).collect();
    match (dice.below(4), dice.pick(&others)) {
        (0, Some(other)) => other.wrapping_add(dice.below(3) as i64 - 1),
        _ => given(dice, words, before),
    }
}

/// A number near one that was given, or one of the program's.
pub(crate) fn given(dice: &mut Dice, words: &Vocabulary, before: i64) -> i64 {
    let near = dice.below(3) as i64 - 1;
    match dice.below(4) {
        0 => before.wrapping_add(near),
        1 => dice.below(20) as i64 - 4,
        2 => words.numbers.get(dice.below(words.numbers.len())).map_or(near, |one| one.wrapping_add(near)),
        _ => dice.below(100_000) as i64 - 1000,
    }
}

/// Inputs that are a little smaller: without a part of their bytes, or with plainer ones. The first ones leave out most.
pub(crate) fn smaller(shape: &Shape, input: &Input) -> Vec<Input> {
    let mut all = Vec::new();
    for part in parts(&shape.symbolic, input) {
        let bytes = part.get(input);
        let mut add = |bytes: Vec<u8>| {
            let mut next = input.clone();
            part.put(&mut next, shape, bytes);
            if next != *input {
                all.push(next);
            }
        };
        if matches!(part, Part::Named(_) | Part::Number(_) | Part::Given(_)) {
            continue;
        }
        let mut size = bytes.len();
        while size > 0 {
            for at in (0..bytes.len()).step_by(size) {
                let end = bytes.len().min(at + size);
                add([&bytes[..at], &bytes[end..]].concat());
            }
            size /= 2;
        }
        for (at, byte) in bytes.iter().enumerate() {
            if !byte.is_ascii_graphic() && !matches!(byte, b' ' | b'\n' | 0) {
                let mut plain = bytes.clone();
                plain[at] = b'a';
                add(plain);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use hydrogen_machine::World;

    fn words() -> Vocabulary {
        Vocabulary {
            bytes: b"[]-a\n\x00\xff".to_vec(),
            numbers: vec![-5, 100],
            sizes: vec![100],
            words: vec![b"ab".to_vec()],
            phrases: vec![b"a longer text".to_vec()],
        }
    }

    /// Inputs of the form asked for, from one of this form.
    #[test]
    fn what_is_made_has_the_form_asked_for() {
        let args = ["p", "12", "text"].map(BString::from);
        let list = ["arg:1:int:0..30", "arg:2:string:6", "stdin:lines:2x3"].map(str::to_owned);
        let symbolic = Symbolic::parse(&list, &args).expect("all are right");
        let world = World::new(["p", "12", "text"]).with_stdin("abc\nd\n");
        let shape = Shape { world, symbolic, open: false, free: false };
        let mut kept = vec![shape.symbolic.first(&shape.world)];
        let (mut dice, words) = (Dice::new(), words());
        for _ in 0..5000 {
            let from = dice.pick(&kept).cloned().unwrap_or_default();
            let next = vary(&mut dice, &words, &shape, &from, &kept);
            let number: i64 = std::str::from_utf8(&next.args[&1])
                .ok()
                .and_then(|text| text.parse().ok())
                .expect("a number");
            assert!((0..=30).contains(&number));
            assert!(
                next.args[&2].len() <= 6
                    && next.args[&2].iter().all(|byte| *byte == 0 || (0x20..0x7f).contains(byte))
            );
            assert_eq!(next.stdin.len(), 8);
            assert!(next.stdin[3] == b'\n' && next.stdin[7] == b'\n', "{next:?}");
            for small in smaller(&shape, &next) {
                assert_eq!(small.stdin.len(), 8);
            }
            kept.push(next);
            kept.truncate(50);
        }
    }

    /// Calls with different numbers of objects lend each other texts.
    #[test]
    fn texts_of_calls_end() {
        let call = |texts: usize| {
            let object = |at: usize| Object {
                name: format!("t{at}"),
                of: "const char".to_owned(),
                size: 4,
                cells: Vec::new(),
            };
            let argument = |at: usize| Argument { name: format!("t{at}"), value: Value::Object(at, 0) };
            let arguments = (0..texts)
                .map(argument)
                .chain([Argument { name: "n".to_owned(), value: Value::number(8, 3) }]);
            let call = Call {
                arguments: arguments.collect(),
                objects: (0..texts).map(object).collect(),
                ..Call::default()
            };
            Input { call: Some(call), ..Input::default() }
        };
        let shape = Shape { world: World::default(), symbolic: Symbolic::default(), open: true, free: false };
        let mut kept = vec![call(1), call(3)];
        let (mut dice, words) = (Dice::new(), words());
        for _ in 0..3000 {
            let from = dice.pick(&kept).cloned().unwrap_or_default();
            let next = vary(&mut dice, &words, &shape, &from, &kept);
            for object in &next.call.as_ref().expect("it is a call").objects {
                assert!(object.cells.iter().all(|cell| cell.at + 1 < object.size), "{object:?}");
            }
            kept.push(next);
            kept.truncate(40);
        }
    }
}
