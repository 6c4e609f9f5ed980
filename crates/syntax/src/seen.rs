//! What the users of an item can see of it: its own text without what stands behind pointers, and the items that matter by
//! value.
//!
//! A structure that holds a pointer to another one does not change with the other one; an enumeration does not change with the
//! list of its enumerators, which are items of their own; a member does not change with those behind it.

mod placed;
mod sizes;

use crate::words::{is_specifier, is_type_word, takes_parentheses};
use crate::{Item, ItemKind, NameHash};
use hydrogen_ir::{Mention, mentions_in, sizes_in, stands_for};
use placed::placed;

/// What can be seen of an item, or of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The name that users write; a member's has a dot in front, a tag's its keyword. That of an `#if` inside of a structure is its
    /// condition behind a `#`: it is seen by what it comes to, see [`Seen::is_condition`].
    pub name: String,
    /// The text that can be seen.
    pub text: String,
    /// The names it depends on, as [`Seen::name`] has them.
    pub needs: Vec<String>,
}

impl Seen {
    /// Whether it is only a side of something that has another name: the size of what a pointer leads to (its name has an ampersand for every
    /// star that is followed), or a variable as those see it that use a member of it (a dot behind its name).
    pub fn is_side(&self) -> bool {
        self.name.starts_with('&') || self.name.ends_with('.')
    }

    /// Whether it is the condition of an `#if`, its text.
    pub fn is_condition(&self) -> bool {
        self.name.starts_with('#')
    }
}

/// What users see of an item, and of the members of a structure. Nothing for items that no statement depends on.
pub fn seen(item: &Item) -> Vec<Seen> {
    if item.name.is_empty() {
        return Vec::new();
    }
    let name = item.name.clone();
    match item.kind {
        ItemKind::Include => Vec::new(),
        // Of a function only what its result leads to is seen here.
        ItemKind::Prototype => {
            let mut all = sizes::behind_names(&item.text, "", &[&name]);
            all.iter_mut().for_each(|side| side.name.push_str("()"));
            all
        }
        ItemKind::Macro | ItemKind::Enum => {
            let behind = item.text.find(&item.name).map_or(0, |at| at + item.name.len());
            let mut needs = needs_of(&item.text[behind..]);
            let mut all = Vec::new();
            if item.kind == ItemKind::Macro {
                let body = body_of(&item.text[behind..]);
                needs.extend(sizes_in(body));
                let value = stands_for(body);
                if !value.is_empty() {
                    let called = if item.text[behind..].starts_with('(') { "()" } else { "" };
                    all.push(Seen { name: format!("&{name}{called}"), text: String::new(), needs: value });
                }
                let parameters = item.text[behind..].strip_prefix('(').and_then(|rest| rest.split_once(')'));
                let given =
                    parameters.map_or("", |(given, _)| given).split(',').map(|it| format!("&{}", it.trim()));
                if given.into_iter().any(|one| needs.contains(&one)) {
                    all.push(Seen { name: stepping(&name), text: String::new(), needs: Vec::new() });
                }
            }
            all.push(Seen { name, text: item.text.clone(), needs });
            all
        }
        // A macro that declares something, such as `EXPORT(int) f(void);`: what is declared is not known.
        ItemKind::Global if item.text.strip_prefix(&item.name).is_some_and(|rest| rest.starts_with('(')) => {
            Vec::new()
        }
        ItemKind::Global => {
            let (declared, value) = item.text.split_once('=').unwrap_or((&item.text, ""));
            let mut needs = declared_needs(declared, &item.name);
            let of_value = needs_of(value);
            let mut all = sizes::behind_names(declared, "", &[&name]);
            if sizes::is_structure(declared, &name) {
                let text = without_enumerators(&item.text);
                all.push(Seen { name: format!("{name}."), text, needs: of_value.clone() });
            }
            needs.extend(of_value);
            all.push(Seen { name, text: without_enumerators(&item.text), needs });
            all
        }
        ItemKind::Type => of_type(item),
    }
}

/// How a macro is called as one that steps over what it is given, or hands it on.
pub fn stepping(name: &str) -> String {
    format!("&({name}")
}

/// What a macro is replaced by, of the text behind its name.
fn body_of(behind: &str) -> &str {
    match behind.starts_with('(') {
        true => behind.split_once(')').map_or("", |(_, body)| body),
        false => behind,
    }
}

