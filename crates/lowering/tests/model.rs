//! What the model says of a small unit: names, types, layouts, variables, calls, linkage.
#![allow(clippy::unwrap_used)] // A test's helpers fail as the test does.

mod support;

use hydrogen_ir::{CType, Callee, Const, Linkage, Module, Op, Operand, Type, VariableKind};

fn model(text: &str, flags: &[&str]) -> Module {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("unit.c");
    std::fs::write(&file, text).unwrap();
    support::faithful(&support::command(&file, flags)).unwrap().1
}

fn function<'m>(model: &'m Module, name: &str) -> &'m hydrogen_ir::Function {
    model.functions.iter().find(|function| function.name == name).unwrap()
}

#[test]
fn variables_have_names_types_slots_and_places() {
    let model = model(
        "int f(unsigned char first,\n      long *second) {\n  int local = first;\n  return local;\n}\n",
        &[],
    );
    let f = function(&model, "f");
    assert_eq!((f.line(), model.file(f.file().unwrap())), (Some(1), "unit.c"));
    let body = f.body.as_ref().unwrap();
    let names: Vec<_> = body.variables.iter().map(|one| (one.name.as_str(), one.kind)).collect();
    let parameter = VariableKind::Parameter;
    assert_eq!(names, [("first", parameter(0)), ("second", parameter(1)), ("local", VariableKind::Local)]);
    for variable in &body.variables {
        assert!(matches!(body.instruction(variable.slot.unwrap()).op, Op::Alloca { .. }));
    }
    let place = body.variables[2].location.unwrap().position;
    assert_eq!((place.line, place.column), (3, 7));
    let CType::Basic { name, size_bits: 8, .. } = model.ctype(body.variables[0].ctype.unwrap()) else {
        panic!()
    };
    assert_eq!(name, "unsigned char");
    assert!(f.parameters[0].attributes.zero_extend);
}

#[test]
fn records_keep_members_bit_fields_and_cycles() {
    let model =
        model("struct node { struct node *next; unsigned kind : 3, mark : 1; char name[4][2]; } head;", &[]);
    let global = &model.globals[0];
    let CType::Record { name, size_bits, members, .. } = model.ctype(global.ctype.unwrap()) else { panic!() };
    assert_eq!((name.as_deref(), *size_bits), (Some("node"), 192));
    let seen: Vec<_> = members
        .iter()
        .map(|one| (one.name.as_str(), one.offset_bits, one.size_bits, one.bit_field))
        .collect();
    let expected =
        [("next", 0, 64, false), ("kind", 64, 3, true), ("mark", 67, 1, true), ("name", 72, 64, false)];
    assert_eq!(seen, expected);
    let CType::Pointer(back) = model.ctype(members[0].ty) else { panic!() };
    assert_eq!(Some(*back), global.ctype);
    let CType::Array { lengths, .. } = model.ctype(members[3].ty) else { panic!() };
    assert_eq!(lengths, &[Some(4), Some(2)]);
    let Type::Struct(machine) = model.types.get(global.ty) else { panic!() };
    assert_eq!(machine.name.as_deref(), Some("struct.node"));
    assert_eq!(model.types.layout(global.ty).unwrap().alloc_bytes, 24);
    assert_eq!(global.location.unwrap().position.line, 1);
}

#[test]
fn calls_know_whom_they_reach() {
    let text = "void d(void); static void s(int x) {} void (*p)(void);\n\
                void f(char *to) { d(); s(1); p(); __builtin_memset(to, 0, 9); __asm__(\"\"); }";
    let model = model(text, &[]);
    let callees: Vec<_> = function(&model, "f").calls.iter().map(|call| call.callee.clone()).collect();
    let direct = |name: &str| Callee::Direct(name.into());
    assert_eq!(callees, [direct("d"), direct("s"), Callee::Indirect(String::new())]);
}

#[test]
fn linkage_is_what_the_linker_sees() {
    let text = "static int a; int b; __attribute__((weak)) int c; extern int d; char *s = \"x\";\n\
                int *use(void) { a = d; return &c; } static inline int in(void) { return 1; } int r(void) { return in(); }\n\
                int alias(void) __attribute__((alias(\"r\"))); _Noreturn void stop(void);\n\
                void go(void) { stop(); }";
    let model = model(text, &[]);
    let seen: Vec<_> =
        model.globals.iter().map(|one| (one.name.as_str(), one.linkage, one.private)).collect();
    assert!(seen.contains(&("a", Linkage::Internal, false)));
    assert!(seen.contains(&("b", Linkage::External, false)));
    assert!(seen.contains(&("c", Linkage::Mergeable, false)));
    assert!(seen.contains(&(".str", Linkage::Internal, true)));
    let alias = model.globals.iter().find(|one| one.name == "alias").unwrap();
    assert!(matches!(model.constant(alias.alias_of.unwrap()), Const::Function(id)
        if model.function(*id).name == "r"));
    assert_eq!(function(&model, "in").linkage, Linkage::Internal);
    assert!(function(&model, "stop").no_return && !function(&model, "go").no_return);
}

