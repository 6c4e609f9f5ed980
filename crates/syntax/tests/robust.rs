//! Any bytes will do, and none take long.
#![allow(missing_docs)]

mod support;
use hydrogen_syntax::{MacroEnv, Options, Unit, read};
use std::time::{Duration, Instant};
use support::sound;

fn try_bytes(source: &[u8]) -> Unit {
    let start = Instant::now();
    let unit = read("t.c", source, &Options::default());
    sound(&unit);
    let decided = read("t.c", source, &Options { defined: Some(MacroEnv::new()), known: None });
    sound(&decided);
    // Generous: this is about exponents, not constants.
    assert!(start.elapsed() < Duration::from_secs(120), "{} bytes took {:?}", source.len(), start.elapsed());
    unit
}

fn in_body(text: &str) -> Unit {
    try_bytes(
        format!("int before(void) {{ a(); }}\nint f(int x) {{\n{text}\n}}\nint after(void) {{ b(); }}\n")
            .as_bytes(),
    )
}

fn names(unit: &Unit) -> Vec<&str> {
    unit.module.functions.iter().map(|function| function.name.as_str()).collect()
}

#[test]
fn deep_nesting() {
    let pairs = [
        ("(", ")", 100_000),
        ("{", "}", 100_000),
        ("[", "]", 100_000),
        ("f(", ")", 3_000),
        ("({", "})", 3_000),
        ("(a && ", ")", 3_000),
        ("if (a) {", "}", 3_000),
    ];
    for (open, close, deep) in pairs {
        let unit = in_body(&format!("x = {}1{};", open.repeat(deep), close.repeat(deep)));
        assert_eq!(names(&unit), ["before", "f", "after"], "{open}");
        let unit = in_body(&format!("{}{}", open.repeat(deep), close.repeat(deep)));
        assert_eq!(names(&unit), ["before", "f", "after"], "{open}");
        try_bytes(format!("int f(void) {{ {}", open.repeat(deep)).as_bytes());
        try_bytes(open.repeat(deep).as_bytes());
        try_bytes(close.repeat(deep).as_bytes());
        try_bytes(format!("int f(void) {{ {}", close.repeat(deep)).as_bytes());
    }
}

#[test]
fn long_chains() {
    let long = 10_000; // Else-if chains of generated code come near.
    for text in [
        "if (a) x(); else ",
        "a && ",
        "a || ",
        "!",
        "-",
        "*",
        "a = ",
        "a ? b : ",
        "a, ",
        "a + ",
        "if (a) ",
        "while (a) ",
        "do ",
        "for (;;) ",
        "l: ",
        "case 1: ",
        "switch (a) ",
        "(int)",
        "sizeof ",
        "a->",
        "a ? ",
        "else ",
        "f(a) ",
        "\n#if A\n",
        "\n#else\n",
        "\n#endif\n",
        "\n#if A\nx();\n#endif\n",
        "\n#if A\n(\n#endif\n",
        "T *",
        "int ",
        "M(a) {",
        "\n#if A\n{\n#else\n{\n#endif\n",
    ] {
        let unit = in_body(&format!("{}x();", text.repeat(long)));
        assert!(names(&unit).contains(&"f"), "{text}");
        try_bytes(text.repeat(long).as_bytes());
    }
}

#[test]
fn strange_bytes() {
    let unit = in_body("s = \"\u{e9}\"; x();\0 y(); \u{e9}t\u{e9}();");
    assert_eq!(names(&unit), ["before", "f", "after"]);
    let mut latin = b"int f(void) { s = \"caf\xe9\"; t\xe9(); } /* \xff\xfe */ int g(void) { }".to_vec();
    let unit = try_bytes(&latin);
    assert_eq!(names(&unit), ["f", "g"]);
    assert_eq!(unit.module.functions[0].pieces[2].text, "s = \"caf\u{fffd}\"");
    latin.retain(|&byte| byte != b'"');
    try_bytes(&latin);
    try_bytes(b"");
    try_bytes(b"\\");
    try_bytes(b"#");
    try_bytes(b"\xef\xbb\xbfint f(void) { }");
    let all: Vec<u8> = (0..=255u8).cycle().take(100_000).collect();
    try_bytes(&all);
}

