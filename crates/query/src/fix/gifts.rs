//! What other functions give to a statement: members and global variables that it uses, and what its function is called with.

use crate::fix::cut::Cut;
use crate::fix::points::Point;
use crate::judge::Question;
use crate::meaning::eval::Eval;
use crate::meaning::program::Callee;
use crate::meaning::shape::Shape;
use crate::meaning::state::{Cell, Object, Role, Value};
use crate::run::Mode;
use crate::walk::{Analyst, Frame, Start, Stop};
use hydrogen_graph::{ChainId, Fix, VersionId, VersionSet};
use hydrogen_ir::layout::{plain, pointee};
use hydrogen_ir::{CType, CTypeId, Op as Code, VariableKind};
use hydrogen_term::{Op, Term};
use std::collections::{BTreeMap, BTreeSet};

/// How many calls a value is followed up from the statement's function.
const CALLS_UP: usize = 2;

/// Something that a statement uses and that other functions set.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gift {
    /// What a global variable holds at a place of it: the variable as conditions name it, the place, and what lies there.
    Global { object: Term, offset: Term, cell: Cell },
    /// What a member holds: the structure's tag, the member's place, and what lies there.
    Member { tag: String, at: u64, cell: Cell },
    /// What a function is called with: these parameters.
    Arguments { callee: ChainId, parameters: BTreeSet<usize> },
}

/// What is used, with what a reader calls it.
pub(crate) type Gifts = BTreeMap<Gift, String>;

