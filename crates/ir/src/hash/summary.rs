//! What a version's index needs to know of a module, without the module.

use super::{ContentHash, Fingerprint, code::code, constants::Hashes, pieces::pieces, sink::Sink};
use crate::{Const, ConstId, Function, GlobalId, Linkage, Module, Operand, Reference};
use serde::{Deserialize, Serialize};

/// A function definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionSummary {
    /// The linker's name.
    pub name: String,
    /// Who can see it.
    pub linkage: Linkage,
    /// The file of the definition; the unit's where unknown.
    pub file: String,
    /// Its first line; 0 where unknown.
    pub line: u32,
    /// Its last line; 0 where unknown.
    pub end_line: u32,
    /// The head as written.
    pub signature: String,
    /// Statements, their instructions and their layout.
    pub print: Fingerprint,
    /// The instructions as a whole, whatever statements they belong to; `None` in build-free mode.
    pub code: Option<ContentHash>,
    /// Named globals used directly or through constants, by canonical name, sorted.
    pub globals: Vec<String>,
    /// How many pieces there are.
    pub piece_count: u32,
    /// How many instructions there are; 0 in build-free mode.
    pub instruction_count: u32,
}

/// A global that is defined here and has a name of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlobalSummary {
    /// The canonical name: the linker's, but a `static` local's has no number of the compiler's.
    pub name: String,
    /// Who can see it.
    pub linkage: Linkage,
    /// Type, value and properties.
    pub hash: ContentHash,
    /// What its users see of that, beyond what their code says of the parts that they use.
    pub seen: ContentHash,
    /// The file of the definition; the unit's where unknown.
    pub file: String,
    /// Its line; 0 where unknown.
    pub line: u32,
}

/// The definitions of a module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleSummary {
    /// The unit's main source file.
    pub file: String,
    /// Its functions, in order.
    pub functions: Vec<FunctionSummary>,
    /// Its globals, in order.
    pub globals: Vec<GlobalSummary>,
}

/// Hashes all definitions of a module that [`crate::verify`] accepts.
pub fn summarize(module: &Module) -> ModuleSummary {
    let mut hashes = Hashes::new(module);
    let mut sink = Sink::default();
    let mut uses = Uses::new(module);
    let file_of = |id: Option<crate::FileId>| {
        id.and_then(|id| module.files.get(id.index())).unwrap_or(&module.name).clone()
    };
    let functions = module.definitions().map(|(_, function)| FunctionSummary {
        name: function.name.clone(),
        linkage: function.linkage,
        file: file_of(function.file()),
        line: function.line().unwrap_or(0),
        end_line: function.span.map_or(0, |span| span.end.line),
        signature: function.signature.clone(),
        print: Fingerprint::of(function, pieces(&mut hashes, function, &mut sink).as_deref()),
        code: code(&mut hashes, function, &mut sink),
        globals: uses.names(function, &hashes.names),
        piece_count: count(function.pieces.len()),
        instruction_count: function.body.as_ref().map_or(0, |body| count(body.instructions.len())),
    });
    let functions = functions.collect();
    let is_definition = |global: &crate::Global| {
        !global.private && (global.initializer.is_some() || global.alias_of.is_some())
    };
    let globals = module.globals.iter().enumerate().filter(|(_, global)| is_definition(global));
    let globals = globals.map(|(index, global)| GlobalSummary {
        name: hashes.names[index].clone(),
        linkage: global.linkage,
        hash: hashes.definition(GlobalId::at(index)),
        seen: hashes.seen(GlobalId::at(index)),
        file: file_of(global.location.map(|location| location.file)),
        line: global.location.map_or(0, |location| location.position.line),
    });
    let globals = globals.collect();
    ModuleSummary { file: module.name.clone(), functions, globals }
}

fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// Finds the named globals of functions; keeps its memory from one to the next.
struct Uses<'m> {
    module: &'m Module,
    /// The last function that met a constant or global.
    constants: Vec<u32>,
    globals: Vec<u32>,
    turn: u32,
    work: Vec<ConstId>,
}

impl<'m> Uses<'m> {
    fn new(module: &'m Module) -> Self {
        let (constants, globals) = (vec![0; module.constants.len()], vec![0; module.globals.len()]);
        Uses { module, constants, globals, turn: 0, work: Vec::new() }
    }

    fn names(&mut self, function: &Function, names: &[String]) -> Vec<String> {
        self.turn += 1;
        let mut found = Vec::new();
        for instruction in function.body.iter().flat_map(|body| &body.instructions) {
            instruction.op.references(|reference| {
                if let Reference::Operand(Operand::Const(id)) = reference {
                    self.work.push(*id);
                }
            });
            self.drain(names, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn drain(&mut self, names: &[String], found: &mut Vec<String>) {
        let module = self.module;
        while let Some(id) = self.work.pop() {
            match self.constants.get_mut(id.index()) {
                Some(turn) if *turn != self.turn => *turn = self.turn,
                _ => continue,
            }
            match module.constant(id) {
                Const::Int { .. } | Const::Float { .. } | Const::Zero(_) | Const::Function(_) => {}
                Const::Global(id) => {
                    let Some(turn) = self.globals.get_mut(id.index()).filter(|turn| **turn != self.turn)
                    else {
                        continue;
                    };
                    *turn = self.turn;
                    let global = module.global(*id);
                    match global.private {
                        true => self.work.extend(global.initializer.iter().chain(&global.alias_of)),
                        false => found.push(names[id.index()].clone()),
                    }
                }
                constant => constant.references(|reference| {
                    if let Reference::Const(id) = reference {
                        self.work.push(*id);
                    }
                }),
            }
        }
    }
}
