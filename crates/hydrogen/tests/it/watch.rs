//! `hydrogen watch`.

use crate::project::Project;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

const FIRST: &str = "int twice(int a) { return a + a; }\n";
/// A line may need the whole of a review on a busy machine; a test that hangs is ended.
const PATIENCE: Duration = Duration::from_secs(240);

#[test]
fn every_edit_is_answered() {
    let project = Project::with_versions(&[&[("a.c", FIRST)]]);
    let mut child =
        project.command().args(["watch", "--budget", "30s"]).stdout(Stdio::piped()).spawn().unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let (send, lines) = mpsc::channel();
    std::thread::spawn(move || out.lines().map_while(Result::ok).all(|line| send.send(line).is_ok()));
    let wait_for = |words: &str| {
        let mut seen = Vec::new();
        while let Ok(line) = lines.recv_timeout(PATIENCE) {
            seen.push(line);
            if seen.last().is_some_and(|line| line.contains(words)) {
                return;
            }
        }
        panic!("`{words}` never came: {seen:#?}");
    };
    wait_for("o function changed");
    project.write("a.c", "int twice(int a) { return a - a; }\n");
    wait_for("twice");
    // Nobody waits for what is told of an edit that is no longer there.
    project.write("a.c", FIRST.to_owned() + "int thrice(int a) { return 3 * a; }\n");
    wait_for("thrice");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
