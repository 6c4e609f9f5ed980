//! A project under test: a git repository in a temporary folder, and the tool run in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A repository with its own cache.
pub struct Project {
    folder: tempfile::TempDir,
}

/// What a run of the tool gave.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Project {
    pub fn new() -> Self {
        let project = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(project.root()).unwrap();
        project.git(&["init", "-q", "-b", "main"]);
        project
    }

    /// A project with one commit per list of files; the commits are tagged v1, v2, …
    pub fn with_versions(versions: &[&[(&str, &str)]]) -> Self {
        let project = Self::new();
        for (number, files) in versions.iter().enumerate() {
            project.commit(files);
            project.git(&["tag", &format!("v{}", number + 1)]);
        }
        project
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Writes the files, removes nothing, commits.
    pub fn commit(&self, files: &[(&str, &str)]) {
        for (path, content) in files {
            self.write(path, content);
        }
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "a change"]);
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(self.root())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "Test")))
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "test@example.org")))
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_DATE"), "2024-01-01T00:00:00Z")))
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub fn hydrogen(&self, arguments: &[&str]) -> Run {
        run(self.command().args(arguments))
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(tool());
        command.current_dir(self.root()).env("HYDROGEN_CACHE", self.cache()).env("NO_COLOR", "1");
        command
    }

    /// `name status` of every function between two versions, as JSON gives them.
    pub fn statuses(&self, old: &str, new: &str, options: &[&str]) -> Vec<String> {
        let arguments = [&["functions", old, new, "--format", "json"], options].concat();
        let run = self.hydrogen(&arguments);
        assert_eq!(run.code, Some(0), "{run:?}");
        let answer: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let functions = answer["functions"].as_array().unwrap();
        functions.iter().map(|one| format!("{} {}", text(&one["name"]), text(&one["status"]))).collect()
    }
}

pub fn run(command: &mut Command) -> Run {
    let Output { status, stdout, stderr } = command.output().unwrap();
    Run {
        code: status.code(),
        out: String::from_utf8_lossy(&stdout).into_owned(),
        err: String::from_utf8_lossy(&stderr).into_owned(),
    }
}

/// The tool, which needs its child programs beside it.
pub fn tool() -> &'static Path {
    let tool = Path::new(env!("CARGO_BIN_EXE_hydrogen"));
    for child in ["hydrogen-lower", "hydrogen-cc", "hydrogen-jail"] {
        let path = tool.with_file_name(child);
        assert!(path.exists(), "{} is missing: run `cargo build --workspace --bins` first", path.display());
    }
    tool
}
