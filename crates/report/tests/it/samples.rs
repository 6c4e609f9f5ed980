//! Graphs to draw: the worked examples E1 and E2 of the specification, and large made-up ones.

use serde_json::{Value, json};

/// Collects a graph function by function; statements are numbered inside their function.
pub struct Sample {
    versions: Vec<String>,
    commits: Vec<Value>,
    functions: Vec<Value>,
    nodes: Vec<Value>,
    edges: Vec<Value>,
    calls: Vec<Value>,
}

impl Sample {
    pub fn new(versions: usize) -> Sample {
        Sample {
            versions: (1..=versions).map(|number| format!("v{number}")).collect(),
            commits: Vec::new(),
            functions: Vec::new(),
            nodes: Vec::new(),
            edges: Vec::new(),
            calls: Vec::new(),
        }
    }

    fn names(&self, versions: &[usize]) -> Vec<&str> {
        versions.iter().map(|version| self.versions[version - 1].as_str()).collect()
    }

    pub fn function(&mut self, name: &str, file: &str, versions: &[usize]) {
        let function = json!({"name": name, "file": file, "versions": self.names(versions)});
        self.functions.push(function);
    }

    fn id(&self, label: &str) -> String {
        format!("{}.{label}", self.functions.len() - 1)
    }

    /// A statement of the last function with its line in each of its versions.
    pub fn node(&mut self, label: &str, kind: &str, text: &str, lines: &[(usize, u32)]) {
        let versions: Vec<usize> = lines.iter().map(|(version, _)| *version).collect();
        let places: serde_json::Map<String, Value> =
            lines.iter().map(|(version, line)| (format!("v{version}"), json!(line))).collect();
        self.nodes.push(json!({
            "id": self.id(label), "function": self.functions.len() - 1, "text": text, "kind": kind,
            "versions": self.names(&versions), "lines": places,
        }));
    }

    pub fn edge(&mut self, from: &str, to: &str, kind: &str, versions: &[usize]) {
        let [from, to] = [from, to].map(|label| self.id(label));
        self.edges.push(json!({"from": from, "to": to, "kind": kind, "versions": self.names(versions)}));
    }

    pub fn call(&mut self, from: &str, to: &str, versions: &[usize]) {
        self.calls.push(json!({"from": self.id(from), "to": to, "versions": self.names(versions)}));
    }

    pub fn commit(&mut self, author: &str, summary: &str) {
        let number = self.commits.len() + 1;
        let parents: Vec<usize> = number.checked_sub(2).into_iter().collect();
        self.commits.push(json!({
            "name": format!("v{number}"), "commit": format!("{number}").repeat(40), "author": author,
            "date": format!("2024-01-{number:02}T12:00:00Z"), "summary": summary, "parents": parents,
        }));
    }

    pub fn graph(self) -> Value {
        json!({
            "versions": self.versions, "commits": self.commits, "functions": self.functions, "nodes": self.nodes,
            "edges": self.edges, "calls": self.calls, "stats": {"nodes": 1},
        })
    }
}

/// E1 (`handle`) and E2 (`start` and its callees) in one program of four versions.
pub fn worked_examples() -> Value {
    let mut sample = Sample::new(4);
    sample.commit("Ada", "Handle requests");
    sample.commit("Grace", "Fix the overflow");
    sample.commit("Grace", "Check the allocation");
    sample.commit("Barbara", "Fix the fix, and drop the privilege");
    handle(&mut sample);
    start(&mut sample);
    callees(&mut sample);
    sample.graph()
}

