//! Rust sources as far as counting needs them: comments, texts and tests left out, functions and `impl` blocks found by their braces.

use std::path::{Path, PathBuf};

/// A file of a crate.
pub struct File {
    /// The crate's folder: `query`, or `xtask`.
    pub of: String,
    /// The path below the root, with `/`.
    pub path: String,
    /// All of it.
    pub text: String,
    /// The same length, with blanks for comments, texts and modules of tests.
    pub code: String,
}

/// A function with a body.
pub struct Function {
    pub name: String,
    pub lines: usize,
    /// The type whose `impl` block it stands in; none for functions of traits and free ones.
    pub of: Option<String>,
}

/// The files below `src` of all crates of a tree, sorted.
pub fn files(root: &Path) -> std::io::Result<Vec<File>> {
    let mut folders: Vec<PathBuf> = match std::fs::read_dir(root.join("crates")) {
        Ok(entries) => {
            entries.collect::<Result<Vec<_>, _>>()?.into_iter().map(|entry| entry.path()).collect()
        }
        Err(_) => Vec::new(),
    };
    folders.push(root.join("xtask"));
    folders.sort();
    let mut found = Vec::new();
    for folder in folders {
        let of = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut open = vec![folder.join("src")];
        while let Some(path) = open.pop() {
            if path.is_dir() {
                open.extend(
                    std::fs::read_dir(&path)?.collect::<Result<Vec<_>, _>>()?.into_iter().map(|it| it.path()),
                );
            } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("tests.rs") {
                let text = std::fs::read_to_string(&path)?;
                let below = path.strip_prefix(root).unwrap_or(&path);
                let path =
                    below.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>();
                let code = without_tests(&blanked(&text));
                found.push(File { of: of.clone(), path: path.join("/"), text, code });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// A text in which comments and literals are blank; lines stay where they are.
pub fn blanked(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    let blank = |out: &mut Vec<u8>, from: usize, to: usize| {
        out[from..to].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    };
    while at < bytes.len() {
        let rest = &bytes[at..];
        let before = at.checked_sub(1).map(|before| bytes[before]);
        let in_word = before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let end = if rest.starts_with(b"//") {
            at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
        } else if rest.starts_with(b"/*") {
            at + find(rest, b"*/").map_or(rest.len(), |end| end + 2)
        } else if rest[0] == b'"' {
            at + quoted(rest)
        } else if !in_word && (rest.starts_with(b"r\"") || rest.starts_with(b"r#") || rest.starts_with(b"br"))
        {
            match raw(rest) {
                Some(end) => at + end,
                None => at,
            }
        } else if rest[0] == b'\'' {
            at + letter(rest)
        } else {
            at
        };
        blank(&mut out, at, end);
        at = end.max(at + 1);
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

fn quoted(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

fn raw(rest: &[u8]) -> Option<usize> {
    let begin = usize::from(rest[0] == b'b') + 1;
    let marks = rest[begin..].iter().take_while(|byte| **byte == b'#').count();
    if rest.get(begin + marks) != Some(&b'"') {
        return None;
    }
    let close: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', marks)).collect();
    let inside = begin + marks + 1;
    Some(find(&rest[inside..], &close).map_or(rest.len(), |end| inside + end + close.len()))
}

/// The length of a letter in quotes; 0 for a lifetime.
fn letter(rest: &[u8]) -> usize {
    match rest.get(1) {
        Some(b'\\') => rest[2..].iter().skip(1).position(|byte| *byte == b'\'').map_or(0, |end| end + 4),
        Some(_) => (2..6)
            .find(|end| rest.get(*end) == Some(&b'\''))
            .filter(|end| *end == 2 || rest[1] > 127)
            .map_or(0, |end| end + 1),
        None => 0,
    }
}

/// The code without modules that are built for tests alone.
fn without_tests(code: &str) -> String {
    let mut out = code.to_owned();
    let mut from = 0;
    while let Some(at) = out[from..].find("#[cfg(test)]").map(|at| from + at) {
        let behind = at + "#[cfg(test)]".len();
        let item = out[behind..].find(['{', ';']).map(|end| behind + end);
        let end = match item {
            Some(open) if out.as_bytes()[open] == b'{' => closing(&out, open) + 1,
            Some(end) => end + 1,
            None => out.len(),
        };
        let blank: String = out[at..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        out.replace_range(at..end, &blank);
        from = at + blank.len();
    }
    out
}

/// Where a brace is closed.
fn closing(code: &str, open: usize) -> usize {
    let mut depth = 0usize;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    code.len().saturating_sub(1)
}

/// Where a word begins, everywhere in the code.
pub fn words<'c>(code: &'c str, word: &'c str) -> impl Iterator<Item = usize> + 'c {
    let part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = code.as_bytes();
    code.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        !part(before) && !part(bytes.get(at + word.len()))
    })
}

/// The functions of a file.
pub fn functions(file: &File) -> Vec<Function> {
    let code = &file.code;
    let blocks = blocks(code);
    let mut found = Vec::new();
    for at in words(code, "fn") {
        let rest = &code[at + 2..];
        let name: String =
            rest.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let Some(open) = body(code, at).filter(|_| !name.is_empty()) else { continue };
        let end = closing(code, open);
        let lines = code[at..=end].matches('\n').count() + 1;
        let inside = blocks.iter().filter(|(from, to, _)| (*from..*to).contains(&at));
        let of = inside.max_by_key(|(from, _, _)| *from).and_then(|(_, _, of)| of.clone());
        found.push(Function { name, lines, of });
    }
    found
}

/// Where the body of a function begins.
fn body(code: &str, at: usize) -> Option<usize> {
    let mut depth = 0i32;
    for (offset, byte) in code.bytes().enumerate().skip(at) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b'{' if depth == 0 => return Some(offset),
            b';' if depth == 0 => return None,
            _ if depth < 0 => return None,
            _ => {}
        }
    }
    None
}

/// The `impl` blocks: from, to, and the type if it is no implementation of a trait.
fn blocks(code: &str) -> Vec<(usize, usize, Option<String>)> {
    let mut found = Vec::new();
    for at in words(code, "impl") {
        // `impl Trait` as a type stands behind something on its line.
        let line = code[..at].rfind('\n').map_or(0, |end| end + 1);
        if !matches!(code[line..at].trim(), "" | "unsafe") {
            continue;
        }
        let Some(open) = code[at..].find('{').map(|end| at + end) else { continue };
        let head = without_generics(&code[at + 4..open]);
        let head = head.split(" where ").next().unwrap_or_default().trim().to_owned();
        let of = match head.contains(" for ") {
            true => None,
            false => head.rsplit("::").next().map(|name| name.trim().to_owned()),
        };
        found.push((open, closing(code, open), of));
    }
    found
}

/// A text without what stands between angle brackets, and without the ends of lines.
fn without_generics(text: &str) -> String {
    let (mut depth, mut out) = (0i32, String::new());
    let mut before = ' ';
    for c in text.chars() {
        match c {
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            '\n' if depth == 0 => out.push(' '),
            c if depth == 0 => out.push(c),
            _ => {}
        }
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> File {
        let code = without_tests(&blanked(text));
        File { of: String::new(), path: String::new(), text: text.to_owned(), code }
    }

    #[test]
    fn functions_belong_to_types() {
        let text = "impl<'a> Look<'a> {\n    fn one(&self) -> &'static str { \"fn {\" }\n    fn two() {\n        // }\n    }\n}\nimpl Drop for Look<'_> { fn drop(&mut self) {} }\nfn free(x: impl Fn()) { let _ = '{'; }\ntrait T { fn none(); }\n#[cfg(test)]\nmod tests { fn not() {} }\n";
        let found = functions(&file(text));
        let all: Vec<_> = found.iter().map(|it| (it.name.as_str(), it.lines, it.of.as_deref())).collect();
        let look = Some("Look");
        assert_eq!(all, [("one", 1, look), ("two", 3, look), ("drop", 1, None), ("free", 1, None)]);
    }
}
