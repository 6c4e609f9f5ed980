//! What happens between a place and a statement: every instruction with its condition, as `sym` has it.

use crate::{Statement, place::Place};
use hydrogen_flow::callee;
use hydrogen_ir::{Callee, FunctionId, InstructionId, Linkage, Module, Op, Operand};
use hydrogen_sym::{
    Obstacle, Side,
    check::{Asks, Check},
    code::{Code, Jumps, Plan, Var},
    context::Context,
    entry::initial,
    segment::{Loops, Runner, Target},
    state::{Origin, State, Value, Way},
    variables::variables,
};
use hydrogen_term::{Sort, Term};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Larger functions are not looked at.
const MOST_NODES: usize = 1500;
/// Longer callees are not looked into.
const MOST_OPENED: usize = 60;
/// Nodes that are evaluated.
const MOST_BETWEEN: usize = 300;

/// A region that was evaluated.
pub(crate) struct Region<'m> {
    pub statement: Statement<'m>,
    pub context: Context,
    /// What instructions asked, in an order that agrees with every path.
    pub checks: Vec<Check>,
    /// What instructions gave.
    values: FxHashMap<InstructionId, Value>,
    parameters: BTreeMap<u32, Value>,
    /// The local objects by their instructions: number, address, bytes.
    pub objects: BTreeMap<InstructionId, (u32, u64, u64)>,
    /// What holds of every run.
    pub facts: Vec<Term>,
    /// The names of the function's own variables, by the terms that stand for them at the place.
    pub names: BTreeMap<Term, String>,
    pub from_entry: bool,
    /// Whether every way from the place comes to the statement, but for those that go around the loop that begins there once more.
    pub is_sure: bool,
    first: InstructionId,
}

impl<'m> Region<'m> {
    /// Evaluates what lies before a statement; callees are looked into where that is possible.
    pub fn of(statement: &Statement<'m>) -> Result<Self, Obstacle> {
        let module = statement.module;
        Self::with(statement, &|id| is_small(module, id)).or_else(|_| Self::with(statement, &|_| false))
    }

    fn with(statement: &Statement<'m>, opens: &dyn Fn(FunctionId) -> bool) -> Result<Self, Obstacle> {
        let module = statement.module;
        let plan = Plan { most: MOST_NODES, ..Plan::whole(opens, Jumps::Never) };
        let code = Code::new(module, statement.function, &plan)?;
        let at = |id: &InstructionId| {
            code.nodes.iter().position(|node| {
                if node.frame != 0 {
                    return false;
                }
                let last = match node.exit {
                    hydrogen_sym::code::Exit::Terminator(last) => last.0,
                    _ => node.end,
                };
                (node.first..=last.max(node.end)).contains(&id.0)
            })
        };
        let targets: BTreeSet<usize> = statement.instructions.iter().filter_map(at).collect();
        let place =
            Place::of(&code, &targets).ok_or_else(|| Obstacle::new("nothing leads to the statement"))?;
        if place.between.len() > MOST_BETWEEN {
            return Err(Obstacle::new("the way to the statement is long"));
        }
        let mut context = Context::new(BTreeSet::new());
        context.trusting = true;
        context.checks = true;
        context.errno = code.frames.iter().any(|frame| looks_at_errno(module, frame.function));
        let objects = code.homes.objects.iter().enumerate();
        let addresses: Vec<u64> =
            objects.map(|(at, object)| context.object_address(&at.to_string(), object.bytes)).collect();
        let runner = Runner { code: &code, side: Side::New, addresses, loops: Loops::Cut, reader: None };
        let from_entry = place.node == 0;
        let (state, names) = beginning(&mut context, &runner, place.node);
        let parameters = state.values.iter().filter_map(|(var, value)| match var {
            Var::Parameter(0, n) => Some((*n, value.clone())),
            _ => None,
        });
        let parameters = parameters.collect();
        let way = Way { branches: Vec::new(), sound: context.pool.bool(true) };
        let inside = Some((place.node, &place.between));
        let walk = runner.walk(&mut context, place.node, way, state, None, inside)?;
        let is_sure = !walk.outside.keys().chain(walk.heads.keys()).any(|node| place.bypass.contains(node));
        let checks = walk.segment.checks;
        let mut values = FxHashMap::default();
        for check in &checks {
            if let (0, Asks::Gives(value)) = (check.frame, &check.asks) {
                values.insert(check.id, value.clone());
            }
        }
        let body = code.frames[0].body;
        let allocas = (0..body.instructions.len()).map(InstructionId::at).filter_map(|id| {
            match code.homes.get(0, id)? {
                hydrogen_sym::homes::Home::Object(number) => {
                    let bytes = code.homes.objects[number as usize].bytes;
                    Some((id, (number, runner.addresses[number as usize], bytes)))
                }
                hydrogen_sym::homes::Home::Slot(_) => None,
            }
        });
        let objects = allocas.collect();
        let first = InstructionId(code.nodes[place.node].first);
        let mut region = Self {
            statement: statement.clone(),
            context,
            checks,
            values,
            parameters,
            objects,
            facts: Vec::new(),
            names,
            from_entry,
            is_sure,
            first,
        };
        region.depends_on_places()?;
        region.facts = crate::origin::facts(&mut region);
        Ok(region)
    }

