//! The data inside the page: the graph's JSON made compact and regular.
//!
//! The JSON form of a graph is for programs of others: it names versions and functions. The page wants indices, because a
//! browser has to read it before it shows anything. All leniency about optional and unknown keys ends here, so the page's
//! scripts can rely on every field.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::functions::{Function, Functions};
use crate::gaps::Gaps;
use crate::version_sets::VersionSets;

/// Distinct strings in the order in which they were first seen.
#[derive(Default)]
struct Texts {
    index: HashMap<String, usize>,
    list: Vec<String>,
}

impl Texts {
    fn intern(&mut self, text: &str) -> usize {
        if let Some(&index) = self.index.get(text) {
            return index;
        }
        self.list.push(text.to_owned());
        self.index.insert(text.to_owned(), self.list.len() - 1);
        self.list.len() - 1
    }
}

/// Equal-length columns by name: an array per field is half the size of an object per element.
struct Columns(Vec<(&'static str, Vec<Value>)>);

impl Columns {
    fn push<const N: usize>(&mut self, row: [(&'static str, Value); N]) {
        if self.0.is_empty() {
            self.0 = row.iter().map(|(name, _)| (*name, Vec::new())).collect();
        }
        for ((_, column), (_, value)) in self.0.iter_mut().zip(row) {
            column.push(value);
        }
    }

    fn into_json(self) -> Value {
        Value::Object(
            self.0.into_iter().map(|(name, column)| (name.to_owned(), Value::Array(column))).collect(),
        )
    }
}

/// Builds the page's data.
pub(crate) fn compact(graph: &Value, title: &str) -> Value {
    let names: Vec<String> = list(graph, "versions").iter().map(text_of).collect();
    let mut sets = VersionSets::new(&names);
    let mut texts = Texts::default();
    let mut omitted = 0usize;

    let gaps = Gaps::new(graph, &sets, names.len());
    let mut functions = Functions::default();
    for function in list(graph, "functions") {
        let unread = sets.places(&function["unread"]).into_iter().collect();
        functions.push(Function {
            name: text_of(&function["name"]),
            file: text_of(&function["file"]),
            id: function["id"].as_u64(),
            places: gaps.fill(sets.places_of(function), &unread).into_iter().collect(),
            derived: sets.places_of(function).is_empty(),
            unread,
        });
    }

    let mut nodes = Columns(Vec::new());
    let mut node_index: HashMap<String, (usize, usize)> = HashMap::new();
    for (index, node) in list(graph, "nodes").iter().enumerate() {
        let places = sets.places_of(node);
        let function = functions
            .by_id(&node["function_id"])
            .unwrap_or_else(|| functions.find_or_add(&node["function"], &places));
        if functions.list[function].derived {
            functions.list[function].places.extend(&places);
        }
        let shown = gaps.fill(places.clone(), &functions.list[function].unread);
        node_index.insert(node["id"].to_string(), (index, function));
        // Absent flags are -1: the page then works them out from the edges.
        let flag = |key: &str| node[key].as_bool().map_or(-1, i32::from);
        nodes.push([
            ("id", node["id"].clone()),
            ("function", json!(function)),
            ("text", json!(texts.intern(&text_of(node.get("label").unwrap_or(&node["text"]))))),
            ("kind", json!(texts.intern(&text_of(&node["kind"])))),
            ("set", json!(sets.intern(&shown))),
            ("lines", lines(&names, &places, &node["lines"])),
            ("branch", json!(flag("v_branch"))),
            ("merge", json!(flag("v_merge"))),
            ("meaning", json!(sets.places(&node["meaning_changed"]))),
        ]);
    }

    let mut edges = Columns(Vec::new());
    for edge in list(graph, "edges") {
        let ends = [&edge["from"], &edge["to"]].map(|end| node_index.get(&end.to_string()));
        let [Some((from, function)), Some((to, _))] = ends else {
            omitted += 1;
            continue;
        };
        let places = gaps.fill(sets.places_of(edge), &functions.list[*function].unread);
        let set = sets.intern(&places);
        edges.push([
            ("from", json!(from)),
            ("to", json!(to)),
            ("kind", json!(texts.intern(&text_of(&edge["kind"])))),
            ("set", json!(set)),
        ]);
    }

    let mut calls = Columns(Vec::new());
    for call in list(graph, "calls") {
        let Some((from, _)) = node_index.get(&call["from"].to_string()) else {
            omitted += 1;
            continue;
        };
        let places = sets.places_of(call);
        let to = functions.by_id(&call["to"]).or_else(|| functions.find(&call["to"], &places));
        let given = if call["name"].is_null() { &call["to"] } else { &call["name"] };
        let name = to.map_or_else(|| called(call, text_of(given)), |to| functions.list[to].name.clone());
        calls.push([
            ("from", json!(from)),
            ("to", to.map_or(json!(-1), |to| json!(to))),
            ("name", json!(texts.intern(&name))),
            ("set", json!(sets.intern(&places))),
        ]);
    }

    let mut function_columns = Columns(Vec::new());
    for function in functions.list {
        let places: Vec<u32> = function.places.into_iter().collect();
        function_columns.push([
            ("name", json!(function.name)),
            ("file", json!(texts.intern(&function.file))),
            ("set", json!(sets.intern(&places))),
        ]);
    }

    json!({
        "title": title,
        "versions": names,
        "commits": commits(graph, &names, &sets),
        "functions": function_columns.into_json(),
        "nodes": nodes.into_json(),
        "edges": edges.into_json(),
        "calls": calls.into_json(),
        "stats": graph.get("stats").cloned().unwrap_or(Value::Null),
        "omitted": omitted,
        "texts": texts.list,
        "sets": sets.into_sets(),
    })
}

fn list<'a>(graph: &'a Value, key: &str) -> &'a [Value] {
    graph.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// A value as people read it: strings as they are, nothing for null.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Where a statement stands, as `version, line, version, line, …`: an entry only where the line differs from the
/// version before it. Line 0 means that the line is not known.
fn lines(names: &[String], places: &[u32], lines: &Value) -> Value {
    if let Some(changes) = lines.as_array() {
        // Already where it changes, as [version, line].
        return json!(
            changes
                .iter()
                .filter_map(|change| Some([change[0].as_u64()?, change[1].as_u64()?]))
                .flatten()
                .collect::<Vec<_>>()
        );
    }
    let mut runs: Vec<u64> = Vec::new();
    for &place in places {
        let line = lines.get(&names[place as usize]).and_then(Value::as_u64).unwrap_or(0);
        if runs.last() != Some(&line) {
            runs.extend([u64::from(place), line]);
        }
    }
    json!(runs)
}

/// The name of whom a call reaches outside the graph.
fn called(call: &Value, name: String) -> String {
    match call["kind"].as_str() {
        Some("unknown") => format!("unknown callee ({name})"),
        _ => name,
    }
}

/// One entry per version, with parents as places; versions without a known commit follow the version before them.
fn commits(graph: &Value, names: &[String], sets: &VersionSets) -> Value {
    let given = list(graph, "commits");
    let by_name: HashMap<&str, &Value> =
        given.iter().filter_map(|commit| Some((commit["name"].as_str()?, commit))).collect();
    let of = |(place, name): (usize, &String)| {
        let commit = by_name.get(name.as_str()).copied().or_else(|| given.get(place)).unwrap_or(&Value::Null);
        let mut entry = Map::new();
        for key in ["commit", "author", "date", "summary"] {
            entry.insert(key.to_owned(), json!(text_of(&commit[key])));
        }
        let parents = match commit["parents"].as_array() {
            Some(parents) => parents.iter().filter_map(|parent| sets.place(parent)).collect(),
            None => u32::try_from(place)
                .ok()
                .and_then(|place| place.checked_sub(1))
                .into_iter()
                .collect::<Vec<_>>(),
        };
        entry.insert("parents".to_owned(), json!(parents));
        let missing: Vec<String> = list(commit, "missing").iter().map(|gap| text_of(&gap["file"])).collect();
        entry.insert("missing".to_owned(), json!(missing));
        Value::Object(entry)
    };
    Value::Array(names.iter().enumerate().map(of).collect())
}
