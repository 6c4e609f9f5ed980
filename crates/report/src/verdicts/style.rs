//! Colours, where the reader wants them.

use hydrogen_evidence::Verdict;

/// How text looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Looks {
    /// Whether the reader is a terminal that shows colours.
    pub colour: bool,
}

impl Looks {
    pub(super) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(super) fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    pub(super) fn bad(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    /// A text in the colour of a verdict.
    pub(super) fn verdict(self, verdict: Verdict, text: &str) -> String {
        let code = match verdict {
            Verdict::Present => "31",
            Verdict::Absent | Verdict::Fixed => "32",
            Verdict::NotApplicable => "2",
            Verdict::Unknown => "33",
        };
        self.paint(code, text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
