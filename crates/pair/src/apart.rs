//! Where two outcomes differ, as a term over the input (P-5).

use crate::run::Ran;
use bstr::BString;
use hydrogen_evidence::{Ending, Observable};
use hydrogen_explore::{Assignment, ByteTerms};
use hydrogen_machine::{Stranger, Stream};
use hydrogen_program::{Holder, Seen};
use hydrogen_term::{Evaluator, Pool, Term};
use std::collections::{BTreeMap, BTreeSet};

/// When the outcomes of two runs differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Apart {
    /// Of an input that fulfils all that is given: whether its two outcomes differ.
    pub differ: Term,
    /// By observable that is not the same for all of them: whether it differs.
    pub parts: Vec<(Observable, Term)>,
    /// What an input must fulfil for the term to speak about it: both runs go the way they went. Each condition once, in the
    /// order of the first run, then of the second.
    pub given: Vec<Term>,
    /// What the term says nothing about: values that only one of the versions has and that depend on the input, pointers of which it is
    /// not known where they lead, code behind pointers that is not the same, and what is too large.
    pub unclear: Vec<String>,
}

impl Apart {
    /// Compares two runs of one input by these observables; `None` where one was cut, so that its outcome is not known.
    pub fn of(pool: &mut Pool, one: &Ran, two: &Ran, observables: &[Observable]) -> Option<Self> {
        if !one.outcome.is_whole() || !two.outcome.is_whole() {
            return None;
        }
        let mut joint = Joint { pool, one, two, given: Vec::new(), unclear: Vec::new() };
        let path = one.seen.path.iter().chain(&two.seen.path).map(|conjunct| conjunct.term);
        joint.given.extend(path);
        let mut parts = Vec::new();
        for observable in observables {
            let differs = joint.observable(observable);
            if joint.pool.as_bool(differs) != Some(false) {
                parts.push((observable.clone(), differs));
            }
        }
        let Joint { given, unclear, .. } = joint;
        let mut known = BTreeSet::new();
        let given = given.into_iter().filter(|term| known.insert(*term)).collect();
        let differ = pool.or_all(parts.iter().map(|part| part.1).collect::<Vec<_>>());
        Some(Self { differ, parts, given, unclear })
    }
}

struct Joint<'a> {
    pool: &'a mut Pool,
    one: &'a Ran,
    two: &'a Ran,
    given: Vec<Term>,
    unclear: Vec<String>,
}

