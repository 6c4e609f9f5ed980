//! Runs the input of a candidate in the machine, in both versions: nothing is called a difference before.

use super::Side;
use hydrogen_frontend::{Command, Pool};
use hydrogen_ir::{FloatKind, FunctionId, Linkage, Module, Type, TypeId};
use hydrogen_machine::{Archive, End, Library, Limits, Program, World};
use hydrogen_relate::Argument;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Steps of one run.
const STEPS: u64 = 20_000_000;

/// What the runs of both versions did.
pub struct Replayed {
    /// The call, as a programmer would write it.
    pub call: String,
    pub old: String,
    pub new: String,
    /// Whether the runs differ in what is observed.
    pub differ: bool,
    /// Whether other inputs will fare no better: the function cannot be called this way.
    pub hopeless: bool,
}

/// Runs candidates; the C library is prepared once.
pub struct Replayer<'s> {
    old: &'s Side,
    new: &'s Side,
    interrupt: Arc<AtomicBool>,
    archive: Option<Option<Archive>>,
}

/// How one run ended.
#[derive(PartialEq, Eq)]
enum Done {
    /// With what it wrote before, and the bytes of result and memory.
    Returned(Vec<u8>, Vec<u8>),
    /// By `exit` or a signal, with what it wrote before.
    Ended(String, Vec<u8>),
    Faulted(String),
    Other(String),
    Impossible(String),
}

impl<'s> Replayer<'s> {
    pub fn new(old: &'s Side, new: &'s Side, interrupt: &Arc<AtomicBool>) -> Self {
        Self { old, new, interrupt: Arc::clone(interrupt), archive: None }
    }

    pub fn run(
        &mut self,
        old: FunctionId,
        new: FunctionId,
        arguments: &[Argument],
        assume_defined: bool,
    ) -> Replayed {
        let function = self.old.module.function(old);
        let call = format!("{}({})", function.name, words(&self.old.module, old, arguments));
        let (a, b) = (self.once(Which::Old, old, arguments), self.once(Which::New, new, arguments));
        let differ = match (&a, &b) {
            (Done::Returned(..) | Done::Ended(..), Done::Returned(..) | Done::Ended(..)) => a != b,
            (Done::Faulted(_), Done::Returned(..) | Done::Ended(..)) => !assume_defined,
            (Done::Returned(..) | Done::Ended(..), Done::Faulted(_)) => true,
            // Two faults of different kinds are both undefined behaviour; only the machine tells them apart.
            _ => false,
        };
        let hopeless = matches!(a, Done::Impossible(_)) || matches!(b, Done::Impossible(_));
        let result = result_of(&self.old.module, old);
        Replayed { hopeless, call, old: a.words(result.as_deref()), new: b.words(result.as_deref()), differ }
    }

    fn once(&mut self, which: Which, id: FunctionId, arguments: &[Argument]) -> Done {
        let side = match which {
            Which::Old => self.old,
            Which::New => self.new,
        };
        match self.program(&side.module, id, arguments) {
            Ok(program) => {
                let expected = told_bytes(&side.module, id, arguments);
                let limits = Limits {
                    steps: STEPS,
                    interrupt: Some(Arc::clone(&self.interrupt)),
                    ..Limits::default()
                };
                let run = program.run(World::default(), limits);
                let (mut written, mut told) = (run.world.stdout, run.world.stderr);
                match run.end {
                    // A call of `exit` leaves out what `main` would have told.
                    End::Exit(0) if told.len() >= expected => {
                        let result = told.split_off(told.len() - expected);
                        written.append(&mut told);
                        Done::Returned(written, result)
                    }
                    End::Exit(status) => {
                        written.append(&mut told);
                        Done::Ended(format!("exits with {status}"), written)
                    }
                    End::Signal(signal) => {
                        written.append(&mut told);
                        Done::Ended(format!("ends by signal {signal}"), written)
                    }
                    End::Fault(fault) => Done::Faulted(format!("{}: {}", fault.kind, fault.message)),
                    End::Limit(..) => Done::Other("does not end".to_owned()),
                    End::Unresolved(name, _) => {
                        Done::Impossible(format!("calls `{name}`, which nobody defines"))
                    }
                    End::Unsupported(what, _) => Done::Other(what),
                    End::Assumption(_) => Done::Other("ends by an assumption".to_owned()),
                }
            }
            Err(why) => Done::Impossible(why),
        }
    }

