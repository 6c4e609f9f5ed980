//! Structures and unions by name, and their members by place.

use hydrogen_ir::{CType, CTypeId, Member, Module, RecordKind, Type, TypeId, layout};
use std::collections::BTreeMap;

/// The records of a module by tag or by the name of their type. A tag comes before a type of the same name, and the first of several before the others.
#[derive(Debug, Default)]
pub struct Records(BTreeMap<String, CTypeId>);

impl Records {
    /// Reads the records of a module that say what their members are.
    pub fn of(module: &Module) -> Self {
        let mut found = BTreeMap::new();
        for (at, ctype) in module.ctypes.iter().enumerate() {
            if let CType::Record { name: Some(name), members, .. } = ctype
                && !members.is_empty()
            {
                found.entry(name.clone()).or_insert_with(|| CTypeId::at(at));
            }
        }
        for ctype in &module.ctypes {
            if let CType::Typedef { name, target } = ctype {
                let target = layout::plain(module, *target);
                if !members_of(module, target).is_empty() {
                    found.entry(name.clone()).or_insert(target);
                }
            }
        }
        Self(found)
    }

    /// The record of a name.
    pub fn named(&self, name: &str) -> Option<CTypeId> {
        self.0.get(name).copied()
    }

    /// The members of the record of a name.
    pub fn members<'m>(&self, module: &'m Module, name: &str) -> Option<&'m [Member]> {
        self.named(name).map(|id| members_of(module, id))
    }

    /// All records with their names and members.
    pub fn all<'m>(&self, module: &'m Module) -> impl Iterator<Item = (&str, &'m [Member])> {
        self.0.iter().map(|(name, id)| (name.as_str(), members_of(module, *id)))
    }

    /// The member of a structure that begins at an offset in bytes.
    pub fn member_at<'m>(&self, module: &'m Module, name: &str, offset: u64) -> Option<&'m str> {
        match module.ctype(self.named(name)?) {
            CType::Record { kind: RecordKind::Struct, members, .. } => {
                let mut here = members.iter().filter(|one| !one.bit_field && one.offset_bits == offset * 8);
                here.next().map(|member| member.name.as_str()).filter(|name| !name.is_empty())
            }
            _ => None,
        }
    }
}

/// The members of a record; none of anything else.
pub(crate) fn members_of(module: &Module, id: CTypeId) -> &[Member] {
    match module.ctype(id) {
        CType::Record { members, .. } => members,
        _ => &[],
    }
}

/// The structures and unions that a module has as machine types, by name.
pub(crate) fn structures(module: &Module) -> BTreeMap<String, Vec<TypeId>> {
    let mut found: BTreeMap<String, Vec<TypeId>> = BTreeMap::new();
    for (id, ty) in module.types.iter() {
        if let Type::Struct(body) = ty
            && body.fields.is_some()
            && let Some(name) = &body.name
        {
            found.entry(record_word(name).to_owned()).or_default().push(id);
        }
    }
    found
}

/// The name of a structure, without what the compiler puts around it: `struct.point.12` is `point`.
pub fn record_word(name: &str) -> &str {
    let kinds = ["struct.", "union.", "class."];
    let mut name = kinds.iter().find_map(|kind| name.strip_prefix(kind)).unwrap_or(name);
    loop {
        match plain_name(name) {
            plain if plain == name => return name,
            plain => name = plain,
        }
    }
}

/// A name without the number that the compiler adds to a second one.
pub fn plain_name(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((before, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            before
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::record_word;

    #[test]
    fn numbers_of_the_compiler_are_no_part_of_a_name() {
        let names = ["struct.point", "struct.point.12", "struct.point.12.7", "union.v2", "struct.sha256.1"];
        assert_eq!(names.map(record_word), ["point", "point", "point", "v2", "sha256"]);
    }
}
