//! Random programs: structured and unstructured, with pointers, arrays and calls.

/// Random numbers that are the same everywhere.
pub struct Random(u64);

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678);
        (0..4).for_each(|_| {
            random.below(2);
        });
        random
    }

    /// A number below another.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % end
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

const READ: [&str; 18] = [
    "a", "b", "c", "u", "v", "w", "*p", "t[0]", "t[1]", "t[k]", "s.m", "q->n", "t[a & 1]", "t[c]", "g",
    "ga[1]", "*gp", "ga[c]",
];
const WRITTEN: [&str; 15] = [
    "u", "v", "w", "*p", "t[0]", "t[k]", "s.n", "q->m", "u", "t[b & 1]", "t[c]", "g", "ga[0]", "*gp", "ga[c]",
];
/// What functions of whole programs read and write.
const SHARED: [&str; 9] = ["x", "y", "r", "g", "ga[0]", "ga[x & 1]", "*gp", "gq->m", "ga[y & 1]"];

/// Which kinds of statements a program has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Scalar variables and structured statements.
    Scalars,
    /// Also pointers, arrays and structures.
    Memory,
    /// Also calls.
    Calls,
    /// Scalars, with `goto`, `break` and `continue`.
    Jumps,
    /// As `Memory`, with indices that depend on the input.
    Indices,
    /// All of it, over several functions that share globals, arrays and pointers.
    Whole,
}

impl Style {
    /// How many of the things that can be read and written it has.
    fn things(self) -> (u64, u64) {
        match self {
            Style::Scalars | Style::Jumps => (6, 3),
            Style::Memory | Style::Calls => (12, 9),
            Style::Indices => (14, 11),
            Style::Whole => (18, 15),
        }
    }

    fn has_calls(self) -> bool {
        matches!(self, Style::Calls | Style::Whole)
    }
}

struct Writer<'r> {
    random: &'r mut Random,
    style: Style,
    text: String,
    loops: u32,
    name: String,
    in_function: bool,
    /// How many functions there are to call.
    callable: u64,
}

