//! Typed indices into the arenas of a model.

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the arena.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of position `index`.
            pub fn at(index: usize) -> Self {
                Self(u32::try_from(index).expect("an arena holds fewer than 2^32 items"))
            }
        }
    )*};
}

ids! {
    /// A type in [`crate::TypeTable`].
    TypeId,
    /// A constant in [`crate::Module::constants`].
    ConstId,
    /// A global variable in [`crate::Module::globals`].
    GlobalId,
    /// A function in [`crate::Module::functions`].
    FunctionId,
    /// A basic block in [`crate::Body::blocks`].
    BlockId,
    /// An instruction in [`crate::Body::instructions`].
    InstructionId,
    /// A statement piece in [`crate::Function::pieces`].
    PieceId,
    /// A source file in [`crate::Module::files`].
    FileId,
    /// A C type in [`crate::Module::ctypes`].
    CTypeId,
}
