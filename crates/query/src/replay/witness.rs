//! From a model to an input: parameters, cells, strings, answers of functions without a body, memory that is not given.

use super::memory::{Holder, LARGEST, Memory, is_data};
use super::{Attempt, Confirm, Ran};
use crate::judge::Shown;
use crate::meaning::eval::Eval;
use crate::meaning::operand::plain_name;
use crate::meaning::shape::Shape;
use crate::meaning::state::{Object, Part, Role, Value as Symbolic};
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::ledger::Callee;
use hydrogen_evidence::{Argument, Call, Class, Entry, Input, Number, Replay, Reply, Value};
use hydrogen_graph::{NodeId, VersionId};
use hydrogen_ir::layout::pointee;
use hydrogen_ir::{CType, CTypeId, Module};
use hydrogen_term::{Evaluator, Model, Op, Sort, Term};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most arguments of a program.
const MOST_ARGUMENTS: u64 = 256;

impl<'a> Analyst<'a> {
    /// Has every witness run before it is shown.
    pub fn confirm_with(&mut self, confirm: impl Confirm + 'a) {
        self.confirm = Some(Box::new(confirm));
    }
}

impl Analyst<'_> {
    /// Runs a witness: the input, and what came of it. None where nobody can run anything.
    pub(crate) fn replayed(
        &mut self,
        kind: Class,
        version: VersionId,
        shown: &Shown,
        statement: &[NodeId],
    ) -> Option<(Option<Input>, Replay)> {
        self.confirm.as_ref()?;
        let attempt = match self.attempt(kind, version, shown, statement) {
            Ok(attempt) => attempt,
            Err(why) => return Some((None, Replay::NotRun { why: why.into() })),
        };
        let Ran { input, replay } = self.confirm.as_ref()?.confirm(&attempt);
        let replay = match replay {
            Replay::Confirmed if !attempt.answers.is_empty() => {
                let gives = input.call.iter().flat_map(|call| {
                    let wanted = call.answers.iter().filter(|one| attempt.answers.contains(&one.function));
                    wanted.map(|one| format!("{}() gives {}", one.function, call.shown(&one.value)))
                });
                Replay::ConfirmedIf { needs: gives.collect::<Vec<_>>().join(" and ") }
            }
            other => other,
        };
        Some((Some(input), replay))
    }

    pub(super) fn attempt(
        &mut self,
        kind: Class,
        version: VersionId,
        shown: &Shown,
        statement: &[NodeId],
    ) -> Result<Attempt, &'static str> {
        let (outermost, _) = shown.arrival.frames.first().ok_or("it has no beginning")?.clone();
        let (inner, spot) = shown.arrival.frames.last().ok_or("it has no end")?.clone();
        let shape = self.shape(outermost.chain, version).ok_or("its function is not compiled")?;
        let made = self.call(&outermost, &shape, shown)?;
        let graph = self.subject.program.graph;
        // What is lost is lost where it was made.
        let nodes = if kind == Class::Leak { statement.to_vec() } else { vec![spot.node] };
        let mut lines = BTreeSet::new();
        for node in nodes {
            lines.extend(self.lines(node, version));
        }
        let mut files: Vec<String> = Vec::new();
        for (frame, _) in &shown.arrival.frames {
            let file = graph.location(frame.chain, version).0.to_owned();
            if !files.contains(&file) {
                files.push(file);
            }
        }
        let mut without_memory = BTreeSet::new();
        for node in made.without_memory {
            let function = graph.name(graph.chain(node), version).to_owned();
            without_memory.extend(self.lines(node, version).into_iter().map(|line| (function.clone(), line)));
        }
        let input = match made.call.function.as_str() {
            "main" => whole_program(&made.call)?,
            _ => Input { call: Some(made.call), ..Input::default() },
        };
        Ok(Attempt {
            version,
            kind,
            function: graph.name(inner.chain, version).to_owned(),
            file: graph.location(inner.chain, version).0.to_owned(),
            lines,
            input,
            without_memory,
            answers: made.answers,
            files,
        })
    }

    /// The lines that a statement's code is on.
    pub(crate) fn lines(&mut self, node: NodeId, version: VersionId) -> BTreeSet<u32> {
        let graph = self.subject.program.graph;
        let mut lines: BTreeSet<u32> = graph.line(node, version).into_iter().collect();
        if let Some(shape) = self.shape(graph.chain(node), version) {
            lines.extend(shape.instructions_of(node).filter_map(|one| Some(one.location?.position.line)));
        }
        lines
    }

    fn call(&mut self, frame: &Frame, shape: &Arc<Shape>, shown: &Shown) -> Result<Made, &'static str> {
        let module = Arc::clone(&shape.module);
        let constraints = self.arrival_axioms(&shown.arrival);
        let terms = self.terms.pool.postorder(&constraints);
        let mentioned: BTreeSet<Term> = terms.iter().copied().collect();
        let mut memory = Memory::default();
        let mut arguments = Vec::new();
        let mut largest = 0;
        for at in 0..shape.function().parameters.len() {
            let attributes = &shape.function().parameters[at].attributes;
            if attributes.by_value.is_some() || attributes.struct_return.is_some() {
                return Err("a structure is handed over by value");
            }
            let name = shape.function().parameters[at].name.clone();
            let target = parameter_target(&module, shape, at);
            let value = match Eval::new(&mut self.terms, shape, &frame.prefix, 0).parameter(at as u32) {
                Symbolic::Int(term) => {
                    let width = self.terms.pool.width(term);
                    let bits = self.bits(&shown.model, term);
                    largest = largest.max(u64::try_from(bits).unwrap_or(0));
                    Value::number(width.min(64), bits as u64)
                }
                Symbolic::Pointer(object, offset) if mentioned.contains(&object) => {
                    let value = self.pointer(&mut memory, &shown.model, object, offset)?;
                    if let Value::Object(to, _) = value {
                        memory.describe(to, name.clone(), target);
                    }
                    value
                }
                Symbolic::Pointer(..) if target.is_some_and(|target| !is_data(&module, target)) => {
                    Value::Null
                }
                Symbolic::Pointer(..) => Value::Object(memory.fresh(&name, target, 1), 0),
                Symbolic::Opaque => Value::number(64, 0),
            };
            arguments.push(Argument { name, value });
        }
        let mut replies: Vec<(usize, u32, Reply)> = Vec::new();
        let (mut without_memory, mut answers) = (BTreeSet::new(), BTreeSet::new());
        for one in terms {
            match self.terms.pool.op(one) {
                Op::Apply(function) => match self.terms.role(function) {
                    Role::Memory(_, part) => self.cell(frame, shape, &shown.model, one, part, &mut memory)?,
                    Role::Length => self.text(&shown.model, one, &mut memory)?,
                    _ => {}
                },
                Op::Var(_) => {
                    let Some((node, round, callee)) = self.answered(one) else { continue };
                    let place = shown.nodes.iter().position(|other| *other == node).unwrap_or(usize::MAX);
                    if self.terms.pool.sort(one) == Sort::Bool {
                        if self.bits(&shown.model, one) == 1 && self.is_allocation(one) {
                            without_memory.insert(node);
                            replies.push((place, round, Reply { function: callee, value: Value::Null }));
                        }
                        continue;
                    }
                    let Some(value) = self.reply(&shown.model, one, &mut memory)? else { continue };
                    let is_known = self.subject.library.contract(&callee).is_some()
                        || value == Value::Null && self.tests_for_null(node, &callee, shape.version);
                    if !is_known {
                        answers.insert(callee.clone());
                    }
                    replies.push((place, round, Reply { function: callee, value }));
                }
                _ => {}
            }
        }
        memory.fill(&module);
        // Rounds that are still to come count down.
        replies.sort_by_key(|(place, round, _)| (u32::MAX - round, *place));
        let too_large = "its memory is too large to be made";
        let file = self.subject.program.graph.location(frame.chain, shape.version).0.to_owned();
        let call = Call {
            function: shape.function().name.clone(),
            unit: Some(file),
            arguments,
            objects: memory.objects(&module, largest).ok_or(too_large)?,
            globals: memory.globals().ok_or(too_large)?,
            answers: replies.into_iter().map(|(.., reply)| reply).collect(),
            known: Vec::new(),
        };
        Ok(Made { call, without_memory, answers })
    }

    fn bits(&self, model: &Model, term: Term) -> u128 {
        Evaluator::new(&self.terms.pool, model).bits(term)
    }

    /// A pointer as the model has it.
    fn pointer(
        &mut self,
        memory: &mut Memory,
        model: &Model,
        object: Term,
        offset: Term,
    ) -> Result<Value, &'static str> {
        let number = self.bits(model, object) as u64;
        let offset = self.bits(model, offset) as u64;
        if number == 0 {
            return Ok(Value::Null);
        }
        if offset > LARGEST {
            return Err("a pointer leads too far into its object");
        }
        let offset = offset.cast_signed();
        let named = self.terms.word(number);
        Ok(match self.terms.known(named) {
            Some(Object::Global { name, .. }) => Value::Global(plain_name(name), offset),
            Some(Object::Function(name)) => Value::Function(plain_name(name)),
            Some(_) => return Err("a pointer comes in to what is only made later"),
            None => Value::Object(memory.numbered(number), offset),
        })
    }

    fn holder(&mut self, memory: &mut Memory, model: &Model, object: Term) -> Option<Holder> {
        let number = self.bits(model, object) as u64;
        let named = self.terms.word(number);
        match self.terms.known(named) {
            _ if number == 0 => None,
            Some(Object::Global { name, .. }) => Some(Holder::Global(plain_name(name))),
            Some(_) => None,
            None => Some(Holder::Object(memory.numbered(number))),
        }
    }

    /// A cell of memory that the condition names.
    fn cell(
        &mut self,
        frame: &Frame,
        shape: &Shape,
        model: &Model,
        term: Term,
        part: Part,
        memory: &mut Memory,
    ) -> Result<(), &'static str> {
        let &[object, offset] = self.terms.pool.args(term) else { return Ok(()) };
        if self.terms.is_constant(object) {
            return Ok(());
        }
        let at = self.bits(model, offset) as u64;
        let Some(holder) = self.holder(memory, model, object) else { return Ok(()) };
        if at > LARGEST {
            return Err("a cell lies too far inside its object");
        }
        let path = self.name_of(frame, shape, term).unwrap_or_default();
        match part {
            Part::Number => {
                let width = self.terms.pool.width(term);
                if width.is_multiple_of(8) && width <= 64 {
                    let value = Value::number(width, self.bits(model, term) as u64);
                    memory.put(&holder, at, path, value);
                }
            }
            Part::Object => {
                let Some(inside) = self.terms.base_offset(term) else { return Ok(()) };
                let value = self.pointer(memory, model, term, inside)?;
                let path = path.trim_end_matches(".object").to_owned();
                if let Value::Object(to, _) = value {
                    let ctype = self.pointer_name(frame, shape, term).and_then(|(_, ctype)| ctype);
                    let target = ctype.and_then(|ctype| pointee(&shape.module, ctype));
                    memory.describe(to, path.clone(), target);
                }
                memory.put(&holder, at, path, value);
            }
            Part::Offset => {}
        }
        Ok(())
    }

    fn text(&mut self, model: &Model, term: Term, memory: &mut Memory) -> Result<(), &'static str> {
        let &[object, offset] = self.terms.pool.args(term) else { return Ok(()) };
        if self.terms.is_constant(object) {
            return Ok(());
        }
        let (at, length) = (self.bits(model, offset) as u64, self.bits(model, term) as u64);
        let Some(holder) = self.holder(memory, model, object) else { return Ok(()) };
        if at > LARGEST || length > LARGEST {
            return Err("a string is too long to be made");
        }
        memory.text(&holder, at, length);
        Ok(())
    }

    /// The call whose answer a variable is: its node, the rounds to come then, and whom it calls.
    fn answered(&self, variable: Term) -> Option<(NodeId, u32, String)> {
        let number = self.terms.event_of_variable(variable)?;
        let Entry::Returned { callee: Callee::Named(name) } = &self.terms.event_by_number(number).why else {
            return None;
        };
        let place = self.terms.place_of_event(number)?;
        let (place, round) = place.rsplit_once('#')?;
        let own = place.rsplit(['/', ':']).next()?;
        let node = own.split('.').next()?.parse().ok()?;
        Some((NodeId(node), round.parse().ok()?, name.clone()))
    }

    /// Whether the variable says that an allocation fails.
    fn is_allocation(&self, variable: Term) -> bool {
        self.terms.pool.as_var(variable).is_some_and(|name| name.ends_with("() fails"))
    }

    /// What a call answers; a pointer's offset goes with its object.
    fn reply(
        &mut self,
        model: &Model,
        variable: Term,
        memory: &mut Memory,
    ) -> Result<Option<Value>, &'static str> {
        let name = self.terms.pool.as_var(variable).unwrap_or_default().to_owned();
        if name.ends_with(".offset") {
            return Ok(None);
        }
        if name.ends_with(".object") {
            let Some(offset) = self.terms.base_offset(variable) else { return Ok(None) };
            return self.pointer(memory, model, variable, offset).map(Some);
        }
        let width = self.terms.pool.width(variable).min(64);
        Ok(Some(Value::number(width, self.bits(model, variable) as u64)))
    }
}

