//! Control flow inside expressions: conditions, `&&`, `||`, `?:`, `({ … })`.

use crate::build::{Builder, NEXT, Pending, Way};
use crate::{Expr, Form};
use hydrogen_ir::{EdgeKind, Role};

impl Builder {
    /// An expression that decides where control goes: a piece per leaf. Gives what flows on if it holds and if
    /// it does not. A literal decides without a piece, as in compiled code.
    pub(crate) fn condition(&mut self, value: &Expr, role: Role) -> (Pending, Pending) {
        match value.truth {
            Some(true) => return (std::mem::take(&mut self.pending), Vec::new()),
            Some(false) => return (Vec::new(), std::mem::take(&mut self.pending)),
            None => {}
        }
        match &value.form {
            Form::And(left, right) => {
                let (holds, mut fails) = self.condition(left, role);
                self.pending = holds;
                let (holds, more) = self.condition(right, role);
                fails.extend(more);
                (holds, fails)
            }
            Form::Or(left, right) => {
                let (mut holds, fails) = self.condition(left, role);
                self.pending = fails;
                let (more, fails) = self.condition(right, role);
                holds.extend(more);
                (holds, fails)
            }
            // A single negated leaf is shown as written; the edges say which way it goes.
            Form::Not(inner) if inner.splits() => {
                let (holds, fails) = self.condition(inner, role);
                (fails, holds)
            }
            Form::Choose { condition, then, otherwise } => {
                let (chosen, not_chosen) = self.condition(condition, role);
                self.pending = chosen;
                let (mut holds, mut fails) = match then {
                    Some(then) => self.condition(then, role),
                    None => (std::mem::take(&mut self.pending), Vec::new()),
                };
                self.pending = not_chosen;
                let (more_holds, more_fails) = self.condition(otherwise, role);
                holds.extend(more_holds);
                fails.extend(more_fails);
                (holds, fails)
            }
            Form::Not(_) | Form::Plain(_) | Form::Block(_) => {
                self.parts(value);
                let node = self.own(role, value);
                (vec![(node, Way::Flow(EdgeKind::True))], vec![(node, Way::Flow(EdgeKind::False))])
            }
        }
    }

    /// A loop's condition. `while (1)` keeps its piece: it is the head that readers look for.
    pub(crate) fn loop_condition(&mut self, value: &Expr, role: Role) -> (Pending, Pending) {
        if value.truth == Some(true) {
            let node = self.own(role, value);
            return (vec![(node, Way::Flow(EdgeKind::True))], Vec::new());
        }
        self.condition(value, role)
    }

    /// The pieces that must run before the expression's own computation.
    pub(crate) fn parts(&mut self, value: &Expr) {
        if !value.has_control() {
            return;
        }
        match &value.form {
            Form::Plain(parts) => parts.iter().for_each(|part| self.parts(part)),
            Form::Not(inner) => self.parts(inner),
            Form::Block(body) => {
                let number = self.statement;
                self.statements(body);
                self.statement = self.statement.max(number);
            }
            Form::And(left, right) => {
                let (holds, fails) = self.condition(left, Role::Condition);
                self.pending = holds;
                self.operand(right, Role::Condition);
                self.pending.extend(fails);
            }
            Form::Or(left, right) => {
                let (holds, fails) = self.condition(left, Role::Condition);
                self.pending = fails;
                self.operand(right, Role::Condition);
                self.pending.extend(holds);
            }
            Form::Choose { condition, then, otherwise } => {
                if then.as_ref().is_some_and(|then| then.constant) && otherwise.constant {
                    self.parts(condition);
                    return;
                }
                let (chosen, not_chosen) = self.condition(condition, Role::Condition);
                self.pending = chosen;
                if let Some(then) = then {
                    self.operand(then, Role::Arm);
                }
                let after_then = std::mem::replace(&mut self.pending, not_chosen);
                self.operand(otherwise, Role::Arm);
                self.pending.extend(after_then);
            }
        }
    }

    /// An operand that control reaches on its own. One that is nothing but control flow needs no piece besides
    /// those of its parts.
    fn operand(&mut self, value: &Expr, role: Role) {
        self.parts(value);
        if matches!(value.form, Form::Plain(_) | Form::Not(_)) || !value.has_control() {
            // Nothing flows here when the other operand is a literal that decides alone.
            if self.pending.is_empty() {
                return;
            }
            let node = self.own(role, value);
            self.pending = vec![(node, NEXT)];
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Expr, Form, Stmt, build};
    use hydrogen_ir::{FileId, Position, Span};

    fn plain(text: &str) -> Expr {
        let at = Position { line: 1, column: 1 };
        Expr::plain(text, Span { file: FileId(0), start: at, end: at })
    }

    fn texts(condition: Expr) -> Vec<String> {
        let then = Box::new(Stmt::Expression { value: plain("x()"), no_return: false });
        let graph = build(&[Stmt::If { condition, then, otherwise: None }]);
        graph.pieces[2..].iter().map(|piece| piece.text.clone()).collect()
    }

    #[test]
    fn a_negated_leaf_keeps_its_negation_although_its_operands_branch() {
        let and = Expr { form: Form::And(Box::new(plain("a")), Box::new(plain("b"))), ..plain("a && b") };
        let call = Expr { form: Form::Plain(vec![and.clone()]), ..plain("f(a && b)") };
        let not = |inner: Expr| Expr {
            form: Form::Not(Box::new(inner.clone())),
            ..plain(&format!("!{}", inner.text))
        };
        assert_eq!(texts(not(call)), ["a", "b", "!f(a && b)", "x()"]);
        assert_eq!(texts(not(and)), ["a", "b", "x()"]);
    }
}
