//! The page with two sources side by side in a real browser: what is marked, how the way of a difference is coloured, small screens, texts of a
//! repository.

use hydrogen_report::{Excerpt, Mark, beside, beside_with};
use serde_json::json;

use crate::devtools::Browser;

#[test]
fn two_sources_stand_side_by_side() {
    let Some(mut browser) = Browser::start("two_sources_stand_side_by_side") else { return };
    let excerpt = |condition: &str, mark: Mark| Excerpt {
        file: "a.c".into(),
        lines: vec![
            (5, "  int n = 0; /* <script>document.title=1</script> */".into(), Mark::Executed),
            (6, format!("  if ({condition})"), mark),
            (
                7,
                "    n = a_call_with_a_long_name(argument, another_argument, yet_another_argument);".into(),
                Mark::None,
            ),
            (8, "  return n;".into(), Mark::Relevant),
        ],
    };
    let pairs = [(excerpt("a < b", Mark::Relevant), excerpt("a <= b", Mark::Suspect))];
    let text = beside("a.c:6: `a <= b` was `a < b`", &["what & why ".repeat(40)], ["v1", "v2"], &pairs);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("why.html");
    std::fs::write(&file, text).expect("the page is written");
    browser.resize(1200, 800);
    browser.call("Page.navigate", json!({"url": format!("file://{}", file.display())}));
    browser.wait("document.readyState === 'complete' && document.querySelector('.two table')");

    let box_of = |side: u32| format!("document.querySelector('#p0-{side}-6').getBoundingClientRect()");
    let beside =
        format!("{}.right <= {}.left && {}.top === {}.top", box_of(0), box_of(1), box_of(0), box_of(1));
    assert_eq!(browser.eval(&beside), true);
    // The deviating branch, the way to the wrong output and what was not executed look different.
    let colour = |row: &str| {
        format!(
            "getComputedStyle(document.querySelector('{row}')).backgroundColor + getComputedStyle(document.querySelector('{row}')).color"
        )
    };
    let seen: Vec<_> = ["#p0-1-6 td", "#p0-1-8 td", "#p0-1-7 td:last-child"]
        .iter()
        .map(|row| browser.eval(&colour(row)))
        .collect();
    assert!(seen[0] != seen[1] && seen[1] != seen[2] && seen[0] != seen[2], "{seen:?}");
    assert!(browser.text("#p0-1-6").contains("if (a <= b)"));
    // Nothing leaves a phone's screen, and what a repository says is not run.
    browser.resize(400, 800);
    assert_eq!(browser.eval("document.documentElement.scrollWidth > window.innerWidth"), false);
    assert_eq!(browser.eval("document.title"), "a.c:6: `a <= b` was `a < b`");
    assert!(browser.problems.is_empty(), "{:?}", browser.problems);
    let outside = |one: &&String| !one.starts_with("file:") && *one != "about:blank";
    assert_eq!(browser.requests.iter().filter(outside).count(), 0);
}

fn excerpt(changed: &str) -> Excerpt {
    let lines = vec![
        (7, "int y = <b>0</b>;".to_owned(), Mark::None),
        (8, changed.to_owned(), Mark::Suspect),
        (9, "printf (\"%d\", y);".repeat(20), Mark::Relevant),
    ];
    Excerpt { file: "a.c".into(), lines }
}

#[test]
fn the_way_of_a_difference_is_coloured() {
    let Some(mut browser) = Browser::start("the_way_of_a_difference_is_coloured") else { return };
    let pairs = [(excerpt("y = 3;"), excerpt("y = 2;"))];
    let page = beside_with(["changed", "on the way"], "v1 → v2", &["<i>x</i>".into()], ["v1", "v2"], &pairs);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("expose.html");
    std::fs::write(&file, page).expect("the page is written");
    browser.resize(1200, 800);
    browser.call("Page.navigate", json!({"url": format!("file://{}", file.display())}));
    browser.wait("document.readyState === 'complete' && document.querySelector('.two table')");
    // The old version is left of the new one, and the same line at the same height.
    let box_of =
        |id: &str, what: &str| format!("document.getElementById('{id}').getBoundingClientRect().{what}");
    assert_eq!(browser.eval(&format!("{} < {}", box_of("p0-0-8", "left"), box_of("p0-1-8", "left"))), true);
    assert_eq!(browser.eval(&format!("{} === {}", box_of("p0-0-8", "top"), box_of("p0-1-8", "top"))), true);
    // A change, the way of the difference, and the rest have three colours.
    let colours = "new Set([7, 8, 9].map((line) => getComputedStyle(document.querySelector(`#p0-1-${line} td`)).backgroundColor)).size";
    assert_eq!(browser.eval(colours), 3);
    assert_eq!(browser.eval("document.querySelectorAll('b, i').length"), 0, "what a source says is text");
    // On a phone one stands below the other, and nothing leaves the screen.
    browser.resize(400, 800);
    assert_eq!(browser.eval(&format!("{} < {}", box_of("p0-0-8", "top"), box_of("p0-1-8", "top"))), true);
    assert_eq!(browser.eval("document.documentElement.scrollWidth > window.innerWidth"), false);
    assert!(browser.problems.is_empty(), "{:?}", browser.problems);
}

/// A run comes to a line more than once, and has gaps where only the other one executes something.
#[test]
fn two_runs_stand_side_by_side() {
    let Some(mut browser) = Browser::start("two_runs_stand_side_by_side") else { return };
    let run = |rows: &[(u32, &str, Mark)]| Excerpt {
        file: "the run".into(),
        lines: rows.iter().map(|(line, text, mark)| (*line, (*text).to_owned(), *mark)).collect(),
    };
    let old = run(&[
        (5, "i < n", Mark::Executed),
        (6, "n += a[i]", Mark::Executed),
        (0, "", Mark::None),
        (5, "i < n", Mark::Relevant),
    ]);
    let new = run(&[
        (5, "i < n", Mark::Executed),
        (6, "n += a[i]", Mark::Executed),
        (7, "i++", Mark::Suspect),
        (5, "i < n", Mark::Relevant),
    ]);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("runs.html");
    std::fs::write(&file, beside("why", &[], ["v1", "v2"], &[(old, new)])).expect("the page is written");
    browser.resize(1200, 800);
    browser.call("Page.navigate", json!({"url": format!("file://{}", file.display())}));
    browser.wait("document.readyState === 'complete' && document.querySelector('.two table')");
    let rows = "[...document.querySelectorAll('.two table')].map((t) => [...t.rows].map((r) => Math.round(r.getBoundingClientRect().top)).join())";
    assert_eq!(browser.eval(&format!("new Set({rows}).size")), 1, "the rows of both runs are at one height");
    let ids = "[...document.querySelectorAll('[id]')].map((e) => e.id)";
    assert_eq!(
        browser.eval(&format!("new Set({ids}).size === {ids}.length")),
        true,
        "no name is given twice"
    );
    assert_eq!(browser.text(".two table tr:nth-child(3) td").trim(), "", "a gap has no line");
    assert!(browser.problems.is_empty(), "{:?}", browser.problems);
}
