//! Calls of single functions: in the machine and, as tests in C, natively.
#![allow(clippy::unwrap_used)]

use hydrogen_evidence::{Argument, Call, Cell, Input, Object, Value};
use hydrogen_frontend::Pool;
use hydrogen_machine::{End, Limits, Run, World};
use hydrogen_program::{CLibrary, Loaded, Workshop, c_test, call_of, lines, run_test_of_files};
use std::path::PathBuf;
use std::sync::OnceLock;

fn workshop() -> Option<&'static Workshop> {
    static WORKSHOP: OnceLock<Workshop> = OnceLock::new();
    let make = || Workshop::new(Pool::default_program(), || false).expect("compilers work");
    let workshop = WORKSHOP.get_or_init(make);
    if !workshop.has_library() {
        hydrogen_testkit::skip("the C library is missing; run scripts/musl.sh");
        return None;
    }
    Some(workshop)
}

struct Subject {
    _folder: tempfile::TempDir,
    path: PathBuf,
    loaded: Loaded,
}

fn subject(source: &str) -> Option<Subject> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("unit.c");
    std::fs::write(&path, source).unwrap();
    let module = workshop()?.compile::<&str>(folder.path(), &path, &[]).unwrap();
    Some(Subject { loaded: workshop()?.link(vec![module]), _folder: folder, path })
}

impl Subject {
    fn run(&self, call: &Call) -> Run {
        let input = Input { call: Some(call.clone()), ..Input::default() };
        self.loaded
            .program
            .run(World::default().with_input(&input), Limits { steps: 1_000_000, ..Limits::default() })
    }

    /// What the caller sees, in the machine; natively it must be the same.
    fn seen(&self, call: &Call) -> Vec<String> {
        let run = self.run(call);
        let after = run.after.as_ref().unwrap_or_else(|| panic!("{:?}", run.end));
        let program = &self.loaded.program;
        let (module, function) =
            program.named(&call.function, None).and_then(|id| program.model(id)).unwrap();
        let seen = lines(module, function, call, after);
        let text = c_test(module, function, call, Some(after), &self.path.to_string_lossy(), "");
        let folder = self.path.parent().unwrap();
        let printed = run_test_of_files(folder, &self.path, &text, Vec::new(), &[], CLibrary::Machine)
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(printed.lines().collect::<Vec<_>>(), seen, "{text}");
        seen
    }

    fn call(&self, function: &str, words: &[&str]) -> Call {
        let program = &self.loaded.program;
        let (module, model) = program.named(function, None).and_then(|id| program.model(id)).unwrap();
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        call_of(module, model, &words).unwrap()
    }
}

fn check(source: &str, function: &str, words: &[&str], expect: &[&str]) {
    let Some(subject) = subject(source) else { return };
    assert_eq!(subject.seen(&subject.call(function, words)), expect);
}

#[test]
fn numbers_go_in_and_out() {
    check(
        "int max3(int a, int b, int c) { int m = a > b ? a : b; return m > c ? m : c; }",
        "max3",
        &["3", "-7", "5"],
        &["result = 5"],
    );
    check(
        "static unsigned char low(long x) { return x; } int main(void) { return low(1); }",
        "low",
        &["511"],
        &["result = 255"],
    );
    check(
        "double half(double x, float y) { return x / 2 + y; }",
        "half",
        &["3", "0.5"],
        &["result = bits 4000000000000000"],
    );
}

#[test]
fn memory_goes_in_and_out() {
    check(
        "#include <string.h>\nint up(char *text, int n) { for (int i = 0; i < n; i++) text[i] += 1; return strlen(text); }",
        "up",
        &["ab", "2"],
        &["result = 2", "*text = 98", "text[1] = 99", "text[2] = 0"],
    );
    check(
        "int sum(int *a, int n) { int s = 0; while (n--) s += *a++; return s; }",
        "sum",
        &["[1,2,-9]", "3"],
        &["result = -6", "*a = 1", "a[1] = 2", "a[2] = -9"],
    );
}

