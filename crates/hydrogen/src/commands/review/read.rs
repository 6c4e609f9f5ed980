//! From the answers of the other commands to the items of a review.

use super::ask::Part;
use hydrogen_evidence::{Input, Item, Review, Topic, Weight};
use serde_json::Value;

/// So many names are listed in one line.
const NAMES: usize = 6;

/// Adds what an answer says to a review.
pub fn items(part: &Part, answer: &Value, review: &mut Review) {
    let found = match part.command.as_str() {
        "functions" => functions(part, answer),
        "compare" => compare(part, answer),
        "check" => check(part, answer),
        "expose" => expose(part, answer),
        "affects" => affects(part, answer),
        "complexity" => complexity(part, answer),
        "impact" => impact(part, answer),
        "select" => select(part, answer),
        _ => Vec::new(),
    };
    review.items.extend(found);
}

fn functions(part: &Part, answer: &Value) -> Vec<Item> {
    let changed = list(&answer["functions"]).iter().filter(|one| word(one, "status") != "unchanged");
    let item = |one: &Value| {
        let reason = one["reason"].as_str().map_or(String::new(), |reason| format!(" ({reason})"));
        let text = format!("{} {}(){reason}", word(one, "status"), word(one, "name"));
        let mut item = new(part, Topic::Changed, Weight::Fact, text);
        locate(&mut item, word(one, "file"), one["line"].as_u64(), word(one, "name"));
        item
    };
    changed.map(item).collect()
}

fn compare(part: &Part, answer: &Value) -> Vec<Item> {
    let item = |one: &Value| -> Item {
        let name = plain(word(one, "name"));
        let mut item = match word(one, "verdict") {
            "equal" => new(part, Topic::Same, Weight::Fact, format!("{name}()")),
            "differs" => difference(part, one),
            _ => {
                let mut why: Vec<&str> = Vec::new();
                for reason in list(&one["why"]).iter().filter_map(Value::as_str) {
                    if !why.contains(&reason) {
                        why.push(reason);
                    }
                }
                new(part, Topic::Open, Weight::Fact, format!("{name}(): {}", why.join("; ")))
            }
        };
        let (file, line) = word(one, "place").rsplit_once(':').unwrap_or((word(one, "place"), ""));
        locate(&mut item, file, line.parse().ok(), name);
        item.command = format!("{} --function {name}", part.shown());
        item
    };
    list(&answer["functions"]).iter().map(item).collect()
}

/// A function's name without the file that tells it from others of this name: every item has its place.
fn plain(name: &str) -> &str {
    name.split_once(" (").map_or(name, |(name, _)| name)
}

/// A function that behaves differently. Where only the new version faults, something broke.
fn difference(part: &Part, function: &Value) -> Item {
    let shown = &function["differences"][0];
    let (old, new_outcome) = (said(&shown["old"]), said(&shown["new"]));
    let faults = |outcome: &str| outcome.starts_with("faults");
    // What is wrong with memory that was made up for the call may be the call itself: `check` tells what callers can bring about. A text is
    // what callers pass.
    let objects = list(&shown["call"]["objects"]);
    let is_plain =
        objects.iter().all(|one| word(one, "of") == "char") && !said(&shown["input"]).contains("NULL");
    let is_made_up = !is_plain && (of_memory(&old) || of_memory(&new_outcome));
    let broke = faults(&new_outcome) && !faults(&old);
    let (topic, weight) = match (is_made_up, broke) {
        (true, _) => (Topic::Callers, Weight::Fact),
        (false, true) => (Topic::Different, Weight::Alarm),
        (false, false) => (Topic::Different, Weight::Notice),
    };
    let only = if faults(&old) { ", where the old version faults" } else { "" };
    let text = format!("{}() for {}{only}", plain(word(function, "name")), said(&shown["input"]));
    let mut item = new(part, topic, weight, text);
    item.details = vec![format!("{}: {old}", part.old()), format!("{}: {new_outcome}", part.new_version())];
    item
}

