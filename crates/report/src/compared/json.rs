//! A comparison for programs.

use super::text::{reasons, whole_words};
use crate::envelope;
use hydrogen_evidence::compared::{Compared, Function, Method, Native, Proof, Word};
use serde_json::{Value, json};

/// The comparison as `compare/1`.
pub fn json(all: &Compared<'_>) -> String {
    envelope::json("compare/1", &value(all))
}

/// What somebody who does not believe a proof can look at.
fn basis(proof: &Proof) -> &'static str {
    match proof.method {
        Method::SameCode => "same-code",
        Method::Partitions => "runs",
        Method::SameForm | Method::Paths | Method::Induction => "certificate",
    }
}

fn value(all: &Compared<'_>) -> Value {
    let function = |row: &Function<'_>| {
        let word = row.word();
        let share = match (word, &row.explored) {
            (Word::Equal, _) => json!({ "equal": 1.0, "different": 0.0, "open": 0.0 }),
            // Of the calls within bounds; of an interval the end that claims less.
            (_, Some(explored)) => {
                let (equal, different) = (explored.share.equal.low, explored.share.different.low);
                json!({ "equal": equal, "different": different, "open": 1.0 - equal - different, "of": "calls within bounds" })
            }
            (_, None) => json!({ "equal": 0.0, "different": 0.0, "open": 1.0 }),
        };
        let mut value = json!({
            "name": row.name, "place": row.place, "verdict": word.text(), "share": share, "differences": [], "ledger": [],
        });
        if let Some(proof) = &row.proof {
            value["ledger"] = json!(proof.ledger);
            value["proof"] = json!(proof);
            value["proof"]["basis"] = json!(basis(proof));
            if let Some(checked) = row.checked {
                value["proof"]["checked"] = json!(checked);
            }
        }
        if word == Word::Open {
            value["why"] = json!(reasons(row));
        }
        if let Some(shown) = row.difference {
            value["differences"] = json!([{
                "input": shown.input, "call": shown.call, "old": shown.old, "new": shown.new,
                "native": match &shown.native {
                    Native::Confirmed => json!("differs"),
                    Native::Undefined => json!("undefined"),
                    Native::NotRun(why) => json!({ "not-run": why }),
                },
                "reached": row.reach,
            }]);
        }
        value
    };
    json!({
        "old": all.old.name, "new": all.new.name,
        "functions": all.functions.iter().map(function).collect::<Vec<_>>(),
        "removed": all.removed, "added": all.added, "variables": all.variables,
        "whole": all.whole.map(whole_words),
        "missing": { "old": all.old.missing, "new": all.new.missing },
    })
}
