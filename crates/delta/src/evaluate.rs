//! Both sides of a region, from one state in which all that corresponds is the same.

use crate::{cut::Cut, facts, level::Level};
use hydrogen_ir::{CType, CTypeId, Encoding, Op, Operand, VariableKind};
use hydrogen_sym::{
    Obstacle, Reaches, Side,
    code::{Code, Var},
    context::{ADDRESSES, Context},
    segment::{End, Loops, Runner, Segment, Target},
    state::{State, Value, Way},
    variables::width_of,
};
use hydrogen_term::{Sort, Term};
use std::collections::{BTreeMap, BTreeSet};

/// Where a region begins: the node that the edge comes from, where there is one, and the first node behind it, in each version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Start {
    pub from: Option<(usize, usize)>,
    pub old: usize,
    pub new: usize,
}

/// What both versions do from a start on.
pub(crate) struct Both {
    pub context: Context,
    pub old: Segment,
    pub new: Segment,
    /// What holds of every state there.
    pub premises: Vec<Term>,
    /// What symbols of the beginning are called, and their types, by version.
    pub symbols: Vec<Symbol>,
    /// Addresses of the objects that both versions have.
    pub addresses: (Vec<u64>, Vec<u64>),
}

/// A symbol of the state that a region begins with.
pub(crate) struct Symbol {
    pub term: Term,
    pub name: String,
    pub side: Side,
    pub ctype: Option<CTypeId>,
    /// Whether one version alone has it there.
    pub is_lonely: bool,
}

/// What may stop an evaluation, besides the ends of the region.
#[derive(Clone)]
pub(crate) struct Stops {
    pub old: BTreeSet<usize>,
    pub new: BTreeSet<usize>,
}

impl Stops {
    /// All places that both versions share.
    pub fn at_all(level: &Level) -> Self {
        Self {
            old: level.pairs().map(|pair| pair.0).collect(),
            new: level.pairs().map(|pair| pair.1).collect(),
        }
    }
}

/// Evaluates both sides.
pub(crate) fn evaluate(
    (old, new): (&Cut, &Cut),
    level: &Level,
    start: Start,
    stops: &Stops,
    known: (&BTreeSet<String>, &Reaches),
) -> Result<Both, Obstacle> {
    let mut context = Context::new(known.0.clone());
    context.reach = known.1.clone();
    context.trusting = true;
    context.notes = true;
    let addresses = addresses(&mut context, old, new, level);
    let mut symbols = Vec::new();
    let chain = facts::chain((old, new), level, start);
    let mut vars = (
        variables(&old.code, start.from.map(|from| from.0), start.old),
        variables(&new.code, start.from.map(|from| from.1), start.new),
    );
    for (cut, vars, is_old) in [(old, &mut vars.0, true), (new, &mut vars.1, false)] {
        let read = facts::reads(cut, &chain, is_old);
        vars.extend(read.into_iter().filter_map(|var| Some((var, width_of(&cut.code, var)?))));
    }
    let (before, now) = states(&mut context, (old, new), level, &vars, &addresses, &mut symbols);
    let mut premises = premises(&mut context, (old, new), &symbols);
    let runner = |code, side, addresses: &[u64]| Runner {
        code,
        side,
        addresses: addresses.to_vec(),
        loops: Loops::Cut,
        reader: None,
    };
    let one = runner(&old.code, Side::Old, &addresses.0);
    let other = runner(&new.code, Side::New, &addresses.1);
    premises.extend(facts::hold(&one, &mut context, &chain, true, &before));
    premises.extend(facts::hold(&other, &mut context, &chain, false, &now));
    let is_head = level.heads.get(&start.old) == Some(&start.new) && start.from.is_none();
    let old =
        side(&one, &mut context, (start.from.map(|from| from.0), start.old), before, &stops.old, is_head)?;
    let new =
        side(&other, &mut context, (start.from.map(|from| from.1), start.new), now, &stops.new, is_head)?;
    Ok(Both { context, old, new, premises, symbols, addresses })
}

