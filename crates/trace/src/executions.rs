//! Executions of lines, and which depends on which: what people draw on paper.

use crate::dependences::Dependences;
use crate::edges::Because;
use crate::record::TraceError;
use crate::slice::Slice;
use crate::source::Lines;
use hydrogen_machine::FuncId;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Longer runs have too many executions to be listed.
const LONGEST: u64 = 2_000_000;

/// One execution of a line of the user's program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The function.
    pub function: String,
    /// How often the line was executed until now.
    pub nth: u64,
    /// The execution that decided about it, by number; `None` where the program begins.
    pub control: Option<usize>,
    /// The executions that it takes values from, by number.
    pub data: BTreeSet<usize>,
    /// Whether something of it is in the slice.
    pub sliced: bool,
}

impl Dependences<'_, '_> {
    /// All executions of lines of the user's program, in order. What the library does is done by the line that called it. `None` for runs
    /// that are too long.
    pub fn executions(&self, slice: &Slice) -> Result<Option<Vec<Execution>>, TraceError> {
        if self.steps > LONGEST {
            return Ok(None);
        }
        let program = self.statics.program;
        let mut lines = Lines::new(program);
        let mut found: Vec<Execution> = Vec::new();
        let mut times: FxHashMap<(u32, u32), u64> = FxHashMap::default();
        // By activation, the execution that it is in, with its last instruction and line.
        let mut within: FxHashMap<u32, (usize, u32, (u32, u32))> = FxHashMap::default();
        let mut of_step: Vec<u32> = vec![u32::MAX; self.steps as usize + 1];
        let mut current = None;
        self.records.forwards(|record| {
            let step = record.node.number() as usize;
            if !record.node.is_part() && program.is_users(FuncId(record.function)) {
                let at = lines.at(record.function(), record.pc);
                let known = within.get(&record.frame).filter(|known| known.2 == at && record.pc > known.1);
                let number = match known {
                    Some(known) => known.0,
                    None if at.1 == 0 => return,
                    None => {
                        let nth = times.entry(at).or_insert(0);
                        *nth += 1;
                        found.push(Execution {
                            file: lines.name(at.0).to_owned(),
                            line: at.1,
                            function: program.function(record.function()).name.clone(),
                            nth: *nth,
                            control: None,
                            data: BTreeSet::new(),
                            sliced: false,
                        });
                        found.len() - 1
                    }
                };
                within.insert(record.frame, (number, record.pc, at));
                current = Some(number);
            }
            if let Some(number) = current {
                of_step[step] = number as u32;
                found[number].sliced |= slice.contains(step as u64);
            }
        })?;
        self.each(|who, on, because| {
            let (who, on) = (of_step[who as usize], of_step[on as usize]);
            if who == u32::MAX || on == u32::MAX || who == on {
                return;
            }
            let execution = &mut found[who as usize];
            match because {
                // The first one: what decided about the line, not what decides inside of it.
                Because::Control if execution.control.is_none() => execution.control = Some(on as usize),
                Because::Control => {}
                Because::Data => drop(execution.data.insert(on as usize)),
            }
        })?;
        Ok(Some(found))
    }
}
