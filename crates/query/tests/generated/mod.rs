//! Small C programs by chance: the same seed gives the same program.
//!
//! Every statement is on a line of its own, and all variables of a function are declared at its top, so that statements can be moved, doubled
//! and deleted freely. Programs keep to the assumptions of docs/soundness.md: strings end, objects are accessed by their own type.
#![allow(dead_code)] // Every test uses a part.

pub mod edits;
pub mod native;

use std::fmt::Write as _;

/// Numbers by chance (splitmix64).
#[derive(Clone)]
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// Whether something of so many per cent happens.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// A statement: a line, or a head with blocks.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    Line(String),
    Block(Vec<(String, Vec<Statement>)>),
}

/// A function: its head and declarations never change, its body may.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub head: String,
    pub declarations: Vec<String>,
    pub body: Vec<Statement>,
    pub end: String,
}

/// A program with one function that is called with numbers.
#[derive(Clone, Debug)]
pub struct Program {
    pub number: usize,
    pub globals: Vec<String>,
    /// What sets the globals to zero.
    pub reset: String,
    pub functions: Vec<Function>,
    /// The types of the last function's parameters.
    pub parameters: Vec<(&'static str, &'static str)>,
}

impl Function {
    fn print(&self, out: &mut String) {
        let _ = writeln!(out, "{} {{", self.head);
        for one in &self.declarations {
            let _ = writeln!(out, "  {one}");
        }
        lines(&self.body, 1, out);
        let _ = writeln!(out, "  {}\n}}\n", self.end);
    }
}

fn lines(statements: &[Statement], depth: usize, out: &mut String) {
    let pad = "  ".repeat(depth);
    for statement in statements {
        match statement {
            Statement::Line(text) => {
                let _ = writeln!(out, "{pad}{text}");
            }
            Statement::Block(parts) => {
                for (head, body) in parts {
                    let _ = writeln!(out, "{pad}{head} {{");
                    lines(body, depth + 1, out);
                    let _ = writeln!(out, "{pad}}}");
                }
            }
        }
    }
}

/// What all programs begin with.
pub const PRELUDE: &str = "#include <stdlib.h>\n#include <string.h>\nstruct pair { int n; int a[4]; char t[8]; struct pair *next; };\n\n";

impl Program {
    /// Its lines in a file that holds it, each with its number.
    pub fn numbered(&self, code: &str) -> Vec<(u32, String)> {
        let text = self.text();
        let first = code.find(&text).map_or(0, |at| code[..at].lines().count());
        (first as u32 + 1..).zip(text.lines().map(str::to_owned)).collect()
    }

    /// The same for people.
    pub fn excerpt(&self, code: &str) -> String {
        self.numbered(code).iter().map(|(number, line)| format!("{number:4} {line}\n")).collect()
    }

    pub fn text(&self) -> String {
        let mut out = String::new();
        for global in &self.globals {
            let _ = writeln!(out, "{global}");
        }
        for function in &self.functions {
            function.print(&mut out);
        }
        out
    }

    pub fn entry(&self) -> &Function {
        self.functions.last().expect("a program has a function")
    }
}

const NUMBERS: [&str; 7] =
    ["int", "unsigned", "short", "signed char", "unsigned char", "long", "unsigned long"];

#[derive(Clone)]
struct Array {
    name: String,
    element: &'static str,
    len: usize,
}

/// What can be named inside a function.
#[derive(Clone, Default)]
struct Scope {
    numbers: Vec<(String, &'static str)>,
    arrays: Vec<Array>,
    /// Pointers to int that may be null.
    pointers: Vec<String>,
    /// Pointers to struct pair.
    pairs: Vec<String>,
    /// Terminated strings.
    strings: Vec<String>,
    /// Buffers of char with their size, terminated as well.
    buffers: Vec<(String, usize)>,
    /// Counters that no loop uses at the moment.
    counters: Vec<String>,
    helpers: Vec<Helper>,
    loops: usize,
    returns: &'static str,
}

#[derive(Clone)]
enum Helper {
    Numbers(String),
    Out(String),
    Pair(String),
    Make(String),
}

pub struct Generator {
    chance: Chance,
    /// Whether memory management and strings take part.
    pub heap: bool,
}

impl Generator {
    pub fn new(seed: u64) -> Self {
        Self { chance: Chance::new(seed), heap: true }
    }

