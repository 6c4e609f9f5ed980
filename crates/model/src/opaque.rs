//! Types that headers name and a source file defines: `typedef struct s t;` in a header, `struct s` in the file that alone knows
//! what it is made of. For functions of that file the header's name means what the file says.

use crate::items::{FileItem, VersionItem};
use hydrogen_syntax::{ByHash, ItemKind, NameHash};
use std::collections::{BTreeSet, HashMap};

/// Per file and name of a header, what the file itself says of it.
#[derive(Debug, Default)]
pub(crate) struct Opaque<'a>(HashMap<&'a str, HashMap<&'a str, Vec<&'a VersionItem>>>);

impl<'a> Opaque<'a> {
    /// Of the items of all files, and of those of the version that are made of them.
    pub fn of(files: impl Iterator<Item = (&'a str, &'a [FileItem])>, items: &'a [VersionItem]) -> Self {
        // Who mentions a name, among the items of headers.
        let mut users: HashMap<NameHash, Vec<&'a str>, ByHash> = HashMap::default();
        for item in files.filter(|(path, _)| !path.ends_with(".c")).flat_map(|(_, items)| items) {
            for mention in &item.mentions {
                users.entry(*mention).or_default().push(&item.name);
            }
        }
        let headers: BTreeSet<&str> =
            items.iter().filter(|it| it.file.is_none()).map(|it| it.name.as_str()).collect();
        let mut found = Self::default();
        for item in items {
            // What a header defines, too, is known to it.
            if let Some(file) = item.file.as_deref().filter(|_| !headers.contains(item.name.as_str())) {
                found.follow(item, file, &users);
            }
        }
        found
    }

    /// Enters all names of headers that lead to an item of a file.
    fn follow(
        &mut self,
        item: &'a VersionItem,
        file: &'a str,
        users: &HashMap<NameHash, Vec<&'a str>, ByHash>,
    ) {
        let starred =
            (item.kind != ItemKind::Type).then(|| NameHash::of(format!("*{}", item.name).as_bytes()));
        let mut waiting: Vec<NameHash> =
            [Some(NameHash::of(item.name.as_bytes())), starred].into_iter().flatten().collect();
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        while let Some(name) = waiting.pop() {
            for &user in users.get(&name).into_iter().flatten() {
                if seen.insert(user) {
                    self.0.entry(file).or_default().entry(user).or_default().push(item);
                    waiting.push(NameHash::of(user.as_bytes()));
                }
            }
        }
    }

    /// What a file says of a name that a header has.
    pub fn meant(&self, name: &str, file: &str) -> &[&'a VersionItem] {
        self.0.get(file).and_then(|own| own.get(name)).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::items::version_items;
    use hydrogen_syntax::{Options, read};

    fn lead_to(header: &str, source: &str, name: &str) -> Vec<String> {
        let all = [("a.h", header), ("a.c", source), ("b.c", "int other;\n")];
        let items = all.map(|(path, text)| {
            (path, FileItem::all(&read(path, text.as_bytes(), &Options::default()).items))
        });
        let files = || items.iter().map(|(path, items)| (*path, items.as_slice()));
        let version = version_items(files());
        let opaque = Opaque::of(files(), &version);
        assert!(opaque.meant(name, "b.c").is_empty());
        opaque.meant(name, "a.c").iter().map(|item| item.name.clone()).collect()
    }

    #[test]
    fn a_header_names_what_a_file_defines() {
        let source = "struct s { int a; };\n";
        assert_eq!(lead_to("typedef struct s t;\ntypedef t u;\n", source, "t"), ["struct s"]);
        assert_eq!(lead_to("typedef struct s t;\ntypedef t u;\n", source, "u"), ["struct s"]);
        assert!(lead_to("struct s { int a; };\ntypedef struct s t;\n", source, "t").is_empty());
        assert!(lead_to("typedef struct s *t;\n", source, "t").is_empty());
        assert_eq!(lead_to("#define TWICE (2 * SIZE)\n", "#define SIZE 3\n", "TWICE"), ["SIZE"]);
    }
}