/// Section 4.1 of the specification; lines are counted from the body, as there.
fn handle(s: &mut Sample) {
    s.function("handle", "src/handle.c", &[1, 2, 3, 4]);
    s.node("S", "Entry", "entry", &[(1, 0), (2, 0), (3, 0), (4, 0)]);
    s.node("1", "Expression", "get_privilege();", &[(1, 1), (2, 1), (3, 1), (4, 1)]);
    s.node("2", "Declaration", "char a[16];", &[(1, 2)]);
    s.node("5", "Declaration", "char *a = NULL; size_t len = 0;", &[(2, 2), (3, 2), (4, 2)]);
    s.node("6", "Expression", "len = strlen(b);", &[(2, 3), (3, 3)]);
    s.node("11", "Expression", "len = strlen(b) + 1;", &[(4, 3)]);
    s.node("7", "Expression", "a = malloc(len);", &[(2, 4), (3, 4), (4, 4)]);
    s.node("8", "If", "if (a == NULL)", &[(3, 5), (4, 5)]);
    s.node("9", "Expression", "report();", &[(3, 6), (4, 6)]);
    s.node("12", "Expression", "drop_privilege();", &[(4, 7)]);
    s.node("10", "Return", "return;", &[(3, 7), (4, 8)]);
    s.node("3", "Expression", "strcpy(a, b);", &[(1, 3), (2, 5), (3, 9), (4, 10)]);
    s.node("4", "Expression", "drop_privilege();", &[(1, 4), (2, 6), (3, 10), (4, 11)]);
    s.node("T", "Exit", "exit", &[(1, 0), (2, 0), (3, 0), (4, 0)]);
    let edges: &[(&str, &str, &str, &[usize])] = &[
        ("S", "1", "Next", &[1, 2, 3, 4]),
        ("1", "2", "Next", &[1]),
        ("2", "3", "Next", &[1]),
        ("1", "5", "Next", &[2, 3, 4]),
        ("5", "6", "Next", &[2, 3]),
        ("5", "11", "Next", &[4]),
        ("6", "7", "Next", &[2, 3]),
        ("11", "7", "Next", &[4]),
        ("7", "3", "Next", &[2]),
        ("7", "8", "Next", &[3, 4]),
        ("8", "9", "True", &[3, 4]),
        ("8", "3", "False", &[3, 4]),
        ("9", "10", "Next", &[3]),
        ("9", "12", "Next", &[4]),
        ("12", "10", "Next", &[4]),
        ("10", "T", "Next", &[3, 4]),
        ("3", "4", "Next", &[1, 2, 3, 4]),
        ("4", "T", "Next", &[1, 2, 3, 4]),
    ];
    for (from, to, kind, versions) in edges {
        s.edge(from, to, kind, versions);
    }
    s.call("4", "drop_privilege", &[1, 2, 3, 4]);
    s.call("12", "drop_privilege", &[4]);
    s.call("3", "strcpy", &[1, 2, 3, 4]);
}

/// Section 4.2.
fn start(s: &mut Sample) {
    s.function("start", "src/start.c", &[1, 2, 3, 4]);
    s.node("S", "Entry", "entry", &[(1, 0), (2, 0), (3, 0), (4, 0)]);
    s.node("1", "Expression", "j = 8 * j;", &[(1, 4), (2, 4)]);
    s.node("2", "If", "if (!isMultiplicationSafe(8, j))", &[(3, 4)]);
    s.node("3", "If", "if (j < 0)", &[(2, 5)]);
    s.node("4", "Expression", "safe_multiply(8, j, &j);", &[(4, 4)]);
    s.node("5", "Expression", "j = 8 * j;", &[(3, 8)]);
    s.node("6", "Expression", "printf(\"overflow\");", &[(2, 6), (3, 5)]);
    s.node("7", "Expression", "j = ERR;", &[(2, 7), (3, 6)]);
    s.node("8", "Expression", "drop_privilege();", &[(1, 5), (2, 8), (3, 9)]);
    s.node("9", "Return", "return j;", &[(1, 6), (2, 9), (3, 10), (4, 5)]);
    s.node("T", "Exit", "exit", &[(1, 0), (2, 0), (3, 0), (4, 0)]);
    let edges: &[(&str, &str, &str, &[usize])] = &[
        ("S", "1", "Next", &[1, 2]),
        ("S", "2", "Next", &[3]),
        ("S", "4", "Next", &[4]),
        ("1", "8", "Next", &[1]),
        ("1", "3", "Next", &[2]),
        ("3", "6", "True", &[2]),
        ("3", "8", "False", &[2]),
        ("2", "6", "True", &[3]),
        ("2", "5", "False", &[3]),
        ("6", "7", "Next", &[2, 3]),
        ("5", "8", "Next", &[3]),
        ("7", "8", "Next", &[2, 3]),
        ("8", "9", "Next", &[1, 2, 3]),
        ("4", "9", "Next", &[4]),
        ("9", "T", "Next", &[1, 2, 3, 4]),
    ];
    for (from, to, kind, versions) in edges {
        s.edge(from, to, kind, versions);
    }
    s.call("8", "drop_privilege", &[1, 2, 3]);
    s.call("2", "isMultiplicationSafe", &[3]);
    s.call("4", "safe_multiply", &[4]);
}

