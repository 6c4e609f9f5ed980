//! What a change did, on one screen: the answers of several questions put together.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The questions of a review, in the order a reader wants their answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Topic {
    /// What does each hunk do differently, and when?
    Does,
    /// What broke, and what got fixed?
    Faults,
    /// What behaves differently?
    Different,
    /// What behaves as before, and is proved to?
    Same,
    /// What is not known?
    Open,
    /// What would differ for callers that pass memory of a kind that nobody is known to pass?
    Callers,
    /// Which tests are to be run, and which are missing?
    Tests,
    /// What changed?
    Changed,
    /// Which releases need it?
    Releases,
    /// What does it touch?
    Touches,
    /// How hard is it to review?
    Effort,
}

impl Topic {
    /// As a heading.
    pub fn title(self) -> &'static str {
        match self {
            Topic::Does => "What the change does differently, hunk by hunk",
            Topic::Faults => "What broke or got fixed",
            Topic::Different => "What behaves differently",
            Topic::Same => "What behaves as before (proved)",
            Topic::Open => "What could not be decided",
            Topic::Callers => "Only for callers that pass such memory",
            Topic::Tests => "Which tests to run and to add",
            Topic::Changed => "What changed",
            Topic::Releases => "Which releases have the fixed fault",
            Topic::Touches => "What it can affect",
            Topic::Effort => "How hard it is to review",
        }
    }
}

/// How much an item matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// Something is wrong in the new version.
    Alarm,
    /// The reader should look at it.
    Notice,
    /// Good to know.
    Fact,
}

/// One thing that a review tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// A name that stays when lines move.
    pub id: String,
    /// Which question it answers.
    pub topic: Topic,
    /// How much it matters.
    pub weight: Weight,
    /// Where, if it is somewhere.
    pub file: Option<String>,
    /// The line there, in the new version.
    pub line: Option<u32>,
    /// The function.
    pub function: Option<String>,
    /// In one line.
    pub text: String,
    /// More lines: the input, both outcomes, the ledger.
    pub details: Vec<String>,
    /// The command that tells all about it.
    pub command: String,
    /// Whether the reader's baseline has it already.
    pub known: bool,
}

/// A part of a review that is not whole, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// The command that was asked.
    pub part: String,
    /// What came instead of an answer.
    pub why: String,
}

/// The answer of `review`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// The version before.
    pub old: String,
    /// The version after.
    pub new: String,
    /// All that is told, the most important first.
    pub items: Vec<Item>,
    /// What is missing.
    pub gaps: Vec<Gap>,
}

impl Review {
    /// Puts items into their order: what is wrong first, then by question; those of one question stay as they came.
    pub fn sort(&mut self) {
        self.items.sort_by_key(|item| (item.topic, item.weight));
    }

    /// A difference that begins in a changed function answers what was open about it; a function's difference is told once.
    pub fn settle(&mut self) {
        let heads: Vec<(String, u32, String)> = self
            .of(Topic::Changed)
            .filter_map(|item| Some((item.file.clone()?, item.line?, item.function.clone()?)))
            .collect();
        // What differs begins at a changed statement, so that the nearest head of a changed function above it is its function's.
        let around = |item: &Item| -> Option<String> {
            let (file, line) = (item.file.as_ref()?, item.line?);
            let above = heads.iter().filter(|(other, head, _)| other == file && *head <= line);
            above.max_by_key(|(_, head, _)| *head).map(|(_, _, name)| name.clone())
        };
        let differs: BTreeSet<(Option<String>, Option<String>)> = self
            .of(Topic::Different)
            .map(|item| (item.file.clone(), item.function.clone().or_else(|| around(item))))
            .filter(|(_, function)| function.is_some())
            .collect();
        let mut told: BTreeSet<(Option<String>, Option<String>)> = BTreeSet::new();
        self.items.retain(|item| {
            let is_told = |told: &BTreeSet<(Option<String>, Option<String>)>| {
                told.iter().any(|(file, function)| {
                    *function == item.function && (*file == item.file || item.file.is_none())
                })
            };
            if !matches!(item.topic, Topic::Different | Topic::Callers) || item.function.is_none() {
                return true;
            }
            let is_first = !is_told(&told);
            told.insert((item.file.clone(), item.function.clone()));
            is_first
        });
        self.items.retain(|item| {
            item.topic != Topic::Open || !differs.contains(&(item.file.clone(), item.function.clone()))
        });
    }

