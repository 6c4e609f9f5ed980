//! An input as short as it can be shown: whatever of the arguments and of standard input the fault does not need is left out, which runs
//! decide.

use crate::runner::{Runner, Units};
use crate::verdict::Seen;
use hydrogen_evidence::Input;
use hydrogen_machine::Program;
use hydrogen_query::Attempt;

/// Runs that one input is worth.
const MOST_RUNS: usize = 32;
/// Steps of each of them: what takes longer stays as it is.
const STEPS: u64 = 300_000;

impl<U: Units> Runner<U> {
    /// A shorter input of the whole program that shows the same fault; that of a call stays as it is.
    pub(crate) fn smaller(&self, program: &Program, attempt: &Attempt, input: Input) -> Input {
        if input.call.is_some() {
            return input;
        }
        let mut best = Smaller { input, left: MOST_RUNS };
        let fails = &|input: &Input| self.run_within(program, attempt, input.clone(), STEPS).1 == Seen::It;
        // The program ends its texts at the first zero.
        let mut ended = best.input.clone();
        for text in ended.args.values_mut() {
            let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
            text.truncate(end);
        }
        // What it is called is what it is called.
        ended.args.remove(&0);
        if !best.take(ended, fails) {
            return best.input;
        }
        best.without_last_arguments(fails);
        let places: Vec<usize> = best.input.args.keys().copied().collect();
        for place in places {
            best.shorter(fails, |input| input.args.get_mut(&place));
        }
        best.shorter(fails, |input| Some(&mut input.stdin));
        best.input
    }
}

/// The shortest input so far, and how often more may be tried.
struct Smaller {
    input: Input,
    left: usize,
}

impl Smaller {
    /// Takes an input if it shows the fault, too.
    fn take(&mut self, input: Input, fails: &dyn Fn(&Input) -> bool) -> bool {
        if input == self.input {
            return true;
        }
        let taken = self.left > 0 && fails(&input);
        self.left = self.left.saturating_sub(1);
        if taken {
            self.input = input;
        }
        taken
    }

    /// Leaves out arguments from the end, as many at a time as it can.
    fn without_last_arguments(&mut self, fails: &dyn Fn(&Input) -> bool) {
        let mut many = self.input.args.len();
        while many > 0 {
            let mut fewer = self.input.clone();
            for _ in 0..many {
                fewer.args.pop_last();
            }
            if fewer.args.len() == self.input.args.len() || !self.take(fewer, fails) {
                many /= 2;
            }
        }
    }

    /// Leaves out the end of a text, as much at a time as it can.
    fn shorter(&mut self, fails: &dyn Fn(&Input) -> bool, text: impl Fn(&mut Input) -> Option<&mut Vec<u8>>) {
        let length = |input: &Input| text(&mut input.clone()).map_or(0, |text| text.len());
        let mut much = length(&self.input);
        while much > 0 && self.left > 0 {
            let mut cut = self.input.clone();
            let Some(bytes) = text(&mut cut).filter(|bytes| bytes.len() >= much) else {
                much /= 2;
                continue;
            };
            bytes.truncate(bytes.len() - much);
            if !self.take(cut, fails) {
                much /= 2;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn input(texts: &[&str]) -> Input {
        let args: BTreeMap<usize, Vec<u8>> =
            texts.iter().enumerate().map(|(at, text)| (at + 1, text.as_bytes().to_vec())).collect();
        Input { args, ..Input::default() }
    }

    #[test]
    fn what_is_not_needed_is_left_out() {
        let needs = |input: &Input| input.args.get(&2).is_some_and(|text| text.len() >= 5);
        let mut best = Smaller { input: input(&["aaaa", "aaaaaaaaaaa", "a", "a", "a"]), left: 64 };
        best.without_last_arguments(&needs);
        assert_eq!(best.input.args.len(), 2);
        best.shorter(&needs, |input| input.args.get_mut(&2));
        best.shorter(&needs, |input| input.args.get_mut(&1));
        assert_eq!(best.input, input(&["", "aaaaa"]));
    }

    #[test]
    fn nothing_is_tried_for_ever() {
        let mut best = Smaller { input: input(&["aaaaaaaa"]), left: 2 };
        best.shorter(&|_| false, |input| input.args.get_mut(&1));
        assert_eq!((best.left, best.input), (0, input(&["aaaaaaaa"])));
    }
}
