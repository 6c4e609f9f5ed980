//! What is known of functions of the C library: which compute only, which read memory, which come back twice.

use crate::calls::Reach;

/// Functions of the C library that compute from their arguments alone. Those of `math.h` may set `errno`, which is said in the ledger.
const OF_VALUES: &[&str] = &["abs", "labs", "llabs", "div", "ldiv"];
/// Those that depend on the locale too, which any call of something unknown may change.
pub const OF_LOCALE: &[&str] = &[
    "toupper", "tolower", "isalpha", "isdigit", "isalnum", "isspace", "isupper", "islower", "isxdigit",
    "ispunct", "isprint", "iscntrl", "isgraph", "isblank",
];
/// Functions of the C library that read memory and change nothing.
const OF_MEMORY: &[&str] = &[
    "strlen",
    "strcmp",
    "strncmp",
    "strchr",
    "strrchr",
    "strstr",
    "memcmp",
    "memchr",
    "strnlen",
    "strspn",
    "strcspn",
    "strpbrk",
    "atoi",
    "atol",
    "atoll",
    "atof",
    "strcasecmp",
    "strncasecmp",
    "__ctype_b_loc",
];
/// `math.h`, without the endings for `float` and `long double`.
pub const OF_MATHS: &[&str] = &[
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "pow",
    "sqrt",
    "cbrt",
    "hypot",
    "floor",
    "ceil",
    "round",
    "trunc",
    "rint",
    "nearbyint",
    "fabs",
    "fmod",
    "remainder",
    "fmax",
    "fmin",
    "fdim",
    "fma",
    "ldexp",
    "copysign",
    "erf",
    "erfc",
    "tgamma",
    "lgamma",
    "lround",
    "lrint",
    "llround",
    "llrint",
    "j0",
    "j1",
    "jn",
    "y0",
    "y1",
    "yn",
];

/// Functions after which the same code may run again.
pub const COMES_BACK_TWICE: &[&str] =
    &["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "vfork", "getcontext"];

/// What a function without a body can see and change.
pub fn library(name: &str) -> Reach {
    if OF_VALUES.contains(&name) || OF_LOCALE.contains(&name) || is_of_maths(name) {
        Reach::Values
    } else if OF_MEMORY.contains(&name) {
        Reach::Reads
    } else {
        Reach::All
    }
}

/// Whether it is a function of `math.h`.
pub fn is_of_maths(name: &str) -> bool {
    let plain = name.strip_suffix(['f', 'l']).unwrap_or(name);
    OF_MATHS.contains(&name) || OF_MATHS.contains(&plain)
}
