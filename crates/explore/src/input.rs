//! What of a program's input is symbolic, and inputs themselves.

use bstr::BString;
use hydrogen_machine::World;
use hydrogen_term::{Model, Pool, Sort, Term, Value};
use std::collections::BTreeMap;

/// What of the input may change. Memory that the program itself names (`hydrogen_symbolic`) always may.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Symbolic {
    /// The first bytes of standard input.
    pub stdin: usize,
    /// By number of an argument, its first bytes.
    pub args: BTreeMap<usize, usize>,
}

/// The symbolic bytes of one input, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Input {
    /// Bytes of standard input.
    pub stdin: Vec<u8>,
    /// Bytes of arguments.
    pub args: BTreeMap<usize, Vec<u8>>,
    /// Bytes of named memory.
    pub named: BTreeMap<BString, Vec<u8>>,
}

impl Input {
    /// The input in a world that has the rest. Arguments that the world lacks are added.
    pub fn world(&self, base: &World) -> World {
        let mut world = base.clone();
        if !self.stdin.is_empty() {
            world = world.with_stdin(self.stdin.clone());
        }
        for (index, bytes) in &self.args {
            while world.args.len() <= *index {
                world.args.push(BString::default());
            }
            world.args[*index] = bytes.clone().into();
        }
        world.named.extend(self.named.clone());
        world
    }

    /// The input changed by the values of a model; what the model does not mention stays.
    pub fn with_model(&self, pool: &Pool, model: &Model) -> Input {
        let mut input = self.clone();
        for (variable, value) in &model.variables {
            let (Some(name), Some(bits)) = (pool.as_var(*variable), value.as_bits()) else { continue };
            input.set(name, bits as u8);
        }
        input
    }

    /// The values of variables in this input; bytes that it lacks are zero, as in a run.
    pub fn model(&self, pool: &Pool, variables: &[Term]) -> Model {
        let mut model = Model::new();
        for variable in variables {
            let byte = pool.as_var(*variable).map_or(0, |name| self.get(name));
            model.set(*variable, Value::Bits { width: 8, value: u128::from(byte) });
        }
        model
    }

    fn get(&self, name: &str) -> u8 {
        let taken = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
        let Some((name, Ok(at))) = taken.map(|(name, at)| (name, at.parse::<usize>())) else { return 0 };
        let bytes = match name.strip_prefix("arg:").map(str::parse::<usize>) {
            Some(Ok(index)) => self.args.get(&index),
            _ if name == "stdin" => Some(&self.stdin),
            _ => self.named.get(bstr::BStr::new(name.strip_prefix("mem:").unwrap_or(name))),
        };
        bytes.and_then(|bytes| bytes.get(at)).copied().unwrap_or(0)
    }

    fn set(&mut self, name: &str, byte: u8) {
        let Some((name, at)) = name.strip_suffix(']').and_then(|name| name.rsplit_once('[')) else { return };
        let Ok(at) = at.parse::<usize>() else { return };
        let bytes = match name.strip_prefix("arg:").map(str::parse::<usize>) {
            Some(Ok(index)) => self.args.entry(index).or_default(),
            _ if name == "stdin" => &mut self.stdin,
            _ => self.named.entry(name.strip_prefix("mem:").unwrap_or(name).into()).or_default(),
        };
        if bytes.len() <= at {
            bytes.resize(at + 1, 0);
        }
        bytes[at] = byte;
    }
}

/// The variable of one byte of a source: `stdin[3]`, `arg:1[0]`, `mem:x[2]`.
pub(crate) fn variable(pool: &mut Pool, source: &str, at: u64) -> Term {
    pool.var(&format!("{source}[{at}]"), Sort::Bits(8))
}
