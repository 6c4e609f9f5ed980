//! Symbolic execution backwards along a slice (F-D11, A-4): what is still to be explained, what values are in terms of that, and under
//! which condition, one line of the source after the other, from the criterion to the input.

use crate::concolic::Concolic;
use crate::cut::{Cut, Definition, Name};
use crate::path::{Conjunct, Kind};
use crate::show::show;
use crate::symbolic::Symbolic;
use hydrogen_machine::code::Instr;
use hydrogen_machine::{Limits, Program, Run, Site, Stream, World};
use hydrogen_term::{Pool, Sort, Substitution, Term};
use hydrogen_trace::{OutputName, Slice};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Longer explanations are cut.
const MOST_ROWS: usize = 1000;

/// What is explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Explained {
    /// What these executed instructions read, by number.
    Steps(Vec<u64>),
    /// What was given out.
    Output(OutputName),
}

/// One line of the source, seen from behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// An instruction of the line; `None` for the criterion where it is no line.
    pub site: Option<Site>,
    /// The variables that were set on the way so far, and to what.
    pub values: Vec<(String, String)>,
    /// The variables that are still to be explained.
    pub open: Vec<String>,
    /// What must hold for the run to go this way, as far as it matters.
    pub condition: Vec<String>,
}

/// An explanation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Explanation {
    /// From the criterion to the input.
    pub rows: Vec<Row>,
    /// Whether there were too many.
    pub is_cut: bool,
}

