//! The page of a review in a real browser: tabs, small screens, texts of a repository.

use hydrogen_evidence::{Item, Review, Topic, Weight};
use hydrogen_report::review::page;
use serde_json::json;

use crate::devtools::Browser;

fn item(topic: Topic, weight: Weight, text: &str) -> Item {
    Item {
        id: format!("H-{}", text.len()),
        topic,
        weight,
        file: Some("src/a_rather_long_folder_name/another_one/parser_of_things.c".into()),
        line: Some(1234),
        function: Some("parse".into()),
        text: text.to_owned(),
        details: vec!["arguments: '<script>document.title=1</script>' ".repeat(6)],
        command: "hydrogen compare HEAD~1..HEAD --function parse".into(),
        known: false,
    }
}

#[test]
fn every_question_has_a_tab() {
    let Some(mut browser) = Browser::start("every_question_has_a_tab") else { return };
    let items = vec![
        item(Topic::Faults, Weight::Alarm, "writes outside of `table`"),
        item(Topic::Different, Weight::Notice, "returns 2, was 1"),
        item(Topic::Same, Weight::Fact, "behaves as before"),
        item(Topic::Tests, Weight::Fact, "run 3 of 20 tests"),
    ];
    let review = Review { old: "HEAD~1".into(), new: "HEAD".into(), items, gaps: Vec::new() };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("review.html");
    std::fs::write(&file, page(&review)).expect("the page is written");
    browser.resize(400, 800);
    browser.call("Page.navigate", json!({"url": format!("file://{}", file.display())}));
    browser.wait("document.readyState === 'complete' && document.querySelector('nav label')");

    let shown = "[...document.querySelectorAll('section')].filter((s) => getComputedStyle(s).display !== 'none').map((s) => s.querySelector('h2').textContent).join()";
    assert_eq!(browser.eval(shown), "What broke or got fixed");
    browser.eval("document.querySelectorAll('nav label')[2].click()");
    assert_eq!(browser.eval(shown), "What behaves as before (proved)");
    // The keyboard goes from tab to tab.
    browser.eval("document.querySelector('#t3').focus()");
    browser.eval("document.querySelector('#t3').click()");
    assert_eq!(browser.eval(shown), "Which tests to run and to add");
    // Nothing leaves a phone's screen, and what a repository says is not run.
    let wide = "document.documentElement.scrollWidth > window.innerWidth";
    assert_eq!(browser.eval(wide), false);
    assert_eq!(browser.eval("document.title"), "HEAD~1 → HEAD");
    assert!(browser.problems.is_empty(), "{:?}", browser.problems);
    assert_eq!(
        browser.requests.iter().filter(|one| !one.starts_with("file:") && *one != "about:blank").count(),
        0
    );
    let picture = browser.call("Page.captureScreenshot", json!({"format": "png"}));
    browser.save("review-phone.png", &picture["data"]);
}