    /// Where objects lie is not known: whatever is decided by that is not looked at.
    fn depends_on_places(&self) -> Result<(), Obstacle> {
        let is_somewhere = |value: &Value| match value {
            Value::Bits(term, origin) => {
                origin.is_some() || self.context.pool.as_bits(*term).is_some_and(|bits| bits >= 4096)
            }
            Value::Parts(_) => true,
        };
        let is_of = |value: &Value| match value {
            Value::Bits(_, Some(Origin::Local(object))) => Some(*object),
            _ => None,
        };
        for check in &self.checks {
            if let Asks::Places(all) = &check.asks
                && all.iter().any(is_somewhere)
                && !(all.len() == 2 && is_of(&all[0]).is_some() && is_of(&all[0]) == is_of(&all[1]))
            {
                return Err(Obstacle::new("what happens depends on where objects lie"));
            }
        }
        Ok(())
    }

    /// When the statement is reached.
    pub fn reached(&mut self) -> Term {
        let here: Vec<Term> = self
            .checks
            .iter()
            .filter(|check| {
                check.frame == 0
                    && self.statement.instructions.contains(&check.id)
                    && matches!(check.asks, Asks::Runs)
            })
            .map(|check| check.when)
            .collect();
        self.context.pool.or_all(here)
    }

    /// Whether the statement calls a function with a body.
    pub fn enters(&self) -> bool {
        let module = self.statement.module;
        let callees = self.statement.instructions.iter().filter_map(|id| callee(module, self.op(*id)?));
        callees.into_iter().any(|id| module.function(id).body.is_some())
    }

    /// The line of the place.
    pub fn line(&self) -> u32 {
        let function = self.statement.module.function(self.statement.function);
        if self.from_entry {
            return function.line().unwrap_or(0);
        }
        let body = function.body.as_ref();
        let piece = body.map(|body| body.instruction(self.first).piece);
        piece
            .and_then(|piece| function.pieces.get(piece.index()))
            .and_then(|piece| piece.span)
            .map_or(0, |span| span.start.line)
    }

    pub fn op(&self, id: InstructionId) -> Option<&'m Op> {
        let body = self.statement.module.function(self.statement.function).body.as_ref()?;
        Some(&body.instruction(id).op)
    }

    /// What an operand of the function is, where it was seen.
    pub fn value(&mut self, operand: &Operand) -> Option<Value> {
        use hydrogen_ir::Const;
        let module = self.statement.module;
        match operand {
            Operand::Instruction(id) => match self.objects.get(id) {
                Some(&(number, address, _)) => {
                    Some(Value::Bits(self.context.word(address), Some(Origin::Local(number))))
                }
                None => self.values.get(id).cloned(),
            },
            Operand::Parameter(n) => self.parameters.get(n).cloned(),
            Operand::Const(id) => match module.constant(*id) {
                Const::Zero(_) => Some(Value::Bits(self.context.word(0), None)),
                Const::Global(global) => {
                    let address = self.context.global_address(Side::New, module, *global).ok()?;
                    Some(Value::Bits(self.context.word(address), None))
                }
                Const::Int { ty, bits } => {
                    let width = hydrogen_sym::homes::scalar_width(module, *ty)?;
                    Some(Value::Bits(self.context.pool.bits(width, *bits), None))
                }
                _ => None,
            },
            Operand::Metadata(_) => None,
        }
    }
}

