//! Cases and clauses.

use crate::expression::{Expression, predicate};
use crate::word::{Placed, Word, words};

/// What is wrong with a contract, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ContractError {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

/// Another end than returning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    Any,
    Signal,
    Trap,
}

/// A case: for which inputs it speaks, and what it asks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) requires: Vec<Expression>,
    pub(crate) when_ensured: Vec<Expression>,
    pub(crate) when_signaled: Vec<(Ends, Expression)>,
    pub(crate) ensures: Vec<Expression>,
    pub(crate) signals: Vec<(Ends, Expression)>,
    pub(crate) never: Vec<Ends>,
}

/// A contract of a change.
#[derive(Debug, Clone)]
pub struct Contract {
    pub(crate) cases: Vec<Case>,
}

/// Longer ones are refused, so that reading and judging need a bounded stack.
const MOST_WORDS: usize = 2000;

pub(crate) struct Reader<'w> {
    words: &'w [Placed],
    at: usize,
    /// How many expressions the present one is inside of.
    pub(crate) depth: usize,
    /// The variables of the quantifiers around the present expression.
    pub(crate) scope: Vec<String>,
}

impl Reader<'_> {
    pub(crate) fn next(&mut self) -> Option<Word> {
        let word = self.words.get(self.at)?.0.clone();
        self.at += 1;
        Some(word)
    }

    pub(crate) fn peek(&self) -> Option<&Word> {
        self.words.get(self.at).map(|word| &word.0)
    }

    pub(crate) fn is_name(&self, name: &str) -> bool {
        matches!(self.words.get(self.at), Some((Word::Name(own), _)) if own == name)
    }

    pub(crate) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.words.get(self.at), Some((Word::Sign(own), _)) if *own == sign)
    }

    pub(crate) fn sign(&mut self, sign: &str) -> Result<(), ContractError> {
        match self.is_sign(sign) {
            true => {
                self.at += 1;
                Ok(())
            }
            false => Err(self.wrong_here(&format!("`{sign}` is missing"))),
        }
    }

    /// `(NAME)` or `("a name")`.
    pub(crate) fn name_in_brackets(&mut self) -> Result<String, ContractError> {
        self.sign("(")?;
        let name = match self.next() {
            Some(Word::Name(name)) => name,
            Some(Word::Text(text)) => String::from_utf8_lossy(&text).into_owned(),
            _ => return Err(self.wrong("a name belongs here")),
        };
        self.sign(")")?;
        Ok(name)
    }

    /// At the last word that was read.
    pub(crate) fn wrong(&self, message: &str) -> ContractError {
        self.error(self.at.saturating_sub(1), message)
    }

    fn wrong_here(&self, message: &str) -> ContractError {
        self.error(self.at, message)
    }

    fn error(&self, at: usize, message: &str) -> ContractError {
        let (line, column) = self.words.get(at).or(self.words.last()).map_or((1, 1), |word| word.1);
        ContractError { line, column, message: message.to_owned() }
    }

    fn ends(&mut self) -> Result<Ends, ContractError> {
        match self.name_in_brackets()?.as_str() {
            "any" => Ok(Ends::Any),
            "signal" | "abort" => Ok(Ends::Signal),
            "trap" => Ok(Ends::Trap),
            other => Err(self.wrong(&format!("`{other}`: write any, signal or trap"))),
        }
    }
}

impl Contract {
    /// Reads a contract: cases that begin with `changed_behavior`, joined by `also`.
    pub fn parse(text: &str) -> Result<Self, ContractError> {
        let words = words(text)?;
        if let Some((_, (line, column))) = words.get(MOST_WORDS) {
            let message = format!("a contract has at most {MOST_WORDS} words");
            return Err(ContractError { line: *line, column: *column, message });
        }
        let mut reader = Reader { words: &words, at: 0, depth: 0, scope: Vec::new() };
        let mut cases = vec![case(&mut reader)?];
        while reader.is_name("also") {
            reader.next();
            cases.push(case(&mut reader)?);
        }
        match reader.at == words.len() {
            true => Ok(Self { cases }),
            false => Err(reader.wrong_here("a clause or `also` belongs here")),
        }
    }
}

fn case(reader: &mut Reader<'_>) -> Result<Case, ContractError> {
    if !reader.is_name("changed_behavior") {
        return Err(reader.wrong_here("a case begins with `changed_behavior`"));
    }
    reader.next();
    let mut case = Case::default();
    if let [(Word::Name(name), _), (Word::Sign(":"), _), ..] = &reader.words[reader.at..] {
        case.name.clone_from(name);
        reader.at += 2;
    } else if reader.is_sign(":") {
        reader.at += 1;
    }
    while let Some((Word::Name(clause), _)) = reader.words.get(reader.at) {
        let clause = clause.clone();
        if !["requires", "when_ensured", "when_signaled", "ensures", "signals", "never"]
            .contains(&clause.as_str())
        {
            break;
        }
        reader.next();
        match clause.as_str() {
            "requires" => case.requires.push(predicate(reader, false)?),
            "when_ensured" => case.when_ensured.push(predicate(reader, true)?),
            "ensures" => case.ensures.push(predicate(reader, true)?),
            "never" => case.never.push(reader.ends()?),
            _ => {
                let (ends, of) = (reader.ends()?, predicate(reader, true)?);
                match clause.as_str() {
                    "signals" => case.signals.push((ends, of)),
                    _ => case.when_signaled.push((ends, of)),
                }
            }
        }
        reader.sign(";")?;
    }
    Ok(case)
}
