//! Small programs with one fault each, and the same without it: no verdict is wrong, and most are given.

use crate::project::Project;
use serde_json::Value;

/// The kind, and the programs with the fault and without it.
fn pairs() -> Vec<(String, [String; 2])> {
    let mut blocks = Vec::new();
    let mut rest = include_str!("small_programs.md");
    while let Some((_, after)) = rest.split_once("```c ") {
        let (head, after) = after.split_once('\n').unwrap();
        let (code, after) = after.split_once("```").unwrap();
        blocks.push((head.split(' ').next().unwrap().to_owned(), code.to_owned()));
        rest = after;
    }
    let pair = |two: &[(String, String)]| (two[0].0.clone(), [two[0].1.clone(), two[1].1.clone()]);
    blocks.chunks(2).map(pair).collect()
}

/// What is said of the statement with the remark.
fn verdict(code: &str, kind: &str) -> String {
    let line = code.lines().position(|line| line.contains("/* here */")).unwrap() + 1;
    let project = Project::with_versions(&[&[("a.c", code)]]);
    let place = format!("a.c:{line}@v1");
    let run = project.hydrogen(&["impact", "--bug", &place, "--kind", kind, "v1", "--format", "json"]);
    if run.err.contains("is not possible at") {
        return "absent".to_owned();
    }
    let answer: Value = serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    let said = |finding: &Value| finding["verdicts"][0]["verdict"].as_str().unwrap().to_owned();
    let mut all: Vec<String> = answer["findings"].as_array().unwrap().iter().map(said).collect();
    // Of several operations the worst counts.
    all.sort_by_key(|one| ["present", "unknown", "absent"].iter().position(|word| word == one));
    all.into_iter().next().unwrap_or_else(|| panic!("nothing is said of {place}: {code}"))
}

#[test]
fn faults_of_small_programs_are_told_and_none_is_made_up() {
    let (mut told, mut refuted, mut count) = (0, 0, 0);
    for (kind, [faulty, right]) in pairs() {
        let (of_faulty, of_right) = (verdict(&faulty, &kind), verdict(&right, &kind));
        assert_ne!(of_faulty, "absent", "{kind}: {faulty}");
        assert_ne!(of_right, "present", "{kind}: {right}");
        told += usize::from(of_faulty == "present");
        refuted += usize::from(of_right == "absent");
        count += 1;
    }
    assert_eq!(count, 20);
    assert!(told >= 18 && refuted >= 15, "{told} of {count} faults are told, {refuted} refuted");
}
