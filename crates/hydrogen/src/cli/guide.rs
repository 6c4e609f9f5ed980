//! What help says beyond the options: commands by the question they answer, and examples for each.

use super::Cli;
use clap::CommandFactory;
use std::fmt::Write as _;

/// Commands by the question they answer.
const GROUPS: &[(&str, &[&str])] = &[
    ("What did this change do?", &["review", "delta", "explain", "watch"]),
    ("Does it behave as before?", &["compare", "expose", "why", "select", "env"]),
    ("Which faults are there, and which releases have them?", &["check", "verify", "impact", "patch"]),
    ("What is common and what differs over versions?", &["functions", "diff", "graph", "history", "stats"]),
    ("How tangled is it, and what does it touch?", &["complexity", "interact", "affects", "mine"]),
    ("What does a program do?", &["run", "slice", "depends", "explore"]),
    ("About the tool", &["versions", "ir", "cache", "doctor", "completions", "man"]),
];

/// Examples by command.
const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    (
        "review",
        &[
            ("hydrogen review", "what is not committed yet, or the last commit"),
            ("hydrogen review main..HEAD --format md", "a comment for a pull request"),
            ("hydrogen review v1.0..v1.1 --budget 5m", "with more time"),
        ],
    ),
    (
        "delta",
        &[
            ("hydrogen delta HEAD~1..HEAD", "what each hunk of the last commit does differently, and when"),
            ("hydrogen delta v1..v2 --function parse", "one function"),
            ("hydrogen delta HEAD~1..HEAD --expect none", "a refactoring: exit code 1 if anything differs"),
        ],
    ),
    (
        "env",
        &[
            ("hydrogen env record -o good.rec -- ./server --check", "where it passes"),
            (
                "hydrogen env why --recorded good.rec -- ./server --check",
                "where it fails: what is different?",
            ),
        ],
    ),
    ("explain", &[("hydrogen explain H52d7", "an id of the last review")]),
    ("watch", &[("hydrogen watch", "a review after every edit")]),
    (
        "compare",
        &[
            ("hydrogen compare HEAD~1..HEAD", "every function that the last commit changed"),
            ("hydrogen compare old=a.c new=b.c", "two files"),
            ("hydrogen compare v1..v2 --function parse", "one function"),
        ],
    ),
    (
        "expose",
        &[
            ("hydrogen expose HEAD~1..HEAD -o tests/", "an input that shows the last commit, as a test"),
            ("hydrogen expose v1..v2 -- 3 abc", "starting from these arguments"),
        ],
    ),
    (
        "select",
        &[
            (
                "hydrogen select HEAD~1..HEAD --tests tests/",
                "which tests to run, and what none of them executes",
            ),
            ("hydrogen select v1..v2 --tests tests.txt --reduce", "only as many as execute every change"),
        ],
    ),
    (
        "why",
        &[
            ("hydrogen why HEAD~1..HEAD --test 'make check'", "a test that the last commit broke"),
            ("hydrogen why v1..v2 -- 7 x", "a run that is right in v1 and wrong in v2"),
        ],
    ),
    (
        "check",
        &[
            ("hydrogen check HEAD~1..HEAD", "faults that the last commit brought or removed"),
            ("hydrogen check v1..v2 --rule 'lock => unlock'", "and an ordering rule"),
        ],
    ),
    (
        "verify",
        &[
            ("hydrogen verify v1..v2 --bug parse.c:61", "is the fault of line 61 gone?"),
            ("hydrogen verify v1..v2 --fix v1..v2", "measured by the fix itself"),
        ],
    ),
    ("impact", &[("hydrogen impact --bug parse.c:61@v2.0 'v1.*' 'v2.*'", "which releases have this fault?")]),
    (
        "patch",
        &[("hydrogen patch --from v2.1~1..v2.1 --bug parse.c:61 'v1.*'", "does the fix work for them too?")],
    ),
    ("functions", &[("hydrogen functions v1 v2", "added, deleted, updated, renamed")]),
    ("diff", &[("hydrogen diff v1 v2", "statements, and those whose meaning changed")]),
    (
        "graph",
        &[
            ("hydrogen graph 'v1.*' --format html -o graph.html", "a picture of all releases"),
            ("hydrogen graph HEAD~50..HEAD --syntax", "without building"),
        ],
    ),
    ("history", &[("hydrogen history parse.c:61 'v1.*'", "since when, and by whom")]),
    ("stats", &[("hydrogen stats 'v1.*'", "how much each release changed")]),
    (
        "complexity",
        &[("hydrogen complexity HEAD --history 100", "the hundred newest commits, the most tangled first")],
    ),
    ("interact", &[("hydrogen interact HEAD~3..HEAD", "which changes may meet")]),
    ("affects", &[("hydrogen affects HEAD", "what the last commit can affect")]),
    ("mine", &[("hydrogen mine regressions HEAD~500..HEAD", "commits that repair an earlier one")]),
    (
        "run",
        &[
            ("hydrogen run a.c -- 3 abc", "compile and run, with every access checked"),
            ("hydrogen run a.c --function max3 -- 1 2 3", "call one function"),
        ],
    ),
    (
        "slice",
        &[
            ("hydrogen slice a.c -- 3 abc", "what the output depends on"),
            ("hydrogen slice a.c --at a.c:17 -- 3", "what line 17 depends on"),
        ],
    ),
    (
        "depends",
        &[
            ("hydrogen depends a.c", "what decides whether each statement is executed"),
            ("hydrogen depends a.c --uses a.c:17", "who reads what line 17 sets"),
        ],
    ),
    (
        "explore",
        &[
            ("hydrogen explore a.c --symbolic arg:1:4 -- 1234", "inputs for every path"),
            ("hydrogen explore a.c --function max3", "behaviours of one function"),
        ],
    ),
    ("versions", &[("hydrogen versions 'v1.*'", "how each is built, what is cached")]),
    ("ir", &[("hydrogen ir HEAD --function main", "the model of one function")]),
    ("cache", &[("hydrogen cache", "where it is and how large")]),
    ("doctor", &[("hydrogen doctor", "what is missing on this machine")]),
    ("completions", &[("hydrogen completions bash > /etc/bash_completion.d/hydrogen", "for all users")]),
    ("man", &[("hydrogen man /usr/local/share/man/man1", "manual pages")]),
];