    /// The version with a `main` that makes the call and writes what came of it.
    fn program(
        &mut self,
        module: &Module,
        id: FunctionId,
        arguments: &[Argument],
    ) -> Result<Program, String> {
        let mut module = module.clone();
        let name = "function_under_comparison".to_owned();
        for function in &mut module.functions {
            if function.name == "main" {
                "main_of_the_program".clone_into(&mut function.name);
            }
        }
        let source = source(&module, id, &name, arguments)?;
        let function = &mut module.functions[id.index()];
        function.name = name;
        function.linkage = Linkage::External;
        let flag = Arc::clone(&self.interrupt);
        let lower = Pool::default_program();
        let pool = Pool::new(lower.clone(), Default::default(), move || flag.load(Ordering::Relaxed));
        let archive = self.archive.get_or_insert_with(|| {
            let library = Library::find()?;
            library.archive(&pool, &lower, &|_: usize, _: usize| {}).ok()
        });
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let path = folder.path().join("call.c");
        std::fs::write(&path, source).map_err(|error| error.to_string())?;
        let text = |path: &std::path::Path| bstr::BString::from(path.to_string_lossy().as_bytes());
        let command = Command {
            directory: text(folder.path()),
            root: text(folder.path()),
            file: text(&path),
            arguments: vec!["cc".into(), "-c".into(), text(&path)],
        };
        let modelled = pool.model(&command).map_err(|error| error.to_string())?;
        let main = hydrogen_ir::decode(&modelled.module).map_err(|error| error.to_string())?;
        Ok(Program::load(vec![main, module], archive.as_ref()))
    }
}

#[derive(Clone, Copy)]
enum Which {
    Old,
    New,
}

impl Done {
    fn words(&self, result: Option<&str>) -> String {
        match self {
            Done::Returned(written, bytes) => {
                let size = match result {
                    Some("unsigned char") => 1,
                    Some("unsigned short") => 2,
                    Some("unsigned int" | "float") => 4,
                    Some(_) => 8,
                    None => 0,
                };
                let mut value = [0u8; 8];
                value[..size.min(bytes.len())].copy_from_slice(&bytes[..size.min(bytes.len())]);
                let number = u64::from_le_bytes(value);
                let value = match result {
                    None => "nothing".to_owned(),
                    Some("double") => format!("{:?}", f64::from_bits(number)),
                    Some("float") => format!("{:?}", f32::from_bits(number as u32)),
                    Some(_) => signed(number, size as u32 * 8),
                };
                let memory = &bytes[size.min(bytes.len())..];
                if memory.is_empty() {
                    return format!("returns {value}{}", output(written));
                }
                let shown: String = memory.iter().fold(String::new(), |mut out, byte| {
                    let _ = write!(out, "{byte:02x}");
                    out
                });
                format!("returns {value}, memory {}{}", shown.trim_end_matches("00"), output(written))
            }
            Done::Ended(how, written) => format!("{how}{}", output(written)),
            Done::Faulted(what) => format!("faults ({what})"),
            Done::Other(what) | Done::Impossible(what) => what.clone(),
        }
    }
}

/// What the function wrote, for people.
fn output(bytes: &[u8]) -> String {
    if bytes.is_empty() { String::new() } else { format!(", writes {:?}", String::from_utf8_lossy(bytes)) }
}

/// How many bytes `main` tells after the call.
fn told_bytes(module: &Module, id: FunctionId, arguments: &[Argument]) -> usize {
    let result = match result_of(module, id).as_deref() {
        Some("unsigned char") => 1,
        Some("unsigned short") => 2,
        Some("unsigned int" | "float") => 4,
        Some(_) => 8,
        None => 0,
    };
    let memory = arguments.iter().map(|argument| match argument {
        Argument::Memory(bytes) => bytes.len(),
        _ => 0,
    });
    result + memory.sum::<usize>()
}

fn signed(number: u64, width: u32) -> String {
    let shift = 64 - width.clamp(1, 64);
    ((number << shift) as i64 >> shift).to_string()
}

/// A C type of the same machine type.
fn c_type(module: &Module, ty: TypeId) -> Option<&'static str> {
    Some(match module.types.get(ty) {
        Type::Int(1 | 8) => "unsigned char",
        Type::Int(16) => "unsigned short",
        Type::Int(32) => "unsigned int",
        Type::Int(64) => "unsigned long",
        Type::Pointer(0) => "void *",
        Type::Float(FloatKind::Double) => "double",
        Type::Float(FloatKind::Float) => "float",
        _ => return None,
    })
}

