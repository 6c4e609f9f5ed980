//! Declarations inside functions.

use crate::body::Body;
use crate::statement::has_error_node;
use hydrogen_statements::{Expr, Form, Stmt};
use tree_sitter::Node;

impl<'tree> Body<'_, 'tree> {
    /// One statement per declared variable; types, prototypes and `extern` declarations give none.
    pub fn declaration(&mut self, node: Node<'tree>, out: &mut Vec<Stmt>) {
        let kinds = self.kinds;
        let mut declarators = Vec::new();
        let mut cursor = self.cursor(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if cursor.field_id().is_some_and(|field| field.get() == kinds.declarator) {
                    declarators.push(child);
                } else if child.kind_id() == kinds.storage_class_specifier && self.raw(child) == b"extern" {
                    self.cursors.push(cursor);
                    return;
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.cursors.push(cursor);
        let Some(first) = declarators.first() else { return };
        let broken = node.has_error() && declarators.iter().any(|it| it.has_error() && has_error_node(*it));
        if broken {
            let value = self.opaque(
                node.start_byte() as u32,
                node.end_byte() as u32,
                "the declaration is unreadable",
            );
            out.push(Stmt::Opaque(value));
            return;
        }
        let begin = node.start_byte() as u32;
        let specifiers = if declarators.len() > 1 {
            self.text_of(begin, self.trimmed(begin, first.start_byte() as u32))
        } else {
            String::new()
        };
        for (index, declarator) in declarators.iter().enumerate() {
            if self.is_prototype(*declarator) {
                continue;
            }
            self.declare(*declarator);
            let found = self.gather(*declarator);
            let (start, end) = (declarator.start_byte() as u32, declarator.end_byte() as u32);
            let text = if declarators.len() == 1 {
                self.text_of(begin, end)
            } else {
                format!("{specifiers} {}", self.text_of(start, end))
            };
            let span = self.span_of(if index == 0 { begin } else { start }, end);
            let mut value = Expr::plain(text, span);
            value.form = Form::Plain(found.parts);
            value.calls = found.calls;
            out.push(Stmt::Declaration(value));
        }
    }

    /// The end of a stretch without the blank behind it.
    fn trimmed(&self, start: u32, end: u32) -> u32 {
        let text = &self.scratch.text()[start as usize..end as usize];
        start + text.trim_ascii_end().len() as u32
    }

    /// Remembers the variable's name.
    fn declare(&mut self, declarator: Node<'tree>) {
        if let Some(name) = self.declared(declarator) {
            let name = self.text(name);
            self.locals.insert(name);
        }
    }

    fn declared(&self, declarator: Node<'tree>) -> Option<Node<'tree>> {
        let kinds = self.kinds;
        let mut node = declarator;
        for _ in 0..crate::body::DEPTH {
            if node.kind_id() == kinds.identifier {
                return Some(node);
            }
            node = match self.field(node, kinds.declarator) {
                Some(inner) => inner,
                None => node.named_child(0)?,
            };
        }
        None
    }

    /// Whether a function is declared, rather than a variable (or a pointer to a function).
    fn is_prototype(&self, declarator: Node<'tree>) -> bool {
        let kinds = self.kinds;
        let mut node = declarator;
        for _ in 0..crate::body::DEPTH {
            let kind = node.kind_id();
            if kind == kinds.function_declarator {
                let inner = self.field(node, kinds.declarator);
                return inner.is_some_and(|inner| inner.kind_id() == kinds.identifier);
            }
            if kind != kinds.pointer_declarator && kind != kinds.attributed_declarator {
                return false;
            }
            match self.field(node, kinds.declarator).or_else(|| node.named_child(0)) {
                Some(inner) => node = inner,
                None => return false,
            }
        }
        false
    }
}