    pub fn program(&mut self, number: usize) -> Program {
        let mut scope = Scope::default();
        let (mut globals, mut reset) = (Vec::new(), String::new());
        if self.chance.percent(50) {
            let len = *self.chance.one(&[3, 4, 5, 8]);
            let element = *self.chance.one(&["int", "short", "unsigned char"]);
            globals.push(format!("static {element} t{number}[{len}];"));
            let _ = write!(reset, "memset(t{number}, 0, sizeof t{number}); ");
            scope.arrays.push(Array { name: format!("t{number}"), element, len });
        }
        if self.chance.percent(40) {
            globals.push(format!("int g{number};"));
            let _ = write!(reset, "g{number} = 0; ");
            scope.numbers.push((format!("g{number}"), "int"));
        }
        if self.chance.percent(25) {
            globals.push(format!("static int *o{number};"));
            let _ = write!(reset, "o{number} = 0; ");
            scope.pointers.push(format!("o{number}"));
        }
        let mut functions = Vec::new();
        for at in 0..self.chance.below(3) {
            let helper = self.helper(number, at, &scope, &mut functions);
            scope.helpers.push(helper);
        }
        let parameters: Vec<(&'static str, &'static str)> = ["a", "b", "c"][..1 + self.chance.below(3)]
            .iter()
            .map(|&name| (name, if self.chance.percent(60) { "int" } else { *self.chance.one(&NUMBERS) }))
            .collect();
        let mut inner = scope.clone();
        inner.returns = "int";
        for (name, ty) in &parameters {
            inner.numbers.push(((*name).to_owned(), ty));
        }
        let list: Vec<String> = parameters.iter().map(|(name, ty)| format!("{ty} {name}")).collect();
        let head = format!("int f{number}({})", list.join(", "));
        let declarations = self.declare(&mut inner);
        let size = 3 + self.chance.below(6);
        let body = self.block(&mut inner, 3, size);
        let name = format!("f{number}");
        functions.push(Function { name, head, declarations, body, end: "return x;".into() });
        Program { number, globals, reset, functions, parameters }
    }

    fn helper(&mut self, number: usize, at: usize, outer: &Scope, functions: &mut Vec<Function>) -> Helper {
        let name = format!("h{number}_{at}");
        let mut scope = outer.clone();
        let int = |scope: &mut Scope, name: &str| scope.numbers.push((name.to_owned(), "int"));
        let (head, helper, end, returns) = match self.chance.below(4) {
            0 => {
                int(&mut scope, "m");
                int(&mut scope, "n");
                (format!("int {name}(int m, int n)"), Helper::Numbers(name.clone()), "return x;", "int")
            }
            1 => {
                int(&mut scope, "n");
                scope.pointers.push("w".into());
                (format!("void {name}(int *w, int n)"), Helper::Out(name.clone()), "w[0] = x;", "")
            }
            2 => {
                int(&mut scope, "n");
                scope.pairs.push("q".into());
                (
                    format!("int {name}(struct pair *q, int n)"),
                    Helper::Pair(name.clone()),
                    "return q->a[x & 3];",
                    "int",
                )
            }
            _ => {
                int(&mut scope, "n");
                (format!("int *{name}(int n)"), Helper::Make(name.clone()), "return p;", "ptr")
            }
        };
        // What anyone may call is taken to get valid addresses, also by callers that are seen; see docs/soundness.md.
        let open = returns == "int" && outer.pointers.is_empty() && matches!(helper, Helper::Numbers(_));
        let linkage = if open && self.chance.percent(60) { "" } else { "static " };
        scope.returns = returns;
        let mut declarations = self.declare(&mut scope);
        if returns == "ptr" && !scope.pointers.contains(&"p".to_owned()) {
            declarations.push("int *p = 0;".into());
            scope.pointers.push("p".into());
        }
        let size = 1 + self.chance.below(4);
        let body = self.block(&mut scope, 2, size);
        functions.push(Function {
            name,
            head: format!("{linkage}{head}"),
            declarations,
            body,
            end: end.into(),
        });
        helper
    }

