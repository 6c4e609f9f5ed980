//! A call of one function with the memory that it sees: data that a machine can load, a person can read, and a C test can build.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A call. Pointers name objects, never addresses, so the same call means the same in every run and in every version.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Call {
    /// The function.
    pub function: String,
    /// The file that defines it, where several functions have that name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// By parameter; what is missing is zero.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<Argument>,
    /// Memory that is there before the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<Object>,
    /// Cells of global variables that differ from their initial value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub globals: Vec<Global>,
    /// What functions without a body answer, in the order of their calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Reply>,
    /// What functions without a body answer by what they are given, beside that: the same for the same, in every version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<Known>,
}

/// An argument.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Argument {
    /// The parameter's name; empty where it has none.
    pub name: String,
    /// Its value.
    pub value: Value,
}

/// A value in memory or of an argument.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Value {
    /// A number of so many bits, as they lie in memory: read it as signed or not, as the type says.
    Number(Number),
    /// The null pointer.
    Null,
    /// So many bytes behind the beginning of the n-th object of the call.
    Object(usize, i64),
    /// So many bytes behind the beginning of a global variable.
    Global(String, i64),
    /// A function.
    Function(String),
}

/// The bits of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Number {
    /// Its width in bits, at most 64.
    pub width: u32,
    /// Its bits.
    pub bits: u64,
    /// Whether it is known to be unsigned, and read as such; else it is read as a signed number of that width.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsigned: bool,
}

/// An object of memory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Object {
    /// How the function reaches it first: `p`, `p->next`.
    pub name: String,
    /// The type of its elements as C writes it; empty for plain bytes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub of: String,
    /// Its size in bytes.
    pub size: u64,
    /// What lies in it; all else is zero.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<Cell>,
}

impl Object {
    /// Whether it is a stream of the C library: one that is open stands for it, and nothing is put into it.
    pub fn is_stream(&self) -> bool {
        matches!(self.of.as_str(), "FILE" | "struct _IO_FILE")
    }
}

/// A value at a place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cell {
    /// Bytes from the beginning of the object.
    pub at: u64,
    /// The expression for it: `p->next->n`; empty where no member is there.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// What lies there.
    pub value: Value,
}

/// Values inside a global variable.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// What differs from its initial value.
    pub cells: Vec<Cell>,
}

/// What a call of a function without a body gives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Reply {
    /// The function.
    pub function: String,
    /// Its result.
    pub value: Value,
}

/// What a function without a body gives for some arguments.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Known {
    /// The function.
    pub function: String,
    /// What it is given; none for all that is not listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<Value>>,
    /// Its result.
    pub value: Value,
    /// What it puts where its arguments lead, into bytes that had no value before; the others become zero.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<FirstValue>,
}

/// A byte that a function without a body gives its first value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FirstValue {
    /// The number of the argument that leads there.
    pub argument: usize,
    /// So many bytes behind it.
    pub at: u64,
    /// What it becomes.
    pub byte: u8,
}

impl Number {
    /// As a signed number.
    pub fn signed(self) -> i64 {
        let unused = 64 - self.width.clamp(1, 64);
        (self.bits << unused).cast_signed() >> unused
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.unsigned {
            true => self.bits.fmt(f),
            false => self.signed().fmt(f),
        }
    }
}

impl Value {
    /// How many bytes it takes.
    pub fn bytes(&self) -> u64 {
        match self {
            Value::Number(number) => u64::from(number.width.div_ceil(8)),
            _ => 8,
        }
    }

    /// A number of so many bits.
    pub fn number(width: u32, bits: u64) -> Self {
        let mask = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
        Value::Number(Number { width, bits: bits & mask, unsigned: false })
    }
}

impl Call {
    /// A value as the reader sees it.
    pub fn shown(&self, value: &Value) -> String {
        let behind = |name: &str, at: i64| match at {
            0 => format!("&{name}"),
            _ => format!("&{name} + {at} bytes"),
        };
        match value {
            Value::Number(number) => number.to_string(),
            Value::Null => "NULL".into(),
            Value::Object(at, offset) => match self.objects.get(*at) {
                Some(object) => behind(&format!("<{}>", object.name), *offset),
                None => "<no object>".into(),
            },
            Value::Global(name, offset) => behind(name, *offset),
            Value::Function(name) => name.clone(),
        }
    }

    /// Values as arguments, as the reader sees them.
    pub fn shown_all(&self, values: &[Value]) -> String {
        values.iter().map(|value| self.shown(value)).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Call {
    /// `f(n = 3, p = &<p>) with <p>: 16 bytes, p->n = 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.function)?;
        for (at, argument) in self.arguments.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            write!(f, "{comma}{} = {}", argument.name, self.shown(&argument.value))?;
        }
        write!(f, ")")?;
        let cells = |f: &mut fmt::Formatter<'_>, cells: &[Cell]| {
            for cell in cells {
                match cell.path.as_str() {
                    "" => write!(f, ", byte {} = {}", cell.at, self.shown(&cell.value))?,
                    path => write!(f, ", {path} = {}", self.shown(&cell.value))?,
                }
            }
            Ok(())
        };
        for (at, object) in self.objects.iter().enumerate() {
            write!(f, "{} <{}>: {} bytes", if at == 0 { " with" } else { ";" }, object.name, object.size)?;
            cells(f, &object.cells)?;
        }
        for global in &self.globals {
            // A cell that has a name says whose it is.
            match global.cells.split_first() {
                Some((first, rest)) if !first.path.is_empty() => {
                    write!(f, "; {} = {}", first.path, self.shown(&first.value))?;
                    cells(f, rest)?;
                }
                _ => {
                    write!(f, "; {}", global.name)?;
                    cells(f, &global.cells)?;
                }
            }
        }
        for answer in &self.answers {
            write!(f, "; {}() gives {}", answer.function, self.shown(&answer.value))?;
        }
        for known in &self.known {
            // What is not listed gives zero; that needs no word.
            if let Some(arguments) = &known.arguments {
                let arguments = self.shown_all(arguments);
                write!(f, "; {}({arguments}) gives {}", known.function, self.shown(&known.value))?;
                for one in known.sets.iter().filter(|one| one.byte != 0) {
                    write!(
                        f,
                        ", sets byte {} of what argument {} leads to to {}",
                        one.at,
                        one.argument + 1,
                        one.byte
                    )?;
                }
            }
        }
        Ok(())
    }
}
