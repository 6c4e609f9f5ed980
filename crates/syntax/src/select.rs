//! Which tokens are read: preprocessor conditionals are decided, kept as statements, or cut down to one
//! alternative.
//!
//! A conditional between whole statements or whole top-level items keeps all its alternatives. One that cuts
//! through a statement cannot be read as C with more than one of them, so one is chosen; what is left out stays
//! visible, either in the text of the statement around it or as a [`GAP`].

use crate::directive::{Directive, DirectiveKind};
use crate::evaluate::{MacroEnv, holds};
use crate::shape::{Group, groups, is_level};
use crate::token::{DIRECTIVE, GAP, TEXT, Token, WORD};

/// The tokens to read.
#[derive(Default)]
pub(crate) struct Selected {
    /// The tokens, with the directives of those conditionals inside functions that are kept.
    pub tokens: Vec<Token>,
    /// `#define` and `#include` directives of the parts that are read.
    pub directives: Vec<Token>,
    /// Places where a choice was made.
    pub choices: Vec<Token>,
    /// Conditionals that begin, go on or end in another part of a file that is read part by part: for each directive how many
    /// of the tokens stand before it.
    pub loose: Vec<usize>,
    /// How many conditionals end here that began before, and how many go on behind.
    pub reaching: (usize, usize),
    /// Whether another part of a file may follow: no bracket is open, and nothing is left out before what comes.
    pub closed: bool,
    /// Whether brackets are balanced, so that a conditional around all of it keeps it.
    pub level: bool,
    /// Whether each loose conditional is between whole items, so that all its alternatives are kept whatever stands in them.
    pub sound: bool,
}

/// Goes through the tokens of a file in order, following definitions when an environment is given.
pub(crate) fn select(tokens: &[Token], source: &[u8], env: Option<&MacroEnv>) -> Selected {
    let out = Selected { tokens: Vec::with_capacity(tokens.len()), sound: true, ..Selected::default() };
    let groups = groups(tokens, source);
    let mut walk = Walk { tokens, source, groups, env: env.cloned(), out, stack: Vec::new(), cut: false };
    walk.run();
    walk.out
}

struct Walk<'a> {
    tokens: &'a [Token],
    source: &'a [u8],
    groups: Vec<Group>,
    env: Option<MacroEnv>,
    out: Selected,
    /// Open brackets: `(`, `[`, `{`, and the two below.
    stack: Vec<u8>,
    /// Whether something was left out directly before the next token.
    cut: bool,
}

/// The brace of `extern "C" {`: what is inside is at top level.
const LINKAGE: u8 = b'e';
/// The brace of an initialiser.
const INITIALISER: u8 = b'i';

/// How a group is read.
enum Decision {
    /// All alternatives, one after the other.
    Keep,
    /// One alternative, or none; `true` if the conditions decide.
    Only(Option<usize>, bool),
}

/// A group being read.
struct Frame {
    group: usize,
    /// The alternative, if it is the only one read, and whether the conditions decided so.
    only: Option<bool>,
    /// Whether its directives are part of the output.
    shown: bool,
}