fn side(
    runner: &Runner,
    context: &mut Context,
    (from, to): (Option<usize>, usize),
    state: State,
    stops: &BTreeSet<usize>,
    goes_in: bool,
) -> Result<Segment, Obstacle> {
    let state = match from {
        Some(from) => runner.enter(context, from, to, state)?,
        None => state,
    };
    let guard = context.pool.bool(true);
    if stops.contains(&to) && !goes_in {
        let end = End { target: Target::Head(to), guard, state, result: None };
        return Ok(Segment { ends: vec![end], ..Segment::default() });
    }
    let way = Way { branches: Vec::new(), sound: guard };
    runner.segment(context, to, way, state)
}

/// The variables that a run may read behind an edge, with their widths.
fn variables(code: &Code, from: Option<usize>, to: usize) -> BTreeMap<Var, u32> {
    let mut found: BTreeSet<Var> = code.live(to).clone();
    if let Some(from) = from.filter(|&from| code.nodes[from].frame == code.nodes[to].frame) {
        let (frame, block) = (code.nodes[from].frame, code.nodes[from].block);
        for id in code.phis(to) {
            found.remove(&Var::Register(frame, id));
            let Op::Phi { incoming } = code.op(frame, id) else { continue };
            for (_, operand) in incoming.iter().filter(|(one, _)| *one == block) {
                match operand {
                    Operand::Instruction(id) => drop(found.insert(Var::Register(frame, *id))),
                    Operand::Parameter(n) => drop(found.insert(Var::Parameter(frame, *n))),
                    _ => {}
                }
            }
        }
    }
    found.into_iter().filter_map(|var| Some((var, width_of(code, var)?))).collect()
}

/// The C type of a variable.
pub(crate) fn ctype_of(cut: &Cut, var: Var) -> Option<CTypeId> {
    let body = cut.code.frames[0].body;
    match var {
        Var::Slot(_) => {
            let slots = cut.slots();
            let Var::Slot(slot) = var else { return None };
            let id = slots.get(&slot)?.0;
            body.variables.iter().find(|one| one.slot == Some(id))?.ctype
        }
        Var::Parameter(0, n) => {
            let is_it = |kind: VariableKind| kind == VariableKind::Parameter(n);
            body.variables.iter().find(|one| is_it(one.kind))?.ctype
        }
        _ => None,
    }
}

/// Whether numbers of a type are read with a sign.
pub(crate) fn is_signed(module: &hydrogen_ir::Module, ctype: CTypeId) -> Option<bool> {
    match module.ctype(hydrogen_ir::layout::plain(module, ctype)) {
        CType::Basic { encoding, .. } => match encoding {
            Encoding::Signed => Some(true),
            Encoding::Unsigned | Encoding::Boolean => Some(false),
            _ => None,
        },
        CType::Enum { .. } | CType::Pointer(_) => Some(false),
        _ => None,
    }
}

