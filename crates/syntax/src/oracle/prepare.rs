//! Making a body digestible for the grammar: GNU constructs and macros that are no C by themselves are rewritten
//! to C of the same control flow. Texts and places still come from the source.

use crate::directive::{Directive, DirectiveKind};
use crate::facts::Facts;
use crate::scratch::{GOTO_NAME, Scratch};
use crate::segment::NONE;
use crate::token::{DIRECTIVE, GAP, Token, WORD};
use crate::words::{
    is_control, is_macro_like, is_statement_word, is_type_word, is_typeof, takes_parentheses,
};
use std::ops::Range;

/// Brackets nested deeper than this are not looked into.
const DEPTH: usize = 200;

/// Prepares the body whose tokens are `range`, both braces included. Also says whether something was too deeply
/// nested.
pub(crate) fn prepare(
    tokens: &[Token],
    partners: &[u32],
    source: &[u8],
    facts: &Facts,
    range: Range<usize>,
) -> (Scratch, bool) {
    let first = tokens[range.start].start;
    let length = tokens[range.end - 1].end - first;
    let scratch = Scratch::new(first, length as usize / 2);
    let mut writer = Writer {
        tokens,
        partners,
        source,
        facts,
        end: range.end,
        scratch,
        stack: Vec::new(),
        begins: true,
        label: None,
        assigned: false,
        control: false,
        behind: Vec::new(),
        jump: None,
        too_deep: false,
    };
    let mut at = range.start;
    while at < range.end {
        at = writer.step(at);
    }
    (writer.scratch, writer.too_deep)
}

/// An open bracket.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    /// Braces around statements.
    Block,
    /// Braces around anything else.
    Braces,
    /// The parentheses of `if` and the like: a statement follows.
    Control,
    /// The arguments of a call.
    Call,
    /// Other parentheses and brackets.
    Plain,
}

struct Writer<'a> {
    tokens: &'a [Token],
    partners: &'a [u32],
    source: &'a [u8],
    facts: &'a Facts<'a>,
    end: usize,
    scratch: Scratch,
    stack: Vec<Open>,
    /// Whether a statement may begin with the next token.
    begins: bool,
    /// The nesting of a `case` or label whose colon is awaited.
    label: Option<usize>,
    /// Whether the statement is an expression for sure: `=` or `return` was seen.
    assigned: bool,
    /// Whether the next parentheses are those of `if` and the like.
    control: bool,
    /// Text to insert behind tokens, the next one last.
    behind: Vec<(usize, &'static str)>,
    /// The nesting of a computed `goto` whose semicolon is awaited.
    jump: Option<usize>,
    too_deep: bool,
}

