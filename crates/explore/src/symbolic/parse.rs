//! `--symbolic WHAT`, as every command reads it.

use super::{Number, Symbolic};
use crate::input::read_number;
use bstr::BString;

/// More symbolic bytes in one place are a slip of the hand.
const MOST: usize = 1 << 16;

/// The forms there are.
const FORMS: &str = "write stdin:N, stdin:0-N, stdin:lines:LxN, arg:I:N, arg:I:int, arg:I:int:LOW..HIGH, arg:I:long, \
     arg:I:string:N, arg:*, file:NAME:N or env:NAME:N; with --function, param:NAME or global:NAME";

impl Symbolic {
    /// What a list of `--symbolic WHAT` says; `args` are the arguments that are given, the program's name first. An error says which
    /// one is wrong and why.
    pub fn parse(list: &[String], args: &[BString]) -> Result<Symbolic, String> {
        let mut symbolic = Symbolic::default();
        for what in list {
            symbolic.add(what, args).map_err(|why| format!("`--symbolic {what}`: {why}"))?;
        }
        Ok(symbolic)
    }

    fn add(&mut self, what: &str, args: &[BString]) -> Result<(), String> {
        let Some((kind, rest)) = what.split_once(':') else { return Err(FORMS.into()) };
        match kind {
            "stdin" => self.add_stdin(rest),
            "arg" if rest == "*" => self.add_all(args),
            "arg" => {
                let (index, form) = rest.split_once(':').ok_or(FORMS)?;
                let index: usize = index.parse().ok().filter(|index| *index < 1000).ok_or(FORMS)?;
                self.add_argument(index, form, args)
            }
            "param" | "global" if !rest.is_empty() && !rest.contains(':') => {
                self.only.insert(rest.to_owned());
                Ok(())
            }
            "file" => {
                let (name, len) = named(rest)?;
                self.files.insert(name.into(), count(len)?);
                Ok(())
            }
            "env" => {
                let (name, len) = named(rest)?;
                if name.contains('=') {
                    return Err("a variable's name has no `=`".into());
                }
                self.environment.insert(name.into(), count(len)?);
                Ok(())
            }
            _ => Err(FORMS.into()),
        }
    }

    fn add_stdin(&mut self, form: &str) -> Result<(), String> {
        (self.shorter, self.line) = (false, None);
        if let Some(form) = form.strip_prefix("lines:") {
            let (lines, line) = form.split_once('x').ok_or(FORMS)?;
            let (lines, line) = (count(lines)?, count(line)?);
            self.stdin = lines.checked_mul(line + 1).filter(|all| *all <= MOST).ok_or_else(too_many)?;
            self.line = Some(line);
            return Ok(());
        }
        let (shorter, text) = match form.strip_prefix("0-") {
            Some(text) => (true, text),
            None => (false, form),
        };
        (self.stdin, self.shorter) = (count(text)?, shorter);
        Ok(())
    }

    fn add_argument(&mut self, index: usize, form: &str, args: &[BString]) -> Result<(), String> {
        self.args.remove(&index);
        self.numbers.remove(&index);
        self.texts.remove(&index);
        if let Some(len) = form.strip_prefix("string:") {
            self.texts.insert(index);
            self.args.insert(index, count(len)?);
            return Ok(());
        }
        let (kind, range) = form.split_once(':').map_or((form, None), |(kind, range)| (kind, Some(range)));
        let bits = match kind {
            "int" => 32,
            "long" => 64,
            _ => {
                self.args.insert(index, count(form)?);
                return Ok(());
            }
        };
        if let Some(given) = args.get(index).filter(|given| read_number(given).is_none()) {
            return Err(format!(
                "the argument is `{given}`, and not a number as C programs write it: digits, no zeros in front of them, and a sign only if it is negative"
            ));
        }
        let number = range.map_or(Ok(Number::any(bits)), |range| within(bits, range))?;
        self.numbers.insert(index, number);
        Ok(())
    }

    /// Every argument that is given: numbers as numbers, all else by its bytes.
    fn add_all(&mut self, args: &[BString]) -> Result<(), String> {
        if args.len() < 2 {
            return Err(
                "no argument is given, and the program has none for `getopt`; write some behind `--`".into(),
            );
        }
        for (index, text) in args.iter().enumerate().skip(1).filter(|(_, text)| !text.is_empty()) {
            let fits = |number: &i64| i32::try_from(*number).is_ok();
            let form = match read_number(text) {
                Some(number) if fits(&number) => "int".to_owned(),
                Some(_) => "long".to_owned(),
                None => text.len().to_string(),
            };
            self.add_argument(index, &form, args)?;
        }
        Ok(())
    }
}