#[test]
fn structures_by_value_say_how_they_are_passed() {
    let text =
        "struct s { long a[9]; }; struct s g(struct s x) { return x; } void f(struct s *p) { *p = g(*p); }";
    let model = model(text, &[]);
    let g = function(&model, "g");
    assert!(g.parameters[0].attributes.struct_return.is_some());
    let size = |ty| model.types.layout(ty).unwrap().alloc_bytes;
    assert_eq!(g.parameters[1].attributes.by_value.map(size), Some(72));
    let body = function(&model, "f").body.as_ref().unwrap();
    let passed = body.instructions.iter().find_map(|one| match &one.op {
        Op::Call { callee: Operand::Const(id), attributes, .. }
            if matches!(model.constant(*id), Const::Function(id) if model.function(*id).name == "g") =>
        {
            Some(attributes.clone())
        }
        _ => None,
    });
    assert_eq!(passed.unwrap()[1].by_value.map(size), Some(72));
}

#[test]
fn wide_numbers_keep_all_bits() {
    let text = "__int128 i = (__int128)0x0123456789abcdef << 64 | 0xfedcba9876543210;\n\
                long double l = 0.1L; _BitInt(200) b = ((_BitInt(200))5 << 190) | 3;";
    let model = model(text, &[]);
    let value = |name: &str| {
        let global = model.globals.iter().find(|one| one.name == name).unwrap();
        model.constant(global.initializer.unwrap()).clone()
    };
    assert!(matches!(value("i"), Const::Int { bits: 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210, .. }));
    assert!(matches!(value("l"), Const::Float { bits: 0x3ffb_cccc_cccc_cccc_cccd, .. }), "{:x?}", value("l"));
    // How clang stores a _BitInt in memory is its own affair; no bit may be lost.
    let text = format!("{:x?}", value("b"));
    assert!(text.contains("4000000000000000") || text.contains("40, "), "{text}");
}

#[test]
fn the_same_unit_gives_the_same_bytes() {
    let text = std::fs::read_to_string(support::c_folder().join("designators.c")).unwrap();
    let bytes = || postcard::to_stdvec(&model(&text, &[])).unwrap();
    assert_eq!(bytes(), bytes());
}

/// The lines of the left shifts that are marked as shifts of signed numbers.
fn signed_shifts(text: &str) -> Vec<u32> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("unit.c");
    std::fs::write(&file, text).unwrap();
    let command = support::command(&file, &[]);
    let (llvm, mut model) = support::faithful(&command).unwrap();
    support::attributed(&command, &mut model);
    support::assert_faithful(&llvm, &model);
    support::sound(&model);
    let bodies = model.functions.iter().filter_map(|function| function.body.as_ref());
    bodies
        .flat_map(|body| &body.instructions)
        .filter(
            |one| matches!(one.op, Op::Binary { op: hydrogen_ir::BinaryOp::Shl, flags, .. } if flags.other),
        )
        .map(|one| one.location.unwrap().position.line)
        .collect()
}

#[test]
fn left_shifts_of_signed_numbers_are_marked() {
    let text = "#define BIT(n) (1 << (n))\n\
                #define OF(x, n) ((x) << (n))\n\
                #define BOTH(x, n) ((x) << (n) | 1u << (n))\n\
                struct s { unsigned field : 3; } g;\n\
                long f(int x, unsigned u, unsigned char c, int n, short *p) {\n\
                long r = (long)x << 16;\n\
                r += (long)((unsigned long)(long)x << 16);\n\
                r += u << n;\n\
                r += c /* << */ << n;\n\
                c <<= n;\n\
                u <<= n;\n\
                *p <<= n;\n\
                r += BIT(n);\n\
                r += OF(u, n);\n\
                r += OF(x, n);\n\
                r += BOTH(x, n);\n\
                r += 1 << 3;\n\
                g.field = x;\n\
                return r << sizeof(x << n); }\n";
    assert_eq!(signed_shifts(text), [6, 9, 10, 12, 13, 15, 16, 19]);
}
