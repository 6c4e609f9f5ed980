//! Arguments that are numbers: one symbol each, whose text follows from it.
//!
//! The text lies in memory as it is in this run. Who reads its number as a whole (`atoi`, `strtol`, `sscanf`) gets the symbol. Who looks
//! at its first character learns the sign, and who looks at more learns how many digits there are: these are choices like branches.

use crate::concolic::Concolic;
use crate::digits::{digit, first_digit, has_digits, length, negative};
use crate::input::number_variable;
use hydrogen_machine::{MemoryEvent, Place};
use hydrogen_term::Term;

/// The text of a number among the arguments.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text {
    pub(crate) address: u64,
    pub(crate) place: Place,
    /// Its characters in this run; a zero follows.
    pub(crate) len: u64,
    pub(crate) number: Term,
    minus: bool,
    /// Whether the program has not written into it.
    pub(crate) whole: bool,
    /// The address behind the last character as a term, once somebody asked for it.
    pub(crate) end: Option<Term>,
}

impl Text {
    fn meets(&self, place: Place, len: u64) -> bool {
        let (begin, end) = (self.place.at, self.place.at + self.len as usize + 1);
        self.place.region == place.region && place.at < end && begin < place.at + len as usize
    }
}

impl Concolic<'_> {
    /// The text of a number is laid down for the program.
    pub(crate) fn give_number(&mut self, address: u64, place: Place, len: u64, index: usize, bits: u32) {
        let number = number_variable(&mut self.pool, index, bits);
        let minus = len > 0 && self.first_number(index).is_some_and(|number| number < 0);
        let digits = len as usize - usize::from(minus);
        for at in 0..digits {
            let byte = at + usize::from(minus);
            let term = match byte {
                0 => first_digit(&mut self.pool, number),
                _ => digit(&mut self.pool, number, digits - 1 - at),
            };
            self.bytes.set(place, byte as u64, Some(term));
        }
        let text = Text { address, place, len, number, minus, whole: true, end: None };
        self.texts.push(text);
        self.require_domain(number);
    }

    /// Memory is about to be touched: if that is the text of a number, what is learnt of it. `summed` says that the number is read as a
    /// whole, so that nothing is.
    pub(crate) fn look_at_texts(&mut self, event: MemoryEvent, summed: bool) {
        if self.texts.is_empty() {
            return;
        }
        match event {
            MemoryEvent::Load(place, len) | MemoryEvent::Output(place, len, _) => {
                self.look(place, len, false, summed)
            }
            MemoryEvent::Store(place, len)
            | MemoryEvent::Set(place, len)
            | MemoryEvent::Input(place, len, ..) => {
                self.look(place, len, true, summed);
            }
            MemoryEvent::Copy(to, from, len) => {
                self.look(from, len, false, summed);
                self.look(to, len, true, summed);
            }
            _ => {}
        }
    }

    fn look(&mut self, place: Place, len: u64, write: bool, summed: bool) {
        let Some(index) = self.texts.iter().position(|text| text.meets(place, len)) else { return };
        let text = self.texts[index];
        self.texts[index].whole &= !write;
        if let (Some((pointer, _)), Some(end)) = (self.pointer, text.end)
            && pointer == end
            && !write
        {
            // Behind the last character there is a zero, wherever that is.
            self.pointer = None;
            return;
        }
        if summed {
            return;
        }
        let below = negative(&mut self.pool, text.number);
        let sign = if text.minus { below } else { self.pool.not(below) };
        self.require_choice(sign);
        let only_first = place.at == text.place.at && len == 1 && self.pointer.is_none() && !write;
        if !only_first {
            let digits = text.len as usize - usize::from(text.minus);
            for condition in has_digits(&mut self.pool, text.number, digits) {
                self.require_choice(condition);
            }
        }
    }

    /// The text of a number that is unchanged and begins at an address.
    pub(crate) fn text_at(&self, address: u64) -> Option<usize> {
        self.texts.iter().position(|text| text.address == address && text.whole)
    }

    /// The address behind the last character of a text, as a term.
    pub(crate) fn end_of(&mut self, index: usize) -> Term {
        let text = self.texts[index];
        if let Some(end) = text.end {
            return end;
        }
        let begin = self.pool.bits(64, u128::from(text.address));
        let length = length(&mut self.pool, text.number);
        let end = self.pool.add(begin, length);
        self.texts[index].end = Some(end);
        end
    }
}