fn callees(s: &mut Sample) {
    straight(s, "drop_privilege", "src/privilege.c", &[1, 2, 3], &["setuid(user);"]);
    let safe = ["if (b == 0)", "if (b < 0)", "return a <= INT_MAX / b;"];
    straight(s, "isMultiplicationSafe", "src/start.c", &[3, 4], &safe);
    straight(s, "safe_multiply", "src/start.c", &[4], &["if (!isMultiplicationSafe(a, b))", "*out = a * b;"]);
    s.call("0", "isMultiplicationSafe", &[4]);
    let main = [
        "int user = getuid();",
        "parse(argc, argv);",
        "open_log();",
        "handle(argv[1]);",
        "return start(argc);",
    ];
    straight(s, "main", "src/main.c", &[1, 2, 3, 4], &main);
}

/// A function without branches that never changes.
pub fn straight(s: &mut Sample, name: &str, file: &str, versions: &[usize], texts: &[&str]) {
    s.function(name, file, versions);
    let at = |line: u32| -> Vec<(usize, u32)> { versions.iter().map(|version| (*version, line)).collect() };
    s.node("S", "Entry", "entry", &at(0));
    for (line, text) in (0u32..).zip(texts) {
        s.node(&line.to_string(), "Expression", text, &at(line + 1));
    }
    s.node("T", "Exit", "exit", &at(0));
    let labels: Vec<String> = (0..texts.len()).map(|line| line.to_string()).collect();
    let path: Vec<&str> = ["S"].into_iter().chain(labels.iter().map(String::as_str)).chain(["T"]).collect();
    for pair in path.windows(2) {
        s.edge(pair[0], pair[1], "Next", versions);
    }
}

/// A function of about `size` statements over six versions, one in twenty touched, with conditions, loops and early
/// returns; `small` functions beside it; and a function as large that is new in v4.
pub fn large(size: usize, small: usize) -> Value {
    let mut s = Sample::new(6);
    for number in 1..=6 {
        s.commit("Nobody", &format!("Change {number}"));
    }
    let all: Vec<usize> = (1..=6).collect();
    long_function(&mut s, "interpret", &all, size, 20);
    long_function(&mut s, "imported", &[4, 5, 6], size, usize::MAX);
    for number in 0..small {
        let first = 1 + number % 3;
        straight(
            &mut s,
            &format!("helper_{number:04}"),
            "src/helpers.c",
            &all[first - 1..],
            &["a();", "b();", "c();"],
        );
    }
    s.graph()
}

fn long_function(s: &mut Sample, name: &str, life: &[usize], size: usize, touched: usize) {
    s.function(name, "src/vm.c", life);
    let at = |versions: &[usize], line: usize| -> Vec<(usize, u32)> {
        versions.iter().map(|version| (*version, u32::try_from(line).expect("small"))).collect()
    };
    s.node("S", "Entry", "entry", &at(life, 0));
    s.node("T", "Exit", "exit", &at(life, 0));
    let mut before = "S".to_owned();
    for number in 0..size {
        let label = number.to_string();
        let text = format!("reg[{number}] = fetch(code, {});", number * 7 % 31);
        if number % touched == touched / 2 {
            // Two variants of one statement: the old one until some version, the new one from then on.
            let turn = 1 + (number / touched) % (life.len() - 1);
            let (old, new) = life.split_at(turn);
            s.node(&format!("{label}o"), "Expression", &text, &at(old, number));
            s.node(&format!("{label}n"), "Expression", &format!("checked_{text}"), &at(new, number));
            s.node(&label, "Expression", "pc++;", &at(life, number));
            for (variant, versions) in [("o", old), ("n", new)] {
                s.edge(&before, &format!("{label}{variant}"), "Next", versions);
                s.edge(&format!("{label}{variant}"), &label, "Next", versions);
            }
        } else {
            let kind = if number % 9 == 4 { "If" } else { "Expression" };
            s.node(&label, kind, &text, &at(life, number));
            s.edge(&before, &label, "Next", life);
        }
        match number % 90 {
            30 => s.edge(&label, &(number - 12).to_string(), "True", life),
            60 => s.edge(&label, "T", "True", life),
            _ if number % 9 == 4 && number + 3 < size => {
                s.edge(&label, &(number + 3).to_string(), "False", life)
            }
            _ => {}
        }
        before = label;
    }
    s.edge(&before, "T", "Next", life);
}