impl Analyst<'_> {
    /// What the statement, the tests before it and the ways to it use of what comes into its function, before the fix; followed up to those
    /// callers that the fix did not change.
    pub(crate) fn gifts(&mut self, question: &Question<'_>, changed: &BTreeSet<ChainId>, fix: Fix) -> Gifts {
        let mut found = Gifts::new();
        let frame = Frame::of(self.subject.program.graph.chain(question.node));
        let mut points = self.points(&[question.node], fix.before, question.kind);
        if let Some(kind) = question.kind {
            points.extend(self.failures(&[question.node], fix.before, kind));
        }
        let mut terms = Vec::new();
        for point in points {
            terms.extend(self.reach(
                std::slice::from_ref(&point),
                fix.before,
                Cut::Entry(frame.chain),
                Mode::Find,
            ));
        }
        let all = self.terms.pool.or_all(terms);
        let mut open = vec![(frame, all)];
        for _ in 0..=CALLS_UP {
            let mut next = Vec::new();
            for (frame, term) in std::mem::take(&mut open) {
                let parameters = self.used_at(&frame, term, fix.before, &mut found);
                if parameters.is_empty() {
                    continue;
                }
                let name = self.subject.program.graph.name(frame.chain, fix.before).to_owned();
                found.insert(
                    Gift::Arguments { callee: frame.chain, parameters },
                    format!("what {name}() is given"),
                );
                let one = VersionSet::one(fix.before);
                for site in self.call_sites(&frame, term, &one) {
                    if changed.contains(&site.frame.chain) || site.frame.chain == frame.chain {
                        continue;
                    }
                    let start = Start::Before(site.spot, site.term, one.clone());
                    let above =
                        self.in_mode(Mode::Find, |one| one.walk(&site.frame, vec![start], Stop::Entry));
                    for (term, _) in above.0 {
                        let term = self.at_entry(&site.frame, term);
                        next.push((site.frame.clone(), term));
                    }
                }
            }
            open = next;
        }
        found
    }

    /// The cells and parameters that a condition at the entry of a function speaks of: cells go into `found`, parameters are the answer.
    fn used_at(
        &mut self,
        frame: &Frame,
        term: Term,
        version: VersionId,
        found: &mut Gifts,
    ) -> BTreeSet<usize> {
        let mut parameters = BTreeSet::new();
        let Some(shape) = self.shape(frame.chain, version) else { return parameters };
        for one in self.terms.pool.postorder(&[term]) {
            match self.terms.pool.op(one) {
                Op::Var(_) => {
                    let name = self.terms.pool.as_var(one).unwrap_or_default();
                    let name =
                        name.strip_suffix(".object").or_else(|| name.strip_suffix(".offset")).unwrap_or(name);
                    let own = name.strip_prefix(&frame.prefix);
                    let is = |parameter: &hydrogen_ir::Parameter| own == Some(parameter.name.as_str());
                    parameters.extend(shape.function().parameters.iter().position(is));
                }
                Op::Apply(function) => {
                    let Role::Memory(cell, _) = self.terms.role(function) else { continue };
                    let &[object, offset] = self.terms.pool.args(one) else { continue };
                    let name = self.name_of(frame, &shape, one);
                    let name = name
                        .map(|name| name.trim_end_matches(".object").trim_end_matches(".offset").to_owned());
                    match self.terms.known(object) {
                        Some(Object::Global { .. }) if self.terms.is_const(offset) => {
                            let name = name.unwrap_or_else(|| "a global variable".to_owned());
                            found.insert(Gift::Global { object, offset, cell }, name);
                        }
                        Some(_) => {}
                        None => {
                            if let Some(((tag, at), name)) = self.member(frame, &shape, one) {
                                let name = name.trim_end_matches(".offset").to_owned();
                                found.insert(Gift::Member { tag, at, cell }, name);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        parameters
    }

    /// The ends of a function with what it leaves there, or its calls with what it hands over. None if it has nothing to do with that.
    pub(crate) fn given_by(
        &mut self,
        giver: ChainId,
        gift: &Gift,
        version: VersionId,
    ) -> Option<Vec<(Frame, Point)>> {
        let shape = self.shape(giver, version)?;
        if !self.is_comparable(gift, version) {
            return None;
        }
        let frame = Frame::of(giver);
        let mut found = Vec::new();
        let key = || ("given".to_owned(), 0);
        for step in 0..shape.steps.len() {
            if shape.order[step] == usize::MAX {
                continue;
            }
            let spot = shape.steps[step].spot;
            let (values, behind) = match gift {
                Gift::Arguments { callee, parameters } => {
                    let Some(id) = shape.call(step) else { continue };
                    let Code::Call { callee: target, arguments, .. } = shape.op(id) else { continue };
                    if self.whom(&shape, target).map(|whom| whom.callee) != Some(Callee::Chain(*callee)) {
                        continue;
                    }
                    let mut eval = Eval::new(&mut self.terms, &shape, &frame.prefix, 0);
                    let given = parameters.iter().filter_map(|&at| arguments.get(at));
                    (given.map(|argument| eval.operand(argument)).collect(), false)
                }
                Gift::Global { object, offset, cell } => {
                    if shape.returned(step).is_none() {
                        continue;
                    }
                    (vec![self.terms.memory(*cell, *object, *offset, None)], true)
                }
                Gift::Member { tag, at, cell } => {
                    let Some(returned) = shape.returned(step) else { continue };
                    let (at, zero) = (self.terms.word(*at), self.terms.word(0));
                    let holders = self.holders(&shape, &frame, tag, returned);
                    for (n, (object, offset)) in holders.into_iter().enumerate() {
                        let offset = self.terms.pool.add(offset, at);
                        let held = self.terms.memory(*cell, object, offset, None);
                        let given = self.are_given(n, &[held]);
                        // Null holds nothing.
                        let there = self.terms.pool.ne(object, zero);
                        let operands = self.terms.pool.and(there, given);
                        found.push((frame.clone(), Point { key: key(), spot, operands, behind: true }));
                    }
                    continue;
                }
            };
            if !values.is_empty() {
                let operands = self.are_given(0, &values);
                found.push((frame.clone(), Point { key: key(), spot, operands, behind }));
            }
        }
        (!found.is_empty()).then_some(found)
    }

    /// Whether what is given means in a version what it means before the fix: another parameter may stand in the same place.
    pub(crate) fn is_comparable(&mut self, gift: &Gift, version: VersionId) -> bool {
        let Gift::Arguments { callee, parameters: places } = gift else { return true };
        let callee = *callee;
        let Some(fix) = self.asking.reference else { return true };
        let (Some(one), Some(other)) = (self.shape(callee, version), self.shape(callee, fix.before)) else {
            return false;
        };
        let name = |shape: &Shape, at: usize| {
            shape.function().parameters.get(at).map(|parameter| parameter.name.clone())
        };
        places.iter().all(|&at| name(&one, at) == name(&other, at))
    }

    /// The pointers to structures of a tag that a function is given and gives back.
    fn holders(
        &mut self,
        shape: &Shape,
        frame: &Frame,
        tag: &str,
        returned: Option<&hydrogen_ir::Operand>,
    ) -> Vec<(Term, Term)> {
        let module = &shape.module;
        let leads = |ctype: CTypeId| {
            let target = pointee(module, ctype).map(|target| module.ctype(plain(module, target)));
            matches!(target, Some(CType::Record { name: Some(name), .. }) if name == tag)
        };
        let mut places: Vec<u32> = shape
            .body()
            .variables
            .iter()
            .filter_map(|variable| match variable.kind {
                VariableKind::Parameter(number) if variable.ctype.is_some_and(leads) => Some(number),
                _ => None,
            })
            .collect();
        places.sort_unstable();
        places.dedup();
        let gives_back = match shape.function().ctype.map(|ctype| module.ctype(ctype)) {
            Some(CType::Function { result, .. }) => leads(*result),
            _ => false,
        };
        let mut eval = Eval::new(&mut self.terms, shape, &frame.prefix, 0);
        let mut values: Vec<Value> = places.into_iter().map(|number| eval.parameter(number)).collect();
        values.extend(returned.filter(|_| gives_back).map(|value| eval.operand(value)));
        let pointer = |value: Value| match value {
            Value::Pointer(object, offset) => Some((object, offset)),
            _ => None,
        };
        values.into_iter().filter_map(pointer).collect()
    }

    /// That what is given is what the comparison's own variables name. Of a pointer it counts whether it is null, how large its object is and
    /// where in it it leads: which object it is has no meaning in another version.
    fn are_given(&mut self, first: usize, values: &[Value]) -> Term {
        let mut all = self.terms.pool.bool(true);
        for (n, value) in values.iter().enumerate() {
            let parts = match *value {
                Value::Int(number) => vec![number],
                Value::Pointer(object, offset) => {
                    let (zero, size) = (self.terms.word(0), self.terms.size(object));
                    let null = self.terms.pool.eq(object, zero);
                    let flag = self.terms.pool.bool_to_bits(null, 1);
                    vec![flag, self.terms.pool.ite(null, zero, size), self.terms.pool.ite(null, zero, offset)]
                }
                Value::Opaque => continue,
            };
            for (part, term) in parts.into_iter().enumerate() {
                let name = format!("the statement's gift {} part {part}", first + n);
                let variable = self.terms.pool.var(&name, self.terms.pool.sort(term));
                let same = self.terms.pool.eq(variable, term);
                all = self.terms.pool.and(all, same);
            }
        }
        all
    }
}
