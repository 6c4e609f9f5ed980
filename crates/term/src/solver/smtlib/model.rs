//! Reading a model. Solvers write arrays and functions in different ways: nested stores, references to functions, lambdas,
//! chains of if-then-else. What is not understood is an error, and what is misunderstood is found by evaluating.

use std::collections::BTreeMap;

use super::sexpr::Sexpr;
use crate::{
    sort::Sort,
    value::{ArrayValue, FunctionValue, Value},
};

/// The definitions of a model, by name.
pub(super) struct Definitions<'a> {
    by_name: BTreeMap<&'a str, Definition<'a>>,
}

struct Definition<'a> {
    parameters: Vec<&'a str>,
    body: &'a Sexpr,
}

/// Definitions may refer to each other; further than this it is a circle.
const DEEPEST: u32 = 64;

impl<'a> Definitions<'a> {
    /// Reads the answer to `(get-model)`: a list of definitions, in some solvers after the word `model`.
    pub fn read(answer: &'a [Sexpr]) -> Option<Self> {
        let [list] = answer else { return None };
        let mut by_name = BTreeMap::new();
        for item in list.list()? {
            let Some([name, parameters, _sort, body]) = item.after("define-fun") else { continue };
            let parameters = parameters.list()?.iter().map(|parameter| parameter.list()?.first()?.atom());
            let parameters = parameters.collect::<Option<Vec<_>>>()?;
            by_name.insert(name.atom()?, Definition { parameters, body });
        }
        Some(Self { by_name })
    }

    /// The value of a variable; none if it is not defined, which means that any will do.
    pub fn variable(&self, name: &str, sort: Sort) -> Result<Option<Value>, String> {
        let Some(definition) = self.by_name.get(name) else { return Ok(None) };
        let unreadable = || format!("the value of {name} cannot be read");
        let value = match sort {
            Sort::Bool => Value::Bool(self.scalar(definition.body, 0).ok_or_else(unreadable)? != 0),
            Sort::Bits(width) => {
                let value = self.scalar(definition.body, 0).ok_or_else(unreadable)?;
                Value::Bits { width, value: value & crate::words::mask(width) }
            }
            Sort::Array { index, element } => {
                let array = self.array(definition.body, index, element, 0).ok_or_else(unreadable)?;
                Value::Array(array)
            }
        };
        Ok(Some(value))
    }

    /// The value of a function; none if it is not defined.
    pub fn function(&self, name: &str) -> Result<Option<FunctionValue>, String> {
        let Some(definition) = self.by_name.get(name) else { return Ok(None) };
        self.table(definition, 0)
            .map(Some)
            .ok_or_else(|| format!("the value of the function {name} cannot be read"))
    }

    /// An array's stores are walked in a loop, because there may be many.
    fn array(&self, mut body: &Sexpr, index: u32, element: u32, depth: u32) -> Option<ArrayValue> {
        let mut writes = Vec::new();
        let mut value = loop {
            if let Some([below, at, stored]) = body.after("store") {
                writes.push((self.scalar(at, 0)?, self.scalar(stored, 0)?));
                body = below;
                continue;
            }
            break self.base_array(body, index, element, depth)?;
        };
        for (at, stored) in writes.into_iter().rev() {
            value.set(u64::try_from(at).ok()?, stored);
        }
        Some(value)
    }

    fn base_array(&self, body: &Sexpr, index: u32, element: u32, depth: u32) -> Option<ArrayValue> {
        if let Some(name) = body.atom().filter(|_| depth < DEEPEST) {
            return self.array(self.by_name.get(name)?.body, index, element, depth + 1);
        }
        if let Some(lambda) = body.after("lambda") {
            let [parameters, body] = lambda else { return None };
            let [parameter] = parameters.list()? else { return None };
            let parameters = vec![parameter.list()?.first()?.atom()?];
            return array_of(self.table(&Definition { parameters, body }, 0)?, index, element);
        }
        if let Some([kind, name]) = body.after("_")
            && kind.atom() == Some("as-array")
        {
            return array_of(self.table(self.by_name.get(name.atom()?)?, 0)?, index, element);
        }
        // ((as const SORT) VALUE)
        let [head, value] = body.list()? else { return None };
        let [kind, _sort] = head.after("as")? else { return None };
        let value = (kind.atom() == Some("const")).then(|| self.scalar(value, 0))??;
        Some(ArrayValue::constant(index, element, value))
    }

    /// A function's body as a table: if-then-else on equalities of the parameters with constants.
    fn table(&self, definition: &Definition<'_>, depth: u32) -> Option<FunctionValue> {
        let mut table = FunctionValue::default();
        let mut body = definition.body;
        while let Some([condition, then, otherwise]) = body.after("ite") {
            let mut arguments = vec![None; definition.parameters.len()];
            self.equalities(condition, definition, &mut arguments)?;
            let key = arguments.into_iter().collect::<Option<Vec<_>>>()?;
            let value = self.scalar(then, depth + 1)?;
            // The first condition that holds decides.
            table.entries.entry(key).or_insert(value);
            body = otherwise;
        }
        // z3 passes through another function: f(x) = g(x).
        if let Some((callee, arguments)) = body.list().and_then(|call| call.split_first())
            && let Some(callee) = callee.atom().and_then(|name| self.by_name.get(name))
            && depth < DEEPEST
        {
            let same =
                arguments.iter().map(Sexpr::atom).eq(definition.parameters.iter().map(|&name| Some(name)));
            let rest = same.then(|| self.table(callee, depth + 1))??;
            for (key, value) in rest.entries {
                table.entries.entry(key).or_insert(value);
            }
            table.default = rest.default;
            return Some(table);
        }
        table.default = self.scalar(body, depth + 1)?;
        Some(table)
    }

    /// `(= x 1)`, `(and (= x 1) (= y 2))`, or a truth-valued parameter itself.
    fn equalities(
        &self,
        condition: &Sexpr,
        definition: &Definition<'_>,
        found: &mut [Option<u128>],
    ) -> Option<()> {
        let position = |name: &str| definition.parameters.iter().position(|&parameter| parameter == name);
        if let Some(all) = condition.after("and") {
            return all.iter().try_for_each(|one| self.equalities(one, definition, found));
        }
        let (name, value) = match (condition.atom(), condition.after("="), condition.after("not")) {
            (Some(name), _, _) => (name, 1),
            (_, _, Some([name])) => (name.atom()?, 0),
            (_, Some([a, b]), _) => match a.atom().filter(|name| position(name).is_some()) {
                Some(name) => (name, self.scalar(b, 0)?),
                None => (b.atom()?, self.scalar(a, 0)?),
            },
            _ => return None,
        };
        let slot = found.get_mut(position(name)?)?;
        match slot {
            Some(other) if *other != value => None,
            _ => {
                *slot = Some(value);
                Some(())
            }
        }
    }

    /// A constant, or a name for one.
    fn scalar(&self, body: &Sexpr, depth: u32) -> Option<u128> {
        if depth > DEEPEST {
            return None;
        }
        if let Some(name) = body.atom() {
            if let Some(value) = literal(name) {
                return Some(value);
            }
            let definition = self.by_name.get(name)?;
            return self.scalar(definition.body, depth + 1);
        }
        match body.after("_") {
            // (_ bv10 32)
            Some([value, _width]) => value.atom()?.strip_prefix("bv")?.parse().ok(),
            _ => None,
        }
    }
}

fn array_of(table: FunctionValue, index: u32, element: u32) -> Option<ArrayValue> {
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
