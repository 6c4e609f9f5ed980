//! Calls whose result is known as a term: while such a function of the C library runs, nothing in it is followed.

use crate::concolic::Concolic;
use crate::copies::Copied;
use crate::numerals::{MOST_FOR_INT, MOST_FOR_LONG, number_is_there};
use crate::strings::Searching;
use bstr::ByteSlice;
use hydrogen_machine::code::{CallSite, Instr, Reg};
use hydrogen_machine::{FuncId, MemoryEvent, Place, Step, View};
use hydrogen_term::Term;

/// A call that is not followed, because what comes of it is known.
#[derive(Debug)]
pub(crate) struct Summary {
    /// How many frames there are outside of the call.
    depth: usize,
    /// When it was called.
    pub(crate) instance: u64,
    /// What it gives; `None` if that does not depend on the input.
    result: Option<Term>,
    /// What it writes for its caller: address, bytes, and what.
    written: Vec<(u64, u64, Term)>,
    /// What it copies.
    copied: Vec<Copied>,
}

/// The functions that read a number, and how.
enum Reader {
    /// The number itself, of so many bits.
    Plain(u32),
    /// With the end of the text in the second argument and the base in the third.
    WithEnd,
    /// By a format in the second argument.
    Scan,
}

fn reader(name: &str) -> Option<Reader> {
    Some(match name {
        "atoi" => Reader::Plain(32),
        "atol" | "atoll" => Reader::Plain(64),
        "strtol" | "strtoll" | "strtoul" | "strtoull" => Reader::WithEnd,
        "sscanf" => Reader::Scan,
        _ => return None,
    })
}

/// How many bits a format reads a whole number of decimal digits into, if that is all it can do with the text of one.
fn scanned(format: &[u8]) -> Option<u32> {
    let conversion = format.trim_ascii_start().strip_prefix(b"%")?;
    let (bits, rest) = [(&b"ll"[..], 64), (b"l", 64), (b"", 32)]
        .into_iter()
        .find_map(|(length, bits)| conversion.strip_prefix(length).map(|rest| (bits, rest)))?;
    let rest = rest.strip_prefix(b"d").or_else(|| rest.strip_prefix(b"i"))?.trim_ascii_start();
    // Behind the number the text ends: what else is asked for is not there, except how far it went.
    let idle = ["", "%c", "%s", "%1s", "%*c", "%*s"].iter().any(|known| rest == known.as_bytes());
    idle.then_some(bits)
}

