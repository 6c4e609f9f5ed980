//! Reading the text form: recursive descent over a token list, without backtracking.

mod ctypes;
mod function;
mod op;
mod tables;

use super::keyword::Keyword;
use super::lexer::{self, Kind, Token};
use super::{ParseError, escape};
use crate::{
    Const, ConstId, FileId, FunctionId, GlobalId, Layout, Location, Module, Position, Span, Type, TypeId,
    TypeTable,
};
use std::collections::HashMap;

type Result<T> = std::result::Result<T, ParseError>;

/// The module that `text` describes.
///
/// Ids are not checked against their tables, so that a test can write a broken module down for
/// [`crate::verify`].
pub fn parse(text: &str) -> Result<Module> {
    let mut parser = Parser::new(text)?;
    parser.module()?;
    let Parser { mut module, types, .. } = parser;
    module.types = TypeTable::from_entries(types);
    Ok(module)
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token<'t>>,
    at: usize,
    /// Types inside types, where the recursion is.
    depth: u32,
    module: Module,
    types: Vec<(Type, Option<Layout>)>,
    type_ids: HashMap<Type, TypeId>,
    struct_ids: HashMap<String, TypeId>,
    const_ids: HashMap<Const, ConstId>,
    global_ids: HashMap<String, GlobalId>,
    function_ids: HashMap<String, FunctionId>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Result<Self> {
        let tokens = lexer::tokens(text)?;
        let mut parser = Parser {
            text,
            tokens,
            at: 0,
            depth: 0,
            module: Module::default(),
            types: Vec::new(),
            type_ids: HashMap::new(),
            struct_ids: HashMap::new(),
            const_ids: HashMap::new(),
            global_ids: HashMap::new(),
            function_ids: HashMap::new(),
        };
        parser.collect_symbols();
        Ok(parser)
    }

    /// Symbols may be used before their definitions; no other construct has these three tokens in a row.
    fn collect_symbols(&mut self) {
        for window in self.tokens.windows(3) {
            let Kind::Quoted(name) = &window[2].kind else { continue };
            let Ok(name) = String::from_utf8(name.clone()) else { continue };
            match (&window[0].kind, &window[1].kind) {
                (Kind::Word("global"), Kind::Id('@', id)) => {
                    self.global_ids.entry(name).or_insert(GlobalId(*id));
                }
                (Kind::Word("function"), Kind::Id('&', id)) => {
                    self.function_ids.entry(name).or_insert(FunctionId(*id));
                }
                _ => {}
            }
        }
    }

    fn module(&mut self) -> Result<()> {
        self.expect_word("module")?;
        self.module.name = self.string()?;
        if self.word_is("target") {
            self.module.target = self.string()?;
        }
        while self.kind() != &Kind::End {
            let at = self.at;
            match self.word("a declaration")? {
                "file" => {
                    let (index, file) = (self.number::<usize>("a file number")?, self.module.files.len());
                    self.in_order(at + 1, index, file, "file ")?;
                    let name = self.string()?;
                    self.module.files.push(name);
                }
                "assembly" => self.module.assembly = self.string()?,
                "type" => self.type_definition()?,
                "ctype" => self.ctype_definition()?,
                "const" => self.const_definition()?,
                "global" => self.global_definition()?,
                "function" => self.function_definition()?,
                _ => {
                    self.at = at;
                    return Err(self.expected("a declaration"));
                }
            }
        }
        Ok(())
    }

    // Tokens.

    fn kind(&self) -> &Kind<'t> {
        &self.tokens[self.at].kind
    }

    /// Steps over the current token; the end is never left.
    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn expected(&self, what: &str) -> ParseError {
        let token = &self.tokens[self.at];
        let found = match &token.kind {
            Kind::End => "the end".to_string(),
            Kind::Quoted(bytes) => {
                let mut text = String::new();
                escape::quote_bytes(&mut text, &bytes[..bytes.len().min(40)]);
                format!("`{text}`")
            }
            _ => {
                let end = self.tokens.get(self.at + 1).map_or(self.text.len(), |next| next.at);
                let word = self.text[token.at..end].split([' ', '\n', ';']).next().unwrap_or_default();
                format!("`{}`", word.chars().take(40).collect::<String>())
            }
        };
        lexer::error(self.text, token.at, format!("expected {what}, found {found}"))
    }

    fn error_at(&self, token: usize, message: String) -> ParseError {
        let at = self.tokens.get(token).map_or(self.text.len(), |token| token.at);
        lexer::error(self.text, at, message)
    }

    fn word(&mut self, what: &str) -> Result<&'t str> {
        match *self.kind() {
            Kind::Word(word) => {
                self.advance();
                Ok(word)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Whether the next token is this word; steps over it if so.
    fn word_is(&mut self, word: &str) -> bool {
        let found = matches!(self.kind(), Kind::Word(found) if *found == word);
        if found {
            self.advance();
        }
        found
    }

    fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.word_is(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    fn mark_is(&mut self, mark: char) -> bool {
        let found = *self.kind() == Kind::Mark(mark);
        if found {
            self.advance();
        }
        found
    }

    fn expect_mark(&mut self, mark: char) -> Result<()> {
        match mark {
            _ if self.mark_is(mark) => Ok(()),
            '→' => Err(self.expected("`->`")),
            _ => Err(self.expected(&format!("`{mark}`"))),
        }
    }

    fn keyword<K: Keyword>(&mut self) -> Result<K> {
        match self.try_keyword() {
            Some(value) => Ok(value),
            None => Err(self.expected(K::KIND)),
        }
    }

    fn try_keyword<K: Keyword>(&mut self) -> Option<K> {
        let Kind::Word(word) = self.kind() else { return None };
        let value = K::from_word(word)?;
        self.advance();
        Some(value)
    }

    fn number<N: TryFrom<u128>>(&mut self, what: &str) -> Result<N> {
        let Kind::Number(number) = *self.kind() else { return Err(self.expected(what)) };
        let number = N::try_from(number).map_err(|_| self.expected(what))?;
        self.advance();
        Ok(number)
    }

    /// A number that may have a sign.
    fn integer(&mut self) -> Result<i128> {
        let at = self.at;
        let negative = self.mark_is('-');
        let magnitude: u128 = self.number("a number")?;
        let value = match negative {
            // The magnitude of the least number has no positive counterpart.
            true if magnitude == i128::MIN.unsigned_abs() => Some(i128::MIN),
            true => i128::try_from(magnitude).ok().map(|value| -value),
            false => i128::try_from(magnitude).ok(),
        };
        value.ok_or_else(|| self.error_at(at, "expected a number of at most 128 bits".into()))
    }

    fn bytes(&mut self) -> Result<Vec<u8>> {
        let at = self.at;
        match &mut self.tokens[at].kind {
            Kind::Quoted(bytes) => {
                let bytes = std::mem::take(bytes);
                self.advance();
                Ok(bytes)
            }
            _ => Err(self.expected("a string")),
        }
    }

    fn string(&mut self) -> Result<String> {
        let at = self.at;
        String::from_utf8(self.bytes()?).map_err(|_| self.error_at(at, "expected text in UTF-8".into()))
    }

    /// An id written with a sigil, such as `$3`.
    fn id(&mut self, sigil: char, what: &str) -> Result<u32> {
        match *self.kind() {
            Kind::Id(found, id) if found == sigil => {
                self.advance();
                Ok(id)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// An id written as a word, such as `b3`.
    fn local(&mut self, prefix: char, what: &str) -> Result<u32> {
        match self.try_local(prefix) {
            Some(id) => Ok(id),
            None => Err(self.expected(what)),
        }
    }

    fn try_local(&mut self, prefix: char) -> Option<u32> {
        let Kind::Word(word) = *self.kind() else { return None };
        let digits = word.strip_prefix(prefix)?;
        // `+3` is a number for Rust but no id.
        let id = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())??;
        self.advance();
        Some(id)
    }

    /// Definitions come in the order of their ids.
    fn in_order(&self, token: usize, found: usize, next: usize, prefix: &str) -> Result<()> {
        match found == next {
            true => Ok(()),
            false => {
                Err(self.error_at(token, format!("expected {prefix}{next} here, found {prefix}{found}")))
            }
        }
    }

    /// Items with commas between them, up to the mark `end`.
    fn list<T>(&mut self, end: char, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        if self.mark_is(end) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.mark_is(end) {
                return Ok(items);
            }
            self.expect_mark(',')?;
        }
    }

    // Places.

    fn position(&mut self) -> Result<Position> {
        let line = self.number("a line")?;
        self.expect_mark(':')?;
        Ok(Position { line, column: self.number("a column")? })
    }

    fn location(&mut self) -> Result<Location> {
        let file = FileId(self.number("a file number")?);
        self.expect_mark(':')?;
        Ok(Location { file, position: self.position()? })
    }

    fn span(&mut self) -> Result<Span> {
        let Location { file, position: start } = self.location()?;
        self.expect_mark('-')?;
        Ok(Span { file, start, end: self.position()? })
    }
}
