//! Command lines made of others: options of the program put in, words added, left out, changed and moved.
//!
//! What a change does often needs several options at once, each with a fitting argument. No question leads there, because a branch that `getopt` took says
//! nothing of options that are not on the command line.

use crate::mutate::changed;
use crate::options::{Switch, switches};
use crate::types::Shape;
use crate::vary::Dice;
use crate::vocabulary::Vocabulary;
use bstr::BString;
use hydrogen_evidence::Input;
use hydrogen_machine::Program;

/// What command lines of a program are made of.
pub(crate) struct Commands {
    switches: Vec<Switch>,
    /// Command lines that people wrote: what they try a program with is what it takes.
    known: Vec<Vec<BString>>,
}

/// At most so many changes at once.
const CHANGES: usize = 3;
/// No command line has more words.
const MOST: usize = 10;
/// Numbers that are not small: where another digit begins, and where sizes of 16, 32 and 64 bits end.
const LARGE: [usize; 8] =
    [99, 100, 999, 1000, 65_536, 2_147_483_647, 4_294_967_296, 9_223_372_036_854_775_807];
/// A text that most programs can do something with: words, numbers and separators in some lines.
const TEXT: &[u8] = b"ab cd\t12,3:x\nab 7\n\nXyz-1.5\n";

impl Commands {
    pub(crate) fn of(program: &Program) -> Self {
        Self { switches: program.units().next().map(switches).unwrap_or_default(), known: Vec::new() }
    }

    /// Others are made of these words, too.
    pub(crate) fn learn(&mut self, line: Vec<BString>) {
        if !line.is_empty() && !self.known.contains(&line) {
            self.known.push(line);
        }
    }

    /// An input with another command line; everything on it may change.
    pub(crate) fn vary(
        &self,
        dice: &mut Dice,
        words: &Vocabulary,
        shape: &Shape,
        from: &Input,
    ) -> (Shape, Input) {
        let mut line = line_of(shape, from);
        for _ in 0..=dice.below(CHANGES) {
            self.change(dice, words, &mut line);
        }
        line.truncate(MOST);
        // A program that reads its standard input does little with an empty one.
        let mut from = from.clone();
        if from.stdin.is_empty() && shape.world.stdin().is_empty() && dice.below(4) == 0 {
            from.stdin = TEXT[..dice.below(TEXT.len()) + 1].to_vec();
        }
        with_line(shape, &from, line)
    }

    fn change(&self, dice: &mut Dice, words: &Vocabulary, line: &mut Vec<BString>) {
        let at = dice.below(line.len() + 1);
        match dice.below(10) {
            0..=2 => {
                let Some(switch) = dice.pick(&self.switches) else { return };
                let mut switch = switch.clone();
                if let Some(value) = switch.get_mut(1) {
                    *value = self.word(dice, words, line);
                }
                // Most programs want options first.
                let at = if dice.below(2) == 0 { 0 } else { at };
                line.splice(at..at, switch);
            }
            3 | 4 => {
                let word = self.word(dice, words, line);
                line.insert(at, word);
            }
            // The end of a line that somebody wrote.
            5 if !self.known.is_empty() && dice.below(2) == 0 => {
                let Some(other) = dice.pick(&self.known) else { return };
                let from = dice.below(other.len());
                line.splice(at.., other[from..].iter().cloned());
            }
            5 if at < line.len() => drop(line.remove(at)),
            6 if at < line.len() => {
                let other = dice.below(line.len());
                line.swap(at, other);
            }
            _ if !line.is_empty() => {
                let at = at % line.len();
                let lender = match dice.below(2) {
                    0 => self.written(dice),
                    _ => None,
                };
                let lender = lender.or_else(|| dice.pick(line).cloned()).unwrap_or_default();
                line[at] = plain(changed(dice, words, line[at].to_vec(), &lender));
            }
            _ => {}
        }
    }

    /// A word of a line that somebody wrote.
    fn written(&self, dice: &mut Dice) -> Option<BString> {
        let line = dice.pick(&self.known)?;
        dice.pick(line).cloned()
    }

    /// A word that a program may take for an argument.
    fn word(&self, dice: &mut Dice, words: &Vocabulary, line: &[BString]) -> BString {
        let written = if dice.below(3) == 0 { self.written(dice) } else { None };
        written.unwrap_or_else(|| word(dice, words, line))
    }
}

