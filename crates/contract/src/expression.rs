//! Predicates: C's operators over numbers and texts.

use crate::parse::{ContractError, Reader};
use crate::quantified::{Quantified, quantified};
use crate::value::{End, State, Value, first_number};
use crate::word::Word;

/// What an expression is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Text,
}

#[derive(Debug, Clone)]
pub(crate) enum Expression {
    Constant(Value),
    /// `\status`.
    Status,
    /// `\out(NAME)`.
    Out(String),
    /// `\value(NAME)`, `\result`.
    Value(String),
    /// `\arg(N)`.
    Argument(usize),
    /// `\stdin`.
    Stdin,
    /// `\input(NAME)`: memory that has a name.
    Named(String),
    /// `\prev(e)`.
    Prev(Box<Expression>),
    /// `\old(e)`.
    Old(Box<Expression>),
    /// `T[i]`: a byte of a text.
    Byte(Box<Expression>, Box<Expression>),
    /// The variable of a quantifier.
    Variable(String),
    /// `(\forall …)`, `(\exists …)`.
    Quantified(Box<Quantified>),
    /// `\len(e)`.
    Len(Box<Expression>),
    /// `\number(e)`: the first number in a text.
    First(Box<Expression>),
    /// `\contains(e, e)`.
    Contains(Box<Expression>, Box<Expression>),
    Not(Box<Expression>),
    Negative(Box<Expression>),
    Binary(&'static str, Box<Expression>, Box<Expression>),
}

/// Operators by how tightly they bind, the loosest first.
const LEVELS: [&[&str]; 6] =
    [&["||"], &["&&"], &["==", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/", "%"]];

/// Reads a predicate. `runs`: whether it may speak of runs, and not of the input alone.
pub(crate) fn predicate(reader: &mut Reader<'_>, runs: bool) -> Result<Expression, ContractError> {
    let (expression, kind) = binary(reader, 0, runs)?;
    match kind {
        Kind::Number => Ok(expression),
        Kind::Text => Err(reader.wrong("a text is neither true nor false; compare it")),
    }
}

fn binary(reader: &mut Reader<'_>, level: usize, runs: bool) -> Result<(Expression, Kind), ContractError> {
    let Some(signs) = LEVELS.get(level) else { return unary(reader, runs) };
    let (mut left, mut kind) = binary(reader, level + 1, runs)?;
    while let Some(sign) = signs.iter().copied().find(|sign| reader.is_sign(sign)) {
        reader.next();
        let (right, other) = binary(reader, level + 1, runs)?;
        let compares = matches!(sign, "==" | "!=" | "<" | ">" | "<=" | ">=");
        if kind != other || kind == Kind::Text && !compares {
            return Err(reader.wrong(&format!("`{sign}` of a text and a number, or of texts")));
        }
        (left, kind) = (Expression::Binary(sign, Box::new(left), Box::new(right)), Kind::Number);
    }
    Ok((left, kind))
}

/// Expressions are inside of each other at most so many times.
const DEEPEST: usize = 50;

fn unary(reader: &mut Reader<'_>, runs: bool) -> Result<(Expression, Kind), ContractError> {
    if reader.depth == DEEPEST {
        return Err(reader.wrong(&format!("expressions are nested more than {DEEPEST} times")));
    }
    reader.depth += 1;
    let found = signed(reader, runs);
    reader.depth -= 1;
    found
}

fn signed(reader: &mut Reader<'_>, runs: bool) -> Result<(Expression, Kind), ContractError> {
    let sign = ["!", "-"].into_iter().find(|sign| reader.is_sign(sign));
    let Some(sign) = sign else { return indexed(reader, runs) };
    reader.next();
    match (sign, unary(reader, runs)?) {
        (_, (_, Kind::Text)) => Err(reader.wrong(&format!("`{sign}` of a text"))),
        ("!", (of, _)) => Ok((Expression::Not(Box::new(of)), Kind::Number)),
        (_, (of, _)) => Ok((Expression::Negative(Box::new(of)), Kind::Number)),
    }
}

/// `T[i]`.
fn indexed(reader: &mut Reader<'_>, runs: bool) -> Result<(Expression, Kind), ContractError> {
    let (mut found, mut kind) = primary(reader, runs)?;
    while reader.is_sign("[") {
        reader.next();
        let (at, of) = (binary(reader, 0, runs)?, kind);
        reader.sign("]")?;
        let (Kind::Text, (at, Kind::Number)) = (of, at) else {
            return Err(reader.wrong("`[…]` takes a byte of a text by its number"));
        };
        (found, kind) = (Expression::Byte(Box::new(found), Box::new(at)), Kind::Number);
    }
    Ok((found, kind))
}

fn primary(reader: &mut Reader<'_>, runs: bool) -> Result<(Expression, Kind), ContractError> {
    use Kind::{Number, Text};
    let word = reader.next().ok_or_else(|| reader.wrong("an expression is missing"))?;
    let of_a_run = |reader: &Reader<'_>| match runs {
        true => Ok(()),
        false => Err(reader.wrong("`requires` is about the input: \\arg(N), \\stdin, \\input(NAME)")),
    };
    Ok(match word {
        Word::Number(number) => (Expression::Constant(Value::Number(number)), Number),
        Word::Text(text) => (Expression::Constant(Value::Text(text)), Text),
        Word::Sign("(") => {
            let quantifier = [("\\forall", true), ("\\exists", false)];
            if let Some((_, all)) = quantifier.into_iter().find(|(name, _)| reader.is_name(name)) {
                reader.next();
                let found = quantified(reader, all, runs)?;
                reader.sign(")")?;
                return Ok((Expression::Quantified(Box::new(found)), Number));
            }
            let inner = binary(reader, 0, runs)?;
            reader.sign(")")?;
            inner
        }
        Word::Name(name) => match name.as_str() {
            "\\status" => {
                of_a_run(reader)?;
                (Expression::Status, Number)
            }
            "\\result" => {
                of_a_run(reader)?;
                (Expression::Value("result".into()), Number)
            }
            "\\out" => {
                of_a_run(reader)?;
                (Expression::Out(reader.name_in_brackets()?), Text)
            }
            "\\value" => {
                of_a_run(reader)?;
                (Expression::Value(reader.name_in_brackets()?), Number)
            }
            "\\input" => (Expression::Named(reader.name_in_brackets()?), Number),
            "\\stdin" => (Expression::Stdin, Text),
            "\\arg" => {
                reader.sign("(")?;
                let Some(Word::Number(number @ 0..=100_000)) = reader.next() else {
                    return Err(reader.wrong("\\arg takes the number of an argument"));
                };
                reader.sign(")")?;
                (Expression::Argument(number as usize), Text)
            }
            "\\prev" => {
                of_a_run(reader)?;
                reader.sign("(")?;
                let (of, kind) = binary(reader, 0, runs)?;
                reader.sign(")")?;
                (Expression::Prev(Box::new(of)), kind)
            }
            // Before both runs there is the input alone, whatever the clause is about.
            "\\old" => {
                reader.sign("(")?;
                let (of, kind) = binary(reader, 0, true)?;
                reader.sign(")")?;
                if of.needs_run() {
                    return Err(reader.wrong(
                        "\\old is about what was there before: no \\status, \\result, \\prev, \\out(stdout)",
                    ));
                }
                (Expression::Old(Box::new(of)), kind)
            }
            "\\len" => (Expression::Len(Box::new(text_in_brackets(reader, runs)?)), Number),
            "\\number" => (Expression::First(Box::new(text_in_brackets(reader, runs)?)), Number),
            "\\contains" => {
                reader.sign("(")?;
                let (one, Text) = binary(reader, 0, runs)? else {
                    return Err(reader.wrong("a text belongs here"));
                };
                reader.sign(",")?;
                let (two, Text) = binary(reader, 0, runs)? else {
                    return Err(reader.wrong("a text belongs here"));
                };
                reader.sign(")")?;
                (Expression::Contains(Box::new(one), Box::new(two)), Number)
            }
            name if reader.scope.iter().any(|one| one == name) => (Expression::Variable(name.into()), Number),
            "true" => (Expression::Constant(Value::Number(1)), Number),
            "false" => (Expression::Constant(Value::Number(0)), Number),
            other => return Err(reader.wrong(&format!("`{other}` is not known here"))),
        },
        Word::Sign(sign) => return Err(reader.wrong(&format!("`{sign}` begins no expression"))),
    })
}

fn text_in_brackets(reader: &mut Reader<'_>, runs: bool) -> Result<Expression, ContractError> {
    reader.sign("(")?;
    let (of, kind) = binary(reader, 0, runs)?;
    reader.sign(")")?;
    match kind {
        Kind::Text => Ok(of),
        Kind::Number => Err(reader.wrong("a text belongs here")),
    }
}

impl Expression {
    /// Whether a predicate holds; not where a part of it means nothing.
    pub(crate) fn holds(&self, state: State<'_>) -> bool {
        matches!(self.value(state), Some(Value::Number(number)) if number != 0)
    }

    /// The expressions right inside.
    fn parts(&self) -> Vec<&Expression> {
        match self {
            Self::Prev(of)
            | Self::Old(of)
            | Self::Len(of)
            | Self::First(of)
            | Self::Not(of)
            | Self::Negative(of) => vec![of],
            Self::Contains(one, two) | Self::Byte(one, two) | Self::Binary(_, one, two) => vec![one, two],
            Self::Quantified(of) => of.parts(),
            _ => Vec::new(),
        }
    }

    /// Whether a variable is in it.
    pub(crate) fn mentions(&self, variable: &str) -> bool {
        matches!(self, Self::Variable(name) if name == variable)
            || self.parts().into_iter().any(|part| part.mentions(variable))
    }

    /// Whether it asks for what only a run has: there is no such thing before.
    fn needs_run(&self) -> bool {
        let own = match self {
            Self::Status | Self::Prev(_) => true,
            Self::Out(name) => name == "stdout" || name == "stderr",
            Self::Value(name) => name == "result",
            _ => false,
        };
        own || self.parts().into_iter().any(Self::needs_run)
    }

    pub(crate) fn number(&self, state: State<'_>) -> Option<i128> {
        match self.value(state)? {
            Value::Number(number) => Some(number),
            Value::Text(_) => None,
        }
    }

    fn text(&self, state: State<'_>) -> Option<Vec<u8>> {
        match self.value(state)? {
            Value::Text(text) => Some(text),
            Value::Number(_) => None,
        }
    }

    /// The value; none where there is none: a stream that nobody wrote to is empty, but what was never named, or an end without a status,
    /// has none.
    fn value(&self, state: State<'_>) -> Option<Value> {
        use Value::{Number, Text};
        Some(match self {
            Self::Constant(value) => value.clone(),
            Self::Status => match state.own.end {
                End::Returned(status) => Number(status.into()),
                End::Signal(_) | End::Trap => return None,
            },
            Self::Out(name) if state.before => Text(state.given.files.get(name).cloned().unwrap_or_default()),
            Self::Value(name) if state.before => Number(*state.given.values.get(name)?),
            Self::Out(name) => Text(state.own.out.get(name).cloned().unwrap_or_default()),
            Self::Value(name) => Number(*state.own.values.get(name)?),
            Self::Argument(number) => Text(state.given.args.get(*number)?.clone()),
            Self::Stdin => Text(state.given.stdin.clone()),
            Self::Named(name) => Number(*state.given.values.get(name)?),
            Self::Prev(of) => return of.value(State { own: state.prev, ..state }),
            Self::Old(of) => return of.value(State { before: true, ..state }),
            Self::Byte(of, at) => {
                let at = usize::try_from(at.number(state)?).ok()?;
                Number(i128::from(*of.text(state)?.get(at)?))
            }
            Self::Variable(name) => Number(state.bound(name)?),
            Self::Quantified(of) => Number(i128::from(of.holds(state)?)),
            Self::Len(of) => Number(of.text(state)?.len() as i128),
            Self::First(of) => Number(first_number(&of.text(state)?)?),
            Self::Contains(one, two) => {
                let (one, two) = (one.text(state)?, two.text(state)?);
                let has = two.is_empty() || one.windows(two.len()).any(|part| part == two);
                Number(i128::from(has))
            }
            Self::Not(of) => Number(i128::from(of.number(state)? == 0)),
            Self::Negative(of) => Number(of.number(state)?.checked_neg()?),
            Self::Binary(sign, left, right) => Number(binary_value(sign, left, right, state)?),
        })
    }
}

fn binary_value(sign: &str, left: &Expression, right: &Expression, state: State<'_>) -> Option<i128> {
    let truth = |holds: bool| Some(i128::from(holds));
    match sign {
        "&&" => return truth(left.number(state)? != 0 && right.number(state)? != 0),
        "||" => return truth(left.number(state)? != 0 || right.number(state)? != 0),
        _ => {}
    }
    let order = match (left.value(state)?, right.value(state)?) {
        (Value::Number(one), Value::Number(two)) => {
            match sign {
                "+" => return one.checked_add(two),
                "-" => return one.checked_sub(two),
                "*" => return one.checked_mul(two),
                "/" => return one.checked_div(two),
                "%" => return one.checked_rem(two),
                _ => {}
            }
            one.cmp(&two)
        }
        (Value::Text(one), Value::Text(two)) => one.cmp(&two),
        _ => return None,
    };
    truth(match sign {
        "==" => order.is_eq(),
        "!=" => order.is_ne(),
        "<" => order.is_lt(),
        ">" => order.is_gt(),
        "<=" => order.is_le(),
        _ => order.is_ge(),
    })
}
