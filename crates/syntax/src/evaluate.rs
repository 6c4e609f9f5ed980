//! The values of `#if` conditions.

use crate::directive::{Directive, DirectiveKind};
use crate::token::{CHAR, NUMBER, Token, WORD, tokens};
use std::collections::BTreeMap;

/// The macros that are defined; all others are undefined.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MacroEnv {
    macros: BTreeMap<Vec<u8>, Macro>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Macro {
    /// Its replacement.
    text: Vec<u8>,
    /// Function-like macros are known to be defined, but not expanded.
    function: bool,
}

impl MacroEnv {
    /// No macro is defined.
    pub fn new() -> Self {
        Self::default()
    }

    /// Defines a macro as `-Dname=text` and `-Dname(parameters)=text` do; a missing text means `1`.
    pub fn define(&mut self, name: &str, text: Option<&str>) {
        let text = text.unwrap_or("1");
        let (name, text, function) = match name.find('(') {
            Some(open) => (&name[..open], format!("{} {text}", &name[open..]), true),
            // A blank keeps the replacement's own parentheses from being taken for parameters.
            None => (name, format!(" {text}"), false),
        };
        self.macros.insert(name.as_bytes().to_vec(), Macro { text: text.into_bytes(), function });
    }

    /// Removes a macro.
    pub fn undefine(&mut self, name: &str) {
        self.macros.remove(name.as_bytes());
    }

    /// What follows a macro's name in its definition: parameters, if it has any, and replacement.
    pub(crate) fn text(&self, name: &[u8]) -> Option<&[u8]> {
        self.macros.get(name).map(|found| found.text.as_slice())
    }

    /// Follows a `#define` or `#undef`.
    pub(crate) fn follow(&mut self, directive: &Directive) {
        let name = directive.name();
        match directive.kind {
            DirectiveKind::Define => {
                let begin = directive.rest.len() - directive.rest.trim_ascii_start().len();
                let text = &directive.rest[begin + name.len()..];
                let function = text.first() == Some(&b'(');
                self.macros.insert(name.to_vec(), Macro { text: text.to_vec(), function });
            }
            DirectiveKind::Undef => {
                self.macros.remove(name);
            }
            _ => {}
        }
    }
}

/// The truth of an `#if`, `#ifdef` or `#elif`: `None` where it depends on what is not known. Without an
/// environment nothing is known but literals, and that this is not C++.
pub(crate) fn holds(directive: &Directive, env: Option<&MacroEnv>) -> Option<bool> {
    let defined = || is_defined(directive.name(), env);
    match directive.kind {
        DirectiveKind::If | DirectiveKind::Elif => value(directive.rest, env, 0).map(|value| value != 0),
        DirectiveKind::Ifdef | DirectiveKind::Elifdef => defined(),
        DirectiveKind::Ifndef | DirectiveKind::Elifndef => defined().map(|defined| !defined),
        DirectiveKind::Else => Some(true),
        _ => None,
    }
}

/// What a condition comes to where `meaning` gives the replacement of every macro in it, and of those in these; `None` where one of
/// them is not known, or the condition asks whether something is defined.
pub fn comes_to<'a>(condition: &str, meaning: &dyn Fn(&str) -> Option<&'a str>) -> Option<bool> {
    let mut env = MacroEnv::new();
    let mut work = vec![condition.to_owned()];
    while let Some(text) = work.pop() {
        let bytes = text.as_bytes();
        for token in tokens(bytes).iter().filter(|token| token.kind == WORD) {
            let name = std::str::from_utf8(token.text(bytes)).ok()?;
            if name == "defined" || env.macros.len() > DEPTH {
                return None;
            }
            if env.text(name.as_bytes()).is_none() {
                let replacement = meaning(name)?;
                env.define(name, Some(replacement));
                work.push(replacement.to_owned());
            }
        }
    }
    value(condition.as_bytes(), Some(&env), 0).map(|value| value != 0)
}

/// What is left of a condition when all in it that is known is put in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reduced {
    /// It is decided.
    To(bool),
    /// It depends on this alone.
    Open(String),
}