fn of_type(item: &Item) -> Vec<Seen> {
    let text = without_enumerators(&item.text);
    let opens = text.match_indices('{').map(|(at, _)| at);
    let tagged = opens
        .filter_map(|open| Some((open, head(&text[..open])?)))
        .find(|(_, (_, tag))| *tag == Some(item.name.as_str()));
    let Some((open, (keyword, _))) = tagged else { return of_typedef(item, &text) };
    let name = format!("{keyword} {}", item.name);
    let mut all = Vec::new();
    let (whole, needs) = match keyword {
        "enum" => (keyword.to_owned(), Vec::new()),
        _ => members(&text[open + 1..], keyword == "union", (String::new(), Vec::new()), &mut all),
    };
    all.push(Seen { name, text: format!("{keyword}{{{whole}}}"), needs });
    // `typedef struct s {…} s;` declares two names that are spelled alike.
    let behind = text.rfind('}').map_or("", |at| &text[at + 1..]);
    let declared = || declared_names(behind.trim_end_matches(';'));
    if text.starts_with("typedef ") && declared().contains(&item.name) {
        all.extend(of_typedef(item, &text));
    }
    all
}

/// What stands before a brace: the keyword, and the tag if there is one. Attributes are neither.
fn head(before: &str) -> Option<(&'static str, Option<&str>)> {
    let start = before.rfind(['{', '}', ';']).map_or(0, |at| at + 1);
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut depth = 0u32;
    let mut words: Vec<&str> = Vec::new();
    let mut rest = &before[start..];
    while let Some(first) = rest.chars().next() {
        let length =
            if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        match first {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if is_word(first) && depth == 0 => words.push(&rest[..length]),
            _ => {}
        }
        rest = &rest[length..];
    }
    let keyword = |word: &&str| ["struct", "union", "enum"].into_iter().find(|it| it == word);
    let at = words.iter().rposition(|word| keyword(word).is_some())?;
    let no_name = |word: &str| is_specifier(word.as_bytes()) || takes_parentheses(word.as_bytes());
    let tag = words[at + 1..].iter().rev().copied().find(|word| !no_name(word));
    Some((keyword(&words[at])?, tag))
}

/// A type's second name. Behind a pointer, or as the type of a function, nothing of what it is made of is seen.
fn of_typedef(item: &Item, text: &str) -> Vec<Seen> {
    let name = item.name.clone();
    let mut all = Vec::new();
    let Some(open) = text.find('{') else {
        let declared = text.strip_prefix("typedef ").unwrap_or(text);
        let needs = declared_needs(declared, &name);
        let mut all = sizes::behind_names(declared.trim_end_matches(';'), "", &[&name]);
        all.push(Seen { name, text: text.to_owned(), needs });
        return all;
    };
    let (keyword, tag) = head(&text[..open]).unwrap_or(("struct", None));
    let union = keyword == "union";
    let (whole, needs) = members(&text[open + 1..], union, (String::new(), Vec::new()), &mut all);
    let behind = text.rfind('}').map_or("", |at| &text[at + 1..]);
    let pointer = behind.split(',').any(|part| part.contains('*') && part.contains(name.as_str()));
    // A structure with a tag has its members listed under the tag.
    if tag.is_some() {
        all.clear();
    }
    let (text, needs) = match pointer {
        true => {
            all.push(Seen { name: format!("&{name}"), text: whole, needs });
            (behind.to_owned(), Vec::new())
        }
        false => (format!("{{{whole}}}{behind}"), needs),
    };
    all.push(Seen { name, text, needs });
    all
}

