//! Expressions: the control flow and the calls inside them.

use crate::body::{Body, DEPTH};
use crate::facts::Argument;
use crate::token::{CHAR, NUMBER, TEXT, WORD};
use crate::words::{is_specifier, is_type_word, is_typeof, takes_parentheses};
use hydrogen_ir::Callee;
use hydrogen_statements::{Expr, Form};
use std::ops::Range;

/// Parts and calls found in an expression.
#[derive(Default)]
pub(crate) struct Found {
    pub parts: Vec<Expr>,
    pub calls: Vec<Callee>,
}

/// What holds an expression together: its weakest operator, as far as control flow is concerned.
enum Shape {
    /// `a, b`.
    Comma,
    /// `a = b`, also `a += b`.
    Assignment,
    /// `a ? b : c`, with the places of `?` and `:`.
    Choice(usize, usize),
    /// `a || b`.
    Or,
    /// `a && b`.
    And,
    /// `!a`.
    Not,
    /// GNU's `({ … })`.
    Block,
    /// Anything else.
    Plain,
}

impl<'a> Body<'a> {
    /// An expression without the parentheses around it.
    pub fn expression(&mut self, range: Range<usize>) -> Expr {
        let range = self.strip(range);
        self.expression_as(range.clone(), range)
    }

    /// An expression with the text and place of a range around it.
    pub fn expression_as(&mut self, range: Range<usize>, shown: Range<usize>) -> Expr {
        let range = self.strip(range);
        let mut value = self.plain(&shown);
        value.truth = self.truth(range.clone());
        self.depth += 1;
        if self.depth > DEPTH {
            value.calls = self.opaque(&range, "the expression is nested too deeply").calls;
        } else {
            self.fill(range, &mut value);
        }
        self.depth -= 1;
        value
    }

    fn fill(&mut self, range: Range<usize>, value: &mut Expr) {
        match self.shape(&range) {
            Shape::Or => self.logical(range, b'|', value),
            Shape::And => self.logical(range, b'&', value),
            Shape::Choice(question, colon) => self.choice(range, question, colon, value),
            Shape::Not => {
                let mut inner = self.expression(range.start + 1..range.end);
                value.constant = inner.constant;
                value.calls = std::mem::take(&mut inner.calls);
                if inner.form != Form::Plain(Vec::new()) {
                    inner.calls.clone_from(&value.calls);
                    value.form = Form::Not(Box::new(inner));
                }
            }
            Shape::Block => value.form = Form::Block(self.block(range.start + 2..range.end - 2)),
            shape => {
                let mut found = Found::default();
                self.operands(range.clone(), &shape, &mut found);
                value.constant = found.calls.is_empty() && found.parts.is_empty() && self.constant(range);
                value.form = Form::Plain(found.parts);
                value.calls = found.calls;
            }
        }
    }

    /// `a && b && c` is `(a && b) && c`.
    fn logical(&mut self, range: Range<usize>, byte: u8, value: &mut Expr) {
        let operands = self.split(range.clone(), |body, at| body.pair(at, byte, byte).then_some(2));
        if operands.len() + self.depth > DEPTH {
            value.calls = self.opaque(&range, "the condition is too long").calls;
            return;
        }
        let mut operands = operands.into_iter();
        let Some(first) = operands.next() else { return };
        let mut left = self.expression(first.clone());
        let last = operands.len();
        for (index, operand) in operands.enumerate() {
            let upto = range.start..operand.end;
            let right = Box::new(self.expression(operand));
            let form =
                if byte == b'|' { Form::Or(Box::new(left), right) } else { Form::And(Box::new(left), right) };
            if index + 1 == last {
                value.form = form;
                return;
            }
            left = Expr { form, ..self.plain(&upto) };
        }
        *value = left; // An operator without a second operand.
    }

