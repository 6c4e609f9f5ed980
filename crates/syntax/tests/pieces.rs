//! Reading a file piece by piece, with what other versions of it left behind, gives what reading it as a whole gives.
#![allow(clippy::unwrap_used)]

use hydrogen_ir::{Function, Span};
use hydrogen_syntax::{
    Item, Keep, NameHash, Options, Pieces, mentions_of, names, names_by_pieces, read, read_pieces,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Keeps everything.
struct All;

impl Keep for All {
    type Function = (Function, Vec<NameHash>, usize);
    type Items = Vec<Item>;

    fn function(&self, function: Function, uses: &[NameHash], problems: usize, _: &[u8]) -> Self::Function {
        (function.clone(), uses.to_vec(), problems)
    }

    fn items(&self, items: &[Item], _: bool) -> Vec<Item> {
        items.to_vec()
    }
}

fn moved(mut span: Span, lines: u32) -> Span {
    span.start.line += lines;
    span.end.line += lines;
    span
}

/// Reads a file both ways.
fn compare(source: &str, header: &str, pieces: &Pieces<All>) {
    let options = Options { known: Some(Arc::new(names(header.as_bytes()))), ..Options::default() };
    let unit = read("a.c", source.as_bytes(), &options);
    let sketch = read_pieces("a.c", source.as_bytes(), &options, pieces);
    assert!(sketch.failed.is_none() && unit.failed.is_none());
    let items: Vec<Item> = sketch
        .pieces
        .iter()
        .flat_map(|(before, piece)| {
            piece.items.iter().map(|item| Item { span: moved(item.span, *before), ..item.clone() })
        })
        .collect();
    assert_eq!(items, unit.items, "items of {source:?}");
    let functions: Vec<Function> = sketch
        .functions
        .iter()
        .map(|(line, made)| {
            let mut function = made.0.clone();
            function.move_to(*line);
            function
        })
        .collect();
    assert_eq!(functions, unit.module.functions, "functions of {source:?}");
    let uses: Vec<Vec<NameHash>> = sketch.functions.iter().map(|(_, made)| made.1.clone()).collect();
    assert_eq!(uses, unit.uses, "names in functions of {source:?}");
    let mut inside = unit.problems.clone();
    for (before, piece) in &sketch.pieces {
        for problem in &piece.problems {
            let span = moved(problem.span, *before);
            let at = inside.iter().position(|it| it.span == span && it.message == problem.message);
            inside.remove(at.unwrap_or_else(|| panic!("{problem:?} of {source:?}")));
        }
    }
    let counted: usize = sketch.functions.iter().map(|(_, made)| made.2).sum();
    assert_eq!(inside.len(), counted, "problems of {source:?}");
    let mentions: BTreeSet<NameHash> =
        sketch.pieces.iter().flat_map(|(_, piece)| piece.mentions.names().to_vec()).collect();
    let expect = mentions_of(unit.uses.iter().flatten().copied().collect(), &unit.items);
    assert_eq!(mentions.into_iter().collect::<Vec<_>>(), expect, "names in {source:?}");
    assert_eq!(names_by_pieces(source.as_bytes(), pieces), names(source.as_bytes()), "names of {source:?}");
}

/// Parts of files, whole ones and others that reach over what follows them.
const PARTS: [&str; 44] = [
    "\n",
    "\n\n",
    "int a;\n",
    "static int f(int x) {\n  if (x) STOP;\n  return A ? B : 1;\n}\n",
    "int g(int x)\n{\n  EACH(x) { x += TRUE; }\n\n  die();\n  return x;\n}\n",
    "int\nmain(argc, argv)\n  int argc;\n\nchar **argv;\n{\n  return 0;\n}\n",
    "struct s {\n  int x;\n#ifdef Y\n  int y;\n#endif\n};\n",
    "struct s {\n  int x;\n}\n",
    "struct s v = {\n  1\n};\n",
    "enum { A, B };\n",
    "#define STOP die()\n",
    "#define STOP \\\n",
    "#define EACH(x) for (x = 0; x < 3; x++)\n",
    "#define TRUE ONE\n#define ONE 1\n",
    "#define V \"1.2\"\n",
    "_Noreturn void die(void);\n",
    "void die(void);\n",
    "#if X\n",
    "#if 0\n",
    "#if 1\n",
    "#ifdef Y\n",
    "#elif Z\n",
    "#else\n",
    "#endif\n",
    "#ifdef __cplusplus\nextern \"C\" {\n#endif\n",
    "#ifdef __cplusplus\n}\n#endif\n",
    "extern \"C\" {\n",
    "}\n",
    "{\n",
    "{ x = 1; }\n",
    ";\n",
    "= 3;\n",
    ", b;\n",
    "/* a comment\n\n",
    "*/\n",
    "// a line \\\n",
    "char *t = \"open\\\n",
    "#include <stdio.h>\n",
    "#include \"a.h\"\n",
    "void h(\n#ifdef W\n  int x\n#else\n  long x\n#endif\n)\n{\n  x++;\n}\n",
    "#ifdef W\nint k(int x)\n#else\nint k(long x)\n#endif\n{\n  return x;\n}\n",
    "#ifdef W\nint k(int x) {\n#else\nint k(long x) {\n#endif\n  return x;\n}\n",
    "MACRO(x)\n",
    "DEFUN (\"car\", Fcar, Scar)\n  (int x)\n{\n  return x;\n}\n",
];

fn file(most: usize) -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..PARTS.len(), 0..most)
}

fn text(parts: &[usize]) -> String {
    parts.iter().map(|part| PARTS[*part]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any parts in any order, one version after the other.
    #[test]
    fn pieces_are_the_whole(versions in prop::collection::vec((file(10), file(3)), 1..4), room in 2usize..40) {
        let pieces = Pieces::new(All, room);
        for (source, header) in &versions {
            compare(&text(source), &text(header), &pieces);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// A file as people write them, edited again and again: lines come, go and change places.
    #[test]
    fn edits_are_the_whole(edits in prop::collection::vec((any::<u16>(), any::<u16>(), 0..4u8, 0..PARTS.len()), 1..6)) {
        let pieces = Pieces::new(All, 1000);
        let mut lines: Vec<String> = include_str!("seed.c").lines().map(|line| format!("{line}\n")).collect();
        compare(&lines.concat(), "", &pieces);
        for (at, to, how, part) in edits {
            let (at, to) = (usize::from(at) % lines.len(), usize::from(to) % lines.len());
            match how {
                0 => lines.insert(at, PARTS[part].to_owned()),
                1 => drop(lines.remove(at)),
                2 => lines.swap(at, to),
                _ => lines[at] = lines[at].replacen(['(', '{', ';', 'a'], "x", 1),
            }
            compare(&lines.concat(), PARTS[part], &pieces);
        }
    }
}