/// The members of a structure whose text begins behind its brace. Gives what is seen of the whole; a member sees what is before
/// it, which decides its place.
fn members(
    body: &str,
    union: bool,
    before: (String, Vec<String>),
    all: &mut Vec<Seen>,
) -> (String, Vec<String>) {
    let (mut text, mut needs) = before;
    let start = (text.clone(), needs.clone());
    for part in parts(body) {
        let Some(member) = behind_directives(part, (&mut text, &mut needs), all) else { continue };
        let (mut own_text, mut own_needs) = if union { start.clone() } else { (text.clone(), needs.clone()) };
        let (declared, room) = match member.find('{') {
            Some(open) => {
                let inner_union = member[..open].contains("union");
                let inside = (own_text.clone(), own_needs.clone());
                let (room, inner) = members(&member[open + 1..], inner_union, inside, all);
                own_needs = inner;
                let declared = member.rfind('}').map_or("", |at| &member[at + 1..]);
                let room = NameHash::of(room.as_bytes()).0;
                (declared, placed(&format!("{{{room:x}}} {}", declared.trim_start())))
            }
            None => (member, placed(member)),
        };
        let names = declared_names(declared);
        if !member.contains('{') {
            let all_names: Vec<&str> = names.iter().map(String::as_str).collect();
            own_needs.extend(member_needs(member, &all_names));
        }
        // What is before it decides its place; a hash keeps long structures from being copied for every member.
        let before = NameHash::of(own_text.as_bytes()).0;
        let own_room = format!("{before:x};{room}");
        own_text = format!("{before:x};{member}");
        let called: Vec<&str> = names.iter().map(String::as_str).collect();
        match member.contains('{') {
            true => all.extend(sizes::behind_unnamed(declared, &called, member, &own_needs)),
            false => all.extend(sizes::behind_names(member, ".", &called)),
        }
        for name in names {
            all.push(Seen { name: format!(".{name}"), text: own_text.clone(), needs: own_needs.clone() });
        }
        if union {
            text = format!("{:x};{room}", NameHash::of(text.as_bytes()).0);
            needs.extend(own_needs);
        } else {
            (text, needs) = (own_room, own_needs);
        }
        needs.sort();
        needs.dedup();
    }
    (text, needs)
}

/// A declaration without the lines of directives before it, which matter to all that is behind them: the value of a condition, not the
/// names in it.
fn behind_directives<'a>(
    part: &'a str,
    (text, needs): (&mut String, &mut Vec<String>),
    all: &mut Vec<Seen>,
) -> Option<&'a str> {
    let mut rest = part;
    while let Some(behind) = rest.strip_prefix('#') {
        let (line, next) = behind.split_once('\n').unwrap_or((behind, ""));
        *text = format!("{:x};#{line}", NameHash::of(text.as_bytes()).0);
        let word = line.bytes().take_while(u8::is_ascii_lowercase).count();
        let (keyword, condition) = (&line[..word], line[word..].trim());
        match keyword {
            "if" | "elif" => {
                let name = format!("#{condition}");
                needs.push(name.clone());
                all.push(Seen { name, text: condition.to_owned(), needs: needs_of(condition) });
            }
            _ => needs.extend(needs_of(condition)),
        }
        rest = next.trim_start();
    }
    (!rest.is_empty()).then_some(rest)
}

