//! Where symbolic bytes come from, and where they go.

use crate::concolic::Concolic;
use crate::input::{STDIN_LENGTH, Source};
use crate::path::Kind;
use bstr::{BStr, ByteSlice};
use hydrogen_machine::{Place, Stream, World};
use hydrogen_term::{Sort, Term};
use std::collections::BTreeMap;

impl Concolic<'_> {
    /// Bytes of a source come into memory; the first `symbolic` of the source are variables.
    pub(crate) fn input(&mut self, place: Place, len: u64, source: Source<'_>, first: u64, symbolic: u64) {
        if first == 0
            && len == symbolic
            && let Some(number) = source.number(&mut self.pool, len)
        {
            return self.bytes.store(&mut self.pool, place, len, Some(number));
        }
        for byte in 0..len {
            let at = first + byte;
            let changes = at < symbolic && (source != Source::Stdin || self.symbolic.stdin_changes(at));
            let term = changes.then(|| source.byte(&mut self.pool, at));
            self.bytes.set(place, byte, term);
            if let Some(term) = term {
                self.require_domain(term);
            }
        }
    }

    /// A variable has one of the values that the user allows.
    pub(crate) fn require_domain(&mut self, variable: Term) {
        if let Some(domain) = self.symbolic.domain(&mut self.pool, variable) {
            self.require(domain, Kind::Assumed);
        }
    }

    /// How much of an input of symbolic length there is at an offset.
    pub(crate) fn input_length(&mut self, offset: u64, wanted: u64, got: u64) {
        let most = self.symbolic.stdin as u64;
        let length = self.pool.var(STDIN_LENGTH, Sort::Bits(64));
        let limit = self.pool.bits(64, u128::from(most));
        let bounded = self.pool.ule(length, limit);
        self.require(bounded, Kind::Assumed);
        // A chain from the longest: the program sees one length, and the others are the other sides.
        let full = (offset + wanted).min(most);
        let mut reaches = most;
        while reaches > offset {
            if reaches <= full {
                let border = self.pool.bits(64, u128::from(reaches));
                let there = self.pool.uge(length, border);
                if offset + got >= reaches {
                    return self.require(there, Kind::Branch);
                }
                let not = self.pool.not(there);
                self.require(not, Kind::Branch);
            }
            reaches -= 1;
        }
    }

    /// The symbolic bytes of a file.
    pub(crate) fn file(&mut self, stream: Stream, world: &World) -> &mut BTreeMap<u64, Term> {
        let (files, pool, symbolic) = (&mut self.files, &mut self.pool, self.symbolic);
        files.entry(stream).or_insert_with(|| {
            let path = world.name_of(stream);
            let plain = |name: &BStr| name.trim_start_with(|c| c == '/' || c == '.').to_vec();
            let known =
                symbolic.files.iter().find(|(name, _)| plain(name.as_bstr()) == plain(path.as_bstr()));
            let Some((name, len)) = known else { return BTreeMap::new() };
            let source = Source::File(name.as_bstr());
            (0..*len as u64).map(|at| (at, source.byte(pool, at))).collect()
        })
    }

    pub(crate) fn come_in(&mut self, place: Place, len: u64) {
        let Some((stream, offset)) = self.stream else { return self.bytes.forget(place, len) };
        if stream == Stream::Stdin {
            return self.input(place, len, Source::Stdin, offset, self.symbolic.stdin as u64);
        }
        self.bytes.forget(place, len);
        let known = self.files.get(&stream).into_iter().flat_map(|file| file.range(offset..offset + len));
        for (at, term) in known {
            self.bytes.set(place, at - offset, Some(*term));
        }
    }

    pub(crate) fn go_out(&mut self, place: Place, len: u64) {
        let Some((stream, offset)) = self.stream else { return };
        for byte in 0..len {
            let term = self.bytes.get(place, byte);
            self.logs.set(stream, offset + byte, term);
            if let (Stream::Node(_), Some(file)) = (stream, self.files.get_mut(&stream)) {
                match term {
                    Some(term) => file.insert(offset + byte, term),
                    None => file.remove(&(offset + byte)),
                };
            }
        }
    }
}
