//! What `--at` says: a line, a variable or an expression there.

use anyhow::{Context as _, Result, bail};
use hydrogen_report::runs::Sources as _;
use hydrogen_trace::{Criterion, NamedAt};
use std::ops::Range;

/// `FILE:LINE`, `FILE:LINE:NAME`, `FILE:LINE:EXPRESSION`, each with `#N` for the N-th execution.
pub fn criterion(place: &str, sources: &super::Sources) -> Result<Criterion> {
    let wrong = || {
        format!(
            "`--at {place}`: write FILE:LINE, FILE:LINE#N for the N-th execution, FILE:LINE:NAME for a variable or FILE:LINE:EXPRESSION for \
             an expression there"
        )
    };
    let (rest, nth) = match place.rsplit_once('#') {
        Some((rest, nth)) => (rest, Some(nth.parse().ok().filter(|nth| *nth > 0).with_context(wrong)?)),
        None => (place, None),
    };
    let (file, line, text) = parts(rest).with_context(wrong)?;
    let (file, is_name) = (file.to_owned(), |text: &str| !text.is_empty() && text.chars().all(is_of_name));
    match text {
        None => Ok(Criterion::Line { file, line, nth }),
        Some(name) if is_name(name) => {
            Ok(Criterion::Named(NamedAt { file, line, nth, name: name.to_owned() }))
        }
        Some(text) => {
            let all = sources.lines(&file).with_context(|| format!("`--at`: cannot read {file}"))?;
            let Some(source) = (line as usize).checked_sub(1).and_then(|at| all.get(at)) else {
                bail!("`--at`: {file} has {} lines", all.len());
            };
            let columns = columns(source, text)
                .with_context(|| format!("`--at`: `{text}` does not stand on line {line} of {file}"))?;
            Ok(Criterion::Expression { file, line, nth, columns, text: text.to_owned() })
        }
    }
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The file, the line, and what stands behind them.
fn parts(place: &str) -> Option<(&str, u32, Option<&str>)> {
    place.match_indices(':').find_map(|(at, _)| {
        let (file, rest) = (&place[..at], &place[at + 1..]);
        let (line, text) = match rest.split_once(':') {
            Some((line, text)) => (line, Some(text)),
            None => (rest, None),
        };
        let line = line.parse().ok()?;
        (!file.is_empty()).then_some((file, line, text))
    })
}

/// The columns of the first place where a text stands in a line, whatever its blanks are.
fn columns(source: &str, text: &str) -> Option<Range<u32>> {
    let solid = |text: &str| -> Vec<(usize, char)> {
        text.char_indices().filter(|(_, c)| !c.is_whitespace()).collect()
    };
    let (there, wanted) = (solid(source), solid(text));
    let (first, last) = (wanted.first()?.1, wanted.last()?.1);
    let fits = |at: &usize| {
        let here = &there[*at..*at + wanted.len()];
        let same = here.iter().zip(&wanted).all(|(one, other)| one.1 == other.1);
        // A name does not begin or end inside of another one.
        let (start, end) = (here[0].0, here[here.len() - 1].0);
        let part = |c: Option<char>| c.is_some_and(is_of_name);
        let begins = !(is_of_name(first) && part(source[..start].chars().next_back()));
        let ends = !(is_of_name(last) && part(source[end..].chars().nth(1)));
        same && begins && ends
    };
    let at = (0..(there.len() + 1).checked_sub(wanted.len())?).find(fits)?;
    let (start, end) = (there[at].0, there[at + wanted.len() - 1].0);
    Some(start as u32 + 1..end as u32 + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_a_file_a_line_and_what_is_asked() {
        assert_eq!(parts("a.c:12"), Some(("a.c", 12, None)));
        assert_eq!(parts("a.c:12:x ? y : z"), Some(("a.c", 12, Some("x ? y : z"))));
        assert_eq!(parts("a.c"), None);
        assert_eq!(parts(":3"), None);
    }

    #[test]
    fn an_expression_is_found_whatever_its_blanks() {
        assert_eq!(columns("  max + x  *y;", "x*y"), Some(9..14));
        assert_eq!(columns("f(ab, b);", "b"), Some(7..8));
        assert_eq!(columns("f(ab);", "b"), None);
        assert_eq!(columns("a", "a + b"), None);
    }
}
