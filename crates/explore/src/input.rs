//! Inputs, and the variables that stand for parts of them.

use hydrogen_evidence::Input;
use hydrogen_term::{Model, Pool, Sort, Term, Value};

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
            if let Some(index) = number_of(name) {
                let unused = 128 - pool.width(*variable);
                let number = (bits << unused) as i128 >> unused;
                input.args.insert(index, number.to_string().into_bytes());
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
                Some(name) if number_of(name).is_some() => {
                    let text = number_of(name).and_then(|index| self.args.get(&index));
                    let number = text.and_then(|text| read_number(text)).unwrap_or(0);
                    number as u128 & (u128::MAX >> (128 - width))
                }
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

/// The variable of an argument that is a number as a whole.
pub(crate) fn number_variable(pool: &mut Pool, index: usize, bits: u32) -> Term {
    pool.var(&format!("arg:{index}"), Sort::Bits(bits))
}

/// The argument that a variable is the number of; its bytes have variables with an index.
pub(crate) fn number_of(variable: &str) -> Option<usize> {
    variable.strip_prefix("arg:")?.parse().ok()
}

/// The number that a text is, written as C programs write it: a sign only if it is negative, and no zeros in front.
pub(crate) fn read_number(text: &[u8]) -> Option<i64> {
    let number: i64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    (number.to_string().as_bytes() == text).then_some(number)
}

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
    fn a_number_is_written_with_its_digits() {
        let mut pool = Pool::new();
        for (bits, number) in [(32, -2_147_483_648i64), (32, 0), (32, 407), (64, i64::MIN), (64, i64::MAX)] {
            let variable = number_variable(&mut pool, 3, bits);
            let mut model = Model::new();
            let value = number as u128 & (u128::MAX >> (128 - bits));
            model.set(variable, Value::Bits { width: bits, value });
            let input = Input::default().with_model(&pool, &model);
            assert_eq!(input.args[&3], number.to_string().into_bytes());
            assert_eq!(input.model(&pool, &[variable]).variables[&variable].as_bits(), Some(value));
            pool = Pool::new();
        }
        for wrong in ["", "-", "+1", "007", "-0", " 1", "1 ", "9223372036854775808"] {
            assert_eq!(read_number(wrong.as_bytes()), None, "{wrong}");
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
