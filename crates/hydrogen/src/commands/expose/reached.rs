//! How far a change got in an input: what it did, and why nothing more came of it.

use super::report::{command_of, place};
use super::work::Work;
use hydrogen_expose::{Asked, Effect, Effects, Point};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// An input that came to a change, with the change-effect graphs of the old and the new version.
pub struct Reached {
    input: Vec<String>,
    effects: [Effects; 2],
    /// What would lead on from where the effect ends, and whether there is such an input.
    further: Vec<Asked>,
}

/// So many statements of a graph are listed.
const MOST: usize = 24;

impl Reached {
    /// Those of the findings, and of the most telling inputs that showed no difference.
    pub fn all(work: &mut Work<'_>) -> Vec<Self> {
        let mut inputs: Vec<_> = work.found.iter().map(|(shape, input)| (*shape, input.clone())).collect();
        inputs.extend(work.search.reached().map(|(shape, input)| (shape, input.clone())));
        let mut all = Vec::new();
        for (shape, input) in inputs {
            let Some(effects) = work.search.effects(shape, &input) else { continue };
            let further = work.search.lead_on(shape, &input);
            let input = match &input.call {
                Some(call) => vec![call.to_string()],
                None => command_of(&work.search.shape(shape).world, &input),
            };
            all.push(Self { input, effects, further });
        }
        all
    }

    pub fn text(&self, names: &[String; 2]) -> String {
        let mut out = format!("how far the change gets with {}:\n", self.input.join("; "));
        for (side, name) in names.iter().enumerate().rev() {
            let effects = &self.effects[side];
            if effects.all.is_empty() {
                let _ = writeln!(out, "    {name}: it does nothing");
                continue;
            }
            let _ = writeln!(out, "    {name}:");
            for effect in effects.all.iter().take(MOST) {
                let _ = writeln!(out, "        {}", line(effect, effects, side));
            }
            if effects.all.len() > MOST {
                let _ = writeln!(out, "        … {} statements more", effects.all.len() - MOST);
            }
        }
        for asked in &self.further {
            let _ = writeln!(out, "    further: {}: {} ({})", asked.class, asked.condition, answer(asked));
        }
        out
    }

    pub fn json(&self) -> Value {
        let effect = |effect: &Effect| {
            json!({
                "place": place(&effect.point), "text": effect.point.text, "changed": effect.point.changed,
                "times": effect.times, "to": effect.to,
                "stopped": effect.stopped.iter().map(|(why, by)| json!({"why": why.to_string(), "by": by})).collect::<Vec<_>>(),
            })
        };
        let side = |effects: &Effects| effects.all.iter().map(effect).collect::<Vec<_>>();
        let further = |asked: &Asked| json!({"for": asked.class.to_string(), "condition": asked.condition, "answer": answer(asked)});
        let further: Vec<Value> = self.further.iter().map(further).collect();
        json!({"input": self.input, "old": side(&self.effects[0]), "new": side(&self.effects[1]), "further": further})
    }
}

/// Whether there is an input that a question asks for.
fn answer(asked: &Asked) -> &'static str {
    match asked.sat {
        Some(true) => "there is an input",
        Some(false) => "there is none on this way",
        None => "not answered",
    }
}

/// Where a statement is in a version that executed it.
fn at(point: &Point, side: usize) -> String {
    let line = point.lines[side].as_ref().or(point.lines[1 - side].as_ref());
    line.map_or(String::new(), |(file, line)| format!("{file}:{line}"))
}

/// A statement, where its effect goes, and why it goes no further.
fn line(effect: &Effect, all: &Effects, side: usize) -> String {
    let role = if effect.point.changed { "changed" } else { "affected" };
    let mut out = format!("{role:<8} {}  {}", at(&effect.point, side), effect.point.text);
    if effect.times > 1 {
        let _ = write!(out, " ({} times)", effect.times);
    }
    let to: Vec<String> = effect.to.iter().map(|to| at(&all.all[*to].point, side)).collect();
    if !to.is_empty() {
        let _ = write!(out, " → {}", to.join(", "));
    }
    for (why, by) in &effect.stopped {
        let by = by.as_ref().map_or(String::new(), |by| format!(": `{by}`"));
        let _ = write!(out, "; stops: {why}{by}");
    }
    out
}
