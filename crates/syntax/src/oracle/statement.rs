//! Statements, from the grammar's tree.

use crate::body::{Body, DEPTH};
use crate::directive::Directive;
use crate::scratch::{GAP_NAME, GOTO_NAME};
use crate::token::{DIRECTIVE, Token};
use crate::words::never_returns;
use hydrogen_statements::{CaseLabel, ConfigBranch, Expr, Form, Stmt};
use tree_sitter::Node;

const TOO_DEEP: &str = "the statements are nested too deeply";
const UNREADABLE: &str = "this is not C as far as it can be read without its macros";

impl<'tree> Body<'_, 'tree> {
    /// The statements among the children of a node.
    pub fn children(&mut self, node: Node<'tree>, out: &mut Vec<Stmt>) {
        let mut cursor = self.cursor(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if child.is_named() {
                    self.statement(child, out);
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.cursors.push(cursor);
    }

    /// A statement as one; several (of a declaration) become a block.
    fn single(&mut self, node: Option<Node<'tree>>) -> Stmt {
        let mut out = Vec::new();
        if let Some(node) = node {
            self.statement(node, &mut out);
        }
        match out.len() {
            0 => Stmt::Empty,
            1 => out.remove(0),
            _ => Stmt::Block(out),
        }
    }

    /// A statement; declarations can give several, types none.
    pub fn statement(&mut self, node: Node<'tree>, out: &mut Vec<Stmt>) {
        self.depth += 1;
        if self.depth > DEPTH {
            out.push(Stmt::Opaque(self.opaque_node(node, TOO_DEEP)));
        } else {
            self.known(node, out);
        }
        self.depth -= 1;
    }

    fn opaque_node(&mut self, node: Node<'tree>, problem: &str) -> Expr {
        self.opaque(node.start_byte() as u32, node.end_byte() as u32, problem)
    }

    fn known(&mut self, node: Node<'tree>, out: &mut Vec<Stmt>) {
        let kinds = self.kinds;
        let kind = node.kind_id();
        if kind == kinds.expression_statement {
            self.expression_statement(node, out);
        } else if kind == kinds.declaration {
            self.declaration(node, out);
        } else if kind == kinds.if_statement {
            self.errors(node, out);
            let condition = self.head(node);
            let then = Box::new(self.single(self.field(node, kinds.consequence)));
            let otherwise = self.field(node, kinds.alternative).map(|clause| {
                let body = clause.named_child(clause.named_child_count().saturating_sub(1) as u32);
                Box::new(self.single(body))
            });
            out.push(Stmt::If { condition, then, otherwise });
        } else if kind == kinds.return_statement {
            out.push(self.returned(node));
        } else if kind == kinds.compound_statement {
            let mut inner = Vec::new();
            self.children(node, &mut inner);
            out.push(Stmt::Block(inner));
        } else if kind == kinds.for_statement {
            self.errors(node, out);
            out.push(self.counted(node));
        } else if kind == kinds.while_statement {
            self.errors(node, out);
            let condition = self.head(node);
            let body = Box::new(self.single(self.field(node, kinds.body)));
            out.push(Stmt::While { condition, body });
        } else if kind == kinds.case_statement {
            self.case(node, out);
        } else if kind == kinds.break_statement {
            let (start, end) = self.extent(node);
            out.push(Stmt::Break(self.span_of(start, end)));
        } else if kind == kinds.labeled_statement {
            self.labelled(node, out);
        } else if kind == kinds.goto_statement {
            let label = self.field(node, kinds.label).map_or_else(String::new, |label| self.text(label));
            let (start, end) = self.extent(node);
            out.push(Stmt::Goto { label, span: self.span_of(start, end) });
        } else if kind == kinds.switch_statement {
            self.errors(node, out);
            let value = self.head(node);
            let body = Box::new(self.single(self.field(node, kinds.body)));
            out.push(Stmt::Switch { value, body });
        } else if kind == kinds.do_statement {
            self.errors(node, out);
            let body = Box::new(self.single(self.field(node, kinds.body)));
            let condition = self.head(node);
            out.push(Stmt::DoWhile { body, condition });
        } else if kind == kinds.continue_statement {
            let (start, end) = self.extent(node);
            out.push(Stmt::Continue(self.span_of(start, end)));
        } else if kind == kinds.preproc_if {
            out.push(self.conditional(node));
        } else if kind == kinds.attributed_statement {
            let last = node.named_child(node.named_child_count().saturating_sub(1) as u32);
            out.extend(last.map(|last| self.single(Some(last))));
        } else if node.is_error() || kind == kinds.function_definition {
            out.push(Stmt::Opaque(self.opaque_node(node, UNREADABLE)));
        }
        // Types, prototypes and `extern` blocks give no statements.
    }

    /// What the grammar could not place inside a statement's head.
    fn errors(&mut self, node: Node<'tree>, out: &mut Vec<Stmt>) {
        if !node.has_error() {
            return;
        }
        for index in 0..node.child_count() {
            if let Some(child) = node.child(index).filter(|child| child.is_error()) {
                out.push(Stmt::Opaque(self.opaque_node(child, UNREADABLE)));
            }
        }
    }

    /// The extent of a statement without its semicolon.
    fn extent(&self, node: Node<'tree>) -> (u32, u32) {
        let mut end = node.end_byte();
        if let Some(last) = node.child(node.child_count().saturating_sub(1))
            && last.kind_id() == self.kinds.semicolon
        {
            end = last.prev_sibling().map_or(end, |before| before.end_byte());
        }
        (node.start_byte() as u32, end as u32)
    }

    /// The condition or value in a statement's parentheses.
    fn head(&mut self, node: Node<'tree>) -> Expr {
        match self.field(node, self.kinds.condition) {
            Some(condition) if condition.has_error() && has_error_node(condition) => {
                self.opaque_node(condition, UNREADABLE)
            }
            Some(condition) => self.expression(condition),
            None => self.opaque_node(node, UNREADABLE),
        }
    }

    /// A whole expression with the text of the statement it stands in.
    fn whole(&mut self, value: Node<'tree>, extent: (u32, u32)) -> Expr {
        let mut whole = self.expression(value);
        if extent != (value.start_byte() as u32, value.end_byte() as u32) || self.strip(value) != value {
            whole.text = self.text_of(extent.0, extent.1);
            whole.span = self.span_of(extent.0, extent.1);
        }
        whole
    }

    fn expression_statement(&mut self, node: Node<'tree>, out: &mut Vec<Stmt>) {
        let kinds = self.kinds;
        if node.has_error() && has_error_node(node) {
            out.push(Stmt::Opaque(self.opaque_node(node, UNREADABLE)));
            return;
        }
        let Some(value) = node.named_child(0) else { return };
        let kind = value.kind_id();
        if kind == kinds.identifier && self.raw(value) == GAP_NAME.as_bytes() {
            if let Some((start, end)) = self.scratch.gap_at(value.start_byte() as u32) {
                out.push(Stmt::Opaque(self.opaque_source(start, end, "")));
            }
            return;
        }
        if kind == kinds.gnu_asm_expression {
            let labels = self.asm_labels(value);
            out.push(Stmt::Asm { value: self.whole(value, self.extent(node)), labels });
            return;
        }
        if kind == kinds.call_expression
            && self.field(value, kinds.function).is_some_and(|name| self.raw(name) == GOTO_NAME.as_bytes())
        {
            let mut target = self.whole(value, self.extent(node));
            target.calls.pop();
            out.push(Stmt::GotoIndirect(target));
            return;
        }
        let no_return = self.never_comes_back(value);
        let extent = self.extent(node);
        out.push(Stmt::Expression { value: self.whole(value, extent), no_return });
    }

    fn never_comes_back(&self, value: Node<'tree>) -> bool {
        let mut value = self.strip(value);
        while value.kind_id() == self.kinds.cast_expression {
            match self.field(value, self.kinds.value) {
                Some(inner) => value = self.strip(inner),
                None => return false,
            }
        }
        if value.kind_id() != self.kinds.call_expression {
            return false;
        }
        self.field(value, self.kinds.function).is_some_and(|function| {
            let name = self.raw(function);
            (never_returns(name) || self.facts.no_return.contains(name))
                && !std::str::from_utf8(name).is_ok_and(|name| self.locals.contains(name))
        })
    }

    fn asm_labels(&self, value: Node<'tree>) -> Vec<String> {
        let lists = (0..value.named_child_count() as u32).filter_map(|index| value.named_child(index));
        lists
            .filter(|list| list.kind_id() == self.kinds.gnu_asm_goto_list)
            .flat_map(|list| {
                (0..list.named_child_count() as u32).filter_map(move |index| list.named_child(index))
            })
            .map(|label| self.text(label))
            .collect()
    }

    fn returned(&mut self, node: Node<'tree>) -> Stmt {
        let extent = self.extent(node);
        match node.named_child(0) {
            _ if node.has_error() && has_error_node(node) => {
                let mut value = self.opaque(extent.0, extent.1, UNREADABLE);
                value.form = Form::Plain(Vec::new());
                Stmt::Return(value)
            }
            Some(value) => Stmt::Return(self.whole(value, extent)),
            None => {
                Stmt::Return(Expr::plain(self.text_of(extent.0, extent.1), self.span_of(extent.0, extent.1)))
            }
        }
    }

    fn counted(&mut self, node: Node<'tree>) -> Stmt {
        let kinds = self.kinds;
        let mut init = Vec::new();
        if let Some(first) = self.field(node, kinds.initializer) {
            if first.kind_id() == kinds.declaration {
                self.declaration(first, &mut init);
            } else {
                let extent = (first.start_byte() as u32, first.end_byte() as u32);
                init.push(Stmt::Expression { value: self.whole(first, extent), no_return: false });
            }
        }
        let condition = match self.field(node, kinds.condition) {
            Some(condition) => self.expression(condition),
            None => {
                let start = node.start_byte() as u32;
                let mut always = Expr::plain("", self.span_of(start, start + 3));
                always.truth = Some(true);
                always
            }
        };
        let step = self.field(node, kinds.update).map(|step| {
            let extent = (step.start_byte() as u32, step.end_byte() as u32);
            self.whole(step, extent)
        });
        let body = Box::new(self.single(self.field(node, kinds.body)));
        Stmt::For { init, condition, step, body }
    }

    /// A label applies to the first statement behind it; the grammar puts the following ones below it too.
    fn case(&mut self, node: Node<'tree>, out: &mut Vec<Stmt>) {
        let value = self.field(node, self.kinds.value);
        let label = match value {
            Some(value) => CaseLabel::Value(self.text(value)),
            None => CaseLabel::Default,
        };
        out.push(Stmt::Case { label, body: Box::new(Stmt::Empty) });
        for index in 0..node.named_child_count() as u32 {
            if let Some(child) = node.named_child(index).filter(|child| Some(*child) != value) {
                self.statement(child, out);
            }
        }
    }

    fn labelled(&mut self, node: Node<'tree>, out: &mut Vec<Stmt>) {
        let name = self.field(node, self.kinds.label).map_or_else(String::new, |label| self.text(label));
        out.push(Stmt::Label { name, body: Box::new(Stmt::Empty) });
        let last = node.named_child(node.named_child_count().saturating_sub(1) as u32);
        if let Some(last) = last.filter(|_| node.named_child_count() > 1) {
            self.statement(last, out);
        }
    }

    /// `#if` between statements. The grammar nests the alternatives; their number has no limit.
    fn conditional(&mut self, node: Node<'tree>) -> Stmt {
        let mut branches = Vec::new();
        let mut next = Some(node);
        while let Some(branch) = next {
            let condition = self.directive_condition(branch);
            let alternative = self.field(branch, self.kinds.alternative);
            let given = self.field(branch, self.kinds.condition);
            let mut body = Vec::new();
            let mut cursor = self.cursor(branch);
            if cursor.goto_first_child() {
                loop {
                    let child = cursor.node();
                    if child.is_named() && Some(child) != alternative && Some(child) != given {
                        self.statement(child, &mut body);
                    }
                    if !cursor.goto_next_sibling() {
                        break;
                    }
                }
            }
            self.cursors.push(cursor);
            branches.push(ConfigBranch { condition, body });
            next = alternative;
        }
        let first = node.child(0).unwrap_or(node);
        let (start, _) = self.scratch.origin(first.start_byte() as u32, first.end_byte() as u32);
        let end = self.directive_at(start).end;
        Stmt::Config { span: self.lines.span(start, end), branches }
    }

    fn directive_condition(&self, branch: Node<'tree>) -> Option<String> {
        let (start, _) = self.scratch.origin(branch.start_byte() as u32, branch.start_byte() as u32 + 1);
        Directive::of(&self.directive_at(start), self.source).condition()
    }

    /// The directive that begins at this place of the source.
    fn directive_at(&self, start: u32) -> Token {
        let mut token = crate::token::first(&self.source[start as usize..]);
        token.start += start;
        token.end += start;
        token.kind = DIRECTIVE;
        token
    }
}

/// Whether a part of the node could not be read, other than by leaving out a token.
pub(crate) fn has_error_node(node: Node) -> bool {
    let mut cursor = node.walk();
    let mut depth = 0;
    loop {
        let here = cursor.node();
        if here.is_error() {
            return true;
        }
        if here.has_error() && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if depth == 0 || !cursor.goto_parent() {
                return false;
            }
            depth -= 1;
        }
        if depth == 0 {
            return false;
        }
    }
}
