//! How far a change got in an input: what it did, and why nothing more came of it.

use super::text::{command, place};
use hydrogen_evidence::exposed::{Effect, Effects, Further, Point, Reached};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// So many statements of a graph are listed.
const MOST: usize = 24;

pub(super) fn text(reached: &Reached, names: &[String; 2]) -> String {
    let mut out = format!("how far the change gets with {}:\n", command(&reached.started).join("; "));
    for (side, name) in names.iter().enumerate().rev() {
        let effects = &reached.effects[side];
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
    for one in &reached.further {
        let _ = writeln!(out, "    further: {}: {} ({})", one.class, one.condition, answer(one));
    }
    out
}

/// Whether there is an input that a question asks for.
fn answer(one: &Further) -> &'static str {
    match one.sat {
        Some(true) => "there is an input",
        Some(false) => "there is none on this way",
        None => "not answered",
    }
}

pub(super) fn json(reached: &Reached) -> Value {
    let effect = |effect: &Effect| {
        json!({
            "place": place(&effect.point), "text": effect.point.text, "changed": effect.point.changed,
            "times": effect.times, "to": effect.to,
            "stopped": effect.stopped.iter().map(|(why, by)| json!({"why": why.to_string(), "by": by})).collect::<Vec<_>>(),
        })
    };
    let side = |effects: &Effects| effects.all.iter().map(effect).collect::<Vec<_>>();
    let further = |one: &Further| json!({"for": one.class.to_string(), "condition": one.condition, "answer": answer(one)});
    let further: Vec<Value> = reached.further.iter().map(further).collect();
    json!({"input": command(&reached.started), "old": side(&reached.effects[0]), "new": side(&reached.effects[1]), "further": further})
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
