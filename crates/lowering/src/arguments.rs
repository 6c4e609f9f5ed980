//! The user's compile command, changed so that every unit is compiled in the one way the model needs.

use hydrogen_frontend::options::sift;

/// Errors by default that old code relies on being warnings.
const TOLERATED: &[&str] = &[
    "implicit-function-declaration",
    "implicit-int",
    "int-conversion",
    "incompatible-function-pointer-types",
];

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
    out.extend(sift(arguments.get(1..).unwrap_or_default(), file).kept);
    let fixed =
        ["-O0", "-g", "-gcolumn-info", "-fno-discard-value-names", "-w", "-Xclang", "-disable-O0-optnone"];
    out.extend(fixed.iter().map(|option| option.as_bytes().to_vec()));
    // What clang 16 turned into errors, other compilers and older clangs accept.
    out.extend(TOLERATED.iter().map(|warning| format!("-Wno-error={warning}").into_bytes()));
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
