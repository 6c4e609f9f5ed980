//! Readable JSON.

use crate::text::instruction_text;
use crate::text::keyword::Keyword;
use crate::{Body, Call, Callee, Function, FunctionId, Instruction, Module, Piece};
use serde_json::{Map, Value, json};

/// All functions with their statement graphs and instructions, or the one with this id.
///
/// `{"module", "target", "functions": [{"name", "file", "line", "end_line", "linkage", "defined", "signature",
/// "pieces": [{"id", "role", "text", "line", "end_line", "statement", "part"}], "flow": [{"from", "to", "kind"}],
/// "calls": [{"piece", "callee", "indirect", "instruction"}], "blocks": [{"id", "label", "instructions": [{"id",
/// "text", "piece", "line"}]}]}]}`. What is unknown is `null`; `kind` is as in the text form, a case with its label.
pub fn to_json(module: &Module, function: Option<FunctionId>) -> Value {
    let text = instruction_text(module);
    let functions = match function {
        None => module.functions.iter().collect(),
        Some(id) => Vec::from_iter(module.functions.get(id.index())),
    };
    let functions: Vec<Value> =
        functions.into_iter().map(|function| function_json(module, function, &text)).collect();
    json!({ "module": module.name, "target": module.target, "functions": functions })
}

fn function_json(module: &Module, function: &Function, text: &impl Fn(&Instruction) -> String) -> Value {
    let file = function.file().and_then(|file| module.files.get(file.index()));
    let flow = |edge: &crate::FlowEdge| json!({ "from": edge.from.0, "to": edge.to.0, "kind": edge.kind.to_string() });
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_string(), value);
    put("name", json!(function.name));
    put("file", json!(file));
    put("line", json!(function.line()));
    put("end_line", json!(function.span.map(|span| span.end.line)));
    put("linkage", json!(function.linkage.word()));
    put("defined", json!(function.is_defined()));
    put("signature", json!(function.signature));
    put("pieces", function.pieces.iter().enumerate().map(|(id, piece)| piece_json(id, piece)).collect());
    put("flow", function.flow.iter().map(flow).collect());
    put("calls", function.calls.iter().map(call_json).collect());
    put("blocks", function.body.as_ref().map_or(Value::Null, |body| blocks_json(body, text)));
    Value::Object(object)
}

fn piece_json(id: usize, piece: &Piece) -> Value {
    json!({
        "id": id,
        "role": piece.role.word(),
        "text": piece.text,
        "line": piece.span.map(|span| span.start.line),
        "end_line": piece.span.map(|span| span.end.line),
        "statement": piece.statement,
        "part": piece.part,
    })
}

fn call_json(call: &Call) -> Value {
    let (callee, indirect) = match &call.callee {
        Callee::Direct(name) => (name, false),
        Callee::Indirect(text) => (text, true),
    };
    json!({
        "piece": call.piece.0,
        "callee": callee,
        "indirect": indirect,
        "instruction": call.instruction.map(|id| id.0),
    })
}

fn blocks_json(body: &Body, text: &impl Fn(&Instruction) -> String) -> Value {
    let instruction = |(id, instruction): (usize, &Instruction)| {
        json!({
            "id": id,
            "text": text(instruction),
            "piece": instruction.piece.0,
            "line": instruction.location.map(|location| location.position.line),
        })
    };
    let block = |(id, block): (usize, &crate::Block)| {
        let run = body.instructions.iter().enumerate().skip(block.first.index()).take(block.count as usize);
        json!({ "id": id, "label": block.label, "instructions": run.map(instruction).collect::<Vec<_>>() })
    };
    body.blocks.iter().enumerate().map(block).collect()
}