#[test]
fn a_line_of_ten_megabytes() {
    let mut line = String::from("int f(void) { ");
    while line.len() < 10_000_000 {
        line.push_str(&format!(
            "x = {} y(1) && z ? \"a\" : b; if (a) {{ return 3; }} ",
            "some_name + ".repeat(80)
        ));
    }
    line.push_str("} int g(void) { }");
    let unit = try_bytes(line.as_bytes());
    assert_eq!(names(&unit), ["f", "g"]);
    let one = format!("int f(void) {{ x = {}1; }}", "a + b(c) * ".repeat(900_000));
    assert_eq!(names(&try_bytes(one.as_bytes())), ["f"]);
}

/// A small generator of pseudo-random numbers, so that failures can be repeated.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below.max(1) as u64) as usize
    }
}

const WORDS: &[&str] = &[
    "if",
    "else",
    "while",
    "for",
    "do",
    "switch",
    "case",
    "default",
    ":",
    ";",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "a",
    "b",
    "f",
    "int",
    "struct",
    "typedef",
    "static",
    "return",
    "goto",
    "break",
    "continue",
    "&&",
    "||",
    "!",
    "?",
    "=",
    "==",
    "<<=",
    "*",
    "&",
    ",",
    "1",
    "0",
    "\"s\"",
    "'c'",
    "->",
    ".",
    "...",
    "sizeof",
    "asm",
    "MACRO",
    "MACRO(a)",
    "\n#if A\n",
    "\n#else\n",
    "\n#elif B\n",
    "\n#endif\n",
    "\n#define M(x) x\n",
    "\n#include <a.h>\n",
    "/*",
    "*/",
    "//",
    "\\\n",
    "\"",
    "'",
    "\0",
    "__attribute__((x))",
    "extern \"C\" {",
    "int f(int a) {",
    "enum { A, B = 2 };",
    "__typeof__(a)",
    "_Generic",
    "\u{e9}",
    "#",
];

#[test]
fn random_words() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let start = Instant::now();
    for round in 0..4000 {
        let length = random.next(120);
        let mut text = String::from(if round % 3 == 0 { "" } else { "int f(int a) { " });
        for _ in 0..length {
            text.push_str(WORDS[random.next(WORDS.len())]);
            text.push_str(if random.next(3) == 0 { "\n" } else { " " });
        }
        let unit = std::panic::catch_unwind(|| try_bytes(text.as_bytes()));
        assert!(unit.is_ok(), "round {round}: {text:?}");
        if start.elapsed() > Duration::from_secs(5) {
            break;
        }
    }
}

#[test]
fn mutated_programs() {
    let seed = include_str!("seed.c").as_bytes();
    sound(&try_bytes(seed));
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let start = Instant::now();
    for round in 0..2000 {
        let mut text = seed.to_vec();
        for _ in 0..=random.next(12) {
            let at = random.next(text.len());
            let until = (at + random.next(40)).min(text.len());
            match random.next(4) {
                0 => drop(text.drain(at..until)),
                1 => text[at] = random.next(256) as u8,
                2 => {
                    let copy = text[at..until].to_vec();
                    let to = random.next(text.len());
                    text.splice(to..to, copy);
                }
                _ => {
                    let word = WORDS[random.next(WORDS.len())];
                    text.splice(at..at, word.bytes());
                }
            }
        }
        let unit = std::panic::catch_unwind(|| try_bytes(&text));
        assert!(unit.is_ok(), "round {round}: {:?}", String::from_utf8_lossy(&text));
        if start.elapsed() > Duration::from_secs(5) {
            break;
        }
    }
}