impl Writer<'_> {
    fn kind(&self, at: usize) -> u8 {
        if at < self.end { self.tokens[at].kind } else { 0 }
    }

    fn word(&self, at: usize) -> &[u8] {
        if self.kind(at) == WORD { self.tokens[at].text(self.source) } else { b"" }
    }

    fn partner(&self, at: usize) -> Option<usize> {
        let partner = self.partners[at];
        (partner != NONE && (partner as usize) < self.end).then_some(partner as usize)
    }

    fn copy(&mut self, at: usize) {
        let token = self.tokens[at];
        if token.cut {
            self.scratch.mark();
        }
        self.scratch.copy(token.start, token.text(self.source));
        while self.behind.last().is_some_and(|&(index, _)| index <= at) {
            let (_, text) = self.behind.pop().expect("just looked at");
            self.scratch.insert(text);
            if text == ";" {
                self.begins = true;
            }
        }
    }

    /// Handles the token at `at` and gives the next one.
    fn step(&mut self, at: usize) -> usize {
        let token = self.tokens[at];
        match token.kind {
            DIRECTIVE => {
                self.conditional(&token);
                return at + 1;
            }
            GAP => {
                self.scratch.gap(token.start, token.end);
                return at + 1;
            }
            b'(' | b'[' | b'{' => return self.open(at),
            _ => {}
        }
        if self.stack.last() == Some(&Open::Call) && matches!(self.kind(at.wrapping_sub(1)), b'(' | b',') {
            if let Some(next) = self.argument(at) {
                return next;
            }
        }
        let begins = std::mem::replace(&mut self.begins, false);
        if begins {
            self.assigned = false;
        }
        match token.kind {
            WORD => return self.name(at, begins),
            b')' | b']' | b'}' => return self.close(at, begins),
            b';' => {
                if self.jump == Some(self.stack.len()) {
                    self.scratch.insert(")");
                    self.jump = None;
                }
                self.begins = self.stack.last() == Some(&Open::Block);
            }
            b':' if self.label == Some(self.stack.len()) => {
                self.label = None;
                self.begins = true;
            }
            b'=' => self.assigned = true,
            b'.' if self.label.is_some() && self.kind(at + 1) == b'.' && self.kind(at + 2) == b'.' => {
                // GNU's `case a ... b`.
                self.scratch.replace(token.start, self.tokens[at + 2].end, "+");
                return at + 3;
            }
            b'&' if self.is_label_address(at) => {
                self.scratch.skip(token.end);
                return at + 1;
            }
            _ => {}
        }
        self.copy(at);
        at + 1
    }

    fn conditional(&mut self, token: &Token) {
        let text = match Directive::of(token, self.source).kind {
            DirectiveKind::If | DirectiveKind::Ifdef | DirectiveKind::Ifndef => "#if 1",
            DirectiveKind::Else => "#else",
            DirectiveKind::Endif => "#endif",
            _ => "#elif 1",
        };
        self.scratch.insert("\n");
        self.scratch.replace(token.start, token.end, text);
        self.scratch.insert("\n");
        self.begins = true;
    }

    fn open(&mut self, at: usize) -> usize {
        let begins = std::mem::replace(&mut self.begins, false);
        let control = std::mem::replace(&mut self.control, false);
        let before = self.kind(at.wrapping_sub(1));
        let kind = match self.tokens[at].kind {
            b'{' if begins || before == b'(' => Open::Block,
            b'{' => Open::Braces,
            b'(' if control => Open::Control,
            b'(' if before == WORD && self.is_call(at - 1, begins) => Open::Call,
            _ => Open::Plain,
        };
        if self.stack.len() >= DEPTH {
            return self.close_early(at, kind);
        }
        self.stack.push(kind);
        self.begins = kind == Open::Block;
        self.copy(at);
        if kind == Open::Call && self.kind(at + 1) == b',' {
            self.scratch.insert("T");
        }
        at + 1
    }

    /// Leaves out what is nested too deeply.
    fn close_early(&mut self, at: usize, kind: Open) -> usize {
        self.too_deep = true;
        let close = self.partner(at).unwrap_or(self.end - 1);
        let (start, end) = (self.tokens[at].start, self.tokens[close].end);
        match kind {
            Open::Block => {
                self.scratch.gap(start, end);
                self.begins = true;
            }
            Open::Braces => self.scratch.replace(start, end, "{0}"),
            _ if self.tokens[at].kind == b'[' => self.scratch.replace(start, end, "[0]"),
            _ => self.scratch.replace(start, end, "(0)"),
        }
        self.begins |= kind == Open::Control;
        close + 1
    }

    fn close(&mut self, at: usize, begins: bool) -> usize {
        let brace = self.tokens[at].kind == b'}';
        if brace && !begins && self.kind(at.wrapping_sub(1)) == b':' {
            self.scratch.insert(";");
        }
        if brace && begins && self.kind(at.wrapping_sub(1)) == b':' {
            self.scratch.insert(";"); // A label at the end of a block.
        }
        let closed = self.stack.pop();
        self.begins = match closed {
            Some(Open::Block) => self.stack.last() == Some(&Open::Block),
            Some(Open::Control) => true,
            _ => false,
        };
        self.copy(at);
        at + 1
    }

    /// Whether the parentheses behind the name at `at` hold arguments, not parameters of a declaration.
    fn is_call(&self, at: usize, _begins: bool) -> bool {
        let word = self.word(at);
        if takes_parentheses(word) || is_type_word(word) {
            return false;
        }
        match self.kind(at.wrapping_sub(1)) {
            WORD => matches!(self.word(at - 1), b"return" | b"case" | b"else" | b"do"),
            b'*' => self.assigned || !matches!(self.stack.last(), Some(Open::Block)),
            _ => true,
        }
    }

    /// Replaces an argument that is no expression (a type, an operator, nothing) and gives the token behind it.
    fn argument(&mut self, at: usize) -> Option<usize> {
        let ends = |kind: u8| matches!(kind, b',' | b')');
        if self.kind(at) == b',' {
            self.scratch.insert("T");
            return None;
        }
        let mut end = at;
        while !ends(self.kind(end)) && end < self.end && end < at + 256 {
            end = match self.kind(end) {
                b'(' | b'[' | b'{' => self.partner(end)?,
                b';' => return None,
                _ => end,
            } + 1;
        }
        let types = is_type_word(self.word(at))
            || (self.kind(end - 1) == b'*' && self.kind(at) == WORD)
            || (at..end).all(|at| b"+-*/%&|^<>=!".contains(&self.kind(at)));
        if !types || end == at || !ends(self.kind(end)) {
            return None;
        }
        self.scratch.replace(self.tokens[at].start, self.tokens[end - 1].end, "T");
        Some(end)
    }

    fn name(&mut self, at: usize, begins: bool) -> usize {
        let token = self.tokens[at];
        let word = token.text(self.source);
        if is_typeof(word) && self.kind(at + 1) == b'(' {
            if let Some(close) = self.partner(at + 1) {
                self.scratch.replace(token.start, self.tokens[close].end, "int");
                return close + 1;
            }
        }
        if !begins {
            self.assigned |= word == b"return";
            // The `while` behind `do { … }` is followed by parentheses of the same kind.
            self.control = is_control(word);
            self.copy(at);
            return at + 1;
        }
        if is_statement_word(word) {
            return self.keyword(at);
        }
        if matches!(word, b"__attribute__" | b"__attribute") {
            if let Some(close) = self.lone_attribute(at) {
                self.scratch.skip(self.tokens[close].end);
                self.begins = true;
                return close + 1;
            }
        }
        match self.kind(at + 1) {
            b':' if self.kind(at + 2) != b':' => self.label = Some(self.stack.len()),
            b'(' if !takes_parentheses(word) => {
                if let Some(close) = self.partner(at + 1) {
                    self.statement_macro(at, close);
                }
            }
            b'{' => self.bare_macro_with_block(at),
            next if is_macro_like(word) => {
                let fresh = at + 1 < self.end && self.tokens[at + 1].fresh;
                if next == b'}' || (next == WORD && fresh) {
                    self.behind.push((at, ";"));
                }
            }
            _ => {}
        }
        self.copy(at);
        at + 1
    }

    fn keyword(&mut self, at: usize) -> usize {
        let token = self.tokens[at];
        match token.text(self.source) {
            b"else" | b"do" => self.begins = true,
            b"case" | b"default" => self.label = Some(self.stack.len()),
            b"return" => self.assigned = true,
            b"goto" if self.kind(at + 1) == b'*' => {
                self.scratch.replace(token.start, self.tokens[at + 1].end, GOTO_NAME);
                self.scratch.insert("(");
                self.jump = Some(self.stack.len());
                return at + 2;
            }
            word => self.control = is_control(word),
        }
        let begins = self.begins;
        self.copy(at);
        self.begins |= begins;
        at + 1
    }

    /// `__attribute__((fallthrough));`: the token of its semicolon.
    fn lone_attribute(&self, at: usize) -> Option<usize> {
        let close = (self.kind(at + 1) == b'(').then(|| self.partner(at + 1))??;
        (self.kind(close + 1) == b';').then_some(close + 1)
    }

    /// A macro with arguments that begins a statement, closed at `close`: with a block behind it, it is a loop or
    /// a condition; without a semicolon it is a statement all the same.
    fn statement_macro(&mut self, at: usize, close: usize) {
        let next = self.kind(close + 1);
        let fresh = close + 1 < self.end && self.tokens[close + 1].fresh;
        if next == b'{' {
            let head = if self.facts.is_loop(self.word(at)) { "while(" } else { "if(" };
            self.scratch.insert(head);
            self.behind.push((close, ")"));
            self.control = true;
        } else if next == b'}' || (next == WORD && (fresh || is_statement_word(self.word(close + 1)))) {
            self.behind.push((close, ";"));
        }
    }

    /// A bare name with a block behind it: `forever { … }`, `TRY { … }`.
    fn bare_macro_with_block(&mut self, at: usize) {
        if self.facts.is_loop(self.word(at)) {
            self.scratch.insert("while(");
            self.behind.push((at, ") "));
        } else {
            self.behind.push((at, ";"));
        }
        self.begins = true;
    }

    /// Whether `&&` is GNU's address of a label: nothing stands before it that it could join.
    fn is_label_address(&self, at: usize) -> bool {
        let adjacent = self.kind(at + 1) == b'&' && self.tokens[at + 1].start == self.tokens[at].end;
        let operand = match self.kind(at.wrapping_sub(1)) {
            WORD => self.word(at - 1) == b"return",
            before => b"(,={?:[".contains(&before),
        };
        adjacent && operand && self.kind(at + 2) == WORD
    }
}
