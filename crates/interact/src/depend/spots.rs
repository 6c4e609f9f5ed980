//! Which memory the text of a statement touches: members by their names, and what stands behind pointers and in arrays.
//!
//! A text says neither what a pointer leads to nor what a name is; but it says which member it means, and through which variable or
//! member it goes. What is touched as a part of something larger (`a[i].x`, `(*p).x`, `p->in.x`) counts by its last member alone.

use super::uses::{KEYWORDS, Token};
use hydrogen_syntax::NameHash;

/// A variable, or a member of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Named {
    Variable(NameHash),
    Member(NameHash),
}

/// A place in memory, as a text names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Spot {
    /// A member; with the variable before its dot, where there is nothing else.
    Member(NameHash, Option<NameHash>),
    /// What a variable or member leads to after so many steps. Without a name it is anything.
    Behind(Option<Named>, u8),
}

/// What a statement touches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Spots {
    pub reads: Vec<Spot>,
    pub sets: Vec<Spot>,
    /// Variables whose address is taken, or that of a part of them.
    pub addresses: Vec<NameHash>,
    /// Members whose address is taken.
    pub member_addresses: Vec<NameHash>,
}

/// How a place is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    Set,
    Both,
    Address,
    /// It is only a step on the way to something in it.
    Passed,
}

pub(crate) const ASSIGNMENTS: [&str; 11] =
    ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="];

/// The places that a text touches. Of a declaration only what stands behind `=` is looked at.
pub(crate) fn spots(tokens: &[Token<'_>], declaration: bool) -> Spots {
    let reader = Reader { tokens, partners: partners(tokens), looked_at: looked_at(tokens, declaration) };
    let mut found = Spots::default();
    for at in (0..tokens.len()).filter(|&at| reader.looked_at[at]) {
        match reader.mark(at) {
            Some("." | "->") => reader.member(at, &mut found),
            Some("[") => reader.element(at, &mut found),
            Some("*") if reader.is_prefix(at) => reader.fetched(at, &mut found),
            Some("&") if reader.is_prefix(at) => reader.address(at, &mut found),
            _ => {}
        }
    }
    reader.offsets(&mut found);
    found
}

/// Per bracket, its partner.
fn partners(tokens: &[Token<'_>]) -> Vec<Option<usize>> {
    let mut partners = vec![None; tokens.len()];
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark("(" | "[" | "{") => open.push(at),
            Token::Mark(")" | "]" | "}") => {
                if let Some(before) = open.pop() {
                    (partners[at], partners[before]) = (Some(before), Some(at));
                }
            }
            _ => {}
        }
    }
    partners
}

/// The tokens that are executed: not the declarators of a declaration, nor what `sizeof` is asked of.
fn looked_at(tokens: &[Token<'_>], declaration: bool) -> Vec<bool> {
    let mut looked_at = vec![!declaration; tokens.len()];
    let partners = partners(tokens);
    if declaration {
        let (mut depth, mut behind) = (0u32, false);
        for (at, token) in tokens.iter().enumerate() {
            match token {
                Token::Mark("(" | "[" | "{") => depth += 1,
                Token::Mark(")" | "]" | "}") => depth = depth.saturating_sub(1),
                Token::Mark("=") => behind = true,
                Token::Mark("," | ";") if depth == 0 => behind = false,
                _ => {}
            }
            looked_at[at] = behind;
        }
    }
    for at in 0..tokens.len() {
        if tokens[at] != Token::Word("sizeof") {
            continue;
        }
        let mut end = at + 1;
        while matches!(tokens.get(end), Some(Token::Mark("*" | "&"))) {
            end += 1;
        }
        end = match tokens.get(end) {
            Some(Token::Mark("(")) => partners[end].unwrap_or(end),
            _ => end,
        };
        while matches!(tokens.get(end + 1), Some(Token::Mark("." | "->" | "["))) {
            end = partners[end + 1].unwrap_or(end + 2);
        }
        looked_at[at..=end.min(tokens.len() - 1)].fill(false);
    }
    looked_at
}

struct Reader<'a> {
    tokens: &'a [Token<'a>],
    partners: Vec<Option<usize>>,
    looked_at: Vec<bool>,
}

impl<'a> Reader<'a> {
    /// The partner of a bracket; nothing behind the last token.
    fn partner(&self, at: usize) -> Option<usize> {
        self.partners.get(at).copied().flatten()
    }