/// Something on the way back.
enum Event<'e> {
    Set(&'e Definition),
    Branch(&'e Conjunct),
}

/// Runs a program again and explains, along a slice of the same run.
pub fn explain(
    program: &Program,
    symbolic: &Symbolic,
    world: World,
    limits: Limits,
    slice: &Slice,
    what: &Explained,
) -> Explanation {
    let steps = match what {
        Explained::Steps(steps) => steps.iter().copied().collect(),
        Explained::Output(_) => FxHashSet::default(),
    };
    let mut concolic = Concolic::new(program, symbolic, &world, Pool::new());
    concolic.every = true;
    let Run { monitor, .. } = program.run_with(world, limits, Cut::new(program, concolic, steps));
    let Cut { mut concolic, definitions, read, at, .. } = monitor;
    let roots: Vec<Term> = match what {
        Explained::Steps(_) => read,
        Explained::Output(OutputName::Named(name)) => {
            concolic.outputs.iter().filter(|one| one.name == *name).map(|one| one.value).collect()
        }
        Explained::Output(OutputName::Descriptor(number)) => {
            let stream = if *number == 2 { Stream::Stderr } else { Stream::Stdout };
            concolic.logs.of(stream).map(|one| one.1).collect()
        }
    };
    let first = match what {
        Explained::Steps(steps) => steps.iter().max().copied(),
        Explained::Output(_) => None,
    };
    let pool = std::mem::take(&mut concolic.pool);
    let mut events: Vec<(u64, Event<'_>)> =
        definitions.iter().map(|one| (one.step, Event::Set(one))).collect();
    let branches = concolic.path.iter().filter(|one| {
        one.kind == Kind::Branch && slice.contains(one.instance) && is_branch(program, one.site)
    });
    events.extend(branches.map(|one| (one.instance, Event::Branch(one))));
    // A stable sort: of what one instruction did, the last comes first on the way back.
    events.sort_by_key(|event| event.0);
    events.retain(|event| first.is_none_or(|first| event.0 <= first));
    let mut back = Backwards::new(pool, &definitions, roots);
    back.begin(program, at);
    for (_, event) in events.iter().rev() {
        if !back.go(program, event) {
            break;
        }
    }
    back.explanation
}

fn is_branch(program: &Program, site: Site) -> bool {
    let code = program.code(site.function);
    let instr = code.and_then(|code| code.instrs.get(site.pc as usize));
    matches!(instr, Some(Instr::Branch { .. } | Instr::Switch { .. }))
}

struct Backwards {
    pool: Pool,
    roots: Vec<Term>,
    /// By variable, in the order in which they were come by.
    values: Vec<(Rc<Name>, Term)>,
    condition: Vec<Term>,
    /// The definition of each symbol.
    symbols: FxHashMap<Term, Rc<Name>>,
    /// How variables are called.
    names: BTreeMap<Rc<Name>, String>,
    last: Option<(Site, u32)>,
    explanation: Explanation,
}

impl Backwards {
    fn new(pool: Pool, definitions: &[Definition], roots: Vec<Term>) -> Self {
        let symbols = definitions.iter().map(|one| (one.symbol, Rc::clone(&one.name))).collect();
        let (values, condition, names) = (Vec::new(), Vec::new(), names(definitions));
        let explanation = Explanation::default();
        Self { pool, roots, values, condition, symbols, names, last: None, explanation }
    }

    /// The row of the criterion.
    fn begin(&mut self, program: &Program, at: Option<Site>) {
        self.last = at.map(|site| (site, program.place(site).line));
        self.row(at);
    }

    fn terms(&self) -> Vec<Term> {
        let values = self.values.iter().map(|one| one.1);
        values.chain(self.condition.iter().copied()).chain(self.roots.iter().copied()).collect()
    }

    /// The symbols that are to be explained.
    fn open(&self) -> Vec<Term> {
        let variables = self.pool.variables(&self.terms());
        variables.into_iter().filter(|one| self.symbols.contains_key(one)).collect()
    }

    /// One step back. False when there are too many rows.
    fn go(&mut self, program: &Program, event: &Event<'_>) -> bool {
        let site = match event {
            Event::Set(one) => {
                if !self.open().contains(&one.symbol) {
                    return true;
                }
                if !self.values.iter().any(|known| known.0 == one.name) {
                    self.values.push((Rc::clone(&one.name), one.symbol));
                }
                let mut done: Substitution = [(one.symbol, one.value)].into_iter().collect();
                let pool = &mut self.pool;
                for term in self.values.iter_mut().map(|one| &mut one.1) {
                    *term = pool.substitute_with(*term, &mut done);
                }
                for term in self.condition.iter_mut().chain(&mut self.roots) {
                    *term = pool.substitute_with(*term, &mut done);
                }
                one.site
            }
            Event::Branch(one) => {
                self.condition.insert(0, one.term);
                one.site
            }
        };
        // What is known to hold, or said before, says nothing.
        let mut said = FxHashSet::default();
        let pool = &self.pool;
        self.condition.retain(|term| pool.as_bool(*term).is_none() && said.insert(*term));
        let line = program.place(site).line;
        // What happens on one line is one step.
        let same = self.last.is_some_and(|(last, at)| last.function == site.function && at == line)
            && self.explanation.rows.len() > 1;
        self.last = Some((site, line));
        if same {
            self.explanation.rows.pop();
        } else if self.explanation.rows.len() >= MOST_ROWS {
            self.explanation.is_cut = true;
            return false;
        }
        self.row(Some(site));
        true
    }

    /// Writes down how things stand.
    fn row(&mut self, site: Option<Site>) {
        let open = self.open();
        let mut shown = Substitution::default();
        for symbol in &open {
            let name = &self.names[&self.symbols[symbol]];
            let width = self.pool.width(*symbol);
            let variable = self.pool.var(name, Sort::Bits(width));
            shown.insert(*symbol, variable);
        }
        let pool = &mut self.pool;
        let mut text = |term: Term| {
            let term = pool.substitute_with(term, &mut shown);
            match pool.as_signed(term) {
                Some(value) => value.to_string(),
                None => show(pool, term),
            }
        };
        let values = self.values.iter().map(|(name, term)| (self.names[name].clone(), text(*term))).collect();
        let condition = self.condition.iter().map(|term| text(*term)).collect();
        let open: BTreeSet<String> = open.iter().map(|one| self.names[&self.symbols[one]].clone()).collect();
        self.explanation.rows.push(Row { site, values, open: open.into_iter().collect(), condition });
    }
}

/// What variables are called: by their name where that is enough, else with their function, else with the activation's number too.
fn names(definitions: &[Definition]) -> BTreeMap<Rc<Name>, String> {
    let all: BTreeSet<&Rc<Name>> = definitions.iter().map(|one| &one.name).collect();
    let mut by_name: BTreeMap<&str, BTreeMap<&str, Vec<u64>>> = BTreeMap::new();
    for one in &all {
        let functions = by_name.entry(&one.name).or_default();
        functions.entry(&one.function).or_default().push(one.activation);
    }
    let call = |one: &Name| {
        let functions = &by_name[one.name.as_str()];
        let activations = &functions[one.function.as_str()];
        match (functions.len(), activations.len()) {
            (1, 1) => one.name.clone(),
            (_, 1) if one.function.is_empty() => one.name.clone(),
            (_, 1) => format!("{}.{}", one.function, one.name),
            _ => {
                let number = activations.iter().position(|known| *known == one.activation).unwrap_or(0) + 1;
                format!("{}#{number}.{}", one.function, one.name)
            }
        }
    };
    all.into_iter().map(|one| (Rc::clone(one), call(one))).collect()
}