    /// Local variables.
    fn declare(&mut self, scope: &mut Scope) -> Vec<String> {
        let mut out = vec![];
        for name in ["x", "y"] {
            let ty = if self.chance.percent(60) { "int" } else { *self.chance.one(&NUMBERS) };
            let value = self.number(scope, 1);
            out.push(if self.chance.percent(93) {
                format!("{ty} {name} = {value};")
            } else {
                format!("{ty} {name};")
            });
            scope.numbers.push((name.to_owned(), ty));
        }
        for name in ["i", "j"] {
            let ty = if self.chance.percent(60) { "int" } else { *self.chance.one(&NUMBERS) };
            out.push(format!("{ty} {name} = 0;"));
            scope.counters.push(name.to_owned());
            scope.numbers.push((name.to_owned(), ty));
        }
        if self.chance.percent(60) {
            let len = *self.chance.one(&[3, 4, 7, 10]);
            let element = *self.chance.one(&["int", "int", "unsigned char", "short", "long"]);
            out.push(format!("{element} l[{len}] = {{0}};"));
            scope.arrays.push(Array { name: "l".into(), element, len });
        }
        if self.chance.percent(35) {
            out.push("struct pair s = {0};".into());
            scope.arrays.push(Array { name: "s.a".into(), element: "int", len: 4 });
            scope.numbers.push(("s.n".into(), "int"));
            if self.chance.percent(60) {
                let first = *self.chance.one(&["0", "&s"]);
                out.push(format!("struct pair *r = {first};"));
                scope.pairs.push("r".into());
            }
        }
        if self.heap && self.chance.percent(55) {
            out.push("int *p = 0;".into());
            scope.pointers.push("p".into());
        }
        if self.chance.percent(20) {
            out.push("int *v = &x0;".into());
            out.insert(0, "int x0 = 1;".into());
            scope.numbers.push(("x0".into(), "int"));
            scope.pointers.push("v".into());
        }
        if self.heap && self.chance.percent(35) {
            let size = *self.chance.one(&[4, 8]);
            out.push(format!("char d[{size}] = \"ab\";"));
            scope.buffers.push(("d".into(), size));
            out.push("const char *z = \"hello\";".into());
            scope.strings.push("z".into());
        }
        out
    }

    fn literal(&mut self) -> String {
        (*self.chance.one(&["0", "1", "2", "3", "4", "5", "7", "8", "10", "-1", "100", "2147483647"]))
            .to_owned()
    }

    fn variable(&mut self, scope: &Scope) -> String {
        match scope.numbers.is_empty() {
            true => self.literal(),
            false => self.chance.one(&scope.numbers).0.clone(),
        }
    }

    fn number(&mut self, scope: &Scope, depth: usize) -> String {
        if depth == 0 || self.chance.percent(30) {
            return if self.chance.percent(70) { self.variable(scope) } else { self.literal() };
        }
        let left = self.number(scope, depth - 1);
        let right = self.number(scope, depth - 1);
        match self.chance.below(15) {
            0..=2 => format!("({left} + {right})"),
            3 | 4 => format!("({left} - {right})"),
            5 => format!("({left} * {right})"),
            6 => format!("({left} & {right})"),
            7 => {
                let cond = self.condition(scope, 0);
                format!("({cond} ? {left} : {right})")
            }
            8 => format!("(unsigned char)({left})"),
            9 => format!("(short)({left})"),
            10 if !scope.arrays.is_empty() => {
                let array = self.chance.one(&scope.arrays).clone();
                format!("{}[(unsigned)({left}) % {}]", array.name, array.len)
            }
            11 if !scope.strings.is_empty() => {
                let text = self.chance.one(&scope.strings).clone();
                format!("(int)strlen({text})")
            }
            12 => format!("({left} | {right})"),
            13 => format!("({left} % 5)"),
            _ => format!("({left} ^ {right})"),
        }
    }

