//! Expressions: the control flow and the calls inside them.

use crate::body::{Body, DEPTH};
use crate::evaluate::{character, number};
use hydrogen_ir::Callee;
use hydrogen_statements::{Expr, Form};
use tree_sitter::Node;

/// Parts and calls found in an expression.
#[derive(Default)]
pub(crate) struct Found {
    pub parts: Vec<Expr>,
    pub calls: Vec<Callee>,
}

/// An expression whose operands are being looked at.
enum Frame<'tree> {
    Call(Node<'tree>),
    /// Where the operands of an assignment begin, and where its right one does.
    Assignment {
        begin: (usize, usize),
        middle: (usize, usize),
    },
    Other,
}

impl<'tree> Body<'_, 'tree> {
    /// An expression without the parentheses around it.
    pub fn expression(&mut self, node: Node<'tree>) -> Expr {
        let node = self.strip(node);
        let mut value = Expr::plain(self.text(node), self.span(node));
        value.truth = self.truth(node);
        self.depth += 1;
        if self.depth > DEPTH {
            let found = (node.start_byte() as u32, node.end_byte() as u32);
            value.calls = self.opaque(found.0, found.1, "the expression is nested too deeply").calls;
        } else {
            self.fill(node, &mut value);
        }
        self.depth -= 1;
        value
    }

    fn fill(&mut self, node: Node<'tree>, value: &mut Expr) {
        let kinds = self.kinds;
        let kind = node.kind_id();
        if kind == kinds.binary_expression && self.is_logical(node) {
            if let (Some(left), Some(right)) = (self.field(node, kinds.left), self.field(node, kinds.right)) {
                let operands = (Box::new(self.expression(left)), Box::new(self.expression(right)));
                let or = self.operator(node) == kinds.or;
                value.form =
                    if or { Form::Or(operands.0, operands.1) } else { Form::And(operands.0, operands.1) };
                return;
            }
        } else if kind == kinds.unary_expression && self.operator(node) == kinds.not {
            if let Some(argument) = self.field(node, kinds.argument) {
                let mut inner = self.expression(argument);
                value.calls = std::mem::take(&mut inner.calls);
                if inner.form != Form::Plain(Vec::new()) {
                    inner.calls.clone_from(&value.calls);
                    value.form = Form::Not(Box::new(inner));
                }
                value.constant = self.constant(node, 0);
                return;
            }
        } else if kind == kinds.conditional_expression {
            if self.choose(node, value) {
                return;
            }
        } else if kind == kinds.parenthesized_expression {
            // What is left of the parentheses is GNU's `({ … })`.
            if let Some(block) = self.block_inside(node) {
                let mut statements = Vec::new();
                self.children(block, &mut statements);
                value.form = Form::Block(statements);
                return;
            }
        }
        let found = self.gather(node);
        value.form = Form::Plain(found.parts);
        value.calls = found.calls;
        value.constant = self.constant(node, 0);
    }

    fn choose(&mut self, node: Node<'tree>, value: &mut Expr) -> bool {
        let kinds = self.kinds;
        let condition = self.field(node, kinds.condition);
        let (Some(condition), Some(otherwise)) = (condition, self.field(node, kinds.alternative)) else {
            return false;
        };
        let condition = self.expression(condition);
        let then = self.field(node, kinds.consequence).map(|then| self.expression(then));
        let otherwise = self.expression(otherwise);
        let selects = then.as_ref().is_some_and(|then| then.constant) && otherwise.constant;
        value.constant = selects && condition.constant;
        if selects {
            // No piece of its own evaluates the condition then.
            value.calls.clone_from(&condition.calls);
        }
        let (condition, then, otherwise) = (Box::new(condition), then.map(Box::new), Box::new(otherwise));
        value.form = Form::Choose { condition, then, otherwise };
        true
    }

    /// The control flow and the calls of the operands of `root`, in the order in which clang evaluates them. It
    /// uses no stack of its own: expressions can be as long as their authors like.
    pub fn gather(&mut self, root: Node<'tree>) -> Found {
        let mut found = Found::default();
        let raw = self.raw(root);
        // Most expressions have neither; finding that out in the text is cheaper than in the tree.
        if memchr::memchr2(b'(', b'?', raw).is_none()
            && memchr::memmem::find(raw, b"&&").is_none()
            && memchr::memmem::find(raw, b"||").is_none()
        {
            return found;
        }
        let kinds = self.kinds;
        let mut cursor = self.cursor(root);
        let mut frames: Vec<Frame<'tree>> = Vec::new();
        let mut at_root = true;
        'walk: loop {
            let node = cursor.node();
            let kind = node.kind_id();
            let control = !at_root && self.is_control(node, kind);
            if control {
                let part = self.expression(node);
                // A choice between constants has no piece of its own: its calls are those of the whole.
                found.calls.extend_from_slice(&part.calls);
                if part.has_control() {
                    found.parts.push(part);
                }
            } else if let Some(Frame::Assignment { middle, .. }) = frames.last_mut()
                && !node.is_named()
            {
                *middle = (found.parts.len(), found.calls.len());
            }
            if !control && !self.is_unevaluated(kind) && cursor.goto_first_child() {
                let begin = (found.parts.len(), found.calls.len());
                frames.push(if kind == kinds.call_expression {
                    Frame::Call(node)
                } else if kind == kinds.assignment_expression {
                    Frame::Assignment { begin, middle: begin }
                } else {
                    Frame::Other
                });
                at_root = false;
                continue;
            }
            if at_root {
                break;
            }
            while !cursor.goto_next_sibling() {
                match frames.pop() {
                    Some(Frame::Call(call)) => found.calls.extend(self.callee(call)),
                    Some(Frame::Assignment { begin, middle }) => {
                        // The right operand is evaluated first.
                        found.parts[begin.0..].rotate_left(middle.0 - begin.0);
                        found.calls[begin.1..].rotate_left(middle.1 - begin.1);
                    }
                    _ => {}
                }
                if frames.is_empty() || !cursor.goto_parent() {
                    break 'walk;
                }
            }
        }
        self.cursors.push(cursor);
        found
    }

    /// Whether a node is taken apart into pieces.
    fn is_control(&self, node: Node<'tree>, kind: u16) -> bool {
        let kinds = self.kinds;
        kind == kinds.conditional_expression
            || (kind == kinds.binary_expression && self.is_logical(node))
            || (kind == kinds.parenthesized_expression && self.block_inside(node).is_some())
    }

    fn is_logical(&self, node: Node<'tree>) -> bool {
        let operator = self.operator(node);
        operator == self.kinds.and || operator == self.kinds.or
    }

    fn is_unevaluated(&self, kind: u16) -> bool {
        let kinds = self.kinds;
        kind == kinds.sizeof_expression
            || kind == kinds.alignof_expression
            || kind == kinds.offsetof_expression
            || kind == kinds.generic_expression
            || kind == kinds.type_descriptor
            || kind == kinds.string_literal
            || kind == kinds.parameter_list
            || kind == kinds.attribute_specifier
            || kind == kinds.field_declaration_list
    }

    fn callee(&self, call: Node<'tree>) -> Option<Callee> {
        let function = self.strip(self.field(call, self.kinds.function)?);
        let text = self.text(function);
        if function.kind_id() == self.kinds.identifier && !self.locals.contains(&text) {
            Some(Callee::Direct(text))
        } else {
            Some(Callee::Indirect(text))
        }
    }

    pub fn field(&self, node: Node<'tree>, field: u16) -> Option<Node<'tree>> {
        node.child_by_field_id(field)
    }

    fn operator(&self, node: Node<'tree>) -> u16 {
        self.field(node, self.kinds.operator).map_or(0, |operator| operator.kind_id())
    }

    /// The compound statement of `({ … })`.
    fn block_inside(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        node.named_child(0).filter(|inner| inner.kind_id() == self.kinds.compound_statement)
    }

    /// Without parentheses.
    pub fn strip(&self, mut node: Node<'tree>) -> Node<'tree> {
        while node.kind_id() == self.kinds.parenthesized_expression && !node.has_error() {
            match node.named_child(0) {
                Some(inner) if inner.kind_id() != self.kinds.compound_statement => node = inner,
                _ => break,
            }
        }
        node
    }

    /// The truth of a literal.
    fn truth(&self, node: Node<'tree>) -> Option<bool> {
        let kinds = self.kinds;
        let mut node = node;
        let mut negated = false;
        for _ in 0..DEPTH {
            node = self.strip(node);
            let kind = node.kind_id();
            if kind == kinds.unary_expression {
                let operator = self.operator(node);
                negated ^= operator == kinds.not;
                if operator != kinds.not && operator != kinds.minus {
                    return None;
                }
                node = self.field(node, kinds.argument)?;
            } else if kind == kinds.cast_expression {
                node = self.field(node, kinds.value)?;
            } else {
                let raw = self.raw(node);
                let value = if kind == kinds.number_literal {
                    number(raw.strip_prefix(b"-").unwrap_or(raw))?
                } else if kind == kinds.char_literal {
                    character(raw)?
                } else if kind == kinds.identifier {
                    self.facts.value(raw)?
                } else {
                    match raw {
                        // The grammar's own keywords for what everybody defines alike.
                        b"true" | b"TRUE" => 1,
                        b"false" | b"FALSE" => 0,
                        _ => return None,
                    }
                };
                return Some((value != 0) != negated);
            }
        }
        None
    }

    /// Whether a compiler sees a constant here.
    fn constant(&self, node: Node<'tree>, depth: usize) -> bool {
        let kinds = self.kinds;
        let node = self.strip(node);
        let kind = node.kind_id();
        let inner = |field: u16| {
            depth < 32 && self.field(node, field).is_some_and(|inner| self.constant(inner, depth + 1))
        };
        if kind == kinds.identifier {
            let name = self.raw(node);
            self.facts.is_constant(name)
                && !std::str::from_utf8(name).is_ok_and(|name| self.locals.contains(name))
        } else if kind == kinds.unary_expression {
            inner(kinds.argument)
        } else if kind == kinds.cast_expression {
            inner(kinds.value)
        } else if kind == kinds.binary_expression {
            inner(kinds.left) && inner(kinds.right)
        } else {
            kind == kinds.number_literal
                || kind == kinds.char_literal
                || kind == kinds.string_literal
                || kind == kinds.concatenated_string
                || kind == kinds.sizeof_expression
                || kind == kinds.alignof_expression
                || kind == kinds.offsetof_expression
                || kind == kinds.null
                || matches!(self.raw(node), b"true" | b"TRUE" | b"false" | b"FALSE")
        }
    }
}
