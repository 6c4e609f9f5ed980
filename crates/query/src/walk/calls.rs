//! Conditions and calls: contracts, entering, skipping.

use crate::judge::open_texts::leaves_open;
use crate::meaning::conditions::{Conditions, group};
use crate::meaning::effect::{Effect, Write};
use crate::meaning::eval::{Eval, cell_of};
use crate::meaning::program::Callee;
use crate::meaning::shape::{Shape, Spot, StepId};
use crate::meaning::state::{Role, Value};
use crate::run::Mode;
use crate::walk::mods::Mods;
use crate::walk::whom::Whom;
use crate::walk::{Analyst, Frame, Start, Stop};
use hydrogen_evidence::Entry;
use hydrogen_evidence::ledger::{self, Taken};
use hydrogen_graph::{ChainId, VersionId, VersionSet};
use hydrogen_ir::{InstructionId, IntrinsicName, Op, Operand, intrinsic_of};
use hydrogen_term::{Op as TermOp, Term};

/// What is done about a call.
#[derive(Clone, PartialEq)]
enum Plan {
    /// It has a known effect.
    Effect(Effect),
    /// The function is walked through, and leaves any bytes in these objects.
    Enter { chain: ChainId, result: Value, arguments: Vec<(Value, Value)>, bytewise: Effect },
}

