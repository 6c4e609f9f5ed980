//! A call as a test in C: it builds the memory, calls the function, and prints what the caller sees.

use crate::observed::{in_a_test, result_slot, result_slots, result_type};
use crate::seen::{Leads, Seen, Way, seen};
use hydrogen_evidence::{Call, Cell, Object, Value};
use hydrogen_ir::layout::{SlotKind, parameter_type, plain};
use hydrogen_ir::{CType, Function, Module};
use hydrogen_machine::{After, Left, convention, result_words};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The text of a test. It includes the file that defines the function, so that the file's own types and `static` functions are in sight;
/// it is compiled with that file's flags. Objects that the call freed, as `after` says, are not looked at.
pub fn c_test(
    module: &Module,
    function: &Function,
    call: &Call,
    after: Option<&After>,
    file: &str,
    about: &str,
) -> String {
    let mut out = String::new();
    for line in about.lines() {
        let _ = writeln!(out, "// {line}");
    }
    // The program's own entry point must not be the test's.
    let _ = writeln!(out, "#define main hydrogen_other_main\n#include \"{file}\"\n#undef main");
    out.push_str(HEAD);
    out.push_str(crate::string::IN_C);
    stubs(&mut out, call);
    crate::stubs::by_arguments(&mut out, module, call);
    crate::stubs::strangers_in(&mut out, module, call);
    let _ = writeln!(out, "\nint main(void)\n{{");
    for (at, object) in call.objects.iter().enumerate() {
        let made = match hydrogen_machine::stream_for(module, function, call, at) {
            Some(stream) => stream.name().to_owned(),
            None => format!("hydrogen_new({at}, {})", object.size),
        };
        let _ = writeln!(out, "    void *o{at} = {made}; // {}", object.name);
    }
    for (at, object) in call.objects.iter().enumerate().filter(|(_, object)| !object.is_stream()) {
        cells(&mut out, &format!("o{at}"), &object.cells);
    }
    for global in &call.globals {
        cells(&mut out, &format!("&{}", global.name), &global.cells);
    }
    let taken = (0..).take_while(|at| parameter_type(module, function, *at).is_some()).count();
    let arguments: Vec<String> = (0..taken)
        .map(|at| match call.arguments.get(at) {
            Some(argument) => argument_text(module, function, at, &argument.value),
            None => "0".to_owned(),
        })
        .collect();
    let called = format!("{}({})", function.name, arguments.join(", "));
    let ctype = result_type(module, function).map(|ctype| module.ctype_name(ctype));
    let is_shown = result_slot(module, function).is_some() || !result_slots(module, function).is_empty();
    let _ = match is_shown {
        true => writeln!(out, "    {} hydrogen_result = {called};", ctype.unwrap_or("long".into())),
        false => writeln!(out, "    {called};"),
    };
    let seen = match after {
        Some(after) => seen(module, function, call, after),
        None => seen(module, function, call, &untouched(module, function, call)),
    };
    show_all(&mut out, &seen);
    let names: Vec<String> = call.objects.iter().map(|object| quoted(&object.name)).collect();
    let _ = writeln!(out, "    return 0;\n}}");
    let sizes: Vec<String> = call.objects.iter().map(|object| object.size.to_string()).collect();
    out.replace("@NAMES@", &join(&names, "\"\"")).replace("@SIZES@", &join(&sizes, "0"))
}

fn join(list: &[String], none: &str) -> String {
    if list.is_empty() { none.to_owned() } else { list.join(", ") }
}

/// Shows the values, by what holds them.
fn show_all(out: &mut String, seen: &[Seen]) {
    let mut shown = in_a_test(seen).peekable();
    while let Some(first) = shown.next() {
        let Some(way) = &first.way else { continue };
        let name = base(way);
        if let Way::Behind(..) = **way {
            let _ = writeln!(out, "    if ((hydrogen_behind_it = {name})) {{");
        }
        let base = match **way {
            Way::Behind(..) => "hydrogen_behind_it".to_owned(),
            _ => name,
        };
        show(out, first, &base);
        while let Some(next) = shown.next_if(|next| next.way.as_ref() == Some(way)) {
            show(out, next, &base);
        }
        if let Way::Behind(..) = **way {
            let _ = writeln!(out, "    }}");
        }
    }
}

