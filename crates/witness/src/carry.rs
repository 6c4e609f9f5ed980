//! From a call to the program: the texts and numbers that show a fault when a function is called may come there when the program is started
//! with them. If not, an exploration of it may come there.

use crate::runner::{Runner, Units};
use crate::verdict::Seen;
use hydrogen_evidence::{Call, Input, Replay, Value};
use hydrogen_query::{Attempt, Ran};
use std::collections::BTreeMap;

/// Texts of a call that are tried.
const MOST_TEXTS: usize = 4;

impl<U: Units> Runner<U> {
    /// An input of the whole program that shows the fault of a call; none where the version is no program, or several.
    pub(crate) fn carry(&self, attempt: &Attempt) -> Option<Ran> {
        let call = attempt.input.call.as_ref().filter(|_| !self.is_over())?;
        let program = self.whole(attempt).ok()?;
        let starts = starts(call);
        for input in &starts {
            let attempt = Attempt { input: input.clone(), ..attempt.clone() };
            let (input, seen) = self.run(&program, &attempt, input.clone());
            if seen == Seen::It {
                let input = self.smaller(&program, &attempt, input);
                return Some(Ran { input, replay: Replay::Confirmed });
            }
        }
        let input = starts.into_iter().next().unwrap_or_else(any_argument);
        let attempt = Attempt { input, ..attempt.clone() };
        let input = self.search(&program, &attempt)?;
        let input = self.smaller(&program, &attempt, input);
        Some(Ran { input, replay: Replay::Confirmed })
    }
}

/// A start with one argument, for an exploration.
fn any_argument() -> Input {
    Input { args: BTreeMap::from([(1, b"a".to_vec())]), ..Input::default() }
}

/// What a program may be started with to bring a call's values to its function: as arguments, one by one and in the order of the call, and as
/// standard input.
fn starts(call: &Call) -> Vec<Input> {
    let words: Vec<Vec<u8>> = call.arguments.iter().filter_map(|one| word(call, &one.value)).collect();
    let mut each: Vec<Vec<u8>> = Vec::new();
    for word in words.iter().filter(|word| !word.is_empty()) {
        if !each.contains(word) {
            each.push(word.clone());
        }
    }
    each.sort_by_key(|word| std::cmp::Reverse(word.len()));
    each.truncate(MOST_TEXTS);
    let args = |words: &[Vec<u8>]| -> Input {
        let args: BTreeMap<usize, Vec<u8>> =
            words.iter().enumerate().map(|(at, word)| (at + 1, word.clone())).collect();
        Input { args, ..Input::default() }
    };
    let mut all: Vec<Input> = each.iter().map(|word| args(std::slice::from_ref(word))).collect();
    if words.len() > 1 && !each.is_empty() {
        all.push(args(&words));
    }
    for word in each {
        let line = [&word[..], b"\n"].concat();
        all.push(Input { stdin: line, exact: true, ..Input::default() });
    }
    all
}

/// A value as it may stand on a command line; none of what is no text and no number.
fn word(call: &Call, value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::Number(number) => {
            let unused = 64 - number.width.clamp(1, 64);
            Some((((number.bits << unused) as i64) >> unused).to_string().into_bytes())
        }
        Value::Object(at, 0) => text(call, *at),
        _ => None,
    }
}

/// The text that an object holds from its beginning.
fn text(call: &Call, at: usize) -> Option<Vec<u8>> {
    let object = call.objects.get(at)?;
    let bytes: Option<BTreeMap<u64, u8>> = object
        .cells
        .iter()
        .map(|cell| match cell.value {
            Value::Number(number) if number.width == 8 => Some((cell.at, number.bits as u8)),
            _ => None,
        })
        .collect();
    let bytes = bytes?;
    let text = (0..).map_while(|at| bytes.get(&at).copied().filter(|byte| *byte != 0));
    Some(text.collect())
}
