//! What a statement steps over, indexes or fetches: whoever does that sees the size of what a pointer leads to.
//!
//! A reading of expressions that knows no types. It says which variables, members, casts and calls stand where the size of
//! what they lead to matters; [`crate::Pointers`] says what that is. Where C needs types to be read (`(a)*b`), both readings
//! count: a number that is taken for a pointer leads to nothing.

use crate::tokens::{Kind, Token, closed, tokens};

/// What a pointer came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Link<'a> {
    /// A variable, or a macro that stands for one.
    Name(&'a str),
    /// A member.
    Member(&'a str),
    /// A cast to this type with so many stars.
    Cast(&'a str, i32),
    /// What a call gives back.
    Call(&'a str),
}

/// A pointer, by what it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pointer<'a> {
    /// What it came from.
    pub link: Link<'a>,
    /// How many stars and brackets were followed on the way.
    pub followed: i32,
}

/// What a text does with pointers.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Steps<'a> {
    /// What it steps over, indexes or fetches.
    pub stepped: Vec<Pointer<'a>>,
    /// Those of them that are pointers for certain: sums and differences are mostly of numbers.
    pub surely: Vec<Pointer<'a>>,
    /// What calls are given, with their names: a macro may step over that.
    pub given: Vec<(&'a str, Pointer<'a>)>,
    /// What the operands of the text come to.
    pub value: Vec<Pointer<'a>>,
}

/// Reads a statement. In a declaration, a star before a declared name fetches nothing.
pub fn steps(text: &str, declares: bool) -> Steps<'_> {
    let tokens = tokens(text);
    let mut reader = Reader { tokens: &tokens, found: Steps::default() };
    let value = reader.operands(0, tokens.len(), declares, 0);
    let mut found = reader.found;
    found.value = value;
    found.stepped.extend(&found.surely);
    found.stepped.sort_unstable();
    found.stepped.dedup();
    found.given.sort_unstable();
    found.given.dedup();
    found
}

/// Whether a statement is worth reading: it may step over something, or call a macro that does.
pub(crate) fn may_step(text: &str) -> bool {
    let bytes = text.as_bytes();
    let minus = |at: usize| bytes[at] == b'-' && bytes.get(at + 1) != Some(&b'>');
    (0..bytes.len()).any(|at| matches!(bytes[at], b'[' | b'+' | b'*' | b'(') || minus(at))
}

/// Deeper expressions are not written by people.
const DEEPEST: u32 = 100;

/// Words behind which an operand begins.
const KEYWORDS: [&str; 10] =
    ["return", "case", "else", "do", "goto", "if", "while", "switch", "for", "default"];

/// Words that make a number of their operand.
const MEASURING: [&str; 5] = ["sizeof", "_Alignof", "__alignof__", "typeof", "__typeof__"];

struct Reader<'t, 'a> {
    tokens: &'t [Token<'a>],
    found: Steps<'a>,
}

