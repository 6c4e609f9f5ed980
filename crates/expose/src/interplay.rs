//! What a part of a change does in one run (B8), and whether two parts interact there (B9).
//!
//! An effect is what differs between the run with the part and the run without it: what statements compute, whether they are executed, and what
//! comes out. Two parts interact if the effect of one is another without the other one, so four configurations are run: with
//! both, without either, and without both. (The published definition compares the effects of different parts, by which all parts would interact.)
//! Only statements that all configurations have are compared: those that a part changes differ in any case.

use hydrogen_align::lcs;
use hydrogen_evidence::interplay::{Differing, OutputEffect};
use hydrogen_pair::{Alignment, Ending, Node, Nodes, Outcome, Ran, Statement};
use std::collections::BTreeMap;

/// What one execution of a statement computed with the part and without it; nothing where it was not executed.
type Executed = [Option<u64>; 2];

/// What a part of a change does in a run.
#[derive(Debug, Clone, Default)]
pub struct PartEffect {
    executions: BTreeMap<Node, Vec<Executed>>,
    /// The statements, in the order in which they differ first.
    order: Vec<Node>,
    /// The branches that go another way.
    turned: Vec<Node>,
    /// What came out with the part and without it.
    pub output: Vec<OutputEffect>,
}

impl PartEffect {
    /// The effect that a run with a part has over the run without it. Nothing is known where a run was cut.
    pub fn of(nodes: &Nodes<'_>, with: &Ran, without: &Ran) -> Result<Self, String> {
        for ran in [with, without] {
            if let Some(why) = ran.outcome.cut() {
                return Err(why.to_owned());
            }
            if ran.instances.cut.is_some() {
                return Err("the run is too long to be kept".into());
            }
        }
        let (one, two) = (&with.instances.all, &without.instances.all);
        let alignment = Alignment::of(&with.instances, &without.instances);
        let own = |node: Node| matches!(nodes.statement(node), Statement::Graph(_)) && nodes.is_shared(node);
        let mut effect = Self { output: output(&with.outcome, &without.outcome), ..Self::default() };
        for (at, partner) in alignment.second_of.iter().enumerate() {
            let instance = &one[at];
            let other = partner.map(|partner| two[partner as usize].values);
            if own(instance.node) && other != Some(instance.values) {
                effect.put(instance.node, [Some(instance.values), other]);
                let next = partner.map(|partner| [one.get(at + 1), two.get(partner as usize + 1)]);
                if let Some([Some(a), Some(b)]) = next
                    && a.node != b.node
                    && !effect.turned.contains(&instance.node)
                {
                    effect.turned.push(instance.node);
                }
            }
        }
        for (at, partner) in alignment.first_of.iter().enumerate() {
            if own(two[at].node) && partner.is_none() {
                effect.put(two[at].node, [None, Some(two[at].values)]);
            }
        }
        Ok(effect)
    }

    fn put(&mut self, node: Node, executed: Executed) {
        let all = self.executions.entry(node).or_default();
        if all.is_empty() {
            self.order.push(node);
        }
        all.push(executed);
    }

    /// Whether the runs are the same.
    pub fn is_nothing(&self) -> bool {
        self.executions.is_empty() && self.output.is_empty()
    }

    /// How many statements differ.
    pub fn statements(&self) -> usize {
        self.order.len()
    }

    /// The statement that differs first: a branch that goes another way, if there is one.
    pub fn first(&self, nodes: &Nodes<'_>) -> Option<Differing> {
        let node = self.turned.first().or(self.order.first())?;
        Some(self.tell(nodes, *node))
    }

    /// The first statement of which another effect says something else.
    pub fn first_unlike(&self, other: &Self, nodes: &Nodes<'_>) -> Option<Differing> {
        let all = self.order.iter().chain(&other.order);
        let unlike = |node: &&Node| self.executions.get(node) != other.executions.get(node);
        let node = all
            .clone()
            .filter(unlike)
            .find(|node| self.turned.contains(node))
            .or(all.clone().find(unlike))?;
        Some(self.tell(nodes, *node))
    }

