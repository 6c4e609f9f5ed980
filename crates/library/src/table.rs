//! The table: lines, and what is asked of them.

use crate::contract::{self, Contract};
use crate::effect::{self, Effect};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// What is known of a function besides its effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trait {
    /// It changes nothing and leads nowhere else.
    Pure,
    /// It is seen from outside the program.
    Output,
    /// It writes to standard output and to nothing else, unless a format has `%n`.
    Prints,
    /// It never comes back.
    Ends,
    /// It goes on somewhere else.
    Jumps,
    /// It comes back or ends the program.
    MayEnd,
    /// What it does may depend on what was done to files before, or the other way round.
    Files,
    /// Its first argument is a stream, into which only the library looks.
    StreamFirst,
    /// Its last argument is one.
    StreamLast,
    /// It computes from the values of its arguments alone.
    Values,
    /// As `values`, and the locale decides, too.
    Locale,
    /// It reads memory and changes nothing.
    Looks,
    /// It is of `math.h`; what is known holds with the endings for `float` and `long double`, too.
    Maths,
    /// The same code may run again after it.
    Twice,
    /// It sees texts and single numbers only, whatever it is given.
    Texts,
    /// It copies memory of any type.
    AnyType,
    /// It sees no memory of the program.
    Unseeing,
    /// It reads texts, and changes nothing but what files hold and are.
    OfNames,
    /// It reads and writes texts and single numbers of what it is given, and files.
    OfTexts,
    /// It changes the environment: a text that others read by its name.
    Environment,
}

impl Trait {
    fn of_word(word: &str) -> Option<Trait> {
        Some(match word {
            "pure" => Trait::Pure,
            "output" => Trait::Output,
            "prints" => Trait::Prints,
            "ends" => Trait::Ends,
            "jumps" => Trait::Jumps,
            "may-end" => Trait::MayEnd,
            "files" => Trait::Files,
            "stream-first" => Trait::StreamFirst,
            "stream-last" => Trait::StreamLast,
            "values" => Trait::Values,
            "locale" => Trait::Locale,
            "looks" => Trait::Looks,
            "maths" => Trait::Maths,
            "twice" => Trait::Twice,
            "texts" => Trait::Texts,
            "any-type" => Trait::AnyType,
            "unseeing" => Trait::Unseeing,
            "of-names" => Trait::OfNames,
            "of-texts" => Trait::OfTexts,
            "environment" => Trait::Environment,
            _ => return None,
        })
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Function {
    contract: Option<Contract>,
    effects: Option<Vec<Effect>>,
    traits: BTreeSet<Trait>,
    /// Which argument is a format.
    format: Option<usize>,
}

/// The functions that are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    functions: BTreeMap<String, Function>,
}

/// Why a line of the table could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct LibraryError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl Default for Library {
    fn default() -> Self {
        Self::standard().clone()
    }
}

impl Library {
    /// A table without entries: every function without a body may do anything.
    pub fn empty() -> Self {
        Self { functions: BTreeMap::new() }
    }

    /// The C library, POSIX and the compiler's intrinsics.
    pub fn standard() -> &'static Self {
        static STANDARD: OnceLock<Library> = OnceLock::new();
        STANDARD.get_or_init(|| {
            let mut library = Self::empty();
            library.extend(include_str!("library.txt")).expect("the built-in table is tested");
            library
        })
    }

    /// Adds the lines of a table; a later line of the same name replaces an earlier one.
    pub fn extend(&mut self, table: &str) -> Result<(), LibraryError> {
        for (index, line) in table.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let (name, function) =
                parse(line).map_err(|message| LibraryError { line: index + 1, message })?;
            self.functions.insert(name, function);
        }
        Ok(())
    }

    /// The contract of a function, also under the compiler's names for it.
    pub fn contract(&self, name: &str) -> Option<&Contract> {
        let of = |name: &str| self.functions.get(name).and_then(|one| one.contract.as_ref());
        if let Some(found) = of(name) {
            return Some(found);
        }
        if let Some(intrinsic) = name.strip_prefix("llvm.") {
            let mut dots = intrinsic.match_indices('.').map(|(at, _)| at).chain([intrinsic.len()]);
            return dots.find_map(|end| of(&intrinsic[..end]));
        }
        let plain = ["__builtin_", "__isoc99_", "__isoc23_", "__"];
        let plain = plain.into_iter().find_map(|prefix| name.strip_prefix(prefix))?;
        of(plain).or_else(|| of(plain.strip_suffix("_chk")?))
    }

    /// A function, also under the names by which glibc's headers choose a standard. Intrinsics carry the types of their operands
    /// (`llvm.memcpy.p0.p0.i64`).
    fn function(&self, name: &str) -> Option<&Function> {
        let plain = || name.strip_prefix("__isoc99_").or_else(|| name.strip_prefix("__isoc23_"));
        let own = self.functions.get(name).or_else(|| self.functions.get(plain()?));
        if own.is_some() || !name.starts_with("llvm.") {
            return own;
        }
        let family = name.match_indices('.').rev().find_map(|(dot, _)| self.functions.get(&name[..=dot]));
        family.or_else(|| self.functions.get(&format!("{name}.")))
    }

    /// The effects of a function, if they are known. Intrinsics that are not in the table compute values only.
    pub fn effects(&self, name: &str) -> Option<&[Effect]> {
        match self.function(name) {
            Some(function) => function.effects.as_deref(),
            None => name.starts_with("llvm.").then_some(&[]),
        }
    }

    /// The argument of a function that is a format as `printf` has it.
    pub fn format(&self, name: &str) -> Option<usize> {
        self.function(name)?.format
    }

    /// Whether it is a function of `math.h`, for numbers of any width.
    pub fn is_of_maths(&self, name: &str) -> bool {
        let plain = name.strip_suffix(['f', 'l']);
        self.is(name, Trait::Maths) || plain.is_some_and(|plain| self.is(plain, Trait::Maths))
    }

    /// Whether the result of a function is new memory.
    pub fn allocates(&self, name: &str) -> bool {
        self.effects(name).is_some_and(|effects| effects.contains(&Effect::Fresh))
    }

    /// Whether this is known of a function.
    pub fn is(&self, name: &str, wanted: Trait) -> bool {
        self.function(name).is_some_and(|function| function.traits.contains(&wanted))
    }

    /// The functions of which this is known, in the order of their names.
    pub fn all(&self, wanted: Trait) -> impl Iterator<Item = &str> {
        let has = move |(_, function): &(&String, &Function)| function.traits.contains(&wanted);
        self.functions.iter().filter(has).map(|(name, _)| name.as_str())
    }
}

