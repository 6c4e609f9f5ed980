//! Pairs of small programs, and a search between them.

use hydrogen_evidence::Input;
use hydrogen_explore::Symbolic;
use hydrogen_expose::{Ended, Found, Options, Search, Shape};
use hydrogen_machine::{Program, World};
use hydrogen_testkit::{Compile, HEADER};

/// A program without the C library.
pub fn program(source: &str) -> Program {
    let header =
        format!("{HEADER} static int in(const char *n) {{ int v; hydrogen_symbolic(&v, 4, n); return v; }}");
    Program::load(vec![Compile { header: &header, flags: &[] }.model(source)], None)
}

/// An input of numbers, four bytes each.
pub fn input(values: &[(&str, i32)]) -> Input {
    let named = values.iter().map(|(name, value)| ((*name).into(), value.to_le_bytes().to_vec())).collect();
    Input { named, ..Input::default() }
}

/// The number that an input has for a name.
pub fn number(input: &Input, name: &str) -> i32 {
    let bytes = input.named.get(bstr::BStr::new(name)).map(Vec::as_slice).unwrap_or_default();
    i32::from_le_bytes(bytes.try_into().unwrap_or_default())
}

/// Values of the program's memory alone.
pub fn shapes() -> Vec<Shape> {
    vec![Shape { world: World::default(), symbolic: Symbolic::default(), open: false, free: false }]
}

pub fn options() -> Options {
    let mut options = Options { runs: 2000, ..Options::default() };
    options.limits.steps = 200_000;
    options
}

/// What a search from one input gave.
pub enum Result {
    Differs(Box<Found>),
    /// Whether every input was seen.
    Same(bool),
}

/// Searches from one input, and lets `look` see what was asked.
pub fn search(old: &str, new: &str, first: &[(&str, i32)], look: impl FnOnce(&Search<'_, '_>)) -> Result {
    let (old, new) = (program(old), program(new));
    let (shapes, options) = (shapes(), options());
    let mut search = Search::new([&old, &new], shapes, &options);
    let found = match search.start(0, input(first)) {
        Some(found) => Ended::Found(found),
        None => search.search(usize::MAX),
    };
    look(&search);
    match found {
        Ended::Found(found) => Result::Differs(found),
        Ended::Exhausted => Result::Same(search.statistics.is_complete()),
        Ended::Stopped => Result::Same(false),
    }
}

impl Result {
    /// The input on which the versions differ.
    pub fn input(self) -> Input {
        match self {
            Result::Differs(found) => found.input,
            Result::Same(complete) => panic!("no difference (all seen: {complete})"),
        }
    }
}

/// E-9: `OP` is `&&` in one version and `||` in the other; the result is used only if the other aircraft is equipped.
pub const TCAS_3: &str = "int main(void) { int two = in(\"two\"), rac = in(\"rac\"), capability = in(\"capability\"), enabled = in(\"enabled\");\n\
        int intent_not_known, tcas_equipped, alt_sep = 0;\n\
        tcas_equipped = capability == 1;\n\
        intent_not_known = two OP rac == 0;\n\
        if (enabled && ((tcas_equipped && intent_not_known) || !tcas_equipped)) alt_sep = 1;\n\
        hydrogen_output(\"o\", alt_sep); return 0; }";
/// An input on which it is not.
pub const TCAS_3_FIRST: [(&str, i32); 4] = [("two", 1), ("rac", 1), ("capability", 0), ("enabled", 1)];
