//! A monitor that follows the input through a run.

use crate::address::MOST_CHOICES;
use crate::counted::Shape;
use crate::coverage::Coverage;
use crate::focus::Focus;
use crate::frames::Frame;
use crate::given::Memory;
use crate::input::read_number;
use crate::kept::Kept;
use crate::left::LeftTerms;
use crate::loops::Looping;
use crate::memory::Bytes;
use crate::outputs::Logs;
use crate::path::{Conjunct, Kind};
use crate::shape::Made;
use crate::sizes::Sized;
use crate::summary::Summary;
use crate::symbolic::Symbolic;
use crate::texts::Text;
use bstr::BString;
use hydrogen_evidence::Input;
use hydrogen_machine::code::{Code, Instr, Part, Pc, Reg, Role};
use hydrogen_machine::{End, FuncId, Place, Program, Site, Stream, World};
use hydrogen_term::{Pool, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the current instruction waits for.
#[derive(Debug, Default)]
pub(crate) enum Pending {
    #[default]
    Nothing,
    /// A load into this register.
    Load(Reg),
    /// A store of this term, or this value.
    Store(Option<Term>, u64),
    /// Loads of parts, from the last to the first.
    LoadParts(Reg, Vec<Part>),
    /// Stores of parts, with what they store, from the last to the first.
    StoreParts(Vec<Option<Term>>),
    /// Memory is filled with this byte.
    Fill(Term),
    /// A copy about which everything is said.
    Copied,
    /// A call with these arguments: their terms by the callee's register, and where the result goes.
    Call(Vec<Option<Term>>, Reg, u32),
    /// A return of these.
    Return(Vec<Option<Term>>),
}

/// A value that the program named as its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedOutput {
    /// The name.
    pub name: String,
    /// Its value as a term; a constant when it does not depend on the input.
    pub value: Term,
}

/// Follows the input through a run: terms beside values, and the path condition.
pub struct Concolic<'p> {
    pub(crate) program: &'p Program,
    pub(crate) symbolic: &'p Symbolic,
    /// By number of a variable of the environment, where its value begins and how many bytes of it are symbolic.
    pub(crate) environment: BTreeMap<usize, (BString, usize)>,
    /// The terms.
    pub pool: Pool,
    /// What the input of this run fulfils, in the order of execution.
    pub path: Vec<Conjunct>,
    /// What the program named as output.
    pub outputs: Vec<NamedOutput>,
    /// The memory that the program named as input, with its size.
    pub named: BTreeMap<BString, u64>,
    /// The bytes that went out and depend on the input.
    pub logs: Logs,
    /// The exit status as a term of eight bits, if it depends on the input.
    pub status: Option<Term>,
    /// Values that could not be followed, by reason and place; each gave a conjunct of kind `Concrete`.
    pub concretised: BTreeMap<(String, Site), u64>,
    /// How many executed instructions had operands that depend on the input.
    pub dependent: u64,
    /// What of the user's program was executed.
    pub coverage: Coverage,
    /// Every term that was used, with the value it stood for; only filled when asked for.
    pub audit: Option<FxHashSet<(Term, u128)>>,
    /// Whether a condition that is no branch is kept every time; otherwise once is enough.
    pub every: bool,
    /// Whether functions on texts and counted loops are terms instead of paths. Slices need paths.
    pub summaries: bool,
    /// For which instructions terms are made.
    pub focus: Focus,
    /// The instances of accesses whose address depends on the input.
    pub somewhere: FxHashSet<u64>,
    /// What chosen instructions computed, where somebody wants to know.
    pub kept: Option<Kept>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) bytes: Bytes,
    pub(crate) pending: Pending,
    /// The symbolic address of the current access, and what it is in this run.
    pub(crate) pointer: Option<(Term, u64)>,
    /// The symbolic address of an access that was not allowed.
    pub(crate) strayed: Option<(Term, u64)>,
    pub(crate) arguments: Vec<(Option<Term>, u64)>,
    pub(crate) site: Site,
    pub(crate) instance: u64,
    /// Whether the current instruction has terms.
    pub(crate) in_focus: bool,
    /// Where the current branch goes.
    pub(crate) taken: Option<Pc>,
    /// Conditions that were required without being branches; once is enough.
    pub(crate) known: FxHashSet<Term>,
    /// What the path says so far.
    pub(crate) stated: FxHashSet<Term>,
    /// Tables that cannot change, as arrays of the solver.
    pub(crate) arrays: FxHashMap<(Place, u64), Term>,
    /// The stream that the next bytes come from or go to.
    pub(crate) stream: Option<(Stream, u64)>,
    /// What comes in with the call of a single function, until it is entered.
    pub(crate) made: Option<Made>,
    pub(crate) memory: Memory,
    /// What the call of a single function left behind, once it has returned.
    pub(crate) left: Option<LeftTerms>,
    /// Symbolic bytes of files, by file and offset; absent: the file was not looked at yet.
    pub(crate) files: FxHashMap<Stream, BTreeMap<u64, Term>>,
    /// The loops that branches belong to, where they can be counted.
    pub(crate) shapes: FxHashMap<Site, Option<Arc<Shape>>>,
    /// The loop under way that is not followed.
    pub(crate) looping: Option<Looping>,
    /// The size that the current call asks for, if it depends on the input.
    pub(crate) asked_size: Option<Term>,
    /// Objects whose size depends on the input.
    pub(crate) sized: Vec<Sized>,
    /// Bytes that a copy gave a value only where its length reached them: the side that this run is on.
    pub(crate) unsure: FxHashMap<Place, Term>,
    /// So many bytes may still become choices by writes at symbolic addresses.
    pub(crate) writable: u64,
    /// The numbers among the arguments, as they are in this run.
    first_numbers: BTreeMap<usize, i64>,
    /// Their texts.
    pub(crate) texts: Vec<Text>,
    /// The call under way that is not followed.
    pub(crate) summary: Option<Summary>,
}

