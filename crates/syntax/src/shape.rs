//! Conditional groups of a file and the bracket structure of their alternatives.

use crate::directive::{Directive, DirectiveKind};
use crate::token::{DIRECTIVE, Token};

/// A group from `#if` to `#endif`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Group {
    /// The tokens of the directives that begin its alternatives.
    pub starts: Vec<usize>,
    /// The token of its `#endif`, or the end of the file.
    pub end: usize,
    /// Whether the last alternative is an `#else`.
    pub exhaustive: bool,
    /// The bracket structure of each alternative.
    pub shapes: Vec<Shape>,
}

/// The brackets of a stretch of tokens, and how it begins and ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Braces left open (or closed too many).
    pub braces: i32,
    /// Parentheses and brackets left open (or closed too many).
    pub parens: i32,
    /// Whether a bracket is closed that was opened before.
    pub dips: bool,
    /// Whether it contains a brace at all.
    pub body: bool,
    /// The first token.
    pub first: Option<usize>,
    /// The last token.
    pub last: Option<usize>,
}

impl Shape {
    /// Whether it opens what it closes, and nothing more.
    pub fn balanced(&self) -> bool {
        self.braces == 0 && self.parens == 0 && !self.dips
    }

    fn even(&self) -> bool {
        self.braces == 0 && self.parens == 0
    }

    fn push(&mut self, index: usize, kind: u8) {
        match kind {
            b'{' => {
                self.braces += 1;
                self.body = true;
            }
            b'}' => self.braces -= 1,
            b'(' | b'[' => self.parens += 1,
            b')' | b']' => self.parens -= 1,
            _ => {}
        }
        self.dips |= self.braces < 0 || self.parens < 0;
        self.first.get_or_insert(index);
        self.last = Some(index);
    }

    fn append(&mut self, other: &Shape) {
        self.dips |= other.dips && (self.braces <= 0 || self.parens <= 0);
        self.braces += other.braces;
        self.parens += other.parens;
        self.body |= other.body;
        self.first = self.first.or(other.first);
        self.last = other.last.or(self.last);
    }
}

impl Group {
    /// The alternative to read where only one can be: the first, unless the alternatives leave different brackets
    /// open; then the first that leaves none open, since the directive that would close them may choose
    /// differently. `None` stands for leaving all of them out.
    pub fn pick(&self) -> Option<usize> {
        let first = self.shapes.first()?;
        let net = |shape: &Shape| (shape.braces, shape.parens);
        let same = self.shapes.iter().all(|shape| net(shape) == net(first));
        if same && (self.exhaustive || first.even()) {
            return Some(0);
        }
        self.shapes.iter().position(Shape::even)
    }
}

/// Finds all groups, in order of their first directive. Stray directives belong to none.
pub(crate) fn groups(tokens: &[Token], source: &[u8]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for (index, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == DIRECTIVE) {
        let directive = Directive::of(token, source);
        if directive.opens() {
            open.push(groups.len());
            groups.push(Group { starts: vec![index], end: tokens.len(), ..Group::default() });
        } else if directive.continues() {
            if let Some(&group) = open.last() {
                groups[group].starts.push(index);
                groups[group].exhaustive |= directive.kind == DirectiveKind::Else;
            }
        } else if directive.kind == DirectiveKind::Endif
            && let Some(group) = open.pop()
        {
            groups[group].end = index;
        }
    }
    measure(&mut groups, tokens);
    groups
}

/// Whether brackets are balanced wherever a conditional that is not all here may divide the tokens.
pub(crate) fn is_level(groups: &[Group], tokens: &[Token], source: &[u8]) -> bool {
    let mut shape = Shape::default();
    let (mut at, mut next) = (0, 0);
    while at < tokens.len() {
        if tokens[at].kind != DIRECTIVE {
            shape.push(at, tokens[at].kind);
            at += 1;
            continue;
        }
        next += groups[next..].partition_point(|group| group.starts[0] < at);
        match groups.get(next).filter(|group| group.starts[0] == at && group.end < tokens.len()) {
            Some(whole) => {
                if let Some(chosen) = whole.pick() {
                    shape.append(&whole.shapes[chosen]);
                }
                at = whole.end;
            }
            None => {
                let directive = Directive::of(&tokens[at], source);
                let ends = directive.kind == DirectiveKind::Endif;
                if directive.opens() || directive.continues() || ends {
                    if !shape.balanced() {
                        return false;
                    }
                    shape = Shape::default();
                }
            }
        }
        at += 1;
    }
    shape.balanced()
}

/// Fills in the shapes. Inner groups come first, so every token is looked at once.
fn measure(groups: &mut [Group], tokens: &[Token]) {
    for at in (0..groups.len()).rev() {
        let starts = groups[at].starts.clone();
        let mut inner = at + 1;
        for (branch, &start) in starts.iter().enumerate() {
            let end = starts.get(branch + 1).copied().unwrap_or(groups[at].end);
            let mut shape = Shape::default();
            let mut index = start + 1;
            while index < end {
                if tokens[index].kind != DIRECTIVE {
                    shape.push(index, tokens[index].kind);
                } else {
                    inner += groups[inner..].partition_point(|group| group.starts[0] < index);
                    if let Some(group) = groups.get(inner).filter(|group| group.starts[0] == index) {
                        if let Some(chosen) = group.pick() {
                            shape.append(&group.shapes[chosen]);
                        }
                        index = group.end;
                    }
                }
                index += 1;
            }
            groups[at].shapes.push(shape);
        }
    }
}
