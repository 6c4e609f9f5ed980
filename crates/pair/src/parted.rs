//! One program started in two ways: which statement read what differs, and the first branch that goes elsewhere because of it.
//!
//! Both runs are the same up to there, so that nothing has to be aligned: the branches of the user's own code are compared one by one.

use hydrogen_machine::{End, FuncId, Limits, MemoryEvent, Monitor, Program, Site, Step, View, World};

/// More branches than this are not kept.
const MOST: usize = 20_000_000;

/// A statement of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// Its function.
    pub function: String,
    /// Its file.
    pub file: String,
    /// Its first line.
    pub line: u32,
    /// Its text.
    pub text: String,
}

/// Where two runs of one program part.
#[derive(Debug)]
pub struct Parted {
    /// The statement during which the first bytes came in that differ.
    pub read: Option<Spot>,
    /// The first branch that goes elsewhere, and the statements that follow in both runs.
    pub branch: Option<(Spot, [Option<Spot>; 2])>,
    /// How both runs ended.
    pub ends: [End; 2],
}

/// What came in.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Read {
    descriptor: i32,
    at: u64,
    bytes: Vec<u8>,
}

/// The branches of the user's own code, and what came in.
struct Ways<'p> {
    program: &'p Program,
    is_users: bool,
    /// The last instruction of the user's code.
    last: Option<Site>,
    branches: Vec<(Site, u32)>,
    reads: Vec<(Option<Site>, Read)>,
}

impl Monitor for Ways<'_> {
    fn step(&mut self, step: Step<'_>) {
        self.is_users = self.program.is_users(step.site.function);
        if self.is_users {
            self.last = Some(step.site);
        }
    }

    fn memory(&mut self, _address: u64, event: MemoryEvent, view: View<'_>) {
        if let MemoryEvent::Input(place, len, descriptor, at) = event {
            let bytes = view.bytes(place, len).to_vec();
            self.reads.push((self.last, Read { descriptor, at, bytes }));
        }
    }

    fn branch(&mut self, target: u32) {
        if let (true, Some(site)) = (self.is_users && self.branches.len() < MOST, self.last) {
            self.branches.push((site, target));
        }
    }
}

/// Runs a program in two worlds.
pub fn parted(program: &Program, worlds: [World; 2], limits: &Limits) -> Parted {
    let [(one, first), (other, second)] = worlds.map(|world| {
        let ways = Ways { program, is_users: false, last: None, branches: Vec::new(), reads: Vec::new() };
        let run = program.run_with(world, limits.clone(), ways);
        (run.monitor, run.end)
    });
    let reads = one.reads.iter().zip(&other.reads).find(|(a, b)| a.1 != b.1);
    let read = reads.and_then(|((site, _), _)| spot(program, site.as_ref()?.function, site.as_ref()?.pc));
    let pairs = one.branches.iter().zip(&other.branches);
    let branch = pairs.into_iter().find(|(a, b)| a != b).and_then(|(&(site, a), &(there, b))| {
        // The branches before it were the same, so that this is the same branch.
        if site != there {
            return None;
        }
        let next = [a, b].map(|pc| spot(program, site.function, pc));
        Some((spot(program, site.function, site.pc)?, next))
    });
    Parted { read, branch, ends: [first, second] }
}

/// The statement of an instruction.
fn spot(program: &Program, function: FuncId, pc: u32) -> Option<Spot> {
    let (module, model) = program.model(function)?;
    let body = model.body.as_ref()?;
    let origin = program.code(function)?.origin.get(pc as usize)?;
    let instruction = body.instructions.get(origin.index())?;
    let piece = model.pieces.get(instruction.piece.index())?;
    let span = piece.span?;
    Some(Spot {
        function: model.name.clone(),
        file: module.file(span.file).to_owned(),
        line: span.start.line,
        text: piece.label(),
    })
}
