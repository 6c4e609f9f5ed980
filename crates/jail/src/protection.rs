//! Which protections this kernel offers.

use std::process::Stdio;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::process::find_helper;

/// How namespaces of our own can be had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Namespaces {
    /// As every user can have them.
    User,
    /// As only the system's administrator can have them.
    Root,
    /// Not at all.
    #[default]
    None,
}

/// The protections that this kernel offers to this user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offered {
    /// Namespaces of processes, files, network and everything else that can be shared.
    pub namespaces: Namespaces,
    /// Landlock: which files may be opened.
    pub landlock: bool,
    /// Landlock also keeps signals inside.
    pub signals: bool,
    /// A filter of system calls.
    pub filter: bool,
}

impl Offered {
    /// One sentence for every protection that is missing.
    pub fn missing(&self) -> Vec<&'static str> {
        let mut missing = Vec::new();
        let shared = self.namespaces == Namespaces::None;
        if shared && !self.landlock {
            missing.push("files: foreign programs can read and write whatever you can (neither namespaces nor Landlock)");
        } else if shared {
            missing.push(
                "modes and times of your files can be changed, and names of files seen, by foreign programs (no mount namespace)",
            );
        }
        if shared {
            missing.push(match self.signals {
                true => "foreign programs see which processes you run, and one that hides may outlive its run (no PID namespace)",
                false => "foreign programs can see and end your processes, and one that hides may outlive its run (no PID namespace)",
            });
        }
        if shared && !self.filter {
            missing.push("foreign programs can use the network (neither a network namespace nor a filter of system calls)");
        } else if !self.filter {
            missing.push(
                "foreign programs can call rarely used parts of the kernel (no filter of system calls)",
            );
        }
        missing
    }

    /// How the helper program writes it.
    pub fn words(&self) -> String {
        let namespaces = match self.namespaces {
            Namespaces::User => "user",
            Namespaces::Root => "root",
            Namespaces::None => "none",
        };
        format!("{namespaces} {} {} {}", self.landlock, self.signals, self.filter)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let namespaces = match words.next()? {
            "user" => Namespaces::User,
            "root" => Namespaces::Root,
            _ => Namespaces::None,
        };
        let mut flag = || words.next().map(|word| word == "true");
        Some(Self { namespaces, landlock: flag()?, signals: flag()?, filter: flag()? })
    }
}

/// What the kernel offers. Asked once per run, and what is missing is said then. The variable `HYDROGEN_JAIL_WITHOUT`
/// (`namespaces`, `landlock`, `filter`, separated by commas) takes protections away, for kernels that only pretend to offer them.
pub fn offered() -> Offered {
    static OFFERED: OnceLock<Offered> = OnceLock::new();
    *OFFERED.get_or_init(|| {
        let mut offered = probe().unwrap_or_default();
        let without = std::env::var("HYDROGEN_JAIL_WITHOUT").unwrap_or_default();
        for word in without.split(',') {
            match word {
                "namespaces" => offered.namespaces = Namespaces::None,
                "landlock" => (offered.landlock, offered.signals) = (false, false),
                "filter" => offered.filter = false,
                _ => {}
            }
        }
        for sentence in offered.missing() {
            tracing::warn!("a protection against foreign code is missing: {sentence}");
        }
        offered
    })
}

fn probe() -> Option<Offered> {
    let helper = find_helper().ok()?;
    let output = std::process::Command::new(helper)
        .arg("--probe")
        .env_clear()
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    Offered::parse(&String::from_utf8_lossy(&output.stdout))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_the_way() {
        let offered = Offered { namespaces: Namespaces::Root, landlock: true, signals: false, filter: true };
        assert_eq!(Offered::parse(&offered.words()), Some(offered));
    }

    #[test]
    fn what_is_missing_is_said() {
        let all = Offered { namespaces: Namespaces::User, landlock: true, signals: true, filter: true };
        assert!(all.missing().is_empty());
        assert_eq!(Offered::default().missing().len(), 3);
    }
}