impl Joint<'_> {
    fn observable(&mut self, observable: &Observable) -> Term {
        let (one, two) = (self.one, self.two);
        match observable {
            Observable::Ending => self.ending(),
            Observable::FaultPlace => {
                let elsewhere = matches!(one.outcome.ending, Ending::Fault(..))
                    && one.outcome.ending != two.outcome.ending;
                let ending = self.ending();
                let elsewhere = self.pool.bool(elsewhere);
                self.pool.or(ending, elsewhere)
            }
            Observable::Stdout => self.stream(Stream::Stdout, &one.outcome.stdout, &two.outcome.stdout),
            Observable::Stderr => self.stream(Stream::Stderr, &one.outcome.stderr, &two.outcome.stderr),
            Observable::Files => {
                let names: BTreeSet<&BString> =
                    one.outcome.files.keys().chain(two.outcome.files.keys()).collect();
                let all: Vec<Term> = names.into_iter().map(|name| self.file(name)).collect();
                self.pool.or_all(all)
            }
            Observable::File(name) => self.file(name),
            Observable::Named => self.named(),
            Observable::Memory => self.memory(),
        }
    }

    fn ending(&mut self) -> Term {
        // Each of these faults is a condition of the path, so the lists are those of every input that is spoken about.
        if self.one.outcome.behind != self.two.outcome.behind {
            return self.pool.bool(true);
        }
        let (one, two) = (&self.one.outcome.ending, &self.two.outcome.ending);
        match (one, two) {
            (Ending::Exit(first), Ending::Exit(second)) => {
                let pool = &mut *self.pool;
                let mut status = |term: Option<Term>, status: i32| {
                    term.unwrap_or_else(|| pool.bits(8, u128::from(status as u8)))
                };
                let first = status(self.one.seen.status, *first);
                let second = status(self.two.seen.status, *second);
                self.pool.ne(first, second)
            }
            _ => self.pool.bool(one.kind() != two.kind()),
        }
    }

    fn stream(&mut self, stream: Stream, first: &[u8], second: &[u8]) -> Term {
        let terms = |ran: &Ran| ran.seen.logs.of(stream).collect::<ByteTerms>();
        let (one, two) = (terms(self.one), terms(self.two));
        self.bytes((first, &one), (second, &two))
    }

    fn file(&mut self, name: &BString) -> Term {
        let terms = |ran: &Ran| {
            let own = |stream: &Stream| {
                matches!(stream, Stream::Node(_)) && ran.seen.world.name_of(*stream) == *name
            };
            ran.seen
                .logs
                .streams()
                .filter(own)
                .flat_map(|stream| ran.seen.logs.of(stream))
                .collect::<ByteTerms>()
        };
        let (one, two) = (terms(self.one), terms(self.two));
        match (self.one.outcome.files.get(name), self.two.outcome.files.get(name)) {
            (Some(first), Some(second)) => self.bytes((first, &one), (second, &two)),
            (first, second) => self.pool.bool(first.is_some() != second.is_some()),
        }
    }

    fn bytes(&mut self, one: (&[u8], &ByteTerms), two: (&[u8], &ByteTerms)) -> Term {
        if one.0.len() != two.0.len() {
            return self.pool.bool(true);
        }
        let mut differ = Vec::new();
        for (at, (first, second)) in (0u64..).zip(one.0.iter().zip(two.0)) {
            let (first, second) = match (one.1.get(&at), two.1.get(&at)) {
                (None, None) if first == second => continue,
                (None, None) => return self.pool.bool(true),
                (a, b) => {
                    let mut byte = |term: Option<&Term>, value: u8| {
                        term.copied().unwrap_or_else(|| self.pool.bits(8, u128::from(value)))
                    };
                    (byte(a, *first), byte(b, *second))
                }
            };
            differ.push(self.pool.ne(first, second));
        }
        self.pool.or_all(differ)
    }

    fn named(&mut self) -> Term {
        let (one, two) = (values(self.one), values(self.two));
        if one.len() != two.len() || one.iter().zip(&two).any(|(a, b)| a.0 != b.0) {
            return self.pool.bool(true);
        }
        let mut differ = Vec::new();
        for ((_, first), (_, second)) in one.into_iter().zip(two) {
            let (first, second) =
                (self.pool.resize_unsigned(first, 64), self.pool.resize_unsigned(second, 64));
            differ.push(self.pool.ne(first, second));
        }
        self.pool.or_all(differ)
    }

    fn memory(&mut self) -> Term {
        let paths = |ran: &'_ Ran| ran.memory.iter().map(|seen| (seen.path.clone(), seen.clone())).collect();
        let (one, two): (BTreeMap<String, Seen>, BTreeMap<String, Seen>) = (paths(self.one), paths(self.two));
        let names: BTreeSet<&String> = one.keys().chain(two.keys()).collect();
        let mut differ = Vec::new();
        for name in names {
            let differs = match (one.get(name), two.get(name)) {
                (Some(first), Some(second)) => self.both(first, second),
                (Some(only), None) => self.alone(self.one, only, true),
                (None, Some(only)) => self.alone(self.two, only, false),
                (None, None) => continue,
            };
            differ.push(differs);
        }
        if [self.one, self.two].iter().any(|ran| ran.after.as_ref().is_some_and(|after| after.is_cut)) {
            self.unclear.push("more memory than is looked at".to_owned());
        }
        self.strangers();
        self.pool.or_all(differ)
    }

    /// What functions without a body are given is seen by whoever has them. Numbers among it were decided where they are given, so they are
    /// those of every input that is spoken about.
    fn strangers(&mut self) {
        let (one, two) = (self.one.seen.world.strangers(), self.two.seen.world.strangers());
        let same = |first: &Stranger, second: &Stranger| first == second && first.given.is_some();
        let common = one.iter().zip(two).take_while(|(first, second)| same(first, second)).count();
        if let Some(other) = one.get(common).or(two.get(common)) {
            self.unclear.push(format!("what {}() is given", other.name));
        }
    }

    /// A value that both versions have.
    fn both(&mut self, first: &Seen, second: &Seen) -> Term {
        let (a, b) = (self.value(self.one, first), self.value(self.two, second));
        let is_known = a.is_none() && b.is_none();
        // What neither changed is what it was before, whatever the versions begin with.
        if is_known && !first.changed && !second.changed {
            return self.pool.bool(false);
        }
        if first.is_undefined && first.room.is_some() {
            // Nobody could read it, whatever is there now.
            if !second.is_undefined {
                self.unclear.push(format!("{}, which had no value", first.path));
            }
            return self.pool.bool(false);
        }
        let told = |seen: &Seen| seen.is_pointer || seen.is_undefined || seen.bytes > 8;
        if !told(first) && !told(second) {
            return match is_known {
                true => self.pool.bool(first.text != second.text || first.changed != second.changed),
                false => self.unequal((first, a), (second, b)),
            };
        }
        if first.is_pointer || second.is_pointer {
            self.fix(self.one, a);
            self.fix(self.two, b);
            self.follow(first, second);
        } else if !is_known {
            self.unclear.push(first.path.clone());
        }
        self.pool.bool(first.text != second.text || first.changed != second.changed)
    }

    /// Where two pointers lead to the same name, but it is not known whether there is the same.
    fn follow(&mut self, first: &Seen, second: &Seen) {
        if first.text != second.text {
            return;
        }
        if first.leads_nowhere() {
            self.unclear.push(format!("where {} leads", first.path));
        } else if first.changed && second.changed && first.code != second.code {
            self.unclear.push(format!("what `{}` does, to which {} leads", first.text, first.path));
        }
    }

    /// What one version has and the other has not differs where the call changed it.
    fn alone(&mut self, ran: &Ran, seen: &Seen, is_first: bool) -> Term {
        if seen.room.is_some() {
            let is_missed = is_first && self.one.outcome.has_more(&self.two.outcome, &seen.path);
            if !is_missed {
                self.unclear.push(format!("{}, which only one version has", seen.path));
            }
            return self.pool.bool(is_missed);
        }
        if !seen.changed && self.value(ran, seen).is_some() {
            self.unclear.push(format!("{}, which only one version has", seen.path));
        }
        self.pool.bool(seen.changed)
    }

    fn unequal(&mut self, one: (&Seen, Option<Term>), two: (&Seen, Option<Term>)) -> Term {
        if let ((first, None), (second, None)) = (one, two) {
            return self.pool.bool(first.text != second.text);
        }
        let width = 8 * one.0.bytes.max(two.0.bytes) as u32;
        let mut term = |(seen, term): (&Seen, Option<Term>)| match term {
            Some(term) => self.pool.resize_unsigned(term, width),
            None => self.pool.bits(width, u128::from(seen.bits) & (u128::MAX >> (128 - width))),
        };
        let (first, second) = (term(one), term(two));
        self.pool.ne(first, second)
    }

    /// A value after the call as a term; `None` where it does not depend on the input.
    fn value(&mut self, ran: &Ran, seen: &Seen) -> Option<Term> {
        let left = ran.seen.left.as_ref()?;
        let terms = match &seen.holder {
            Holder::Result(word) => {
                let term = left.result.get(*word).copied().flatten()?;
                // A member of a structure can be a part of a word.
                let (low, width) = (8 * seen.at as u32, 8 * seen.bytes as u32);
                let word = self.pool.resize_unsigned(term, (low + width).max(self.pool.width(term)));
                return Some(self.pool.extract(word, low + width - 1, low));
            }
            Holder::Object(at) => left.objects.get(*at)?,
            Holder::Global(name) => left.globals.get(name)?,
        };
        let range = seen.at..seen.at + seen.bytes;
        terms.range(range.clone()).next()?;
        if seen.bytes > 8 {
            // It is not compared byte by byte: any term says that it depends on the input.
            return terms.range(range).next().map(|(_, term)| *term);
        }
        let mut value: Option<Term> = None;
        for at in range {
            let known = u128::from(seen.bits >> (8 * (at - seen.at).min(7)) & 0xff);
            let byte = terms.get(&at).copied().unwrap_or_else(|| self.pool.bits(8, known));
            value = Some(match value {
                Some(low) => self.pool.concat(byte, low),
                None => byte,
            });
        }
        value
    }

    /// A pointer that depends on the input is compared as it is in this run: then it is what it is there.
    fn fix(&mut self, ran: &Ran, value: Option<Term>) {
        let Some(term) = value else { return };
        let model = ran.input.model(self.pool, &self.pool.variables(&[term]));
        let now = Evaluator::new(self.pool, &model).bits(term);
        let width = self.pool.width(term);
        let now = self.pool.bits(width, now);
        let same = self.pool.eq(term, now);
        self.given.push(same);
    }
}

/// The named outputs of a run as terms. The result of a call is listed among them, but is memory.
fn values(ran: &Ran) -> Vec<(&str, Term)> {
    let own = ran.seen.outputs.iter().map(|output| (output.name.as_str(), output.value));
    let mut all: Vec<(&str, Term)> = own.collect();
    if all.len() > ran.outcome.named.len() {
        all.retain(|one| one.0 != "result" && !one.0.starts_with("result, word "));
    }
    all
}
