//! `(\forall int i; 0 <= i && i < 10; p)` and `(\exists …)`: numbers of a range that is known when the predicate is asked.

use crate::expression::{Expression, predicate};
use crate::parse::{ContractError, Reader};
use crate::value::{Bound, State};
use crate::word::Word;

/// A quantified predicate.
#[derive(Debug, Clone)]
pub(crate) struct Quantified {
    /// Whether it must hold for all of the range, and not for one.
    all: bool,
    variable: String,
    /// The numbers of the range are at least these,
    from: Vec<Expression>,
    /// and at most those.
    to: Vec<Expression>,
    /// What else the range says.
    range: Expression,
    of: Expression,
}

/// Reads what follows `(\forall` or `(\exists`, without the bracket that ends it.
pub(crate) fn quantified(
    reader: &mut Reader<'_>,
    all: bool,
    runs: bool,
) -> Result<Quantified, ContractError> {
    let mut names = Vec::new();
    while let Some(Word::Name(name)) = reader.peek() {
        names.push(name.clone());
        reader.next();
    }
    let (Some(variable), true) = (names.pop(), !names.is_empty()) else {
        return Err(reader.wrong("a type and a variable belong here: (\\forall int i; 0 <= i && i < 10; …)"));
    };
    reader.sign(";")?;
    reader.scope.push(variable.clone());
    let range = predicate(reader, runs)?;
    let (mut from, mut to) = (Vec::new(), Vec::new());
    bounds(&range, &variable, &mut from, &mut to);
    if from.is_empty() || to.is_empty() {
        return Err(reader.wrong(&format!("the range says where `{variable}` begins and ends")));
    }
    reader.sign(";")?;
    let of = predicate(reader, runs)?;
    reader.scope.pop();
    Ok(Quantified { all, variable, from, to, range, of })
}

/// What a range says of the variable alone, as inclusive bounds.
fn bounds(range: &Expression, variable: &str, from: &mut Vec<Expression>, to: &mut Vec<Expression>) {
    let Expression::Binary(sign, left, right) = range else { return };
    let is_it = |one: &Expression| matches!(one, Expression::Variable(name) if name == variable);
    let next = |one: &Expression, sign: &'static str| {
        let step = Expression::Constant(crate::value::Value::Number(1));
        Expression::Binary(sign, Box::new(one.clone()), Box::new(step))
    };
    let fixed = |one: &Expression| !one.mentions(variable);
    match *sign {
        "&&" => {
            bounds(left, variable, from, to);
            bounds(right, variable, from, to);
        }
        "<=" | "<" if is_it(right) && fixed(left) => {
            from.push(if *sign == "<" { next(left, "+") } else { (**left).clone() });
        }
        ">=" | ">" if is_it(left) && fixed(right) => {
            from.push(if *sign == ">" { next(right, "+") } else { (**right).clone() });
        }
        "<=" | "<" if is_it(left) && fixed(right) => {
            to.push(if *sign == "<" { next(right, "-") } else { (**right).clone() });
        }
        ">=" | ">" if is_it(right) && fixed(left) => {
            to.push(if *sign == ">" { next(left, "-") } else { (**left).clone() });
        }
        _ => {}
    }
}

impl Quantified {
    /// Its range and what it says.
    pub(crate) fn parts(&self) -> Vec<&Expression> {
        vec![&self.range, &self.of]
    }

    /// Whether it holds; nothing where a part of it means nothing, or there are too many numbers to ask about.
    pub(crate) fn holds(&self, state: State<'_>) -> Option<bool> {
        let all = |ends: &[Expression]| ends.iter().map(|end| end.number(state)).collect::<Option<Vec<_>>>();
        let (from, to) = (all(&self.from)?.into_iter().max()?, all(&self.to)?.into_iter().min()?);
        let mut value = from;
        while value <= to {
            state.spend()?;
            let bound = Bound { name: &self.variable, value, outer: state.bound };
            let inner = State { bound: Some(&bound), ..state };
            let holds = |one: &Expression| one.number(inner).map(|number| number != 0);
            if holds(&self.range)? && holds(&self.of)? != self.all {
                return Some(!self.all);
            }
            value = value.checked_add(1)?;
        }
        Some(self.all)
    }
}
