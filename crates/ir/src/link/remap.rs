//! From the ids of a unit to the ids of the program.

use super::{Linker, Place, Places};
use crate::{
    CType, CTypeId, Const, ConstId, FileId, Function, Global, Location, Module, Operand, ParameterAttributes,
    Reference, ReferenceMut, Type, TypeId,
};

/// The program's ids by the unit's ids. Tables are translated at once, for everything else refers to them.
pub(super) struct Remap {
    files: Vec<FileId>,
    types: Vec<TypeId>,
    constants: Vec<ConstId>,
    /// C types are appended as they are, so an id moves by this much.
    ctypes_before: usize,
    /// The C types to append.
    pub(super) ctypes: Vec<CType>,
}

impl Remap {
    pub(super) fn new(linker: &mut Linker, module: &Module, places: &Places) -> Self {
        let files = module.files.iter().map(|file| add_file(linker, file)).collect();
        let types = add_types(linker, module);
        let constants = add_constants(linker, module, places, &types);
        let ctypes_before = linker.module.ctypes.len();
        let mut ctypes = module.ctypes.clone();
        for ctype in &mut ctypes {
            ctype.references_mut(|reference| {
                if let ReferenceMut::CType(id) = reference {
                    *id = CTypeId::at(id.index() + ctypes_before);
                }
            });
        }
        Remap { files, types, constants, ctypes_before, ctypes }
    }

    fn ctype(&self, id: &mut Option<CTypeId>) {
        *id = id.map(|id| CTypeId::at(id.index() + self.ctypes_before));
    }

    fn ty(&self, id: &mut Option<TypeId>) {
        *id = id.map(|id| self.types[id.index()]);
    }

    fn location(&self, location: &mut Option<Location>) {
        if let Some(location) = location {
            location.file = self.files[location.file.index()];
        }
    }

    fn attributes(&self, attributes: &mut ParameterAttributes) {
        self.ty(&mut attributes.by_value);
        self.ty(&mut attributes.struct_return);
    }

    pub(super) fn global(&self, global: &mut Global) {
        global.ty = self.types[global.ty.index()];
        self.ctype(&mut global.ctype);
        self.location(&mut global.location);
        for value in [&mut global.initializer, &mut global.alias_of] {
            *value = value.map(|id| self.constants[id.index()]);
        }
    }

    pub(super) fn function(&self, function: &mut Function) {
        self.ty(&mut function.ty);
        self.ctype(&mut function.ctype);
        for parameter in &mut function.parameters {
            self.ty(&mut parameter.ty);
            self.attributes(&mut parameter.attributes);
        }
        let pieces = function.pieces.iter_mut().map(|piece| &mut piece.span);
        for span in std::iter::once(&mut function.span).chain(pieces).flatten() {
            span.file = self.files[span.file.index()];
        }
        let Some(body) = &mut function.body else { return };
        for instruction in &mut body.instructions {
            instruction.ty = self.types[instruction.ty.index()];
            self.location(&mut instruction.location);
            instruction.op.references_mut(|reference| match reference {
                ReferenceMut::Type(id) => *id = self.types[id.index()],
                ReferenceMut::Const(id) | ReferenceMut::Operand(Operand::Const(id)) => {
                    *id = self.constants[id.index()];
                }
                _ => {}
            });
        }
        for variable in &mut body.variables {
            self.ctype(&mut variable.ctype);
            self.location(&mut variable.location);
        }
    }
}

fn add_file(linker: &mut Linker, file: &str) -> FileId {
    if let Some(&id) = linker.files.get(file) {
        return id;
    }
    let id = FileId::at(linker.module.files.len());
    linker.module.files.push(file.to_string());
    linker.files.insert(file.to_string(), id);
    id
}

/// An order of `0..count` in which what an entry refers to comes before it; without recursion.
fn children_first(count: usize, children: impl Fn(usize, &mut Vec<usize>)) -> Vec<usize> {
    let (mut order, mut seen, mut stack) = (Vec::with_capacity(count), vec![false; count], Vec::new());
    for root in 0..count {
        stack.push((root, false));
        while let Some((node, expanded)) = stack.pop() {
            if expanded {
                order.push(node);
            } else if !std::mem::replace(&mut seen[node], true) {
                stack.push((node, true));
                let mut below = Vec::new();
                children(node, &mut below);
                stack.extend(
                    below.into_iter().rev().filter(|&child| !seen[child]).map(|child| (child, false)),
                );
            }
        }
    }
    order
}

fn add_types(linker: &mut Linker, module: &Module) -> Vec<TypeId> {
    let order = children_first(module.types.len(), |index, below| {
        module.types.get(TypeId::at(index)).references(|reference| {
            if let Reference::Type(id) = reference {
                below.push(id.index());
            }
        });
    });
    let mut ids = vec![TypeId(0); module.types.len()];
    for index in order {
        let mut ty: Type = module.types.get(TypeId::at(index)).clone();
        ty.references_mut(|reference| {
            if let ReferenceMut::Type(id) = reference {
                *id = ids[id.index()];
            }
        });
        let types = &mut linker.module.types;
        let id = types.intern(ty);
        if let (None, Some(layout)) = (types.layout(id), module.types.layout(TypeId::at(index))) {
            types.set_layout(id, layout.clone());
        }
        ids[index] = id;
    }
    ids
}

fn add_constants(linker: &mut Linker, module: &Module, places: &Places, types: &[TypeId]) -> Vec<ConstId> {
    let order = children_first(module.constants.len(), |index, below| {
        module.constants[index].references(|reference| {
            if let Reference::Const(id) = reference {
                below.push(id.index());
            }
        });
    });
    let mut ids = vec![ConstId(0); module.constants.len()];
    for index in order {
        let mut constant = match &module.constants[index] {
            Const::Global(id) => address(places.globals[id.index()]),
            Const::Function(id) => address(places.functions[id.index()]),
            other => other.clone(),
        };
        if let Const::BlockAddress { function, .. } = &mut constant {
            match places.functions[function.index()] {
                Place::Function(id) => *function = id,
                // A label of a function that an alias replaces: the address of the alias is all that is left.
                place => constant = address(place),
            }
        } else {
            constant.references_mut(|reference| match reference {
                ReferenceMut::Type(id) => *id = types[id.index()],
                ReferenceMut::Const(id) => *id = ids[id.index()],
                _ => {}
            });
        }
        let constants = &mut linker.module.constants;
        ids[index] = *linker.constants.entry(constant).or_insert_with_key(|constant| {
            constants.push(constant.clone());
            ConstId::at(constants.len() - 1)
        });
    }
    ids
}

fn address(place: Place) -> Const {
    match place {
        Place::Function(id) => Const::Function(id),
        Place::Global(id) => Const::Global(id),
    }
}
