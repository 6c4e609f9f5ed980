//! Asking the analysis about a statement.

use super::place::Where;
use super::question::Question;
use anyhow::{Result, bail};
use hydrogen_evidence::{Answer, Basis, Class, Command, Counters, Entry, Evidence, Finding, Ruling, Verdict};
use hydrogen_graph::{Graph, NodeId, VersionId, VersionSet};

/// A question about one piece of a statement.
pub struct Asked<'a> {
    pub node: NodeId,
    /// The version that the user found the statement in.
    pub at: VersionId,
    pub kind: Option<Class>,
    pub versions: &'a VersionSet,
    /// The change that says what the fault is.
    pub fix: Option<(VersionId, VersionId)>,
}

/// Whoever answers: one finding per kind of fault that can happen there.
pub type Judge<'a> = dyn FnMut(&Asked<'_>) -> Vec<Finding> + 'a;

/// What a command knows of the fault.
pub struct Bug<'a> {
    pub place: &'a Where,
    pub at: VersionId,
    pub kind: Option<Class>,
    pub fix: Option<(VersionId, VersionId)>,
}

/// What is said about the statement in the versions, in their order.
pub fn findings(
    graph: &Graph,
    bug: &Bug<'_>,
    versions: &[VersionId],
    judge: &mut Judge<'_>,
) -> Result<Vec<Finding>> {
    let nodes = bug.place.nodes(graph, bug.at)?;
    let set: VersionSet = versions.iter().copied().collect();
    let mut all = |kind| -> Vec<Finding> {
        let mut ask =
            |node: &NodeId| judge(&Asked { node: *node, at: bug.at, kind, versions: &set, fix: bug.fix });
        nodes.iter().flat_map(&mut ask).collect()
    };
    let mut found = all(bug.kind);
    if let (true, Some(kind)) = (found.is_empty(), bug.kind) {
        let mut kinds: Vec<&str> = all(None).iter().map(|finding| finding.kind.word()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let other = if kinds.is_empty() { "nothing else either".to_owned() } else { kinds.join(", ") };
        let Where { file, line, .. } = bug.place;
        bail!("`{}` is not possible at {file}:{line}; what is: {other}", kind.word());
    }
    let order = |ruling: &Ruling| versions.iter().position(|version| version.0 == ruling.id);
    for finding in &mut found {
        finding.verdicts.sort_by_key(|ruling| (order(ruling), ruling.basis));
    }
    Ok(found)
}

/// An answer over all versions that the user named; those of which nothing could be read are unknown.
pub fn answer(command: Command, question: &Question, findings: Vec<Finding>, counters: Counters) -> Answer {
    let versions: Vec<String> = question.versions.iter().map(|version| version.name.clone()).collect();
    let notes = question.notes.clone();
    let mut answer = Answer { findings, counters, notes, ..Answer::new(command, versions) };
    let unread = |name: &str, place: usize| Ruling {
        id: VersionId::at(question.graph.versions().len() + place).0,
        version: name.to_owned(),
        verdict: Verdict::Unknown,
        basis: Basis::Fault,
        evidence: Evidence::default(),
        ledger: vec![Entry::VersionUnread],
    };
    for finding in &mut answer.findings {
        let mut rulings = Vec::new();
        for (place, name) in answer.versions.iter().enumerate() {
            let own: Vec<Ruling> =
                finding.verdicts.iter().filter(|one| one.version == *name).cloned().collect();
            if own.is_empty() && question.graph.version(name).is_none() {
                rulings.push(unread(name, place));
            }
            rulings.extend(own);
        }
        finding.verdicts = rulings;
    }
    answer
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use hydrogen_evidence::Spot;
    use hydrogen_graph::{VersionInfo, VersionInput};
    use hydrogen_history::version::{Source, Version};

    /// Two versions of a small program.
    pub fn graph() -> Graph {
        let source =
            |guard: &str| format!("void f(char *b) {{\n  char *a = get(b);\n{guard}\n  strcpy(a, b);\n}}\n");
        let sources = [source(""), source("  if (a == NULL)\n    return;\n")];
        let modules: Vec<_> = sources
            .iter()
            .map(|text| {
                let options = hydrogen_syntax::Options::default();
                vec![hydrogen_syntax::read("src/main.c", text.as_bytes(), &options).module]
            })
            .collect();
        let inputs = modules.iter().enumerate().map(|(at, modules)| {
            let parents = at.checked_sub(1).map(VersionId::at).into_iter().collect();
            let info = VersionInfo { name: format!("v{}", at + 1), parents, ..VersionInfo::default() };
            VersionInput::from_modules(info, modules)
        });
        Graph::build(inputs).unwrap()
    }

    /// A question about the graph and about a version that is not in it.
    pub fn question() -> Question {
        let version = |name: &str| Version { name: name.into(), source: Source::Directory(name.into()) };
        Question { graph: graph(), versions: ["v1", "v2", "v3"].map(version).to_vec(), notes: vec![] }
    }

    /// Says what it is told to say, of overflows and nothing else.
    pub fn judge(verdicts: [Verdict; 2]) -> impl FnMut(&Asked<'_>) -> Vec<Finding> {
        move |asked: &Asked<'_>| {
            if asked.kind.is_some_and(|kind| kind != Class::Overflow) {
                return Vec::new();
            }
            let ruling = |version: VersionId| Ruling {
                id: version.0,
                version: format!("v{}", version.0 + 1),
                verdict: verdicts[version.index()],
                basis: Basis::Fault,
                evidence: Evidence::default(),
                ledger: Vec::new(),
            };
            let location = Spot {
                function: "f".into(),
                file: "src/main.c".into(),
                line: 4,
                text: "strcpy(a, b)".into(),
                notes: vec![],
            };
            vec![Finding {
                kind: Class::Overflow,
                message: "too long".into(),
                location,
                at_version: "v1".into(),
                node: asked.node.0,
                status: None,
                verdicts: asked.versions.iter().map(ruling).collect(),
            }]
        }
    }

    #[test]
    fn kinds_that_do_not_apply_are_told() {
        let question = question();
        let place = Where::parse("src/main.c:4@v1").unwrap();
        let bug = Bug { place: &place, at: VersionId(0), kind: Some(Class::Null), fix: None };
        let mut judge = judge([Verdict::Present; 2]);
        let error = findings(&question.graph, &bug, &[VersionId(0)], &mut judge).unwrap_err();
        assert_eq!(error.to_string(), "`null` is not possible at src/main.c:4; what is: overflow");
    }

    #[test]
    fn versions_that_could_not_be_read_are_unknown() {
        let question = question();
        let place = Where::parse("src/main.c:4@v1").unwrap();
        let bug = Bug { place: &place, at: VersionId(0), kind: None, fix: None };
        let mut judge = judge([Verdict::Present, Verdict::Absent]);
        let found = findings(&question.graph, &bug, &[VersionId(1), VersionId(0)], &mut judge).unwrap();
        let order: Vec<&str> = found[0].verdicts.iter().map(|ruling| ruling.version.as_str()).collect();
        assert_eq!(order, ["v2", "v1"], "in the order of the question");
        let answer = answer(Command::Impact, &question, found, Counters::default());
        let settled = answer.findings[0].settled();
        assert_eq!(settled, [("v1", Verdict::Present), ("v2", Verdict::Fixed), ("v3", Verdict::Unknown)]);
    }
}