const LIST: &str = "#include <stdlib.h>\nstruct node { struct node *next; int n; };\nint unknown(int);\n\
    struct node *cut(struct node *p) { struct node *q = p->next; q->n += p->n; p->next = 0; return q; }\n\
    void drop(struct node *p) { free(p->next); p->next = malloc(8); }\n\
    int ask(int x) { return unknown(x) + unknown(x); }\n\
    int over(int *a, int i) { return a[i]; }\n";

fn list() -> Call {
    let node = |name: &str, next: Value, n: u64| Object {
        name: name.into(),
        of: "struct node".into(),
        size: 16,
        cells: vec![
            Cell { at: 0, path: format!("{name}->next"), value: next },
            Cell { at: 8, path: format!("{name}->n"), value: Value::number(32, n) },
        ],
    };
    Call {
        function: "cut".into(),
        arguments: vec![Argument { name: "p".into(), value: Value::Object(0, 0) }],
        objects: vec![node("p", Value::Object(1, 0), 4), node("p->next", Value::Object(0, 0), 5)],
        ..Call::default()
    }
}

#[test]
fn pointers_are_objects_and_distances() {
    let Some(subject) = subject(LIST) else { return };
    let seen = subject.seen(&list());
    let expect = [
        "result = &<p->next> + 0",
        "p->next = NULL",
        "p->n = 4",
        "p->next->next = &<p> + 0",
        "p->next->n = 9",
    ];
    assert_eq!(seen, expect);
    let seen = subject.seen(&Call { function: "drop".into(), ..list() });
    assert_eq!(seen, ["p->next = elsewhere", "p->n = 4"]);
}

const LEADING: &str = "#include <stdlib.h>\n#include <string.h>\n#include <time.h>\nstruct pair { const char *name; int n; };\n\
    static const int table[3] = { 4, 5, 6 };\nstatic int counter = 7;\n\
    const char *name(int k) { return k ? \"one\\n\\\"1\\\"\" : \"zero\" + 1; }\n\
    const int *row(int k) { return table + k; }\nint *count(void) { counter++; return &counter; }\n\
    struct pair *make(int n) { struct pair *p = malloc(sizeof *p); p->name = \"made\"; p->n = n; return p; }\n\
    void put(const char **out) { *out = \"put\"; }\n\
    const char *several(void) { return \"a\\0bc\" + 2; }\n\
    const void *block(int n) { char *p = malloc(4); memset(p, n, 3); return p; }\n\
    const char *error(int n) { return strerror(n); }\n\
    long double whole(void) { return 3; }\nvoid *mark(void) { return (void *)-1; }\n";

/// What a returned or stored pointer leads to belongs to what is seen, natively too.
#[test]
fn what_pointers_lead_to_is_seen() {
    let Some(subject) = subject(LEADING) else { return };
    let seen = |function: &str, words: &[&str]| subject.seen(&subject.call(function, words));
    assert_eq!(seen("name", &["1"]), ["result = \"one\\n\\\"1\\\"\""]);
    assert_eq!(seen("name", &["0"]), ["result = \"zero\" + 1"]);
    let rows = ["result = elsewhere", "result[0] = 4", "result[1] = 5", "result[2] = 6"];
    assert_eq!(seen("row", &["1"]), rows);
    assert_eq!(seen("count", &[]), ["result = elsewhere", "counter = 8"]);
    let made = ["result = elsewhere", "result->name = \"made\"", "result->n = 3"];
    assert_eq!(seen("make", &["3"]), made);
    let out = Object { name: "out".into(), of: "const char *".into(), size: 8, cells: Vec::new() };
    let argument = Argument { name: "out".into(), value: Value::Object(0, 0) };
    let call =
        Call { function: "put".into(), arguments: vec![argument], objects: vec![out], ..Call::default() };
    assert_eq!(subject.seen(&call), ["*out = \"put\""]);
    assert!(seen("several", &[])[0].starts_with("result = \"bc\"… (byte 2 of 5, checksum "));
    // The last byte has no value.
    let bytes = ["result = elsewhere", "result[0] = 5", "result[1] = 5", "result[2] = 5"];
    assert_eq!(seen("block", &["5"]), bytes);
    assert!(seen("error", &["2"])[0].starts_with("result = \"No such file or directory\""));
    assert_eq!(seen("mark", &[]), ["result = elsewhere"]);
}

