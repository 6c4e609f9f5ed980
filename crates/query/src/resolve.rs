//! Where nobody calls any more: does a condition hold for some input?

use crate::approximate::Toward;
use crate::conditions::group;
use crate::effect::Effect;
use crate::path;
use crate::shape::Spot;
use crate::state::{LARGEST, OWN, Role, WORD};
use crate::up::CallSite;
use crate::walk::{Analyst, BUDGET, Frame, Mode, Start, Stop, TOO_LARGE};
use hydrogen_graph::{VersionId, VersionSet};
use hydrogen_term::{Answer, Evaluator, Model, Op, Sort, Term};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers of a witness that are made small for the reader.
const MOST_SMALL: usize = 16;
/// Calls above the function that are followed.
const MOST_CALLERS: usize = 3;
/// Calls of one function that are followed.
const MOST_SITES: usize = 12;

/// A condition at the entry of a function that anyone may call.
#[derive(Clone)]
pub(crate) struct Arrival {
    pub term: Term,
    pub versions: VersionSet,
    /// The activations from the outermost to that of the fault, each with the run where it is left.
    pub frames: Vec<(Frame, Spot)>,
}

/// A witness in full: its condition and model, and the runs of each activation.
pub(crate) type Told = (Arrival, Model, Vec<(Frame, Vec<Spot>)>);

/// How a condition turned out in a version.
#[derive(Clone)]
pub(crate) enum Outcome {
    Refuted,
    Witness(Witness),
    Open(BTreeSet<String>),
}

#[derive(Clone)]
pub(crate) struct Witness {
    pub mode: Mode,
    pub arrival: Arrival,
    pub model: Model,
    pub assumed: BTreeSet<String>,
    /// Whether it needs memory that comes in to hold more than zeros: nobody knows whether it ever does.
    pub weak: bool,
    /// Whether a pointer that comes in must be null for it, and the outermost function does not ask for that.
    pub null_comes_in: bool,
}

/// A condition before a run, and the versions in which it is asked about.
#[derive(Clone)]
pub(crate) struct Beginning {
    pub spot: Spot,
    /// Whether the condition is behind the run instead.
    pub behind: bool,
    pub term: Term,
    pub versions: VersionSet,
}