    fn condition(&mut self, scope: &Scope, depth: usize) -> String {
        if depth > 0 && self.chance.percent(30) {
            let (left, right) = (self.condition(scope, depth - 1), self.condition(scope, depth - 1));
            let op = *self.chance.one(&["&&", "||"]);
            return format!("({left} {op} {right})");
        }
        if !scope.pointers.is_empty() && self.chance.percent(10) {
            let pointer = self.chance.one(&scope.pointers).clone();
            return if self.chance.percent(50) { format!("{pointer} != 0") } else { format!("!{pointer}") };
        }
        let left = self.variable(scope);
        let right = if self.chance.percent(60) { self.literal() } else { self.variable(scope) };
        let op = *self.chance.one(&["<", "<=", ">", ">=", "==", "!="]);
        format!("{left} {op} {right}")
    }

    /// A condition that keeps an index inside, or nearly.
    fn bound(&mut self, index: &str, len: usize) -> String {
        match self.chance.below(10) {
            0 => format!("{index} <= {len} && {index} >= 0"),
            1 => format!("{index} < {len}"),
            2 => format!("{index} >= 0 && {index} <= {}", len - 1),
            3 => format!("(unsigned){index} < {len}"),
            4 => format!("!({index} < 0 || {index} >= {len})"),
            5 => format!("{index} > 0 && {index} < {len}"),
            _ => format!("{index} >= 0 && {index} < {len}"),
        }
    }

    fn block(&mut self, scope: &mut Scope, depth: usize, size: usize) -> Vec<Statement> {
        let mut out = Vec::new();
        for _ in 0..size {
            self.statement(scope, depth, &mut out);
        }
        out
    }

    fn inner(&mut self, scope: &mut Scope, depth: usize) -> Vec<Statement> {
        let size = 1 + self.chance.below(3);
        self.block(scope, depth - 1, size)
    }

    fn line(out: &mut Vec<Statement>, text: String) {
        out.push(Statement::Line(text));
    }

    fn leave(&mut self, scope: &Scope) -> String {
        if scope.loops > 0 && self.chance.percent(60) {
            return (*self.chance.one(&["break;", "continue;"])).to_owned();
        }
        match scope.returns {
            "int" => format!("return {};", self.number(scope, 1)),
            "ptr" => (*self.chance.one(&["return 0;", "return p;"])).to_owned(),
            _ => "return;".into(),
        }
    }

    fn guarded(&mut self, guard: String, statement: Statement) -> Statement {
        Statement::Block(vec![(format!("if ({guard})"), vec![statement])])
    }