fn result_of(module: &Module, id: FunctionId) -> Option<String> {
    let Type::Function { result, .. } = module.types.get(module.function(id).ty?) else { return None };
    c_type(module, *result).map(str::to_owned)
}

/// The C text of a `main` that calls the function.
fn source(module: &Module, id: FunctionId, name: &str, arguments: &[Argument]) -> Result<String, String> {
    let function = module.function(id);
    let special = "its parameters or result cannot be written as a call in C";
    let Some(Type::Function { result, parameters, .. }) = function.ty.map(|ty| module.types.get(ty)) else {
        return Err(special.to_owned());
    };
    if function
        .parameters
        .iter()
        .any(|one| one.attributes.by_value.is_some() || one.attributes.struct_return.is_some())
    {
        return Err(special.to_owned());
    }
    let result = match module.types.get(*result) {
        Type::Void => None,
        _ => Some(c_type(module, *result).ok_or(special)?),
    };
    let types: Vec<&str> =
        parameters.iter().map(|&ty| c_type(module, ty).ok_or(special)).collect::<Result<_, _>>()?;
    let list = if types.is_empty() { "void".to_owned() } else { types.join(", ") };
    let mut text = format!(
        "long write(int, const void *, unsigned long);\n{} {name}({list});\n",
        result.unwrap_or("void")
    );
    let (mut before, mut given, mut after) = (String::new(), Vec::new(), String::new());
    for (n, (argument, ty)) in arguments.iter().zip(&types).enumerate() {
        match argument {
            Argument::Number(_, bits) => {
                let _ = match *ty {
                    "double" | "float" => {
                        let whole = if *ty == "double" { "unsigned long" } else { "unsigned int" };
                        writeln!(
                            before,
                            "    union {{ {whole} bits; {ty} value; }} a{n} = {{ {bits}u{} }};",
                            if *ty == "double" { "l" } else { "" }
                        )
                        .map(|()| given.push(format!("a{n}.value")))
                    }
                    _ => write!(before, "").map(|()| given.push(format!("({ty}){bits}ul"))),
                };
            }
            Argument::Null => given.push("(void *)0".to_owned()),
            Argument::Same(other) => given.push(format!("b{other}")),
            Argument::Memory(bytes) => {
                let list: Vec<String> = bytes.iter().map(u8::to_string).collect();
                let _ = writeln!(
                    text,
                    "static unsigned char b{n}[{}] __attribute__((aligned(16))) = {{{}}};",
                    bytes.len(),
                    list.join(",")
                );
                let _ = writeln!(after, "    write(2, b{n}, sizeof b{n});");
                given.push(format!("b{n}"));
            }
        }
    }
    let call = format!("{name}({})", given.join(", "));
    let call = match result {
        Some(ty) => format!("    {ty} r = {call};\n    write(2, &r, sizeof r);\n"),
        None => format!("    {call};\n"),
    };
    let _ = write!(text, "int main(void) {{\n{before}{call}{after}    return 0;\n}}\n");
    Ok(text)
}

/// The arguments as a programmer would write them.
fn words(module: &Module, id: FunctionId, arguments: &[Argument]) -> String {
    let parameters = &module.function(id).parameters;
    let one = |(n, argument): (usize, &Argument)| {
        let parameter = parameters.get(n);
        let name = parameter.map_or("", |parameter| parameter.name.as_str());
        let is_float = parameter
            .and_then(|parameter| parameter.ty)
            .is_some_and(|ty| matches!(module.types.get(ty), Type::Float(_)));
        let value = match argument {
            Argument::Number(64, bits) if is_float => format!("{:?}", f64::from_bits(*bits as u64)),
            Argument::Number(32, bits) if is_float => format!("{:?}", f32::from_bits(*bits as u32)),
            Argument::Number(width, bits) => signed(*bits as u64, *width),
            Argument::Null => "NULL".to_owned(),
            Argument::Same(other) => parameters.get(*other).map_or(String::new(), |one| one.name.clone()),
            Argument::Memory(bytes) => {
                let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |at| at + 1);
                let shown: Vec<String> = bytes[..end].iter().map(u8::to_string).collect();
                format!("{{{}{}}}", shown.join(","), if end < bytes.len() { ",0…" } else { "" })
            }
        };
        if name.is_empty() { value } else { format!("{name} = {value}") }
    };
    arguments.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
}
