//! What a rule says, and how it is written.

use std::fmt;

/// An ordering rule: what must, or must not, come after a call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rule {
    /// The function whose calls the rule is about.
    pub first: String,
    /// The function that must, or must not, be called afterwards.
    pub second: String,
    /// Which of both.
    pub order: Order,
}

/// What a rule demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// `A => B`: after a call of A, every path calls B.
    Follows,
    /// `A => !B`: after a call of A, no path calls B.
    Never,
}

/// A text that is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is no rule: {problem}; write `A => B` (after A, B must follow on every path) or `A => !B` (after A, never B)"
)]
pub struct RuleError {
    /// The text.
    pub text: String,
    /// What is wrong with it.
    pub problem: String,
}

impl Rule {
    /// Reads `A => B`, `A => !B`, or `not A before B`, which means the same as the second.
    pub fn parse(text: &str) -> Result<Rule, RuleError> {
        let wrong = |problem: String| RuleError { text: text.to_owned(), problem };
        let (first, second, order) = match text.split_once("=>") {
            Some((first, second)) => match second.trim().strip_prefix('!') {
                Some(second) => (first, second, Order::Never),
                None => (first, second, Order::Follows),
            },
            None => match text.split_whitespace().collect::<Vec<_>>()[..] {
                ["not", first, "before", second] => (first, second, Order::Never),
                _ => return Err(wrong("it has no `=>`".into())),
            },
        };
        let name = |side: &str| {
            // `A()` is how people write a function's name.
            let name = side.trim();
            let name = name.strip_suffix("()").unwrap_or(name).trim_end();
            match name {
                "" => Err(wrong("a function's name is missing".into())),
                _ if is_name(name) => Ok(name.to_owned()),
                _ => Err(wrong(format!("`{name}` is no function's name"))),
            }
        };
        let (first, second) = (name(first)?, name(second)?);
        if first == second && order == Order::Follows {
            return Err(wrong("a call cannot be what must follow itself".into()));
        }
        Ok(Rule { first, second, order })
    }

    /// The rule as a sentence.
    pub fn sentence(&self) -> String {
        let Rule { first, second, .. } = self;
        match self.order {
            Order::Follows => format!("after {first}(), {second}() must follow on every path"),
            Order::Never => format!("after {first}(), {second}() must not follow"),
        }
    }
}

/// Whether a text can name a function; compilers also accept `$`, and linkers `.`.
fn is_name(text: &str) -> bool {
    let inner = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    text.chars().all(inner) && !text.starts_with(|c: char| c.is_ascii_digit())
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let not = if self.order == Order::Never { "!" } else { "" };
        write!(f, "{} => {not}{}", self.first, self.second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let found = Rule::parse(text).map_or_else(|error| error.problem, |rule| rule.to_string());
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn rules_are_read() {
        check("get_privilege => drop_privilege", "get_privilege => drop_privilege");
        check("lock()=>unlock()", "lock => unlock");
        check(" free => ! use ", "free => !use");
        check("not use before open", "use => !open");
        check("free => !free", "free => !free");
    }

    #[test]
    fn what_is_no_rule_is_refused() {
        check("lock unlock", "it has no `=>`");
        check("", "it has no `=>`");
        check("lock =>", "a function's name is missing");
        check("=> unlock", "a function's name is missing");
        check("a => b => c", "`b => c` is no function's name");
        check("a(x) => b", "`a(x)` is no function's name");
        check("a => a", "a call cannot be what must follow itself");
        check("1a => b", "`1a` is no function's name");
    }
}
