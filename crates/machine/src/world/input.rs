//! The world with an input in it.

use super::World;
use bstr::{BString, ByteSlice};
use hydrogen_evidence::Input;
use std::sync::Arc;

impl World {
    /// The world with an input in it. Arguments and variables that the world lacks are added.
    pub fn with_input(&self, input: &Input) -> World {
        let mut world = self.clone();
        if !input.stdin.is_empty() || input.exact {
            world = world.with_stdin(input.stdin.clone());
        }
        for (index, bytes) in &input.args {
            while world.args.len() <= *index {
                world.args.push(BString::default());
            }
            world.args[*index] = bytes.clone().into();
        }
        for (name, bytes) in &input.files {
            world = world.with_file(&name.to_str_lossy(), bytes.clone());
        }
        for (name, bytes) in &input.environment {
            let text: BString = [name.as_slice(), b"=", bytes].concat().into();
            match world.variable(name).map(|(index, _)| index) {
                Some(index) => world.environment[index] = text,
                None => world.environment.push(text),
            }
        }
        world.named.extend(input.named.clone());
        world.memory.numbers.extend(&input.refused);
        if let Some(call) = &input.call {
            world.call = Some(Arc::new(call.clone()));
        }
        world
    }

    /// A variable of the environment: its number and its value.
    pub fn variable(&self, name: &[u8]) -> Option<(usize, &[u8])> {
        let values = self.environment.iter().enumerate();
        values.into_iter().find_map(|(index, text)| {
            let value = text.strip_prefix(name)?.strip_prefix(b"=")?;
            Some((index, value))
        })
    }
}