/// The command line with examples, and with commands grouped by the question they answer.
pub fn command() -> clap::Command {
    let mut command = Cli::command();
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    for (name, examples) in EXAMPLES {
        if names.iter().any(|known| known == name) {
            command = command.mut_subcommand(name, |sub| sub.after_help(shown(examples)));
        }
    }
    let grouped = grouped(&command);
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{grouped}\nOptions:\n{{options}}\n"
    ))
}

fn shown(examples: &[(&str, &str)]) -> String {
    let mut out = "Examples:\n".to_owned();
    for (line, about) in examples {
        let _ = writeln!(out, "  {line}\n      {about}");
    }
    out.truncate(out.trim_end().len());
    out
}

/// The commands that exist, by group, with the first line of what they do.
fn grouped(command: &clap::Command) -> String {
    let mut out = String::new();
    let about = |name: &str| {
        let sub = command.get_subcommands().find(|sub| sub.get_name() == name)?;
        Some(sub.get_about().map(ToString::to_string).unwrap_or_default())
    };
    for (question, names) in GROUPS {
        let known: Vec<(&str, String)> =
            names.iter().filter_map(|name| Some((*name, about(name)?))).collect();
        if known.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n{question}");
        for (name, about) in known {
            let _ = writeln!(out, "  {name:<12} {about}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_its_group_and_an_example() {
        for sub in Cli::command().get_subcommands() {
            let name = sub.get_name();
            let grouped = GROUPS.iter().filter(|(_, names)| names.contains(&name)).count();
            assert_eq!(grouped, 1, "{name}: one group");
            assert!(EXAMPLES.iter().any(|(known, _)| *known == name), "{name}: an example");
        }
    }

    #[test]
    fn examples_are_understood() {
        for (_, examples) in EXAMPLES {
            for (line, _) in *examples {
                let words =
                    shlex::split(line.split(" > ").next().unwrap_or(line)).expect("quotes are closed");
                let known = Cli::command();
                if known.get_subcommands().any(|sub| sub.get_name() == words[1]) {
                    assert!(known.try_get_matches_from(&words).is_ok(), "{line}");
                }
            }
        }
    }
}