fn states(
    context: &mut Context,
    (old, new): (&Cut, &Cut),
    level: &Level,
    (olds, news): &(BTreeMap<Var, u32>, BTreeMap<Var, u32>),
    addresses: &(Vec<u64>, Vec<u64>),
    symbols: &mut Vec<Symbol>,
) -> (State, State) {
    let keyed = |cut: &Cut, is_old: bool, vars: &BTreeMap<Var, u32>| -> BTreeMap<String, (Var, u32)> {
        let named =
            vars.iter().filter_map(|(&var, &width)| Some((level.key(cut, is_old, var)?, (var, width))));
        named.collect()
    };
    let (a, b) = (keyed(old, true, olds), keyed(new, false, news));
    let mut make = |cut: &Cut,
                    side: Side,
                    vars: &BTreeMap<Var, u32>,
                    mine: &BTreeMap<String, (Var, u32)>,
                    others: &BTreeMap<String, (Var, u32)>,
                    own: &Cut| {
        let mut values = BTreeMap::new();
        let keys: BTreeMap<Var, &String> = mine.iter().map(|(key, (var, _))| (*var, key)).collect();
        for (&var, &width) in vars {
            let ctype = ctype_of(cut, var);
            let name = cut.name(var).unwrap_or_default();
            let key = keys.get(&var).copied();
            let partner = key.and_then(|key| others.get(key)).copied();
            let (symbol, term) = match (key, partner) {
                (Some(key), Some((_, other))) if other == width => {
                    let term = context.pool.var(key, Sort::Bits(width));
                    (term, term)
                }
                // A number that became wider or narrower is the narrower one, as C converts it.
                (Some(key), Some((theirs, other))) => {
                    let narrow = context.pool.var(key, Sort::Bits(width.min(other)));
                    let (cut, var) = if width < other { (cut, var) } else { (own, theirs) };
                    let ctype = ctype_of(cut, var);
                    let signed = ctype.and_then(|one| is_signed(cut.code.module, one)).unwrap_or(true);
                    let term = match signed {
                        true => context.pool.resize_signed(narrow, width),
                        false => context.pool.resize_unsigned(narrow, width),
                    };
                    (narrow, term)
                }
                (key, None) => {
                    let key = key.cloned().unwrap_or_else(|| format!("{var:?}"));
                    let term = context.pool.var(&format!("{} {key}", side.word()), Sort::Bits(width));
                    (term, term)
                }
                (None, Some(_)) => unreachable!("a partner is found by its key"),
            };
            symbols.push(Symbol { term: symbol, name, side, ctype, is_lonely: partner.is_none() });
            values.insert(var, Value::Bits(term, None));
        }
        values
    };
    let values = make(old, Side::Old, olds, &a, &b, new);
    let others = make(new, Side::New, news, &b, &a, old);
    let pool = &mut context.pool;
    let (public, world, epoch) = (
        pool.var("memory", Sort::MEMORY),
        pool.var("world", Sort::Bits(64)),
        pool.var("epoch", Sort::Bits(64)),
    );
    let mut objects = |addresses: &[u64]| -> Vec<Term> {
        addresses.iter().map(|at| pool.var(&format!("bytes at {at:x}"), Sort::MEMORY)).collect()
    };
    let (one, other) = (objects(&addresses.0), objects(&addresses.1));
    (
        State { values, public, objects: one, world, epoch },
        State { values: others, public, objects: other, world, epoch },
    )
}

/// Gives local objects their addresses: one to those that correspond and are as large as each other.
fn addresses(context: &mut Context, old: &Cut, new: &Cut, level: &Level) -> (Vec<u64>, Vec<u64>) {
    let mut own: BTreeSet<(String, u64)> = BTreeSet::new();
    let named = |cut: &Cut, is_old: bool| -> Vec<(String, u64)> {
        let names = cut.objects();
        let all = cut.code.homes.objects.iter().enumerate();
        let name = |at: usize| {
            let name = names.get(&u32::try_from(at).expect("objects are few")).map(|(_, name)| name.clone());
            match name {
                Some(name) if is_old => level.renamed.get(&name).cloned().unwrap_or(name),
                Some(name) => name,
                None => format!("{} {at}", if is_old { "inner old" } else { "inner new" }),
            }
        };
        all.map(|(at, object)| (name(at), object.bytes)).collect()
    };
    let (a, b) = (named(old, true), named(new, false));
    own.extend(a.iter().cloned());
    let address = |context: &mut Context, (name, bytes): &(String, u64)| {
        // One that grew begins where it began; what it has behind its old end is its own.
        context.object_address(name, (*bytes).max(1 << 20))
    };
    let olds: Vec<u64> = a.iter().map(|one| address(context, one)).collect();
    let news: Vec<u64> = b.iter().map(|one| address(context, one)).collect();
    context.shared.extend(olds.iter().filter(|at| news.contains(at)));
    (olds, news)
}

/// Pointers are addresses that a program can have; truth values are 0 or 1.
fn premises(context: &mut Context, (old, new): (&Cut, &Cut), symbols: &[Symbol]) -> Vec<Term> {
    let mut found = Vec::new();
    for symbol in symbols {
        let module = match symbol.side {
            Side::Old => old.code.module,
            Side::New => new.code.module,
        };
        let Some(ctype) = symbol.ctype else { continue };
        let width = context.pool.width(symbol.term);
        match module.ctype(hydrogen_ir::layout::plain(module, ctype)) {
            CType::Pointer(_) if width == 64 => {
                let end = context.pool.bits(64, ADDRESSES);
                found.push(context.pool.ult(symbol.term, end));
            }
            CType::Basic { encoding: Encoding::Boolean, .. } => {
                let two = context.pool.bits(width, 2);
                found.push(context.pool.ult(symbol.term, two));
            }
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
