//! Random programs with one wrong statement.

use hydrogen_testkit::generate::{PRELUDE, Random, Style, program};

/// A kind of mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mistake {
    Branch,
    Constant,
    Operator,
    Deleted,
    Swapped,
}

impl Mistake {
    pub const ALL: [Self; 5] = [Self::Branch, Self::Constant, Self::Operator, Self::Deleted, Self::Swapped];
}

/// A program, the same with a mistake, and the lines that it is on.
pub struct Mutant {
    pub entry: String,
    pub old: String,
    pub new: String,
    pub lines: Vec<u32>,
}

/// A mutant of a random program; none where it has no place for the mistake.
pub fn mutant(number: u64, style: Style, mistake: Mistake) -> Option<Mutant> {
    let old = format!("{PRELUDE}{}", program(number, style));
    let lines: Vec<&str> = old.lines().collect();
    // What prepares the variables, and what gives out, stays.
    let first = lines.iter().position(|line| line.contains("gz.m = 0;"))? + 1;
    let last = lines.iter().position(|line| line.contains(" end:"))?;
    let places: Vec<(usize, Vec<String>)> = (0..last)
        .filter(|at| *at >= first || lines[*at].starts_with("  "))
        .filter_map(|at| {
            let one = changed(&lines, at, mistake)?;
            (at >= first || !lines[at].contains("gz.m")).then_some((at, one))
        })
        .filter(|(at, _)| {
            !lines[*at].contains("in(\"")
                && !lines[*at].contains("fuel = 6")
                && !lines[*at].contains("struct s s")
        })
        .collect();
    let (at, text) =
        places.get(Random::new(number * 7 + mistake as u64).below(places.len().max(1) as u64) as usize)?;
    let mut new: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    new.splice(*at..*at + text.len(), text.iter().cloned());
    let lines = (0..text.len()).map(|more| (*at + more + 1) as u32).collect();
    Some(Mutant { entry: format!("p{number}"), old: old.clone(), new: new.join("\n") + "\n", lines })
}

/// The lines from one on, with a mistake in them.
fn changed(lines: &[&str], at: usize, mistake: Mistake) -> Option<Vec<String>> {
    let line = lines[at];
    let assigns = |line: &str| {
        let line = line.trim();
        line.ends_with(';')
            && line.contains(" = ")
            && !line.starts_with("int ")
            && !line.starts_with("if ")
            && !line.starts_with("struct")
    };
    let decides = line.contains("if (") || line.contains("while (");
    match mistake {
        Mistake::Branch => {
            let other = [(" == ", " != "), (" != ", " == "), (" < ", " <= "), (" > ", " >= ")];
            let from = line.find("if (").or_else(|| line.find("&& ("))?;
            let (at, from, to) = other
                .iter()
                .filter_map(|(from_, to)| Some((from + line[from..].find(from_)?, *from_, *to)))
                .min()?;
            decides.then(|| vec![format!("{}{to}{}", &line[..at], &line[at + from.len()..])])
        }
        Mistake::Constant => {
            let from = line.find(" = ").filter(|_| assigns(line))?;
            let is_number = |at: usize| {
                let before = line[..at].chars().last().is_some_and(|c| c == ' ' || c == '(');
                before && line[at..].starts_with(|c: char| c.is_ascii_digit())
            };
            let at = (from..line.len()).find(|at| is_number(*at))?;
            let digit: u32 = line[at..=at].parse().ok()?;
            Some(vec![format!("{}{}{}", &line[..at], digit + 1, &line[at + 1..])])
        }
        Mistake::Operator => {
            assigns(line).then_some(())?;
            let (from, to) = if line.contains(" + ") { (" + ", " - ") } else { (" - ", " + ") };
            line.contains(from).then(|| vec![line.replacen(from, to, 1)])
        }
        Mistake::Deleted => assigns(line).then(|| vec![String::new()]),
        Mistake::Swapped => {
            let next = lines.get(at + 1).filter(|next| assigns(next) && **next != line)?;
            assigns(line).then(|| vec![(*next).to_owned(), line.to_owned()])
        }
    }
}