/// Whether an outcome is a fault that memory or pointers of the caller's can make: whether any caller passes such is another question.
fn of_memory(outcome: &str) -> bool {
    let kinds =
        ["out of bounds", "null dereference", "uninitialised", "use after", "free", "read-only", "bad call"];
    outcome.split_once("fault").is_some_and(|(_, kind)| kinds.iter().any(|one| kind.contains(one)))
}

fn check(part: &Part, answer: &Value) -> Vec<Item> {
    let mut items = Vec::new();
    for finding in list(&answer["findings"]) {
        let (weight, verb) = match word(finding, "status") {
            "new" => (Weight::Alarm, "new"),
            "fixed" => (Weight::Notice, "fixed"),
            _ => continue,
        };
        let text = format!("{verb}: {}: {}", word(finding, "kind"), word(finding, "message"));
        let mut item = new(part, Topic::Faults, weight, text);
        let place = &finding["location"];
        locate(&mut item, word(place, "file"), place["line"].as_u64(), word(finding, "function"));
        item.id = format!("H{}", &word(finding, "fingerprint").get(..8).unwrap_or_default());
        item.details = evidence(part, finding);
        items.push(item);
    }
    let undecided = answer["undecided"].as_u64().unwrap_or(0);
    for note in list(&answer["notes"]).iter().filter_map(Value::as_str) {
        // What a build leaves out is no question about what the change does; that it was left out is told.
        let topic = if note.contains(NOT_COMPILED) { Topic::Changed } else { Topic::Open };
        let details = if note.contains(": not read: ") { vec![NOT_READ.to_owned()] } else { Vec::new() };
        items.push(Item { details, ..new(part, topic, Weight::Fact, part.renamed(note)) });
    }
    if undecided > 0 {
        let places = if undecided == 1 { "1 place".to_owned() } else { format!("{undecided} places") };
        let text = format!(
            "{places} where something may fail could not be decided; `{}` lists what was",
            part.shown()
        );
        items
            .push(Item { details: vec![UNDECIDED.to_owned()], ..new(part, Topic::Open, Weight::Fact, text) });
    }
    items
}

/// How `check` tells that a changed file is not part of the build.
const NOT_COMPILED: &str = "but not compiled by this build";

/// What marks files of a version that could not be read: where none of them changed, the change is known without them.
pub const NOT_READ: &str = "these files did not compile, or nobody came to them";

/// What marks places that could not be decided, and are told by their number alone.
pub const UNDECIDED: &str = "told by their number alone: most were there before the change";

/// Inputs on which the whole program does something else. That none was found is no news: `compare` says what is proved.
fn expose(part: &Part, answer: &Value) -> Vec<Item> {
    let item = |finding: &Value| {
        let end = |side: &str| word(&finding[side], "end").to_owned();
        let broke = end("new").contains("fault") && !end("old").contains("fault");
        let weight = if broke { Weight::Alarm } else { Weight::Notice };
        let arguments: Vec<&str> = list(&finding["arguments"]).iter().filter_map(Value::as_str).collect();
        let mut text = match arguments.as_slice() {
            _ if finding["call"].is_string() => word(finding, "call").to_owned(),
            [] => "the program, run without arguments".to_owned(),
            words => format!("the program, run with `{}`", words.join(" ")),
        };
        match word(finding, "stdin") {
            "" => {}
            input => text.push_str(&format!(" and input \"{input}\"")),
        }
        let function = word(finding, "call").split('(').next().unwrap_or_default().to_owned();
        let call = word(finding, "call");
        let is_made_up = (call.contains('{') || call.contains("NULL"))
            && (of_memory(&end("old")) || of_memory(&end("new")));
        let (topic, weight) = match is_made_up {
            true => (Topic::Callers, Weight::Fact),
            false => (Topic::Different, weight),
        };
        let mut item = new(part, topic, weight, text);
        item.function = Some(function.clone()).filter(|name| !name.is_empty());
        let outcome = |name: &str, side: &str| {
            let left: Vec<&str> = list(&finding[side]["memory"]).iter().filter_map(Value::as_str).collect();
            match finding["call"].is_string() {
                true if left.is_empty() => format!("{name}: {}", end(side)),
                true => format!("{name}: {}, {}", end(side), left.join(", ")),
                false => whole(name, finding, side),
            }
        };
        item.details = vec![outcome(part.old(), "old"), outcome(part.new_version(), "new")];
        if let Some(born) = list(&finding["way"]).first() {
            let at = if born["new"].is_null() { &born["old"] } else { &born["new"] };
            locate(&mut item, word(at, "file"), at["line"].as_u64(), &function);
            item.details.push(format!("begins at: {}", word(born, "text")));
        }
        item
    };
    list(&answer["findings"]).iter().map(item).collect()
}

