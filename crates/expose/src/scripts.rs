//! Command lines in scripts that test a program: shell lines that call it, and the texts in tables of other languages. People try their programs with
//! what matters, so inputs that are made of these lines come further than those that are made of nothing.

use crate::shell::{Segment, segments, words};
use bstr::BString;

/// A command line, and what it reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// The words behind the program's name.
    pub args: Vec<BString>,
    /// Standard input.
    pub stdin: Vec<u8>,
}

/// So many texts of a line are looked at.
const TEXTS: usize = 6;
/// Longer lines are data.
const LONGEST: usize = 1000;

/// The command lines of a program that a script mentions. Only a script of tests has tables of them; in others, such as manuals, the program is called by name.
pub fn lines(script: &str, program: &str, is_test: bool) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    let joined = script.replace("\\\n", " ");
    for line in joined.lines().map(str::trim).filter(|line| line.len() <= LONGEST) {
        let mut all = called(line, program);
        if all.is_empty() && is_test {
            all = tabled(line, program);
        }
        for one in all {
            if !found.contains(&one) {
                found.push(one);
            }
        }
    }
    found
}

/// The calls of the program in a line of a shell, each with the text that is piped into it.
fn called(line: &str, program: &str) -> Vec<Line> {
    let segments = segments(line);
    let mut found = Vec::new();
    for (at, segment) in segments.iter().enumerate() {
        let Some(place) = segment.words.iter().position(|word| is_named(&word.text, program)) else {
            continue;
        };
        // In the middle of a sentence the name is a word like any other.
        let before = &segment.words[..place];
        if !before.iter().all(|word| is_prompt(&word.text)) {
            continue;
        }
        let args = &segment.words[place + 1..];
        if args.iter().any(|word| word.open) {
            continue;
        }
        let fed = at.checked_sub(1).and_then(|at| segments.get(at)).filter(|_| segment.piped);
        found.push(Line {
            args: args.iter().map(|word| BString::from(word.text.as_str())).collect(),
            stdin: fed.and_then(printed).unwrap_or_default(),
        });
    }
    found
}

/// Whether a word is the program's name, with or without a folder or as a variable.
fn is_named(word: &str, program: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let variable = name.trim_start_matches(['$', '{', '(']).trim_end_matches(['}', ')']);
    name == program || variable.len() < name.len() && variable.eq_ignore_ascii_case(program)
}

/// What may stand before a command: the prompt of an example, assignments, and words that run another command.
fn is_prompt(word: &str) -> bool {
    let runs =
        ["$", "%", "#", ">", "!", "if", "then", "else", "do", "while", "time", "env", "exec", "valgrind"];
    runs.contains(&word)
        || word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && !name.starts_with('-'))
}

/// What `echo` or `printf` prints.
fn printed(segment: &Segment) -> Option<Vec<u8>> {
    let (first, rest) = segment.words.split_first()?;
    if rest.iter().any(|word| word.open) {
        return None;
    }
    let texts: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
    match first.text.as_str() {
        "echo" => match texts.split_first() {
            Some((&"-n", texts)) => Some(texts.join(" ").into_bytes()),
            Some((&"-e", texts)) => Some([unescaped(&texts.join(" ")), b"\n".to_vec()].concat()),
            _ => Some([texts.join(" ").into_bytes(), b"\n".to_vec()].concat()),
        },
        "printf" => texts.first().map(|text| unescaped(text)),
        _ => None,
    }
}

/// A text in a line of a program, and whether only commas stand between it and the one before.
struct Text {
    text: String,
    beside: bool,
}

/// The command lines among the texts of a line: those that begin with an option and what follows them; else each text may be one.
fn tabled(line: &str, program: &str) -> Vec<Line> {
    let texts = literals(line);
    if texts.is_empty() || texts.len() > 2 * TEXTS {
        return Vec::new();
    }
    let called_in: Vec<Line> = texts.iter().flat_map(|one| called(&one.text, program)).collect();
    if !called_in.is_empty() {
        return called_in;
    }
    let arguments = |list: &[Text]| -> Option<Vec<BString>> {
        let mut all = Vec::new();
        for one in list {
            all.extend(words(&one.text)?.into_iter().map(BString::from));
        }
        Some(all)
    };
    // What is read most often ends with a line.
    let read = |from: usize| {
        let rest = texts.get(from..).unwrap_or_default();
        rest.iter()
            .find(|one| one.text.ends_with('\n'))
            .map_or(Vec::new(), |one| one.text.clone().into_bytes())
    };
    let is_option = |one: &Text| one.text.len() > 1 && one.text.starts_with('-');
    let mut found = Vec::new();
    let mut add = |from: usize, end: usize| {
        if let Some(args) = arguments(&texts[from..end]) {
            found.push(Line { args, stdin: read(end) });
        }
    };
    match texts.iter().position(is_option) {
        Some(from) => {
            let options = texts[from + 1..].iter().take_while(|one| one.beside && is_option(one)).count();
            let more =
                texts[from + 1..].iter().take_while(|one| one.beside && !one.text.contains('\n')).count();
            add(from, from + 1 + options);
            if more > options {
                add(from, from + 1 + more);
            }
        }
        None => (0..texts.len().min(TEXTS)).for_each(|at| add(at, at + 1)),
    }
    found
}

