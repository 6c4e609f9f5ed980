//! Structures whose members lie elsewhere in the other version.
//!
//! What both versions see is compared by the names of members, never by bytes: a member that moved is still the same one, and another one that lies
//! in its place now is not. So structures that changed get one layout for both, in copies of the modules that only proofs look at: members that both
//! have in the same place keep it, all others get places of their own behind them. What reads or writes such a structure by bytes does not
//! fit to that, and is not compared.

use crate::members::renamed_in_place;
use crate::records::{Records, record_word, structures};
use hydrogen_flow::callee;
use hydrogen_ir::layout::{plain, pointee};
use hydrogen_ir::{
    Body, CType, Const, ConstExpr, FunctionId, Layout, Member, Module, Op, Operand, Reference, Type, TypeId,
};
use std::collections::{BTreeMap, BTreeSet};

/// Places are multiples of this, which is enough for every type.
const ALIGNED: u64 = 16;

/// Both modules with one layout of the structures that changed, and which functions have to do with these.
pub struct Laid {
    /// The old program.
    pub old: Module,
    /// The new program.
    pub new: Module,
    /// By version.
    touched: [BTreeMap<FunctionId, Fit>; 2],
}

/// Whether a function that has to do with a structure that changed can be compared by the names of its members.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fit {
    Fits,
    /// Why not.
    Not(String),
}

/// A member: its name, its place and its machine type in a version.
struct Field {
    name: String,
    at: u64,
    ty: TypeId,
    ctype: String,
}

/// A structure in both versions.
struct Record {
    ids: [TypeId; 2],
    fields: [Vec<Field>; 2],
}

impl Laid {
    /// None where no structure of both versions changed.
    pub fn of(old: &Module, new: &Module) -> Option<Self> {
        let modules = [old, new];
        let all = modules.map(structures);
        let known = modules.map(Records::of);
        let (mut records, mut odd): (BTreeMap<String, Record>, BTreeSet<String>) = Default::default();
        let mut changed = BTreeSet::new();
        for (name, ids) in &all[0] {
            let Some(others) = all[1].get(name) else { continue };
            let ([one], [other]) = (&ids[..], &others[..]) else {
                // Several of one name: which goes with which is not known.
                let differ = |(a, b): (&TypeId, &TypeId)| differ(modules, &known, (*a, *b));
                if ids.len() != others.len() || ids.iter().zip(others).any(differ) {
                    changed.insert(name.clone());
                    odd.insert(name.clone());
                }
                continue;
            };
            let of = [fields(old, &known[0], name, *one), fields(new, &known[1], name, *other)];
            match of {
                [Some(a), Some(mut b)] => {
                    name_alike(&a, &mut b);
                    if is_changed(modules, (*one, *other), (&a, &b)) {
                        changed.insert(name.clone());
                    }
                    records.insert(name.clone(), Record { ids: [*one, *other], fields: [a, b] });
                }
                _ => {
                    if differ(modules, &known, (*one, *other)) {
                        changed.insert(name.clone());
                    }
                    odd.insert(name.clone());
                }
            }
        }
        // What only one version has as a machine type, or none of them, is looked at by bytes, if at all.
        for (name, before) in known[0].all(old) {
            let is_known = all.iter().all(|of| of.contains_key(name));
            if !is_known && known[1].members(new, name).is_some_and(|after| has_moved(before, after)) {
                changed.insert(name.to_owned());
                odd.insert(name.to_owned());
            }
        }
        if changed.is_empty() {
            return None;
        }
        let holders = modules.map(|module| holders(module, &changed));
        for (module, holders) in modules.iter().zip(&holders) {
            // What holds one and has no name of its own has no common layout.
            for id in holders {
                if let Type::Struct(body) = module.types.get(*id)
                    && let Some(name) = body.name.as_deref().map(record_word)
                {
                    changed.insert(name.to_owned());
                    if !records.contains_key(name) {
                        odd.insert(name.to_owned());
                    }
                }
            }
        }
        let mut laid = Self { old: old.clone(), new: new.clone(), touched: Default::default() };
        let mut common = Common { modules, records: &records, changed: &changed, odd, done: BTreeMap::new() };
        for name in &changed {
            common.lay_out(name);
        }
        let Common { odd, done, .. } = common;
        for (at, module) in [&mut laid.old, &mut laid.new].into_iter().enumerate() {
            for (name, places) in &done {
                let record = &records[name];
                let offsets = record.fields[at].iter().map(|field| places.at[&field.name]).collect();
                let layout = Layout {
                    size_bits: places.bytes * 8,
                    alloc_bytes: places.bytes,
                    align_bytes: ALIGNED as u32,
                    field_offsets: offsets,
                };
                module.types.set_layout(record.ids[at], layout);
            }
            let arrays: Vec<TypeId> = module.types.iter().map(|(id, _)| id).collect();
            for id in arrays.into_iter().filter(|id| holders[at].contains(id)) {
                if let Some(bytes) = array_bytes(module, id) {
                    let align_bytes = ALIGNED as u32;
                    let layout = Layout {
                        size_bits: bytes * 8,
                        alloc_bytes: bytes,
                        align_bytes,
                        field_offsets: Vec::new(),
                    };
                    module.types.set_layout(id, layout);
                }
            }
        }
        laid.touched = [0, 1].map(|at| {
            let look = Look { module: modules[at], holders: &holders[at], changed: &changed, odd: &odd };
            modules[at].definitions().filter_map(|(id, _)| Some((id, look.at(id)?))).collect()
        });
        Some(laid)
    }