impl Walk<'_> {
    fn run(&mut self) {
        let mut frames: Vec<Frame> = Vec::new();
        let mut next_group = 0;
        let mut at = 0;
        while let Some(&token) = self.tokens.get(at) {
            at += 1;
            if token.kind != DIRECTIVE {
                self.emit(token);
                continue;
            }
            let directive = Directive::of(&token, self.source);
            if directive.opens() {
                next_group += self.groups[next_group..].partition_point(|group| group.starts[0] < at - 1);
                let group = next_group;
                let decision = self.decide(group);
                if self.groups[group].end == self.tokens.len() {
                    self.loose(matches!(decision, Decision::Keep));
                    self.out.reaching.1 += 1;
                }
                match decision {
                    Decision::Keep => {
                        let shown = self.inside();
                        self.show(token, shown);
                        frames.push(Frame { group, only: None, shown });
                    }
                    Decision::Only(branch, decided) => {
                        if !decided {
                            self.out.choices.push(token);
                        }
                        let to =
                            branch.map_or(self.groups[group].end, |branch| self.groups[group].starts[branch]);
                        self.leave_out(at - 1, to, decided);
                        at = to + 1;
                        if branch.is_some() {
                            frames.push(Frame { group, only: Some(decided), shown: false });
                        }
                    }
                }
            } else if directive.continues() {
                if frames.last().is_none_or(|frame| self.groups[frame.group].end == self.tokens.len()) {
                    self.loose(true);
                }
                if let Some(frame) = frames.last() {
                    match frame.only {
                        Some(decided) => {
                            let end = self.groups[frame.group].end;
                            self.leave_out(at - 1, end, decided);
                            at = end + 1;
                            frames.pop();
                        }
                        None => self.show(token, frame.shown),
                    }
                }
            } else if directive.kind == DirectiveKind::Endif {
                match frames.pop() {
                    Some(frame) => {
                        self.show(token, frame.shown);
                        self.cut |= frame.only == Some(false);
                    }
                    None => {
                        self.loose(true);
                        self.out.reaching.0 += 1;
                    }
                }
            } else {
                self.plain(token, &directive);
            }
        }
        self.out.closed = self.stack.is_empty() && !self.cut;
        self.out.level = is_level(&self.groups, self.tokens, self.source);
        self.out.sound &= self.out.level || self.out.loose.is_empty();
    }

    /// Notes a directive whose conditional is not all here.
    fn loose(&mut self, kept: bool) {
        self.out.sound &= kept && self.stack.is_empty() && !self.cut;
        self.out.loose.push(self.out.tokens.len());
    }

    fn plain(&mut self, token: Token, directive: &Directive) {
        if let Some(env) = &mut self.env {
            env.follow(directive);
        }
        if matches!(directive.kind, DirectiveKind::Define | DirectiveKind::Include) {
            self.out.directives.push(token);
        }
        // What it asks of the compiler belongs to the statement that it stands in.
        self.cut |= directive.kind == DirectiveKind::Pragma && self.inside() && !self.boundary();
        // Statements may come from the included file.
        if directive.kind == DirectiveKind::Include && self.inside() && self.boundary() {
            self.out.tokens.push(Token { kind: GAP, ..token });
        }
    }

    fn show(&mut self, token: Token, shown: bool) {
        if shown {
            self.out.tokens.push(token);
        }
    }

    /// Leaves out the tokens from `from` up to (not including) the directive `to`.
    fn leave_out(&mut self, from: usize, to: usize, decided: bool) {
        if decided {
            return; // Like a comment: the program does not contain it.
        }
        let first = self.tokens[from];
        let any = self.tokens[from..to.min(self.tokens.len())].iter().any(|token| token.kind != DIRECTIVE);
        if any && self.inside() && self.boundary() {
            let end = self.tokens.get(to).map_or(self.source.len() as u32, |token| token.end);
            self.out.tokens.push(Token { kind: GAP, end, ..first });
        } else {
            self.cut = true;
        }
    }

    fn emit(&mut self, mut token: Token) {
        match token.kind {
            b'(' | b'[' => self.stack.push(token.kind),
            b'{' => {
                let kind = self.brace();
                self.stack.push(kind);
            }
            b')' => self.close(b'('),
            b']' => self.close(b'['),
            b'}' => {
                let brace = |kind: &u8| matches!(*kind, b'{' | LINKAGE | INITIALISER);
                // A stray brace also ends parentheses that were left open.
                self.stack.truncate(self.stack.iter().rposition(brace).unwrap_or(0));
            }
            _ => {}
        }
        token.cut = std::mem::take(&mut self.cut);
        self.out.tokens.push(token);
    }

    fn close(&mut self, open: u8) {
        if self.stack.last() == Some(&open) {
            self.stack.pop();
        }
    }

    fn brace(&self) -> u8 {
        let out = &self.out.tokens;
        match out.last().map_or(0, |token| token.kind) {
            TEXT if out.len() > 1 && out[out.len() - 2].is(self.source, b"extern") => LINKAGE,
            b'=' | b',' => INITIALISER,
            b'{' if self.stack.last() == Some(&INITIALISER) => INITIALISER,
            _ => b'{',
        }
    }

    /// Whether this place is inside braces of a definition.
    fn inside(&self) -> bool {
        self.stack.last().is_some_and(|&kind| kind != LINKAGE)
    }

    /// Whether a statement or an item may begin here.
    fn boundary(&self) -> bool {
        matches!(self.stack.last(), None | Some(&(b'{' | LINKAGE))) && ends(&self.out.tokens, self.source)
    }

    fn decide(&self, group: usize) -> Decision {
        let group = &self.groups[group];
        for (branch, &start) in group.starts.iter().enumerate() {
            match holds(&Directive::of(&self.tokens[start], self.source), self.env.as_ref()) {
                Some(true) => return Decision::Only(Some(branch), true),
                Some(false) if branch + 1 == group.starts.len() => return Decision::Only(None, true),
                Some(false) => {}
                None => break,
            }
        }
        let balanced = group.shapes.iter().all(|shape| shape.balanced());
        let whole = if self.inside() { self.statements(group) } else { self.items(group) };
        if balanced && whole { Decision::Keep } else { Decision::Only(group.pick(), false) }
    }

    /// Whether each alternative is a sequence of whole statements.
    fn statements(&self, group: &Group) -> bool {
        let is_else =
            |index: usize| self.tokens.get(index).is_some_and(|token| token.is(self.source, b"else"));
        self.boundary()
            && !is_else(group.end + 1)
            && group.shapes.iter().all(|shape| match (shape.first, shape.last) {
                (Some(first), Some(last)) => !is_else(first) && ends(&self.tokens[first..=last], self.source),
                _ => true,
            })
    }

    /// Whether each alternative is a sequence of whole declarations and definitions. Alternatives with bodies are
    /// kept in doubt, so that no function is lost.
    fn items(&self, group: &Group) -> bool {
        let next = self.tokens.get(group.end + 1).map_or(0, |token| token.kind);
        let last = self.out.tokens.last().map_or(b';', |token| token.kind);
        let split_head = last == b')' && next == b'{';
        !split_head
            && group.shapes.iter().all(|shape| {
                let ended = |index: usize| matches!(self.tokens[index].kind, b';' | b'}');
                shape.body || shape.last.is_none_or(ended)
            })
    }
}

/// Whether the last of these tokens ends a statement or a label.
fn ends(tokens: &[Token], source: &[u8]) -> bool {
    match tokens.last().map_or(b';', |token| token.kind) {
        b';' | b'{' | b'}' | GAP | DIRECTIVE => true,
        b':' => is_label(&tokens[..tokens.len() - 1], source),
        _ => false,
    }
}

/// How far back the beginning of a `case` label is looked for.
const LABEL: usize = 64;

/// Whether the tokens before a colon end in a label, rather than in the middle of `?:`.
fn is_label(tokens: &[Token], source: &[u8]) -> bool {
    let window = &tokens[tokens.len().saturating_sub(LABEL)..];
    let begin = window
        .iter()
        .rposition(|token| matches!(token.kind, b';' | b'{' | b'}' | b':' | GAP | DIRECTIVE))
        .map_or(0, |at| at + 1);
    match &window[begin..] {
        [name] => name.kind == WORD,
        [first, ..] => first.is(source, b"case"),
        [] => false,
    }
}
