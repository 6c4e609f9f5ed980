//! Global variables, aliases and ifuncs.

use super::{LowerError, Lowering, operators};
use crate::llvm::{LlvmModule, Node, Value};
use hydrogen_ir::{Global, Location, Position};
use llvm_sys::LLVMLinkage::LLVMPrivateLinkage;

impl<'m> Lowering<'m, '_> {
    pub(super) fn globals(&mut self, module: &'m LlvmModule) -> Result<Vec<Global>, LowerError> {
        // The order is that of `Symbols::collect`.
        let mut globals = Vec::new();
        for value in module.globals() {
            globals.push(self.variable(value)?);
        }
        for value in module.aliases() {
            globals.push(self.alias(value, value.aliasee())?);
        }
        for value in module.ifuncs() {
            globals.push(self.alias(value, value.resolver())?);
        }
        Ok(globals)
    }

    fn variable(&mut self, value: Value<'m>) -> Result<Global, LowerError> {
        let mut global = self.symbol(value);
        global.initializer = value.initializer().map(|value| self.constant(value)).transpose()?;
        global.constant = value.is_constant();
        global.thread_local = value.is_thread_local();
        global.align = value.align();
        if let Some(debug) = Node::of_global(value).map(Node::read) {
            global.ctype = debug.base.map(|ty| self.ctypes.lower(Some(ty)));
            if let (Some(file), 1..) = (debug.file, debug.line) {
                let position = Position { line: debug.line, column: 0 };
                global.location = Some(Location { file: self.files.file(file), position });
            }
        }
        Ok(global)
    }

    fn alias(&mut self, value: Value<'m>, target: Option<Value<'m>>) -> Result<Global, LowerError> {
        let mut global = self.symbol(value);
        global.alias_of = target.map(|target| self.constant(target)).transpose()?;
        Ok(global)
    }

    fn symbol(&mut self, value: Value<'m>) -> Global {
        let name = value.name();
        Global {
            linkage: operators::linkage(value.linkage()),
            ty: self.types.lower(value.object_type()),
            ctype: None,
            initializer: None,
            constant: false,
            // clang names what the programmer did not name with a leading dot (`.str.1`, `.compoundliteral`), which
            // no C identifier has.
            private: value.linkage() == LLVMPrivateLinkage || name.starts_with('.'),
            thread_local: false,
            align: 0,
            alias_of: None,
            location: None,
            name,
        }
    }
}