    /// Whether a function of either version has to do with a structure that changed.
    pub fn touches(&self, old: FunctionId, new: FunctionId) -> bool {
        self.touched[0].contains_key(&old) || self.touched[1].contains_key(&new)
    }

    /// Why a function of a version (0: the old one, 1: the new one) cannot be compared by the names of members.
    pub fn obstacle(&self, version: usize, function: FunctionId) -> Option<String> {
        match self.touched[version].get(&function)? {
            Fit::Not(why) => Some(why.clone()),
            Fit::Fits => None,
        }
    }
}

/// Whether two types lie in memory in different ways, or have other members.
fn differ([old, new]: [&Module; 2], known: &[Records; 2], (one, other): (TypeId, TypeId)) -> bool {
    let layouts = (old.types.layout(one), new.types.layout(other));
    let named = |module: &Module, known: &Records, id: TypeId| {
        let Type::Struct(body) = module.types.get(id) else { return None };
        let members = known.members(module, record_word(body.name.as_deref()?))?;
        Some(members.iter().map(|member| (member.name.clone(), member.offset_bits)).collect::<Vec<_>>())
    };
    layouts.0 != layouts.1 || named(old, &known[0], one) != named(new, &known[1], other)
}

/// Whether a member that both have lies elsewhere in the other version.
fn has_moved(old: &[Member], new: &[Member]) -> bool {
    old.iter().any(|one| {
        let mut same = new.iter().filter(|other| other.name == one.name);
        same.any(|other| (one.offset_bits, one.size_bits) != (other.offset_bits, other.size_bits))
    })
}

/// The machine's fields of a structure with their names; none where they are not one for one.
fn fields(module: &Module, known: &Records, name: &str, id: TypeId) -> Option<Vec<Field>> {
    let Type::Struct(body) = module.types.get(id) else { return None };
    body.name.as_deref().filter(|name| name.starts_with("struct."))?;
    let (types, members) = (body.fields.as_ref()?, known.members(module, name)?);
    let offsets = &module.types.layout(id)?.field_offsets;
    if members.len() != types.len() {
        return None;
    }
    let field = |(at, ty): (&u64, &TypeId)| {
        let mut here = members.iter().filter(|member| member.offset_bits == at * 8 && !member.bit_field);
        let (Some(member), None) = (here.next(), here.next()) else { return None };
        let ctype = module.ctype_name(member.ty);
        (!member.name.is_empty()).then(|| Field { name: member.name.clone(), at: *at, ty: *ty, ctype })
    };
    offsets.iter().zip(types).map(field).collect()
}

