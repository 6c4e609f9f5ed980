//! SMT-LIB 2. Shared parts are named by `define-fun` (in scripts) or `let` (in single terms), so the text is as small as the
//! graph, and written without recursion.

use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use super::theory::{Text, sort as number_sort};
use crate::{
    pool::Pool,
    sort::Sort,
    term::{Function, Op, Term},
    theory::{self, Form, Part, Theory, Wanted},
    words::mask,
};

impl Pool {
    /// The term in SMT-LIB notation, with `let` for parts that occur more than once.
    pub fn to_smt(&self, term: Term) -> String {
        let mut script = Script::new();
        let mut text = String::new();
        let mut lets = 0;
        for part in self.postorder(&[term]) {
            script.declare_quietly(self, part);
            if part != term && !self.args(part).is_empty() && script.is_shared(self, part, term) {
                let _ = write!(text, "(let ((t{} {})) ", part.0, script.expression(self, part));
                script.named.insert((part, Form::Plain), format!("t{}", part.0));
                lets += 1;
            }
        }
        text.push_str(&script.expression(self, term));
        text.extend(std::iter::repeat_n(')', lets));
        text
    }

    /// A whole script that asks whether the constraints hold together. Names are the variables' own, made unique.
    pub fn to_smt_script(&self, constraints: &[Term]) -> String {
        let mut script = Script::new();
        let mut text = format!("(set-logic {})\n", self.logic(constraints).name());
        for &constraint in constraints {
            script.assert(self, constraint, &mut text);
        }
        text.push_str("(check-sat)\n(exit)\n");
        text
    }
}

/// Writes terms to a solver or file, each declaration and each shared part once.
#[derive(Default)]
pub struct Script {
    named: FxHashMap<Wanted, String>,
    functions: FxHashMap<Function, String>,
    used: FxHashSet<String>,
    /// What was named since each open scope was entered.
    scopes: Vec<Vec<Named>>,
    /// In a to-be-printed term, the parts with more than one parent.
    shared: Option<(Term, FxHashSet<Term>)>,
}

/// Something that has a name in a script.
enum Named {
    Term(Wanted),
    Function(Function),
}

impl Script {
    /// Nothing declared yet.
    pub fn new() -> Self {
        // A variable of such a name would be taken for a way to round.
        let taken = ["RNE", "RNA", "RTN", "RTP", "RTZ"];
        Self { used: taken.into_iter().map(str::to_owned).collect(), ..Self::default() }
    }

    /// The name a declared variable or defined part has in the script.
    pub fn name(&self, term: Term) -> Option<&str> {
        self.named.get(&(term, Form::Plain)).map(String::as_str)
    }

    /// The name a declared function has in the script.
    pub fn function_name(&self, function: Function) -> Option<&str> {
        self.functions.get(&function).map(String::as_str)
    }

    /// Enters a scope, as `(push 1)` does.
    pub fn enter(&mut self) {
        self.scopes.push(Vec::new());
    }

    /// Leaves scopes, as `(pop n)` does: what was declared in them has to be declared again.
    pub fn leave(&mut self, scopes: usize) {
        let kept = self.scopes.len().saturating_sub(scopes);
        for named in self.scopes.drain(kept..).flatten() {
            let name = match named {
                Named::Term(term) => self.named.remove(&term),
                Named::Function(function) => self.functions.remove(&function),
            };
            name.map(|name| self.used.remove(&name));
        }
    }