#[test]
fn unknown_functions_answer_what_the_call_says() {
    let Some(subject) = subject(LIST) else { return };
    let answers =
        [3, 4].map(|n| hydrogen_evidence::Reply { function: "unknown".into(), value: Value::number(32, n) });
    let call = Call { answers: answers.into(), ..subject.call("ask", &["1"]) };
    assert_eq!(subject.seen(&call), ["result = 7"]);
    let run = subject.run(&subject.call("ask", &["1"]));
    assert!(matches!(run.end, End::Unresolved(name, _) if name == "unknown"));
}

/// The same question gets the same answer, in the machine and natively; what is not listed gets another.
#[test]
fn unknown_functions_answer_by_their_arguments() {
    let source = "int ask(int, const char *); double scale(float); void log_it(int);\n\
        int f(int n, const char *p) { log_it(n); return ask(n, p) * 100 + ask(n, 0) * 10 + ask(3, p) + (int)scale(0.5f); }\n";
    let Some(subject) = subject(source) else { return };
    let known = |function: &str, arguments: Option<Vec<Value>>, value: Value| hydrogen_evidence::Known {
        function: function.into(),
        arguments,
        value,
        sets: Vec::new(),
    };
    let (one, p) = (Value::number(32, 1), Value::Object(0, 0));
    let half = Value::number(32, u64::from(0.5f32.to_bits()));
    let list = vec![
        known("ask", Some(vec![one.clone(), p]), Value::number(32, 4)),
        known("ask", Some(vec![one, Value::Null]), Value::number(32, 5)),
        known("ask", None, Value::number(32, 9)),
        known("log_it", None, Value::number(64, 0)),
        known("scale", Some(vec![half]), Value::number(64, 1000f64.to_bits())),
    ];
    let call = Call { known: list, ..subject.call("f", &["1", "x"]) };
    let seen = subject.seen(&call);
    assert_eq!(seen[0], "result = 1459");
    assert!(call.to_string().contains("ask(1, &<p>) gives 4"), "{call}");
}

/// What they fill in, and functions that only the caller knows, are the same in the machine and natively.
#[test]
fn unknown_functions_fill_in_and_are_called_back() {
    let source = "struct time { int hour; char zone; }; void now(struct time *);\n\
        int f(int n, int (*visit)(int, struct time *)) { struct time t, u; now(&t); return t.hour * 1000 + t.zone * 100 + visit(n, &u) + u.hour; }\n";
    let Some(subject) = subject(source) else { return };
    let outside = Value::number(64, 1);
    let known = |function: &str, arguments: Option<Vec<Value>>, value, sets: &[(usize, u64, u8)]| {
        hydrogen_evidence::Known {
            function: function.into(),
            arguments,
            value,
            sets: sets
                .iter()
                .map(|&(argument, at, byte)| hydrogen_evidence::FirstValue { argument, at, byte })
                .collect(),
        }
    };
    let name = "any_int_of_int_struct_time_p";
    let list = vec![
        known("now", None, Value::number(64, 0), &[]),
        known("now", Some(vec![outside.clone()]), Value::number(64, 0), &[(0, 0, 3), (0, 4, 2)]),
        known(name, None, Value::number(32, 0), &[]),
        known(name, Some(vec![Value::number(32, 1), outside]), Value::number(32, 50), &[(1, 0, 4)]),
    ];
    let mut call = Call { known: list, ..subject.call("f", &["1", "NULL"]) };
    call.arguments[1].value = Value::Function(name.into());
    assert_eq!(subject.seen(&call)[0], "result = 3254");
}