/// The literals of a line, in the notation that most languages share, and Perl's lists of words.
fn literals(line: &str) -> Vec<Text> {
    let mut found = Vec::new();
    let mut beside = false;
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '\'' | '"' => quoted(rest, first),
            'q' if rest.starts_with("qw(") => rest.find(')').map(|end| (rest[3..end].to_owned(), end + 1)),
            _ => None,
        };
        match taken {
            Some((text, end)) => {
                found.push(Text { text, beside });
                beside = true;
                rest = &rest[end..];
            }
            None => {
                beside &= first == ',' || first.is_whitespace();
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    found
}

/// A text in quotes, and where it ends.
fn quoted(text: &str, quote: char) -> Option<(String, usize)> {
    let mut escaped = false;
    for (at, one) in text.char_indices().skip(1) {
        match one {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if one == quote => {
                let inner = &text[1..at];
                let plain = match quote {
                    '"' => String::from_utf8_lossy(&unescaped(inner)).into_owned(),
                    _ => inner.replace("\\'", "'").replace("\\\\", "\\"),
                };
                return Some((plain, at + 1));
            }
            _ => {}
        }
    }
    None
}

/// A text with the characters that its escapes stand for.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.chars();
    while let Some(one) = rest.next() {
        let next = if one == '\\' { rest.next() } else { None };
        match next {
            Some('n') => bytes.push(b'\n'),
            Some('t') => bytes.push(b'\t'),
            Some('r') => bytes.push(b'\r'),
            Some('0') => bytes.push(0),
            Some(other) => bytes.extend(other.to_string().bytes()),
            None => bytes.extend(one.to_string().bytes()),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(script: &str, program: &str, is_test: bool) -> Vec<(String, String)> {
        let text = |line: &Line| {
            let args: Vec<String> = line.args.iter().map(ToString::to_string).collect();
            (args.join("|"), String::from_utf8_lossy(&line.stdin).into_owned())
        };
        lines(script, program, is_test).iter().map(text).collect()
    }

    #[test]
    fn shells_call_programs() {
        for (script, args, stdin) in [
            ("echo a b | ./cut -c 1 > out", "-c|1", "a b\n"),
            ("printf 'a\\nb' | $CUT -f'1 2'", "-f1 2", "a\nb"),
            ("LC_ALL=C ../src/cut -d: -f1 /dev/null || fail=1", "-d:|-f1|/dev/null", ""),
            ("  $ cut --help", "--help", ""),
        ] {
            assert_eq!(shown(script, "cut", false), [(args.to_owned(), stdin.to_owned())], "{script}");
        }
    }

    #[test]
    fn what_is_not_known_and_what_is_no_call_is_left_out() {
        for script in ["cut $options file", "we cut the line", "shortcut -x", "'unfinished cut"] {
            assert_eq!(shown(script, "cut", false), [], "{script}");
        }
    }

    #[test]
    fn tables_hold_command_lines() {
        for (script, expected) in [
            ("['3', '-d: -f2-', \"a:b\\n\", \"b\\n\", 0],", vec![("-d:|-f2-", "a:b\n")]),
            ("['w', qw(-w 1 -1 -1), {OUT => [qw(01 00 -1)]}],", vec![("-w|1|-1|-1", "")]),
            ("['x', '--out=:', '-b1-', {IN=>'12'}],", vec![("--out=:|-b1-", "")]),
            ("run([\"-n\", \"3\", \"b c\"])", vec![("-n", ""), ("-n|3|b|c", "")]),
            ("testing \"name\" \"cut -b1\" \"out\"", vec![("-b1", "")]),
        ] {
            let expected: Vec<(String, String)> =
                expected.into_iter().map(|(one, two)| (one.to_owned(), two.to_owned())).collect();
            assert_eq!(shown(script, "cut", true), expected, "{script}");
        }
        assert!(
            shown("['a', '5 + 6', {OUT => '11'}],", "expr", true)
                .contains(&("5|+|6".to_owned(), String::new()))
        );
    }
}