impl Analyst<'_> {
    /// Whether the conditions can hold, in each of the versions.
    pub(crate) fn question(
        &mut self,
        frame: &Frame,
        beginnings: &[Beginning],
        versions: &VersionSet,
    ) -> BTreeMap<VersionId, Outcome> {
        self.begin();
        self.mode = Mode::Prove;
        let mut outcomes: BTreeMap<VersionId, Outcome> =
            versions.iter().map(|version| (version, Outcome::Refuted)).collect();
        self.ask(frame, beginnings, versions, &mut outcomes);
        let lost = std::mem::take(&mut self.lost);
        for (version, reasons) in lost {
            if let Some(outcome) = outcomes.get_mut(&version) {
                open(outcome, reasons);
            }
        }
        let undecided: Vec<VersionId> = outcomes
            .iter()
            .filter(|(_, outcome)| matches!(outcome, Outcome::Open(_)))
            .map(|(version, _)| *version)
            .collect();
        if undecided.is_empty() {
            return outcomes;
        }
        let rest =
            undecided.into_iter().fold(VersionSet::empty(), |all, one| all.union(&VersionSet::one(one)));
        self.mode = Mode::Find;
        self.assumed.clear();
        self.ask(frame, beginnings, &rest, &mut outcomes);
        // A search that was cut short is a reason of its own; that loops are followed a few rounds only is not.
        for (version, reasons) in std::mem::take(&mut self.lost) {
            let short = reasons.into_iter().filter(|why| why == BUDGET || why == TOO_LARGE);
            if let Some(outcome) = outcomes.get_mut(&version) {
                open(outcome, short);
            }
        }
        self.mode = Mode::Prove;
        outcomes
    }

    fn ask(
        &mut self,
        frame: &Frame,
        beginnings: &[Beginning],
        versions: &VersionSet,
        outcomes: &mut BTreeMap<VersionId, Outcome>,
    ) {
        for arrival in self.arrivals(frame, beginnings, versions) {
            let constraints = self.entry_axioms(arrival.term);
            match self.engine.check(&mut self.terms.pool, &constraints) {
                Answer::Unsat => {}
                Answer::Unknown(why) => {
                    for version in arrival.versions.iter() {
                        if let Some(outcome) = outcomes.get_mut(&version) {
                            open(outcome, [format!("no answer from the solver: {why}")]);
                        }
                    }
                }
                Answer::Sat(model) => {
                    let weak = self.is_weak(&constraints, arrival.term);
                    let null_comes_in = self.needs_null(&constraints, &arrival);
                    for ((exact, model), versions) in group(&arrival.versions, |version| {
                        let doubts = self.doubts(&arrival, version, &model);
                        self.surer(&arrival, version, (doubts, model.clone()))
                    }) {
                        for version in versions.iter() {
                            let Some(outcome) = outcomes.get_mut(&version) else { continue };
                            if !exact.is_empty() {
                                open(outcome, exact.iter().cloned());
                            } else if !matches!(outcome, Outcome::Witness(Witness { weak: found, .. }) if !*found || weak)
                            {
                                let assumed = self.assumed.get(&version).cloned().unwrap_or_default();
                                let (mode, arrival, model) = (self.mode, arrival.clone(), model.clone());
                                *outcome = Outcome::Witness(Witness {
                                    mode,
                                    arrival,
                                    model,
                                    assumed,
                                    weak,
                                    null_comes_in,
                                });
                            }
                        }
                    }
                }
            }
        }
    }

    /// The conditions at the entries of the outermost functions.
    fn arrivals(&mut self, frame: &Frame, beginnings: &[Beginning], versions: &VersionSet) -> Vec<Arrival> {
        let mut out = Vec::new();
        // One walk for all that begins in one place; several places are several witnesses.
        for beginning in beginnings {
            let versions = beginning.versions.intersection(versions);
            if versions.is_empty() {
                continue;
            }
            let start = match beginning.behind {
                true => Start::After(beginning.spot, beginning.term, versions),
                false => Start::Before(beginning.spot, beginning.term, versions),
            };
            self.rise(frame, start, beginning.spot, &[], &mut out);
        }
        out
    }

    fn rise(
        &mut self,
        frame: &Frame,
        start: Start,
        spot: Spot,
        inner: &[(Frame, Spot)],
        out: &mut Vec<Arrival>,
    ) {
        let mut frames = vec![(frame.clone(), spot)];
        frames.extend_from_slice(inner);
        for (term, versions) in self.walk(frame, vec![start], Stop::Entry).0 {
            let term = self.at_entry(frame, term);
            if self.is_refuted(term) {
                continue;
            }
            for (root, versions) in group(&versions, |version| self.is_root(frame.chain, version)) {
                if root {
                    out.push(Arrival { term, versions: versions.clone(), frames: frames.clone() });
                    // What only the validity of inputs excludes, the program's own callers may do all the same.
                    let constraints = self.entry_axioms(term);
                    if !self.engine.check(&mut self.terms.pool, &constraints).is_unsat() {
                        continue;
                    }
                }
                let sites = self.call_sites(frame, term, &versions);
                let recursive = inner.iter().any(|(other, _)| other.chain == frame.chain);
                if inner.len() >= MOST_CALLERS || sites.len() > MOST_SITES || recursive {
                    let name = self.program.graph.newest_name(frame.chain).to_owned();
                    self.lose(&versions, format!("the callers of {name}() are not all followed"));
                    continue;
                }
                for site in sites {
                    if site.frame.chain == frame.chain {
                        self.rest_on_outer_call(frame, term, site);
                        continue;
                    }
                    let start = Start::Before(site.spot, site.term, site.versions);
                    self.rise(&site.frame, start, site.spot, &frames, out);
                }
            }
        }
    }

    /// A function that calls itself: if its entry's condition can only hold in an inner call where it held in the outer one, then the
    /// outermost call, by another function, decides. Otherwise inner calls are not followed.
    fn rest_on_outer_call(&mut self, frame: &Frame, term: Term, site: CallSite) {
        let start = Start::Before(site.spot, site.term, site.versions);
        for (outer, versions) in self.walk(&site.frame, vec![start], Stop::Entry).0 {
            let outer = self.at_entry(&site.frame, outer);
            let mut renamed = Effect::default();
            for variable in self.terms.pool.variables(&[outer]) {
                let name = self.terms.pool.as_var(variable).unwrap_or_default();
                if let Some(own) = name.strip_prefix(&site.frame.prefix) {
                    let (name, sort) = (format!("{}{own}", frame.prefix), self.terms.pool.sort(variable));
                    renamed.put(variable, self.terms.pool.var(&name, sort));
                }
            }
            let outer = self.terms.before(outer, &renamed);
            let not_before = self.terms.pool.not(term);
            let new = self.terms.pool.and(outer, not_before);
            if !self.is_refuted(new) {
                let name = self.program.graph.newest_name(frame.chain).to_owned();
                self.lose(&versions, format!("{name}() calls itself, and its inner calls are not followed"));
            }
        }
    }

    /// What holds of every size and string.
    pub(crate) fn with_axioms(&mut self, term: Term) -> Vec<Term> {
        let mut all = vec![term];
        let most = self.terms.pool.bits(64, LARGEST);
        for one in self.terms.pool.postorder(&[term]) {
            if let Op::Apply(function) = self.terms.pool.op(one) {
                let name = self.terms.pool.function_name(function);
                if name == "size" || name.starts_with("strlen") {
                    all.push(self.terms.pool.ule(one, most));
                }
            }
        }
        all
    }

    /// What holds of inputs as well: they do not point to what was made later, and the addresses that come in are of live objects.
    fn entry_axioms(&mut self, term: Term) -> Vec<Term> {
        let mut all = self.with_axioms(term);
        let (border, zero) = (self.terms.pool.bits(64, OWN.into()), self.terms.word(0));
        for one in self.terms.pool.postorder(&[term]) {
            if let Op::Apply(function) = self.terms.pool.op(one) {
                match self.terms.role(function) {
                    // Nothing that comes in is freed; it is in the ledger of every witness.
                    Role::Freed => {
                        let live = self.terms.pool.not(one);
                        all.push(live);
                        continue;
                    }
                    Role::Whole(bytes) => {
                        let &[object, offset] = self.terms.pool.args(one) else { continue };
                        if self.comes_in(object) && self.terms.base_offset(object) == Some(offset) {
                            let (size, bytes) = (self.terms.size(object), self.terms.word(bytes));
                            let room = self.terms.pool.sub(size, offset);
                            let fits = self.terms.pool.ule(bytes, room);
                            all.push(self.terms.pool.implies(one, fits));
                        }
                        continue;
                    }
                    _ => {}
                }
            }
            if self.terms.pool.sort(one) != WORD || !self.comes_in(one) {
                continue;
            }
            let Some(offset) = self.terms.base_offset(one) else { continue };
            all.push(self.terms.pool.ult(one, border));
            let size = self.terms.size(one);
            let (null, inside) = (self.terms.pool.eq(one, zero), self.terms.pool.ule(offset, size));
            // Far from the largest size, so that no witness rests on that.
            let near = self.terms.pool.bits(64, LARGEST >> 8);
            all.push(self.terms.pool.ule(offset, near));
            let at_zero = self.terms.pool.eq(offset, zero);
            let not_null = self.terms.pool.not(null);
            let valid = self.terms.pool.or(inside, null);
            let plain = self.terms.pool.or(not_null, at_zero);
            all.push(valid);
            all.push(plain);
        }
        let most = self.terms.pool.bits(64, LARGEST);
        for one in self.terms.pool.postorder(&all) {
            if let Op::Apply(function) = self.terms.pool.op(one)
                && self.terms.pool.function_name(function) == "size"
            {
                all.push(self.terms.pool.ule(one, most));
            }
        }
        all
    }

    /// Whether a value was there before the function or is the outside world's. What a loop or a call leaves behind is not: it may well lead
    /// to the function's own objects, to freed ones, and out of bounds.
    fn comes_in(&self, term: Term) -> bool {
        let event = match self.terms.pool.op(term) {
            Op::Var(_) => self.terms.event_of_variable(term).map(|event| self.terms.event_by_number(event)),
            Op::Apply(function) => self.terms.event_of(function).map(|(_, event)| event),
            _ => None,
        };
        event.is_none_or(|event| event.input)
    }

    /// Whether a condition cannot hold while all numbers in memory that comes in are zero.
    fn is_weak(&mut self, constraints: &[Term], term: Term) -> bool {
        let mut constraints = constraints.to_vec();
        let before = constraints.len();
        for one in self.terms.pool.postorder(&[term]) {
            if let Op::Apply(function) = self.terms.pool.op(one)
                && let Role::Memory(_, crate::state::Part::Number) = self.terms.role(function)
            {
                let zero = self.terms.pool.bits(self.terms.pool.width(one), 0);
                constraints.push(self.terms.pool.eq(one, zero));
            }
        }
        constraints.len() > before && !self.engine.check(&mut self.terms.pool, &constraints).is_sat()
    }

    /// Whether a condition cannot hold while all pointers that come in lead somewhere, those aside that the function compares with null.
    fn needs_null(&mut self, constraints: &[Term], arrival: &Arrival) -> bool {
        let mut constraints = constraints.to_vec();
        let (before, zero) = (constraints.len(), self.terms.word(0));
        let asked = self.asked_for_null(arrival);
        for one in self.terms.pool.postorder(&[arrival.term]) {
            let name = self.terms.pool.as_var(one).and_then(|name| name.strip_suffix(".object"));
            let comes_in = match self.terms.pool.op(one) {
                Op::Var(_) => name.is_some_and(|name| !name.starts_with('?') && !asked.contains(name)),
                Op::Apply(function) => {
                    matches!(self.terms.role(function), Role::Memory(_, crate::state::Part::Object))
                }
                _ => false,
            };
            if comes_in {
                constraints.push(self.terms.pool.ne(one, zero));
            }
        }
        constraints.len() > before && !self.engine.check(&mut self.terms.pool, &constraints).is_sat()
    }

    /// The variables that the outermost function compares with null, as conditions name them.
    fn asked_for_null(&mut self, arrival: &Arrival) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let (Some((frame, _)), Some(version)) = (arrival.frames.first().cloned(), arrival.versions.first())
        else {
            return found;
        };
        let Some(shape) = self.shape(frame.chain, version) else { return found };
        for instruction in &shape.body().instructions {
            let hydrogen_ir::Op::IntCompare { left, right, .. } = &instruction.op else { continue };
            let null = |operand: &hydrogen_ir::Operand| {
                matches!(operand, hydrogen_ir::Operand::Const(id)
                    if matches!(shape.module.constant(*id), hydrogen_ir::Const::Zero(_)))
            };
            let (hydrogen_ir::Operand::Instruction(load), true) = (left, null(right)) else { continue };
            if let hydrogen_ir::Op::Load { pointer: hydrogen_ir::Operand::Instruction(slot), .. } =
                shape.op(*load)
                && let Some(name) = shape.plain.get(slot)
            {
                found.insert(format!("{}{name}", frame.prefix));
            }
        }
        found
    }

    /// Another model where the first leaves doubts: of the inputs for which the condition holds whatever the unknown values are. Without
    /// this, the solver's choice of a model would decide between present and unknown.
    fn surer(
        &mut self,
        arrival: &Arrival,
        version: VersionId,
        first: (Vec<String>, Model),
    ) -> (Vec<String>, Model) {
        if first.0.is_empty() {
            return first;
        }
        let strong = self.terms.approximate(arrival.term, Toward::Stronger);
        let constraints = self.entry_axioms(strong);
        let Answer::Sat(model) = self.engine.check(&mut self.terms.pool, &constraints) else { return first };
        match self.doubts(arrival, version, &model) {
            doubts if doubts.is_empty() => (doubts, model),
            _ => first,
        }
    }

    /// Why a model is no witness: it needs a value that is not an input. Empty if it is one.
    fn doubts(&mut self, arrival: &Arrival, version: VersionId, model: &Model) -> Vec<String> {
        let Some((frame, _)) = arrival.frames.first() else { return vec!["nothing is known".into()] };
        let frame = frame.clone();
        let (mut doubts, mut sure) = (BTreeSet::new(), Vec::new());
        for one in self.terms.pool.postorder(&[arrival.term]) {
            match self.doubt(&frame, version, one) {
                None => {}
                Some(Ok(())) => sure.push(one),
                Some(Err(why)) => drop(doubts.insert(why)),
            }
        }
        if doubts.is_empty() {
            return Vec::new();
        }
        // Whatever the doubtful values are: with these inputs the condition may hold all the same.
        let mut constraints = self.entry_axioms(arrival.term);
        constraints.remove(0);
        let denied = self.terms.pool.not(arrival.term);
        constraints.insert(0, denied);
        for one in sure {
            let value = match self.terms.pool.sort(one) {
                Sort::Bool => {
                    let holds = Evaluator::new(&self.terms.pool, model).holds(one);
                    self.terms.pool.bool(holds)
                }
                Sort::Bits(width) => {
                    let bits = Evaluator::new(&self.terms.pool, model).bits(one);
                    self.terms.pool.bits(width, bits)
                }
                Sort::Array { .. } => continue,
            };
            constraints.push(self.terms.pool.eq(one, value));
        }
        match self.engine.check(&mut self.terms.pool, &constraints) {
            Answer::Unsat => Vec::new(),
            _ => doubts.into_iter().collect(),
        }
    }

    /// Whether a part of a condition is an input (`Ok`), not understood (`Err`), or made of other parts.
    fn doubt(&mut self, frame: &Frame, version: VersionId, term: Term) -> Option<Result<(), String>> {
        match self.terms.pool.op(term) {
            Op::Var(_) => {
                let name = self.terms.pool.as_var(term).unwrap_or_default().to_owned();
                if let Some(event) = self.terms.event_of_variable(term) {
                    let event = self.terms.event_by_number(event);
                    return Some(if event.input { Ok(()) } else { Err(event.why.clone()) });
                }
                if name.starts_with('!')
                    || name.starts_with("rounds of the loop")
                    || name.starts_with("the statement's")
                {
                    return Some(Ok(()));
                }
                let stem =
                    name.strip_suffix(".object").or_else(|| name.strip_suffix(".offset")).unwrap_or(&name);
                let stem = stem.strip_prefix(&frame.prefix).unwrap_or(stem).to_owned();
                let shape = self.shape(frame.chain, version)?;
                let parameters = &shape.function().parameters;
                let known = parameters.iter().any(|parameter| parameter.name == stem)
                    || stem.starts_with("argument ");
                Some(if known { Ok(()) } else { Err(format!("a value is read before it is set: {stem}")) })
            }
            Op::Apply(function) => {
                if let Some((_, event)) = self.terms.event_of(function) {
                    return Some(if event.input { Ok(()) } else { Err(event.why.clone()) });
                }
                let object = *self.terms.pool.args(term).first()?;
                let own = self.terms.pool.as_bits(object).is_some_and(|number| number >= OWN.into());
                Some(match self.terms.role(function) {
                    Role::Memory(..) | Role::Length if self.terms.is_constant(object) => {
                        Err("the contents of a constant table are not followed".into())
                    }
                    Role::Memory(..) | Role::Length if own => {
                        Err("memory is read that was never written".into())
                    }
                    Role::Memory(..) | Role::Length => Ok(()),
                    Role::Size => Err("the size of a caller's object is not known".into()),
                    // Objects may lie anywhere; differences inside one object do not depend on it.
                    Role::Address | Role::Freed | Role::Whole(_) => Ok(()),
                    Role::Escaped | Role::Made if own => Ok(()),
                    Role::Escaped | Role::Made | Role::Fixed => Err("not followed".into()),
                })
            }
            _ => None,
        }
    }

    /// The witness's path in one version: asked again with choices, so that the model tells the way.
    pub(crate) fn path_of(
        &mut self,
        frame: &Frame,
        beginnings: &[Beginning],
        version: VersionId,
        witness: &Witness,
    ) -> Option<Told> {
        let (assumed, lost, visited) =
            (self.assumed.clone(), self.lost.clone(), (self.visited.clone(), self.seen_nodes()));
        self.mode = witness.mode;
        self.choices = true;
        let one = VersionSet::one(version);
        let mut found = None;
        let arrivals = self.arrivals(frame, beginnings, &one);
        'found: for rounds in 0..=self.budget.rounds {
            for arrival in &arrivals {
                if let Some(path) = self.path_within(arrival, version, rounds) {
                    found = Some(path);
                    break 'found;
                }
            }
        }
        self.choices = false;
        self.mode = Mode::Prove;
        (self.assumed, self.lost) = (assumed, lost);
        self.restore_visited(visited);
        found
    }
}