fn too_many() -> String {
    format!("at most {MOST} bytes can be symbolic")
}

fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Err(_) => Err(format!("`{text}` is no number of bytes; {FORMS}")),
        Ok(0) => Err("no byte is symbolic then".into()),
        Ok(count @ 1..=MOST) => Ok(count),
        Ok(_) => Err(too_many()),
    }
}

/// A name, and how many bytes.
fn named(text: &str) -> Result<(&str, &str), String> {
    text.rsplit_once(':').filter(|(name, _)| !name.is_empty()).ok_or_else(|| FORMS.into())
}

/// `LOW..HIGH`, both included.
fn within(bits: u32, range: &str) -> Result<Number, String> {
    let (low, high) = range.split_once("..").ok_or(FORMS)?;
    let (least, most) = Number::limits(bits);
    let bound = |text: &str| {
        let number = text.parse::<i64>().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("`{text}` is no number of {bits} bits"))
    };
    let (low, high) = (bound(low)?, bound(high)?);
    if low > high {
        return Err(format!("no number is from {low} to {high}"));
    }
    Ok(Number { bits, low, high })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(list: &[&str], args: &[&str]) -> Result<Symbolic, String> {
        let list: Vec<String> = list.iter().map(|one| (*one).to_owned()).collect();
        let args: Vec<BString> = args.iter().map(|one| BString::from(*one)).collect();
        Symbolic::parse(&list, &args)
    }

    #[test]
    fn every_form_is_read() {
        let read = read(
            &[
                "stdin:0-16",
                "arg:1:8",
                "arg:2:int",
                "arg:3:int:-3..4",
                "arg:4:long",
                "arg:5:string:7",
                "file:a:b:4",
                "env:HOME:3",
                "param:n",
                "global:mode",
            ],
            &["p", "x", "5", "0"],
        )
        .expect("all are right");
        assert_eq!((read.stdin, read.shorter, read.line), (16, true, None));
        assert_eq!((read.args[&1], read.args[&5]), (8, 7));
        assert_eq!(read.numbers[&2], Number::any(32));
        assert_eq!(read.numbers[&3], Number { bits: 32, low: -3, high: 4 });
        assert_eq!(read.numbers[&4], Number::any(64));
        assert!(read.texts.contains(&5) && !read.texts.contains(&1));
        assert_eq!(read.files[bstr::BStr::new("a:b")], 4);
        assert_eq!(read.environment[bstr::BStr::new("HOME")], 3);
        assert_eq!(read.only, ["mode", "n"].map(str::to_owned).into());
        assert!(read.may_change("*n") && read.may_change("n->m[1]") && read.may_change("((char *)n)[1]"));
        assert!(!read.may_change("nn") && !read.may_change("p->n") && read.may_change("::mode"));
    }

    #[test]
    fn all_arguments_by_what_they_look_like() {
        let read = read(&["arg:*", "arg:2:int:0..9"], &["p", "abc", "5", "-99999999999", "007", ""]);
        let read = read.expect("all are right");
        assert_eq!(read.args, [(1, 3), (4, 3)].into());
        assert_eq!(read.numbers[&2].high, 9);
        assert_eq!(read.numbers[&3].bits, 64);
    }

    #[test]
    fn nonsense_is_refused() {
        let wrong = [
            "stdin",
            "stdin:",
            "stdin:x",
            "stdin:0",
            "stdin:99999999",
            "stdin:lines:3",
            "stdin:lines:9999x9999",
            "arg:8",
            "arg:x:1",
            "arg:1:int:3..2",
            "arg:1:int:0..99999999999",
            "arg:1:int:5",
            "arg:1:string:",
            "arg:2:int",
            "disk:1",
            ":1",
            "file::3",
            "env:a=b:1",
            "param:",
            "global:a:4",
        ];
        for wrong in wrong {
            assert!(read(&[wrong], &["p", "1", "no"]).is_err(), "{wrong}");
        }
        assert!(read(&["arg:*"], &["p"]).is_err());
    }
}
