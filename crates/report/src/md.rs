//! Words of others in Markdown: what they say is shown, and nothing of it is obeyed. A comment on a pull request must not fetch an image,
//! tell somebody that they were mentioned, or point at an issue because a file is called so.

/// Code inside a line, whatever marks it has itself.
pub(crate) fn code(text: &str) -> String {
    let text = one_line(text);
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let marks = "`".repeat(longest + 1);
    match longest {
        0 => format!("{marks}{text}{marks}"),
        _ => format!("{marks} {text} {marks}"),
    }
}

/// Lines of code, whatever they hold.
pub(crate) fn block(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let marks = "`".repeat(longest.max(2) + 1);
    format!("{marks}\n{text}\n{marks}")
}

/// Text without what Markdown or HTML would take as its own.
pub(crate) fn escape(text: &str) -> String {
    /// Splits what whoever renders the text would make a link of, and is not shown.
    const SPLIT: &str = "<!-- -->";
    let mut out = String::new();
    for letter in one_line(text).chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' => out.extend(['\\', letter]),
            '@' | '#' => {
                out.push(letter);
                out.push_str(SPLIT);
            }
            other => out.push(other),
        }
    }
    out.replace("://", &format!(":{SPLIT}//"))
}

/// Sentences of ours in which code stands between marks. Where the code has such marks itself, it may be told in other pieces, each of which is
/// code or plain text.
pub(crate) fn prose(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, (inside, behind))) =
        rest.split_once('`').and_then(|(before, rest)| Some((before, rest.split_once('`')?)))
    {
        out.push_str(&escape(before));
        if !inside.is_empty() {
            out.push_str(&code(inside));
        }
        rest = behind;
    }
    out + &escape(rest)
}

/// A text that ends no line: another one would begin a list, a heading or a table.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_stays_code() {
        assert_eq!(code("a + b"), "`a + b`");
        assert_eq!(code("a`b"), "`` a`b ``");
        assert_eq!(code("``` x ` y"), "```` ``` x ` y ````");
        assert_eq!(code("a\nb"), "`a b`");
        assert_eq!(block("x\n```\ny"), "````\nx\n```\ny\n````");
    }

    #[test]
    fn code_in_sentences_stays_code() {
        assert_eq!(prose("a: `n += 2` was `n++`"), "a: `n += 2` was `n++`");
        assert_eq!(prose("@bob `x"), "@<!-- -->bob \\`x");
        assert_eq!(prose("`a`@bob`b`#1`"), "`a`@<!-- -->bob`b`#<!-- -->1\\`");
        assert_eq!(prose("``x`"), "x\\`");
    }

    #[test]
    fn text_stays_text() {
        assert_eq!(escape("![](http://x)"), "!\\[\\](http:<!-- -->//x)");
        assert_eq!(escape("@bob fixes #1"), "@<!-- -->bob fixes #<!-- -->1");
        assert_eq!(escape("a\n# b"), "a #<!-- --> b");
        assert_eq!(escape("<img src=x> & *y* `z`"), "&lt;img src=x> &amp; \\*y\\* \\`z\\`");
    }
}