/// The address of what holds values, as an expression.
fn base(way: &Way) -> String {
    match way {
        Way::Result => "&hydrogen_result".to_owned(),
        Way::Object(at) => format!("o{at}"),
        Way::Global(name) => format!("&{name}"),
        Way::Behind(way, at, behind) => format!("hydrogen_behind({}, {at}, {behind})", base(way)),
    }
}

/// What is shown where nobody has run the call to its end: what it was given, and a result.
fn untouched(module: &Module, function: &Function, call: &Call) -> After {
    let mut after = After { objects: call.objects.iter().map(left_as_given).collect(), ..After::default() };
    match convention(module, function).and_then(|known| known.result) {
        Some((_, size)) => {
            after.result.push(Value::Object(after.objects.len(), 0));
            after.objects.push(Some(Left { bytes: vec![0; size as usize], ..Left::default() }));
        }
        None if result_type(module, function).is_some() => {
            after.result = vec![Value::number(64, 0); result_words(module, function).len().max(1)];
        }
        None => {}
    }
    after
}

/// An object as it was given, where nothing is known of what the call did to it.
fn left_as_given(object: &Object) -> Option<Left> {
    let mut left = Left { bytes: vec![0; object.size.min(1 << 20) as usize], ..Left::default() };
    for cell in &object.cells {
        if !matches!(cell.value, Value::Number(_)) {
            left.pointers.insert(cell.at, cell.value.clone());
        }
    }
    Some(left)
}

const HEAD: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *hydrogen_names[] = {@NAMES@};
static const unsigned long hydrogen_sizes[] = {@SIZES@};
static void *hydrogen_objects[sizeof hydrogen_sizes / sizeof *hydrogen_sizes];

static void *hydrogen_new(int number, unsigned long size)
{
    return hydrogen_objects[number] = calloc(1, size);
}

static void hydrogen_put(void *object, unsigned long at, unsigned long bytes, unsigned long long value)
{
    memcpy((char *)object + at, &value, bytes);
}

static void hydrogen_put_pointer(void *object, unsigned long at, void *value)
{
    memcpy((char *)object + at, &value, sizeof value);
}

static int hydrogen_is_outside(const void *value)
{
    if (!value)
        return 0;
    for (unsigned long number = 0; number < sizeof hydrogen_objects / sizeof *hydrogen_objects; number++) {
        const char *first = hydrogen_objects[number];
        if (first && (const char *)value >= first && (const char *)value <= first + hydrogen_sizes[number])
            return 0;
    }
    return 1;
}

static const char *hydrogen_behind_it;

static const char *hydrogen_behind(const void *object, unsigned long at, long behind)
{
    char *value;
    if (!object)
        return 0;
    memcpy(&value, (const char *)object + at, sizeof value);
    return value ? value - behind : 0;
}

static unsigned long long hydrogen_get(const void *object, unsigned long at, unsigned long bytes)
{
    unsigned long long value = 0;
    memcpy(&value, (const char *)object + at, bytes);
    return value;
}

static void hydrogen_show_pointer(const char *name, const void *object, unsigned long at)
{
    char *value;
    memcpy(&value, (const char *)object + at, sizeof value);
    if (!value) {
        printf("%s = NULL\n", name);
        return;
    }
    for (unsigned long number = 0; number < sizeof hydrogen_objects / sizeof *hydrogen_objects; number++) {
        char *first = hydrogen_objects[number];
        if (first && value >= first && value <= first + hydrogen_sizes[number]) {
            printf("%s = &<%s> + %ld\n", name, hydrogen_names[number], (long)(value - first));
            return;
        }
    }
    printf("%s = elsewhere\n", name);
}
"#;

