//! Reading values. Solvers write arrays and functions in different ways: nested stores, references to functions, lambdas,
//! chains of if-then-else, all of it with `let`. What is not understood is an error, and what is misunderstood is found by
//! evaluating.

use std::collections::BTreeMap;

use super::sexpr::Sexpr;
use crate::{
    sort::Sort,
    value::{ArrayValue, FunctionValue, Value},
};

/// Names with their meanings.
#[derive(Default)]
pub(super) struct Definitions<'a> {
    by_name: BTreeMap<&'a str, Definition<'a>>,
}

struct Definition<'a> {
    parameters: Vec<&'a str>,
    body: &'a Sexpr,
}

/// What `let` has bound on the way to where we are.
type Bound<'a> = BTreeMap<&'a str, &'a Sexpr>;

/// Definitions may refer to each other; further than this it is a circle.
const DEEPEST: u32 = 64;

impl<'a> Definitions<'a> {
    /// Reads the answer to `(get-value (…))`: pairs of a name and a value.
    pub fn read_values(&mut self, answer: &'a [Sexpr]) -> Option<()> {
        let [list] = answer else { return None };
        for item in list.list()? {
            let [name, body] = item.list()? else { return None };
            self.by_name.insert(name.atom()?, Definition { parameters: Vec::new(), body });
        }
        Some(())
    }

    /// Reads the answer to `(get-model)`: a list of definitions, in some solvers after the word `model`.
    pub fn read_model(&mut self, answer: &'a [Sexpr]) -> Option<()> {
        let [list] = answer else { return None };
        for item in list.list()? {
            let Some([name, parameters, _sort, body]) = item.after("define-fun") else { continue };
            let parameters = parameters.list()?.iter().map(|parameter| parameter.list()?.first()?.atom());
            let parameters = parameters.collect::<Option<Vec<_>>>()?;
            self.by_name.insert(name.atom()?, Definition { parameters, body });
        }
        Some(())
    }

    /// The value of a variable; none if it is not defined, which means that any will do.
    pub fn variable(&self, name: &str, sort: Sort) -> Result<Option<Value>, String> {
        let Some(definition) = self.by_name.get(name) else { return Ok(None) };
        let body = definition.body;
        let scalar = || self.scalar(body, &Bound::new(), 0);
        let value = match sort {
            Sort::Bool => scalar().map(|value| Value::Bool(value != 0)),
            Sort::Bits(width) => {
                scalar().map(|value| Value::Bits { width, value: value & crate::words::mask(width) })
            }
            Sort::Array { index, element } => {
                self.array(body, &mut Bound::new(), (index, element), 0).map(Value::Array)
            }
        };
        value.map(Some).ok_or_else(|| format!("the value of {name} cannot be read"))
    }

    /// The value of a function; none if it is not defined.
    pub fn function(&self, name: &str) -> Result<Option<FunctionValue>, String> {
        let Some(definition) = self.by_name.get(name) else { return Ok(None) };
        let table = self.table(&definition.parameters, definition.body, &mut Bound::new(), 0);
        table.map(Some).ok_or_else(|| format!("the value of the function {name} cannot be read"))
    }