fn parse(line: &str) -> Result<(String, Function), String> {
    let mut sections = line.split('|').map(str::trim);
    let head = sections.next().unwrap_or_default();
    let (name, first) = head.split_once(':').ok_or("a `:` is missing behind the name")?;
    let mut function = Function::default();
    let (name, effects) = if name.contains('(') {
        let (name, contract) = contract::parse(head)?;
        let effects = sections.next().unwrap_or("derived");
        function.contract = Some(contract);
        (name, effects)
    } else {
        (name.trim().to_owned(), first.trim())
    };
    function.effects = match (effects, &function.contract) {
        ("unknown", _) => None,
        ("derived", Some(contract)) => Some(contract.effects()),
        (effects, _) => {
            let each = effects.split(',').map(str::trim).filter(|effect| !effect.is_empty());
            Some(each.map(effect::parse).collect::<Result<_, _>>()?)
        }
    };
    for word in sections.flat_map(str::split_whitespace) {
        if let Some(at) = word.strip_prefix("format:") {
            function.format = Some(at.parse().map_err(|_| format!("`{at}` is no argument number"))?);
            continue;
        }
        function.traits.insert(Trait::of_word(word).ok_or_else(|| format!("`{word}` is no trait"))?);
    }
    Ok((name, function))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_reads_and_extends() {
        let mut library = Library::default();
        assert_eq!(library.effects("strchr"), Some(&[Effect::Reads(Some(0)), Effect::Inside(0)][..]));
        assert_eq!(library.effects("llvm.memcpy.p0.p0.i64"), Some(&[Effect::Copy { to: 0, from: 1 }][..]));
        assert_eq!(library.effects("llvm.umul.with.overflow.i64"), Some(&[][..]));
        assert_eq!(library.effects("llvm.stacksave.p0"), Some(&[][..]));
        assert_eq!(library.effects("frobnicate"), None);
        assert_eq!(library.contract("malloc").map(|one| one.clauses.len()), Some(2));
        assert_eq!(library.contract("llvm.memcpy.p0.p0.i64"), library.contract("memcpy"));
        assert_eq!(library.contract("__memcpy_chk"), library.contract("memcpy"));
        assert_eq!(library.contract("llvm.va_start.p0").map(|one| one.parameters), Some(1));
        assert!(library.contract("something").is_none());
        assert!(library.is("exit", Trait::Ends) && library.is("strlen", Trait::Pure));
        assert!(!library.allocates("pool_get"));
        library.extend("pool_get: fresh # ours\nmine(p, n): writes p n, new n sure").unwrap();
        assert!(library.allocates("pool_get"));
        assert_eq!(library.effects("mine"), Some(&[Effect::Writes(Some(0)), Effect::Fresh][..]));
    }

    /// What is said of a function in one way must not be denied in another.
    #[test]
    fn nothing_contradicts() {
        for (name, function) in &Library::standard().functions {
            let Some(contract) = &function.contract else { continue };
            let stops = contract.clauses.contains(&crate::Clause::Stops);
            let known = [Trait::Ends, Trait::Jumps].iter().any(|one| function.traits.contains(one));
            assert!(!known || stops, "{name} does not come back, and its contract does not say so");
            let writes = |effect: &Effect| matches!(effect, Effect::Writes(_) | Effect::Copy { .. });
            let changes = contract.effects().iter().any(writes);
            assert!(!(changes && function.traits.contains(&Trait::Pure)), "{name} is pure and writes");
            if let Some(effects) = &function.effects {
                assert!(
                    !changes
                        || effects
                            .iter()
                            .any(|one| writes(one) || matches!(one, Effect::Put { .. } | Effect::Same(_))),
                    "{name} writes by its contract, and not by its effects"
                );
            }
        }
    }

    #[test]
    fn wrong_lines_are_named() {
        let check = |line: &str, message: &str| {
            let error = Library::empty().extend(&format!("\n{line}")).unwrap_err();
            assert_eq!((error.line, error.message.as_str()), (2, message));
        };
        check("malloc fresh", "a `:` is missing behind the name");
        check("f: returns 1", "`returns` is no effect");
        check("f: same", "`same` lacks an argument number");
        check("f: copy 0 x", "`x` is no argument number");
        check("f(a): reads b 3", "`b` is no parameter");
        check("f(a): jumps", "`jumps` is no clause");
        check("f: | blue", "`blue` is no trait");
    }
}
