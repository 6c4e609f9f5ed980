//! The user's compile command, changed so that every unit is compiled in the one way the model needs.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Options whose value is the next argument, as far as both gcc and clang know them.
const WITH_VALUE: &[&str] = &[
    "-I",
    "-D",
    "-U",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-x",
    "-target",
    "-arch",
    "-Xclang",
    "-Xpreprocessor",
    "-L",
    "-l",
    "-T",
    "-u",
    "-z",
    "-G",
    "-A",
    "-aux-info",
    "--param",
    "-mllvm",
    "--sysroot",
    "-framework",
    "-F",
];

/// Options that are left out together with their value: output, dependency files, linking.
const DROPPED_WITH_VALUE: &[&str] = &[
    "-o",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xlinker",
    "-Xassembler",
    "-dumpbase",
    "-dumpdir",
    "-aux-info",
    "-L",
    "-l",
    "-T",
    "-u",
    "-z",
    "-serialize-diagnostics",
    "--serialize-diagnostics",
    "-specs",
    "-wrapper",
];

/// Options that are left out by their beginning: optimisation, warnings, instrumentation, what is produced.
const DROPPED_PREFIX: &[&str] = &[
    "-O",
    "-W",
    "-g",
    "-M",
    "-flto",
    "-fno-lto",
    "-ffat-lto",
    "-fwhole-program",
    "-fuse-linker-plugin",
    "-fsanitize",
    "-fno-sanitize",
    "-fprofile",
    "-fno-profile",
    "-fcoverage",
    "-ftest-coverage",
    "-fcs-profile",
    "-fxray",
    "-finstrument-functions",
    "-fplugin",
    "-fpass-plugin",
    "-fembed-bitcode",
    "-fsyntax-only",
    "-fdiagnostics",
    "-fno-diagnostics",
    "-fcolor-diagnostics",
    "-fno-color-diagnostics",
    "-fmessage-length",
    "-fdebug",
    "-fmacro-prefix",
    "-ffile-prefix",
    "-fcrash-diagnostics",
    "-ftime-report",
    "-ftime-trace",
    "-save-temps",
    "--save-temps",
    "-L",
    "-l",
    "--coverage",
    "-pedantic",
    "-fmax-errors",
    "-ferror-limit",
    "-fdump",
    "-fstack-usage",
    "-fcallgraph-info",
    "-fmodules",
    "-fdiscard-value-names",
    "-Qunused",
    "-fintegrated-as",
    "-fno-integrated-as",
    "-B",
    "-o",
];

/// Options that are left out by their full name.
const DROPPED: &[&str] = &[
    "-c",
    "-S",
    "-E",
    "-s",
    "-w",
    "-v",
    "-P",
    "-pg",
    "-p",
    "-pipe",
    "-shared",
    "-static",
    "-rdynamic",
    "-emit-llvm",
    "-###",
    "-H",
    "-dM",
    "-dD",
    "-Q",
    "-static-libgcc",
    "-static-pie",
    "-pie",
    "-no-pie",
    "-nostdlib",
    "-nostartfiles",
    "-nodefaultlibs",
    "-C",
    "-CC",
];

/// Endings of files that a command may list beside the unit in question.
const INPUTS: &[&str] =
    &["c", "cc", "cpp", "cxx", "C", "m", "i", "ii", "s", "S", "o", "a", "so", "lo", "la", "bc", "ll"];

