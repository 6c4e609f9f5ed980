//! A browser driven over Chromium's debugging pipe: commands and events are JSON texts, ended by a zero byte.

use std::{
    env,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(40);

/// A browser with one page. What the page logged, threw or asked the network for is kept for the test to judge.
pub struct Browser {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    session: Option<String>,
    next: u64,
    pub problems: Vec<String>,
    pub requests: Vec<String>,
    _profile: tempfile::TempDir,
}

fn chromium() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let paths = env::var_os("PATH")?;
    env::split_paths(&paths).flat_map(|dir| names.map(|name| dir.join(name))).find(|path| path.is_file())
}

impl Browser {
    /// Starts a browser; says loudly that the test skips when there is none.
    pub fn start(test: &str) -> Option<Browser> {
        let program = hydrogen_testkit::need(
            chromium(),
            &format!("{test}: no chromium on PATH; run scripts/setup.sh"),
        )?;
        let profile = tempfile::tempdir().expect("a folder for the profile");
        // The pipe is file descriptors 3 and 4; a shell moves them there, which needs no unsafe code of ours.
        let mut child = Command::new("sh")
            .args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#])
            .arg(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("sh starts");
        let input = child.stdin.take().expect("stdin is piped");
        let output = child.stdout.take().expect("stdout is piped");
        let (sender, messages) = channel();
        thread::spawn(move || {
            for message in BufReader::new(output).split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).expect("the browser speaks JSON");
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser = Browser {
            child,
            input,
            messages,
            session: None,
            next: 0,
            problems: Vec::new(),
            requests: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().map(String::from);
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.resize(1360, 860);
        Some(browser)
    }

    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let mut message = json!({"id": self.next, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.input.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        loop {
            let answer = self.messages.recv_timeout(PATIENCE).expect("the browser answers in time");
            if answer["id"] == self.next {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.note(&answer);
        }
    }

    fn note(&mut self, event: &Value) {
        let params = &event["params"];
        let level = |value: &Value| matches!(value.as_str(), Some("error" | "warning" | "assert"));
        match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => self.problems.push(params["exceptionDetails"].to_string()),
            Some("Runtime.consoleAPICalled") if level(&params["type"]) => {
                self.problems.push(params.to_string())
            }
            Some("Log.entryAdded") if level(&params["entry"]["level"]) => {
                self.problems.push(params.to_string())
            }
            Some("Network.requestWillBeSent") => {
                self.requests.push(params["request"]["url"].as_str().unwrap_or_default().to_owned());
            }
            _ => {}
        }
    }

    pub fn open(&mut self, page: &Path, fragment: &str) {
        // By way of an empty page, because a change of the fragment alone would not load the page anew.
        self.call("Page.navigate", json!({"url": "about:blank"}));
        self.call("Page.navigate", json!({"url": format!("file://{}{fragment}", page.display())}));
        self.wait("document.readyState === 'complete' && document.getElementById('main')?.dataset.started");
    }

    pub fn resize(&mut self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    pub fn prefer(&mut self, feature: &str, value: &str) {
        self.call("Emulation.setEmulatedMedia", json!({"features": [{"name": feature, "value": value}]}));
    }

    pub fn eval(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", params);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// The text of the first element that matches.
    pub fn text(&mut self, selector: &str) -> String {
        let value = self.eval(&format!("document.querySelector({})?.textContent ?? null", json!(selector)));
        value.as_str().unwrap_or_else(|| panic!("nothing matches {selector}")).to_owned()
    }

    /// Polls until an expression is true; how long that took.
    pub fn wait(&mut self, expression: &str) -> Duration {
        let start = Instant::now();
        while self.eval(&format!("Boolean({expression})")) != json!(true) {
            assert!(self.problems.is_empty(), "while waiting for {expression}: {:?}", self.problems);
            assert!(start.elapsed() < PATIENCE, "never true: {expression}");
            thread::sleep(Duration::from_millis(30));
        }
        start.elapsed()
    }

    /// Waits until no layout is under way.
    pub fn settle(&mut self) {
        self.wait("document.getElementById('main').getAttribute('aria-busy') !== 'true'");
        self.eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    }

    pub fn key(&mut self, key: &str) {
        let text = match key {
            "Enter" => "\r",
            other if other.chars().count() == 1 => other,
            _ => "",
        };
        let code = match key {
            "Enter" => 13,
            "Escape" => 27,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            _ => 0,
        };
        let down = json!({"type": "keyDown", "key": key, "text": text, "windowsVirtualKeyCode": code});
        self.call("Input.dispatchKeyEvent", down);
        self.call(
            "Input.dispatchKeyEvent",
            json!({"type": "keyUp", "key": key, "windowsVirtualKeyCode": code}),
        );
        self.settle();
    }

    pub fn write(&mut self, text: &str) {
        self.call("Input.insertText", json!({"text": text}));
    }

    /// A real click in the middle of what an expression finds.
    pub fn click(&mut self, element: &str) {
        let place = self.eval(&format!(
            "(() => {{ const e = {element}; e.scrollIntoView({{block: 'nearest'}}); const r = e.getBoundingClientRect();
               return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let event =
                json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
        self.settle();
    }

    /// Writes what is on the screen to `target/screenshots`, for people to look at.
    pub fn screenshot(&mut self, name: &str) {
        self.settle();
        thread::sleep(Duration::from_millis(250));
        let picture = self.call("Page.captureScreenshot", json!({"format": "png"}));
        self.save(&format!("{name}.png"), &picture["data"]);
    }

    /// Writes what the browser made, which it sends as base64.
    pub fn save(&self, name: &str, data: &Value) {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../screenshots");
        std::fs::create_dir_all(&folder).expect("target is writable");
        let bytes = base64(data.as_str().expect("a picture"));
        std::fs::write(folder.join(name), bytes).expect("target is writable");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn base64(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b'=').map(digit).collect();
    let decode = |chunk: &[u8]| {
        let word =
            chunk.iter().fold(0u32, |word, digit| word << 6 | u32::from(*digit)) << (6 * (4 - chunk.len()));
        word.to_be_bytes()[1..chunk.len()].to_vec()
    };
    digits.chunks(4).flat_map(decode).collect()
}
