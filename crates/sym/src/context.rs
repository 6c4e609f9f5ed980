//! What both versions share while they are compared: the pool of terms, addresses of named things, and calls.

use crate::{
    Obstacle,
    calls::Calls,
    tables::{Table, bytes_of},
};
use hydrogen_ir::{Const, ConstExpr, ConstId, FunctionId, GlobalId, Linkage, Module};
use hydrogen_term::{Pool, Term};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Which of the two versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The old version.
    Old,
    /// The new version.
    New,
}

impl Side {
    /// A word for names of terms and for people.
    pub fn word(self) -> &'static str {
        match self {
            Side::Old => "old",
            Side::New => "new",
        }
    }
}

/// Addresses below are no objects.
pub const FIRST_PAGE: u128 = 4096;
/// Addresses that a program can have are below.
pub const ADDRESSES: u128 = 1 << 47;
/// Where globals begin.
const GLOBALS: u64 = 0x10_0000_0000;
/// Where functions begin.
const FUNCTIONS: u64 = 0x8_0000_0000;
/// Where local objects with an address begin.
const OBJECTS: u64 = 0x7000_0000_0000;

/// The terms and names of one comparison.
pub struct Context {
    /// All terms.
    pub pool: Pool,
    /// What was asked of closed functions.
    pub calls: Calls,
    /// Functions, by linker's name, of which both versions are known to behave alike.
    pub alike: BTreeSet<String>,
    /// What functions with a body, of those, can see and change; everything where it says nothing.
    pub reach: crate::effects::Reaches,
    /// Values are numbers, not symbols: a run on one input.
    pub concrete: bool,
    /// In search of an input: the only memory there is besides local objects and tables, as begin and size.
    pub buffers: Option<Vec<(u64, u64)>>,
    /// Globals that were met, as begin and size.
    pub globals: BTreeSet<(u64, u64)>,
    /// Of those, the ones that are there in any case and can be written.
    pub variables: BTreeSet<(u64, u64)>,
    /// Whether a run met something of which only the name is known.
    pub guessed: bool,
    /// Objects are taken to be smaller than two gigabytes, so that counters of 32 bits do not run over before an array ends.
    pub small_objects: bool,
    /// Addresses of the local objects that both versions have.
    pub shared: BTreeSet<u64>,
    /// Constant globals whose bytes are known.
    pub tables: Vec<Table>,
    /// Calls of functions of numbers, as terms, and when one of the runs makes them.
    pub made: FxHashMap<Term, Term>,
    /// Pointers that are used lead to what may be used unless they are null, closed functions come back without a fault, and signed numbers wrap: for
    /// whoever asks what code does, and not whether it may.
    pub trusting: bool,
    /// Whether evaluating notes what instructions do.
    pub notes: bool,
    /// Whether evaluating lists what instructions ask of the state. Functions of the library do then what their contracts say and no more.
    pub checks: bool,
    /// Whether somebody looks at the error number, so that contracts do not say all.
    pub errno: bool,
    /// When evaluating must be over.
    pub deadline: Option<std::time::Instant>,
    addresses: BTreeMap<String, u64>,
    next: [u64; 3],
}

impl Context {
    /// A context in which these functions are known to be the same in both versions.
    pub fn new(alike: BTreeSet<String>) -> Self {
        Self {
            pool: Pool::new(),
            calls: Calls::default(),
            alike,
            reach: crate::effects::Reaches::default(),
            concrete: false,
            buffers: None,
            globals: BTreeSet::new(),
            variables: BTreeSet::new(),
            guessed: false,
            small_objects: false,
            shared: BTreeSet::new(),
            tables: Vec::new(),
            made: FxHashMap::default(),
            trusting: false,
            notes: false,
            checks: false,
            errno: false,
            deadline: None,
            addresses: BTreeMap::new(),
            next: [FUNCTIONS, GLOBALS, OBJECTS],
        }
    }

