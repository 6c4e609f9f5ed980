//! System calls, and the signals that some of them raise.

use super::Machine;
use super::call::Passed;
use crate::fault::{Limit, Trouble};
use crate::monitor::{MemoryEvent, Monitor, Place, View};
use crate::world::{Effect, Transfer};

impl<M: Monitor> Machine<'_, M> {
    pub(super) fn system_call(&mut self, dst: u32, args: &[u32]) -> Result<(), Trouble> {
        let mut numbers = [0; 7];
        for (number, reg) in numbers.iter_mut().zip(args) {
            *number = self.get(*reg);
        }
        let [number, rest @ ..] = numbers;
        self.statistics.system_calls += 1;
        if let Some(done) = self.thread_call(number, rest, dst) {
            return done;
        }
        self.memory.changed.clear();
        self.world.steps = self.statistics.steps;
        let effect = self.world.system_call(&mut self.memory, number, rest);
        if self.world.written > self.limits.output {
            return Err(Trouble::Limit(Limit::Output));
        }
        if M::ACTIVE {
            for (region, at, len, fresh) in std::mem::take(&mut self.memory.changed) {
                let (place, len) = (Place { region, at }, len as u64);
                let event = if fresh { MemoryEvent::Fresh(place, len) } else { MemoryEvent::Set(place, len) };
                self.monitor.memory(0, event, View(&self.memory));
            }
            for transfer in std::mem::take(&mut self.world.transfers) {
                match transfer {
                    Transfer::In { address, region, at, len, fd, offset } => {
                        let place = Place { region, at };
                        self.monitor.memory(
                            address,
                            MemoryEvent::Input(place, len, fd, offset),
                            View(&self.memory),
                        );
                    }
                    Transfer::Stream(stream, event) => self.monitor.stream(stream, event, &self.world),
                    Transfer::Out { address, region, at, len, fd } => {
                        self.monitor.memory(
                            address,
                            MemoryEvent::Output(Place { region, at }, len, fd),
                            View(&self.memory),
                        );
                    }
                }
            }
            self.monitor.opaque();
        }
        match effect {
            Effect::Value(value) => {
                self.set(dst, value as u64);
                self.set_undefined(dst, 0);
                self.next();
                Ok(())
            }
            Effect::Exit(status) => Err(Trouble::Exit(status & 0xff)),
            Effect::Signal(signal) => Err(Trouble::Signal(signal)),
            Effect::BadAccess { address, bytes, write } => Err(Trouble::Access { address, bytes, write }),
            Effect::Handler { handler, signal } => {
                self.set(dst, 0);
                self.set_undefined(dst, 0);
                self.next();
                self.handle(handler, signal)
            }
        }
    }

    /// A timer that is due sends its signal, between two instructions.
    pub(super) fn check_timer(&mut self) -> Result<(), Trouble> {
        if self.world.due_in(self.statistics.steps) != Some(0) {
            return Ok(());
        }
        if M::ACTIVE {
            return Err(Trouble::Unsupported("a timer, in a run that is watched".into()));
        }
        match self.world.alarm(self.statistics.steps) {
            Effect::Signal(signal) => Err(Trouble::Signal(signal)),
            Effect::Handler { handler, signal } => self.handle(handler, signal),
            _ => Ok(()),
        }
    }

    /// Calls the program's handler of a signal.
    fn handle(&mut self, handler: u64, signal: i32) -> Result<(), Trouble> {
        let unknown = || {
            Trouble::Fault(crate::fault::FaultKind::BadCall, "the handler of a signal is no function".into())
        };
        let function = self.program.function_at(handler).ok_or_else(unknown)?;
        let parameters = self.program.code(function).map_or(1, |code| code.parameter_parts.len());
        let args: Vec<Passed> =
            [signal as u64, 0, 0].into_iter().take(parameters).map(Passed::word).collect();
        self.enter(function, &args, 0, 0)?;
        if let Some(frame) = self.frames.last_mut() {
            frame.detached = true;
        }
        Ok(())
    }
}