    fn mark(&self, at: usize) -> Option<&'a str> {
        match self.tokens.get(at) {
            Some(Token::Mark(mark)) => Some(mark),
            _ => None,
        }
    }

    /// A name; keywords are none.
    fn word(&self, at: usize) -> Option<&'a str> {
        match self.tokens.get(at) {
            Some(Token::Word(word)) if !KEYWORDS.contains(word) => Some(word),
            _ => None,
        }
    }

    fn hash(&self, at: usize) -> Option<NameHash> {
        self.word(at).map(|word| NameHash::of(word.as_bytes()))
    }

    fn is_member(&self, at: usize) -> bool {
        at > 0 && matches!(self.mark(at - 1), Some("." | "->"))
    }

    /// Whether the operator at a place has no operand before it. Behind `(name)` it may be either, because the name may be a type.
    fn is_prefix(&self, at: usize) -> bool {
        match at.checked_sub(1) {
            None => true,
            Some(before) => match self.tokens[before] {
                Token::Word(word) => KEYWORDS.contains(&word),
                Token::Literal(_) | Token::Mark("]") => false,
                Token::Mark(")") => self.partner(before).is_some_and(|open| self.may_be_cast(open, before)),
                Token::Mark(_) => true,
            },
        }
    }

    fn is_surely_prefix(&self, at: usize) -> bool {
        let name_alone = |close: usize| {
            self.partner(close).is_some_and(|open| close - open == 2 && self.word(open + 1).is_some())
        };
        self.is_prefix(at)
            && !at.checked_sub(1).is_some_and(|it| self.mark(it) == Some(")") && name_alone(it))
    }

    fn may_be_cast(&self, open: usize, close: usize) -> bool {
        let inside = &self.tokens[open + 1..close];
        let called =
            open > 0 && matches!(self.tokens[open - 1], Token::Word(_)) && self.word(open - 1).is_some();
        let of_type = inside.iter().all(|it| matches!(it, Token::Word(_) | Token::Mark("*")));
        let typed = |it: &Token<'_>| {
            matches!(it, Token::Word(word) if KEYWORDS.contains(word)) || *it == Token::Mark("*")
        };
        !called && of_type && (inside.len() == 1 || inside.iter().any(typed))
    }

    /// The last token of the operand that begins here: a name or a group, with all that stands behind it.
    fn end_of(&self, start: usize) -> usize {
        let mut end = match self.mark(start) {
            Some("(") => self.partner(start).unwrap_or(start),
            _ => start,
        };
        loop {
            end = match self.mark(end + 1) {
                Some("." | "->") if self.word(end + 2).is_some() => end + 2,
                Some("[" | "(") => match self.partner(end + 1) {
                    Some(close) => close,
                    None => return end,
                },
                _ => return end,
            };
        }
    }

    /// The first token of the operand that ends here.
    fn start_of(&self, end: usize) -> usize {
        let mut at = end;
        loop {
            if let (Some(")" | "]"), Some(open)) = (self.mark(at), self.partner(at)) {
                let before = open.checked_sub(1).filter(|&before| {
                    self.word(before).is_some() || matches!(self.mark(before), Some(")" | "]"))
                });
                match before {
                    Some(before) if !(self.mark(before) == Some(")") && self.mark(at) == Some(")")) => {
                        at = before
                    }
                    _ => return open,
                }
            } else if self.is_member(at) && at >= 2 {
                at -= 2;
            } else {
                return at;
            }
        }
    }

    /// How an operand is used, by what stands around it.
    fn used(&self, start: usize, end: usize) -> Use {
        let (mut start, mut end) = (start, end);
        loop {
            let before = start.checked_sub(1).and_then(|at| self.mark(at).map(|mark| (at, mark)));
            let wrapped = before.is_some_and(|(at, mark)| mark == "(" && self.partner(at) == Some(end + 1));
            match (self.mark(end + 1), before) {
                (Some("."), _) => return Use::Passed,
                (Some("++" | "--"), _) => return Use::Both,
                (_, Some((at, "++" | "--"))) if self.is_prefix(at) => return Use::Both,
                (_, Some((at, "&"))) if self.is_surely_prefix(at) => return Use::Address,
                // What it leads to is set, not itself.
                (_, Some((at, "*"))) if self.is_prefix(at) => return Use::Read,
                (Some("="), _) => return Use::Set,
                (Some(mark), _) if ASSIGNMENTS.contains(&mark) => return Use::Both,
                // In parentheses of its own it is what they are; behind a name they are those of a call.
                (_, Some((open, _))) if wrapped && !(open > 0 && self.word(open - 1).is_some()) => {
                    (start, end) = (open, end + 1);
                }
                _ => return Use::Read,
            }
        }
    }

    fn note(&self, found: &mut Spots, spot: Spot, how: Use) {
        if matches!(how, Use::Read | Use::Both) {
            found.reads.push(spot);
        }
        if matches!(how, Use::Set | Use::Both) {
            found.sets.push(spot);
        }
    }

    /// `.name` or `->name`.
    fn member(&self, at: usize, found: &mut Spots) {
        let Some(name) = self.hash(at + 1) else { return };
        let plain = self.mark(at) == Some(".") && at > 0 && !self.is_member(at - 1);
        let base = if plain { self.hash(at - 1) } else { None };
        // What the member leads to is read through it.
        let how = match self.mark(at + 2) {
            Some("->" | "[" | "(") => Use::Read,
            _ => self.used(self.start_of(at + 1), at + 1),
        };
        let start = self.start_of(at + 1);
        if start > 0
            && self.mark(start - 1) == Some("&")
            && self.is_prefix(start - 1)
            && self.end_of(start) == at + 1
        {
            found.member_addresses.push(name);
        }
        self.note(found, Spot::Member(name, base), how);
    }

    /// `[index]`.
    fn element(&self, at: usize, found: &mut Spots) {
        let (Some(close), Some(before)) = (self.partner(at), at.checked_sub(1)) else { return };
        if matches!(self.mark(close + 1), Some("[")) {
            return;
        }
        let (mut steps, mut name) = (1u8, before);
        while let (Some("]"), Some(open)) = (self.mark(name), self.partner(name)) {
            (steps, name) = (steps.saturating_add(1), open.saturating_sub(1));
        }
        let how = match self.mark(close + 1) {
            Some("->" | "(") => Use::Read,
            _ => self.used(self.start_of(close), close),
        };
        self.note(found, Spot::Behind(self.named(name), steps), how);
    }

    fn named(&self, at: usize) -> Option<Named> {
        let name = self.hash(at)?;
        Some(if self.is_member(at) { Named::Member(name) } else { Named::Variable(name) })
    }

    /// `*operand`.
    fn fetched(&self, at: usize, found: &mut Spots) {
        let before = at.checked_sub(1);
        if before.is_some_and(|before| self.mark(before) == Some("*") && self.is_prefix(before)) {
            return;
        }
        let mut start = at;
        while self.mark(start) == Some("*") {
            start += 1;
        }
        let steps = u8::try_from(start - at).unwrap_or(u8::MAX);
        while matches!(self.mark(start), Some("++" | "--")) {
            start += 1;
        }
        // Behind a cast it may be anything.
        let mut cast = false;
        while let (Some("("), Some(close)) = (self.mark(start), self.partner(start))
            && self.may_be_cast(start, close)
            && (self.word(close + 1).is_some()
                || matches!(self.mark(close + 1), Some("(" | "*" | "&" | "++" | "--")))
        {
            (cast, start) = (true, close + 1);
            while matches!(self.mark(start), Some("*" | "&" | "++" | "--")) {
                start += 1;
            }
        }
        let is_group = self.mark(start) == Some("(");
        if !is_group && self.word(start).is_none() {
            return;
        }
        let mut end = self.end_of(start);
        let named = match is_group {
            _ if cast => None,
            // The first name in it: `*(p + 1)`.
            true => self.partner(start).filter(|&close| end == close).and_then(|close| {
                let first = (start + 1..close).find(|&at| self.word(at).is_some())?;
                self.named(self.end_of(first))
            }),
            false => self.named(end),
        };
        while matches!(self.mark(end + 1), Some("++" | "--")) {
            end += 1;
        }
        self.note(found, Spot::Behind(named, steps), self.used(at, end));
    }

    /// `&operand`.
    fn address(&self, at: usize, found: &mut Spots) {
        let start = (at + 1..self.tokens.len()).find(|&at| self.mark(at) != Some("("));
        let Some(start) = start.filter(|&start| self.word(start).is_some()) else { return };
        let end = self.end_of(start);
        // Behind an arrow or in an array it is no part of the variable itself.
        let parts = &self.tokens[start..=end];
        if !parts.iter().any(|it| matches!(it, Token::Mark("->" | "["))) {
            found.addresses.extend(self.hash(start));
        }
    }

    /// Members by whose distance from the beginning memory is reached.
    fn offsets(&self, found: &mut Spots) {
        for at in (0..self.tokens.len())
            .filter(|&at| matches!(self.word(at), Some("offsetof" | "__builtin_offsetof")))
        {
            let Some(close) = self.partners.get(at + 1).copied().flatten() else { continue };
            found.member_addresses.extend((at + 2..close).filter_map(|at| self.hash(at)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::uses::tokens;
    use super::{NameHash, Named, Spot, spots};

    fn check(text: &str, declaration: bool, expect: &str) {
        let names = ["a", "b", "c", "i", "p", "q", "s", "x", "y"];
        let name = |hash: &NameHash| {
            names.iter().find(|name| NameHash::of(name.as_bytes()) == *hash).copied().unwrap_or("?")
        };
        let show = |spot: &Spot| match spot {
            Spot::Member(member, None) => format!("->{}", name(member)),
            Spot::Member(member, Some(base)) => format!("{}.{}", name(base), name(member)),
            Spot::Behind(None, steps) => format!("?{steps}"),
            Spot::Behind(Some(Named::Variable(of)), steps) => format!("{}{steps}", name(of)),
            Spot::Behind(Some(Named::Member(of)), steps) => format!("->{}{steps}", name(of)),
        };
        let found = spots(&tokens(text), declaration);
        let list = |all: &[Spot]| all.iter().map(show).collect::<Vec<_>>().join(" ");
        let plain = |all: &[NameHash]| all.iter().map(name).collect::<Vec<_>>().join(" ");
        let said = format!(
            "reads {}; sets {}; & {}; &-> {}",
            list(&found.reads),
            list(&found.sets),
            plain(&found.addresses),
            plain(&found.member_addresses)
        );
        assert_eq!(said, expect, "{text}");
    }

    #[test]
    fn members_and_what_pointers_lead_to() {
        check("p->x = s.a", false, "reads s.a; sets ->x; & ; &-> ");
        check("p->x += q->y->a", false, "reads ->x ->y ->a; sets ->x; & ; &-> ");
        check("a[i] = b[i].x", false, "reads ->x; sets a1; & ; &-> ");
        check("a[i][i] = *p", false, "reads p1; sets a2; & ; &-> ");
        check("*p++ = **q", false, "reads q2; sets p1; & ; &-> ");
        check("*(p + 1) = (*q).x", false, "reads ->x; sets p1; & ; &-> ");
        check("*p->x = 1", false, "reads ->x; sets ->x1; & ; &-> ");
        check("(*p)++", false, "reads p1; sets p1; & ; &-> ");
        check("p->s.x = 1", false, "reads ; sets ->x; & ; &-> ");
        check("p->a[i] = 1", false, "reads ->a; sets ->a1; & ; &-> ");
        check("p->x++", false, "reads ->x; sets ->x; & ; &-> ");
        check("*(int *)p = 1", false, "reads ; sets ?1; & ; &-> ");
        check("x = (int) *p", false, "reads p1; sets ; & ; &-> ");
        check("x = a * b", false, "reads ; sets ; & ; &-> ");
        check("p->x(p->y)", false, "reads ->x ->y; sets ; & ; &-> ");
        check("s.x = 1", false, "reads ; sets s.x; & ; &-> ");
    }

    /// What a declaration ends with where its type is all that is left of it.
    #[test]
    fn a_star_may_be_the_last_token() {
        check("(struct s *", false, "reads ; sets ; & ; &-> ");
        check("x = *", false, "reads ; sets ; & ; &-> ");
    }

    const PARTS: [&str; 22] = [
        "*", "&", "(", ")", "[", "]", "{", "}", ".", "->", "++", "--", "=", "+=", ",", ";", "x ", "int ",
        "sizeof ", "1", "?", "\"t\"",
    ];

    proptest::proptest! {
        /// Any tokens in any order are read somehow.
        #[test]
        fn any_text_is_read(parts in proptest::collection::vec(0..PARTS.len(), 0..14), declaration: bool) {
            let text: String = parts.iter().map(|part| PARTS[*part]).collect();
            crate::depend::uses::uses(&text, declaration);
        }
    }

    #[test]
    fn addresses_and_sizes_are_no_reads() {
        check("c(&p->x, &s, (char *)&a)", false, "reads ; sets ; & s a; &-> x");
        check("c(&s.x, &a[i], &a[i].y)", false, "reads ; sets ; & s; &-> x y");
        check("x = sizeof *p + sizeof(p->x) + sizeof s.a", false, "reads ; sets ; & ; &-> ");
        check("offsetof(struct s, x)", false, "reads ; sets ; & ; &-> s x");
    }

    #[test]
    fn declarators_are_no_reads() {
        check("char *p = q->x, a[3], **s = &b", true, "reads ->x; sets ; & b; &-> ");
        check("struct s s = { .x = 1, .y = *p }", true, "reads p1; sets ->x ->y; & ; &-> ");
    }
}