/// A condition with everything put in that [`comes_to`] knows: of `VERSION < 200 && defined TEXT` the second part may be left.
pub fn reduced<'a>(condition: &str, meaning: &dyn Fn(&str) -> Option<&'a str>) -> Reduced {
    reduced_part(condition.trim(), meaning, 0)
}

fn reduced_part<'a>(text: &str, meaning: &dyn Fn(&str) -> Option<&'a str>, depth: usize) -> Reduced {
    let open = || Reduced::Open(text.to_owned());
    if depth > DEPTH {
        return open();
    }
    let inner = |text: &str| reduced_part(text.trim(), meaning, depth + 1);
    for (operator, decides) in [("||", true), ("&&", false)] {
        let Some(parts) = split(text, operator) else { return atom(text, meaning) };
        if parts.len() < 2 {
            continue;
        }
        let mut left = Vec::new();
        for part in parts {
            match inner(part) {
                Reduced::To(value) if value == decides => return Reduced::To(decides),
                Reduced::To(_) => {}
                Reduced::Open(rest) => left.push(format!("({rest})")),
            }
        }
        return if left.is_empty() { Reduced::To(!decides) } else { Reduced::Open(left.join(operator)) };
    }
    if let Some(rest) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'))
        && is_balanced(rest)
    {
        return inner(rest);
    }
    match text.strip_prefix('!').map(str::trim_start) {
        Some(rest)
            if rest.starts_with('(') && rest.ends_with(')') && is_balanced(&rest[1..rest.len() - 1]) =>
        {
            match inner(rest) {
                Reduced::To(value) => Reduced::To(!value),
                Reduced::Open(rest) => Reduced::Open(format!("!({rest})")),
            }
        }
        _ => atom(text, meaning),
    }
}

fn atom<'a>(text: &str, meaning: &dyn Fn(&str) -> Option<&'a str>) -> Reduced {
    comes_to(text, meaning).map_or_else(|| Reduced::Open(text.to_owned()), Reduced::To)
}