/// Whether a function is looked into where it is called: short, without loops, and no other one can take its place.
fn is_small(module: &Module, id: FunctionId) -> bool {
    let function = module.function(id);
    let Some(body) = &function.body else { return false };
    let is_own = matches!(function.linkage, Linkage::Internal | Linkage::External);
    is_own && body.instructions.len() <= MOST_OPENED && goes_forward(body)
}

/// Whether no block of a function is executed twice: the blocks can be put in an order that all jumps follow.
fn goes_forward(body: &hydrogen_ir::Body) -> bool {
    let next = |at: usize| {
        let block = &body.blocks[at];
        let last = body.instructions.get((block.first.0 + block.count).saturating_sub(1) as usize);
        last.map(|last| last.op.successors()).unwrap_or_default()
    };
    let mut waits = vec![0usize; body.blocks.len()];
    for at in 0..body.blocks.len() {
        next(at).iter().for_each(|to| waits[to.index()] += 1);
    }
    let mut open: Vec<usize> = (0..waits.len()).filter(|&at| waits[at] == 0).collect();
    let mut done = 0;
    while let Some(at) = open.pop() {
        done += 1;
        for to in next(at) {
            waits[to.index()] -= 1;
            if waits[to.index()] == 0 {
                open.push(to.index());
            }
        }
    }
    done == body.blocks.len()
}

/// Whether a function asks for the error number.
fn looks_at_errno(module: &Module, id: FunctionId) -> bool {
    module
        .function(id)
        .calls
        .iter()
        .any(|call| matches!(&call.callee, Callee::Direct(name) if name.ends_with("errno_location")))
}

/// The state at a place: any values, called as the function calls its variables.
fn beginning(context: &mut Context, runner: &Runner, node: usize) -> (State, BTreeMap<Term, String>) {
    let mut state = initial(context, runner);
    let mut names = BTreeMap::new();
    let function = runner.code.module.function(runner.code.frames[0].function);
    for (var, value) in state.values.iter().filter(|_| node == 0) {
        if let (Var::Parameter(0, n), Value::Bits(term, _)) = (var, value)
            && let Some(name) = function.body.as_ref().and_then(|body| parameter_name(body, *n))
        {
            names.insert(*term, name);
        }
    }
    if node == 0 {
        return (state, names);
    }
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for (var, width) in variables(runner.code, Target::Head(node)) {
        let term = match var {
            Var::Slot(slot) => {
                let name = runner.code.homes.slots[slot as usize].name.clone();
                let count = seen.entry(name.clone()).or_default();
                *count += 1;
                let term = context.pool.fresh(&format!("{name} at the place"), Sort::Bits(width));
                if *count == 1 && !name.is_empty() {
                    names.insert(term, name);
                }
                term
            }
            Var::Register(..) => context.pool.fresh("a value at the place", Sort::Bits(width)),
            Var::Parameter(..) => continue,
        };
        state.values.insert(var, Value::Bits(term, None));
    }
    // Of two variables of one name, it is not clear which is meant.
    names.retain(|_, name| seen.get(name).is_none_or(|count| *count == 1));
    (state, names)
}

/// What the source calls a parameter: the variable that it is stored to.
fn parameter_name(body: &hydrogen_ir::Body, n: u32) -> Option<String> {
    let slot = body.instructions.iter().find_map(|one| match &one.op {
        Op::Store { value: Operand::Parameter(at), pointer: Operand::Instruction(slot), .. } if *at == n => {
            Some(*slot)
        }
        _ => None,
    })?;
    let variable = body.variables.iter().find(|variable| variable.slot == Some(slot))?;
    Some(variable.name.clone())
}