/// The arguments for clang's driver: those of `arguments` (the compiler's name first) that say what the unit means.
pub fn driver_arguments(
    arguments: &[&[u8]],
    file: &[u8],
    root: &[u8],
    resources: &Resources,
) -> Vec<Vec<u8>> {
    let mut out: Vec<Vec<u8>> = vec![resources.clang.as_bytes().to_vec()];
    if arguments.first().is_some_and(|name| name.ends_with(b"++")) {
        out.push(b"--driver-mode=g++".to_vec());
    }
    let mut rest = arguments.iter().skip(1);
    while let Some(argument) = rest.next() {
        let is = |list: &[&str]| list.iter().any(|option| option.as_bytes() == *argument);
        let begins = |list: &[&str]| list.iter().any(|option| argument.starts_with(option.as_bytes()));
        if *argument == b"--" {
            break;
        } else if is(DROPPED_WITH_VALUE) {
            rest.next();
        } else if is(WITH_VALUE) {
            out.push(argument.to_vec());
            out.extend(rest.next().map(|value| value.to_vec()));
        } else if argument.starts_with(b"-Wp,") {
            // The way older makefiles hand options to the preprocessor; all but -MD and the like matter.
            out.extend(
                argument[4..]
                    .split(|byte| *byte == b',')
                    .filter(|part| !part.starts_with(b"-M"))
                    .filter(|part| {
                        part.starts_with(b"-D") || part.starts_with(b"-U") || part.starts_with(b"-I")
                    })
                    .map(<[u8]>::to_vec),
            );
        } else if is(DROPPED) || begins(DROPPED_PREFIX) || is_input(argument) || *argument == file {
        } else {
            out.push(argument.to_vec());
        }
    }
    let fixed =
        ["-O0", "-g", "-gcolumn-info", "-fno-discard-value-names", "-w", "-Xclang", "-disable-O0-optnone"];
    out.extend(fixed.iter().map(|option| option.as_bytes().to_vec()));
    // What clang 16 turned into errors, other compilers and older clangs accept.
    out.extend(TOLERATED.iter().map(|warning| [b"-Wno-error=", warning.as_bytes()].concat()));
    out.push(b"-resource-dir".to_vec());
    out.push(resources.directory.as_bytes().to_vec());
    if !root.is_empty() {
        // `__FILE__` must not say where this version happens to be checked out.
        let root = root.strip_suffix(b"/").unwrap_or(root);
        out.push([b"-fmacro-prefix-map=", root, b"/="].concat());
    }
    out.push(b"--".to_vec());
    out.push(file.to_vec());
    out
}

fn is_input(argument: &[u8]) -> bool {
    let ending = Path::new(OsStr::from_bytes(argument)).extension();
    !argument.starts_with(b"-") && ending.is_some_and(|ending| INPUTS.iter().any(|known| *known == ending))
}

/// Where clang and its own headers are.
#[derive(Debug, Clone)]
pub struct Resources {
    /// The compiler; never run, but its place decides where system headers are sought.
    pub clang: String,
    /// The folder with clang's own headers.
    pub directory: String,
}

impl Default for Resources {
    /// As found when this program was built, or as `HYDROGEN_RESOURCE_DIR` says now.
    fn default() -> Self {
        let directory = std::env::var("HYDROGEN_RESOURCE_DIR").ok().filter(|value| !value.is_empty());
        Self {
            clang: env!("HYDROGEN_CLANG").to_owned(),
            directory: directory.unwrap_or_else(|| env!("HYDROGEN_RESOURCE_DIR").to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &str, file: &str, expect: &str) {
        let arguments: Vec<&[u8]> = command.split(' ').map(str::as_bytes).collect();
        let resources = Resources { clang: "clang".into(), directory: "/res".into() };
        let out = driver_arguments(&arguments, file.as_bytes(), b"/root/", &resources);
        let out = out.iter().map(|part| String::from_utf8_lossy(part)).collect::<Vec<_>>().join(" ");
        let fixed = "-O0 -g -gcolumn-info -fno-discard-value-names -w -Xclang -disable-O0-optnone \
                     -Wno-error=implicit-function-declaration -Wno-error=implicit-int -Wno-error=int-conversion \
                     -Wno-error=incompatible-function-pointer-types -resource-dir /res -fmacro-prefix-map=/root/=";
        assert_eq!(out, format!("clang {expect}{fixed} -- {file}"));
    }

    #[test]
    fn meaning_stays_and_the_rest_goes() {
        check("cc -c -O2 -g3 -Wall -Werror -o x.o x.c", "x.c", "");
        check(
            "gcc -I inc -Isrc -DX=1 -D Y -std=gnu99 -m32 x.c",
            "x.c",
            "-I inc -Isrc -DX=1 -D Y -std=gnu99 -m32 ",
        );
        check("cc -MD -MP -MF x.d -MT x.o -flto=thin -fsanitize=address -pg x.c", "x.c", "");
        check("cc -Wp,-MD,x.d,-D_FORTIFY_SOURCE=2 -Wl,-z,now x.c", "x.c", "-D_FORTIFY_SOURCE=2 ");
        check(
            "cc -include config.h -isystem /a b.c x.c y.o -lm -L /lib",
            "x.c",
            "-include config.h -isystem /a ",
        );
        check(
            "cc -fPIC -fno-strict-aliasing -fwrapv -funsigned-char -pthread x.c",
            "x.c",
            "-fPIC -fno-strict-aliasing -fwrapv -funsigned-char -pthread ",
        );
        check("clang++ -std=c++17 x.cc", "x.cc", "--driver-mode=g++ -std=c++17 ");
    }
}
