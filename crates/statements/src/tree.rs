//! The structured form of a function body that both readers of C produce.

use hydrogen_ir::{Callee, Span};

/// An expression, as far as control flow is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expr {
    /// The text, through [`crate::fold`]; outer parentheses of a condition are left out.
    pub text: String,
    /// Its extent.
    pub span: Span,
    /// Control flow inside it.
    pub form: Form,
    /// Calls in evaluation order, without those inside parts that become pieces of their own.
    pub calls: Vec<Callee>,
    /// The truth value when the expression is a literal (`1`, `0`, `!0`): compilers emit no branch then.
    pub truth: Option<bool>,
    /// Whether it is a constant for sure: literals, `sizeof`, enumerators, and what is computed from them.
    pub constant: bool,
}

/// How control flows inside an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// Straight-line, but for the given operands, in evaluation order; only operands that contain control flow
    /// are listed.
    Plain(Vec<Expr>),
    /// `a && b`.
    And(Box<Expr>, Box<Expr>),
    /// `a || b`.
    Or(Box<Expr>, Box<Expr>),
    /// `!a` where `a` contains control flow or stands in a condition.
    Not(Box<Expr>),
    /// `c ? a : b`; GNU's `c ?: b` has no `then`.
    Choose {
        /// The condition.
        condition: Box<Expr>,
        /// The value if it holds.
        then: Option<Box<Expr>>,
        /// The value if it does not.
        otherwise: Box<Expr>,
    },
    /// GNU's `({ … })`.
    Block(Vec<Stmt>),
}

impl Expr {
    /// A straight-line expression without calls.
    pub fn plain(text: impl Into<String>, span: Span) -> Self {
        let form = Form::Plain(Vec::new());
        Self { text: text.into(), span, form, calls: Vec::new(), truth: None, constant: false }
    }

    /// Whether evaluating it takes more than one piece.
    pub fn has_control(&self) -> bool {
        match &self.form {
            Form::Plain(parts) => !parts.is_empty(),
            Form::Not(inner) => inner.has_control(),
            // Compilers emit a select, not a branch, when both values are constants.
            Form::Choose { condition, then: Some(then), otherwise } => {
                !(then.constant && otherwise.constant) || condition.has_control()
            }
            _ => true,
        }
    }

    /// Whether a condition of this form is taken apart into several leaves.
    pub(crate) fn splits(&self) -> bool {
        match &self.form {
            Form::And(..) | Form::Or(..) | Form::Choose { .. } => true,
            Form::Not(inner) => inner.splits(),
            Form::Plain(_) | Form::Block(_) => false,
        }
    }
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stmt {
    /// `{ … }`.
    Block(Vec<Stmt>),
    /// An expression statement; `no_return` when control does not come back (`exit(1)`).
    Expression {
        /// The expression.
        value: Expr,
        /// Whether control stops here.
        no_return: bool,
    },
    /// One declarator of a declaration, with its initialiser; `int a, b = 1;` gives two.
    Declaration(Expr),
    /// Inline assembly; `asm goto` lists its labels.
    Asm {
        /// The statement.
        value: Expr,
        /// The labels it may jump to.
        labels: Vec<String>,
    },
    /// `if`.
    If {
        /// The condition.
        condition: Expr,
        /// What follows if it holds.
        then: Box<Stmt>,
        /// What follows if not.
        otherwise: Option<Box<Stmt>>,
    },
    /// `while`.
    While {
        /// The condition.
        condition: Expr,
        /// The body.
        body: Box<Stmt>,
    },
    /// `do … while`.
    DoWhile {
        /// The body.
        body: Box<Stmt>,
        /// The condition.
        condition: Expr,
    },
    /// `for`. A missing condition is given as an expression with empty text and `truth: Some(true)`.
    For {
        /// The first part: declarations or an expression.
        init: Vec<Stmt>,
        /// The condition.
        condition: Expr,
        /// The third part.
        step: Option<Expr>,
        /// The body.
        body: Box<Stmt>,
    },
    /// `switch`.
    Switch {
        /// The value.
        value: Expr,
        /// The body, with `case` labels anywhere in it.
        body: Box<Stmt>,
    },
    /// `case …:` or `default:` before a statement.
    Case {
        /// The label.
        label: CaseLabel,
        /// The labelled statement.
        body: Box<Stmt>,
    },
    /// `name:` before a statement.
    Label {
        /// The name.
        name: String,
        /// The labelled statement.
        body: Box<Stmt>,
    },
    /// `goto name;`
    Goto {
        /// The label.
        label: String,
        /// The statement's extent.
        span: Span,
    },
    /// GNU's `goto *p;`: it may reach any label of the function.
    GotoIndirect(Expr),
    /// `break;`
    Break(Span),
    /// `continue;`
    Continue(Span),
    /// `return`, with the whole statement's text and the control flow of its value.
    Return(Expr),
    /// A preprocessor conditional between statements (build-free mode).
    Config {
        /// The extent of the opening directive.
        span: Span,
        /// The alternatives in order. When none is an `#else`, control may also pass by.
        branches: Vec<ConfigBranch>,
    },
    /// A region that could not be read (build-free mode).
    Opaque(Expr),
    /// `;`
    Empty,
}

/// A `case` or `default` label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseLabel {
    /// The constant as written, or `a ... b`.
    Value(String),
    /// `default`.
    Default,
}

/// An alternative of a preprocessor conditional.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigBranch {
    /// The condition as written (`defined(X)`, `!X`); `None` for `#else`.
    pub condition: Option<String>,
    /// The statements under it.
    pub body: Vec<Stmt>,
}
