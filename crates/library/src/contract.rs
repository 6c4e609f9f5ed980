//! Contracts: what a call does to memory, clause by clause.

use crate::effect::Effect;

/// What a function does, clause by clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contract {
    /// How many parameters have a name.
    pub parameters: usize,
    /// What the function does, in order.
    pub clauses: Vec<Clause>,
}

impl Contract {
    /// The effects on pointers that follow from the clauses.
    pub(crate) fn effects(&self) -> Vec<Effect> {
        let mut found = Vec::new();
        for clause in &self.clauses {
            match clause {
                Clause::Reads(at, _) | Clause::Text(at) | Clause::Looks(at, _) => {
                    found.push(Effect::Reads(Some(*at)));
                }
                Clause::Writes(at, _) | Clause::Sets(at, _) | Clause::Fills(at, ..) | Clause::Frees(at) => {
                    found.push(Effect::Writes(Some(*at)));
                }
                Clause::Copies(to, from, _) => found.push(Effect::Copy { to: *to, from: *from }),
                Clause::New { .. } => found.push(Effect::Fresh),
                Clause::Keeps(at) => found.push(Effect::Escape(*at)),
                Clause::Returns(Result::Is(sum)) => {
                    if let [product] = &sum[..]
                        && let [Factor::Parameter(at)] = product[..]
                    {
                        found.push(Effect::Same(at));
                    }
                }
                Clause::Returns(Result::Pointer { parameter, inside: false, .. }) => {
                    found.push(Effect::Same(*parameter));
                }
                Clause::Returns(Result::Pointer { parameter, .. }) => found.push(Effect::Inside(*parameter)),
                Clause::Returns(Result::Any | Result::Somewhere { .. }) => found.push(Effect::Foreign),
                Clause::Returns(Result::Between(..))
                | Clause::Length(..)
                | Clause::Ends(..)
                | Clause::Needs(_)
                | Clause::Size(_)
                | Clause::Stops => {}
            }
        }
        found
    }

    /// Whether memory that others see may change.
    pub fn writes(&self) -> bool {
        self.clauses.iter().any(|clause| {
            matches!(
                clause,
                Clause::Writes(..)
                    | Clause::Sets(..)
                    | Clause::Fills(..)
                    | Clause::Copies(..)
                    | Clause::Length(..)
                    | Clause::Ends(..)
                    | Clause::Frees(_)
            )
        })
    }

    /// Whether the memory that a parameter leads to may change, now or later.
    pub fn writes_to(&self, parameter: usize) -> bool {
        self.clauses.iter().any(|clause| match clause {
            Clause::Writes(at, _)
            | Clause::Sets(at, _)
            | Clause::Fills(at, ..)
            | Clause::Copies(at, ..)
            | Clause::Length(at, ..)
            | Clause::Ends(at, _)
            | Clause::Frees(at)
            | Clause::Keeps(at) => *at == parameter,
            _ => false,
        })
    }

    /// Whether the result is a parameter, or null where something went wrong.
    pub fn gives_or_null(&self, at: usize) -> bool {
        self.clauses.iter().any(|clause| {
            matches!(clause, Clause::Returns(Result::Pointer { parameter, inside: false, or_null: true })
                if *parameter == at)
        })
    }

    /// Whether a clause says what happens to the memory that a parameter leads to.
    pub fn speaks_of(&self, parameter: usize) -> bool {
        self.clauses.iter().any(|clause| match clause {
            Clause::Reads(at, _)
            | Clause::Writes(at, _)
            | Clause::Sets(at, _)
            | Clause::Text(at)
            | Clause::Looks(at, _)
            | Clause::Fills(at, ..)
            | Clause::Length(at, ..)
            | Clause::Ends(at, _)
            | Clause::Frees(at)
            | Clause::Keeps(at) => *at == parameter,
            Clause::Copies(to, from, _) => *to == parameter || *from == parameter,
            Clause::New { .. } | Clause::Needs(_) | Clause::Size(_) | Clause::Stops | Clause::Returns(_) => {
                false
            }
        })
    }
}

/// A sum of products; see [`Factor`].
pub type Sum = Vec<Vec<Factor>>;

/// A number of a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factor {
    /// A constant.
    Number(i64),
    /// A parameter.
    Parameter(usize),
    /// The length of the string that a parameter leads to.
    Length(usize),
    /// A number that is not known.
    Any,
}

/// One thing that a function does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clause {
    /// So many bytes are read there.
    Reads(usize, Sum),
    /// So many bytes get any contents there.
    Writes(usize, Sum),
    /// As `Writes`, but nothing happens if the address is null.
    Sets(usize, Sum),
    /// The string there is read.
    Text(usize),
    /// The string there is read, so many bytes of it at most.
    Looks(usize, Sum),
    /// The address must not be null, whatever is done there.
    Needs(usize),
    /// So many bytes become this byte.
    Fills(usize, Sum, Sum),
    /// To, from, so many bytes.
    Copies(usize, usize, Sum),
    /// The string there has this length afterwards; where that is not less than the second number, so many characters are there and no
    /// end behind them.
    Length(usize, Sum, Option<Sum>),
    /// A string lies there afterwards that is shorter than this; nothing happens where this is zero.
    Ends(usize, Sum),
    /// The result is a new object.
    New {
        /// Its size.
        bytes: Sum,
        /// Whether it holds zeros.
        zeroed: bool,
        /// Whether it is never null.
        sure: bool,
    },
    /// The object ends.
    Frees(usize),
    /// A number that is taken as a size.
    Size(Sum),
    /// The address is remembered.
    Keeps(usize),
    /// Control does not come back.
    Stops,
    /// What the result is.
    Returns(Result),
}

/// What a function returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Result {
    /// A number, or a parameter.
    Is(Sum),
    /// A pointer that a parameter gives.
    Pointer {
        /// The parameter.
        parameter: usize,
        /// Anywhere in its object.
        inside: bool,
        /// Or null.
        or_null: bool,
    },
    /// Anything.
    Any,
    /// A pointer that is never null; what lies there is a pointer that is never null, either, for a table.
    Somewhere {
        /// Whether what lies there is such a pointer.
        table: bool,
    },
    /// A number in a range.
    Between(Sum, Sum),
}

pub(crate) fn parse(line: &str) -> std::result::Result<(String, Contract), String> {
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
        "looks" => {
            let (pointer, bytes) = and_sum(rest)?;
            Clause::Looks(pointer, bytes)
        }
        "needs" => Clause::Needs(parameter(rest)?),
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
            let (length, within) = match length.split_once(" within ") {
                Some((length, within)) => (length, Some(parse_sum(within, names)?)),
                None => (length, None),
            };
            Clause::Length(parameter(pointer.trim())?, parse_sum(length, names)?, within)
        }
        "ends" => {
            let (pointer, bytes) = and_sum(rest)?;
            Clause::Ends(pointer, bytes)
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
        _ if text == "somewhere" || text == "table" => Ok(Result::Somewhere { table: text == "table" }),
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
