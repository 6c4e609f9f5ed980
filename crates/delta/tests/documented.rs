//! The examples of `docs/delta.md`. `UPDATE_EXPECT=1` writes down what is said now.
#![allow(clippy::unwrap_used)]

use hydrogen_delta::{Known, contents, deltas};
use hydrogen_evidence::delta::Certainty;
use hydrogen_ir::Module;
use hydrogen_sym::Subject;
use hydrogen_testkit::{Compile, Fixture};
use std::{fmt::Write, path::Path};

/// What is said of all functions of two versions of a file, those that changed.
fn said(old: &Module, new: &Module) -> String {
    let known = Known::of(old, new);
    let mut out = String::new();
    for (id, function) in new.definitions().filter(|(_, one)| one.body.is_some()) {
        let Some((was, _)) = old.definitions().find(|(_, one)| one.name == function.name) else { continue };
        let subject = |module, function| Subject { module, function };
        let told = deltas(subject(old, was), subject(new, id), &known);
        for delta in told.deltas() {
            let mark = if delta.certainty == Certainty::Exact { "" } else { "not exact: " };
            let _ = writeln!(out, "{}(): {mark}{}", function.name, delta.sentence());
        }
        for words in told.declared.iter().chain(&told.ledger) {
            let _ = writeln!(out, "{}(): {words}", function.name);
        }
    }
    for words in contents(old, new) {
        let _ = writeln!(out, "{}", words.words);
    }
    if out.is_empty() { "no delta\n".to_owned() } else { out }
}

#[test]
fn every_example_is_told_as_written() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/delta.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut written = String::new();
    let mut wrong = Vec::new();
    for (at, chunk) in text.split("\n### ").enumerate() {
        if at == 0 {
            written.push_str(chunk);
            continue;
        }
        let fixture = Fixture::parse(&format!("# {chunk}"));
        let [old, new] = fixture.versions.as_slice() else { panic!("two versions: {}", fixture.title) };
        let model =
            |files: &std::collections::BTreeMap<String, String>| Compile::default().model(&files["main.c"]);
        let now = said(&model(old), &model(new));
        let expected = &fixture.blocks_of("delta").next().unwrap().text;
        if *expected != now {
            wrong.push(format!("{}\n  written: {expected}  told:    {now}", fixture.title));
        }
        let begin = chunk.find("```delta\n").unwrap() + "```delta\n".len();
        let end = begin + chunk[begin..].find("```").unwrap();
        written += &format!("\n### {}{now}{}", &chunk[..begin], &chunk[end..]);
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, written).unwrap();
    } else {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
