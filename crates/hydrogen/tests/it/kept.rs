//! Rulings kept between runs, as users see them.

use crate::project::{Project, Run};
use serde_json::{Value, json};

/// A copy into 16 bytes: without a check, and with others; the last version checks the length.
fn versions() -> Project {
    let project = Project::new();
    let code = |above: &str, guard: &str| {
        format!(
            "#include <string.h>\n{above}char g[16];\nvoid put(const char *s) {{\n{guard}  strcpy(g, s);\n}}\n"
        )
    };
    let long = "  if (strlen(s) > 20)\n    return;\n";
    let all = [
        code("", ""),
        code("/* moved */\n\n", ""),
        code("", long),
        code("int other(int a) {\n  return a;\n}\n", long),
        code("", "  if (strlen(s) > 15)\n    return;\n"),
    ];
    for (number, text) in all.iter().enumerate() {
        project.commit(&[("put.c", text)]);
        project.git(&["tag", &format!("v{}", number + 1)]);
    }
    project
}

fn answer(run: &Run) -> Value {
    serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"))
}

/// The answer without its counters.
fn without_counters(run: &Run) -> Value {
    let mut answer = answer(run);
    answer.as_object_mut().unwrap().remove("counters");
    answer
}

fn impact(project: &Project, more: &[&str]) -> Run {
    let how = ["impact", "--bug", "put.c:4@v1", "--kind", "overflow", "--format", "json"];
    project.hydrogen(&[&how[..], more].concat())
}

#[test]
fn a_new_release_is_judged_alone() {
    let project = versions();
    let four = impact(&project, &["v1", "v2", "v3", "v4"]);
    assert_eq!(four.code, Some(1), "{four:?}");
    assert_eq!(answer(&four)["counters"]["kept"], 0);
    let again = impact(&project, &["v1", "v2", "v3", "v4"]);
    assert_eq!(without_counters(&again), without_counters(&four));
    let counters = &answer(&again)["counters"];
    assert_eq!(
        (&counters["kept"], &counters["nodes"], &counters["questions"]),
        (&json!(8), &json!(0), &json!(0)),
        "what is written and the text that is read, of each version"
    );

    let alone = impact(&project, &["v5", "--fresh"]);
    let five = impact(&project, &["v1", "v2", "v3", "v4", "v5"]);
    let (counters, of_one) = (&answer(&five)["counters"], &answer(&alone)["counters"]);
    assert_eq!(counters["kept"], 8, "{five:?}");
    assert_eq!(counters["nodes"], of_one["nodes"], "only the fifth is gone through");
    let fresh = impact(&project, &["v1", "v2", "v3", "v4", "v5", "--fresh"]);
    assert_eq!(answer(&fresh)["counters"]["kept"], 0);
    let verdicts = |run: &Run| -> Vec<Value> {
        let rulings = answer(run)["findings"][0]["verdicts"].as_array().unwrap().clone();
        rulings.iter().map(|one| json!([one["verdict"], one["ledger"], one["evidence"]["path"]])).collect()
    };
    assert_eq!(verdicts(&five), verdicts(&fresh));
    let lines: Vec<Value> = verdicts(&five)
        .iter()
        .map(|one| one[2].as_array().unwrap().last().map_or(json!(0), |spot| spot["line"].clone()))
        .collect();
    assert_eq!(lines, [4, 6, 6, 9, 0].map(|line| json!(line)), "lines are those of each version");
}

#[test]
fn the_shelf_is_part_of_the_cache() {
    let project = versions();
    let first = project.hydrogen(&["check", "v1..v5", "--kind", "overflow"]);
    assert!(first.out.contains("FIXED overflow") && !first.out.contains("earlier runs"), "{first:?}");
    let second = project.hydrogen(&["check", "v1..v5", "--kind", "overflow"]);
    assert!(second.out.contains("rulings from earlier runs"), "{second:?}");
    // All but the line that counts.
    let told =
        |run: &Run| run.out.lines().filter(|line| !line.contains(" raised; ")).collect::<Vec<_>>().join("\n");
    assert_eq!((told(&second), second.code), (told(&first), first.code));
    let shown = project.hydrogen(&["cache", "show", "--format", "json"]);
    assert!(answer(&shown)["kinds"]["ruling"]["entries"].as_u64().unwrap() > 0, "{shown:?}");

    // Damaged entries are computed again.
    let mut damaged = 0;
    let mut open = vec![project.cache()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.to_str().unwrap().contains("/ruling/") {
                std::fs::write(&path, "nonsense").unwrap();
                damaged += 1;
            }
        }
    }
    assert!(damaged > 0);
    let third = project.hydrogen(&["check", "v1..v5", "--kind", "overflow"]);
    assert_eq!((told(&third), third.code), (told(&first), first.code));
    assert!(!third.out.contains("earlier runs"), "{third:?}");

    project.hydrogen(&["cache", "clear"]);
    let fourth = project.hydrogen(&["check", "v1..v5", "--kind", "overflow"]);
    assert!(!fourth.out.contains("earlier runs") && told(&fourth) == told(&first), "{fourth:?}");
}