    /// An obstacle once the time is over.
    pub fn in_time(&self) -> Result<(), Obstacle> {
        match self.deadline.is_some_and(|end| std::time::Instant::now() > end) {
            true => Err(Obstacle::new("the time is over")),
            false => Ok(()),
        }
    }

    /// A number of 64 bits.
    pub fn word(&mut self, value: u64) -> Term {
        self.pool.bits(64, u128::from(value))
    }

    fn address(&mut self, area: usize, key: String, bytes: u64) -> u64 {
        let next = &mut self.next[area];
        *self.addresses.entry(key).or_insert_with(|| {
            let address = *next;
            // A page between neighbours, so that a small step does not lead from one into the other.
            *next += bytes.div_ceil(4096).saturating_add(1).saturating_mul(4096);
            address
        })
    }

    /// The address of a local object; equal keys, equal addresses.
    pub fn object_address(&mut self, key: &str, bytes: u64) -> u64 {
        self.address(2, format!("object {key}"), bytes)
    }

    /// The address of a function: the same in both versions only if they are known to behave alike.
    pub fn function_address(&mut self, side: Side, module: &Module, function: FunctionId) -> u64 {
        let key = self.function_key(side, module, function);
        self.address(0, format!("function {key}"), 16)
    }

    /// What a function is called here.
    pub fn function_key(&self, side: Side, module: &Module, function: FunctionId) -> String {
        let function = module.function(function);
        let shared = !function.is_defined() || self.alike.contains(&function.name);
        if shared {
            function.name.clone()
        } else {
            format!("{} of the {} version", function.name, side.word())
        }
    }

    /// The address of a global: by name, and for constants by what they hold.
    pub fn global_address(&mut self, side: Side, module: &Module, id: GlobalId) -> Result<u64, Obstacle> {
        let global = module.global(id);
        if let Some(target) = global.alias_of {
            return match module.constant(target) {
                Const::Global(target) if *target != id => self.global_address(side, module, *target),
                _ => Err(Obstacle::new(format!("the alias `{}` is not followed", global.name))),
            };
        }
        let bytes = module.types.layout(global.ty).map_or(8, |layout| layout.alloc_bytes);
        let mut key = format!("{bytes} bytes ");
        if !global.private {
            key += plain_name(&global.name);
            if global.linkage == Linkage::Internal {
                // Statics of different files may share a name.
                let same = module.globals[..id.index()]
                    .iter()
                    .filter(|one| plain_name(&one.name) == plain_name(&global.name))
                    .count();
                key += &format!(" {same}");
            }
        }
        if global.thread_local {
            return Err(Obstacle::new(format!("`{}` belongs to a thread", global.name)));
        }
        if global.constant
            && let Some(value) = global.initializer
        {
            key += " = ";
            self.describe(side, module, value, 0, &mut key)?;
        }
        let address = self.address(1, format!("global {key}"), bytes);
        self.globals.insert((address, bytes));
        if !global.constant && global.initializer.is_some() {
            self.variables.insert((address, bytes));
        }
        Ok(address)
    }

