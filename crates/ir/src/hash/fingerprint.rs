//! Hashes that tell whether anything of a function changed, without looking at it.

use super::{ContentHash, sink::Sink};
use crate::{Callee, EdgeKind, Function, canonical};
use serde::{Deserialize, Serialize};

/// A function's content in three hashes. Two functions with equal fingerprints have the same pieces, flow, calls,
/// instructions by piece, and lines relative to their first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Over roles, parts and canonical texts of pieces, flow and calls.
    pub text: ContentHash,
    /// Over the pieces' instructions; `None` in build-free mode.
    pub payload: Option<ContentHash>,
    /// Over the lines of pieces relative to the function's first line.
    pub layout: ContentHash,
}

impl Fingerprint {
    /// The hashes of a function, given the hashes of its pieces' instructions ([`crate::piece_hashes`]).
    pub fn of(function: &Function, pieces: Option<&[ContentHash]>) -> Self {
        let mut sink = Sink::default();
        let text = text(function, &mut sink);
        sink.clear();
        let start = function.line().unwrap_or(0);
        for piece in &function.pieces {
            sink.number(piece.span.map_or(u32::MAX, |span| span.start.line.wrapping_sub(start)));
        }
        let layout = sink.finish();
        let payload = pieces.map(|pieces| {
            sink.clear();
            pieces.iter().for_each(|hash| sink.hash(*hash));
            sink.finish()
        });
        Self { text, payload, layout }
    }
}

fn text(function: &Function, sink: &mut Sink) -> ContentHash {
    sink.wide(function.pieces.len() as u64);
    for piece in &function.pieces {
        sink.plain(&piece.role);
        sink.number(piece.part);
        sink.text(&canonical(&piece.text));
    }
    sink.wide(function.flow.len() as u64);
    for edge in &function.flow {
        sink.number(edge.from.0);
        sink.number(edge.to.0);
        match &edge.kind {
            EdgeKind::Next => sink.tag(0),
            EdgeKind::True => sink.tag(1),
            EdgeKind::False => sink.tag(2),
            EdgeKind::Default => sink.tag(3),
            EdgeKind::Indirect => sink.tag(4),
            EdgeKind::Case(label) => {
                sink.tag(5);
                sink.text(&canonical(label));
            }
            EdgeKind::Config(condition) => {
                sink.tag(6);
                sink.text(&canonical(condition));
            }
        }
    }
    for call in &function.calls {
        sink.number(call.piece.0);
        let (tag, name) = match &call.callee {
            Callee::Direct(name) => (0, name),
            Callee::Indirect(name) => (1, name),
        };
        sink.tag(tag);
        sink.text(name);
    }
    sink.finish()
}