#[test]
fn objects_have_bounds() {
    let Some(subject) = subject(LIST) else { return };
    let run = subject.run(&subject.call("over", &["[1,2]", "2"]));
    assert!(
        matches!(&run.end, End::Fault(fault) if fault.kind.name() == "out-of-bounds-read"),
        "{:?}",
        run.end
    );
    let run = subject.run(&subject.call("over", &["NULL", "0"]));
    assert!(
        matches!(&run.end, End::Fault(fault) if fault.kind.name() == "null-dereference"),
        "{:?}",
        run.end
    );
}

#[test]
fn a_call_reads_back_from_its_text() {
    let input = Input { call: Some(list()), ..Input::default() };
    let text = serde_json::to_string(&input).unwrap();
    assert_eq!(serde_json::from_str::<Input>(&text).unwrap(), input);
    assert_eq!(
        list().to_string(),
        "cut(p = &<p>) with <p>: 16 bytes, p->next = &<p->next>, p->n = 4; <p->next>: 16 bytes, p->next->next = &<p>, p->next->n = 5"
    );
}

/// A small random number generator, the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len() as u64) as usize]
    }
}

/// An expression without undefined behaviour.
fn expression(dice: &mut Dice, depth: u32) -> String {
    if depth == 0 || dice.roll(4) == 0 {
        return dice
            .pick(&[
                "n",
                "c",
                "p->n",
                "p->m[1]",
                "a[0]",
                "a[1]",
                "7u",
                "p->w",
                "g",
                "(p->next ? p->next->n : 3u)",
            ])
            .to_owned();
    }
    let (left, right) = (expression(dice, depth - 1), expression(dice, depth - 1));
    match dice.roll(5) {
        0 => format!("({left} ? {right} : n)"),
        1 => format!("((0u + {left}) / ((0u + {right} & 15u) + 1u))"),
        2 => format!("((0u + {left}) << ({right} & 7u))"),
        _ => format!(
            "((0u + {left}) {} (0u + {right}))",
            dice.pick(&["+", "-", "*", "^", "&", "|", "<", "=="])
        ),
    }
}

fn function(dice: &mut Dice) -> String {
    let mut body = String::new();
    for _ in 0..2 + dice.roll(4) {
        let value = expression(dice, 2);
        let place = dice.pick(&["p->n", "p->m[0]", "p->m[1]", "a[0]", "a[1]", "n", "p->w", "g"]);
        body.push_str(&match dice.roll(5) {
            0 => format!("    if ({value}) {place} = {};\n", expression(dice, 1)),
            1 => format!("    for (int i = 0; i < 3; i++) {place} = {place} + (0u + {value});\n"),
            2 => "    if (p->next) p->next = p->next->next;\n".to_owned(),
            _ => format!("    {place} = {value};\n"),
        });
    }
    let linkage = dice.pick(&["static ", ""]);
    let result = dice.pick(&["unsigned", "long", "short", "unsigned char"]);
    format!(
        "struct s {{ struct s *next; unsigned n; unsigned short m[2]; unsigned long w; }};\nstatic unsigned g = 5;\n\
         {linkage}{result} f(struct s *p, unsigned n, signed char c, unsigned *a)\n{{\n{body}    return {};\n}}\n\
         void *keep = (void *)f;\n",
        expression(dice, 2)
    )
}

