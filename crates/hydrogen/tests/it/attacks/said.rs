//! What a repository says, in every format: it is shown, and nobody obeys it.

use crate::attacks::Victim;

const NAME: &str = "x\n::set-env name=A::b\n##vso[task.setvariable]y.c";
const MARKED: &str = "![](http:) `@name` #1 *b* <img src=x>|.c";
const BUILD: &str = "all:\n\tcc -c *.c\n\t@echo '::set-env name=EVIL::1'; echo '##vso[task.setvariable variable=a]b'; echo '::error::x' >&2\n";

fn repository() -> Victim {
    let victim = Victim::new();
    for (body, other) in [("x / 2", 1), ("x / (x - 2)", 2)] {
        let text =
            format!("int f(int x) {{ return {body}; }}\nint main(int c, char **v) {{ return f(c); }}\n");
        let marked = format!("int g(void) {{ return {other}; }}\n");
        victim.project.write(NAME, text);
        victim.project.write(MARKED, marked);
        victim.project.write("Makefile", BUILD);
        victim.project.git(&["add", "-A"]);
        victim.project.git(&["commit", "-q", "-m", "@alice fixes #1 ![](http://evil) `x`"]);
        victim.project.git(&["tag", &format!("v{other}")]);
    }
    victim
}

/// Lines that services obey which run builds.
fn obeyed(text: &str) -> Option<&str> {
    text.lines()
        .find(|line| line.trim_start().starts_with("::") || line.contains("##vso[") || line.contains("##["))
}

/// Markdown without what is code in it: whatever stands between as many backticks as opened it.
fn outside_of_code(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('`') {
        if rest[..at].ends_with('\\') {
            out.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            continue;
        }
        out.push_str(&rest[..at]);
        let marks = rest[at..].len() - rest[at..].trim_start_matches('`').len();
        rest = &rest[at + marks..];
        let mut from = 0;
        let end = loop {
            let Some(found) = rest[from..].find('`').map(|found| from + found) else { break None };
            let length = rest[found..].len() - rest[found..].trim_start_matches('`').len();
            if length == marks {
                break Some(found + marks);
            }
            from = found + length;
        };
        rest = end.map_or("", |end| &rest[end..]);
    }
    out + rest
}

#[test]
fn nothing_that_is_said_is_obeyed() {
    let victim = repository();
    let commands = [
        "versions --files v1",
        "versions v1",
        "functions v1 v2",
        "functions v1 v2 --syntax --all",
        "diff v1 v2",
        "diff v1 v2 --syntax",
        "stats v1 v2",
        "complexity HEAD",
        "interact HEAD",
        "affects HEAD",
        "history f v1 v2",
        "check v1..v2",
        "check v1..v2 --format csv",
        "check v1..v2 --format sarif",
        "check v1..v2 --format json",
        "compare v1..v2 --budget 5s",
        "expose v1..v2 --budget 5s",
        "graph v1 v2",
        "graph v1 v2 --format dot",
        "depends v1",
        "ir v1",
        "ir v1 -v --retry",
        "slice v1 -- 3",
        "review v1..v2 --budget 10s",
    ];
    for line in commands {
        let words: Vec<&str> = line.split(' ').collect();
        let found = victim.hydrogen(&words);
        for text in [&found.out, &found.err] {
            assert_eq!(obeyed(text), None, "{line}: {found:?}");
        }
    }
}

#[test]
fn markdown_shows_what_is_said() {
    let victim = repository();
    for line in [
        "check v1..v2 --format markdown",
        "compare v1..v2 --budget 5s --format md",
        "review v1..v2 --budget 10s --format md",
        "why v1 v2 --budget 5s --format md -- 3",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let found = victim.hydrogen(&words);
        let text = outside_of_code(&found.out);
        assert!(!found.out.is_empty(), "{line}: {found:?}");
        assert_eq!(obeyed(&found.out), None, "{line}: {found:?}");
        for bad in ["![](", "@name", "@alice", "#1", "<img", "http://evil"] {
            assert!(!text.contains(bad), "{line}: `{bad}` in {text}");
        }
    }
}
