//! What of a program's input is symbolic, and inputs themselves.

use bstr::BString;
use hydrogen_evidence::Input;
use hydrogen_machine::{Program, World};
use hydrogen_term::{Model, Pool, Sort, Term, Value};
use std::collections::BTreeMap;

/// What of the input may change. Memory that the program itself names (`hydrogen_symbolic`) always may.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Symbolic {
    /// The first bytes of standard input.
    pub stdin: usize,
    /// Whether standard input may also be shorter: then its length is symbolic too.
    pub shorter: bool,
    /// By number of an argument, its first bytes.
    pub args: BTreeMap<usize, usize>,
    /// By name of a file, its first bytes.
    pub files: BTreeMap<BString, usize>,
    /// By name of a variable of the environment, the first bytes of its value.
    pub environment: BTreeMap<BString, usize>,
    /// The function that is called instead of starting the program; all that comes in with the call may change.
    pub call: Option<crate::shape::FunctionEntry>,
}

/// The bytes of a source, longer than before only by zeros.
fn at_least(bytes: &[u8], len: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.len() < len {
        bytes.resize(len, 0);
    }
    bytes
}

impl Symbolic {
    /// The world of a run: with the input, and the call that the input stands for.
    pub fn world(&self, program: &Program, base: &World, input: &Input) -> World {
        match &self.call {
            Some(entry) => entry.world(program, base, input),
            None => base.with_input(input),
        }
    }

    /// The input that a world has already, filled up with zeros to the sizes asked for.
    pub fn first(&self, world: &World) -> Input {
        let mut input = Input::default();
        if self.stdin > 0 {
            input.stdin = at_least(world.stdin(), if self.shorter { 0 } else { self.stdin });
            if self.shorter {
                input.stdin.truncate(self.stdin);
            }
            input.exact = true;
        }
        for (index, len) in &self.args {
            let given = world.args.get(*index).map_or(&b""[..], |arg| arg.as_slice());
            input.args.insert(*index, at_least(given, *len));
        }
        for (name, len) in &self.files {
            let given = world.file(name).unwrap_or_default();
            input.files.insert(name.clone(), at_least(&given, *len));
        }
        for (name, len) in &self.environment {
            let given = world.variable(name).map_or(&b""[..], |(_, value)| value);
            input.environment.insert(name.clone(), at_least(given, *len));
        }
        input
    }
}

/// An input and the values of variables.
pub trait Assignment {
    /// The input changed by the values of a model; what the model does not mention stays.
    fn with_model(&self, pool: &Pool, model: &Model) -> Self;
    /// The values of variables in this input; bytes that it lacks are zero, as in a run.
    fn model(&self, pool: &Pool, variables: &[Term]) -> Model;
}

impl Assignment for Input {
    fn with_model(&self, pool: &Pool, model: &Model) -> Input {
        let mut input = self.clone();
        let mut length = None;
        for (variable, value) in &model.variables {
            let (Some(name), Some(bits)) = (pool.as_var(*variable), value.as_bits()) else { continue };
            if name == STDIN_LENGTH {
                length = Some(bits as usize);
                continue;
            }
            let width = pool.width(*variable) as usize / 8;
            set(&mut input, name, &bits.to_le_bytes()[..width.min(16)]);
        }
        if let Some(length) = length {
            input.stdin.resize(length.min(1 << 20), 0);
        }
        input
    }

    fn model(&self, pool: &Pool, variables: &[Term]) -> Model {
        let mut model = Model::new();
        for variable in variables {
            let width = pool.width(*variable);
            let value = match pool.as_var(*variable) {
                Some(STDIN_LENGTH) => self.stdin.len() as u128,
                Some(name) => {
                    let mut bytes = [0; 16];
                    let len = (width as usize / 8).min(16);
                    get(self, name, &mut bytes[..len]);
                    u128::from_le_bytes(bytes)
                }
                None => 0,
            };
            model.set(*variable, Value::Bits { width, value });
        }
        model
    }
}

fn get(input: &Input, variable: &str, into: &mut [u8]) {
    let (source, at) = take_apart(variable);
    let bytes = match source {
        Source::Stdin => Some(&input.stdin),
        Source::Argument(index) => input.args.get(&index),
        Source::File(name) => input.files.get(name),
        Source::Environment(name) => input.environment.get(name),
        Source::Named(name) => input.named.get(name),
    };
    let bytes = bytes.and_then(|bytes| bytes.get(at..)).unwrap_or(&[]);
    let len = bytes.len().min(into.len());
    into[..len].copy_from_slice(&bytes[..len]);
}