/// A history with a branch and a merge, a changed meaning and a swapped condition: v1 ─ v2 ─ v4, v1 ─ v3 ─ v4.
pub fn branched() -> Value {
    let mut s = Sample::new(4);
    for summary in ["Begin", "On one branch", "On the other", "Merge"] {
        s.commit("Ada & <Co>", summary);
    }
    s.commits[2]["parents"] = json!([0]);
    s.commits[3]["parents"] = json!([1, 2]);
    s.function("f<T>&", "a b.c", &[1, 2, 3, 4]);
    s.node("S", "Entry", "entry", &[(1, 0), (2, 0), (3, 0), (4, 0)]);
    s.node("a", "If", "if (a < b && c > d)", &[(1, 1), (2, 1), (3, 1), (4, 1)]);
    s.node("one", "Expression", "</script><b>one</b>;", &[(2, 2), (4, 2)]);
    s.node("two", "Expression", "two(LIMIT);", &[(1, 2), (2, 3), (3, 2), (4, 3)]);
    s.node("T", "Exit", "exit", &[(1, 0), (2, 0), (3, 0), (4, 0)]);
    s.edge("S", "a", "Next", &[1, 2, 3, 4]);
    s.edge("a", "two", "True", &[1, 3]);
    s.edge("a", "one", "True", &[2, 4]);
    s.edge("one", "two", "Next", &[2, 4]);
    s.edge("a", "T", "False", &[1, 2, 3, 4]);
    s.edge("two", "T", "Next", &[1, 2, 3, 4]);
    s.nodes[3]["meaning_changed"] = json!(["v3"]);
    s.function("swapped", "a b.c", &[1, 2, 3, 4]);
    s.node("a", "If", "if (a)", &[(1, 9), (2, 10), (3, 9), (4, 10)]);
    s.node("b", "Return", "return b;", &[(1, 10), (2, 11), (3, 10), (4, 11)]);
    s.node("c", "Return", "return c;", &[(1, 11), (2, 12), (3, 11), (4, 12)]);
    s.edge("a", "b", "True", &[1, 2]);
    s.edge("a", "b", "False", &[3, 4]);
    s.edge("a", "c", "False", &[1, 2]);
    s.edge("a", "c", "True", &[3, 4]);
    s.graph()
}

/// A thousand versions of fifty functions; every version touches one statement of one of them.
pub fn many_versions(versions: usize) -> Value {
    let mut s = Sample::new(versions);
    for number in 1..=versions {
        s.commit("Somebody", &format!("Step {number}"));
    }
    let all: Vec<usize> = (1..=versions).collect();
    for number in 0..50 {
        s.function(&format!("function_{number}"), "src/many.c", &all);
        let lines =
            |range: &[usize]| -> Vec<(usize, u32)> { range.iter().map(|version| (*version, 5)).collect() };
        s.node("S", "Entry", "entry", &lines(&all));
        s.node("T", "Exit", "exit", &lines(&all));
        let turns: Vec<usize> =
            (0..versions).filter(|version| version % 50 == number && *version > 0).collect();
        let ends = turns.iter().copied().chain([versions]);
        for (start, end) in [0].into_iter().chain(turns.iter().copied()).zip(ends) {
            let label = format!("at{start}");
            s.node(&label, "Expression", &format!("step({start});"), &lines(&all[start..end]));
            s.edge("S", &label, "Next", &all[start..end]);
            s.edge(&label, "T", "Next", &all[start..end]);
        }
    }
    s.graph()
}