fn show(out: &mut String, seen: &Seen, object: &str) {
    let slot = &seen.slot;
    let (name, bytes, at) = (quoted(&seen.path), slot.bytes, slot.at);
    let unused = 64 - 8 * bytes;
    let get = format!("hydrogen_get({object}, {at}, {bytes})");
    if let Leads::Text(behind, size) = seen.leads {
        let _ = writeln!(out, "    hydrogen_show_text({name}, {object}, {at}, {behind}, {size});");
        return;
    }
    let _ = match slot.kind {
        _ if seen.is_pointer => writeln!(out, "    hydrogen_show_pointer({name}, {object}, {at});"),
        SlotKind::Number { signed: true } => {
            writeln!(out, "    printf(\"%s = %lld\\n\", {name}, (long long)({get} << {unused}) >> {unused});")
        }
        SlotKind::Number { signed: false } => writeln!(out, "    printf(\"%s = %llu\\n\", {name}, {get});"),
        SlotKind::Truth => writeln!(out, "    printf(\"%s = %llu\\n\", {name}, {get} & 1);"),
        SlotKind::Float => writeln!(out, "    printf(\"%s = bits %llx\\n\", {name}, {get});"),
        SlotKind::Pointer => writeln!(out, "    hydrogen_show_pointer({name}, {object}, {at});"),
    };
}

fn cells(out: &mut String, object: &str, cells: &[Cell]) {
    for cell in cells {
        let path = if cell.path.is_empty() { String::new() } else { format!(" // {}", cell.path) };
        let at = cell.at;
        let _ = match &cell.value {
            Value::Number(number) => writeln!(
                out,
                "    hydrogen_put({object}, {at}, {}, {:#x}ull);{path}{}",
                cell.value.bytes(),
                number.bits,
                if path.is_empty() { String::new() } else { format!(" = {}", number.signed()) },
            ),
            other => {
                writeln!(out, "    hydrogen_put_pointer({object}, {at}, {});{path}", pointer(other))
            }
        };
    }
}

pub(crate) fn pointer(value: &Value) -> String {
    let behind = |name: String, offset: i64| match offset {
        0 => name,
        _ => format!("(char *){name} + {offset}"),
    };
    match value {
        Value::Null => "0".into(),
        Value::Object(at, offset) => behind(format!("o{at}"), *offset),
        Value::Global(name, offset) => behind(format!("(void *)&{name}"), *offset),
        Value::Function(name) => format!("(void *){name}"),
        Value::Number(number) => format!("(void *){:#x}ul", number.bits),
    }
}

fn argument_text(module: &Module, function: &Function, at: usize, value: &Value) -> String {
    let named = parameter_type(module, function, at);
    let ctype = named.map(|ctype| module.ctype(plain(module, ctype)));
    match (value, ctype) {
        (Value::Object(object, _), Some(CType::Record { .. })) => {
            format!("*({} *)o{object}", named.map(|ctype| module.ctype_name(ctype)).unwrap_or_default())
        }
        (
            Value::Number(number),
            Some(CType::Basic { encoding: hydrogen_ir::Encoding::Float, size_bits, .. }),
        ) => {
            // Exact, whatever the number is.
            let (name, other) =
                if *size_bits == 32 { ("float", "unsigned") } else { ("double", "unsigned long") };
            format!("((union {{ {other} bits; {name} number; }}){{ {:#x} }}).number", number.bits)
        }
        (Value::Number(number), _) if number.signed() == i64::MIN => LEAST.into(),
        (Value::Number(number), _) => format!("{}ll", number.signed()),
        (other, _) => pointer(other),
    }
}

/// Functions without a body answer as the call says. They are named for the linker, so that their types need not be known.
fn stubs(out: &mut String, call: &Call) {
    let mut answers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for answer in &call.answers {
        let text = match &answer.value {
            Value::Number(number) if number.signed() == i64::MIN => LEAST.to_owned(),
            Value::Number(number) => format!("{}ll", number.signed()),
            Value::Object(at, offset) => format!("(long long)((char *)hydrogen_objects[{at}] + {offset})"),
            other => format!("(long long){}", pointer(other)),
        };
        answers.entry(&answer.function).or_default().push(text);
    }
    for (name, values) in answers {
        let _ = writeln!(
            out,
            "\n// What `{name}` has to give.\nlong long hydrogen_stub_{name}(void) __asm__(\"{name}\");\n\
             long long hydrogen_stub_{name}(void)\n{{\n    static int next;\n    switch (next++) {{"
        );
        for (at, value) in values.iter().enumerate() {
            let _ = writeln!(out, "    case {at}: return {value};");
        }
        let _ = writeln!(out, "    default: return 0;\n    }}\n}}");
    }
}

/// The least number, which has no literal of its own.
pub(crate) const LEAST: &str = "(-0x7fffffffffffffffll - 1)";

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