impl<'a> Reader<'_, 'a> {
    fn text(&self, at: usize, end: usize) -> &'a str {
        if at < end { self.tokens[at].text } else { "" }
    }

    fn moves(&self, at: usize, end: usize) -> bool {
        matches!(self.text(at, end), "+" | "-" | "+=" | "-=")
    }

    /// An index, a star or a step of one.
    fn follow(&mut self, terms: &[Pointer<'a>]) {
        self.found.surely.extend(terms);
    }

    /// Reads operands and the operators between them.
    fn operands(&mut self, start: usize, end: usize, declares: bool, depth: u32) -> Vec<Pointer<'a>> {
        let mut all = Vec::new();
        if depth > DEEPEST {
            return all;
        }
        let (mut declaring, mut steps) = (declares, false);
        let mut at = start;
        while at < end {
            let token = self.tokens[at];
            // The stars of a declaration.
            if declaring && token.text == "*" {
                at += 1;
                continue;
            }
            if !self.begins(at, end) {
                steps = self.moves(at, end) || steps && KEYWORDS.contains(&token.text);
                declaring = match token.text {
                    "=" => false,
                    "," => declares,
                    _ => declaring,
                };
                at += 1;
                continue;
            }
            let terms = self.operand(&mut at, end, depth + 1);
            if steps || self.moves(at, end) {
                self.found.stepped.extend(&terms);
            }
            all.extend(terms);
            // `(a)*b` may be a product, or what a pointer leads to.
            steps = self.text(at, end) == "*" && self.tokens[at - 1].text == ")";
            if self.text(at, end) == "*" || self.moves(at, end) || self.text(at, end) == "&" {
                steps |= self.moves(at, end);
                at += 1;
            }
        }
        all
    }

    /// Whether an operand, or what is written before one, begins here.
    fn begins(&self, at: usize, end: usize) -> bool {
        if at >= end {
            return false;
        }
        let token = self.tokens[at];
        match token.kind {
            Kind::Word => !KEYWORDS.contains(&token.text),
            Kind::Literal => true,
            Kind::Sign => matches!(token.text, "(" | "{" | "*" | "&" | "++" | "--" | "+" | "-" | "!" | "~"),
        }
    }

    /// An operand with what stands before and behind it.
    fn operand(&mut self, at: &mut usize, end: usize, depth: u32) -> Vec<Pointer<'a>> {
        if *at >= end || depth > DEEPEST {
            *at += 1;
            return Vec::new();
        }
        let token = self.tokens[*at];
        let sign = if token.kind == Kind::Literal { "" } else { token.text };
        match sign {
            "*" | "++" | "--" | "&" | "+" | "-" | "!" | "~" => {
                *at += 1;
                if !self.begins(*at, end) {
                    return Vec::new();
                }
                let mut terms = self.operand(at, end, depth + 1);
                if matches!(sign, "*" | "++" | "--") {
                    self.follow(&terms);
                }
                let followed = i32::from(sign == "*") - i32::from(sign == "&");
                terms.iter_mut().for_each(|term| term.followed += followed);
                if matches!(sign, "!" | "~") { Vec::new() } else { terms }
            }
            _ if MEASURING.contains(&sign) => {
                *at += 1;
                if sign == "sizeof" || self.text(*at, end) == "(" {
                    self.operand(at, end, depth + 1);
                }
                Vec::new()
            }
            "(" => {
                let close = closed(self.tokens, *at, end);
                let open = std::mem::replace(at, (close + 1).min(end));
                if let Some((ty, stars)) = self.type_in(open + 1, close) {
                    let next = self.tokens[..end].get(*at);
                    let word = next.is_some_and(|it| it.kind != Kind::Sign);
                    let cast = vec![Pointer { link: Link::Cast(ty, stars), followed: 0 }];
                    // Whatever stands behind a cast has its type.
                    if word || stars > 0 {
                        if self.begins(*at, end) {
                            self.operand(at, end, depth + 1);
                        }
                        return cast;
                    }
                }
                let terms = self.operands(open + 1, close, false, depth + 1);
                self.behind(terms, None, at, end, depth)
            }
            "{" => {
                let close = closed(self.tokens, *at, end);
                let open = std::mem::replace(at, (close + 1).min(end));
                self.operands(open + 1, close, false, depth + 1);
                Vec::new()
            }
            _ => {
                *at += 1;
                let (terms, name) = match token.kind {
                    Kind::Word => {
                        (vec![Pointer { link: Link::Name(token.text), followed: 0 }], Some(token.text))
                    }
                    _ => (Vec::new(), None),
                };
                self.behind(terms, name, at, end, depth)
            }
        }
    }

    /// Members, brackets and calls behind an operand, which is a name, or something in parentheses.
    fn behind(
        &mut self,
        mut terms: Vec<Pointer<'a>>,
        mut name: Option<&'a str>,
        at: &mut usize,
        end: usize,
        depth: u32,
    ) -> Vec<Pointer<'a>> {
        let mut plain = true;
        loop {
            match self.text(*at, end) {
                "." | "->" => {
                    terms = vec![Pointer { link: Link::Member(self.text(*at + 1, end)), followed: 0 }];
                    *at = (*at + 2).min(end);
                    plain = false;
                }
                "[" => {
                    let close = closed(self.tokens, *at, end);
                    self.follow(&terms);
                    self.operands(*at + 1, close, false, depth + 1);
                    terms.iter_mut().for_each(|term| term.followed += 1);
                    *at = (close + 1).min(end);
                    plain = false;
                }
                "(" => {
                    let close = closed(self.tokens, *at, end);
                    let given = self.operands(*at + 1, close, false, depth + 1);
                    *at = (close + 1).min(end);
                    // Through a pointer to a function its type is seen.
                    self.found.stepped.extend(&terms);
                    match name.take() {
                        _ if !plain => terms = vec![Pointer { link: Link::Call(""), followed: 0 }],
                        Some(called) => {
                            self.found.given.extend(given.into_iter().map(|term| (called, term)));
                            terms = vec![Pointer { link: Link::Call(called), followed: 0 }];
                        }
                        // `(t)(p)` may be a cast, or a call through a pointer.
                        None => terms.extend(given),
                    }
                    plain = false;
                }
                "++" | "--" => {
                    self.follow(&terms);
                    *at += 1;
                }
                _ => return terms,
            }
        }
    }

    /// A type with so many stars, if that is what stands there: words, and stars at the end.
    fn type_in(&self, start: usize, end: usize) -> Option<(&'a str, i32)> {
        let own = self.tokens.get(start..end)?;
        let qualifier = |token: &&Token<'_>| matches!(token.text, "const" | "volatile" | "restrict");
        let mut stars = 0;
        let mut name = None;
        for token in own.iter().filter(|token| !qualifier(token)) {
            match (token.kind, token.text) {
                (Kind::Sign, "*") if name.is_some() => stars += 1,
                (Kind::Word, text) if stars == 0 => name = Some(text),
                _ => return None,
            }
        }
        Some((name?, stars))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let said = |pointer: &Pointer<'_>| {
            let link = match pointer.link {
                Link::Name(name) => name.to_owned(),
                Link::Member(name) => format!(".{name}"),
                Link::Cast(name, stars) => format!("({name}{})", "*".repeat(stars.unsigned_abs() as usize)),
                Link::Call(name) => format!("{name}()"),
            };
            format!(
                "{link}{}",
                if pointer.followed == 0 { String::new() } else { format!("@{}", pointer.followed) }
            )
        };
        let found = steps(text, text.starts_with("decl "));
        assert_eq!(found.stepped.iter().map(said).collect::<Vec<_>>().join(" "), expect, "{text}");
    }

    #[test]
    fn what_is_stepped_over() {
        check("q->a = p->b", "");
        check("e = p + 1", "p");
        check("e = 1 + p->next", ".next");
        check("a->b[i].c = 0", ".b");
        check("a->b[i]->c[j] = 0", ".b .c");
        check("a->tab[i][j] = 0", ".tab .tab@1");
        check("p++, --q->at", "p .at");
        check("*p = *q->r", "p .r");
        check("++*p", "p p@1");
        check("*++p", "p");
        check("end - start > 3", "end start");
        check("n += f(p)", "f n f()");
        check("(p ? q : r)[i]", "p q r");
        check("x = a * b", "");
        check("x = (a) * b", "b");
        check("return -x", "");
        check("memcpy(a, b, sizeof(*a))", "a memcpy");
        check("sizeof(struct s *) + 1", "");
        check("y = &p->v + 1", ".v@-1");
        check("p->call(q)", ".call");
    }

    #[test]
    fn casts_have_their_own_type() {
        check("(char *)p + 4", "(char*)");
        check("((struct s *)v)[i].a", "(struct s*)");
        check("(struct s const *)v->w + i", "i (struct s*)");
        check("(sp)v + 1", "(sp)");
        check("((struct s **)v)[i]->a", "(struct s**)");
        check("(T)(v) + 1", "T v");
        check("*(T *)v = x", "(T*)");
    }

    #[test]
    fn stars_of_declarations_fetch_nothing() {
        check("decl *p, **q = r", "");
        check("decl *p = *r, *q = s + 1", "r s");
        check("decl tab[N + 1] = { *p, q }", "N p tab");
    }

    #[test]
    fn anything_is_read() {
        for text in
            ["", "(", ")", "[", "((", "*", "a[", "a.", "a->", "++", "(*", "\"", "'", "{", "}", "a ) b"]
        {
            steps(text, false);
            steps(text, true);
        }
        let deep = "(".repeat(10_000) + &"*".repeat(10_000) + &"a[".repeat(10_000);
        steps(&deep, false);
    }
}
