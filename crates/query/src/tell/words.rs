//! Conditions and models in the words of the program.

use crate::meaning::shape::Shape;
use crate::meaning::state::Role;
use crate::walk::{Analyst, Frame};
use hydrogen_graph::{NodeId, VersionId};
use hydrogen_ir::{CType, CTypeId, Encoding, Module};
use hydrogen_term::{Evaluator, Limits, Model, Op, Sort, Substitution, Term};
use std::collections::BTreeSet;

/// So many parts of a condition are looked at, one by one.
const MOST_PARTS: usize = 160;
/// What a look at one part may cost, in the solver's units, and all of them together.
const LITTLE: u64 = 50_000;
const ALL: u64 = 2_000_000;

impl Analyst<'_> {
    /// A condition over the inputs of a function, and what a model gives the inputs that occur in it.
    pub(crate) fn in_words(
        &mut self,
        frame: &Frame,
        version: VersionId,
        term: Term,
        model: &Model,
    ) -> (String, Vec<(String, String)>) {
        let Some(shape) = self.shape(frame.chain, version) else {
            return (self.terms.pool.to_c(term), Vec::new());
        };
        let known = self.known_of_arguments(frame, version, term);
        let term = self.shortest(term, &known);
        let mut names = Substitution::default();
        let mut values: Vec<(String, String)> = Vec::new();
        let mut unsigned = BTreeSet::new();
        let mut taken: BTreeSet<String> = BTreeSet::new();
        for one in self.terms.pool.postorder(&[term]) {
            if let Some(shown) = self.compared_with_letter(frame, &shape, one) {
                let variable = self.terms.pool.var(&shown, Sort::Bool);
                names.insert(one, variable);
                continue;
            }
            let Some(mut name) = self.name_of(frame, &shape, one) else { continue };
            // Two things under one name would be one thing, and a condition that asks for both of its values never holds.
            while !taken.insert(name.clone()) {
                name.push_str(" again");
            }
            let sort = self.terms.pool.sort(one);
            let value = match sort {
                Sort::Bool => Evaluator::new(&self.terms.pool, model).holds(one).to_string(),
                Sort::Bits(width) => {
                    let bits = Evaluator::new(&self.terms.pool, model).bits(one);
                    let ctype = self.type_of(frame, &shape, one);
                    let ctype = ctype.map(|ctype| shape.module.ctype(plain(&shape.module, ctype)));
                    if matches!(ctype, Some(CType::Basic { encoding: Encoding::Unsigned, .. })) {
                        unsigned.insert(name.clone());
                    }
                    written(bits, width, ctype)
                }
                Sort::Array { .. } => continue,
            };
            if let Some(pointer) = name.strip_suffix(".object") {
                let is_null = value == "0";
                values.push((
                    pointer.to_owned(),
                    if is_null { "NULL".into() } else { "a valid address".into() },
                ));
            } else if !name.ends_with(".offset") {
                values.push((name.clone(), value));
            }
            let shown = name.strip_suffix(".object").unwrap_or(&name).to_owned();
            let variable = self.terms.pool.var(&shown, sort);
            names.insert(one, variable);
        }
        values.sort();
        values.dedup();
        let shown = self.terms.pool.substitute(term, &names);
        let shown = self.without_repetition(shown);
        let mut of_unsigned = self.terms.pool.variables(&[shown]);
        of_unsigned.retain(|&one| self.terms.pool.as_var(one).is_some_and(|name| unsigned.contains(name)));
        (self.terms.pool.to_c_where(shown, &of_unsigned.into_iter().collect()), values)
    }

    /// A comparison of a character with a letter, as people write it.
    fn compared_with_letter(&mut self, frame: &Frame, shape: &Shape, term: Term) -> Option<String> {
        let (term, sign) = match (self.terms.pool.op(term), self.terms.pool.args(term)) {
            (Op::Not, &[inner]) => (inner, "!="),
            _ => (term, "=="),
        };
        let (Op::Eq, &[left, right]) = (self.terms.pool.op(term), self.terms.pool.args(term)) else {
            return None;
        };
        let (input, bits) = match (self.terms.pool.as_bits(left), self.terms.pool.as_bits(right)) {
            (None, Some(bits)) => (left, bits),
            (Some(bits), None) => (right, bits),
            _ => return None,
        };
        let ctype = self.type_of(frame, shape, input)?;
        let ctype = shape.module.ctype(plain(&shape.module, ctype));
        let letter = written(bits, 8, Some(ctype));
        letter.starts_with('\'').then_some(())?;
        Some(format!("{} {sign} {letter}", self.name_of(frame, shape, input)?))
    }

    /// The type of a number that comes in.
    fn type_of(&mut self, frame: &Frame, shape: &Shape, term: Term) -> Option<CTypeId> {
        match self.terms.pool.op(term) {
            Op::Var(_) => {
                let name = self.terms.pool.as_var(term)?;
                let name = name.strip_prefix(&frame.prefix).unwrap_or(name);
                shape.body().variables.iter().find(|variable| variable.name == name)?.ctype
            }
            Op::Apply(function) if matches!(self.terms.role(function), Role::Memory(..)) => {
                let &[object, offset] = self.terms.pool.args(term) else { return None };
                self.place_of(frame, shape, object, offset)?.1
            }
            _ => None,
        }
    }

    /// A condition without parts that follow from the others, from what holds of all sizes and strings, and from what is known besides; that
    /// the objects that come in are whole is taken for granted by everybody.
    fn shortest(&mut self, term: Term, known: &[Term]) -> Term {
        let mut whole = Substitution::default();
        for one in self.terms.pool.postorder(&[term]) {
            if let Op::Apply(function) = self.terms.pool.op(one)
                && let Role::Whole(_) = self.terms.role(function)
            {
                whole.insert(one, self.terms.pool.bool(true));
            }
        }
        let term = self.terms.pool.substitute(term, &whole);
        let mut parts = self.terms.pool.conjuncts(term);
        let begun = self.engine.counters().work;
        let limits = self.engine.limits();
        self.engine.set_limits(Limits { work: limits.work.min(LITTLE), ..limits });
        let mut at = 0;
        while at < parts.len().min(MOST_PARTS) && parts.len() > 1 {
            if self.engine.counters().work - begun > ALL {
                break;
            }
            let part = parts.remove(at);
            let denied = self.terms.pool.not(part);
            let rest = parts.iter().chain(known).copied().chain([denied]);
            let rest = self.terms.pool.and_all(rest);
            if !self.is_refuted(rest) {
                parts.insert(at, part);
                at += 1;
            }
        }
        self.engine.set_limits(limits);
        self.terms.pool.and_all(parts)
    }

    /// A conjunction whose parts are not said again inside other parts.
    fn without_repetition(&mut self, term: Term) -> Term {
        let mut parts = self.terms.pool.conjuncts(term);
        for _ in 0..2 {
            for at in 0..parts.len() {
                let mut known = Substitution::default();
                for (other, &part) in parts.iter().enumerate().filter(|(other, _)| *other != at) {
                    // Of two equal parts the second goes.
                    if part == parts[at] && other > at {
                        continue;
                    }
                    let (yes, no) = (self.terms.pool.bool(true), self.terms.pool.bool(false));
                    match (self.terms.pool.op(part), self.terms.pool.args(part)) {
                        (Op::Not, &[inner]) => drop(known.insert(inner, no)),
                        (Op::And | Op::Or, _) => {}
                        _ => drop(known.insert(part, yes)),
                    }
                }
                parts[at] = self.terms.pool.substitute(parts[at], &known);
            }
        }
        self.terms.pool.and_all(parts)
    }

    /// The name of an input: a parameter, what a parameter leads to, what the outside world said.
    pub(crate) fn name_of(&mut self, frame: &Frame, shape: &Shape, term: Term) -> Option<String> {
        match self.terms.pool.op(term) {
            Op::Var(_) => {
                let name = self.terms.pool.as_var(term)?;
                if name.starts_with('!') {
                    return None;
                }
                if let Some(event) = self.terms.event_of_variable(term) {
                    // Whether a call fails has a name; what else it gives is called by its cause.
                    let line = self.terms.place_of_event(event).and_then(|place| self.line_of(shape, place));
                    return Some(match (self.terms.pool.sort(term), line) {
                        (Sort::Bool, line) => {
                            let what = name.rsplit('?').next().unwrap_or(name);
                            line.map_or(format!("({what})"), |line| format!("({what} in line {line})"))
                        }
                        _ => format!("({})", self.terms.event_by_number(event).why),
                    });
                }
                if let Some(place) = name.strip_prefix(crate::walk::rounds::ROUNDS) {
                    return Some(self.rounds_in_words(shape, place));
                }
                Some(name.strip_prefix(&frame.prefix).unwrap_or(name).to_owned())
            }
            Op::Apply(function) => {
                let args = self.terms.pool.args(term).to_vec();
                let &[object, ref rest @ ..] = &args[..] else { return None };
                let there = rest.first().and_then(|&offset| self.place_of(frame, shape, object, offset));
                match self.terms.role(function) {
                    Role::Memory(_, part) => {
                        let (name, _) = there?;
                        Some(match part {
                            crate::meaning::state::Part::Number => name,
                            crate::meaning::state::Part::Object => format!("{name}.object"),
                            crate::meaning::state::Part::Offset => format!("{name}.offset"),
                        })
                    }
                    Role::Length => {
                        let text = match self.own_name(object) {
                            Some(name) => match rest.first().and_then(|&at| self.terms.pool.as_bits(at)) {
                                Some(0) => name,
                                Some(at) => format!("{name} + {at}"),
                                None => return None,
                            },
                            None => {
                                let (name, _) = self.pointer_name(frame, shape, object)?;
                                let base = self.terms.base_offset(object);
                                // An array inside of what the pointer leads to, and not its beginning.
                                match there {
                                    Some((inside, _)) if rest.first().copied() != base => {
                                        inside.strip_suffix("[0]").map_or(format!("&{inside}"), str::to_owned)
                                    }
                                    _ => name,
                                }
                            }
                        };
                        Some(format!("strlen({text})"))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// How often a loop is gone through, by the line of the loop.
    fn rounds_in_words(&self, shape: &Shape, place: &str) -> String {
        match self.line_of(shape, place) {
            Some(line) => format!("(rounds of the loop in line {line})"),
            None => "(rounds of a loop)".to_owned(),
        }
    }

    /// The line of a place in a version.
    fn line_of(&self, shape: &Shape, place: &str) -> Option<u32> {
        let node = place.rsplit('/').next()?.split('.').next()?.parse().ok()?;
        self.subject.program.graph.line(NodeId(node), shape.version)
    }

    /// The expression for what lies at an address, and its type.
    fn place_of(
        &mut self,
        frame: &Frame,
        shape: &Shape,
        object: Term,
        offset: Term,
    ) -> Option<(String, Option<CTypeId>)> {
        if let Some(crate::meaning::state::Object::Global { name, .. }) = self.terms.known(object) {
            let name = name.rsplit(':').next().unwrap_or(name).to_owned();
            let global = shape.module.globals.iter().find(|global| global.name == name);
            let at = u64::try_from(self.terms.pool.as_bits(offset)?).ok()?;
            return member(&shape.module, global.and_then(|global| global.ctype), at, &name, ".");
        }
        if let Some(name) = self.own_name(object) {
            let variable = shape.body().variables.iter().find(|variable| variable.name == name);
            let at = u64::try_from(self.terms.pool.as_bits(offset)?).ok()?;
            return match variable.and_then(|variable| variable.ctype) {
                ctype @ Some(_) => member(&shape.module, ctype, at, &name, "."),
                None => (at == 0).then_some((name, None)),
            };
        }
        let (name, ctype) = self.pointer_name(frame, shape, object)?;
        let base = self.terms.base_offset(object);
        let at = match base {
            Some(base) if base == offset => 0,
            Some(base) => self.distance(offset, base)?,
            None => return None,
        };
        let target = ctype.and_then(|ctype| pointee(&shape.module, ctype));
        match target.and_then(|target| member(&shape.module, Some(target), at, &name, "->")) {
            Some(found) => Some(found),
            None => {
                // What lies before the address has a negative distance.
                let at = at.cast_signed();
                let size = target.and_then(|target| size_of(&shape.module, target)?.try_into().ok());
                let text = match (at, size.filter(|&size: &i64| size > 0 && at % size == 0)) {
                    (0, _) => format!("*{name}"),
                    (_, Some(size)) => format!("{name}[{}]", at / size),
                    (..0, None) => format!("*({name} - {} bytes)", at.unsigned_abs()),
                    (_, None) => format!("*({name} + {at} bytes)"),
                };
                Some((text, target))
            }
        }
    }

    /// The name of a variable of the analysed functions.
    fn own_name(&self, object: Term) -> Option<String> {
        let Some(crate::meaning::state::Object::Stack { name, .. }) = self.terms.known(object) else {
            return None;
        };
        Some(name.rsplit(':').next().unwrap_or(name).to_owned())
    }

    /// The constant distance of two offsets that differ by one.
    pub(crate) fn distance(&self, offset: Term, base: Term) -> Option<u64> {
        let pool = &self.terms.pool;
        match (pool.op(offset), pool.args(offset)) {
            (Op::Add, args) if args.contains(&base) && args.len() == 2 => {
                let other = *args.iter().find(|&&one| one != base)?;
                u64::try_from(pool.as_bits(other)?).ok()
            }
            _ => None,
        }
    }

    /// The expression for a pointer, and its type.
    pub(crate) fn pointer_name(
        &mut self,
        frame: &Frame,
        shape: &Shape,
        object: Term,
    ) -> Option<(String, Option<CTypeId>)> {
        let pool = &self.terms.pool;
        match pool.op(object) {
            Op::Var(_) => {
                let name = pool.as_var(object)?.strip_suffix(".object")?;
                let name = name.strip_prefix(&frame.prefix).unwrap_or(name);
                let variable = shape.body().variables.iter().find(|variable| variable.name == name);
                Some((name.to_owned(), variable.and_then(|variable| variable.ctype)))
            }
            Op::Apply(function) if matches!(self.terms.role(function), Role::Memory(..)) => {
                let &[inner, offset] = self.terms.pool.args(object) else { return None };
                self.place_of(frame, shape, inner, offset)
            }
            _ => None,
        }
    }
}

/// A number as its type says: what is unsigned is not negative, and a character is one.
fn written(bits: u128, width: u32, ctype: Option<&CType>) -> String {
    let letter = u8::try_from(bits).ok().filter(|byte| byte.is_ascii_graphic() || *byte == b' ');
    match (ctype, letter) {
        (Some(CType::Basic { name, size_bits: 8, .. }), Some(letter)) if name == "char" => {
            format!("'{}'", char::from(letter).escape_default())
        }
        (Some(CType::Basic { encoding: Encoding::Unsigned, .. }), _) => bits.to_string(),
        _ => number(bits, width),
    }
}

/// A number as people write it.
fn number(bits: u128, width: u32) -> String {
    let negative = width > 1 && bits >> (width - 1) & 1 == 1;
    if negative {
        let below = (1u128 << (width - 1)).wrapping_mul(2).wrapping_sub(bits);
        let below = if width == 128 { bits.wrapping_neg() } else { below };
        return format!("-{below}");
    }
    bits.to_string()
}

fn plain(module: &Module, mut ctype: CTypeId) -> CTypeId {
    for _ in 0..16 {
        match module.ctype(ctype) {
            CType::Typedef { target, .. } | CType::Qualified { target, .. } => ctype = *target,
            _ => break,
        }
    }
    ctype
}

fn pointee(module: &Module, ctype: CTypeId) -> Option<CTypeId> {
    match module.ctype(plain(module, ctype)) {
        CType::Pointer(target) => Some(*target),
        _ => None,
    }
}

/// The member of a type at an offset.
fn member(
    module: &Module,
    ctype: Option<CTypeId>,
    at: u64,
    name: &str,
    by: &str,
) -> Option<(String, Option<CTypeId>)> {
    let ctype = plain(module, ctype?);
    match module.ctype(ctype) {
        CType::Record { members, .. } => {
            let holds = |member: &&hydrogen_ir::Member| {
                let first = member.offset_bits / 8;
                (first..(first + (member.size_bits / 8).max(1))).contains(&at)
            };
            let member_of = members.iter().find(holds)?;
            let inner = at - member_of.offset_bits / 8;
            member(module, Some(member_of.ty), inner, &format!("{name}{by}{}", member_of.name), ".")
        }
        CType::Array { element, .. } if by == "." => {
            let size = size_of(module, *element)?;
            member(module, Some(*element), at % size, &format!("{name}[{}]", at / size), ".")
        }
        _ if at == 0 => Some((if by == "->" { format!("*{name}") } else { name.to_owned() }, Some(ctype))),
        _ => None,
    }
}

fn size_of(module: &Module, ctype: CTypeId) -> Option<u64> {
    match module.ctype(plain(module, ctype)) {
        CType::Basic { size_bits, .. } | CType::Record { size_bits, .. } | CType::Enum { size_bits, .. } => {
            Some((size_bits / 8).max(1))
        }
        CType::Pointer(_) => Some(8),
        CType::Array { element, lengths } => {
            lengths.iter().try_fold(size_of(module, *element)?, |size, length| Some(size * (*length)?))
        }
        _ => None,
    }
}