impl Analyst<'_> {
    /// The conditions before a call, from the one behind it.
    pub(crate) fn before_call(
        &mut self,
        frame: &Frame,
        spot: Spot,
        round: usize,
        term: Term,
        versions: VersionSet,
    ) -> Conditions {
        let mut out = Conditions::default();
        for (plan, versions) in group(&versions, |version| self.plan(frame, spot, round, term, version)) {
            match plan {
                None => {}
                Some(Plan::Effect(effect)) => {
                    let before = self.terms.before(term, &effect);
                    out.add(&mut self.terms.pool, before, &versions);
                }
                Some(Plan::Enter { chain, result, arguments, bytewise }) => {
                    let term = self.terms.before(term, &bytewise);
                    for (before, versions) in self
                        .through_function(frame, spot, round, chain, result, &arguments, term, &versions)
                        .0
                    {
                        out.add(&mut self.terms.pool, before, &versions);
                    }
                }
            }
        }
        out
    }

    fn plan(
        &mut self,
        frame: &Frame,
        spot: Spot,
        round: usize,
        term: Term,
        version: VersionId,
    ) -> Option<Plan> {
        let (shape, step) = self.step(frame, spot, version)?;
        let id = shape.call(step)?;
        let Op::Call { callee, arguments, .. } = shape.op(id) else { return None };
        let place = Self::place(frame, spot, round);
        let one = VersionSet::one(version);
        let Some(Whom { name, callee, .. }) = self.whom_trusted(&shape, callee) else {
            let taken = self.taken();
            self.assume(&one, Entry::ThroughPointer { taken });
            if self.terms.shared.is_some() {
                return Some(Plan::Effect(self.same_call(&shape, frame, id, &place)));
            }
            return Some(Plan::Effect(self.unknown_call(
                &shape,
                frame,
                id,
                ledger::Callee::Pointer,
                &place,
                true,
            )));
        };
        if let Some(effect) = self.computed(&shape, frame, id, &name, arguments) {
            return Some(Plan::Effect(effect));
        }
        match callee {
            Callee::Chain(chain) => {
                let target = Eval::new(&mut self.terms, &shape, &frame.prefix, 0).register(id);
                let asks = match target {
                    Value::Int(result) => self.terms.pool.variables(&[term]).contains(&result),
                    Value::Pointer(object, offset) => {
                        let used = self.terms.pool.variables(&[term]);
                        used.contains(&object) || used.contains(&offset)
                    }
                    Value::Opaque => false,
                };
                let mods = self.mods_of(chain, version);
                let bytewise = self.leaves_bytes(&shape, frame, chain, arguments, &place);
                let everything = Mods { any: true, ..Mods::default() };
                let given = !bytewise.writes.is_empty() && self.matters(term, &everything)
                    || self.gives_own_object(&shape, frame, arguments, term)
                    || self.terms.asks_for_memory(term) && mods.writes();
                if mods.stuck {
                    let never = self.terms.pool.bool(false);
                    return Some(Plan::Effect(Effect { guard: Some(never), ..Effect::default() }));
                }
                if !asks && !given && !self.matters(term, &mods) {
                    // What ends the program can be a check that guards all that follows.
                    if !mods.stops || frame.depth > 0 {
                        if mods.stops {
                            self.assume(&one, Entry::TakenToReturn { function: name });
                        }
                        return Some(Plan::Effect(Effect::default()));
                    }
                }
                if frame.depth >= self.budget.depth {
                    if self.asking.mode == Mode::Find {
                        self.assume(&one, Entry::TooDeep { function: name.clone() });
                    }
                    let callee = ledger::Callee::Named(name);
                    let mut effect = self.unknown_call(&shape, frame, id, callee, &place, true);
                    // Whether it keeps what it is given could be seen, deeper down: nobody may rely on that.
                    effect.writes.retain(|write| !matches!(write, Write::Escape { .. }));
                    return Some(Plan::Effect(effect));
                }
                Some(self.entered(&shape, frame, round, id, chain, arguments, bytewise))
            }
            Callee::Unclear => Some(Plan::Effect(self.unknown_call(
                &shape,
                frame,
                id,
                ledger::Callee::Named(name),
                &place,
                true,
            ))),
            Callee::External => match self.subject.library.contract(&name).cloned() {
                Some(contract) => {
                    let callee = ledger::Callee::Named(name.clone());
                    // Texts that it leaves need not end.
                    let why = match leaves_open(&contract) {
                        true => Entry::Written { callee },
                        false => Entry::LeftBehind { callee },
                    };
                    let event = self.terms.event(why, false, &place);
                    let mut eval = Eval::new(&mut self.terms, &shape, &frame.prefix, event);
                    eval.contract(id, &contract, arguments, &name, &place);
                    let mut effect = eval.effect;
                    self.terms.note_writes(&mut effect);
                    Some(Plan::Effect(effect))
                }
                None => {
                    let taken = self.taken();
                    self.assume(&one, Entry::BodyMissing { function: name.clone(), taken });
                    let clobbers = self.asking.mode == Mode::Prove;
                    let left = Entry::LeftBehind { callee: ledger::Callee::Named(name.clone()) };
                    let left = self.terms.event(left, false, &place);
                    self.terms.unseen.insert(left);
                    if self.terms.shared.is_some() {
                        return Some(Plan::Effect(self.same_call(&shape, frame, id, &place)));
                    }
                    Some(Plan::Effect(self.unknown_call(
                        &shape,
                        frame,
                        id,
                        ledger::Callee::Named(name),
                        &place,
                        clobbers,
                    )))
                }
            },
        }
    }

    /// The effect of one of the compiler's own functions that only computes.
    fn computed(
        &mut self,
        shape: &Shape,
        frame: &Frame,
        id: InstructionId,
        name: &str,
        arguments: &[Operand],
    ) -> Option<Effect> {
        let IntrinsicName::Does(which) = intrinsic_of(name) else { return None };
        let mut eval = Eval::new(&mut self.terms, shape, &frame.prefix, 0);
        let value = eval.intrinsic(which, arguments)?;
        eval.define(id, value);
        Some(eval.effect)
    }

    /// How calls are taken that are not seen inside.
    fn taken(&self) -> Taken {
        match self.asking.mode {
            Mode::Prove => Taken::Anything,
            Mode::Find => Taken::NoEffect,
        }
    }

    /// Whether a condition reads an object of the function's own whose address the call is given.
    fn gives_own_object(&mut self, shape: &Shape, frame: &Frame, arguments: &[Operand], term: Term) -> bool {
        let mut given = Vec::new();
        for argument in arguments {
            if let Value::Pointer(object, _) =
                Eval::new(&mut self.terms, shape, &frame.prefix, 0).operand(argument)
                && self.terms.known(object).is_some()
            {
                given.push(object);
            }
        }
        let pool = &self.terms.pool;
        !given.is_empty()
            && pool.postorder(&[term]).into_iter().any(|one| {
                matches!(pool.op(one), hydrogen_term::Op::Apply(_))
                    && pool.args(one).first().is_some_and(|object| given.contains(object))
            })
    }

    /// The effect of code that is not known.
    fn unknown_call(
        &mut self,
        shape: &Shape,
        frame: &Frame,
        id: InstructionId,
        callee: ledger::Callee,
        place: &str,
        clobbers: bool,
    ) -> Effect {
        let name = callee.to_string();
        let event = self.terms.event(Entry::LeftBehind { callee: callee.clone() }, false, place);
        let outcome = self.terms.event(Entry::Returned { callee }, !clobbers, place);
        let mut eval = Eval::new(&mut self.terms, shape, &frame.prefix, event);
        let Op::Call { arguments, .. } = shape.op(id) else { return Effect::default() };
        for argument in arguments {
            if let Value::Pointer(object, _) = eval.operand(argument) {
                eval.effect.writes.push(Write::Escape { object, into: None });
                if clobbers {
                    let zero = eval.terms.word(0);
                    eval.effect.writes.push(Write::Region { object, offset: zero, bytes: None, event });
                }
            }
        }
        if clobbers {
            eval.effect.writes.push(Write::All { event, cells: None, frees: true });
        }
        let mut after = Effect::default();
        eval.terms.forget_memory(&mut after, event);
        eval.effect.assign.extend(after.assign);
        let result = match cell_of(shape, shape.body().instruction(id).ty) {
            Some(cell) => eval.terms.changed(outcome, &name, cell),
            None => Value::Opaque,
        };
        eval.define(id, result);
        eval.effect
    }

    /// The effect of code that is not known, but the same in all versions that are compared.
    fn same_call(&mut self, shape: &Shape, frame: &Frame, id: InstructionId, place: &str) -> Effect {
        let Op::Call { callee, arguments, .. } = shape.op(id) else { return Effect::default() };
        let named = shape.named(callee).map(|function| function.name.clone());
        let mut eval = Eval::new(&mut self.terms, shape, &frame.prefix, 0);
        let mut given: Vec<Value> = arguments.iter().map(|argument| eval.operand(argument)).collect();
        let pointers: Vec<Value> = given.clone();
        if named.is_none() {
            given.push(eval.operand(callee));
        }
        let mut effect = std::mem::take(&mut eval.effect);
        let callee = named.map_or(ledger::Callee::Pointer, ledger::Callee::Named);
        let (saw, key) = self.terms.what_it_sees(&callee.to_string(), &given);
        let place = format!("{place} {saw:?}");
        let event = self.terms.event(Entry::LeftBehind { callee: callee.clone() }, false, &place);
        let outcome = self.terms.event(Entry::Returned { callee: callee.clone() }, false, &place);
        self.terms.unseen.insert(event);
        self.terms.saw([event, outcome], &key, saw, &mut effect);
        effect.event = event;
        for value in pointers {
            if let Value::Pointer(object, _) = value {
                effect.writes.push(Write::Escape { object, into: None });
                let zero = self.terms.word(0);
                effect.writes.push(Write::Region { object, offset: zero, bytes: None, event });
            }
        }
        effect.writes.push(Write::All { event, cells: None, frees: true });
        let result = match cell_of(shape, shape.body().instruction(id).ty) {
            Some(cell) => self
                .terms
                .result_of_call(cell, outcome)
                .unwrap_or_else(|| self.terms.changed(outcome, &callee.to_string(), cell)),
            None => Value::Opaque,
        };
        let mut eval = Eval::new(&mut self.terms, shape, &frame.prefix, event);
        eval.effect = effect;
        eval.define(id, result);
        eval.effect
    }

    /// What a function leaves in objects that it takes for bytes and that are something else: any bytes. A witness is run, and needs none.
    fn leaves_bytes(
        &mut self,
        shape: &Shape,
        frame: &Frame,
        chain: ChainId,
        arguments: &[Operand],
        place: &str,
    ) -> Effect {
        let mut effect = Effect::default();
        if self.asking.mode == Mode::Find {
            return effect;
        }
        for (at, _) in self.bytewise(shape, chain, arguments) {
            let callee =
                ledger::Callee::Named(self.subject.program.graph.name(chain, shape.version).to_owned());
            let event = self.terms.event(Entry::LeftBehind { callee }, false, place);
            let given = Eval::new(&mut self.terms, shape, &frame.prefix, event).operand(&arguments[at]);
            if let Value::Pointer(object, offset) = given {
                effect.event = event;
                effect.writes.push(Write::Region { object, offset, bytes: None, event });
            }
        }
        effect
    }

    #[allow(clippy::too_many_arguments)] // A call has that many sides.
    fn entered(
        &mut self,
        shape: &Shape,
        frame: &Frame,
        round: usize,
        id: InstructionId,
        chain: ChainId,
        arguments: &[Operand],
        bytewise: Effect,
    ) -> Plan {
        let result = Eval::new(&mut self.terms, shape, &frame.prefix, 0).register(id);
        let mut pairs = Vec::new();
        if let Some(callee) = self.shape(chain, shape.version) {
            let inner = callee_prefix(frame, shape, id, round);
            for (n, argument) in arguments.iter().enumerate() {
                let value = Eval::new(&mut self.terms, shape, &frame.prefix, 0).operand(argument);
                let parameter = Eval::new(&mut self.terms, &callee, &inner, 0).parameter(n as u32);
                pairs.push((parameter, value));
            }
        }
        Plan::Enter { chain, result, arguments: pairs, bytewise }
    }

    /// The conditions before a call of a function that is walked through.
    #[allow(clippy::too_many_arguments)] // A call has that many sides.
    fn through_function(
        &mut self,
        frame: &Frame,
        spot: Spot,
        round: usize,
        chain: ChainId,
        result: Value,
        arguments: &[(Value, Value)],
        term: Term,
        versions: &VersionSet,
    ) -> Conditions {
        let Some((shape, step)) = versions.first().and_then(|version| self.step(frame, spot, version)) else {
            return Conditions::default();
        };
        let Some(id) = shape.call(step) else { return Conditions::default() };
        let prefix = callee_prefix(frame, &shape, id, round);
        let inner = Frame { chain, prefix, depth: frame.depth + 1, within: Vec::new() };
        let mut starts = Vec::new();
        for version in versions.iter() {
            let Some(callee) = self.shape(chain, version) else {
                self.lose(&VersionSet::one(version), Entry::WayNotCompiled);
                continue;
            };
            for (at, ends) in returns(&callee) {
                let value = match ends {
                    Some(operand) => Eval::new(&mut self.terms, &callee, &inner.prefix, 0).operand(&operand),
                    None => Value::Opaque,
                };
                let mut effect = Effect::default();
                effect.set(result, value);
                self.end_variables(&callee, &inner.prefix, term, &mut effect);
                let there = self.terms.before(term, &effect);
                starts.push(Start::After(callee.steps[at].spot, there, VersionSet::one(version)));
            }
        }
        let mut out = Conditions::default();
        for (term, versions) in self.walk(&inner, starts, Stop::Entry).0 {
            let term = self.at_entry(&inner, term);
            let mut effect = Effect::default();
            for (parameter, value) in arguments {
                effect.set(*parameter, *value);
            }
            let before = self.terms.before(term, &effect);
            out.add(&mut self.terms.pool, before, &versions);
        }
        out
    }
}