/// Whether no bracket of a text belongs to one outside of it.
fn is_balanced(text: &str) -> bool {
    let mut depth = 0i32;
    for byte in text.bytes() {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// The parts of a condition between an operator that stands outside of all parentheses; nothing for what is not read here: a
/// choice, a character or a text.
fn split<'t>(text: &'t str, operator: &str) -> Option<Vec<&'t str>> {
    if text.contains(['?', '\'', '"']) || !is_balanced(text) {
        return None;
    }
    let (mut parts, mut begin, mut depth, mut at) = (Vec::new(), 0, 0u32, 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ if depth == 0 && bytes[at..].starts_with(operator.as_bytes()) => {
                parts.push(&text[begin..at]);
                at += operator.len();
                begin = at;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push(&text[begin..]);
    Some(parts)
}

fn is_defined(name: &[u8], env: Option<&MacroEnv>) -> Option<bool> {
    match env {
        Some(env) => Some(env.macros.contains_key(name)),
        None => (name == b"__cplusplus").then_some(false),
    }
}

/// Nested parentheses, unary operators and macros beyond this are not followed.
const DEPTH: usize = 64;

fn value(text: &[u8], env: Option<&MacroEnv>, depth: usize) -> Option<i64> {
    let tokens = tokens(text);
    let mut reader = Reader { text, tokens: &tokens, at: 0, env, depth };
    let value = reader.choice()?;
    (reader.at == tokens.len()).then_some(value)?
}

struct Reader<'a> {
    text: &'a [u8],
    tokens: &'a [Token],
    at: usize,
    env: Option<&'a MacroEnv>,
    depth: usize,
}

/// Operators by strength; longer ones first where one begins like another.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// A syntax error is the outer `None`, an unknown value the inner one.
type Value = Option<Option<i64>>;

impl Reader<'_> {
    fn kind(&self, ahead: usize) -> u8 {
        self.tokens.get(self.at + ahead).map_or(0, |token| token.kind)
    }

    fn choice(&mut self) -> Value {
        let condition = self.binary(0)?;
        if self.kind(0) != b'?' {
            return Some(condition);
        }
        self.at += 1;
        let then = self.choice()?;
        if self.kind(0) != b':' {
            return None;
        }
        self.at += 1;
        let otherwise = self.choice()?;
        Some(condition.and_then(|condition| if condition != 0 { then } else { otherwise }))
    }

    fn operator(&mut self, level: usize) -> Option<&'static str> {
        let first = self.tokens.get(self.at)?;
        let adjacent = |ahead: usize| {
            self.tokens.get(self.at + ahead).is_some_and(|token| token.start == first.start + ahead as u32)
        };
        let found = LEVELS[level].iter().find(|name| {
            name.bytes().enumerate().all(|(ahead, byte)| adjacent(ahead) && self.kind(ahead) == byte)
                && !(name.len() == 1 && adjacent(1) && longer(name, self.kind(1)))
        })?;
        self.at += found.len();
        Some(found)
    }

    fn binary(&mut self, level: usize) -> Value {
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.operator(level) {
            let right = self.binary(level + 1)?;
            left = apply(operator, left, right);
        }
        Some(left)
    }

    fn unary(&mut self) -> Value {
        self.depth += 1;
        if self.depth > DEPTH {
            return None;
        }
        let value = self.operand();
        self.depth -= 1;
        value
    }

    fn operand(&mut self) -> Value {
        let token = *self.tokens.get(self.at)?;
        self.at += 1;
        match token.kind {
            b'!' => Some(self.unary()?.map(|value| i64::from(value == 0))),
            b'-' => Some(self.unary()?.map(i64::wrapping_neg)),
            b'+' => self.unary(),
            b'~' => Some(self.unary()?.map(|value| !value)),
            b'(' => {
                let value = self.choice()?;
                self.close().then_some(value)
            }
            NUMBER => Some(number(token.text(self.text))),
            CHAR => Some(character(token.text(self.text))),
            WORD if token.is(self.text, b"defined") => self.defined(),
            WORD => Some(self.name(token.text(self.text))?),
            _ => None,
        }
    }

    fn close(&mut self) -> bool {
        self.at += 1;
        self.tokens.get(self.at - 1).is_some_and(|token| token.kind == b')')
    }

    fn defined(&mut self) -> Value {
        let open = self.kind(0) == b'(';
        self.at += usize::from(open);
        let name = *self.tokens.get(self.at)?;
        self.at += 1;
        if name.kind != WORD || (open && !self.close()) {
            return None;
        }
        Some(is_defined(name.text(self.text), self.env).map(i64::from))
    }

    fn name(&mut self, name: &[u8]) -> Value {
        // `__has_include(…)` and function-like macros are not followed.
        if self.kind(0) == b'(' {
            return None;
        }
        let Some(env) = self.env else {
            return Some((name == b"__cplusplus").then_some(0));
        };
        match env.macros.get(name) {
            None => Some(Some(0)),
            Some(found) if found.function || self.depth >= DEPTH => Some(None),
            Some(found) => Some(value(&found.text, self.env, self.depth + 8)),
        }
    }
}

/// Whether a one-byte operator followed by `next` is really a longer one.
fn longer(name: &str, next: u8) -> bool {
    match name.as_bytes()[0] {
        b'|' => next == b'|',
        b'&' => next == b'&',
        b'<' => next == b'<',
        b'>' => next == b'>',
        _ => false,
    }
}

fn apply(operator: &str, left: Option<i64>, right: Option<i64>) -> Option<i64> {
    // What one side decides does not need the other.
    match (operator, left, right) {
        ("&&", Some(0), _) | ("&&", _, Some(0)) => return Some(0),
        ("||", Some(value), _) | ("||", _, Some(value)) if value != 0 => return Some(1),
        _ => {}
    }
    let (left, right) = (left?, right?);
    let truth = |value: bool| Some(i64::from(value));
    match operator {
        "||" => truth(left != 0 || right != 0),
        "&&" => truth(left != 0 && right != 0),
        "|" => Some(left | right),
        "^" => Some(left ^ right),
        "&" => Some(left & right),
        "==" => truth(left == right),
        "!=" => truth(left != right),
        "<=" => truth(left <= right),
        ">=" => truth(left >= right),
        "<" => truth(left < right),
        ">" => truth(left > right),
        "<<" => Some(left.wrapping_shl(right as u32)),
        ">>" => Some(left.wrapping_shr(right as u32)),
        "+" => Some(left.wrapping_add(right)),
        "-" => Some(left.wrapping_sub(right)),
        "*" => Some(left.wrapping_mul(right)),
        "/" => left.checked_div(right),
        _ => left.checked_rem(right),
    }
}