    fn statement(&mut self, scope: &mut Scope, depth: usize, out: &mut Vec<Statement>) {
        match self.chance.below(26) {
            0..=2 => {
                let (target, value) = (self.variable(scope), self.number(scope, 2));
                let op = *self.chance.one(&["=", "=", "=", "+=", "-=", "^="]);
                Self::line(out, format!("{target} {op} {value};"));
            }
            3..=7 => self.access(scope, out),
            8 | 9 if depth > 0 => {
                let mut parts =
                    vec![(format!("if ({})", self.condition(scope, 1)), self.inner(scope, depth))];
                if self.chance.percent(35) {
                    parts.push(("else".into(), self.inner(scope, depth)));
                }
                out.push(Statement::Block(parts));
            }
            10 => {
                let leave = self.leave(scope);
                let condition = self.condition(scope, 1);
                out.push(self.guarded(condition, Statement::Line(leave)));
            }
            11..=13 if depth > 0 => self.repeat(scope, depth, out),
            14 if depth > 0 => {
                let mut body = Vec::new();
                for value in ["0", "1", "3"] {
                    Self::line(&mut body, format!("case {value}:;"));
                    self.statement(&mut scope.clone(), 0, &mut body);
                    if self.chance.percent(75) {
                        Self::line(&mut body, "break;".into());
                    }
                }
                if self.chance.percent(50) {
                    Self::line(&mut body, "default:;".into());
                    self.statement(&mut scope.clone(), 0, &mut body);
                }
                let value = self.variable(scope);
                out.push(Statement::Block(vec![(format!("switch ({value})"), body)]));
            }
            15 | 16 => {
                let (target, left, right) =
                    (self.variable(scope), self.number(scope, 1), self.variable(scope));
                let op = *self.chance.one(&["/", "%"]);
                let statement = Statement::Line(format!("{target} = {left} {op} {right};"));
                let guard = match self.chance.below(5) {
                    0 | 1 => Some(format!("{right} != 0")),
                    2 => Some(format!("{right} > 0")),
                    3 => Some(format!("{right} > 1 || {right} < -1")),
                    _ => None,
                };
                out.push(match guard {
                    Some(guard) => self.guarded(guard, statement),
                    None => statement,
                });
            }
            17 => {
                let (target, left, right) =
                    (self.variable(scope), self.number(scope, 1), self.variable(scope));
                let shift = *self.chance.one(&["(unsigned)(L) << R", "(L) >> R", "1u << R"]);
                let shift = shift.replace('L', &left).replace('R', &right);
                let statement = Statement::Line(format!("{target} = {shift};"));
                let guard = match self.chance.below(3) {
                    0 => Some(format!("{right} >= 0 && {right} < 32")),
                    1 => Some(format!("{right} <= 31")),
                    _ => None,
                };
                out.push(match guard {
                    Some(guard) => self.guarded(guard, statement),
                    None => statement,
                });
            }
            18..=20 if self.heap => self.pointer(scope, out),
            21 if self.heap => self.text(scope, out),
            22 if !scope.pairs.is_empty() => self.pair(scope, out),
            23..=25 if !scope.helpers.is_empty() => self.call(scope, out),
            _ => self.access(scope, out),
        }
    }

    fn repeat(&mut self, scope: &mut Scope, depth: usize, out: &mut Vec<Statement>) {
        let Some(counter) = scope.counters.pop() else { return self.access(scope, out) };
        let bound = match (self.chance.below(4), scope.arrays.is_empty()) {
            (0, _) => self.variable(scope),
            (1, false) => format!("{} + 1", self.chance.one(&scope.arrays).len),
            (_, false) => self.chance.one(&scope.arrays).len.to_string(),
            _ => self.literal(),
        };
        scope.loops += 1;
        let mut body = Vec::new();
        if !scope.arrays.is_empty() && self.chance.percent(50) {
            let array = self.chance.one(&scope.arrays).clone();
            let value = self.number(scope, 1);
            Self::line(&mut body, format!("{}[{counter}] = {value};", array.name));
        }
        body.extend(self.inner(scope, depth));
        let head = match self.chance.below(7) {
            0..=2 => format!("for ({counter} = 0; {counter} < {bound}; {counter}++)"),
            3 => format!("for ({counter} = {bound}; {counter} > 0; {counter}--)"),
            4 => format!("for ({counter} = 0; {counter} != {bound} && {counter} < 50; {counter} += 2)"),
            5 => {
                body.insert(0, Statement::Line(format!("{counter}++;")));
                Self::line(out, format!("{counter} = 0;"));
                format!("while ({counter} < {bound})")
            }
            _ => {
                let condition = self.condition(scope, 0);
                format!("for ({counter} = 0; {counter} < 20 && {condition}; {counter}++)")
            }
        };
        scope.loops -= 1;
        scope.counters.push(counter);
        out.push(Statement::Block(vec![(head, body)]));
    }