    fn choice(&mut self, range: Range<usize>, question: usize, colon: usize, value: &mut Expr) {
        let condition = self.expression(range.start..question);
        let then = (question + 1 < colon).then(|| self.expression(question + 1..colon));
        let otherwise = self.expression(colon + 1..range.end);
        let selects = then.as_ref().is_some_and(|then| then.constant) && otherwise.constant;
        value.constant = selects && condition.constant;
        if selects {
            // A choice between constants has no piece of its own: its calls are those of the whole.
            value.calls.clone_from(&condition.calls);
        }
        let (condition, then, otherwise) = (Box::new(condition), then.map(Box::new), Box::new(otherwise));
        value.form = Form::Choose { condition, then, otherwise };
    }

    /// An operand in value position: its control flow becomes a part, its calls belong to the whole.
    pub fn value(&mut self, range: Range<usize>, found: &mut Found) {
        let range = self.strip(range);
        let shape = self.shape(&range);
        match shape {
            Shape::Or | Shape::And | Shape::Choice(..) | Shape::Block => {
                let part = self.expression(range);
                found.calls.extend_from_slice(&part.calls);
                if part.has_control() {
                    found.parts.push(part);
                }
            }
            _ if self.depth >= DEPTH => {
                let inside = self.opaque(&range, "the expression is nested too deeply");
                found.calls.extend(inside.calls);
            }
            _ => {
                self.depth += 1;
                self.operands(range, &shape, found);
                self.depth -= 1;
            }
        }
    }

    fn operands(&mut self, range: Range<usize>, shape: &Shape, found: &mut Found) {
        match shape {
            Shape::Comma => {
                self.each(range, |body, operand| body.value(operand, found));
            }
            Shape::Assignment => {
                // The right operand is evaluated first.
                for operand in
                    self.split(range, |body, at| body.is_assignment(at).then_some(1)).into_iter().rev()
                {
                    self.value(operand, found);
                }
            }
            Shape::Not => self.value(range.start + 1..range.end, found),
            _ => self.postfix(range, found),
        }
    }

    /// The pieces of a range between operators at its own level.
    pub fn split(
        &self,
        range: Range<usize>,
        operator: impl Fn(&Self, usize) -> Option<usize>,
    ) -> Vec<Range<usize>> {
        let mut out = Vec::new();
        let mut begin = range.start;
        let mut at = range.start;
        while at < range.end {
            match operator(self, at) {
                // At the beginning it cannot join anything: GNU's `&&label`.
                Some(length) if at > begin || length == 1 => {
                    out.push(begin..at);
                    begin = at + length;
                    at = begin;
                }
                Some(length) => at += length,
                None => at = self.behind(at, range.end),
            }
        }
        out.push(begin..range.end);
        out
    }

    /// Goes through an expression without operators that branch, looking into its brackets.
    fn postfix(&mut self, range: Range<usize>, found: &mut Found) {
        // Where the operand begins that brackets may follow.
        let mut operand = range.start;
        let mut at = range.start;
        while at < range.end {
            let kind = self.kind(at);
            if matches!(kind, b'(' | b'[' | b'{') {
                let Some(close) = self.close(at, range.end) else { break };
                let inside = at + 1..close;
                let joined = at > operand && self.is_operand_end(at - 1);
                if kind == b'{' {
                    self.elements(inside, found);
                } else if kind == b'(' && at > range.start && is_unevaluated(self.word(at - 1)) {
                    // Nothing happens inside.
                } else if kind == b'(' && joined && !self.is_cast(operand..at) {
                    self.call(operand..at, inside, found);
                } else {
                    if !joined || kind == b'(' {
                        operand = at;
                    }
                    // Of `({ … })` the parentheses belong to the expression.
                    let block = self.kind(at + 1) == b'{';
                    self.value(if block { at..close + 1 } else { inside }, found);
                }
                at = close + 1;
                continue;
            }
            if matches!(kind, WORD | NUMBER | TEXT | CHAR) && !self.is_member(at) {
                operand = at;
                if self.word(at) == b"sizeof" && self.kind(at + 1) != b'(' {
                    at = self.behind_operand(at + 1, range.end);
                    continue;
                }
            }
            at += 1;
        }
    }

