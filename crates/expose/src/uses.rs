//! Where in the machine's code what a statement writes is read first (static def-use, F-A3).

use hydrogen_flow::{FirstUses, Flow, Options, PointsTo};
use hydrogen_ir::{FunctionId, InstructionId, PieceId};
use hydrogen_machine::{FuncId, FuncKind, Program, Site};
use std::collections::BTreeSet;

/// Where the pointers of a program lead, prepared once.
pub(crate) struct Uses<'p> {
    program: &'p Program,
    options: Options,
    points_to: Option<PointsTo>,
}

impl<'p> Uses<'p> {
    /// For a program that is started at a function.
    pub(crate) fn new(program: &'p Program, entry: &str) -> Self {
        let options = Options { closed: true, roots: vec![entry.to_owned()], ..Options::default() };
        let points_to = program.units().next().map(|module| PointsTo::new(module, &options));
        Self { program, options, points_to }
    }

    /// The instructions of the statements that may be the first to read what the statement of an instruction writes.
    pub(crate) fn of(&self, site: Site) -> Vec<Site> {
        self.readers(site).map_or(Vec::new(), |readers| self.sites(&readers))
    }

    /// The instructions of the statements that depend on that of an instruction: those that may be the first to read what it writes, and those that
    /// it decides about.
    pub(crate) fn affected_by(&self, site: Site) -> Vec<Site> {
        let mut all = self.readers(site).unwrap_or_default();
        all.extend(self.decided(site).unwrap_or_default());
        self.sites(&all)
    }

    /// The statements about which that of an instruction decides.
    fn decided(&self, site: Site) -> Option<BTreeSet<(FunctionId, PieceId)>> {
        let module = self.program.units().next()?;
        let number = self.function(site.function)?;
        let function = module.function(number);
        let origin = *self.program.code(site.function)?.origin.get(site.pc as usize)?;
        let piece = function.body.as_ref()?.instruction(origin).piece;
        let control = Flow::of_pieces(function).control_dependence();
        let own = control.dependents(piece.index()).iter().map(|(_, at)| (number, PieceId::at(*at)));
        Some(own.filter(|(_, at)| *at != piece).collect())
    }

    fn readers(&self, site: Site) -> Option<BTreeSet<(FunctionId, PieceId)>> {
        let module = self.program.units().next()?;
        let all = FirstUses::new(module, &self.options, self.points_to.as_ref()?);
        let function = self.function(site.function)?;
        let body = module.function(function).body.as_ref()?;
        let origin = *self.program.code(site.function)?.origin.get(site.pc as usize)?;
        let piece = body.instruction(origin).piece;
        let mut found = BTreeSet::new();
        for at in (0..body.instructions.len()).filter(|at| body.instructions[*at].piece == piece) {
            for (user, instruction) in all.of((function, InstructionId::at(at))) {
                let body = module.function(user).body.as_ref()?;
                found.insert((user, body.instruction(instruction).piece));
            }
        }
        found.remove(&(function, piece));
        Some(found)
    }

    fn sites(&self, readers: &BTreeSet<(FunctionId, PieceId)>) -> Vec<Site> {
        let mut found = Vec::new();
        for id in self.program.ids() {
            let own = self.function(id).filter(|own| readers.iter().any(|(reader, _)| reader == own));
            let (Some(own), Some(code)) = (own, self.program.code(id)) else { continue };
            let Some((_, function)) = self.program.model(id) else { continue };
            let Some(body) = &function.body else { continue };
            let reads = |origin: &InstructionId| readers.contains(&(own, body.instruction(*origin).piece));
            let here = (0u32..).zip(&code.origin).filter(|(_, origin)| reads(origin));
            found.extend(here.map(|(pc, _)| Site { function: id, pc }));
        }
        found
    }

    /// The number of a function in the user's own unit.
    fn function(&self, id: FuncId) -> Option<FunctionId> {
        match self.program.function(id).kind {
            FuncKind::Defined(0, number) => Some(number),
            _ => None,
        }
    }
}