    fn remember(&mut self, named: Named) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(named);
        }
    }

    /// Appends declarations and definitions that the constraint needs, and its assertion.
    pub fn assert(&mut self, pool: &Pool, constraint: Term, text: &mut String) {
        let name = self.define(pool, constraint, text);
        let _ = writeln!(text, "(assert {name})");
    }

    /// Appends declarations and definitions that a term needs; returns its text.
    pub fn define(&mut self, pool: &Pool, term: Term, text: &mut String) -> String {
        let mut open = vec![(term, Form::Plain)];
        while let Some(&wanted) = open.last() {
            if self.named.contains_key(&wanted) || is_literal(pool, wanted) {
                open.pop();
                continue;
            }
            let before = open.len();
            let missing = |part: &Wanted| !self.named.contains_key(part) && !is_literal(pool, *part);
            open.extend(theory::needs(pool, wanted).into_iter().filter(missing));
            if open.len() > before {
                continue;
            }
            open.pop();
            self.define_one(pool, wanted, text);
        }
        self.reference(pool, term)
    }

    /// Appends the definition of something whose parts are defined.
    fn define_one(&mut self, pool: &Pool, wanted: Wanted, text: &mut String) {
        let (part, form) = wanted;
        let made = |wanted: Wanted| self.made(pool, wanted);
        let (name, sort, body) = match (form, pool.op(part)) {
            (Form::Plain, Op::Var(_)) => {
                self.declare_quietly(pool, part);
                let _ = writeln!(text, "(declare-fun {} () {})", self.named[&wanted], pool.sort(part));
                return;
            }
            (Form::Plain, Op::Float(..)) if theory::is_unbound(pool, wanted) => {
                let name = self.unique(&format!("t!{}", part.0));
                let _ = writeln!(text, "(declare-fun {name} () {})", pool.sort(part));
                let bound = theory::bits_of(&mut Text, pool, part, &name, &|wanted| self.made(pool, wanted));
                let _ = writeln!(text, "(assert {bound})");
                self.keep_name(wanted, name);
                return;
            }
            (Form::Number(format), _) => {
                let body = theory::number(&mut Text, pool, wanted, &made);
                (format!("n!{}", part.0), number_sort(format), body)
            }
            (Form::Plain, Op::Float(..)) => {
                let body = theory::number(&mut Text, pool, wanted, &made);
                (format!("t!{}", part.0), pool.sort(part).to_string(), body)
            }
            (Form::Plain, op) => {
                if let Op::Apply(function) = op
                    && !self.functions.contains_key(&function)
                {
                    self.declare_quietly(pool, part);
                    let signature = pool.signature(function);
                    let sorts: Vec<String> = signature.arguments.iter().map(Sort::to_string).collect();
                    let (name, sorts) = (&self.functions[&function], sorts.join(" "));
                    let _ = writeln!(text, "(declare-fun {name} ({sorts}) {})", signature.result);
                }
                (format!("t!{}", part.0), pool.sort(part).to_string(), self.expression(pool, part))
            }
        };
        let name = self.unique(&name);
        let _ = writeln!(text, "(define-fun {name} () {sort} {body})");
        self.keep_name(wanted, name);
    }

    fn keep_name(&mut self, wanted: Wanted, name: String) {
        self.named.insert(wanted, name);
        self.remember(Named::Term(wanted));
    }

    /// The text of something defined, or a literal's.
    fn made(&self, pool: &Pool, wanted: Wanted) -> String {
        match (self.named.get(&wanted), wanted) {
            (Some(name), _) => name.clone(),
            (None, (term, Form::Plain)) => self.expression(pool, term),
            (None, (_, Form::Number(_))) => {
                theory::number(&mut Text, pool, wanted, &|plain| self.made(pool, plain))
            }
        }
    }

    /// Gives a variable or function a name without writing its declaration.
    fn declare_quietly(&mut self, pool: &Pool, term: Term) {
        match pool.op(term) {
            Op::Var(symbol) if !self.named.contains_key(&(term, Form::Plain)) => {
                let name = self.unique(&quoted(pool.symbol_name(symbol)));
                self.keep_name((term, Form::Plain), name);
            }
            Op::Apply(function) if !self.functions.contains_key(&function) => {
                let name = self.unique(&quoted(pool.function_name(function)));
                self.functions.insert(function, name);
                self.remember(Named::Function(function));
            }
            _ => {}
        }
    }

    fn unique(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut number = 1;
        while !self.used.insert(name.clone()) {
            number += 1;
            name = match wanted.strip_suffix('|') {
                Some(start) => format!("{start}~{number}|"),
                None => format!("{wanted}~{number}"),
            };
        }
        name
    }

    fn is_shared(&mut self, pool: &Pool, part: Term, root: Term) -> bool {
        if self.shared.as_ref().is_none_or(|(of, _)| *of != root) {
            let (mut seen, mut twice) = (FxHashSet::default(), FxHashSet::default());
            for term in pool.postorder(&[root]) {
                pool.args(term).iter().filter(|&&arg| !seen.insert(arg)).for_each(|&arg| {
                    twice.insert(arg);
                });
                // Long chains are cut as well: an expression's text is written with its unnamed parts inside.
                if pool.node(term).height % 64 == 63 {
                    twice.insert(term);
                }
            }
            self.shared = Some((root, twice));
        }
        self.shared.as_ref().is_some_and(|(_, twice)| twice.contains(&part))
    }

    /// The text that stands for a term: its name or literal, or else all of it.
    fn reference(&self, pool: &Pool, term: Term) -> String {
        match self.named.get(&(term, Form::Plain)) {
            Some(name) => name.clone(),
            None => self.expression(pool, term),
        }
    }

    /// The term's own text. The depth of parts without a name is bounded by the callers.
    fn expression(&self, pool: &Pool, term: Term) -> String {
        let (sort, args) = (pool.sort(term), pool.args(term));
        let joined = |head: &str| {
            let mut text = format!("({head}");
            args.iter().for_each(|&arg| {
                text.push(' ');
                text.push_str(&self.reference(pool, arg));
            });
            text.push(')');
            text
        };
        match pool.op(term) {
            Op::Bool(value) => value.to_string(),
            Op::Bits(value) => literal(value, pool.width(term)),
            Op::Var(symbol) => match self.named.get(&(term, Form::Plain)) {
                Some(name) => name.clone(),
                None => quoted(pool.symbol_name(symbol)),
            },
            Op::Not => joined("not"),
            Op::And => joined("and"),
            Op::Or => joined("or"),
            Op::Ite => joined("ite"),
            Op::Eq => joined("="),
            Op::BitNot => joined("bvnot"),
            Op::BitAnd => joined("bvand"),
            Op::BitOr => joined("bvor"),
            Op::BitXor => joined("bvxor"),
            // Solvers differ in whether a sum may have more than two parts.
            Op::Add => {
                let first = self.reference(pool, args[0]);
                args[1..]
                    .iter()
                    .fold(first, |sum, &arg| format!("(bvadd {sum} {})", self.reference(pool, arg)))
            }
            Op::Mul if pool.as_bits(args[1]) == Some(mask(pool.width(term))) => {
                format!("(bvneg {})", self.reference(pool, args[0]))
            }
            Op::Mul => joined("bvmul"),
            Op::Udiv => joined("bvudiv"),
            Op::Urem => joined("bvurem"),
            Op::Sdiv => joined("bvsdiv"),
            Op::Srem => joined("bvsrem"),
            Op::Shl => joined("bvshl"),
            Op::Lshr => joined("bvlshr"),
            Op::Ashr => joined("bvashr"),
            Op::Concat => joined("concat"),
            Op::Extract { high, low } => joined(&format!("(_ extract {high} {low})")),
            Op::Zext(width) => joined(&format!("(_ zero_extend {})", width - pool.width(args[0]))),
            Op::Sext(width) => joined(&format!("(_ sign_extend {})", width - pool.width(args[0]))),
            Op::Ult => joined("bvult"),
            Op::Slt => joined("bvslt"),
            Op::Select => joined("select"),
            Op::Store => joined("store"),
            Op::ConstArray(_) => joined(&format!("(as const {sort})")),
            // Inside of a single term no variable can be bound: z3's own name for the bits of a number.
            Op::Float(op, format) => {
                let form = op.result_format(format).map_or(Form::Plain, Form::Number);
                let made = |(arg, form): Wanted| match form {
                    Form::Plain => self.reference(pool, arg),
                    Form::Number(format) => Text.make(Part::FromBits(format), &[self.reference(pool, arg)]),
                };
                let number = theory::number(&mut Text, pool, (term, form), &made);
                match form {
                    Form::Plain => number,
                    Form::Number(_) => format!("(fp.to_ieee_bv {number})"),
                }
            }
            Op::Apply(function) => match self.functions.get(&function) {
                Some(name) => joined(name),
                None => joined(&quoted(pool.function_name(function))),
            },
        }
    }
}

