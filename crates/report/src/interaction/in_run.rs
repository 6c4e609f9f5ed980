//! What the parts of a change do in a run.

use crate::envelope;
use hydrogen_evidence::interplay::{Differing, InRun, Interaction, OutputEffect};
use serde_json::{Value, json};

/// For people: each part, then the pairs that interact.
pub fn text(run: &InRun) -> String {
    let mut out = String::new();
    for (number, (part, effect)) in run.parts.iter().zip(&run.effects).enumerate() {
        let place = format!("{}:{}", part.file, part.line);
        out.push_str(&format!("change {}  {place}  {} {}\n", number + 1, part.kind, part.text));
        let said = match effect {
            Err(why) => format!("unknown: {why}"),
            Ok(effect) if effect.statements == 0 && effect.output.is_empty() => {
                "no effect in this run".into()
            }
            Ok(effect) => {
                let mut said: Vec<String> = effect.first.iter().map(differing).collect();
                if effect.statements > 1 {
                    said.push(format!("{} statements differ", effect.statements));
                }
                said.extend(effect.output.iter().take(SHOWN).map(came_out));
                said.join("; ")
            }
        };
        out.push_str(&format!("    {said}\n"));
    }
    for ([one, two], interaction) in &run.pairs {
        let names = format!("changes {} and {}", one + 1, two + 1);
        match interaction {
            Interaction::None => {}
            Interaction::Unknown(why) => out.push_str(&format!("{names}: unknown: {why}\n")),
            Interaction::At { part, without, place, output } => {
                let mut said: Vec<String> = place.iter().map(differing).collect();
                said.extend(output.iter().map(came_out));
                out.push_str(&format!(
                    "{names} interact: what change {} does is another without change {}: {}\n",
                    part + 1,
                    without + 1,
                    said.join("; ")
                ));
            }
        }
    }
    if run.untried > 0 {
        out.push_str(&format!("{} configurations were not built (--configurations)\n", run.untried));
    }
    out + &format!("{} of {} pairs of changes interact in this run\n", run.interacting(), run.pairs.len())
}

/// As `interact-runs/1`.
pub fn json(run: &InRun) -> String {
    let place = |it: &Differing| json!({ "file": it.place.0, "line": it.place.1, "text": it.text, "turned": it.turned });
    let outputs = |all: &[OutputEffect]| -> Vec<Value> {
        all.iter().map(|it| json!({ "of": it.of, "with": it.with, "without": it.without })).collect()
    };
    let changes = run.parts.iter().zip(&run.effects).map(|(part, effect)| {
        let effect = match effect {
            Err(why) => json!({ "unknown": why }),
            Ok(it) => json!({
                "first": it.first.as_ref().map(place), "statements": it.statements, "output": outputs(&it.output),
            }),
        };
        json!({ "kind": part.kind, "file": part.file, "line": part.line, "text": part.text, "effect": effect })
    });
    let pairs = run.pairs.iter().map(|(pair, interaction)| match interaction {
        Interaction::None => json!({ "changes": pair, "interact": false }),
        Interaction::Unknown(why) => json!({ "changes": pair, "interact": null, "unknown": why }),
        Interaction::At { part, without, place: at, output } => json!({
            "changes": pair, "interact": true, "effect_of": part, "without": without,
            "first": at.as_ref().map(place), "output": outputs(output.as_slice()),
        }),
    });
    let value = json!({
        "changes": changes.collect::<Vec<_>>(), "pairs": pairs.collect::<Vec<_>>(),
        "other_files": run.other_files, "not_built": run.untried,
    });
    envelope::json("interact-runs/1", &value)
}

/// So many outputs of an effect are shown.
const SHOWN: usize = 3;

fn differing(it: &Differing) -> String {
    let how = if it.turned { "goes the other way" } else { "differs" };
    format!("{}:{} `{}` {how}", it.place.0, it.place.1, it.text)
}

fn came_out(it: &OutputEffect) -> String {
    let short = |text: &str| format!("{:?}", text.chars().take(40).collect::<String>());
    format!("{}: {} instead of {}", it.of, short(&it.with), short(&it.without))
}
