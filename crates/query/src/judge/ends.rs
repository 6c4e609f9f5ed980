//! Refutations that rest on the end of a text that comes in: what is handed over with its length need not have one, nor need what the program
//! itself leaves in its variables.

use crate::judge::resolve::Arrival;
use crate::meaning::state::{Object, Role};
use crate::meaning::texts::Whose;
use crate::walk::Analyst;
use hydrogen_evidence::Entry;
use hydrogen_ir::layout::{parameter_type, plain, pointee};
use hydrogen_ir::{CType, CTypeId, Encoding, Function, Module};
use hydrogen_term::{Op, Term};
use std::collections::BTreeSet;

/// What a refutation rests on.
pub(crate) enum Rests {
    /// Not on the end of a text.
    Not,
    /// On the end of texts that come in.
    OnEnds,
    /// On the end of one whose length comes in beside it, or of one of the program's own that need not have one.
    OnOpen(Entry),
}

impl Analyst<'_> {
    /// What a refutation of an arrival, by these constraints, rests on.
    pub(crate) fn rests_on_ends(&mut self, arrival: &Arrival, constraints: &[Term]) -> Rests {
        let mut ends: Vec<(Term, Term)> = Vec::new();
        for one in self.terms.pool.postorder(&[arrival.term]) {
            let Op::Apply(function) = self.terms.pool.op(one) else { continue };
            let (role, object) = (self.terms.role(function), self.terms.pool.args(one).first().copied());
            let Some(object) = object else { continue };
            // What unseen code leaves in objects of the program's own comes in like what it passes.
            let unseen = self.terms.is_length(one) && self.terms.whose(object) != Whose::Outside;
            if role == Role::Length || unseen {
                ends.extend(self.terms.ended(one, true).map(|ended| (object, ended)));
            }
        }
        if ends.is_empty() || self.holds_without(constraints, &ends) {
            return Rests::Not;
        }
        if let Some(why) = self.own_open(arrival, constraints, &ends) {
            return Rests::OnOpen(why);
        }
        for name in self.counted_texts(arrival) {
            let variable = format!("{name}.object");
            let of_it = |(object, _): &&(Term, Term)| self.terms.pool.as_var(*object) == Some(&variable);
            let of_it: Vec<(Term, Term)> = ends.iter().filter(of_it).copied().collect();
            if !of_it.is_empty() && !self.holds_without(constraints, &of_it) {
                let name = name.rsplit(['/', ':']).next().unwrap_or(&name).to_owned();
                return Rests::OnOpen(Entry::MayNotEnd { name });
            }
        }
        Rests::OnEnds
    }

    /// What may leave a text of the program's own without an end that a refutation rests on; none if it rests on none.
    fn own_open(&mut self, arrival: &Arrival, constraints: &[Term], ends: &[(Term, Term)]) -> Option<Entry> {
        let own = self.own_texts(arrival.versions.first()?);
        let mut open = Vec::new();
        let mut why = None;
        for (object, ended) in ends {
            if let Some(Object::Global { name, .. }) = self.terms.known(*object)
                && let Some(Some(opened)) = own.get(name)
            {
                open.push((*object, *ended));
                why.get_or_insert_with(|| opened.clone());
            }
        }
        why.filter(|_| !self.holds_without(constraints, &open))
    }

    /// Whether constraints exclude each other without these ends.
    fn holds_without(&mut self, constraints: &[Term], ends: &[(Term, Term)]) -> bool {
        let without: BTreeSet<Term> = ends.iter().map(|(_, ended)| *ended).collect();
        let rest: Vec<Term> = constraints.iter().copied().filter(|one| !without.contains(one)).collect();
        self.engine.check(&mut self.terms.pool, &rest).is_unsat()
    }

    /// The counted texts that the outermost function gets, as conditions name them.
    fn counted_texts(&mut self, arrival: &Arrival) -> Vec<String> {
        let (Some((frame, _)), Some(version)) = (arrival.frames.first().cloned(), arrival.versions.first())
        else {
            return Vec::new();
        };
        let Some(shape) = self.shape(frame.chain, version) else { return Vec::new() };
        let (module, function) = (&shape.module, shape.function());
        counted(module, function).map(|name| format!("{}{name}", frame.prefix)).collect()
    }
}

/// The parameters of a function that point to characters with their number, or their end, right behind them.
pub(super) fn counted<'m>(module: &'m Module, function: &'m Function) -> impl Iterator<Item = &'m str> {
    let names = function.parameters.iter().map(|parameter| parameter.name.as_str()).enumerate();
    let counted = names.filter(move |(at, _)| {
        let types = parameter_type(module, function, *at).zip(parameter_type(module, function, at + 1));
        types.is_some_and(|(text, next)| {
            is_text(module, text) && says_how_long(module, function, at + 1, next)
        })
    });
    counted.map(|(_, name)| name)
}

fn is_text(module: &Module, ctype: CTypeId) -> bool {
    let target = pointee(module, ctype).map(|target| module.ctype(plain(module, target)));
    matches!(target, Some(CType::Basic { size_bits: 8, .. } | CType::Void))
}

/// Whether a parameter is the number of the characters before it, or their end: by its type and its name.
fn says_how_long(module: &Module, function: &Function, at: usize, ctype: CTypeId) -> bool {
    let Some(parameter) = function.parameters.get(at) else { return false };
    let name = parameter.name.to_ascii_lowercase();
    let is_called = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    match module.ctype(plain(module, ctype)) {
        CType::Basic { encoding: Encoding::Unsigned, size_bits: 64, .. } => true,
        CType::Basic { encoding: Encoding::Signed | Encoding::Unsigned, size_bits: 32 | 64, .. } => {
            name == "n" || is_called(&["len", "length", "size", "sz", "count", "cnt", "bytes", "num", "max"])
        }
        CType::Pointer(_) => is_text(module, ctype) && is_called(&["end", "limit", "last"]),
        _ => false,
    }
}