impl<'p> Concolic<'p> {
    /// A monitor for one run in a world. Terms go into `pool`, which may hold those of earlier runs.
    pub fn new(program: &'p Program, symbolic: &'p Symbolic, world: &World, pool: Pool) -> Self {
        let variable = |(name, len): (&BString, &usize)| {
            let (index, _) = world.variable(name)?;
            Some((index, (name.clone(), *len)))
        };
        let number = |index: &usize| Some((*index, read_number(world.args.get(*index)?)?));
        Self {
            program,
            symbolic,
            environment: symbolic.environment.iter().filter_map(variable).collect(),
            pool,
            path: Vec::new(),
            outputs: Vec::new(),
            named: BTreeMap::new(),
            logs: Logs::default(),
            status: None,
            concretised: BTreeMap::new(),
            dependent: 0,
            coverage: Coverage::new(program),
            audit: None,
            every: false,
            summaries: false,
            focus: Focus::All,
            somewhere: FxHashSet::default(),
            kept: None,
            frames: Vec::new(),
            bytes: Bytes::default(),
            pending: Pending::Nothing,
            pointer: None,
            strayed: None,
            arguments: Vec::new(),
            site: Site { function: FuncId(0), pc: 0 },
            instance: 0,
            in_focus: true,
            taken: None,
            known: FxHashSet::default(),
            stated: FxHashSet::default(),
            arrays: FxHashMap::default(),
            stream: None,
            made: None,
            memory: Memory::default(),
            left: None,
            files: FxHashMap::default(),
            shapes: FxHashMap::default(),
            looping: None,
            asked_size: None,
            sized: Vec::new(),
            unsure: FxHashMap::default(),
            writable: MOST_CHOICES,
            first_numbers: symbolic.numbers.keys().filter_map(number).collect(),
            texts: Vec::new(),
            summary: None,
        }
    }

    /// The number that an argument is in this run.
    pub(crate) fn first_number(&self, index: usize) -> Option<i64> {
        self.first_numbers.get(&index).copied()
    }

    /// The same for the call that an input stands for, if a single function is called.
    pub fn with_call(mut self, input: &Input) -> Self {
        let entry = self.symbolic.call.as_ref();
        let open = |name: &str| self.symbolic.may_change(name);
        self.made =
            entry.and_then(|entry| entry.made(self.program, self.symbolic.surroundings, &open, input));
        self
    }

    /// Tells how the run ended. An assumption that does not hold is a branch whose other side goes on; a check that the
    /// fault broke, as `holds` finds out, is the fault's reason.
    pub fn finish(&mut self, end: &End, holds: impl Fn(&Pool, Term) -> bool) {
        // What a call that is not followed requires was said where it was called.
        let now = self.summary.as_ref().map_or(self.instance, |summary| summary.instance);
        let last = |one: &Conjunct| one.instance == now;
        match end {
            End::Fault(_) => {
                let first = self.path.iter().rposition(|one| !last(one)).map_or(0, |at| at + 1);
                let broken = (first..self.path.len()).find(|at| {
                    self.path[*at].kind == Kind::NoFault && !holds(&self.pool, self.path[*at].term)
                });
                if let Some(at) = broken {
                    let term = self.pool.not(self.path[at].term);
                    self.path.truncate(at + 1);
                    self.path[at] = Conjunct { term, kind: Kind::Fault, ..self.path[at] };
                }
            }
            End::Assumption(_) => {
                if let Some(assumed) = self.path.pop_if(|one| last(one) && one.kind == Kind::Assumed) {
                    let term = self.pool.not(assumed.term);
                    self.path.push(Conjunct { term, kind: Kind::Branch, ..assumed });
                    self.stated.insert(term);
                }
            }
            _ => {}
        }
    }

    pub(crate) fn term(&self, reg: Reg) -> Option<Term> {
        self.frames.last().and_then(|frame| frame.get(reg))
    }

    pub(crate) fn set(&mut self, reg: Reg, term: Option<Term>) {
        let term = term.filter(|term| self.pool.as_bits(*term).is_none());
        if let Some(frame) = self.frames.last_mut() {
            frame.set(reg, term);
        }
    }

    /// Sets a value of up to 128 bits.
    pub(crate) fn set_wide(&mut self, reg: Reg, term: Term) {
        let width = self.pool.width(term);
        if width <= 64 {
            return self.set(reg, Some(term));
        }
        let (low, high) = (self.pool.extract(term, 63, 0), self.pool.extract(term, width - 1, 64));
        self.set(reg, Some(low));
        self.set(reg + 1, Some(high));
    }

    pub(crate) fn clear_results(&mut self, code: &Code, instr: &Instr) {
        let Some(frame) = self.frames.last_mut().filter(|frame| frame.is_symbolic()) else { return };
        code.accesses(instr, &mut |access| {
            if access.role == Role::Result {
                (access.first..access.first + access.count).for_each(|reg| frame.set(reg, None));
            }
        });
    }
}
