//! Random programs: functions without undefined behaviour over two small inputs.

use std::fmt::Write;

/// Everything a random choice needs, and whether programs may do something undefined.
pub struct Choices(u64, bool);

impl Choices {
    fn new(seed: u64, risky: bool) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, risky)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    /// An operation that is undefined for some operands.
    fn risk(&mut self, left: &str, right: &str) -> String {
        match self.below(4) {
            0 => format!("t[{left} & 7]"),
            1 => format!("({left} << ({right} & 63))"),
            2 => format!("({left} / {right})"),
            _ => format!("(unsigned)((int)({left} << 29) + (int)({right} << 29))"),
        }
    }

    fn variable(&mut self) -> &'static str {
        ["a", "b", "c"][self.below(3) as usize]
    }

    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 || self.below(5) == 0 {
            return match self.below(4) {
                0 => format!("{}u", self.below(9)),
                1 => ["x", "y"][self.below(2) as usize].to_owned(),
                _ => self.variable().to_owned(),
            };
        }
        let mut inner = || self.expression(depth - 1);
        let (left, right) = (inner(), inner());
        if self.1 && self.below(8) == 0 {
            return self.risk(&left, &right);
        }
        match self.below(18) {
            0 => format!("({left} + {right})"),
            1 => format!("({left} - {right})"),
            2 => format!("({left} * {right})"),
            3 => format!("({left} & {right})"),
            4 => format!("({left} ^ {right})"),
            5 => format!("({left} << ({right} & 3))"),
            6 => format!("({left} >> ({right} & 7))"),
            7 => format!("({left} % ({right} | 1))"),
            8 => format!("({left} < {right})"),
            9 => format!("({left} == {right})"),
            10 => format!("({left} && {right})"),
            11 => format!("({left} ? {right} : {})", self.variable()),
            12 => format!("t[{left} & 3]"),
            13 => format!("(unsigned)(signed char)({left} + {right})"),
            14 => format!("helper({left}, {right})"),
            15 => format!("several(2, {left}, {right})"),
            16 => format!("part((struct s){{ {left}, (char){right} }})"),
            _ => format!("(unsigned)(((unsigned __int128){left} << 66) >> 65)"),
        }
    }

    fn block(&mut self, depth: u32, indent: usize, out: &mut String) {
        for _ in 0..1 + self.below(3) {
            self.statement(depth, indent, out);
        }
    }

    fn statement(&mut self, depth: u32, indent: usize, out: &mut String) {
        let pad = "\t".repeat(indent);
        let value = self.expression(2);
        match self.below(if depth == 0 { 5 } else { 9 }) {
            0 | 1 => {
                let _ = writeln!(out, "{pad}{} = {value};", self.variable());
            }
            2 => {
                let _ = writeln!(out, "{pad}t[{value} & 3] = {};", self.expression(1));
            }
            3 => {
                let _ = writeln!(out, "{pad}*({value} ? &a : &b) = {};", self.expression(1));
            }
            4 => {
                let _ =
                    writeln!(out, "{pad}{{ struct s v = {{ {value}, (char)b }}, w = v; c = w.n + w.k; }}");
            }
            5 | 6 => {
                let _ = writeln!(out, "{pad}if ({value}) {{");
                self.block(depth - 1, indent + 1, out);
                let _ = writeln!(out, "{pad}}} else {{");
                self.block(depth - 1, indent + 1, out);
                let _ = writeln!(out, "{pad}}}");
            }
            7 => {
                let _ = writeln!(
                    out,
                    "{pad}for (unsigned i{indent} = 0; i{indent} < ({value} & 3); i{indent}++) {{"
                );
                self.block(depth - 1, indent + 1, out);
                let _ = writeln!(out, "{pad}}}");
            }
            _ => {
                let _ = writeln!(out, "{pad}switch ({value} & 7) {{");
                for label in [0, 2, 5] {
                    let _ = writeln!(out, "{pad}case {label}:");
                    self.block(depth - 1, indent + 1, out);
                    if self.below(3) > 0 {
                        let _ = writeln!(out, "{pad}\tbreak;");
                    }
                }
                let _ = writeln!(out, "{pad}default: c = c + 1;\n{pad}}}");
            }
        }
    }

    /// A function that takes inputs `x` and `y` below 4 and has one output.
    fn function(&mut self, name: &str) -> String {
        let mut body = String::new();
        self.block(2, 1, &mut body);
        format!(
            "int {name}(void) {{\n\tunsigned char x, y;\n\tunsigned a = 0, b = 1, c = 2, t[4] = {{0, 1, 2, 3}};\n\
             \thydrogen_symbolic(&x, 1, \"x\");\n\thydrogen_symbolic(&y, 1, \"y\");\n\
             \thydrogen_assume(x < 4);\n\thydrogen_assume(y < 4);\n{body}\
             \thydrogen_output(\"o\", a ^ (b << 4) ^ (c << 8) ^ t[0] ^ t[3]);\n\treturn 0;\n}}\n"
        )
    }
}

/// A file of so many functions `f0`, `f1`, …, which may do something undefined or not.
pub fn file(seed: u64, functions: u64, risky: bool) -> String {
    let mut choices = Choices::new(seed, risky);
    let mut out = "struct s { unsigned n; char k; };\n\
        static unsigned helper(unsigned p, unsigned q) { if (p > q) return p - q; return q - p; }\n"
        .to_owned();
    out.push_str(
        "static unsigned several(int n, ...) { __builtin_va_list l; unsigned sum = n; __builtin_va_start(l, n);\n\
         while (n--) sum += __builtin_va_arg(l, unsigned); __builtin_va_end(l); return sum; }\n\
         static unsigned part(struct s v) { return v.n ^ v.k; }\n",
    );
    for number in 0..functions {
        out.push_str(&choices.function(&format!("f{number}")));
    }
    out
}