impl Writer<'_> {
    fn read(&mut self) -> &'static str {
        if self.in_function && self.style == Style::Whole {
            return self.random.pick(&SHARED);
        }
        if self.in_function {
            return self.random.pick(&["x", "y", "r", "g"]);
        }
        READ[self.random.below(self.style.things().0) as usize]
    }

    fn written(&mut self) -> &'static str {
        if self.in_function && self.style == Style::Whole {
            return self.random.pick(&SHARED[1..]);
        }
        if self.in_function {
            return self.random.pick(&["r", "g", "r", "y"]);
        }
        WRITTEN[self.random.below(self.style.things().1) as usize]
    }

    fn value(&mut self) -> String {
        match self.random.below(6) {
            0 => self.random.below(4).to_string(),
            1 => format!("({} + {} & 7)", self.read(), self.read()),
            2 => format!("({} - {} & 7)", self.read(), self.read()),
            // Later functions call earlier ones.
            3 if self.style.has_calls() && self.callable > 0 => {
                let which = self.random.below(self.callable);
                let (x, y) = (self.read(), self.read());
                format!("f{}_{which}({x}, {y})", self.name)
            }
            4 if self.random.below(3) == 0 => {
                format!("({} ? {} : {})", self.condition(), self.read(), self.read())
            }
            _ => self.read().to_owned(),
        }
    }

    fn condition(&mut self) -> String {
        let comparison = self.random.pick(&["==", "!=", "<", ">"]);
        let one = format!("{} {comparison} {}", self.read(), self.random.below(4));
        match self.random.below(5) {
            0 => format!("{one} && {} > {}", self.read(), self.read()),
            1 => format!("{one} || {} == {}", self.read(), self.random.below(4)),
            _ => one,
        }
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.text.push_str(&"  ".repeat(depth));
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn statements(&mut self, depth: usize, count: u64) {
        for _ in 0..count {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        let deep = depth > 3;
        match self.random.below(10) {
            0..=2 if !deep => {
                let condition = self.condition();
                self.line(depth, &format!("if ({condition}) {{"));
                let count = 1 + self.random.below(2);
                self.statements(depth + 1, count);
                if self.random.below(2) == 0 {
                    self.line(depth, "} else {");
                    self.statements(depth + 1, 1);
                }
                self.line(depth, "}");
            }
            3 if !deep => {
                self.loops += 1;
                let (counter, condition) = (format!("i{}", self.loops), self.condition());
                self.line(
                    depth,
                    &format!("int {counter} = 0; while ({counter} < 2 && ({condition})) {{ {counter}++;"),
                );
                self.statements(depth + 1, 1);
                if self.random.below(3) == 0 {
                    let condition = self.condition();
                    self.line(depth + 1, &format!("if ({condition}) break;"));
                }
                self.line(depth, "}");
            }
            4 if !deep => {
                let value = self.read();
                self.line(depth, &format!("switch ({value}) {{"));
                for case in 0..2 {
                    self.line(depth, &format!("case {case}:"));
                    self.statements(depth + 1, 1);
                    if self.random.below(3) > 0 {
                        self.line(depth + 1, "break;");
                    }
                }
                self.line(depth, "}");
            }
            5 if self.style == Style::Whole && self.in_function => {
                let target =
                    self.random.pick(&["gp = &ga[1];", "gp = &g;", "gq = &gs;", "gs.m = x;", "gq = &gz;"]);
                self.line(depth, target);
            }
            5 if matches!(self.style, Style::Memory | Style::Indices | Style::Whole) && !self.in_function => {
                let target = self.random.pick(&[
                    "p = &u;",
                    "p = &v;",
                    "p = &t[1];",
                    "q = &s;",
                    "q = &z;",
                    "s = z;",
                    "z.m = b;",
                ]);
                self.line(depth, target);
            }
            6 if self.in_function => {
                let (condition, value) = (self.condition(), self.value());
                let text = match self.random.below(4) {
                    0 => format!("if ({condition}) stop();"),
                    _ => format!("if ({condition}) return {value};"),
                };
                self.line(depth, &text);
            }
            _ => {
                let (target, value) = (self.written(), self.value());
                self.line(depth, &format!("{target} = {value};"));
            }
        }
    }

    /// Blocks that jump to each other; `fuel` ends them.
    fn jumps(&mut self) {
        let blocks = 4 + self.random.below(5);
        for block in 0..blocks {
            self.line(0, &format!(" L{block}: if (fuel-- == 0) goto end;"));
            let count = self.random.below(3);
            for _ in 0..count {
                let (target, value) = (self.written(), self.value());
                self.line(1, &format!("{target} = {value};"));
            }
            let (condition, to) = (self.condition(), self.random.below(blocks + 1));
            let to = if to == blocks { "end".to_owned() } else { format!("L{to}") };
            if self.random.below(6) > 0 {
                self.line(1, &format!("if ({condition}) goto {to};"));
            } else {
                self.line(1, &format!("goto {to};"));
            }
        }
    }
}

/// A function `pN` without parameters that reads inputs `a`, `b` and `c` and gives out `out`.
pub fn program(number: u64, style: Style) -> String {
    let mut random = Random::new(number * 4 + style as u64);
    let mut text = String::new();
    let name = number.to_string();
    let functions = match style {
        Style::Calls => 2,
        Style::Whole => 3,
        _ => 0,
    };
    if style.has_calls() {
        for which in 0..functions {
            let mut writer = Writer {
                random: &mut random,
                style,
                text: String::new(),
                loops: 0,
                name: name.clone(),
                in_function: true,
                callable: if style == Style::Whole { which } else { 0 },
            };
            writer.statements(1, 3);
            text.push_str(&format!(
                "static int f{number}_{which}(int x, int y) {{\n  int r = x;\n{}  return r & 7;\n}}\n",
                writer.text
            ));
        }
    }
    let mut writer = Writer {
        random: &mut random,
        style,
        text: String::new(),
        loops: 0,
        name: name.clone(),
        in_function: false,
        callable: functions,
    };
    if style == Style::Jumps {
        writer.jumps();
    } else {
        let count = 3 + writer.random.below(4);
        writer.statements(1, count);
    }
    let body = writer.text;
    text.push_str(&format!(
        "int p{number}(void) {{\n  int a = in(\"a\") & 3, b = in(\"b\") & 3, c = in(\"c\") & 1;\n  int u = 1, v = 2, w = 0, k = 1, t[2] = {{0, 1}}, fuel = 6;\n  \
         struct s s = {{1, 2}}, z = {{3, 0}}; int *p = &w; struct s *q = &s; g = 0; ga[0] = 0; ga[1] = 1; gp = &ga[0]; gq = &gs; gs.m = 2; gz.m = 0;\n{body} end:\n  hydrogen_output(\"out\", w);\n  return 0;\n}}\n"
    ));
    text
}

/// What comes before the programs.
pub const PRELUDE: &str = "struct s { int m, n; }; static int g, ga[2], *gp; static struct s gs, gz, *gq; static void stop(void) { hydrogen_output(\"out\", 77); hydrogen_assume(0); }\n";
