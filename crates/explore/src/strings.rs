//! Functions of the C library on texts and memory, as terms of the bytes instead of paths through their loops (B-2).
//!
//! The terms say what musl's own code computes; `tests/it/strings.rs` compares the two on all short texts. Where a byte that might be
//! looked at is not there, or was never written, a condition says that the function stops before it.

use crate::concolic::Concolic;
use crate::path::Kind;
use hydrogen_machine::{Place, View, is_near};
use hydrogen_term::Term;

/// Texts are looked at so far; of longer ones the function's own code is followed.
const MOST: u64 = 256;

/// The functions there are terms for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Searching {
    Strlen,
    Strcmp,
    Strncmp,
    Memcmp,
    Strchr,
    Memchr,
}

impl Searching {
    pub(crate) fn named(name: &str) -> Option<Searching> {
        Some(match name {
            "strlen" => Searching::Strlen,
            "strcmp" => Searching::Strcmp,
            "strncmp" => Searching::Strncmp,
            "memcmp" | "bcmp" => Searching::Memcmp,
            "strchr" => Searching::Strchr,
            "memchr" => Searching::Memchr,
            _ => return None,
        })
    }
}

/// Bytes of one object, from an address on.
pub(crate) struct Chars<'v> {
    view: View<'v>,
    pub(crate) place: Place,
    /// So many bytes.
    pub(crate) rest: u64,
}

impl Chars<'_> {
    /// The bytes as they are in this run.
    pub(crate) fn now(&self) -> &[u8] {
        self.view.bytes(self.place, self.rest)
    }

    /// The place of one of them.
    pub(crate) fn place_of(&self, at: u64) -> Place {
        Place { at: self.place.at + at as usize, ..self.place }
    }
}

/// One step of a search: what it gives if it stops there.
struct Stop {
    when: Term,
    gives: Term,
}

impl Concolic<'_> {
    /// What a function gives for arguments that are known but for the bytes they point to, and for a character that is looked for. `None`
    /// if it does not depend on the input, or is better followed step by step.
    pub(crate) fn search(
        &mut self,
        function: Searching,
        arguments: &[(Option<Term>, u64)],
        view: View<'_>,
    ) -> Option<Term> {
        let value = |index: usize| match arguments.get(index) {
            Some((None, value)) => Some(*value),
            _ => None,
        };
        let first = value(0)?;
        let counted = match function {
            Searching::Strncmp | Searching::Memcmp | Searching::Memchr => value(2)?,
            _ => u64::MAX,
        };
        let chars = self.chars(first, view)?;
        let wanted = match function {
            Searching::Strchr | Searching::Memchr => {
                let (term, value) = *arguments.get(1)?;
                Some(match term {
                    Some(term) => self.pool.resize_unsigned(term, 8),
                    None => self.pool.bits(8, u128::from(value as u8)),
                })
            }
            _ => None,
        };
        let other = match function {
            Searching::Strcmp | Searching::Strncmp | Searching::Memcmp => Some(self.chars(value(1)?, view)?),
            _ => None,
        };
        let zero = self.pool.bits(8, 0);
        let mut stops: Vec<Stop> = Vec::new();
        let mut symbolic = false;
        let mut at = 0;
        // What it gives when it comes to the end of what is counted; `None`: it must stop before.
        let last = loop {
            if at == counted {
                break Some(self.pool.bits(if other.is_some() { 32 } else { 64 }, 0));
            }
            if at == MOST {
                return None;
            }
            let Some(byte) = self.char_at(&chars, at) else { break None };
            symbolic |= self.pool.as_bits(byte).is_none();
            let ends = self.pool.eq(byte, zero);
            let mut here: Vec<(Term, Term)> = Vec::new();
            match (&other, wanted) {
                (Some(other), _) => {
                    let Some(beside) = self.char_at(other, at) else { break None };
                    symbolic |= self.pool.as_bits(beside).is_none();
                    let same = self.pool.eq(byte, beside);
                    let (a, b) = (self.pool.zext(byte, 32), self.pool.zext(beside, 32));
                    here.push((self.pool.not(same), self.pool.sub(a, b)));
                    if function != Searching::Memcmp {
                        here.push((ends, self.pool.bits(32, 0)));
                    }
                }
                (None, Some(wanted)) => {
                    symbolic |= self.pool.as_bits(wanted).is_none();
                    let hit = self.pool.eq(byte, wanted);
                    here.push((hit, self.pool.bits(64, u128::from(first + at))));
                    if function == Searching::Strchr {
                        here.push((ends, self.pool.bits(64, 0)));
                    }
                }
                (None, None) => here.push((ends, self.pool.bits(64, u128::from(at)))),
            }
            let mut certain = None;
            for (when, gives) in here {
                match self.pool.as_bool(when) {
                    Some(false) => {}
                    Some(true) => {
                        certain = Some(gives);
                        break;
                    }
                    None => stops.push(Stop { when, gives }),
                }
            }
            if certain.is_some() {
                break certain;
            }
            at += 1;
        };
        if !symbolic || stops.is_empty() {
            return None;
        }
        let mut result = match last {
            Some(last) => last,
            None => {
                let somewhere = self.pool.or_all(stops.iter().map(|stop| stop.when).collect::<Vec<_>>());
                self.require(somewhere, Kind::NoFault);
                stops.pop()?.gives
            }
        };
        for stop in stops.iter().rev() {
            result = self.pool.ite(stop.when, stop.gives, result);
        }
        Some(result)
    }

    /// The bytes at an address. Memory that came in with a call has its own rules, and so has the text of a number.
    pub(crate) fn chars<'v>(&self, address: u64, view: View<'v>) -> Option<Chars<'v>> {
        let object = view.object(address)?;
        let skip = address.checked_sub(object.address).filter(|skip| *skip <= object.size)?;
        let place = Place { at: object.place.at + skip as usize, ..object.place };
        let rest = object.size - skip;
        let special =
            self.came_in(address) || self.texts.iter().any(|text| is_near(text.address, text.len, address));
        (!special).then_some(Chars { view, place, rest })
    }

    /// One of the bytes, if it is there and was written.
    pub(crate) fn char_at(&mut self, chars: &Chars<'_>, at: u64) -> Option<Term> {
        if at >= chars.rest {
            return None;
        }
        let place = chars.place_of(at);
        let unsure = self.unsure.contains_key(&place);
        self.be_sure(place, 1);
        if let Some(term) = self.bytes.get(place, 0).filter(|_| !unsure || chars.view.is_defined(place)) {
            return Some(term);
        }
        let byte = chars.view.bytes(place, 1).first().copied().filter(|_| chars.view.is_defined(place))?;
        Some(self.pool.bits(8, u128::from(byte)))
    }
}