fn random_call(dice: &mut Dice) -> Call {
    let number = |dice: &mut Dice, width: u32| {
        let bits = match dice.roll(3) {
            0 => dice.roll(4),
            1 => u64::MAX - dice.roll(3),
            _ => dice.roll(u64::MAX),
        };
        Value::number(width, bits)
    };
    let objects = 1 + dice.roll(2) as usize;
    let pointer = |dice: &mut Dice| match dice.roll(objects as u64 + 1) as usize {
        0 => Value::Null,
        at => Value::Object(at - 1, 0),
    };
    let cell = |at: u64, value: Value| Cell { at, path: String::new(), value };
    let mut call = Call { function: "f".into(), ..Call::default() };
    for at in 0..objects {
        let name = if at == 0 { "p" } else { "p->next" }.to_owned();
        let cells = vec![
            cell(0, if at == 0 && objects > 1 { Value::Object(1, 0) } else { pointer(dice) }),
            cell(8, number(dice, 32)),
            cell(12, number(dice, 16)),
            cell(14, number(dice, 16)),
            cell(16, number(dice, 64)),
        ];
        call.objects.push(Object { name, of: "struct s".into(), size: 24, cells });
    }
    let cells = vec![cell(0, number(dice, 32)), cell(4, number(dice, 32))];
    call.objects.push(Object { name: "a".into(), of: "unsigned".into(), size: 8, cells });
    let argument = |name: &str, value: Value| Argument { name: name.into(), value };
    call.arguments = vec![
        argument("p", Value::Object(0, 0)),
        argument("n", number(dice, 32)),
        argument("c", number(dice, 8)),
        argument("a", Value::Object(objects, 0)),
    ];
    call
}

/// Bit-fields are the bytes that they lie in, and a union is its first member and the bytes behind it.
#[test]
fn bit_fields_and_unions_are_seen() {
    let source = "struct s { unsigned a : 3, b : 5; union { char c; int n; } u; };\n\
        int f(struct s *p) { p->b = 9; p->u.n = 0x01020304; return p->a; }\n";
    let Some(subject) = subject(source) else { return };
    let object = Object { name: "p".into(), of: "struct s".into(), size: 8, cells: Vec::new() };
    let argument = Argument { name: "p".into(), value: Value::Object(0, 0) };
    let call =
        Call { function: "f".into(), arguments: vec![argument], objects: vec![object], ..Call::default() };
    let expect = ["result = 0", "p->a:0 = 72", "p->u.c = 4", "p->u:1 = 3", "p->u:2 = 2", "p->u:3 = 1"];
    assert_eq!(subject.seen(&call), expect);
}

/// Structures by value, in all shapes that compilers pass them in: one register, two, of both kinds, a copy, room for the result.
#[test]
fn structures_go_in_and_out_by_value() {
    let swap = "struct p { int x, y; }; struct p swap(struct p a) { struct p r = { a.y, a.x }; return r; }";
    check(swap, "swap", &["{1,2}"], &["result.x = 2", "result.y = 1"]);
    let one = "struct c { char c; }; static struct c next(struct c a) { a.c++; return a; } void *keep = (void *)next;";
    check(one, "next", &["{65}"], &["result.c = 66"]);
    let mixed = "typedef struct { double d; int n; } m; m add(m a, int by, m b) { a.d += b.d; a.n += by + b.n; return a; }";
    let expect = ["result.d = bits 4008000000000000", "result.n = 15"];
    check(mixed, "add", &["{1,2}", "3", "{2,10}"], &expect);
    let floats = "struct v { float x, y, z; }; struct v turn(struct v a) { struct v r = { a.z, a.x, a.y }; return r; }";
    let expect = ["result.x = bits 40400000", "result.y = bits 3f800000", "result.z = bits 40000000"];
    check(floats, "turn", &["{1,2,3}"], &expect);
    let large = "struct l { long a[3]; }; struct l shift(int n, struct l b) { b.a[n] = b.a[0]; return b; }";
    check(large, "shift", &["2", "{7,8}"], &["result.a[0] = 7", "result.a[1] = 8", "result.a[2] = 7"]);
    let empty = "struct e {}; int last(int a, struct e e, int b) { return a - b; }";
    check(empty, "last", &["5", "0", "3"], &["result = 2"]);
}