/// The value of an integer literal; `None` for floating point and what does not fit.
pub(crate) fn number(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let hex = text.starts_with("0x") || text.starts_with("0X");
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    if hex {
        u64::from_str_radix(&digits[2..], 16).ok().map(|value| value as i64)
    } else if let Some(bits) = digits.strip_prefix("0b").or_else(|| digits.strip_prefix("0B")) {
        u64::from_str_radix(bits, 2).ok().map(|value| value as i64)
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(digits, 8).ok().map(|value| value as i64)
    } else {
        digits.parse::<u64>().ok().map(|value| value as i64)
    }
}

/// The value of a simple character literal.
pub(crate) fn character(text: &[u8]) -> Option<i64> {
    match text {
        [b'\'', b'\\', escape, b'\''] => Some(match escape {
            b'0' => 0,
            b'n' => 10,
            b't' => 9,
            b'r' => 13,
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            other => i64::from(*other),
        }),
        [b'\'', byte, b'\''] if byte.is_ascii() => Some(i64::from(*byte)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `V` is 5; of everything else nothing is known.
    fn left(condition: &str) -> String {
        match reduced(condition, &|name| (name == "V").then_some("5")) {
            Reduced::To(value) => value.to_string(),
            Reduced::Open(rest) => rest,
        }
    }

    #[test]
    fn what_is_known_of_a_condition_is_put_in() {
        assert_eq!(left("V < 7"), "true");
        assert_eq!(left("V < 7 && defined A"), "(defined A)");
        assert_eq!(left("V > 7 && defined A"), "false");
        assert_eq!(left("V > 7 || (V == 5 && A)"), "((A))");
        assert_eq!(left("V < 7 || A"), "true");
        assert_eq!(left("!(V < 7 && A) && B"), "(!((A)))&&(B)");
        assert_eq!(left("(A) && (V < 7)"), "(A)");
        // What is not read is left as it stands.
        assert_eq!(left("V < 7 ? A : B"), "V < 7 ? A : B");
        assert_eq!(left("(V < 7 && A"), "(V < 7 && A");
        assert_eq!(left("'&&' == A && V < 7"), "'&&' == A && V < 7");
    }

    fn check(condition: &str, expected: Option<i64>) {
        let mut env = MacroEnv::new();
        env.define("ONE", None);
        env.define("V", Some("0x0102"));
        env.define("LOOP", Some("LOOP"));
        env.define("PAREN", Some("(V + 1)"));
        assert_eq!(value(condition.as_bytes(), Some(&env), 0), expected, "{condition}");
    }

    #[test]
    fn conditions_have_the_values_that_c_gives_them() {
        check("ONE", Some(1));
        check("defined ONE && !defined(TWO)", Some(1));
        check("V >= 0x0100 && V<0x200", Some(1));
        check("PAREN * 2 == 2 * 259", Some(1));
        check("1 << 4 | 1", Some(17));
        check("7 & 3 == 3", Some(1));
        check("UNKNOWN ? 1 : 2", Some(2));
        check("'a' == 97", Some(1));
        check("1 / 0", None);
        check("LOOP", None);
        check("0 && (1 / 0)", Some(0));
        check("1 +", None);
        check("__has_include(<x.h>)", None);
        check(&"(".repeat(100_000), None);
        check(&"!".repeat(100_000), None);
    }

    #[test]
    fn without_an_environment_only_literals_are_known() {
        assert_eq!(value(b"0 && X", None, 0), Some(0));
        assert_eq!(value(b"X", None, 0), None);
        assert_eq!(value(b"defined(__cplusplus)", None, 0), Some(0));
    }
}
