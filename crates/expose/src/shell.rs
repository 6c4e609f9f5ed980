//! Lines of a shell as far as test scripts need them: words with their quotes taken off, and where one command ends and the next begins.

/// A word of a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Word {
    /// Without quotes.
    pub(crate) text: String,
    /// Whether the shell puts something else into it: a variable, or what another command prints.
    pub(crate) open: bool,
}

/// One command of a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) words: Vec<Word>,
    /// Whether it reads what the one before it prints.
    pub(crate) piped: bool,
}

/// The commands of a line; none where a quote is open. What is redirected is left out.
pub(crate) fn segments(line: &str) -> Vec<Segment> {
    let mut all = vec![Segment::default()];
    let mut word: Option<Word> = None;
    // Behind `<` or `>` comes a file.
    let mut to_file = false;
    let mut chars = line.chars().peekable();
    let finish = |word: &mut Option<Word>, all: &mut Vec<Segment>, to_file: &mut bool| {
        if let Some(word) = word.take() {
            if std::mem::take(to_file) {
                return;
            }
            if let Some(segment) = all.last_mut() {
                segment.words.push(word);
            }
        }
    };
    while let Some(one) = chars.next() {
        match one {
            '\'' | '"' => {
                let place = word.get_or_insert_default();
                let mut closed = false;
                while let Some(inner) = chars.next() {
                    match inner {
                        _ if inner == one => {
                            closed = true;
                            break;
                        }
                        '\\' if one == '"' && chars.peek().is_some_and(|next| "\"\\$`".contains(*next)) => {
                            place.text.extend(chars.next());
                        }
                        '$' | '`' if one == '"' => {
                            place.open = true;
                            place.text.push(inner);
                        }
                        _ => place.text.push(inner),
                    }
                }
                if !closed {
                    return Vec::new();
                }
            }
            '\\' => word.get_or_insert_default().text.extend(chars.next()),
            '|' | ';' | '&' | '(' | ')' | '`' => {
                finish(&mut word, &mut all, &mut to_file);
                // `||` is no pipe.
                let piped = one == '|' && chars.next_if_eq(&'|').is_none();
                all.push(Segment { piped, ..Segment::default() });
            }
            '<' | '>' => {
                // The number of a stream belongs to the redirection.
                if word.as_ref().is_some_and(|word| {
                    word.text.len() == 1 && word.text.starts_with(|c: char| c.is_ascii_digit())
                }) {
                    word = None;
                }
                finish(&mut word, &mut all, &mut to_file);
                while chars.next_if(|next| matches!(next, '<' | '>' | '&')).is_some() {}
                to_file = true;
            }
            '#' if word.is_none() => break,
            _ if one.is_whitespace() => finish(&mut word, &mut all, &mut to_file),
            _ => {
                let place = word.get_or_insert_default();
                place.open |= one == '$';
                place.text.push(one);
            }
        }
    }
    finish(&mut word, &mut all, &mut to_file);
    all
}

/// The words of a text that is one command alone; none where it is more than that.
pub(crate) fn words(text: &str) -> Option<Vec<String>> {
    let mut all = segments(text);
    let one = all.pop().filter(|_| all.is_empty())?;
    (!one.words.iter().any(|word| word.open)).then(|| one.words.into_iter().map(|word| word.text).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(segment: &Segment) -> Vec<&str> {
        segment.words.iter().map(|word| word.text.as_str()).collect()
    }

    #[test]
    fn quotes_and_operators() {
        let all = segments(r#"a 'b c' "d\"e" f\ g 2>/dev/null <in | h; i || j # k"#);
        let shown: Vec<(Vec<&str>, bool)> = all.iter().map(|one| (texts(one), one.piped)).collect();
        let expected = [
            (vec!["a", "b c", "d\"e", "f g"], false),
            (vec!["h"], true),
            (vec!["i"], false),
            (vec!["j"], false),
        ];
        assert_eq!(shown, expected);
        assert!(segments("a 'b").is_empty());
        assert!(segments("a $b")[0].words[1].open && !segments("a '$b'")[0].words[1].open);
    }

    #[test]
    fn words_of_one_command() {
        assert_eq!(words("-f '' 2"), Some(vec!["-f".to_owned(), String::new(), "2".to_owned()]));
        assert_eq!(words("a | b"), None);
    }
}
