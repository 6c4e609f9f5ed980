//! The invariants on histories of mutated C text, read in build-free mode: whatever the text becomes, every version is
//! recovered.

use hydrogen_graph::{Graph, VersionId, VersionInfo, VersionInput};
use hydrogen_ir::Module;
use proptest::prelude::*;

const SOURCE: &str = r##"#include <stdio.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b))
static int limit = 8;

static int parse(const char *s, int *out) {
  int n = 0, sign = 1;
  if (s == NULL || *s == '\0')
    return -1;
  for (; *s; s++) {
    switch (*s) {
    case '-':
      sign = -1;
      break;
    case '+':
      continue;
    case '0' ... '9':
      n = n * 10 + (*s - '0');
      break;
    default:
      goto bad;
    }
  }
#ifdef CHECKED
  if (n > limit)
    return report(n);
#else
  n = MAX(n, limit);
#endif
  *out = sign * n;
  return 0;
bad:
  fprintf(stderr, "bad: %c\n", *s);
  return -1;
}

int use(int argc, char **argv) {
  int total = 0;
  while (argc-- > 1) {
    int value = 0;
    if (parse(argv[argc], &value) == 0 && value > 0)
      total += value;
    else if (!handler || (*handler)(argv[argc]))
      break;
  }
  do {
    total = total > 100 ? total / 2 : total;
  } while (total > 100);
  return total;
}
"##;

/// What, at which line, with which other line.
type Edit = (u8, u16, u16);

fn mutate(lines: &mut Vec<String>, versions: &[Vec<String>], (kind, at, other): Edit) {
    if lines.is_empty() {
        lines.push("int f(void) { return 0; }".into());
    }
    let (at, other) = (usize::from(at) % lines.len(), usize::from(other) % lines.len());
    match kind % 12 {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[other].clone()),
        2 => lines.swap(at, other),
        3 => lines.insert(at, String::new()),
        4 => lines.insert(at, format!("  step({other});")),
        5 => lines.insert(at, "/* a comment */".into()),
        6 => lines[at] = lines[at].replace("total", "sum"),
        7 => lines[at] = lines[at].replace('0', "1"),
        8 => lines[at] = lines[at].replace(' ', "  "),
        9 => {
            // The second function first.
            let middle = lines.iter().position(|line| line == "}").map_or(0, |end| end + 1);
            lines.rotate_left(middle);
        }
        10 => lines.insert(at, format!("  case {other}: total = {other};")),
        _ => *lines = versions[other % versions.len()].clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_version_of_mutated_source_is_recovered(
        steps in prop::collection::vec(prop::collection::vec((any::<u8>(), any::<u16>(), any::<u16>()), 0..4), 1..8)
    ) {
        let mut versions: Vec<Vec<String>> = vec![SOURCE.lines().map(str::to_owned).collect()];
        for step in &steps {
            let mut lines = versions.last().expect("there is one").clone();
            for &edit in step {
                mutate(&mut lines, &versions, edit);
            }
            versions.push(lines);
        }
        let modules: Vec<Vec<Module>> = versions
            .iter()
            .map(|lines| {
                let text = lines.join("\n") + "\n";
                vec![hydrogen_syntax::read("a.c", text.as_bytes(), &hydrogen_syntax::Options::default()).module]
            })
            .collect();
        let inputs = || -> Vec<VersionInput<'_>> {
            let info = |at: usize| VersionInfo {
                name: at.to_string(),
                parents: at.checked_sub(1).map(VersionId::at).into_iter().collect(),
                ..VersionInfo::default()
            };
            modules.iter().enumerate().map(|(at, modules)| VersionInput::from_modules(info(at), modules)).collect()
        };
        let graph = Graph::build(inputs()).expect("syntax gives well-formed models");
        let checked = graph.check(&inputs());
        prop_assert!(checked.is_ok(), "{:#?}", checked);
        prop_assert_eq!(Graph::load(&graph.save()).expect("saved just now").save(), graph.save());
        let empty = graph.to_text().is_empty() && graph.chains().len() > 0;
        prop_assert!(!empty);
    }
}