/// A word of which only the program's own code says that it may be one.
fn word(dice: &mut Dice, words: &Vocabulary, line: &[BString]) -> BString {
    match dice.below(6) {
        0 | 1 => BString::from(number(dice)),
        2 => dice.pick(line).cloned().unwrap_or_default(),
        3 | 4 => dice.pick(&words.words).map_or_else(BString::default, |word| plain(word.clone())),
        _ => dice.pick(&words.bytes).map_or_else(BString::default, |byte| plain(vec![*byte])),
    }
}

/// A small number, sometimes in a spelling that programs forget: with a sign, a fraction or an exponent.
fn number(dice: &mut Dice) -> String {
    let number = if dice.below(8) == 0 { LARGE[dice.below(LARGE.len())] } else { dice.below(13) };
    let sign = ["", "", "", "", "", "-", "-", "+"][dice.below(8)];
    match dice.below(16) {
        2 | 3 => format!("{sign}.{number}"),
        4 | 5 => format!("{sign}{number}.{}", dice.below(10)),
        6 | 7 => format!("{sign}{number}e{}", dice.below(5) as i64 - 2),
        8 => format!("{sign}{number}."),
        _ => format!("{sign}{number}"),
    }
}

/// A word ends with its first zero.
fn plain(bytes: Vec<u8>) -> BString {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default().into()
}

/// The words of a command line, without the program's name.
fn line_of(shape: &Shape, input: &Input) -> Vec<BString> {
    let world = shape.world.with_input(input);
    world.args.iter().skip(1).map(|word| plain(word.to_vec())).collect()
}

/// The same input with other words on its command line.
fn with_line(shape: &Shape, input: &Input, line: Vec<BString>) -> (Shape, Input) {
    let mut world = shape.world.with_input(input);
    world.args.truncate(1);
    world.args.extend(line);
    let shape = Shape { free: true, ..Shape::by_look(world) };
    let input = shape.symbolic.first(&shape.world);
    (shape, input)
}

/// The input with fewer words: without one, and without two beside each other, as an option and its argument are.
pub(crate) fn shorter(shape: &Shape, input: &Input) -> Vec<(Shape, Input)> {
    let line = line_of(shape, input);
    let without = |at: usize, count: usize| {
        let rest = line.iter().take(at).chain(line.iter().skip(at + count)).cloned().collect();
        with_line(shape, input, rest)
    };
    let pairs = (0..line.len().saturating_sub(1)).map(|at| without(at, 2));
    pairs.chain((0..line.len()).map(|at| without(at, 1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hydrogen_machine::World;

    #[test]
    fn options_and_words_come_and_go() {
        let switch = |words: &[&str]| words.iter().map(|word| BString::from(*word)).collect::<Switch>();
        let mut commands =
            Commands { switches: vec![switch(&["-w"]), switch(&["--separator", "1"])], known: Vec::new() };
        commands.learn(switch(&["-q", "4-5,7-"]));
        let words =
            Vocabulary { bytes: b",-.".to_vec(), words: vec![b"ab".to_vec()], ..Vocabulary::default() };
        let mut dice = Dice::new();
        let mut one = with_line(&Shape::by_look(World::new(["p"])), &Input::default(), vec!["3".into()]);
        let mut seen = Vec::new();
        for _ in 0..500 {
            one = commands.vary(&mut dice, &words, &one.0, &one.1);
            let line = line_of(&one.0, &one.1);
            assert!(line.len() <= MOST && line.iter().all(|word| !word.contains(&0)));
            seen.push(line);
        }
        let has = |wanted: &[&str]| {
            seen.iter().any(|line| wanted.iter().all(|word| line.iter().any(|one| one == word)))
        };
        assert!(has(&["-w", "--separator"]));
        assert!(has(&["-q"]) && has(&["4-5,7-"]));
        let spelled = |of: fn(&BString) -> bool| seen.iter().flatten().any(of);
        assert!(spelled(|word| word.starts_with(b"+")) && spelled(|word| word.contains(&b'e')));
        let (shape, input) = with_line(&one.0, &one.1, vec!["-w".into(), "1".into(), "2".into()]);
        let shorter: Vec<_> =
            shorter(&shape, &input).iter().map(|(shape, input)| line_of(shape, input)).collect();
        assert_eq!(shorter.len(), 5);
        assert_eq!(shorter[0], ["2"]);
    }
}
