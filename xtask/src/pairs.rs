//! Small pairs of versions that were written to deceive, from the folder `pairs`: their code, and what is true of their statements.

use crate::corpora;
use crate::series::git;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The versions of a pair.
pub const VERSIONS: [&str; 2] = ["v1", "v2"];

/// Two versions of a small library or program.
#[derive(Debug, Default)]
pub struct Pair {
    /// The file that it stands in, without its ending.
    pub class: String,
    pub name: String,
    /// The files of each version.
    files: [BTreeMap<String, String>; 2],
    pub truths: Vec<Truth>,
}

/// What is true of a statement.
#[derive(Debug, Clone)]
pub struct Truth {
    pub kind: String,
    /// The whole line that it stands on.
    line: String,
    /// Whether each version has the fault; none where it has not the statement.
    pub has: [Option<bool>; 2],
}

/// All pairs, in the order of their files.
pub fn all() -> Result<Vec<Pair>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("pairs");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let class = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file)?;
        found.extend(read(&class, &text).with_context(|| format!("in {}", file.display()))?);
    }
    Ok(found)
}

fn read(class: &str, text: &str) -> Result<Vec<Pair>> {
    let mut found: Vec<Pair> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("## ") {
            found.push(Pair { class: class.to_owned(), name: name.trim().to_owned(), ..Pair::default() });
        }
        let Some(head) = line.strip_prefix("```") else { continue };
        let body: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
        let Some(pair) = found.last_mut() else { bail!("a block stands before the first pair") };
        match head.split(' ').collect::<Vec<_>>()[..] {
            ["truth"] => {
                for line in body.iter().filter(|line| !line.trim().is_empty()) {
                    pair.truths.push(truth(line).with_context(|| format!("in {}: `{line}`", pair.name))?);
                }
            }
            ["c", "driver"] => {}
            ["c", version, ref rest @ ..] => {
                let at = VERSIONS.iter().position(|one| *one == version).context("a block of no version")?;
                let file = rest.first().copied().unwrap_or("a.c");
                pair.files[at].insert(file.to_owned(), body.join("\n") + "\n");
            }
            _ => bail!("a block that is none of code, truth or driver: `{head}`"),
        }
    }
    Ok(found)
}

fn truth(line: &str) -> Result<Truth> {
    let parts: Vec<&str> = line.split(" | ").collect();
    let [kind, text @ .., one, other] = &parts[..] else { bail!("four parts are wanted") };
    let has = |part: &str, version: &str| match part.trim().strip_prefix(version) {
        Some(": yes") => Ok(Some(true)),
        Some(": no") => Ok(Some(false)),
        Some(": -") => Ok(None),
        _ => bail!("`{part}` is no truth of {version}"),
    };
    Ok(Truth {
        kind: (*kind).to_owned(),
        line: text.join(" | "),
        has: [has(one, VERSIONS[0])?, has(other, VERSIONS[1])?],
    })
}

impl Pair {
    /// Where a statement stands in a version: the file and the line.
    pub fn place(&self, truth: &Truth, at: usize) -> Option<(&str, usize)> {
        self.files[at].iter().find_map(|(file, code)| {
            let line = code.lines().position(|line| line.trim() == truth.line.trim())?;
            Some((file.as_str(), line + 1))
        })
    }

    /// A repository with both versions.
    pub fn repository(&self) -> Result<PathBuf> {
        let root = corpora::target().join("pairs").join(&self.class).join(&self.name);
        if root.exists() {
            std::fs::remove_dir_all(&root)?;
        }
        std::fs::create_dir_all(&root)?;
        git(&root, &["init", "--quiet", "."])?;
        for (at, version) in VERSIONS.iter().enumerate() {
            for file in self.files[1 - at].keys() {
                let _ = std::fs::remove_file(root.join(file));
            }
            for (file, code) in &self.files[at] {
                std::fs::write(root.join(file), code)?;
            }
            git(&root, &["add", "--all"])?;
            git(&root, &["commit", "--quiet", "--allow-empty", "--message", version])?;
            git(&root, &["tag", version])?;
        }
        Ok(root)
    }
}

#[cfg(test)]
mod tests {
    use super::{VERSIONS, all};

    #[test]
    fn every_truth_is_about_a_line_of_its_pair() {
        let pairs = all().expect("the pairs can be read");
        assert!(pairs.len() >= 600, "{}", pairs.len());
        for pair in &pairs {
            assert!(!pair.truths.is_empty(), "{}/{} says nothing", pair.class, pair.name);
            for truth in &pair.truths {
                let there = (0..VERSIONS.len()).any(|at| pair.place(truth, at).is_some());
                assert!(there, "{}/{}: {truth:?}", pair.class, pair.name);
            }
        }
    }
}