/// What a program did in one version: how it ended, and of what it wrote that which differs.
fn whole(name: &str, finding: &Value, side: &str) -> String {
    let mut parts = vec![word(&finding[side], "end").to_owned()];
    let differs = |key: &str| finding["old"][key] != finding["new"][key];
    for (key, shown) in [("stdout", "writes"), ("stderr", "writes to standard error")] {
        if differs(key) {
            parts.push(format!("{shown} \"{}\"", word(&finding[side], key)));
        }
    }
    if let Some(files) = finding[side]["files"].as_object() {
        let other = if side == "old" { "new" } else { "old" };
        for (file, content) in
            files.iter().filter(|(file, content)| finding[other]["files"][*file] != **content)
        {
            parts.push(format!("file {file} holds \"{}\"", content.as_str().unwrap_or_default()));
        }
    }
    format!("{name}: {}", parts.join(", "))
}

/// The statement, and for the version that has the fault: when, and what a run did.
fn evidence(part: &Part, finding: &Value) -> Vec<String> {
    let mut lines = vec![word(&finding["location"], "text").to_owned()];
    let has = |one: &&Value| word(one, "verdict") == "present";
    if let Some(ruling) = list(&finding["verdicts"]).iter().find(has) {
        let evidence = &ruling["evidence"];
        let version = part.renamed(word(ruling, "version"));
        let confirmed = word(&evidence["replay"], "result") == "confirmed";
        // What was run says more than what was solved for.
        if let (true, Ok(input)) = (confirmed, serde_json::from_value::<Input>(evidence["input"].clone())) {
            lines.push(format!("in {version}, for example with {input} (confirmed by a run)"));
            return lines;
        }
        let model: Vec<String> = list(&evidence["model"])
            .iter()
            .map(|one| format!("{} = {}", word(one, "name"), said(&one["value"])))
            .collect();
        if !model.is_empty() {
            lines.push(format!("in {version}, for example with {}", model.join(", ")));
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

fn affects(part: &Part, answer: &Value) -> Vec<Item> {
    let functions = list(&answer["functions"]);
    if functions.is_empty() {
        return Vec::new();
    }
    let names: Vec<&str> = functions.iter().map(|one| word(one, "name")).collect();
    let outputs = list(&answer["outputs"]);
    let text = format!(
        "likeliest {}; at most {} and {} of output",
        listed(&names),
        counted(names.len(), "function"),
        counted(outputs.len(), "place"),
    );
    let mut item = new(part, Topic::Touches, Weight::Fact, text);
    let line = |one: &Value| format!("output {}:{} {}", word(one, "file"), one["line"], word(one, "text"));
    item.details = outputs.iter().take(NAMES).map(line).collect();
    vec![item]
}

fn complexity(part: &Part, answer: &Value) -> Vec<Item> {
    let mut commits: Vec<&Value> =
        list(&answer["commits"]).iter().filter(|one| one["cycc"].is_u64()).collect();
    commits.sort_by_key(|one| std::cmp::Reverse(one["cycc"].as_u64()));
    let text = |one: &Value| {
        let count = |key: &str, name: &str| {
            counted(one[key].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(0), name)
        };
        format!(
            "{} {}: {} in {}, {}; complexity {}",
            word(one, "commit").get(..10).unwrap_or_default(),
            word(one, "summary"),
            count("functions", "function"),
            count("files", "file"),
            count("hunks", "hunk"),
            one["cycc"],
        )
    };
    commits.iter().take(NAMES).map(|one| new(part, Topic::Effort, Weight::Fact, text(one))).collect()
}

fn impact(part: &Part, answer: &Value) -> Vec<Item> {
    let item = |finding: &Value| {
        let of = |verdict: &str| -> Vec<&str> {
            let has = |one: &&Value| word(one, "verdict") == verdict;
            let mut names: Vec<&str> =
                list(&finding["verdicts"]).iter().filter(has).map(|one| word(one, "version")).collect();
            names.dedup();
            names
        };
        let mut parts = Vec::new();
        for verdict in ["present", "fixed", "absent", "not-applicable", "unknown"] {
            let names = of(verdict);
            if !names.is_empty() {
                parts.push(format!("{verdict} in {}", names.join(", ")));
            }
        }
        let place = &finding["location"];
        let text = part.renamed(&parts.join("; "));
        let mut item = new(part, Topic::Releases, Weight::Notice, text);
        locate(&mut item, word(place, "file"), place["line"].as_u64(), word(finding, "function"));
        item
    };
    // A function is told once for the same releases, by the first of its statements and its kinds.
    let mut items: Vec<Item> = Vec::new();
    for one in list(&answer["findings"]).iter().map(item) {
        let is_told = |other: &Item| {
            (&other.file, &other.function, &other.text) == (&one.file, &one.function, &one.text)
        };
        if !items.iter().any(is_told) {
            items.push(one);
        }
    }
    items
}

/// Which tests to run: those that execute a change; and what none of them executes.
fn select(part: &Part, answer: &Value) -> Vec<Item> {
    let tests = list(&answer["tests"]);
    let named = |wanted: &dyn Fn(&Value) -> bool| -> Vec<&str> {
        tests.iter().filter(|test| wanted(test)).map(|test| word(test, "name")).collect()
    };
    let mut items = Vec::new();
    let affected = named(&|test| test["affected"] == true);
    if !tests.is_empty() {
        let text = match affected.is_empty() {
            true => format!("none of {} tests executes what changed", tests.len()),
            false => format!("run {} of {} tests: {}", affected.len(), tests.len(), listed(&affected)),
        };
        let mut item = new(part, Topic::Tests, Weight::Fact, text);
        item.details = affected.iter().map(|name| (*name).to_owned()).collect();
        items.push(item);
    }
    let differ = named(&|test| !list(&test["differs"]).is_empty());
    if !differ.is_empty() {
        let text = format!(
            "{}, which did something else before: {}",
            counted(differ.len(), "test"),
            listed(&differ)
        );
        items.push(new(part, Topic::Different, Weight::Notice, text));
    }
    let missing = list(&answer["unexecuted"]);
    if !missing.is_empty() {
        let text = format!("add a test: none executes {}", counted(missing.len(), "changed statement"));
        let mut item = new(part, Topic::Tests, Weight::Notice, text);
        let line = |one: &Value| {
            let at = if one["new"].is_null() { &one["old"] } else { &one["new"] };
            format!("{}:{} {}", word(at, "file"), at["line"], word(one, "text"))
        };
        item.details = missing.iter().take(NAMES).map(line).collect();
        items.push(item);
    }
    items
}

/// Inputs that show what changed are tests that a suite should have.
pub fn tests_to_add(part: &Part, review: &Review) -> Option<Item> {
    let shown =
        review.of(Topic::Different).filter(|item| item.command.starts_with("hydrogen expose")).count();
    let text = format!("add {}: `{}` writes what is shown above", counted(shown, "test"), part.shown());
    (shown > 0).then(|| new(part, Topic::Tests, Weight::Fact, text))
}

fn counted(count: usize, one: &str) -> String {
    hydrogen_report::plural(count, one)
}

fn new(part: &Part, topic: Topic, weight: Weight, text: String) -> Item {
    let id = name(&[topic.title(), &text]);
    Item {
        id,
        topic,
        weight,
        file: None,
        line: None,
        function: None,
        text,
        details: Vec::new(),
        command: part.shown(),
        known: false,
    }
}

/// Says where an item is. Its id is then of the place, not of numbers in its words; lines may move.
fn locate(item: &mut Item, file: &str, line: Option<u64>, function: &str) {
    item.id = name(&[item.topic.title(), file, function]);
    item.file = Some(file.to_owned()).filter(|file| !file.is_empty());
    item.line = line.and_then(|line| u32::try_from(line).ok()).filter(|line| *line > 0);
    item.function = Some(function.to_owned()).filter(|name| !name.is_empty());
}

/// The name of an item that stays when lines move.
pub fn name(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    format!("H{}", &hasher.finalize().to_hex()[..8])
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// A text as it is, anything else as JSON has it.
fn said(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(object) if object.contains_key("text") => said(&object["text"]),
        other => other.to_string(),
    }
}

fn listed(names: &[&str]) -> String {
    let mut shown = names.iter().take(NAMES).copied().collect::<Vec<_>>().join(", ");
    if names.len() > NAMES {
        shown.push_str(", …");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(command: &str, answer: Value) -> Vec<Item> {
        let part = Part::new(command, &["a..b"], ("a", "b"), ("v1", "v2"));
        let mut review = Review { old: "v1".into(), new: "v2".into(), items: Vec::new(), gaps: Vec::new() };
        items(&part, &answer, &mut review);
        review.items
    }

    #[test]
    fn a_difference_that_faults_in_the_new_version_alone_is_an_alarm() {
        let function = |old: &str, new: &str| {
            json!({ "functions": [{ "name": "f", "place": "a.c:3", "verdict": "differs",
                "differences": [{ "input": "f(0)", "old": old, "new": new }] }] })
        };
        let items = read("compare", function("returns 1", "faults (division by zero)"));
        assert_eq!((items[0].weight, items[0].line), (Weight::Alarm, Some(3)));
        assert_eq!(items[0].details, ["v1: returns 1", "v2: faults (division by zero)"]);
        assert_eq!(read("compare", function("faults (null)", "returns 1"))[0].weight, Weight::Notice);
    }

    #[test]
    fn tests_to_run_and_to_add_are_told() {
        let items = read(
            "select",
            json!({
                "tests": [
                    { "name": "one", "affected": true, "differs": ["stdout"] },
                    { "name": "two", "affected": false, "differs": [] },
                ],
                "unexecuted": [{ "old": null, "new": { "file": "a.c", "line": 7 }, "text": "n++" }],
            }),
        );
        let texts: Vec<&str> = items.iter().map(|item| item.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "run 1 of 2 tests: one",
                "1 test, which did something else before: one",
                "add a test: none executes 1 changed statement"
            ]
        );
        assert_eq!(items[2].details, ["a.c:7 n++"]);
    }

    #[test]
    fn a_difference_of_a_static_function_is_told_once() {
        let mut items = read(
            "compare",
            json!({ "functions": [{ "name": "f (a.c)", "place": "a.c:3", "verdict": "differs",
                "differences": [{ "input": "f(1)", "old": "returns 1", "new": "returns 2" }] }] }),
        );
        let other = json!({ "findings": [{ "call": "f(1)", "old": { "end": "exit 0" }, "new": { "end": "exit 1" },
            "way": [{ "new": { "file": "a.c", "line": 4 }, "old": null, "text": "return 2" }] }] });
        items.extend(read("expose", other));
        let mut review = Review { old: "v1".into(), new: "v2".into(), items, gaps: Vec::new() };
        review.settle();
        let texts: Vec<&str> = review.items.iter().map(|item| item.text.as_str()).collect();
        assert_eq!(texts, ["f() for f(1)"]);
    }

    #[test]
    fn ids_stay_when_lines_move() {
        let at = |line: u32| json!({ "functions": [{ "name": "f", "file": "a.c", "line": line, "status": "updated" }] });
        assert_eq!(read("functions", at(3))[0].id, read("functions", at(30))[0].id);
    }

    #[test]
    fn what_is_missing_in_an_answer_is_no_panic() {
        for command in
            ["functions", "compare", "check", "expose", "affects", "complexity", "impact", "select"]
        {
            read(command, json!({}));
            read(
                command,
                json!({ "functions": [{}], "findings": [{ "status": "new" }], "commits": [{ "cycc": 1 }] }),
            );
        }
    }
}