/// The declarations up to the closing brace.
fn parts(body: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0u32, 0);
    for (at, byte) in body.bytes().enumerate() {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' if depth == 0 => break,
            b'}' | b')' | b']' => depth = depth.saturating_sub(1),
            b';' if depth == 0 => {
                found.push(body[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.retain(|part| !part.is_empty());
    found
}

/// The names that a declaration declares: `int *a, b[3], (*c)(int), d : 2`.
fn declared_names(declared: &str) -> Vec<String> {
    let names = declarators(declared).into_iter().map(|(_, name)| name);
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The parts of a declaration between its commas, each with the name that it declares, which may be empty.
fn declarators(declared: &str) -> Vec<(&str, &str)> {
    fn named(part: &str) -> Option<&str> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        match part.find("(*") {
            Some(at) => part[at + 2..].trim_start_matches(['*', ' ']).split(|c| !is_word(c)).next(),
            None => {
                let end = part.find(['[', ':', '(']).unwrap_or(part.len());
                part[..end].trim_end().rsplit(|c| !is_word(c)).next()
            }
        }
    }
    let (mut depth, mut start) = (0u32, 0);
    let mut cut: Vec<&str> = Vec::new();
    for (at, byte) in declared.bytes().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                cut.push(&declared[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    cut.push(&declared[start..]);
    cut.into_iter().map(|part| (part, named(part).unwrap_or_default())).collect()
}

/// What a member depends on: its type where it is held by value, and all that its sizes mention.
fn member_needs(member: &str, names: &[&str]) -> Vec<String> {
    let pointer = member.contains(['*', '(']) && !member.contains(',');
    let sizes = member.find(['[', ':']).map_or("", |at| &member[at..]);
    let needs = if pointer { needs_of(sizes) } else { needs_of(member) };
    needs.into_iter().filter(|name| !names.contains(&name.as_str())).collect()
}

fn declared_needs(declared: &str, name: &str) -> Vec<String> {
    // Of a definition with a body the body is what is seen.
    match (declared.find('{'), declared.rfind('}')) {
        (Some(open), Some(close)) if open < close => {
            let (_, needs) =
                members(&declared[open + 1..], false, (String::new(), Vec::new()), &mut Vec::new());
            // Conditions are items of types alone: here it is what they mention.
            let plain = |name: String| match name.strip_prefix('#') {
                Some(condition) => needs_of(condition),
                None => vec![name],
            };
            needs.into_iter().flat_map(plain).collect()
        }
        _ => member_needs(declared, &[name]),
    }
}

/// The names that a text mentions by value, and the members.
fn needs_of(text: &str) -> Vec<String> {
    let mut needs: Vec<String> = mentions_in(text)
        .filter_map(|mention| match mention {
            Mention::Name(name) => Some(name.to_owned()),
            Mention::Member(name) => Some(format!(".{name}")),
            // A type behind a pointer is not seen; a variable before a product is.
            Mention::Pointed(name) => (!name.contains(' ')).then(|| format!("*{name}")),
        })
        .collect();
    let keyword = |name: &str| is_type_word(name.as_bytes()) || is_specifier(name.as_bytes());
    needs.retain(|name| !keyword(name.trim_start_matches('*')));
    needs.sort();
    needs.dedup();
    needs
}

/// The text with every list of enumerators left out.
fn without_enumerators(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = find_enum(rest) {
        let Some(open) = rest[at..].find(['{', ';', ',', ')', '*', '=']).map(|it| at + it) else { break };
        if !rest[open..].starts_with('{') {
            out.push_str(&rest[..open]);
            rest = &rest[open..];
            continue;
        }
        let Some(close) = rest[open..].find('}').map(|it| open + it) else { break };
        out.push_str(&rest[..=open]);
        rest = &rest[close..];
    }
    out.push_str(rest);
    out
}

fn find_enum(text: &str) -> Option<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut from = 0;
    while let Some(at) = text[from..].find("enum").map(|it| from + it) {
        let behind = text[at + 4..].chars().next();
        if !text[..at].ends_with(is_word) && behind.is_some_and(|c| c == ' ' || c == '{') {
            return Some(at);
        }
        from = at + 4;
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::{Options, read};
    use expect_test::{Expect, expect};

    fn check(source: &str, expect: Expect) {
        let unit = read("t.h", source.as_bytes(), &Options::default());
        let all = unit.items.iter().flat_map(super::seen);
        let line = |it: super::Seen| format!("{} | {}\n", it.name, it.needs.join(" "));
        expect.assert_eq(&all.map(line).collect::<String>());
    }

    /// Whether what is called `name` looks the same in both.
    fn same(name: &str, old: &str, new: &str) -> bool {
        let text = |source: &str| {
            let unit = read("t.h", source.as_bytes(), &Options::default());
            let mut all = unit.items.iter().flat_map(super::seen);
            all.find(|it| it.name == name).map(|it| it.text)
        };
        assert!(text(old).is_some(), "{name}");
        text(old) == text(new)
    }

    #[test]
    fn a_member_does_not_see_those_behind_it() {
        let (old, new) = ("struct s { int a; int b; };", "struct s { int a; long b; };");
        assert!(same(".a", old, new) && !same(".b", old, new) && !same("struct s", old, new));
        let (old, new) = ("union u { int a; int b; };", "union u { long a; int b; };");
        assert!(!same(".a", old, new) && same(".b", old, new) && !same("union u", old, new));
        assert!(same("enum e", "enum e { A };", "enum e { A, B };"));
        assert!(same("t", "typedef enum { A } t;", "typedef enum { A, B } t;"));
    }

    /// What is before a member decides its place by the room that it takes, whatever it is called.
    #[test]
    fn a_member_does_not_see_names_before_it() {
        let (old, new) = ("struct s { T off; int *p; int b; };", "struct s { T start; char *p; int b; };");
        assert!(same(".b", old, new) && same("struct s", old, new) && !same(".p", old, new));
        let inner = |inside: &str| format!("struct s {{ struct {{ {inside} }} free; int b; }};");
        let (old, new) = (inner("int a; int *p;"), inner("int c; long *p;"));
        assert!(same(".b", &old, &new) && !same(".free", &old, &new));
        assert!(!same(".b", &old, &inner("int a[2]; int *p;")));
        let (old, new) = ("struct s { char a; int b; };", "struct s { long a; int b; };");
        assert!(!same(".b", old, new) && !same("struct s", old, new));
    }

    #[test]
    fn a_tag_that_is_also_the_second_name_is_seen_by_both_names() {
        let [old, new] =
            ["int b", "long b"].map(|member| format!("typedef struct s {{ int a; {member}; }} s;"));
        assert!(!same("s", &old, &new) && !same("struct s", &old, &new) && same(".a", &old, &new));
    }

    /// Nobody sees that a structure got a tag, or an attribute for the compiler's eyes alone.
    #[test]
    fn a_tag_for_what_had_none_changes_nothing() {
        let pairs = [("struct", "struct t"), ("struct", "struct s"), ("const struct", "const struct t")];
        for pair in pairs {
            let [old, new] =
                <[&str; 2]>::from(pair).map(|head| format!("typedef {head} {{ int a; long b; }} s;"));
            assert!(same("s", &old, &new) && same(".a", &old, &new) && same(".b", &old, &new), "{old} {new}");
        }
    }

    #[test]
    fn what_stands_behind_a_pointer_is_not_seen() {
        check(
            "struct graph { enum flags f; };\nstruct repo { struct graph *g; struct graph v; char n[MAX]; };\ntypedef struct repo *repo_t;\n",
            expect![[r#"
                .f | enum flags
                struct graph | enum flags
                &.g | struct graph
                .g | 
                .v | struct graph
                .n | struct graph MAX
                struct repo | MAX struct graph
                &repo_t | struct repo
                repo_t | 
            "#]],
        );
    }

    #[test]
    fn sizes_behind_pointers_are_items_of_their_own() {
        check(
            "struct h { struct s *one, **two; sp p; T *t[3]; struct { int a; } *u; uint8_t *b; };\ntypedef T *tp, tq;\nstruct s g, *gp;\nstruct s *find(T *t, int n);\nint none(void);\n",
            expect![[r#"
                &.one | struct s
                &&.two | struct s
                .one | 
                .two | 
                &.p | &sp
                .p | sp
                &&.t | T
                .t | sp
                .a | sp
                &.u | sp
                .u | sp
                .b | sp
                struct h | sp
                &tp | T
                tp | *T tq
                &tq | &T
                tq | *T tp
                g. | 
                g | gp struct s
                &gp | struct s
                gp | g struct s
                &find() | struct s
            "#]],
        );
    }

    #[test]
    fn macros_that_step_over_what_they_are_given() {
        check(
            "#define STEP(p) ((p) + 1)\n#define ITEMS(h) ((h)->items)\n",
            expect![[r#"
                &(STEP | 
                STEP | p &p
                &ITEMS() | &.items
                ITEMS | .items h
            "#]],
        );
    }

    #[test]
    fn a_condition_between_members_is_needed_by_what_is_behind_it() {
        check(
            "struct s {\n  int a;\n#if VER < 3 && defined(OLD)\n  int b;\n#endif\n#ifdef WIDE\n  long c;\n#endif\n  int d;\n};\n",
            expect![[r#"
                .a | 
                #VER<3&&defined(OLD) | OLD VER defined
                .b | #VER<3&&defined(OLD)
                .c | #VER<3&&defined(OLD) WIDE
                .d | #VER<3&&defined(OLD) WIDE
                struct s | #VER<3&&defined(OLD) WIDE
            "#]],
        );
    }

    #[test]
    fn what_macros_declare_has_no_name() {
        check(
            "typedef CALLBACK(void, *end_ptr, (struct s, int));\ntypedef unsigned char uch;\nEXPORT(int) f(void);\n#define GET(p) ((struct s *)(p))->m + MAX\n",
            expect![[r#"
                uch | 
                &GET() | &.m
                GET | .m MAX p &MAX &.m
            "#]],
        );
    }
}