impl Concolic<'_> {
    /// Whether a call is one whose result is known. Then it begins here.
    pub(crate) fn summarise(&mut self, target: Option<FuncId>, call: &CallSite, step: &Step<'_>) -> bool {
        let library = target.filter(|function| !self.program.is_users(*function));
        let summary = library.and_then(|function| {
            let known = self.reads_number(function, call, step);
            let known = known.or_else(|| self.searches(function, call, step));
            let known = known.or_else(|| self.reads_numeral(function, call, step));
            known.or_else(|| self.copies_text(function, call, step))
        });
        let known = summary.is_some();
        self.summary = summary;
        known
    }

    /// A call that reads the text of a number as a whole.
    fn reads_number(&mut self, function: FuncId, call: &CallSite, step: &Step<'_>) -> Option<Summary> {
        if self.texts.is_empty() {
            return None;
        }
        let reader = reader(&self.program.function(function).name)?;
        let arguments = concrete(call, step, |reg| self.term(reg))?;
        let argument = |index: usize| arguments.get(index).copied();
        let text = self.text_at(argument(0)?)?;
        let number = self.texts[text].number;
        let width = self.pool.width(number);
        let mut summary = self.new_summary();
        match reader {
            Reader::Plain(bits) if width <= bits => summary.result = Some(self.pool.sext(number, bits)),
            Reader::WithEnd => {
                let (end, base) = (argument(1)?, argument(2)?);
                if !matches!(base as u32, 0 | 10) {
                    return None;
                }
                summary.result = Some(self.pool.sext(number, 64));
                if end != 0 {
                    summary.written.push((end, 8, self.end_of(text)));
                }
            }
            Reader::Scan => {
                let (format, to) = (argument(1)?, argument(2)?);
                let bits = scanned(&string(step.view, format)?)?;
                if width > bits {
                    return None;
                }
                summary.written.push((to, u64::from(bits) / 8, self.pool.sext(number, bits)));
            }
            Reader::Plain(_) => return None,
        }
        Some(summary)
    }

    /// A call that searches or compares bytes which depend on the input.
    fn searches(&mut self, function: FuncId, call: &CallSite, step: &Step<'_>) -> Option<Summary> {
        if !self.summaries || self.bytes.is_empty() {
            return None;
        }
        let function = Searching::named(&self.program.function(function).name)?;
        let values = call.args.iter().map(|arg| (self.term(arg.src), step.registers[arg.src as usize]));
        let arguments: Vec<(Option<Term>, u64)> = values.collect();
        let mut summary = self.new_summary();
        summary.result = Some(self.search(function, &arguments, step.view)?);
        Some(summary)
    }

    /// A call that reads a number from characters which depend on the input.
    fn reads_numeral(&mut self, function: FuncId, call: &CallSite, step: &Step<'_>) -> Option<Summary> {
        if !self.summaries || self.bytes.is_empty() {
            return None;
        }
        let reader = reader(&self.program.function(function).name)?;
        let arguments = concrete(call, step, |reg| self.term(reg))?;
        let begin = *arguments.first()?;
        let chars = self.chars(begin, step.view)?;
        let mut summary = self.new_summary();
        match (reader, arguments.as_slice()) {
            (Reader::Plain(bits), _) => {
                let most = if bits == 32 { MOST_FOR_INT } else { MOST_FOR_LONG };
                summary.result = Some(self.numeral(&chars, bits, most)?.value);
            }
            (Reader::WithEnd, [_, end, base]) if *base as u32 == 10 => {
                let numeral = self.numeral(&chars, 64, MOST_FOR_LONG)?;
                // Without a number the library says so in `errno`.
                let there = number_is_there(&chars);
                let branch = if there { numeral.is_there } else { self.pool.not(numeral.is_there) };
                self.require_choice(branch);
                summary.result = Some(numeral.value);
                if *end != 0 && there {
                    let begin = self.pool.bits(64, u128::from(begin));
                    summary.written.push((*end, 8, self.pool.add(begin, numeral.end)));
                }
            }
            _ => return None,
        }
        Some(summary)
    }

    /// A call that copies a text up to a length, one of which depends on the input.
    fn copies_text(&mut self, function: FuncId, call: &CallSite, step: &Step<'_>) -> Option<Summary> {
        if !self.summaries || self.program.function(function).name != "strncpy" {
            return None;
        }
        let argument = |index: usize| {
            call.args.get(index).map(|arg| (self.term(arg.src), step.registers[arg.src as usize]))
        };
        let ((None, to), (None, from), length) = (argument(0)?, argument(1)?, argument(2)?) else {
            return None;
        };
        let copied = self.text_copied(to, from, length, step.view)?;
        Some(Summary { copied, ..self.new_summary() })
    }

    fn new_summary(&self) -> Summary {
        Summary {
            depth: self.frames.len(),
            instance: self.instance,
            result: None,
            written: Vec::new(),
            copied: Vec::new(),
        }
    }

    /// Memory is touched inside of a call that is not followed.
    pub(crate) fn memory_in_summary(&mut self, address: u64, event: MemoryEvent) {
        self.look_at_texts(event, true);
        match event {
            MemoryEvent::Load(place, len) | MemoryEvent::Output(place, len, _) => {
                self.touch(place, len, false)
            }
            MemoryEvent::Store(place, len) => {
                self.touch(place, len, true);
                self.be_written(place, len);
                let known = self.summary.as_ref().and_then(|summary| {
                    summary.written.iter().find(|one| (one.0, one.1) == (address, len)).map(|one| one.2)
                });
                self.bytes.store(&mut self.pool, place, len, known);
            }
            MemoryEvent::Copy(to, from, len) => {
                self.touch(from, len, false);
                self.touch(to, len, true);
                self.be_written(to, len);
                self.bytes.forget(to, len);
            }
            MemoryEvent::Set(place, len) => {
                self.touch(place, len, true);
                self.be_written(place, len);
                self.bytes.forget(place, len);
            }
            MemoryEvent::Fresh(place, len)
            | MemoryEvent::Argument(place, len, _)
            | MemoryEvent::Input(place, len, ..) => {
                self.be_written(place, len);
                self.bytes.forget(place, len);
            }
            MemoryEvent::Given(..) => {}
        }
    }

    /// An instruction inside of a call that is not followed.
    pub(crate) fn step_in_summary(&mut self, step: &Step<'_>) {
        let Some(summary) = &self.summary else { return };
        if let (Some(audit), Some(result), Instr::Return { src, .. }) =
            (&mut self.audit, summary.result, step.instr)
            && self.frames.len() == summary.depth + 1
        {
            audit.insert((result, u128::from(step.registers[*src as usize])));
        }
    }

    /// A frame was left: if it was that of the call, what the call gives.
    pub(crate) fn leave_summary(&mut self) -> Option<Option<Term>> {
        let ends = self.summary.as_ref().is_some_and(|summary| self.frames.len() <= summary.depth);
        let summary = self.summary.take_if(|_| ends)?;
        self.lay_down(&summary.copied);
        Some(summary.result)
    }
}

/// The values of all arguments, if none of them depends on the input.
fn concrete(call: &CallSite, step: &Step<'_>, term: impl Fn(Reg) -> Option<Term>) -> Option<Vec<u64>> {
    let value = |reg: Reg| term(reg).is_none().then(|| step.registers[reg as usize]);
    call.args.iter().map(|arg| value(arg.src)).collect()
}

/// The text at an address, without its zero; `None` if there is no end in its object, or if it is very long.
fn string(view: View<'_>, address: u64) -> Option<Vec<u8>> {
    const LONGEST: u64 = 256;
    let object = view.object(address)?;
    let skip = address.checked_sub(object.address)?;
    let rest = object.size.checked_sub(skip)?.min(LONGEST);
    let bytes = view.bytes(Place { at: object.place.at + skip as usize, ..object.place }, rest);
    let end = bytes.find_byte(0)?;
    Some(bytes[..end].to_vec())
}

#[cfg(test)]
mod tests {
    use super::scanned;

    #[test]
    fn formats_that_read_one_number() {
        for (format, bits) in
            [("%d", 32), (" %d", 32), ("%ld", 64), ("%lld", 64), ("%i", 32), ("%d%c", 32), ("%d %s", 32)]
        {
            assert_eq!(scanned(format.as_bytes()), Some(bits), "{format}");
        }
        for format in ["", "%", "d", "%s", "%2d", "%d%n", "%x", "x%d", "%hd", "%*d", "%d,%d"] {
            assert_eq!(scanned(format.as_bytes()), None, "{format}");
        }
    }
}