fn set(input: &mut Input, variable: &str, value: &[u8]) {
    let (source, at) = take_apart(variable);
    let bytes = match source {
        Source::Stdin => &mut input.stdin,
        Source::Argument(index) => input.args.entry(index).or_default(),
        Source::File(name) => input.files.entry(name.into()).or_default(),
        Source::Environment(name) => input.environment.entry(name.into()).or_default(),
        Source::Named(name) => input.named.entry(name.into()).or_default(),
    };
    // Behind the end of an input whose length is itself an answer, bytes do not exist.
    if bytes.len() < at + value.len() {
        bytes.resize(at + value.len(), 0);
    }
    bytes[at..at + value.len()].copy_from_slice(value);
}

/// The variable for the number of bytes of standard input.
pub(crate) const STDIN_LENGTH: &str = "stdin.length";

/// Where symbolic bytes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source<'a> {
    Stdin,
    Argument(usize),
    File(&'a bstr::BStr),
    Environment(&'a bstr::BStr),
    Named(&'a bstr::BStr),
}

impl Source<'_> {
    fn text(self) -> String {
        match self {
            Source::Stdin => "stdin".into(),
            Source::Argument(index) => format!("arg:{index}"),
            Source::File(name) => format!("file:{name}"),
            Source::Environment(name) => format!("env:{name}"),
            Source::Named(name) => {
                let special = ["arg:", "file:", "env:", "mem:", "stdin"];
                let clash = special.iter().any(|word| name.starts_with(word.as_bytes()));
                if clash { format!("mem:{name}") } else { name.to_string() }
            }
        }
    }

    /// The variable of one byte: `stdin[3]`, `arg:1[0]`, `x[2]`.
    pub(crate) fn byte(self, pool: &mut Pool, at: u64) -> Term {
        pool.var(&format!("{}[{at}]", self.text()), Sort::Bits(8))
    }

    /// Memory of the size of a number is one variable of its name, so that conditions read as the program does.
    pub(crate) fn number(self, pool: &mut Pool, bytes: u64) -> Option<Term> {
        let text = self.text();
        let plain = !text.contains('[') && text != STDIN_LENGTH;
        let fits = matches!(bytes, 2 | 4 | 8 | 16) && plain && matches!(self, Source::Named(_));
        fits.then(|| pool.var(&text, Sort::Bits(bytes as u32 * 8)))
    }
}

/// The source of a variable and its first byte there: the inverse of [`Source::byte`] and [`Source::number`].
pub(crate) fn take_apart(variable: &str) -> (Source<'_>, usize) {
    let split = variable.strip_suffix(']').and_then(|name| name.rsplit_once('['));
    let (name, at) = match split.map(|(name, at)| (name, at.parse::<usize>())) {
        Some((name, Ok(at))) => (name, at),
        _ => (variable, 0),
    };
    let source = match name.split_once(':') {
        Some(("arg", index)) if index.parse::<usize>().is_ok() => {
            Source::Argument(index.parse().unwrap_or(0))
        }
        Some(("file", name)) => Source::File(name.into()),
        Some(("env", name)) => Source::Environment(name.into()),
        Some(("mem", name)) => Source::Named(name.into()),
        _ if name == "stdin" => Source::Stdin,
        _ => Source::Named(name.into()),
    };
    (source, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_variables_read_back() {
        let mut pool = Pool::new();
        let sources = [
            Source::Stdin,
            Source::Argument(12),
            Source::File("a[b]".into()),
            Source::Environment("HOME".into()),
            Source::Named("x".into()),
            Source::Named("a[1]".into()),
            Source::Named("stdin".into()),
            Source::Named("arg:7".into()),
        ];
        for source in sources {
            let byte = source.byte(&mut pool, 5);
            assert_eq!(take_apart(pool.as_var(byte).unwrap_or("")), (source, 5));
            if let Some(number) = source.number(&mut pool, 4) {
                assert_eq!(take_apart(pool.as_var(number).unwrap_or("")), (source, 0));
            }
        }
    }

    #[test]
    fn a_model_changes_what_it_mentions() {
        let mut pool = Pool::new();
        let x = Source::Named("x".into()).number(&mut pool, 4).expect("four bytes are a number");
        let byte = Source::Stdin.byte(&mut pool, 1);
        let mut model = Model::new();
        model.set(x, Value::Bits { width: 32, value: 0x0102 });
        model.set(byte, Value::Bits { width: 8, value: 65 });
        let old = Input { stdin: b"xyz".to_vec(), ..Input::default() };
        let new = old.with_model(&pool, &model);
        assert_eq!(new.stdin, b"xAz");
        assert_eq!(new.named[bstr::BStr::new("x")], [2, 1, 0, 0]);
        assert_eq!(new.model(&pool, &[x]).variables[&x].as_bits(), Some(0x0102));
    }
}