    /// Whether both effects are the same.
    pub fn same(&self, other: &Self) -> bool {
        self.executions == other.executions && self.output == other.output
    }

    fn tell(&self, nodes: &Nodes<'_>, node: Node) -> Differing {
        let place = nodes.line(0, node).map_or_else(Default::default, |(file, line)| (file.to_owned(), line));
        let text = match nodes.statement(node) {
            Statement::Graph(id) => nodes.graph().label(*id),
            Statement::Elsewhere(_, name, _) => name.to_string(),
        };
        Differing { place, text, turned: self.turned.contains(&node) }
    }
}

/// What two runs wrote and how they ended, where that differs.
fn output(with: &Outcome, without: &Outcome) -> Vec<OutputEffect> {
    let mut found = Vec::new();
    let mut put = |of: &str, one: &[u8], two: &[u8]| {
        for (with, without) in unlike(one, two) {
            found.push(OutputEffect { of: of.to_owned(), with, without });
        }
    };
    put("stdout", &with.stdout, &without.stdout);
    put("stderr", &with.stderr, &without.stderr);
    let names = with.files.keys().chain(without.files.keys().filter(|name| !with.files.contains_key(*name)));
    for name in names {
        let content = |of: &Outcome| of.files.get(name).cloned().unwrap_or_default();
        put(&format!("file {name}"), &content(with), &content(without));
    }
    let named = |of: &Outcome| -> String {
        of.named.iter().map(|(name, value)| format!("{name} = {value}\n")).collect()
    };
    put("named outputs", named(with).as_bytes(), named(without).as_bytes());
    put("memory", with.memory.join("\n").as_bytes(), without.memory.join("\n").as_bytes());
    put("end", ending(&with.ending).as_bytes(), ending(&without.ending).as_bytes());
    found
}

fn ending(ending: &Ending) -> String {
    match ending {
        Ending::Exit(status) => format!("exit {status}"),
        Ending::Signal(signal) => format!("signal {signal}"),
        Ending::Fault(kind, _) => format!("fault: {kind}"),
        Ending::Assumption => "an assumption does not hold".into(),
        Ending::Cut(why) => why.clone(),
    }
}

/// What two texts do not share: runs of lines, without what these have in common at both ends. Where in the text it is does not count, or
/// a part that writes a line more would interact with all others.
fn unlike(one: &[u8], two: &[u8]) -> Vec<(String, String)> {
    let lines = |text| <[u8]>::split_inclusive(text, |&byte| byte == b'\n').collect::<Vec<&[u8]>>();
    let (one, two) = (lines(one), lines(two));
    let mut ends = lcs(&one, &two);
    ends.push((one.len(), two.len()));
    let (mut i, mut j) = (0, 0);
    let mut found = Vec::new();
    for (x, y) in ends {
        let (a, b) = (one[i..x].concat(), two[j..y].concat());
        if a != b {
            let front = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
            let (a, b) = (&a[front..], &b[front..]);
            let back = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
            let text = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len() - back]).into_owned();
            found.push((text(a), text(b)));
        }
        (i, j) = (x + 1, y + 1);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::unlike;

    #[test]
    fn what_differs_is_told_without_what_is_around_it() {
        let of = |one: &str, two: &str| unlike(one.as_bytes(), two.as_bytes());
        let pair = |one: &str, two: &str| (one.to_owned(), two.to_owned());
        assert_eq!(of("a\nb\n", "a\nb\n"), []);
        assert_eq!(of("x=1 y=2\n", "x=3 y=2\n"), [pair("1", "3")]);
        assert_eq!(of("a\nb\nc\n", "a\nc\n"), [pair("b\n", "")]);
        assert_eq!(of("a1\nm\nb1\n", "a2\nm\nb2\n"), [pair("1", "2"), pair("1", "2")]);
    }
}