    fn access(&mut self, scope: &mut Scope, out: &mut Vec<Statement>) {
        if scope.arrays.is_empty() {
            let (target, value) = (self.variable(scope), self.number(scope, 2));
            return Self::line(out, format!("{target} = {value};"));
        }
        let array = self.chance.one(&scope.arrays).clone();
        let index = self.variable(scope);
        let written = if self.chance.percent(85) { index.clone() } else { self.number(scope, 1) };
        let statement = if self.chance.percent(60) {
            let value = self.number(scope, 1);
            Statement::Line(format!("{}[{written}] = {value};", array.name))
        } else {
            let target = self.variable(scope);
            Statement::Line(format!("{target} = {}[{written}];", array.name))
        };
        out.push(match self.chance.percent(70) {
            true => {
                let guard = self.bound(&index, array.len);
                self.guarded(guard, statement)
            }
            false => statement,
        });
    }

    fn pointer(&mut self, scope: &mut Scope, out: &mut Vec<Statement>) {
        if scope.pointers.is_empty() {
            return self.access(scope, out);
        }
        let pointer = self.chance.one(&scope.pointers).clone();
        match self.chance.below(12) {
            0..=3 => {
                let count = self.variable(scope);
                let fixed = *self.chance.one(&["2", "4", "8"]);
                let allocation = match self.chance.below(4) {
                    0 => format!("malloc({fixed} * sizeof(int))"),
                    1 => format!("calloc({fixed}, sizeof(int))"),
                    2 => format!("malloc((unsigned char)({count}) * sizeof(int))"),
                    _ => format!("malloc(({count} & 7) * 4)"),
                };
                Self::line(out, format!("{pointer} = {allocation};"));
                if self.chance.percent(70) {
                    let leave = match scope.returns {
                        "int" => "return -1;",
                        "ptr" => "return 0;",
                        _ => "return;",
                    };
                    out.push(self.guarded(format!("!{pointer}"), Statement::Line(leave.into())));
                }
                let index = self.variable(scope);
                let guard = self.bound(&index, fixed.parse().unwrap_or(2));
                let value = self.number(scope, 1);
                let store = Statement::Line(format!("{pointer}[{index}] = {value};"));
                out.push(self.guarded(guard, store));
            }
            4 | 5 => {
                Self::line(out, format!("free({pointer});"));
                if self.chance.percent(60) {
                    Self::line(out, format!("{pointer} = 0;"));
                }
            }
            6 => {
                let other = self.chance.one(&scope.pointers).clone();
                Self::line(out, format!("{pointer} = {other};"));
            }
            7 => {
                let ints: Vec<Array> =
                    scope.arrays.iter().filter(|one| one.element == "int").cloned().collect();
                if ints.is_empty() {
                    return Self::line(out, format!("{pointer} = 0;"));
                }
                let array = self.chance.one(&ints).clone();
                let at = *self.chance.one(&["", " + 1", " + 2"]);
                Self::line(out, format!("{pointer} = {}{at};", array.name));
            }
            8 => {
                let statement = Statement::Line(format!("{pointer}++;"));
                out.push(self.guarded(pointer, statement));
            }
            _ => {
                let index = if self.chance.percent(50) {
                    self.variable(scope)
                } else {
                    (*self.chance.one(&["0", "1", "3"])).to_owned()
                };
                let statement = if self.chance.percent(50) {
                    let value = self.number(scope, 1);
                    Statement::Line(format!("{pointer}[{index}] = {value};"))
                } else {
                    let target = self.variable(scope);
                    Statement::Line(format!("{target} = {pointer}[{index}];"))
                };
                let guard = match self.chance.below(4) {
                    0 => None,
                    1 => Some(pointer),
                    2 => Some(self.bound(&index, 2)),
                    _ => Some(format!("{pointer} && {index} >= 0 && {index} < 2")),
                };
                out.push(match guard {
                    Some(guard) => self.guarded(guard, statement),
                    None => statement,
                });
            }
        }
    }