/// A call, and what it needs besides.
struct Made {
    call: Call,
    without_memory: BTreeSet<NodeId>,
    answers: BTreeSet<String>,
}

/// What a pointer parameter leads to.
fn parameter_target(module: &Module, shape: &Shape, at: usize) -> Option<CTypeId> {
    let CType::Function { parameters, .. } = module.ctype(shape.function().ctype?) else { return None };
    pointee(module, *parameters.get(at)?)
}

/// The arguments of a program, from a call of its `main`. What global variables hold then is not a matter of choice.
fn whole_program(call: &Call) -> Result<Input, &'static str> {
    let number = |at: usize| match call.arguments.get(at).map(|argument| &argument.value) {
        Some(Value::Number(number)) => Some(number.signed()),
        _ => None,
    };
    let mut input = Input::default();
    let Some(count) = number(0) else { return Ok(input) };
    let pointers: BTreeMap<u64, &Value> = match call.arguments.get(1).map(|argument| &argument.value) {
        Some(Value::Object(at, 0)) => {
            call.objects[*at].cells.iter().map(|cell| (cell.at, &cell.value)).collect()
        }
        Some(_) => return Err("the arguments of a program are always there"),
        None => BTreeMap::new(),
    };
    // Where nothing is said of their number, there are as many as something is said of.
    let named = pointers.iter().filter(|(_, value)| !matches!(value, Value::Null)).map(|(at, _)| at / 8 + 1);
    let count = if count == 0 { named.max().unwrap_or(1) } else { count.cast_unsigned() };
    if count > MOST_ARGUMENTS {
        return Err("no program is started with so many arguments");
    }
    for index in 0..count {
        let bytes = match pointers.get(&(8 * index)) {
            Some(Value::Object(at, offset)) => text_at(call, *at, *offset)?,
            Some(Value::Null) => return Err("an argument of a program is never null"),
            _ => b"a".to_vec(),
        };
        input.args.insert(index as usize, bytes);
    }
    Ok(input)
}

/// The string in an object.
fn text_at(call: &Call, at: usize, offset: i64) -> Result<Vec<u8>, &'static str> {
    let mut bytes: BTreeMap<u64, u8> = BTreeMap::new();
    for cell in &call.objects[at].cells {
        let Value::Number(Number { bits, width, .. }) = cell.value else {
            return Err("an argument of a program holds no pointers");
        };
        for byte in 0..u64::from(width / 8) {
            bytes.insert(cell.at + byte, (bits >> (8 * byte)) as u8);
        }
    }
    let start = u64::try_from(offset).map_err(|_| "an argument begins before its object")?;
    let mut text = Vec::new();
    // What nothing is said of is any letter, up to the end or to what is known.
    let end = bytes.keys().next_back().map_or(start, |last| last + 1);
    for place in start..end {
        match bytes.get(&place) {
            Some(0) => return Ok(text),
            Some(byte) => text.push(*byte),
            None => text.push(b'a'),
        }
    }
    Ok(text)
}