/// A function of two structures of the same random type.
fn of_structures(dice: &mut Dice) -> (String, usize) {
    let types = ["char", "short", "int", "long", "float", "double", "unsigned char", "void *", "int [3]"];
    let (mut members, mut body, mut scalars) = (String::new(), String::new(), 0);
    for at in 0..1 + dice.roll(6) {
        let ty = dice.pick(&types);
        scalars += if ty == "int [3]" { 3 } else { 1 };
        members.push_str(&match ty {
            "int [3]" => format!("int m{at}[3]; "),
            ty => format!("{ty} m{at}; "),
        });
        body.push_str(&match ty {
            "int [3]" => format!("    r.m{at}[n & 1] = a.m{at}[2];\n"),
            "float" | "double" | "void *" => {
                format!("    if (n & {}) r.m{at} = a.m{at};\n", 1 + dice.roll(4))
            }
            ty => format!("    r.m{at} = ({ty})((unsigned long)a.m{at} * 3 + n);\n"),
        });
    }
    let before = dice.pick(&["", "long k, ", "double k, ", "long k, long l, long m, long o, long q, "]);
    let source = format!(
        "struct s {{ {members}}};\nstruct s f({before}struct s a, int n, struct s b)\n{{\n    struct s r = b;\n{body}    return r;\n}}\n"
    );
    (source, scalars)
}

#[test]
fn random_structures_do_the_same_natively() {
    let count = std::env::var("HYDROGEN_CALLS").ok().and_then(|count| count.parse().ok()).unwrap_or(5);
    for seed in 1..=count {
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ (seed * 0x7654_3211));
        let (source, scalars) = of_structures(&mut dice);
        let Some(subject) = subject(&source) else { return };
        let before = source.matches("long k").count() + source.matches("double k").count();
        let before = if source.contains("long q") { 5 } else { before };
        let structure = |dice: &mut Dice| {
            let words: Vec<String> = (0..scalars).map(|_| (dice.roll(300)).to_string()).collect();
            format!("{{{}}}", words.join(","))
        };
        for n in ["0", "1", "-7"] {
            let mut words: Vec<String> = vec!["4".to_owned(); before];
            words.extend([structure(&mut dice), n.to_owned(), structure(&mut dice)]);
            // Pointers inside of structures can only be null on a command line.
            let words: Vec<String> = words.iter().map(|word| nulls(&source, word)).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            subject.seen(&subject.call("f", &words));
        }
    }
}

/// A structure's words with null for every pointer.
fn nulls(source: &str, word: &str) -> String {
    let Some(list) = word.strip_prefix('{').and_then(|list| list.strip_suffix('}')) else {
        return word.into();
    };
    let members = source.split_once("{ ").and_then(|(_, rest)| rest.split_once("};")).unwrap().0;
    let pointers = members.split("; ").filter(|member| !member.is_empty()).flat_map(|member| {
        let count = if member.contains("[3]") { 3 } else { 1 };
        std::iter::repeat_n(member.starts_with("void"), count)
    });
    let words: Vec<&str> =
        list.split(',').zip(pointers).map(|(word, null)| if null { "NULL" } else { word }).collect();
    format!("{{{}}}", words.join(","))
}

/// HYDROGEN_CALLS sets how many functions are tried.
#[test]
fn random_functions_do_the_same_natively() {
    let count = std::env::var("HYDROGEN_CALLS").ok().and_then(|count| count.parse().ok()).unwrap_or(6);
    for seed in 1..=count {
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ (seed * 0x1234_5677));
        let source = function(&mut dice);
        let Some(subject) = subject(&source) else { return };
        for _ in 0..3 {
            let call = random_call(&mut dice);
            let run = subject.run(&call);
            assert!(run.after.is_some(), "{:?}\n{source}\n{call}", run.end);
            subject.seen(&call);
        }
    }
}