fn is_literal(pool: &Pool, (term, form): Wanted) -> bool {
    form == Form::Plain && matches!(pool.op(term), Op::Bits(_) | Op::Bool(_))
}

pub(super) fn literal(value: u128, width: u32) -> String {
    if width.is_multiple_of(4) {
        format!("#x{value:0digits$x}", digits = width as usize / 4)
    } else {
        format!("#b{value:0digits$b}", digits = width as usize)
    }
}

/// A symbol, in bars unless it is a plain word. Two names that differ only in characters that cannot be written become one text;
/// scripts make them unique again.
pub(crate) fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.$!".contains(c);
    if !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(plain)
        && !is_reserved(name)
    {
        return name.to_owned();
    }
    let clean: String = name
        .chars()
        .map(|c| if c == '|' || c == '\\' || c.is_control() || !c.is_ascii() { '_' } else { c })
        .collect();
    format!("|{clean}|")
}

/// Words that mean something else in SMT-LIB or to a solver.
fn is_reserved(name: &str) -> bool {
    let words = [
        "true", "false", "not", "and", "or", "xor", "ite", "let", "select", "store", "as", "par", "exists",
        "forall", "match", "concat", "extract", "distinct", "lambda", "if", "implies", "iff", "const", "map",
        "String", "Real", "Int", "Bool",
    ];
    words.contains(&name)
        || name.starts_with("bv")
        || name.starts_with("t!")
        || name.starts_with("n!")
        || name.starts_with("k!")
        || name.starts_with("fp")
}
