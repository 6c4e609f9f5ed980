//! Names: finding symbols by theirs, and spelling C types.

use crate::text::keyword::Keyword;
use crate::{CType, CTypeId, Const, ConstExpr, ConstId, Function, FunctionId, GlobalId, Module};

impl Module {
    /// All functions of this name, declarations included, in order. A linked program can have several: statics of
    /// different files.
    pub fn functions_named(&self, name: &str) -> impl Iterator<Item = FunctionId> {
        let named = move |(_, function): &(usize, &Function)| function.name == name;
        self.functions.iter().enumerate().filter(named).map(|(index, _)| FunctionId::at(index))
    }

    /// The definition of `name` in `file`.
    pub fn find_function(&self, file: &str, name: &str) -> Option<FunctionId> {
        self.functions_named(name).find(|&id| {
            let defined_in = self.function(id).file().and_then(|file| self.files.get(file.index()));
            defined_in.is_some_and(|found| found == file)
        })
    }

    /// The global `name` that is defined in `file`.
    pub fn find_global(&self, file: &str, name: &str) -> Option<GlobalId> {
        let found = self.globals.iter().position(|global| {
            let defined_in = global.location.and_then(|location| self.files.get(location.file.index()));
            global.name == name && defined_in.is_some_and(|found| found == file)
        });
        found.map(GlobalId::at)
    }

    /// The bytes of a literal that a constant is the address of, the terminating zero included.
    pub fn literal(&self, id: ConstId) -> Option<&[u8]> {
        match self.constant(id) {
            Const::Global(global) => match self.constant(self.global(*global).initializer?) {
                Const::Bytes { data, .. } => Some(data),
                _ => None,
            },
            Const::Expr { expr: ConstExpr::ElementAddress { base, indices, .. }, .. } => {
                let is_zero = |id: &ConstId| matches!(self.constant(*id), Const::Int { bits: 0, .. });
                indices.iter().all(is_zero).then(|| self.literal(*base)).flatten()
            }
            _ => None,
        }
    }

    /// A C type as a programmer would name it, such as `const char *`; deep ones end in `…`.
    pub fn ctype_name(&self, id: CTypeId) -> String {
        self.spell(id, 0)
    }

    fn spell(&self, id: CTypeId, depth: u32) -> String {
        // Functions that take functions: each level can have several parameters.
        let (Some(ctype), 0..=5) = (self.ctypes.get(id.index()), depth) else { return "…".into() };
        let inner = |id: &CTypeId| self.spell(*id, depth + 1);
        let tagged = |word: &str, name: &Option<String>| match name {
            Some(name) => format!("{word} {name}"),
            None => format!("{word} {{…}}"),
        };
        match ctype {
            CType::Void => "void".into(),
            CType::Basic { name, .. } | CType::Typedef { name, .. } => name.clone(),
            CType::Pointer(target) => match inner(target) {
                text if text.ends_with('*') => format!("{text}*"),
                text => format!("{text} *"),
            },
            CType::Array { element, lengths } => {
                let lengths =
                    lengths.iter().map(|n| format!("[{}]", n.map_or(String::new(), |n| n.to_string())));
                format!("{} {}", inner(element), lengths.collect::<String>())
            }
            CType::Record { kind, name, .. } => tagged(kind.word(), name),
            CType::Enum { name, .. } => tagged("enum", name),
            // `const` in front reads well for all but pointers, where it belongs behind.
            CType::Qualified { qualifier, target } => match inner(target) {
                text if text.ends_with('*') => format!("{text} {qualifier}"),
                text => format!("{qualifier} {text}"),
            },
            CType::Function { result, parameters, varargs } => {
                let mut parameters: Vec<String> = parameters.iter().map(inner).collect();
                if *varargs {
                    parameters.push("...".into());
                }
                format!("{} ({})", inner(result), parameters.join(", "))
            }
        }
    }
}
