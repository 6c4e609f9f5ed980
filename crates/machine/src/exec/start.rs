//! The way into `main`, or into the function that is called instead.

use super::Machine;
use super::call::Passed;
use crate::fault::Trouble;
use crate::memory::ObjectKind;
use crate::monitor::{Given, MemoryEvent, Monitor, Place, View};
use crate::program::FuncKind;

/// Keys of the auxiliary vector that musl looks at.
const AT_PAGESZ: u64 = 6;
const AT_UID: [u64; 4] = [11, 12, 13, 14];
const AT_SECURE: u64 = 23;
const AT_RANDOM: u64 = 25;

impl<M: Monitor> Machine<'_, M> {
    /// Makes the first frame. With the library its own start-up code runs first.
    pub(super) fn start(&mut self) -> Result<(), Trouble> {
        let program = self.program;
        let full = || Trouble::Unsupported("arguments and environment do not fit in memory".into());
        let entry = self.world.entry.clone();
        let missing = || Trouble::Undefined(entry.clone());
        let main = match self.world.call.clone() {
            Some(call) => self.prepare(&call)?,
            None => program.find(&entry).ok_or_else(missing)?,
        };
        if !matches!(program.function(main).kind, FuncKind::Defined(..)) {
            return Err(missing());
        }
        let mut words = Vec::new();
        let argc = self.world.args.len() as u64;
        for (index, text) in self.world.args.clone().iter().enumerate() {
            words.push(self.string(text, Given::Argument(index)).ok_or_else(full)?);
        }
        words.push(0);
        let environment = words.len();
        for (index, text) in self.world.environment.clone().iter().enumerate() {
            words.push(self.string(text, Given::Environment(index)).ok_or_else(full)?);
        }
        words.push(0);
        let random = self.make(ObjectKind::Start, b"hydrogen-machine").ok_or_else(full)?;
        words.extend([AT_PAGESZ, 4096, AT_RANDOM, random, AT_SECURE, 0]);
        words.extend(AT_UID.iter().flat_map(|key| [*key, 1000]));
        words.extend([0, 0]);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let argv = self.make(ObjectKind::Start, &bytes).ok_or_else(full)?;
        let envp = argv + 8 * environment as u64;
        if program.has_library
            && let Some(start) = program.find("__libc_start_main")
        {
            let entry = program.function(main).address;
            let mut args: Vec<Passed> = [entry, argc, argv].map(Passed::word).into();
            let expected = program.code(start).map_or(0, |code| code.parameter_parts.len());
            args.resize(expected.max(3), Passed::word(0));
            return self.enter(start, &args, 0, 0);
        }
        if self.calling.is_some() {
            self.begin_call(0)?;
            return self.run_all(&program.constructors);
        }
        let parameters = program.code(main).map_or(0, |code| code.parameter_parts.len());
        let args: Vec<Passed> = [argc, argv, envp].into_iter().take(parameters).map(Passed::word).collect();
        self.enter(main, &args, 0, 1)?;
        self.run_all(&program.constructors)
    }

    fn string(&mut self, text: &[u8], given: Given) -> Option<u64> {
        let mut bytes = text.to_vec();
        bytes.push(0);
        let address = self.make(ObjectKind::Start, &bytes)?;
        if M::ACTIVE {
            let (region, at) = self.memory.range(address, bytes.len() as u64, false)?;
            let event = MemoryEvent::Given(Place { region, at }, text.len() as u64, given);
            self.monitor.memory(address, event, View(&self.memory));
        }
        Some(address)
    }

    /// Calls what must run before `main` or at the end, in this order: the last frame that is pushed runs first.
    pub(super) fn run_all(&mut self, functions: &[crate::program::FuncId]) -> Result<(), Trouble> {
        for function in functions.iter().rev() {
            let parameters = self.program.code(*function).map_or(0, |code| code.parameter_parts.len());
            self.enter(*function, &vec![Passed::word(0); parameters], 0, 0)?;
            if let Some(frame) = self.frames.last_mut() {
                frame.detached = true;
            }
        }
        Ok(())
    }
}
