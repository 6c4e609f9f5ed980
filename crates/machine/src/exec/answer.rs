//! Functions without a body: they answer as the call says, by number or by what they are given.
//!
//! What such a function writes is not known. Bytes without a value that its arguments lead to are taken for what it is asked to fill in; what has a
//! value it leaves alone. The ledger says both.

use super::Machine;
use crate::code::{Arg, CallSite, Scalar};
use crate::fault::{End, FaultKind, Trouble};
use crate::monitor::{Answered, Filled, Monitor, Place, View};
use crate::program::FuncId;
use crate::world::{Stranger, Visible};
use hydrogen_evidence::{FirstValue, Known, Value};
use std::sync::Arc;

/// So many bytes behind a pointer are looked at.
const MOST_FILLED: u64 = 256;

impl<M: Monitor> Machine<'_, M> {
    /// A function without a body answers.
    pub(super) fn answer(&mut self, function: FuncId, site: &CallSite) -> Result<(), Trouble> {
        let name = self.program.function(function).name.clone();
        if self.calling.is_none() && self.program.has_library {
            return self.closed(name, site);
        }
        let given = self.seen_by(site);
        self.world.strangers.push(Stranger { name: name.clone(), given });
        let Some(calling) = &mut self.calling else { return Err(Trouble::Undefined(name)) };
        let used = calling.answered.entry(name.clone()).or_default();
        let answer = calling.call.answers.iter().filter(|answer| answer.function == name).nth(*used);
        let objects = calling.objects.clone();
        if let Some(value) = answer.map(|answer| answer.value.clone()) {
            *used += 1;
            let word = self.word_of(&value, &objects)?;
            self.fill_in(site, &[]);
            self.give(site, word);
            if M::ACTIVE {
                self.monitor.opaque();
            }
            self.next();
            return Ok(());
        }
        let call = Arc::clone(&calling.call);
        let arguments = self.given_to(site, &objects);
        let own = |known: &&Known| {
            let listed = known.arguments.as_ref();
            known.function == name && listed.is_none_or(|listed| Some(listed) == arguments.as_ref())
        };
        let known = call.known.iter().filter(own).max_by_key(|known| known.arguments.is_some());
        // A function that gives nothing needs no entry.
        if site.count > 1 || site.count == 1 && (known.is_none() || arguments.is_none()) {
            return Err(Trouble::Undefined(name));
        }
        let word = known.map_or(Ok(0), |known| self.word_of(&known.value, &objects))?;
        let filled = self.fill_in(site, known.map_or(&[], |known| &known.sets));
        self.world.note(&format!(
            "`{name}` has no body: it is taken to answer by its arguments alone, and to write only where nothing was written before"
        ));
        self.give(site, word);
        if M::ACTIVE {
            self.monitor.opaque();
            if let Some(arguments) = &arguments {
                let result = (site.count == 1).then_some(site.dst);
                self.monitor.answered(Answered { function, arguments, result, filled: &filled });
            }
        }
        self.next();
        Ok(())
    }

    /// A function of a library that nobody has the code of, called by a program that runs as a whole. What it gives is not known: the run goes on
    /// until that decides something.
    fn closed(&mut self, name: String, site: &CallSite) -> Result<(), Trouble> {
        let given = self.seen_by(site);
        self.world.strangers.push(Stranger { name: name.clone(), given });
        self.world.note(&format!(
            "`{name}` has no body: what it gives is not known, and the run ends where that decides; it is taken to write only where nothing was \
             written before"
        ));
        for index in 0..site.count {
            self.set(site.dst + index, 0);
            self.set_undefined(site.dst + index, u64::MAX);
        }
        if M::ACTIVE {
            self.monitor.opaque();
        }
        self.closed = Some((name, self.sites()));
        self.next();
        Ok(())
    }

    /// What goes wrong behind the call of a function that nobody has the code of may be its answer's fault.
    pub(super) fn doubted(&mut self, trouble: Trouble) -> Trouble {
        let Some((name, _)) = self.closed.clone() else { return trouble };
        match &trouble {
            Trouble::Fault(FaultKind::UninitialisedRead, _) => Trouble::Undefined(name),
            Trouble::Fault(..) | Trouble::Access { .. } | Trouble::Elsewhere { .. } => {
                if let End::Fault(fault) = self.end_of(&trouble) {
                    let place = fault.stack.iter().find(|frame| frame.users);
                    let place = place.map_or(String::new(), |one| format!(" at {}:{}", one.file, one.line));
                    self.world.note(&format!(
                        "possible, if `{name}` can answer so: {}{place}: {}",
                        fault.kind, fault.message
                    ));
                }
                Trouble::Undefined(name)
            }
            _ => trouble,
        }
    }

    fn give(&mut self, site: &CallSite, word: u64) {
        if site.count > 0 {
            self.set(site.dst, word);
            self.set_undefined(site.dst, 0);
        }
    }

    /// What a function can see of what it is given; none where it can see what may depend on anything.
    fn seen_by(&self, site: &CallSite) -> Option<Vec<Visible>> {
        let one = |arg: &Arg| {
            let [part] = arg.parts.as_slice() else { return None };
            if arg.by_value.is_some() || part.scalar.width() > 64 {
                return None;
            }
            let word = self.get(arg.src);
            if part.scalar != Scalar::Pointer || word == 0 {
                return Some(Visible::Number(word));
            }
            if let Some(Value::Function(name)) = self.known(word, &[]) {
                return Some(Visible::Function(name));
            }
            let view = View(&self.memory);
            let constant = view.object(word).filter(|extent| !extent.writable)?;
            let bytes = view.bytes(constant.place, constant.size);
            let before = word.checked_sub(constant.address)?;
            Some(Visible::Constant(before, bytes.get(usize::try_from(before).ok()?..)?.to_vec()))
        };
        site.args.iter().map(one).collect()
    }

    /// What a function is given; none where that is more than words.
    fn given_to(&self, site: &CallSite, objects: &[u64]) -> Option<Vec<Value>> {
        let mut arguments = Vec::new();
        for arg in &site.args {
            let [part] = arg.parts.as_slice() else { return None };
            let width = part.scalar.width();
            if arg.by_value.is_some() || width > 64 {
                return None;
            }
            let word = self.get(arg.src);
            arguments.push(match part.scalar {
                Scalar::Pointer if word == 0 => Value::Null,
                // What is not the caller's is one place to those who do not know the function's own memory.
                Scalar::Pointer => self.given_pointer(word, objects).unwrap_or(Value::number(64, 1)),
                _ => Value::number(width, word),
            });
        }
        Some(arguments)
    }

    /// A pointer into what the call has given, or to something of the program's.
    fn given_pointer(&self, word: u64, objects: &[u64]) -> Option<Value> {
        let numbers: Vec<u64> = objects.iter().map(|address| self.number_of(*address)).collect();
        self.known(word, &numbers)
    }

    /// Gives a value to the bytes that had none, behind the pointers among the arguments.
    fn fill_in(&mut self, site: &CallSite, values: &[FirstValue]) -> Vec<Filled> {
        let mut filled = Vec::new();
        for (argument, arg) in site.args.iter().enumerate() {
            let [part] = arg.parts.as_slice() else { continue };
            if part.scalar != Scalar::Pointer || arg.by_value.is_some() {
                continue;
            }
            let word = self.get(arg.src);
            let Some(extent) = View(&self.memory).object(word).filter(|extent| extent.writable) else {
                continue;
            };
            let Some(skipped) = word.checked_sub(extent.address).filter(|skipped| *skipped < extent.size)
            else {
                continue;
            };
            for at in 0..(extent.size - skipped).min(MOST_FILLED) {
                let place = Place { at: extent.place.at + (skipped + at) as usize, ..extent.place };
                if self.memory.arenas[place.region].defined[place.at] == 0xff {
                    continue;
                }
                let listed = values.iter().find(|one| one.argument == argument && one.at == at);
                self.memory.fill((place.region, place.at), &[listed.map_or(0, |one| one.byte)]);
                filled.push(Filled { argument, at, place });
            }
        }
        filled
    }
}
