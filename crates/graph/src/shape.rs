//! A function's content with interned texts, ready to be woven in.

use crate::input::{AddError, BodyInput, Digest, FunctionInput};
use crate::model::{Graph, Kind, Symbol};
use hydrogen_ir::canonical;
use hydrogen_ir::{Callee, EdgeKind};

/// A loaded body with the canonical texts of its pieces: the work that needs no graph.
pub(crate) struct Loaded<'a> {
    body: BodyInput<'a>,
    texts: Vec<String>,
}

/// The content of a function in one version.
pub(crate) struct Shape {
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) flow: Vec<(usize, usize, Kind)>,
    /// Absolute lines by piece.
    pub(crate) lines: Vec<Option<u32>>,
    pub(crate) payload: Option<Vec<Digest>>,
    pub(crate) calls: Vec<Vec<Callee>>,
}

impl<'a> Loaded<'a> {
    pub(crate) fn load(input: &FunctionInput<'a>, version: &str) -> Result<Self, AddError> {
        let (version, name) = (version.to_owned(), input.key.name.clone());
        let body = match input.body.load() {
            Ok(body) => body,
            Err(source) => return Err(AddError::Load { version, name, source }),
        };
        let count = body.function.pieces.len();
        let outside = |piece: hydrogen_ir::PieceId| piece.index() >= count;
        let problem = if body.function.flow.iter().any(|edge| outside(edge.from) || outside(edge.to)) {
            "an edge leads to a piece that does not exist"
        } else if body.function.calls.iter().any(|call| outside(call.piece)) {
            "a call belongs to a piece that does not exist"
        } else if body.payload.as_ref().is_some_and(|payload| payload.len() != count) {
            "its payload has not one entry per piece"
        } else {
            let texts = body.function.pieces.iter().map(|piece| canonical(&piece.text)).collect();
            return Ok(Self { body, texts });
        };
        Err(AddError::Malformed { version, name, problem })
    }
}

impl Graph {
    /// Interns what a function says.
    pub(crate) fn shape(&mut self, loaded: Loaded<'_>) -> Shape {
        let function = &loaded.body.function;
        let mut symbols = Vec::with_capacity(function.pieces.len());
        for (piece, text) in function.pieces.iter().zip(&loaded.texts) {
            let text = self.texts.insert(text, &piece.text);
            symbols.push(Symbol { role: piece.role, part: piece.part, text });
        }
        let mut flow = Vec::with_capacity(function.flow.len());
        for edge in &function.flow {
            flow.push((edge.from.index(), edge.to.index(), self.kind(&edge.kind)));
        }
        let mut calls = vec![Vec::new(); function.pieces.len()];
        for call in &function.calls {
            calls[call.piece.index()].push(call.callee.clone());
        }
        let lines = function.lines().collect();
        let payload = loaded.body.payload.as_deref().map(<[Digest]>::to_vec);
        Shape { symbols, flow, lines, payload, calls }
    }

    fn kind(&mut self, kind: &EdgeKind) -> Kind {
        match kind {
            EdgeKind::Next => Kind::Next,
            EdgeKind::True => Kind::True,
            EdgeKind::False => Kind::False,
            EdgeKind::Default => Kind::Default,
            EdgeKind::Indirect => Kind::Indirect,
            EdgeKind::Case(label) => Kind::Case(self.texts.insert(&canonical(label), label)),
            EdgeKind::Config(text) => Kind::Config(self.texts.insert(&canonical(text), text)),
        }
    }
}