    /// An array's stores are walked in a loop, because there may be many.
    fn array<'s>(
        &'s self,
        body: &'s Sexpr,
        bound: &mut Bound<'s>,
        widths: (u32, u32),
        depth: u32,
    ) -> Option<ArrayValue> {
        let mut writes = Vec::new();
        let mut body = body;
        let mut value = loop {
            body = opened(body, bound)?;
            if let Some([below, at, stored]) = body.after("store") {
                writes.push((self.scalar(at, bound, 0)?, self.scalar(stored, bound, 0)?));
                body = below;
            } else if let Some(named) = body.atom().and_then(|name| bound.remove(name)) {
                // Each name is used on one way down only once, so this ends.
                body = named;
            } else {
                break self.base_array(body, bound, widths, depth)?;
            }
        };
        for (at, stored) in writes.into_iter().rev() {
            value.set(u64::try_from(at).ok()?, stored);
        }
        Some(value)
    }

    fn base_array<'s>(
        &'s self,
        body: &'s Sexpr,
        bound: &mut Bound<'s>,
        widths: (u32, u32),
        depth: u32,
    ) -> Option<ArrayValue> {
        if let Some(name) = body.atom().filter(|_| depth < DEEPEST) {
            return self.array(self.by_name.get(name)?.body, bound, widths, depth + 1);
        }
        if let Some(lambda) = body.after("lambda") {
            let [parameters, body] = lambda else { return None };
            let [parameter] = parameters.list()? else { return None };
            let parameters = [parameter.list()?.first()?.atom()?];
            return array_of(self.table(&parameters, body, bound, 0)?, widths);
        }
        if let Some([kind, name]) = body.after("_")
            && kind.atom() == Some("as-array")
        {
            let definition = self.by_name.get(name.atom()?)?;
            return array_of(self.table(&definition.parameters, definition.body, bound, 0)?, widths);
        }
        // ((as const SORT) VALUE)
        let [head, value] = body.list()? else { return None };
        let [kind, _sort] = head.after("as")? else { return None };
        let value = (kind.atom() == Some("const")).then(|| self.scalar(value, bound, 0))??;
        Some(ArrayValue::constant(widths.0, widths.1, value))
    }

    /// A function's body as a table: if-then-else on equalities of the parameters with constants.
    fn table<'s>(
        &'s self,
        parameters: &[&str],
        body: &'s Sexpr,
        bound: &mut Bound<'s>,
        depth: u32,
    ) -> Option<FunctionValue> {
        let mut table = FunctionValue::default();
        let mut body = opened(body, bound)?;
        while let Some([condition, then, otherwise]) = body.after("ite") {
            let mut arguments = vec![None; parameters.len()];
            self.equalities(condition, parameters, bound, &mut arguments)?;
            let key = arguments.into_iter().collect::<Option<Vec<_>>>()?;
            let value = self.scalar(then, bound, depth + 1)?;
            // The first condition that holds decides.
            table.entries.entry(key).or_insert(value);
            body = opened(otherwise, bound)?;
            if let Some(named) = body.atom().and_then(|name| bound.remove(name)) {
                body = opened(named, bound)?;
            }
        }
        // z3 passes through another function: f(x) = g(x).
        if let Some((callee, arguments)) = body.list().and_then(|call| call.split_first())
            && let Some(callee) = callee.atom().and_then(|name| self.by_name.get(name))
            && depth < DEEPEST
        {
            let same = arguments.iter().map(Sexpr::atom).eq(parameters.iter().map(|&name| Some(name)));
            let rest =
                same.then(|| self.table(&callee.parameters, callee.body, &mut Bound::new(), depth + 1))??;
            for (key, value) in rest.entries {
                table.entries.entry(key).or_insert(value);
            }
            table.default = rest.default;
            return Some(table);
        }
        table.default = self.scalar(body, bound, depth + 1)?;
        Some(table)
    }

    /// `(= x 1)`, `(and (= x 1) (= y 2))`, or a truth-valued parameter itself.
    fn equalities(
        &self,
        condition: &Sexpr,
        parameters: &[&str],
        bound: &Bound<'_>,
        found: &mut [Option<u128>],
    ) -> Option<()> {
        let position = |name: &str| parameters.iter().position(|&parameter| parameter == name);
        let mut open = vec![condition];
        while let Some(condition) = open.pop() {
            if let Some(all) = condition.after("and") {
                open.extend(all);
                continue;
            }
            let (name, value) = match (condition.atom(), condition.after("="), condition.after("not")) {
                (Some(name), _, _) => match bound.get(name) {
                    // A condition that `let` has named; a circle is cut by the number of its parts.
                    Some(&named) if open.len() < 1_000 && named.atom().is_none() => {
                        open.push(named);
                        continue;
                    }
                    _ => (name, 1),
                },
                (_, _, Some([name])) => (name.atom()?, 0),
                (_, Some([a, b]), _) => match a.atom().filter(|name| position(name).is_some()) {
                    Some(name) => (name, self.scalar(b, bound, 0)?),
                    None => (b.atom()?, self.scalar(a, bound, 0)?),
                },
                _ => return None,
            };
            let slot = found.get_mut(position(name)?)?;
            if slot.is_some_and(|other| other != value) {
                return None;
            }
            *slot = Some(value);
        }
        Some(())
    }

    /// A constant, or a name for one.
    fn scalar(&self, body: &Sexpr, bound: &Bound<'_>, depth: u32) -> Option<u128> {
        if depth > DEEPEST {
            return None;
        }
        if let Some(name) = body.atom() {
            if let Some(value) = literal(name) {
                return Some(value);
            }
            let meaning = bound.get(name).copied().or_else(|| Some(self.by_name.get(name)?.body))?;
            return self.scalar(meaning, bound, depth + 1);
        }
        match body.after("_") {
            // (_ bv10 32)
            Some([value, _width]) => value.atom()?.strip_prefix("bv")?.parse().ok(),
            _ => None,
        }
    }
}

/// What is inside of `let`, whose names are remembered.
fn opened<'a>(mut body: &'a Sexpr, bound: &mut Bound<'a>) -> Option<&'a Sexpr> {
    while let Some(parts) = body.after("let") {
        let [bindings, inner] = parts else { return None };
        for binding in bindings.list()? {
            let [name, value] = binding.list()? else { return None };
            bound.insert(name.atom()?, value);
        }
        body = inner;
    }
    Some(body)
}

fn array_of(table: FunctionValue, (index, element): (u32, u32)) -> Option<ArrayValue> {
    let mut array = ArrayValue::constant(index, element, table.default);
    for (key, value) in table.entries {
        array.set(u64::try_from(*key.first()?).ok()?, value);
    }
    Some(array)
}

fn literal(text: &str) -> Option<u128> {
    match text {
        "true" => Some(1),
        "false" => Some(0),
        _ => match (text.strip_prefix("#x"), text.strip_prefix("#b")) {
            (Some(digits), _) => u128::from_str_radix(digits, 16).ok(),
            (_, Some(digits)) => u128::from_str_radix(digits, 2).ok(),
            _ => None,
        },
    }
}