/// Members that only got another name have that of the old version.
fn name_alike(old: &[Field], new: &mut [Field]) {
    let is_like =
        |one: usize, other: usize| (old[one].at, &old[one].ctype) == (new[other].at, &new[other].ctype);
    for (own, other) in renamed_in_place((old, &*new), |field| &field.name, is_like) {
        new[own].name.clone_from(&old[other].name);
    }
}

fn is_changed(
    [old, new]: [&Module; 2],
    (one, other): (TypeId, TypeId),
    (a, b): (&[Field], &[Field]),
) -> bool {
    let size = |module: &Module, id| module.types.layout(id).map(|layout| layout.alloc_bytes);
    let alike = |(one, other): (&Field, &Field)| {
        (&one.name, one.at, &one.ctype) == (&other.name, other.at, &other.ctype)
            && size(old, one.ty) == size(new, other.ty)
    };
    size(old, one) != size(new, other) || a.len() != b.len() || !a.iter().zip(b).all(alike)
}

/// The types of a module that are, or hold, one of these structures.
fn holders(module: &Module, names: &BTreeSet<String>) -> BTreeSet<TypeId> {
    let mut found = BTreeSet::new();
    loop {
        let before = found.len();
        for (id, ty) in module.types.iter() {
            let holds = match ty {
                Type::Array { element, .. } => found.contains(element),
                Type::Struct(body) => {
                    let is_one = body.name.as_deref().is_some_and(|name| names.contains(record_word(name)));
                    is_one || body.fields.iter().flatten().any(|field| found.contains(field))
                }
                _ => false,
            };
            if holds {
                found.insert(id);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn array_bytes(module: &Module, id: TypeId) -> Option<u64> {
    match module.types.get(id) {
        Type::Array { element, len } => {
            let one = match array_bytes(module, *element) {
                Some(bytes) => bytes,
                None => module.types.layout(*element)?.alloc_bytes,
            };
            one.checked_mul(*len)
        }
        _ => None,
    }
}

/// Where the members of a structure are for both versions.
struct Places {
    at: BTreeMap<String, u64>,
    bytes: u64,
}

/// Common layouts in the making.
struct Common<'a> {
    modules: [&'a Module; 2],
    records: &'a BTreeMap<String, Record>,
    changed: &'a BTreeSet<String>,
    /// Structures that have none.
    odd: BTreeSet<String>,
    done: BTreeMap<String, Places>,
}

impl Common<'_> {
    fn lay_out(&mut self, name: &str) {
        if self.done.contains_key(name) || self.odd.contains(name) {
            return;
        }
        match self.places(name) {
            Some(places) => drop(self.done.insert(name.to_owned(), places)),
            None => drop(self.odd.insert(name.to_owned())),
        }
    }

    fn places(&mut self, name: &str) -> Option<Places> {
        let record = self.records.get(name)?;
        let [old, new] = &record.fields;
        // Whoever takes the address of the structure for that of its first member goes on to do so.
        let (first, other) = (old.first()?, new.first()?);
        if first.name != other.name || first.at != 0 || other.at != 0 {
            return None;
        }
        let native = |at: usize, ty: TypeId| Some(self.modules[at].types.layout(ty)?.alloc_bytes);
        let mut behind = native(0, record.ids[0])?.max(native(1, record.ids[1])?);
        let mut sizes: BTreeMap<&str, (u64, bool)> = BTreeMap::new();
        for field in old {
            let size = self.size(0, field.ty)?;
            let partner = new.iter().find(|other| other.name == field.name);
            let stays = match partner {
                Some(other) => {
                    // A member that got another type is not the same number any more.
                    if other.ctype != field.ctype || self.size(1, other.ty)? != size {
                        return None;
                    }
                    other.at == field.at && self.modules[0].types.layout(field.ty)?.alloc_bytes == size
                }
                None => false,
            };
            sizes.insert(&field.name, (size, stays));
        }
        for field in new {
            if !sizes.contains_key(field.name.as_str()) {
                let size = self.size(1, field.ty)?;
                sizes.insert(&field.name, (size, false));
            }
        }
        let grown = !sizes[first.name.as_str()].1;
        let mut at = BTreeMap::new();
        if grown {
            behind = behind.max(sizes[first.name.as_str()].0);
        }
        for field in old.iter().chain(new) {
            if at.contains_key(&field.name) {
                continue;
            }
            let (size, stays) = sizes[field.name.as_str()];
            let place = if field.name == first.name {
                0
            } else if stays && !grown {
                field.at
            } else {
                let place = behind.next_multiple_of(ALIGNED);
                behind = place.checked_add(size)?;
                place
            };
            at.insert(field.name.clone(), place);
        }
        Some(Places { at, bytes: behind.next_multiple_of(ALIGNED) })
    }

    /// The size of a type for both versions.
    fn size(&mut self, at: usize, ty: TypeId) -> Option<u64> {
        let module = self.modules[at];
        match module.types.get(ty) {
            Type::Array { element, len } => self.size(at, *element)?.checked_mul(*len),
            Type::Struct(body) => {
                let name = body.name.as_deref().map(record_word).unwrap_or_default();
                if !self.changed.contains(name) {
                    return Some(module.types.layout(ty)?.alloc_bytes);
                }
                self.lay_out(name);
                self.done.get(name).map(|places| places.bytes)
            }
            _ => Some(module.types.layout(ty)?.alloc_bytes),
        }
    }
}

/// Looks at what functions of a module do with structures that changed.
struct Look<'a> {
    module: &'a Module,
    holders: &'a BTreeSet<TypeId>,
    changed: &'a BTreeSet<String>,
    odd: &'a BTreeSet<String>,
}

impl Look<'_> {
    /// None for a function that has nothing to do with them.
    fn at(&self, id: FunctionId) -> Option<Fit> {
        let body = self.module.function(id).body.as_ref()?;
        let mut touched: BTreeSet<TypeId> = BTreeSet::new();
        let mut by_bytes = None;
        for instruction in &body.instructions {
            match &instruction.op {
                Op::ElementAddress { source, base, .. } => {
                    touched.extend(Some(*source).filter(|source| self.holders.contains(source)));
                    if matches!(self.module.types.get(*source), Type::Int(_)) && self.is_whole(body, base) {
                        by_bytes = Some("its address is counted in bytes");
                    }
                }
                Op::Alloca { ty, .. } => touched.extend(Some(*ty).filter(|ty| self.holders.contains(ty))),
                Op::Load { pointer, .. } | Op::Store { pointer, .. } if self.is_whole(body, pointer) => {
                    by_bytes = Some("it is accessed as something else");
                }
                Op::Call { .. } => {
                    if let Some(callee) = callee(self.module, &instruction.op)
                        && is_of_bytes(&self.module.function(callee).name)
                    {
                        by_bytes = Some("bytes are copied, set or compared there");
                    }
                }
                _ => {}
            }
            instruction.op.references(|reference| match reference {
                Reference::Operand(operand) => self.in_constant(operand, &mut touched),
                // Structures that are handed over by value.
                Reference::Type(ty) if self.holders.contains(ty) => drop(touched.insert(*ty)),
                _ => {}
            });
        }
        let named = body.variables.iter().filter_map(|variable| self.name_of(variable.ctype?));
        let named: BTreeSet<String> = named.collect();
        if touched.is_empty() && named.is_empty() {
            return None;
        }
        let mut names: BTreeSet<String> = named;
        for ty in touched {
            names.extend(self.names_in(ty));
        }
        if let Some(name) = names.iter().find(|name| self.odd.contains(*name)) {
            return Some(Fit::Not(format!("the members of `{name}` lie elsewhere, and are not told apart")));
        }
        let name = names.first().cloned().unwrap_or_default();
        Some(
            by_bytes.map_or(Fit::Fits, |why| {
                Fit::Not(format!("the members of `{name}` lie elsewhere, and {why}"))
            }),
        )
    }

    /// The structures that changed in a type.
    fn names_in(&self, ty: TypeId) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut open = vec![ty];
        while let Some(ty) = open.pop().filter(|_| found.len() < 64) {
            match self.module.types.get(ty) {
                Type::Array { element, .. } => open.push(*element),
                Type::Struct(body) => {
                    let name = body.name.as_deref().map(record_word).unwrap_or_default();
                    // What has no name and holds one has no layout for both.
                    if self.changed.contains(name) || self.holders.contains(&ty) {
                        found.insert(name.to_owned());
                    }
                    open.extend(body.fields.iter().flatten().filter(|field| self.holders.contains(field)));
                }
                _ => {}
            }
        }
        found
    }

    /// The structure that changed that a variable is, or points to.
    fn name_of(&self, mut ctype: hydrogen_ir::CTypeId) -> Option<String> {
        for _ in 0..8 {
            if let CType::Typedef { name, .. } = self.module.ctype(ctype)
                && self.changed.contains(name)
            {
                return Some(name.clone());
            }
            ctype = match self.module.ctype(ctype) {
                CType::Typedef { target, .. } | CType::Qualified { target, .. } | CType::Pointer(target) => {
                    *target
                }
                CType::Array { element, .. } => *element,
                CType::Record { name: Some(name), .. } => {
                    return self.changed.contains(name).then(|| name.clone());
                }
                _ => return None,
            };
        }
        None
    }

    /// Whether a pointer is one to a whole structure that changed, and not to a member of it.
    fn is_whole(&self, body: &Body, pointer: &Operand) -> bool {
        let Operand::Instruction(id) = pointer else { return false };
        match &body.instruction(*id).op {
            Op::Alloca { ty, .. } => self.holders.contains(ty),
            Op::Load { pointer: Operand::Instruction(slot), .. } => {
                let of_slot = body.variables.iter().find(|variable| variable.slot == Some(*slot));
                let target = of_slot.and_then(|variable| pointee(self.module, variable.ctype?));
                target.is_some_and(|target| {
                    let is_record =
                        matches!(self.module.ctype(plain(self.module, target)), CType::Record { .. });
                    is_record && self.name_of(target).is_some()
                })
            }
            _ => false,
        }
    }

    /// Variables of the program that are, or hold, one.
    fn in_constant(&self, operand: &Operand, touched: &mut BTreeSet<TypeId>) {
        let Operand::Const(id) = operand else { return };
        let mut open = vec![*id];
        while let Some(id) = open.pop() {
            match self.module.constant(id) {
                Const::Global(global) => {
                    let ty = self.module.global(*global).ty;
                    touched.extend(Some(ty).filter(|ty| self.holders.contains(ty)));
                }
                Const::Expr { expr: ConstExpr::ElementAddress { source, base, indices, .. }, .. } => {
                    touched.extend(Some(*source).filter(|source| self.holders.contains(source)));
                    open.push(*base);
                    open.extend(indices);
                }
                Const::Expr { expr: ConstExpr::Cast(_, value), .. } => open.push(*value),
                Const::Expr { expr: ConstExpr::Binary(_, left, right), .. } => open.extend([*left, *right]),
                _ => {}
            }
        }
    }
}

/// Whether a function of the library, or of the compiler, looks at bytes whatever they are.
fn is_of_bytes(name: &str) -> bool {
    let name = name.trim_start_matches("__builtin_").trim_start_matches("llvm.").trim_start_matches('_');
    ["memcpy", "memmove", "memset", "memcmp", "memchr", "mempcpy", "bcopy", "bzero", "bcmp", "strncpy"]
        .iter()
        .any(|one| name.starts_with(one))
}