    fn text(&mut self, scope: &mut Scope, out: &mut Vec<Statement>) {
        if !scope.buffers.is_empty() && self.chance.percent(50) {
            let (buffer, size) = self.chance.one(&scope.buffers).clone();
            let source = match scope.strings.is_empty() {
                true => "\"xyz\"".to_owned(),
                false => self.chance.one(&scope.strings).clone(),
            };
            let copy = Statement::Line(format!("strcpy({buffer}, {source});"));
            return out.push(match self.chance.below(3) {
                0 => copy,
                1 => self.guarded(format!("strlen({source}) < {size}"), copy),
                _ => self.guarded(format!("strlen({source}) <= {size}"), copy),
            });
        }
        if scope.arrays.is_empty() {
            return self.access(scope, out);
        }
        let (to, from) = (self.chance.one(&scope.arrays).clone(), self.chance.one(&scope.arrays).clone());
        let count = self.variable(scope);
        let (name, element) = (to.name.clone(), to.element);
        if to.name != from.name && to.element == from.element && self.chance.percent(50) {
            let room = to.len.min(from.len);
            let copy =
                Statement::Line(format!("memcpy({name}, {}, {count} * sizeof({element}));", from.name));
            let guard = self.bound(&count, room + 1);
            return out.push(self.guarded(guard, copy));
        }
        let fill = Statement::Line(format!(
            "memset({name}, {}, {count} * sizeof({element}));",
            *self.chance.one(&["0", "1", "255"])
        ));
        let guard = self.bound(&count, to.len + 1);
        out.push(self.guarded(guard, fill));
    }

    fn pair(&mut self, scope: &mut Scope, out: &mut Vec<Statement>) {
        let pair = self.chance.one(&scope.pairs).clone();
        let index = self.variable(scope);
        let statement = match self.chance.below(5) {
            0 => Statement::Line(format!("{pair}->a[{index}] = {};", self.number(scope, 1))),
            1 => Statement::Line(format!("{} = {pair}->n;", self.variable(scope))),
            2 => Statement::Line(format!("{pair}->n = {};", self.number(scope, 1))),
            3 => Statement::Line(format!("{pair} = {pair}->next;")),
            _ => Statement::Line(format!("{} = {pair}->a[{pair}->n];", self.variable(scope))),
        };
        out.push(match self.chance.below(4) {
            0 => statement,
            1 => self.guarded(pair, statement),
            2 => self.guarded(format!("{pair} && {index} >= 0 && {index} < 4"), statement),
            _ => self.guarded(format!("{pair} && {pair}->n >= 0 && {pair}->n < 4"), statement),
        });
    }

    fn call(&mut self, scope: &mut Scope, out: &mut Vec<Statement>) {
        let helper = self.chance.one(&scope.helpers).clone();
        let first = self.number(scope, 1);
        let text = match helper {
            Helper::Numbers(name) => {
                let second = self.number(scope, 1);
                format!("{} = {name}({first}, {second});", self.variable(scope))
            }
            Helper::Out(name) => {
                let ints: Vec<String> = scope
                    .arrays
                    .iter()
                    .filter(|one| one.element == "int")
                    .map(|one| one.name.clone())
                    .chain(
                        scope
                            .numbers
                            .iter()
                            .filter(|(_, ty)| *ty == "int")
                            .map(|(name, _)| format!("&{name}")),
                    )
                    .chain(scope.pointers.iter().cloned())
                    .collect();
                match ints.is_empty() {
                    true => format!("{name}(0, {first});"),
                    false => format!("{name}({}, {first});", self.chance.one(&ints)),
                }
            }
            Helper::Pair(name) => {
                let mut places: Vec<String> = scope.pairs.clone();
                if scope.numbers.iter().any(|(one, _)| one == "s.n") {
                    places.push("&s".into());
                }
                let target = self.variable(scope);
                match places.is_empty() {
                    true => format!("{target} = {name}(0, {first});"),
                    false => format!("{target} = {name}({}, {first});", self.chance.one(&places)),
                }
            }
            Helper::Make(name) => match scope.pointers.is_empty() {
                true => format!("{name}({first});"),
                false => format!("{} = {name}({first});", self.chance.one(&scope.pointers)),
            },
        };
        Self::line(out, text);
    }
}
