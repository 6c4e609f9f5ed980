//! What counts as another behaviour.

use super::super::slice;
use crate::cli::{By, ExploreOptions};
use crate::commands::program::conditions;
use anyhow::{Result, bail};
use hydrogen_evidence::Input;
use hydrogen_evidence::explored::Group;
use hydrogen_explore::{ByRsc, Conjunct, Exploration, Setting};
use hydrogen_ir::{Const, Op, Operand};
use hydrogen_machine::Program;
use hydrogen_term::Pool;
use hydrogen_trace::{Criterion, OutputName, Static};

/// Names that the program gives to its outputs, sorted; `None` where one of them is computed.
fn named_outputs(program: &Program) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for module in program.units() {
        let is_it = |callee: &Operand| match callee {
            Operand::Const(id) => match module.constant(*id) {
                Const::Function(id) => module.function(*id).name == "hydrogen_output",
                _ => false,
            },
            _ => false,
        };
        let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
        for instruction in bodies.flat_map(|body| &body.instructions) {
            let Op::Call { callee, arguments, .. } = &instruction.op else { continue };
            if !is_it(callee) {
                continue;
            }
            let Some(Operand::Const(name)) = arguments.first() else { return None };
            let Const::Global(global) = module.constant(*name) else { return None };
            let Const::Bytes { data, .. } = module.constant(module.global(*global).initializer?) else {
                return None;
            };
            let text = data.split(|byte| *byte == 0).next().unwrap_or_default();
            names.push(String::from_utf8_lossy(text).into_owned());
        }
    }
    names.sort();
    names.dedup();
    Some(names)
}

/// Refuses outputs that no run can have.
pub fn known(program: &Program, of: &[String]) -> Result<()> {
    let Some(names) = named_outputs(program) else { return Ok(()) };
    for name in of {
        if matches!(slice::output(name), Criterion::Output(OutputName::Named(_))) && !names.contains(name) {
            let known: Vec<&str> =
                ["stdout", "stderr", "exit"].into_iter().chain(names.iter().map(String::as_str)).collect();
            bail!(
                "`--of {name}`: the program gives out nothing under that name; there is: {}",
                known.join(", ")
            );
        }
    }
    Ok(())
}

/// What `--by rsc` needs.
pub struct Relevant<'p> {
    statics: Static<'p>,
    criteria: Vec<Criterion>,
    check: bool,
}

impl<'p> Relevant<'p> {
    /// `None` where paths are explored.
    pub fn new(program: &'p Program, options: &ExploreOptions) -> Result<Option<Self>> {
        if options.by == By::Path {
            if !options.of.is_empty() && !options.groups {
                bail!("--of needs --by rsc or --groups: a path is one whatever comes out of it");
            }
            if options.check_priorities {
                bail!("--check-priorities needs --by rsc: the conditions of a path are not put in order");
            }
            return Ok(None);
        }
        Ok(Some(Self::always(program, options)))
    }

    /// The same whatever is explored.
    pub fn always(program: &'p Program, options: &ExploreOptions) -> Self {
        let mut criteria: Vec<Criterion> = options.of.iter().map(|name| slice::output(name)).collect();
        if criteria.is_empty() {
            criteria.push(Criterion::Everything);
        }
        let statics = Static::new(program, &[&options.program.entry]);
        if !statics.is_precise() {
            tracing::warn!("the analysis of pointers took too long: every pointer may point everywhere");
        }
        Self { statics, criteria, check: options.check_priorities }
    }

    /// Who sees runs by their relevant-slice conditions.
    pub fn observer(&self) -> ByRsc<'_, 'p> {
        ByRsc { statics: &self.statics, criteria: &self.criteria, check: self.check }
    }
}

/// Tests by the relevant-slice conditions of their inputs.
pub fn grouped(setting: Setting<'_>, options: &ExploreOptions, found: &Exploration) -> Vec<Group> {
    let relevant = Relevant::always(setting.program, options);
    let inputs: Vec<&Input> = found.tests.iter().map(|test| &test.input).collect();
    let mut pool = Pool::new();
    let groups = hydrogen_explore::groups(&relevant.observer(), setting, &inputs, &mut pool);
    let group = |(condition, tests): (Vec<Conjunct>, Vec<usize>)| Group {
        conditions: conditions(setting.program, &mut pool, &condition),
        tests,
    };
    groups.into_iter().map(group).collect()
}