impl Analyst<'_> {
    /// The variables of a function end with it: who finds their addresses uses what is no more.
    fn end_variables(&mut self, callee: &Shape, prefix: &str, term: Term, effect: &mut Effect) {
        let pool = &self.terms.pool;
        let asks = pool.postorder(&[term]).into_iter().any(
            |one| matches!(pool.op(one), TermOp::Apply(function) if self.terms.role(function) == Role::Freed),
        );
        if !asks {
            return;
        }
        let mut given: Vec<InstructionId> =
            callee.objects.iter().filter(|(_, (_, escapes))| *escapes).map(|(slot, _)| *slot).collect();
        given.sort();
        for slot in given {
            if let Value::Pointer(object, _) = Eval::new(&mut self.terms, callee, prefix, 0).stack(slot) {
                effect.writes.push(Write::Free { object });
            }
        }
    }
}

/// Every round of a loop has its own activations, or the objects that they make would be one.
fn callee_prefix(frame: &Frame, shape: &Shape, id: InstructionId, round: usize) -> String {
    let (node, count) = shape.names[id.index()];
    let round = if round == 0 { String::new() } else { format!("^{round}") };
    format!("{}{}.{count}{round}/", frame.prefix, node.0)
}

fn returns(shape: &Shape) -> Vec<(StepId, Option<Operand>)> {
    (0..shape.steps.len())
        .filter(|&step| shape.order[step] != usize::MAX)
        .filter_map(|step| shape.returned(step).map(|value| (step, value.cloned())))
        .collect()
}
