//! Dynamic dependence of a recorded run: data, control, and what potential dependence needs.

use crate::builder::Builder;
use crate::criterion::{OutputName, Seeds};
use crate::effects::Written;
use crate::named::NamedAt;
use crate::node::Node;
use crate::places::{Cell, FILES};
use crate::record::{Trace, TraceError};
use crate::records::Records;
use crate::replay::replay;
use crate::slice::Slice;
use crate::statics::Static;
use crate::touched::{Touched, Words};
use hydrogen_machine::Stream;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// How to find dependences.
#[derive(Debug, Clone)]
pub struct Options {
    /// How many bytes of the result may stay in memory; the rest goes to a temporary file.
    pub bound: usize,
    /// Executed instructions, by number, that access memory at an address which depends on the input: such a load reads, and
    /// such a store changes, the object as a whole.
    pub anywhere: FxHashSet<u64>,
    /// Which execution indices are kept.
    pub indices: Indices,
    /// Whether potential dependence counts. Without, relevant slices are dynamic ones, and their conditions no longer determine
    /// what comes out: for comparing.
    pub potential: bool,
    /// Bytes of an output that a criterion will be about, by descriptor.
    pub bytes: Option<(i32, std::ops::Range<u64>)>,
    /// A global variable of the program that a criterion will be about.
    pub global: Option<String>,
    /// A variable at a line that a criterion will be about.
    pub named: Option<NamedAt>,
    /// Set from outside to stop.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// Which execution indices are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Indices {
    /// None.
    #[default]
    None,
    /// Those of branches.
    Branches,
    /// Those of everything that chooses: also of accesses at computed addresses, and of calls through pointers.
    Choices,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            bound: 256 << 20,
            anywhere: FxHashSet::default(),
            indices: Indices::None,
            potential: true,
            bytes: None,
            global: None,
            named: None,
            interrupt: None,
        }
    }
}

/// What every executed instruction of a run depends on.
pub struct Dependences<'s, 'p> {
    pub(crate) statics: &'s Static<'p>,
    pub(crate) records: Records,
    pub(crate) cells: Vec<Cell>,
    /// What went out, in order.
    pub(crate) outputs: Vec<(OutputName, Node)>,
    /// How many instructions were executed.
    pub steps: u64,
    indices: FxHashMap<u64, u64>,
    pub(crate) potential: bool,
    /// Where the bytes come from that were asked for.
    pub(crate) bytes: Seeds,
    /// How often the line was executed that a variable was asked about at.
    pub(crate) times: u64,
    /// How many bytes went out, by descriptor.
    pub(crate) written: FxHashMap<i32, u64>,
    /// What was written to, by every output to a descriptor in turn.
    pub(crate) streams: Vec<Stream>,
    /// Which cells places touch, once a relevant slice was asked for: many are, of one run.
    touched: Mutex<Option<Touched>>,
}

impl<'s, 'p> Dependences<'s, 'p> {
    /// Plays a trace of the program that the facts are about.
    pub fn new(statics: &'s Static<'p>, trace: &Trace, options: &Options) -> Result<Self, TraceError> {
        const LONGEST: u64 = 1 << 32;
        if trace.steps > LONGEST {
            return Err(TraceError::TooLong(LONGEST));
        }
        let mut builder = Builder::new(statics, options);
        replay(statics.program, trace, &mut builder)?;
        builder.records.go_on()?;
        // What the outside is like no longer matters to the system call that ends the run.
        builder.current.cells.retain(|cell| cell.0 != FILES);
        builder.flush();
        if let Some(name) = &options.global {
            builder.keep_global(name);
        }
        builder.records.finish()?;
        let times = builder.looking.as_ref().map_or(0, |looking| looking.times);
        let Builder { records, cells, outputs, indices, step, bytes, written, .. } = builder;
        let (potential, streams) = (options.potential, trace.streams.clone());
        Ok(Self {
            statics,
            records,
            cells,
            outputs,
            steps: step,
            indices,
            potential,
            bytes,
            times,
            written,
            streams,
            touched: Mutex::default(),
        })
    }

    /// The execution index of a branch or another choice, where it is kept: equal for "the same" one in two runs.
    pub fn index(&self, step: u64) -> Option<u64> {
        self.indices.get(&step).copied()
    }

    /// Members of a slice behind a step that chose between several ways or places, by number: branches, accesses at addresses
    /// that are computed, and calls through pointers.
    pub fn choices(&self, slice: &Slice, behind: u64) -> Result<Vec<u64>, TraceError> {
        let mut found = Vec::new();
        self.records.forwards(|record| {
            let step = record.node.number();
            let chooses = record.taken.is_some() || record.chooses_place();
            if chooses && !record.node.is_part() && step > behind && slice.contains(step) {
                found.push(step);
            }
        })?;
        Ok(found)
    }

    /// The cells of memory that a set of places touches in this run.
    pub(crate) fn touched(&self, set: &Written) -> Words {
        let mut touched = self.touched.lock().unwrap_or_else(PoisonError::into_inner);
        touched.get_or_insert_with(|| Touched::new(self)).cells(self, set)
    }

    /// Bytes that the dependences take, in memory and in a temporary file.
    pub fn size(&self) -> (usize, u64) {
        self.records.len()
    }
}
