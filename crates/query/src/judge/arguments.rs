//! What every program is started with: as many arguments as it is told, none of them null, and null behind the last.

use crate::judge::resolve::Arrival;
use crate::meaning::state::{Cell, Part, Role, WORD};
use crate::walk::{Analyst, Frame};
use hydrogen_graph::VersionId;
use hydrogen_ir::layout::{plain, pointee};
use hydrogen_ir::{CType, CTypeId, Module, VariableKind};
use hydrogen_term::{Answer, Model, Op, Sort, Term};

/// As many arguments as examples have: the fewest that do. The first is the program's name.
const FEW: [u128; 9] = [1, 2, 3, 4, 6, 8, 10, 12, 16];

impl Analyst<'_> {
    /// Whether no start of a program has the condition at the entry of `main`. It is only asked, not added: a reader knows what arguments are.
    pub(crate) fn is_no_start(&mut self, frame: &Frame, term: Term, version: VersionId) -> bool {
        let Some((count, vector)) = self.names_of_arguments(frame, version) else { return false };
        let mentions = |one: &Term| {
            let name = self.terms.pool.as_var(*one);
            name.is_some_and(|name| name == count || name.strip_suffix(".object") == Some(&vector))
        };
        if !self.terms.pool.postorder(&[term]).iter().any(mentions) {
            return false;
        }
        let mut constraints = self.entry_axioms(term);
        constraints.extend(self.facts_of_arguments(term, &count, &vector));
        self.engine.check(&mut self.terms.pool, &constraints).is_unsat()
    }

    /// What holds of an arrival beside its condition: of all inputs, and of arguments where a program starts.
    pub(crate) fn arrival_axioms(&mut self, arrival: &Arrival) -> Vec<Term> {
        let mut all = self.entry_axioms(arrival.term);
        if let Some((count, vector)) = self.arguments_of(arrival) {
            all.extend(self.facts_of_arguments(arrival.term, &count, &vector));
        }
        all
    }

    /// Whether a cell is one of the vector of arguments, whose last is null.
    pub(crate) fn is_argument(&mut self, arrival: &Arrival, cell: Term) -> bool {
        let Some((_, vector)) = self.arguments_of(arrival) else { return false };
        let &[object, ..] = self.terms.pool.args(cell) else { return false };
        self.terms.pool.as_var(object).and_then(|name| name.strip_suffix(".object")) == Some(&vector)
    }

    /// A model with few arguments, if there is one: a run with millions of them is no example.
    pub(crate) fn few_arguments(
        &mut self,
        arrival: &Arrival,
        constraints: &mut Vec<Term>,
        model: Model,
    ) -> Model {
        let Some((count, _)) = self.arguments_of(arrival) else { return model };
        let count = self.terms.pool.var(&count, Sort::Bits(32));
        let one = self.terms.pool.bits(32, 1);
        let named = self.terms.pool.uge(count, one);
        for few in FEW {
            let few = self.terms.pool.bits(32, few);
            let before = constraints.len();
            constraints.extend([named, self.terms.pool.ule(count, few)]);
            match self.engine.check(&mut self.terms.pool, constraints) {
                Answer::Sat(fewer) => return fewer,
                _ => constraints.truncate(before),
            }
        }
        model
    }

    /// What holds of the arguments that a condition at the entry of a function speaks of, where that is where programs start.
    pub(crate) fn known_of_arguments(&mut self, frame: &Frame, version: VersionId, term: Term) -> Vec<Term> {
        match self.starts_with(frame, version) {
            Some((count, vector)) => self.facts_of_arguments(term, &count, &vector),
            None => Vec::new(),
        }
    }

    fn arguments_of(&mut self, arrival: &Arrival) -> Option<(String, String)> {
        let (frame, _) = arrival.frames.first()?.clone();
        let version = arrival.versions.first()?;
        self.starts_with(&frame, version)
    }

    /// How conditions name the arguments where the function is where the program starts.
    fn starts_with(&mut self, frame: &Frame, version: VersionId) -> Option<(String, String)> {
        let is_main = self.subject.program.graph.newest_name(frame.chain) == "main";
        let called =
            is_main && self.callers_of(frame.chain).iter().any(|(_, theirs)| theirs.contains(version));
        if is_main && !called { self.names_of_arguments(frame, version) } else { None }
    }

    fn facts_of_arguments(&mut self, term: Term, count: &str, vector: &str) -> Vec<Term> {
        let object = self.terms.pool.var(&format!("{vector}.object"), WORD);
        let offset = self.terms.pool.var(&format!("{vector}.offset"), WORD);
        let size = self.terms.size(object);
        let cells: Vec<(Term, Term)> = self
            .terms
            .pool
            .postorder(&[term])
            .into_iter()
            .filter_map(|cell| {
                let Op::Apply(function) = self.terms.pool.op(cell) else { return None };
                let Role::Memory(Cell::Pointer, Part::Object) = self.terms.role(function) else {
                    return None;
                };
                let &[of, at] = self.terms.pool.args(cell) else { return None };
                (of == object).then_some((cell, at))
            })
            .collect();
        let zero = self.terms.word(0);
        let pool = &mut self.terms.pool;
        let count = pool.var(count, Sort::Bits(32));
        let most = pool.bits(32, i32::MAX as u128);
        let (few, wide, eight) = (pool.ule(count, most), pool.resize_unsigned(count, 64), pool.bits(64, 8));
        let last = pool.mul(wide, eight);
        let bytes = pool.add(last, eight);
        let mut facts = vec![few, pool.ne(object, zero), pool.eq(offset, zero), pool.eq(size, bytes)];
        for (cell, at) in cells {
            let (before, there) = (pool.ult(at, last), pool.eq(at, last));
            let (null, some) = (pool.eq(cell, zero), pool.ne(cell, zero));
            facts.push(pool.implies(before, some));
            facts.push(pool.implies(there, null));
        }
        facts
    }

    /// How conditions name the number of arguments and their vector; none if `main` does not take both as usual.
    fn names_of_arguments(&mut self, frame: &Frame, version: VersionId) -> Option<(String, String)> {
        let shape = self.shape(frame.chain, version)?;
        let parameter = |number: u32| {
            shape.body().variables.iter().find(|one| one.kind == VariableKind::Parameter(number))
        };
        let (count, vector) = (parameter(0)?, parameter(1)?);
        let module: &Module = &shape.module;
        let whole = matches!(module.ctype(plain(module, count.ctype?)), CType::Basic { size_bits: 32, .. });
        let texts = |ctype: CTypeId| pointee(module, pointee(module, ctype)?);
        (whole && texts(vector.ctype?).is_some()).then_some(())?;
        let name = |name: &str| format!("{}{name}", frame.prefix);
        Some((name(&count.name), name(&vector.name)))
    }
}