    /// A constant in words that are equal only for equal constants.
    fn describe(
        &mut self,
        side: Side,
        module: &Module,
        id: ConstId,
        depth: u32,
        out: &mut String,
    ) -> Result<(), Obstacle> {
        if depth > 64 || out.len() > 1 << 20 {
            return Err(Obstacle::new("a constant table is too large or refers to itself"));
        }
        let constant = module.constant(id);
        let width =
            constant.ty().and_then(|ty| module.types.layout(ty)).map_or(64, |layout| layout.size_bits);
        match constant {
            Const::Int { bits, .. } => *out += &format!("i{width} {bits:x} "),
            Const::Float { bits, .. } => *out += &format!("f{width} {bits:x} "),
            Const::WideInt { words, .. } => *out += &format!("w{width} {words:x?} "),
            Const::Zero(_) => *out += &format!("zero{width} "),
            Const::Undef(_) | Const::Poison(_) => *out += &format!("undefined{width} "),
            Const::Bytes { data, .. } => *out += &format!("bytes {data:x?} "),
            Const::Aggregate { elements, .. } => {
                *out += &format!("{{{width} ");
                for &element in elements {
                    self.describe(side, module, element, depth + 1, out)?;
                }
                *out += "} ";
            }
            Const::Global(global) => {
                *out += &format!("@{:x} ", self.global_address_in(side, module, *global, depth)?)
            }
            Const::Function(function) => {
                *out += &format!("fn {} ", self.function_key(side, module, *function))
            }
            Const::Expr { expr: ConstExpr::ElementAddress { source, base, indices, .. }, .. } => {
                *out += &format!("element of {:?} ", module.types.layout(*source));
                for &inner in std::iter::once(base).chain(indices) {
                    self.describe(side, module, inner, depth + 1, out)?;
                }
            }
            Const::Expr { expr: ConstExpr::Cast(op, inner), .. } => {
                *out += &format!("{op:?}{width} ");
                self.describe(side, module, *inner, depth + 1, out)?;
            }
            Const::BlockAddress { .. } | Const::Expr { .. } => {
                return Err(Obstacle::new("a constant is computed in a way that is not followed"));
            }
        }
        Ok(())
    }

    fn global_address_in(
        &mut self,
        side: Side,
        module: &Module,
        id: GlobalId,
        depth: u32,
    ) -> Result<u64, Obstacle> {
        // A constant that leads back to itself would be described for ever.
        let global = module.global(id);
        if depth > 8 && global.constant {
            return Err(Obstacle::new("a constant table refers to itself"));
        }
        self.global_address(side, module, id)
    }
}

impl Context {
    /// Notes that a run makes a call where a condition holds.
    pub fn makes(&mut self, call: Term, when: Term) {
        let before = self.made.get(&call).copied();
        let when = before.map_or(when, |before| self.pool.or(before, when));
        self.made.insert(call, when);
    }

    /// An unknown function of numbers. In a run on one input it is some function: a hash of its arguments.
    pub fn unknown(&mut self, name: &str, arguments: &[Term], result: hydrogen_term::Sort) -> Term {
        use hydrogen_term::Sort;
        let values: Option<Vec<u128>> = arguments.iter().map(|&term| self.pool.as_bits(term)).collect();
        if self.concrete
            && let Some(values) = values
        {
            self.guessed = true;
            let hash = hydrogen_ir::ContentHash::of(format!("{name} {values:x?}").as_bytes()).0;
            let number = u128::from_le_bytes(hash);
            return match result {
                Sort::Bits(width) => self.pool.bits(width, number % 97),
                _ => self.pool.bool(number & 1 == 1),
            };
        }
        if arguments.is_empty() {
            return self.pool.var(name, result);
        }
        let sorts: Vec<Sort> = arguments.iter().map(|&term| self.pool.sort(term)).collect();
        let function = self.pool.function(name, &sorts, result);
        self.pool.apply(function, arguments)
    }
}

impl Context {
    /// The table of a constant global at an address, if its bytes are known and few.
    pub fn table(&mut self, module: &Module, id: GlobalId, address: u64) -> Option<u32> {
        let number = |at: usize| u32::try_from(at).expect("tables are few");
        if let Some(at) = self.tables.iter().position(|table| table.address == address) {
            return Some(number(at));
        }
        let global = module.global(id);
        let bytes = bytes_of(module, global.initializer.filter(|_| global.constant)?)?;
        let mut array = self.pool.var(&format!("around {address:x}"), hydrogen_term::Sort::MEMORY);
        for (at, byte) in (address..).zip(&bytes) {
            let (at, byte) = (self.word(at), self.pool.bits(8, u128::from(*byte)));
            array = self.pool.store(array, at, byte);
        }
        self.tables.push(Table { address, bytes: bytes.len() as u64, array });
        Some(number(self.tables.len() - 1))
    }
}

/// A static local's name without the number that the compiler adds to a second one.
fn plain_name(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((before, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            before
        }
        _ => name,
    }
}
