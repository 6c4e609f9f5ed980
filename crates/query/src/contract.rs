//! Contracts of functions without a body: a readable file, parsed. The bundled one says what its lines mean.

use std::collections::BTreeMap;

/// What a function does, clause by clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Contract {
    pub parameters: usize,
    pub clauses: Vec<Clause>,
}

/// A sum of products; see [`Factor`].
pub(crate) type Sum = Vec<Vec<Factor>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Factor {
    Number(i64),
    Parameter(usize),
    Length(usize),
    /// A number that is not known.
    Any,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Clause {
    Reads(usize, Sum),
    Writes(usize, Sum),
    /// As `Writes`, but nothing happens if the address is null.
    Sets(usize, Sum),
    Text(usize),
    Fills(usize, Sum, Sum),
    Copies(usize, usize, Sum),
    Length(usize, Sum),
    New {
        bytes: Sum,
        zeroed: bool,
        sure: bool,
    },
    Frees(usize),
    Size(Sum),
    Keeps(usize),
    Stops,
    Returns(Result),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Result {
    Is(Sum),
    Pointer { parameter: usize, inside: bool, or_null: bool },
    Any,
    Between(Sum, Sum),
}

/// Why a line of a contracts file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ContractError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

/// Contracts by function.
#[derive(Debug, Clone, Default)]
pub struct Contracts(BTreeMap<String, Contract>);

impl Contracts {
    /// The C library's.
    pub fn standard() -> Self {
        let mut all = Self::default();
        all.extend(include_str!("../contracts/libc.contracts")).expect("the bundled contracts are tested");
        all
    }

    /// Adds the contracts of a file; a later one of the same name replaces an earlier one.
    pub fn extend(&mut self, text: &str) -> std::result::Result<(), ContractError> {
        for (at, line) in text.lines().enumerate() {
            let line_text = line.split('#').next().unwrap_or_default().trim();
            if line_text.is_empty() {
                continue;
            }
            let (name, contract) = parse(line_text).map_err(|what| ContractError { line: at + 1, what })?;
            self.0.insert(name, contract);
        }
        Ok(())
    }

    /// The contract of a function, also under the compiler's names for it.
    pub(crate) fn of(&self, name: &str) -> Option<&Contract> {
        if let Some(found) = self.0.get(name) {
            return Some(found);
        }
        if let Some(intrinsic) = name.strip_prefix("llvm.") {
            let known = |end: usize| self.0.get(&intrinsic[..end]);
            let dots = intrinsic.match_indices('.').map(|(at, _)| at).chain([intrinsic.len()]);
            return dots.collect::<Vec<_>>().into_iter().find_map(known);
        }
        let plain = name
            .strip_prefix("__builtin_")
            .or_else(|| name.strip_prefix("__").map(|rest| rest.strip_suffix("_chk").unwrap_or(rest)));
        let plain = plain.or_else(|| name.strip_prefix("__isoc99_"))?;
        self.0.get(plain)
    }
}

fn parse(line: &str) -> std::result::Result<(String, Contract), String> {
    let (head, clauses) = line.split_once(':').ok_or("a `:` is missing behind the parameters")?;
    let (name, rest) = head.split_once('(').ok_or("a `(` is missing behind the name")?;
    let inner = rest.trim().strip_suffix(')').ok_or("a `)` is missing")?;
    let names: Vec<&str> = inner.split(',').map(str::trim).filter(|one| !one.is_empty()).collect();
    let clauses: std::result::Result<Vec<Clause>, String> =
        clauses.split(',').map(|clause| parse_clause(clause.trim(), &names)).collect();
    Ok((name.trim().to_owned(), Contract { parameters: names.len(), clauses: clauses? }))
}

fn parse_clause(clause: &str, names: &[&str]) -> std::result::Result<Clause, String> {
    let (word, rest) = clause.split_once(' ').unwrap_or((clause, ""));
    let rest = rest.trim();
    let parameter = |text: &str| {
        names.iter().position(|name| *name == text).ok_or_else(|| format!("`{text}` is no parameter"))
    };
    let and_sum = |text: &str| -> std::result::Result<(usize, Sum), String> {
        let (first, sum) = text.split_once(' ').ok_or("a size is missing")?;
        Ok((parameter(first)?, parse_sum(sum, names)?))
    };
    Ok(match word {
        "reads" => {
            let (pointer, bytes) = and_sum(rest)?;
            Clause::Reads(pointer, bytes)
        }
        "writes" => {
            let (pointer, bytes) = and_sum(rest)?;
            Clause::Writes(pointer, bytes)
        }
        "sets" => {
            let (pointer, bytes) = and_sum(rest)?;
            Clause::Sets(pointer, bytes)
        }
        "string" => Clause::Text(parameter(rest)?),
        "fills" => {
            let (first, rest) = rest.split_once(' ').ok_or("size and byte are missing")?;
            let (bytes, byte) = rest.rsplit_once(' ').ok_or("a byte is missing")?;
            Clause::Fills(parameter(first)?, parse_sum(bytes, names)?, parse_sum(byte, names)?)
        }
        "copies" => {
            let (to, rest) = rest.split_once(' ').ok_or("source and size are missing")?;
            let (from, bytes) = and_sum(rest)?;
            Clause::Copies(parameter(to)?, from, bytes)
        }
        "length" => {
            let (pointer, length) = rest.split_once('=').ok_or("a `=` is missing")?;
            Clause::Length(parameter(pointer.trim())?, parse_sum(length, names)?)
        }
        "new" => {
            let (rest, zeroed) = rest.strip_suffix("zeroed").map_or((rest, false), |rest| (rest, true));
            let (rest, sure) = rest.strip_suffix("sure").map_or((rest, false), |rest| (rest, true));
            Clause::New { bytes: parse_sum(rest, names)?, zeroed, sure }
        }
        "frees" => Clause::Frees(parameter(rest)?),
        "size" => Clause::Size(parse_sum(rest, names)?),
        "keeps" => Clause::Keeps(parameter(rest)?),
        "stops" => Clause::Stops,
        "returns" => Clause::Returns(parse_result(rest, names)?),
        other => return Err(format!("`{other}` is no clause")),
    })
}

fn parse_result(text: &str, names: &[&str]) -> std::result::Result<Result, String> {
    if let Some(range) = text.strip_prefix("any from ") {
        let (low, high) = range.split_once(" to ").ok_or("`to` is missing")?;
        return Ok(Result::Between(parse_sum(low, names)?, parse_sum(high, names)?));
    }
    let (rest, or_null) = text.strip_suffix(" or null").map_or((text, false), |rest| (rest, true));
    let (rest, inside) = rest.strip_prefix("inside ").map_or((rest, false), |rest| (rest, true));
    match names.iter().position(|name| *name == rest) {
        _ if text == "any" => Ok(Result::Any),
        Some(parameter) if inside || or_null => Ok(Result::Pointer { parameter, inside, or_null }),
        _ => Ok(Result::Is(parse_sum(rest, names)?)),
    }
}

fn parse_sum(text: &str, names: &[&str]) -> std::result::Result<Sum, String> {
    let factor = |text: &str| {
        let text = text.trim();
        if let Ok(number) = text.parse() {
            return Ok(Factor::Number(number));
        }
        if text == "any" {
            return Ok(Factor::Any);
        }
        let inner = text.strip_prefix("strlen(").and_then(|rest| rest.strip_suffix(')'));
        let found = names.iter().position(|name| *name == inner.unwrap_or(text));
        match (found, inner) {
            (Some(parameter), Some(_)) => Ok(Factor::Length(parameter)),
            (Some(parameter), None) => Ok(Factor::Parameter(parameter)),
            (None, _) => Err(format!("`{text}` is no parameter and no number")),
        }
    };
    text.split('+').map(|product| product.split('*').map(factor).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundled_contracts_are_right() {
        let all = Contracts::standard();
        assert_eq!(all.of("malloc").map(|one| one.clauses.len()), Some(2));
        assert_eq!(all.of("llvm.memcpy.p0.p0.i64"), all.of("memcpy"));
        assert_eq!(all.of("__memcpy_chk"), all.of("memcpy"));
        assert_eq!(all.of("llvm.va_start.p0").map(|one| one.parameters), Some(1));
        assert!(all.of("something").is_none());
    }

    #[test]
    fn errors_name_the_line() {
        let error = Contracts::default().extend("# fine\nf(a): reads b 3").unwrap_err();
        assert_eq!(error.to_string(), "line 2: `b` is no parameter");
        let error = Contracts::default().extend("f(a): jumps").unwrap_err();
        assert_eq!(error.to_string(), "line 1: `jumps` is no clause");
    }
}
