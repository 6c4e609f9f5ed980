//! Tests along the orders in which changes are executed (E11, W9).

use super::support::{input, options, program, shapes};
use hydrogen_expose::{Along, Ended, Search, critical};

const CUT: &str = "int main(void) {\n\
    char s[4]; hydrogen_symbolic(s, 3, \"s\"); s[3] = 0;\n\
    const char *fs = s; int v = 0, c = 0, init = 1;\n\
    LHS\n\
    for (;;) {\n\
        if (*fs >= '0' && *fs <= '9') {\n\
            v = *fs - '0';\n\
            SET\n\
        } else if (*fs == '-') {\n\
            c = C;\n\
            init = c ? v : 1;\n\
        } else {\n\
            if (init == 0) __builtin_trap();\n\
            break;\n\
        }\n\
        fs++;\n\
    }\n\
    return 0; }";

/// W9: a digit and then a dash make the new version fail where the digit is 0; neither change does alone.
#[test]
fn the_changes_that_fail_together() {
    let old = program(&CUT.replace("LHS", "").replace("SET", "").replace("C;", "v;"));
    let new = program(&CUT.replace("LHS", "int lhs = 0;").replace("SET", "lhs = 1;").replace("C;", "lhs;"));
    for along in [Along::Sequences, Along::Changes] {
        let mut options = options();
        (options.along, options.runs) = (along, 300);
        let mut search = Search::new([&old, &new], shapes(), &options);
        let mut found = usize::from(search.start(0, input(&[])).is_some());
        while let Ended::Found(_) = search.search(usize::MAX) {
            found += 1;
        }
        assert!(found >= 1, "{:?}", search.statistics);
        let of = |wanted: bool| -> Vec<&[hydrogen_pair::Node]> {
            let some = search.walks.iter().filter(|walk| walk.differs.is_empty() != wanted);
            some.map(|walk| walk.sequence.as_slice()).collect()
        };
        let needed: Vec<String> =
            critical(&of(true), &of(false)).into_iter().map(|node| search.point(node).text).collect();
        assert_eq!(needed, ["lhs = 1", "c = lhs"], "{along:?}");
        // The shortest failing sequence is the one that the thesis names: all three changes, the digit before the dash.
        let shortest = of(true).into_iter().min_by_key(|sequence| sequence.len()).unwrap();
        let named: Vec<String> = shortest.iter().map(|node| search.point(*node).text).collect();
        assert_eq!(named, ["int lhs = 0", "lhs = 1", "c = lhs"], "{along:?}");
        // Every test has its one sequence, and one difference is shown for each that has some.
        let mut failing = of(true);
        failing.sort();
        failing.dedup();
        assert_eq!(failing.len(), found, "{along:?}");
    }
}