    /// Behind a name and the brackets and members that follow it.
    fn behind_operand(&self, at: usize, end: usize) -> usize {
        let mut here = at + 1;
        while here < end && (matches!(self.kind(here), b'(' | b'[') || self.is_member(here + 1)) {
            here = self.behind(here, end);
        }
        here
    }

    /// Whether parentheses are a cast of the parentheses behind them. `(f)(x)` with an unknown `f` is taken for one:
    /// casts are far more frequent than calls that avoid a macro.
    fn is_cast(&self, range: Range<usize>) -> bool {
        if self.kind(range.start) != b'(' || self.close(range.start, range.end) != Some(range.end - 1) {
            return false;
        }
        let first = self.word(range.start + 1);
        let known = self.locals.contains(first) || self.facts.functions.contains(first);
        is_type_word(first)
            || is_specifier(first)
            || (self.kind(range.end - 2) == b'*' && range.len() > 3)
            || (!first.is_empty() && range.len() == 3 && !known)
    }

    /// An initialiser's elements: `a`, `.x = a`, `[i] = a`.
    pub fn elements(&mut self, range: Range<usize>, found: &mut Found) {
        self.each(range, |body, element| {
            let mut begin = element.start;
            if matches!(body.kind(begin), b'.' | b'[') {
                while begin < element.end && body.kind(begin) != b'=' {
                    begin = body.behind(begin, element.end);
                }
                begin += 1;
            }
            if begin < element.end {
                body.value(begin..element.end, found);
            }
        });
    }

    /// Calls `visit` with what stands between the commas of a range.
    fn each(&mut self, range: Range<usize>, mut visit: impl FnMut(&mut Self, Range<usize>)) {
        let mut begin = range.start;
        let mut at = range.start;
        while at <= range.end {
            if at == range.end || self.kind(at) == b',' {
                visit(self, begin..at);
                begin = at + 1;
                at = begin;
            } else {
                at = self.behind(at, range.end);
            }
        }
    }

    fn call(&mut self, callee: Range<usize>, arguments: Range<usize>, found: &mut Found) {
        let simple = callee.len() == 1 && self.kind(callee.start) == WORD;
        // The parentheses of a type such as `void (*)(int)` are no call.
        let pointer = arguments.len() == 1 && self.kind(arguments.start) == b'*';
        if pointer
            || (!simple && (self.word(arguments.start) == b"void" || self.kind(callee.end - 2) == b'*'))
        {
            return;
        }
        let used = if simple { self.facts.arguments(self.word(callee.start)) } else { None };
        let mut index = 0;
        self.each(arguments, |body, argument| {
            index += 1;
            let dropped = used.as_ref().is_some_and(|used| used.get(index - 1) == Some(&Argument::Dropped));
            if dropped {
                // As for `assert` in release builds: the program does not contain it.
            } else if used.is_some() || (body.kind(argument.start) == b'{' && !argument.is_empty()) {
                // A macro's use is one piece, as in compiled code: what runs when is the macro's affair.
                let inside = body.opaque(&argument, "");
                found.calls.extend(inside.calls);
            } else if argument.len() > 1 {
                body.value(argument, found);
            }
        });
        let callee = self.strip(callee);
        if takes_parentheses(self.word(callee.start)) {
            return; // A keyword of a statement that is a macro's argument.
        }
        let text = self.text(&callee);
        let direct = callee.len() == 1 && !self.locals.contains(self.word(callee.start));
        found.calls.push(if direct { Callee::Direct(text) } else { Callee::Indirect(text) });
    }

