//! `hydrogen compare --deltas`: what changed functions give back, case by case.

use super::Side;
use crate::cli::{CompareFormat, CompareOptions};
use crate::commands::Outcome;
use crate::context::Context;
use anyhow::{Result, bail};
use hydrogen_evidence::deltas::{Case, Cases, Delta, Deltas, Shown};
use hydrogen_relate::{FunctionDeltas, program_deltas};
use hydrogen_report::compared as report;

pub fn run(context: &Context, options: &CompareOptions, (old, new): (&Side, &Side)) -> Result<Outcome> {
    let told = |one: FunctionDeltas| {
        let function = new.module.function(one.new);
        let file = function.file().map_or("", |file| new.module.file(file));
        let place = format!("{file}:{}", function.line().unwrap_or(0));
        let cases = match one.deltas {
            Ok(Some(deltas)) => Ok(cases(deltas)),
            Ok(None) => Err("a loop, or nothing that is given back, stands in the way".to_owned()),
            Err(obstacle) => Err(obstacle.to_string()),
        };
        Deltas { name: one.name, place, cases }
    };
    let functions: Vec<Deltas> =
        program_deltas(&old.module, &new.module, &options.functions).into_iter().map(told).collect();
    context.output(&match options.format {
        CompareFormat::Text => report::deltas_text(&functions),
        CompareFormat::Json => report::deltas_json(&functions),
        CompareFormat::Md | CompareFormat::Html => bail!("--deltas has the formats text and json"),
    })?;
    let shown = |one: &Deltas| {
        one.cases.as_ref().is_ok_and(|it| it.deltas.iter().any(|it| it.shown != Shown::Nothing))
    };
    let open = |one: &Deltas| one.cases.is_err();
    Ok(if functions.iter().any(shown) {
        Outcome::Findings
    } else if functions.iter().any(open) {
        Outcome::Undecided
    } else {
        Outcome::Done
    })
}

fn cases(all: hydrogen_relate::Deltas) -> Cases {
    let case = |it: hydrogen_relate::Case| Case { when: it.when, gives: it.gives };
    let delta = |it: hydrogen_relate::Delta| Delta {
        when: it.when,
        old: it.old,
        new: it.new,
        witness: it.witness,
        common: it.is_open,
        shown: match (it.is_possible, it.input) {
            (false, _) => Shown::Nothing,
            (true, Some(input)) => Shown::Input(input.into_iter().collect()),
            (true, None) => Shown::Unknown,
        },
    };
    Cases {
        old: all.old.into_iter().map(case).collect(),
        new: all.new.into_iter().map(case).collect(),
        deltas: all.deltas.into_iter().map(delta).collect(),
    }
}
