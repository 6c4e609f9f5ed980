//! Statements.

use crate::body::{Body, DEPTH, UNREADABLE};
use crate::directive::{Directive, DirectiveKind};
use crate::switched::with_labels;
use crate::token::{DIRECTIVE, GAP, WORD};
use crate::words::{is_control, is_macro_like, is_statement_word, never_returns, takes_parentheses};
use hydrogen_statements::{CaseLabel, ConfigBranch, Expr, Stmt};
use std::ops::Range;

impl<'a> Body<'a> {
    /// The statements between two braces.
    pub fn block(&mut self, range: Range<usize>) -> Vec<Stmt> {
        let mut out = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let next = self.statement(at, range.end, &mut out);
            at = next.max(at + 1);
        }
        out
    }

    /// A statement as one; several (of a declaration) become a block. Also gives the token behind it.
    fn single(&mut self, at: usize, end: usize) -> (Stmt, usize) {
        let mut out = Vec::new();
        let mut next = at;
        // Labels are followed by the statement they belong to.
        while next < end
            && out.last().is_none_or(|last| matches!(last, Stmt::Case { .. } | Stmt::Label { .. }))
        {
            let empty = self.kind(next) == b';';
            let before = out.len();
            next = self.statement(next, end, &mut out).max(next + 1);
            if empty || out.len() == before {
                break;
            }
        }
        let one = match out.len() {
            0 => Stmt::Empty,
            1 => out.remove(0),
            _ => Stmt::Block(out),
        };
        (one, next)
    }

    /// Reads the statement at `at` and gives the token behind it.
    pub fn statement(&mut self, at: usize, end: usize, out: &mut Vec<Stmt>) -> usize {
        self.depth += 1;
        let next = if self.depth > DEPTH {
            let next = self.behind_simple(at, end);
            out.push(Stmt::Opaque(self.opaque(&(at..next), "the statements are nested too deeply")));
            next
        } else {
            self.known(at, end, out)
        };
        self.depth -= 1;
        next
    }

    fn known(&mut self, at: usize, end: usize, out: &mut Vec<Stmt>) -> usize {
        match self.kind(at) {
            b';' => at + 1,
            b'{' => {
                let close = self.close(at, end).unwrap_or(end);
                let inner = self.block(at + 1..close);
                out.push(Stmt::Block(inner));
                close + 1
            }
            b'}' | b')' | b']' => {
                out.push(Stmt::Opaque(self.opaque(&(at..at + 1), UNREADABLE)));
                at + 1
            }
            DIRECTIVE => self.conditional(at, end, out),
            GAP => {
                out.push(Stmt::Opaque(self.opaque(&(at..at + 1), "")));
                at + 1
            }
            b'[' if self.kind(at + 1) == b'[' => self.behind(at, end),
            WORD => self.worded(at, end, out),
            _ => self.simple(at, end, out),
        }
    }

    fn worded(&mut self, at: usize, end: usize, out: &mut Vec<Stmt>) -> usize {
        let word = self.word(at);
        let open = (self.kind(at + 1) == b'(').then(|| self.close(at + 1, end)).flatten();
        match (word, open) {
            (b"if", Some(close)) => return self.branch(at, close, end, out),
            (b"while", Some(close)) => {
                let condition = self.expression(at + 2..close);
                return self.repeat(condition, close + 1, end, out);
            }
            (b"for", Some(close)) => return self.counted(at, close, end, out),
            (b"switch", Some(close)) => {
                let value = self.expression(at + 2..close);
                let (body, next) = self.single(close + 1, end);
                out.push(Stmt::Switch { value, body: Box::new(with_labels(body)) });
                return next;
            }
            (b"do", _) => return self.do_while(at, end, out),
            (b"case" | b"default", _) => return self.case(at, end, out),
            (b"return", _) => {
                let stop = self.simple_end(at, end);
                let value = match at + 1 < stop {
                    true => self.expression_as(at + 1..stop, at..stop),
                    false => self.plain(&(at..stop)),
                };
                out.push(Stmt::Return(value));
                return self.behind_semicolon(stop);
            }
            (b"break", _) => {
                out.push(Stmt::Break(self.span(&(at..at + 1))));
                return self.behind_semicolon(at + 1);
            }
            (b"continue", _) => {
                out.push(Stmt::Continue(self.span(&(at..at + 1))));
                return self.behind_semicolon(at + 1);
            }
            (b"goto", _) => return self.goto(at, end, out),
            (b"asm" | b"__asm__" | b"__asm", _) => return self.asm(at, end, out),
            (b"__attribute__" | b"__attribute", Some(close)) if self.kind(close + 1) == b';' => {
                return close + 2;
            }
            _ if self.kind(at + 1) == b':' && !is_statement_word(word) && self.kind(at + 2) != b':' => {
                let name = self.text(&(at..at + 1));
                out.push(Stmt::Label { name, body: Box::new(Stmt::Empty) });
                return at + 2;
            }
            (_, Some(close)) if !takes_parentheses(word) => {
                if let Some(next) = self.macro_statement(at, close, end, out) {
                    return next;
                }
            }
            _ => {}
        }
        if self.kind(at + 1) == b'{'
            && !is_statement_word(word)
            && !matches!(word, b"struct" | b"union" | b"enum")
        {
            // A bare macro with a block: `forever { … }`, `TRY { … }`.
            let head = self.plain(&(at..at + 1));
            if self.facts.is_loop(word) {
                return self.repeat(head, at + 1, end, out);
            }
            out.push(Stmt::Expression { value: head, no_return: false });
            return at + 1;
        }
        self.simple(at, end, out)
    }

    /// `else if` chains nest as deeply as they are long; those beyond the limit are one opaque statement.
    fn branch(&mut self, at: usize, close: usize, end: usize, out: &mut Vec<Stmt>) -> usize {
        let condition = self.expression(at + 2..close);
        let (then, mut next) = self.single(close + 1, end);
        let mut otherwise = None;
        if next < end && self.word(next) == b"else" {
            if self.depth + 1 > DEPTH {
                let stop = self.behind_chain(next, end);
                otherwise = Some(Box::new(Stmt::Opaque(self.opaque(&(next..stop), "the chain is too long"))));
                next = stop;
            } else {
                let (body, behind) = self.single(next + 1, end);
                otherwise = Some(Box::new(body));
                next = behind;
            }
        }
        out.push(Stmt::If { condition, then: Box::new(then), otherwise });
        next
    }

    fn repeat(&mut self, condition: Expr, at: usize, end: usize, out: &mut Vec<Stmt>) -> usize {
        let (body, next) = self.single(at, end);
        out.push(Stmt::While { condition, body: Box::new(body) });
        next
    }

    fn do_while(&mut self, at: usize, end: usize, out: &mut Vec<Stmt>) -> usize {
        let (body, next) = self.single(at + 1, end);
        let body = Box::new(body);
        let close = (self.word(next) == b"while").then(|| self.close(next + 1, end)).flatten();
        match close {
            Some(close) if next < end => {
                let condition = self.expression(next + 2..close);
                out.push(Stmt::DoWhile { body, condition });
                self.behind_semicolon(close + 1)
            }
            _ => {
                let condition = self.opaque(&(at..at + 1), UNREADABLE);
                out.push(Stmt::DoWhile { body, condition });
                next
            }
        }
    }

    fn counted(&mut self, at: usize, close: usize, end: usize, out: &mut Vec<Stmt>) -> usize {
        let parts = self.split(at + 2..close, |body, at| (body.kind(at) == b';').then_some(1));
        if parts.len() != 3 {
            // A macro stands for the head, or for a part of it.
            let condition = self.opaque(&(at + 2..close), UNREADABLE);
            return self.repeat(condition, close + 1, end, out);
        }
        let mut init = Vec::new();
        if self.is_declaration(&parts[0]) {
            self.declaration(parts[0].clone(), &mut init);
        } else if !parts[0].is_empty() {
            init.push(Stmt::Expression { value: self.whole(parts[0].clone()), no_return: false });
        }
        let condition = if parts[1].is_empty() {
            Expr { truth: Some(true), ..Expr::plain("", self.span(&(at..at + 1))) }
        } else {
            self.expression(parts[1].clone())
        };
        let step = (!parts[2].is_empty()).then(|| self.whole(parts[2].clone()));
        let (body, next) = self.single(close + 1, end);
        out.push(Stmt::For { init, condition, step, body: Box::new(body) });
        next
    }

    fn case(&mut self, at: usize, end: usize, out: &mut Vec<Stmt>) -> usize {
        let mut colon = at + 1;
        let mut questions = 0;
        while colon < end && !(self.kind(colon) == b':' && questions == 0) {
            match self.kind(colon) {
                b'?' => questions += 1,
                b':' => questions -= 1,
                b';' | b'{' | b'}' => return self.simple(at, end, out),
                _ => {}
            }
            colon = self.behind(colon, end);
        }
        let label = match self.word(at) {
            b"default" => CaseLabel::Default,
            _ => CaseLabel::Value(self.text(&self.strip(at + 1..colon.min(end)))),
        };
        out.push(Stmt::Case { label, body: Box::new(Stmt::Empty) });
        colon + 1
    }

    fn goto(&mut self, at: usize, end: usize, out: &mut Vec<Stmt>) -> usize {
        let stop = self.simple_end(at, end);
        if self.kind(at + 1) == b'*' {
            let target = self.expression_as(at + 2..stop, at..stop);
            out.push(Stmt::GotoIndirect(target));
        } else {
            out.push(Stmt::Goto {
                label: self.text(&(at + 1..stop.min(at + 2))),
                span: self.span(&(at..stop)),
            });
        }
        self.behind_semicolon(stop)
    }

    fn asm(&mut self, at: usize, end: usize, out: &mut Vec<Stmt>) -> usize {
        let stop = self.simple_end(at, end);
        let open = (at..stop).find(|&at| self.kind(at) == b'(');
        let jumps = open.is_some_and(|open| (at..open).any(|at| self.word(at) == b"goto"));
        let close = open.and_then(|open| self.close(open, stop));
        let mut labels = Vec::new();
        if let (true, Some(open), Some(close)) = (jumps, open, close) {
            // The labels follow the fourth colon.
            let sections = self.split(open + 1..close, |body, at| (body.kind(at) == b':').then_some(1));
            let names = sections.get(4).cloned().unwrap_or(close..close).filter(|&at| self.kind(at) == WORD);
            labels.extend(names.map(|at| self.text(&(at..at + 1))));
        }
        out.push(Stmt::Asm { value: self.plain(&(at..stop)), labels });
        self.behind_semicolon(stop)
    }

    /// A macro with arguments that begins a statement: with a block behind it, it is a loop or a condition; without a
    /// semicolon it is a statement all the same. `None` if it is neither.
    fn macro_statement(&mut self, at: usize, close: usize, end: usize, out: &mut Vec<Stmt>) -> Option<usize> {
        let next = close + 1;
        if next < end && self.kind(next) == b'{' {
            let condition = self.expression(at..next);
            if self.facts.is_loop(self.word(at)) {
                return Some(self.repeat(condition, next, end, out));
            }
            let (then, behind) = self.single(next, end);
            out.push(Stmt::If { condition, then: Box::new(then), otherwise: None });
            return Some(behind);
        }
        let word = self.word(next);
        let alone = next >= end
            || matches!(self.kind(next), b'}' | DIRECTIVE | GAP)
            || is_statement_word(word)
            || (!word.is_empty() && self.tokens[next].fresh);
        if !alone {
            return None;
        }
        let no_return = self.never_comes_back(at..next);
        out.push(Stmt::Expression { value: self.whole(at..next), no_return });
        Some(next)
    }

    /// An expression with the parentheses around it in its text.
    fn whole(&mut self, range: Range<usize>) -> Expr {
        self.expression_as(range.clone(), range)
    }

    /// An expression statement or a declaration.
    fn simple(&mut self, at: usize, end: usize, out: &mut Vec<Stmt>) -> usize {
        let stop = self.simple_end(at, end);
        let range = at..stop;
        if self.is_declaration(&range) {
            if self.kind(stop) == b'{' && stop < end {
                // GNU's nested function.
                let behind = self.behind(stop, end);
                out.push(Stmt::Opaque(
                    self.opaque(&(at..behind), "a function inside a function is not read"),
                ));
                return behind;
            }
            self.declaration(range, out);
        } else if range.is_empty() {
            out.push(Stmt::Opaque(self.opaque(&(at..at + 1), UNREADABLE)));
            return at + 1;
        } else if self.is_broken(&range) || is_statement_word(self.word(at)) {
            out.push(Stmt::Opaque(self.opaque(&range, UNREADABLE)));
        } else {
            let no_return = self.never_comes_back(range.clone());
            out.push(Stmt::Expression { value: self.whole(range), no_return });
        }
        self.behind_semicolon(stop)
    }

    /// Whether a bracket of the range has no partner in it, or something in it is no token of C.
    fn is_broken(&self, range: &Range<usize>) -> bool {
        let mut at = range.start;
        while at < range.end {
            match self.kind(at) {
                b'(' | b'[' | b'{' if self.close(at, range.end).is_none() => return true,
                b')' | b']' | b'}' | b'\\' | b'`' => return true,
                _ => {}
            }
            at = self.behind(at, range.end);
        }
        false
    }

    fn never_comes_back(&self, range: Range<usize>) -> bool {
        let mut range = self.strip(range);
        if self.kind(range.start) == b'(' && self.word(range.start + 1) == b"void" {
            range = self.strip(range.start + 3..range.end.max(range.start + 3));
        }
        let name = self.word(range.start);
        !name.is_empty()
            && self.kind(range.start + 1) == b'('
            && self.close(range.start + 1, range.end) == Some(range.end - 1)
            && (never_returns(name) || self.facts.never_returns(name))
            && !self.locals.contains(name)
    }

    /// Where a statement without statements in it ends: at its semicolon, or where one is missing.
    fn simple_end(&self, at: usize, end: usize) -> usize {
        let macro_like = is_macro_like(self.word(at));
        let declares = !macro_like && self.is_declaration(&(at..end.min(at + 16)));
        let mut here = at;
        while here < end {
            match self.kind(here) {
                b';' | b'}' | DIRECTIVE | GAP => return here,
                b'{' if declares && here > at && self.kind(here - 1) == b')' => {
                    let cast = (at..here).any(|at| self.kind(at) == b'=');
                    if !cast {
                        return here;
                    }
                }
                WORD if here > at && self.tokens[here].fresh => {
                    let word = self.word(here);
                    let alone = macro_like && here == at + 1;
                    if alone || (is_statement_word(word) && word != b"default") {
                        return here;
                    }
                }
                WORD if here > at && is_control(self.word(here)) => return here,
                _ => {}
            }
            here = self.behind(here, end);
        }
        end
    }

    fn behind_semicolon(&self, at: usize) -> usize {
        at + usize::from(self.kind(at) == b';')
    }

    /// Behind a statement that is not looked into.
    fn behind_simple(&self, at: usize, end: usize) -> usize {
        let mut here = at;
        while here < end {
            match self.kind(here) {
                b';' => return here + 1,
                b'{' => return self.behind(here, end),
                b'}' => return here.max(at + 1),
                _ => here = self.behind(here, end),
            }
        }
        end
    }

    /// Behind the rest of an `else if` chain.
    fn behind_chain(&self, at: usize, end: usize) -> usize {
        let mut here = at;
        while here < end && self.word(here) == b"else" {
            here = self.behind_simple(here + 1, end);
        }
        here.max(at + 1)
    }

    /// `#if` between statements.
    fn conditional(&mut self, at: usize, end: usize, out: &mut Vec<Stmt>) -> usize {
        let mut starts = vec![at];
        let mut nested = 0;
        let mut here = at + 1;
        while here < end {
            if self.kind(here) == DIRECTIVE {
                let directive = Directive::of(&self.tokens[here], self.source);
                if directive.opens() {
                    nested += 1;
                } else if directive.kind == DirectiveKind::Endif {
                    if nested == 0 {
                        break;
                    }
                    nested -= 1;
                } else if nested == 0 {
                    starts.push(here);
                }
            }
            here += 1;
        }
        let mut branches = Vec::new();
        for (index, &start) in starts.iter().enumerate() {
            let stop = starts.get(index + 1).copied().unwrap_or(here);
            let condition = Directive::of(&self.tokens[start], self.source).condition();
            let body = self.block(start + 1..stop);
            branches.push(ConfigBranch { condition, body });
        }
        out.push(Stmt::Config { span: self.span(&(at..at + 1)), branches });
        here + 1
    }
}