    fn shape(&self, range: &Range<usize>) -> Shape {
        let (mut and, mut or, mut choice, mut assignment) = (false, false, None, false);
        let mut at = range.start;
        while at < range.end {
            match self.kind(at) {
                b',' => return Shape::Comma,
                b'=' if choice.is_none() && self.is_assignment(at) => assignment = true,
                b'?' if choice.is_none() => choice = Some(at),
                b'&' if self.pair(at, b'&', b'&') => {
                    and |= at > range.start && self.is_operand_end(at - 1);
                    at += 1;
                }
                b'|' if self.pair(at, b'|', b'|') => {
                    or = true;
                    at += 1;
                }
                _ => {}
            }
            at = self.behind(at, range.end);
        }
        if assignment {
            return Shape::Assignment;
        }
        if let Some(question) = choice {
            return self
                .colon(question, range.end)
                .map_or(Shape::Plain, |colon| Shape::Choice(question, colon));
        }
        if or || and {
            return if or { Shape::Or } else { Shape::And };
        }
        match self.kind(range.start) {
            b'!' if !self.has_binary(range.start + 1..range.end) => Shape::Not,
            b'(' if self.kind(range.start + 1) == b'{'
                && self.close(range.start, range.end) == Some(range.end - 1)
                && self.close(range.start + 1, range.end) == Some(range.end - 2) =>
            {
                Shape::Block
            }
            _ => Shape::Plain,
        }
    }

    /// The colon that belongs to the question mark.
    fn colon(&self, question: usize, end: usize) -> Option<usize> {
        let mut open = 0;
        let mut at = question + 1;
        while at < end {
            match self.kind(at) {
                b'?' => open += 1,
                b':' if open == 0 => return Some(at),
                b':' => open -= 1,
                _ => {}
            }
            at = self.behind(at, end);
        }
        None
    }

    /// Whether an operand can end with this token, so that what follows is a binary operator or a call.
    fn is_operand_end(&self, at: usize) -> bool {
        match self.kind(at) {
            NUMBER | TEXT | CHAR | b')' | b']' | b'}' => true,
            WORD => self.word(at) != b"return",
            // `a++` and `a--`.
            byte @ (b'+' | b'-') => {
                at > 1 && self.pair(at - 1, byte, byte) && matches!(self.kind(at - 2), WORD | b')' | b']')
            }
            _ => false,
        }
    }

    fn is_member(&self, at: usize) -> bool {
        at > 0 && (self.kind(at - 1) == b'.' || (at > 1 && self.pair(at - 2, b'-', b'>')))
    }

    /// Whether `=` at this place assigns.
    fn is_assignment(&self, at: usize) -> bool {
        if self.kind(at) != b'=' || self.pair(at, b'=', b'=') {
            return false;
        }
        if at == 0 || self.tokens[at - 1].end != self.tokens[at].start {
            return true;
        }
        match self.kind(at - 1) {
            b'=' | b'!' => false,
            // `<=` compares, `<<=` assigns.
            byte @ (b'<' | b'>') => at > 1 && self.pair(at - 2, byte, byte),
            _ => true,
        }
    }

    /// Whether the range joins two operands at its own level.
    fn has_binary(&self, range: Range<usize>) -> bool {
        let mut at = range.start;
        while at < range.end {
            let operator = b"+-*/%&|^<>=".contains(&self.kind(at));
            if operator && at > range.start && self.is_operand_end(at - 1) {
                let next = self.kind(at + 1);
                let step =
                    (self.kind(at) == next && matches!(next, b'+' | b'-')) || self.pair(at, b'-', b'>');
                if !step {
                    return true;
                }
                at += 1;
            }
            at = self.behind(at, range.end);
        }
        false
    }

    /// Without the parentheses around it.
    pub fn strip(&self, mut range: Range<usize>) -> Range<usize> {
        while range.len() > 2
            && self.kind(range.start) == b'('
            && self.kind(range.start + 1) != b'{'
            && self.close(range.start, range.end) == Some(range.end - 1)
        {
            range = range.start + 1..range.end - 1;
        }
        range
    }
}

/// Keywords and builtins whose operand is not evaluated.
fn is_unevaluated(word: &[u8]) -> bool {
    is_typeof(word)
        || is_type_word(word)
        || matches!(
            word,
            b"sizeof"
                | b"_Alignof"
                | b"alignof"
                | b"__alignof__"
                | b"offsetof"
                | b"__builtin_offsetof"
                | b"_Generic"
        )
}