    /// The items of one question.
    pub fn of(&self, topic: Topic) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(move |item| item.topic == topic)
    }

    /// The questions that have something to tell, in order.
    pub fn topics(&self) -> Vec<Topic> {
        let mut topics: Vec<Topic> = self.items.iter().map(|item| item.topic).collect();
        topics.sort();
        topics.dedup();
        topics
    }

    /// The sentence that a hurried reader wants. Facts are not counted, and neither is what the baseline has.
    pub fn headline(&self) -> String {
        let new = |topic: Topic, weight: Weight| {
            self.of(topic).filter(|item| item.weight == weight && !item.known).count()
        };
        let mut parts = Vec::new();
        let mut say = |count: usize, one: &str, many: &str| match count {
            0 => {}
            1 => parts.push(format!("1 {one}")),
            count => parts.push(format!("{count} {many}")),
        };
        say(
            self.of(Topic::Does).filter(|item| item.weight == Weight::Notice).count(),
            "hunk does something else",
            "hunks do something else",
        );
        say(new(Topic::Faults, Weight::Alarm), "new fault", "new faults");
        say(new(Topic::Faults, Weight::Notice), "fault fixed", "faults fixed");
        say(
            self.of(Topic::Different).filter(|item| !item.known).count(),
            "difference in behaviour",
            "differences in behaviour",
        );
        say(
            self.of(Topic::Same).count(),
            "function proved to behave as before",
            "functions proved to behave as before",
        );
        say(self.of(Topic::Open).count(), "question open", "questions open");
        match parts.is_empty() {
            // Nothing that was found says nothing where a part has no answer.
            true if !self.gaps.is_empty() => {
                format!("it is not known what changed: {} without an answer", parts_of(self.gaps.len()))
            }
            true if self.of(Topic::Does).any(|item| item.function.is_none()) => {
                "what changed does the same, if what it calls does".to_owned()
            }
            true if self.of(Topic::Changed).next().is_none() => "no function changed".to_owned(),
            true => "nothing is known about the change's behaviour".to_owned(),
            false => parts.join(", "),
        }
    }

    /// Whether something new is wrong: a fault that the baseline has not.
    pub fn fails(&self) -> bool {
        self.items.iter().any(|item| !item.known && item.weight == Weight::Alarm)
    }

    /// Whether something is wrong or behaves differently that the baseline has not.
    pub fn differs(&self) -> bool {
        let differs = |item: &Item| {
            item.topic == Topic::Different || item.topic == Topic::Does && item.weight == Weight::Notice
        };
        self.fails() || self.items.iter().any(|item| !item.known && differs(item))
    }

    /// Whether something is missing.
    pub fn is_partial(&self) -> bool {
        !self.gaps.is_empty() || self.of(Topic::Open).next().is_some()
    }
}

fn parts_of(count: usize) -> String {
    if count == 1 { "1 part is".to_owned() } else { format!("{count} parts are") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(topic: Topic, weight: Weight, known: bool) -> Item {
        Item {
            id: String::new(),
            topic,
            weight,
            file: None,
            line: None,
            function: None,
            text: String::new(),
            details: Vec::new(),
            command: String::new(),
            known,
        }
    }

    fn review(items: Vec<Item>) -> Review {
        Review { old: "a".into(), new: "b".into(), items, gaps: Vec::new() }
    }

    #[test]
    fn the_headline_counts_what_matters() {
        assert_eq!(review(Vec::new()).headline(), "no function changed");
        let gap = Gap { part: "functions".into(), why: "nothing compiles".into() };
        let partial = Review { gaps: vec![gap], ..review(Vec::new()) };
        assert_eq!(partial.headline(), "it is not known what changed: 1 part is without an answer");
        assert!(partial.is_partial());
        let changed = item(Topic::Changed, Weight::Fact, false);
        assert_eq!(review(vec![changed.clone()]).headline(), "nothing is known about the change's behaviour");
        let mut all = review(vec![
            changed,
            item(Topic::Same, Weight::Fact, false),
            item(Topic::Faults, Weight::Notice, false),
            item(Topic::Faults, Weight::Alarm, false),
        ]);
        all.sort();
        assert_eq!(all.items[0].weight, Weight::Alarm, "what is wrong comes first");
        assert_eq!(all.headline(), "1 new fault, 1 fault fixed, 1 function proved to behave as before");
        assert!(all.fails() && all.differs());
    }

    #[test]
    fn a_difference_answers_what_was_open_about_its_function() {
        let at = |topic: Topic, line: u32, function: Option<&str>| Item {
            file: Some("a.c".into()),
            line: Some(line),
            function: function.map(str::to_owned),
            ..item(topic, Weight::Fact, false)
        };
        let mut all = review(vec![
            at(Topic::Changed, 3, Some("f")),
            at(Topic::Changed, 20, Some("g")),
            at(Topic::Open, 3, Some("f")),
            at(Topic::Open, 20, Some("g")),
            at(Topic::Different, 7, None),
            at(Topic::Different, 3, Some("f")),
            at(Topic::Different, 5, Some("f")),
        ]);
        all.settle();
        assert_eq!(all.of(Topic::Different).count(), 2, "one of the program, one of the function");
        let open: Vec<_> = all.of(Topic::Open).map(|item| item.function.as_deref()).collect();
        assert_eq!(open, [Some("g")]);
    }

    #[test]
    fn what_the_baseline_has_is_no_news() {
        assert!(!review(vec![item(Topic::Faults, Weight::Alarm, true)]).differs());
    }
}