impl Analyst<'_> {
    /// A model with small numbers where they do as well.
    fn small(&mut self, mut constraints: Vec<Term>, term: Term, model: Model) -> Model {
        let mut best = model;
        let inputs = self.terms.pool.postorder(&[term]).into_iter().filter(|&one| {
            let input = match self.terms.pool.op(one) {
                Op::Var(_) => !self.terms.pool.as_var(one).is_some_and(|name| name.starts_with('!')),
                Op::Apply(function) => matches!(
                    self.terms.role(function),
                    Role::Length | Role::Memory(_, crate::state::Part::Number)
                ),
                _ => false,
            };
            input && matches!(self.terms.pool.sort(one), Sort::Bits(8..=64))
        });
        for one in inputs.take(MOST_SMALL).collect::<Vec<_>>() {
            let Sort::Bits(width) = self.terms.pool.sort(one) else { continue };
            let few = self.terms.pool.bits(width, 32);
            let bound = self.terms.pool.ule(one, few);
            constraints.push(bound);
            match self.engine.check(&mut self.terms.pool, &constraints) {
                Answer::Sat(model) => best = model,
                _ => drop(constraints.pop()),
            }
        }
        best
    }

    /// A path of at most so many rounds through the loops of each function, and the condition of that path alone.
    fn path_within(&mut self, arrival: &Arrival, version: VersionId, rounds: usize) -> Option<Told> {
        let mut constraints = self.entry_axioms(arrival.term);
        for (frame, _) in &arrival.frames {
            let most = self.terms.pool.bits(32, rounds as u128);
            let round = self.terms.pool.var(&path::round(frame), Sort::Bits(32));
            constraints.push(self.terms.pool.ule(round, most));
        }
        let Answer::Sat(model) = self.engine.check(&mut self.terms.pool, &constraints) else { return None };
        if !self.doubts(arrival, version, &model).is_empty() {
            return None;
        }
        let model = self.small(constraints, arrival.term, model);
        if !self.doubts(arrival, version, &model).is_empty() {
            return None;
        }
        let mut whole = Vec::new();
        for (frame, spot) in arrival.frames.clone() {
            let spots = self.read_path(&frame, version, spot, &model);
            whole.push((frame, spots));
        }
        let mut choices = crate::effect::Effect::default();
        for variable in self.terms.pool.variables(&[arrival.term]) {
            if self.terms.pool.as_var(variable).is_some_and(|name| name.starts_with('!')) {
                let value = Evaluator::new(&self.terms.pool, &model).bits(variable);
                let value = self.terms.pool.bits(32, value);
                choices.put(variable, value);
            }
        }
        let term = self.terms.before(arrival.term, &choices);
        Some((Arrival { term, ..arrival.clone() }, model, whole))
    }
}

fn open(outcome: &mut Outcome, reasons: impl IntoIterator<Item = String>) {
    match outcome {
        Outcome::Witness(_) => {}
        Outcome::Open(all) => all.extend(reasons),
        Outcome::Refuted => *outcome = Outcome::Open(reasons.into_iter().collect()),
    }
}
