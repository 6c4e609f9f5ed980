//! What words mean in C, as far as reading without headers needs it.

/// Words that begin or belong to types.
pub(crate) fn is_type_word(word: &[u8]) -> bool {
    matches!(
        word,
        b"int"
            | b"char"
            | b"short"
            | b"long"
            | b"float"
            | b"double"
            | b"void"
            | b"signed"
            | b"unsigned"
            | b"struct"
            | b"union"
            | b"enum"
            | b"const"
            | b"volatile"
            | b"_Bool"
            | b"bool"
            | b"_Complex"
            | b"size_t"
            | b"ssize_t"
            | b"ptrdiff_t"
            | b"intptr_t"
            | b"uintptr_t"
            | b"int8_t"
            | b"int16_t"
            | b"int32_t"
            | b"int64_t"
            | b"uint8_t"
            | b"uint16_t"
            | b"uint32_t"
            | b"uint64_t"
    )
}

/// Words that are followed by parentheses without being called or declared.
pub(crate) fn takes_parentheses(word: &[u8]) -> bool {
    is_control(word)
        || matches!(
            word,
            b"return"
                | b"sizeof"
                | b"__attribute__"
                | b"__attribute"
                | b"__declspec"
                | b"_Alignas"
                | b"alignas"
                | b"_Alignof"
                | b"__alignof__"
                | b"asm"
                | b"__asm__"
                | b"__asm"
                | b"_Static_assert"
                | b"static_assert"
                | b"_Pragma"
                | b"__pragma"
                | b"_Atomic"
                | b"_Generic"
        )
        || is_typeof(word)
}

/// GNU's and C23's `typeof`.
pub(crate) fn is_typeof(word: &[u8]) -> bool {
    matches!(word, b"typeof" | b"__typeof__" | b"__typeof" | b"typeof_unqual")
}

/// Keywords whose parentheses are followed by a statement.
pub(crate) fn is_control(word: &[u8]) -> bool {
    matches!(word, b"if" | b"while" | b"for" | b"switch")
}

/// Keywords that begin a statement, or `else`.
pub(crate) fn is_statement_word(word: &[u8]) -> bool {
    is_control(word)
        || matches!(
            word,
            b"else" | b"do" | b"return" | b"break" | b"continue" | b"goto" | b"case" | b"default"
        )
}

/// Storage classes, qualifiers and the like: words of a declaration that are not its type.
pub(crate) fn is_specifier(word: &[u8]) -> bool {
    matches!(
        word,
        b"static"
            | b"extern"
            | b"register"
            | b"auto"
            | b"inline"
            | b"__inline"
            | b"__inline__"
            | b"typedef"
            | b"const"
            | b"volatile"
            | b"restrict"
            | b"__restrict"
            | b"__restrict__"
            | b"__const"
            | b"__volatile__"
            | b"__extension__"
            | b"_Thread_local"
            | b"__thread"
            | b"_Noreturn"
            | b"noreturn"
    )
}

/// Whether people write a macro like this: capitals, digits and underscores alone, and at least one letter.
pub(crate) fn is_macro_like(word: &[u8]) -> bool {
    let capital = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    word.iter().all(capital) && word.iter().any(u8::is_ascii_uppercase)
}

/// Functions of the C library and compiler builtins that never return.
pub(crate) fn never_returns(word: &[u8]) -> bool {
    matches!(
        word,
        b"exit"
            | b"_exit"
            | b"_Exit"
            | b"abort"
            | b"quick_exit"
            | b"longjmp"
            | b"siglongjmp"
            | b"_longjmp"
            | b"__builtin_longjmp"
            | b"__builtin_unreachable"
            | b"__builtin_trap"
            | b"pthread_exit"
            | b"err"
            | b"errx"
            | b"verr"
            | b"verrx"
            | b"__assert_fail"
    )
}

/// Whether a word of a declaration says that the function does not return: the language's own words, and macros
/// that people name after them (`l_noret`, `NORETURN`).
pub(crate) fn says_no_return(word: &[u8]) -> bool {
    let says = |part: &[u8]| word.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part));
    // Every word of every declaration comes by here, and hardly any is long enough.
    word.len() > 4 && (says(b"noret") || says(b"no_return"))
}
