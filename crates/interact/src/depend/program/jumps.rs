//! Jumps inside of macros: what uses `#define CHECK(c) if (!(c)) return -1` may leave its function there.

use super::super::macros::Macro;
use super::super::uses::{Token, tokens};
use super::Builder;
use hydrogen_ir::{Function, Role};

/// The jumps of a function that its statements do not show.
#[derive(Debug, Clone, Default)]
pub(super) struct Jumps {
    /// From which piece to which.
    pub edges: Vec<(usize, usize)>,
    /// Pieces that may return a value.
    pub returns: Vec<usize>,
}

impl Builder<'_> {
    /// Per function. Where a `goto` leads is not known: to anything that stands behind it.
    pub(super) fn jumps(&self) -> Vec<Jumps> {
        let of = |&(unit, at, _): &(u32, u32, u32)| {
            let function = &self.units[unit as usize].module.functions[at as usize];
            let mut jumps = Jumps::default();
            for (at, piece) in function.pieces.iter().enumerate() {
                if matches!(piece.role, Role::Return | Role::Goto | Role::Entry | Role::Exit) {
                    continue;
                }
                let macros = self.macros.in_text(&piece.text);
                // A macro may be given the jump: `CHECK(c, return -1)`.
                let given = |word: &str| tokens(&piece.text).contains(&Token::Word(word));
                let any = |is: fn(&Macro) -> bool| macros.iter().any(|it| is(it));
                let (returns, goes) =
                    (given("return") || any(|it| it.returns), given("goto") || any(|it| it.goes));
                if returns {
                    jumps.returns.push(at);
                }
                if returns || goes {
                    jumps.edges.push((at, Function::EXIT.index()));
                }
                if goes {
                    jumps.edges.extend((at + 1..function.pieces.len()).map(|to| (at, to)));
                }
            }
            jumps
        };
        self.functions.iter().map(of).collect()
    }
}
