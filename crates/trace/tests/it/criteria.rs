//! What can be asked about beside lines and outputs.

use super::support::{hosted, record};
use hydrogen_machine::World;
use hydrogen_trace::{Criterion, Dependences, Options, Static, lines};

const SOURCE: &str = "#include <stdio.h>
int left, right;
int main(int argc, char **argv) {
 FILE *one = fopen(\"one\", \"w\");
 int a = argc + 1;
 int b = argc + 2;
 left = a * 2;
 right = b;
 if (argc > 5)
  left = 0;
 fprintf(one, \"%d\", a);
 fclose(one);
 FILE *two = fopen(\"two\", \"w\");
 fprintf(two, \"%d\", b);
 fclose(two);
 return 0;
}
";

/// The lines of the relevant and of the dynamic slice.
fn sliced(make: impl Fn(&World) -> Criterion) -> Option<[Vec<u32>; 2]> {
    let program = hosted(SOURCE)?;
    let statics = Static::new(&program, &["main"]);
    let (run, trace) = record(&program, World::new(["program"]));
    let criterion = make(&run.world);
    let global = match &criterion {
        Criterion::Global(name) => Some(name.clone()),
        _ => None,
    };
    let options = Options { global, ..Options::default() };
    let dependences = Dependences::new(&statics, &trace, &options).unwrap();
    let seeds = dependences.find(&criterion).unwrap();
    let both = [dependences.relevant_slice(&seeds), dependences.dynamic_slice(&seeds)];
    Some(both.map(|slice| {
        let lines = lines(&dependences, &slice.unwrap(), true).unwrap();
        lines.into_iter().filter(|(_, line)| line.sliced > 0).map(|((_, line), _)| line).collect()
    }))
}

#[test]
fn a_global_variable_is_what_was_written_there_or_might_have_been() {
    let Some([relevant, dynamic]) = sliced(|_| Criterion::Global("left".into())) else { return };
    assert_eq!(relevant, [5, 7, 9]);
    assert_eq!(dynamic, [5, 7]);
}

#[test]
fn a_file_is_what_was_written_to_it_and_before_it() {
    let file = |world: &World| Criterion::File(world.stream_of(b"two").unwrap(), "two".into());
    let Some([_, dynamic]) = sliced(file) else { return };
    assert_eq!(dynamic, [4, 5, 6, 11, 12, 13, 14, 15]);
}
