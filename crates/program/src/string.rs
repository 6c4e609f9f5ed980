//! Constant strings as text; a test in C writes them alike.

use hydrogen_machine::Left;
use std::fmt::Write;

/// Longer ones are not shown whole, and neither are several in one constant.
const SHOWN: usize = 200;
/// Characters of those.
const BEGINNING: usize = 60;

/// A constant that a pointer leads so far into, if it is a string. Equal texts are equal constants.
pub(crate) fn text_of(left: &Left, offset: i64) -> Option<String> {
    let bytes = &left.bytes;
    let is_character = |byte: &u8| *byte >= 32 || matches!(byte, 0 | b'\t' | b'\n' | b'\r' | 27);
    let at = usize::try_from(offset).ok().filter(|at| *at < bytes.len())?;
    if bytes.last() != Some(&0) || !left.pointers.is_empty() || !bytes.iter().all(is_character) {
        return None;
    }
    let whole = &bytes[..bytes.len() - 1];
    if bytes.len() <= SHOWN && !whole.contains(&0) {
        let behind = if at == 0 { String::new() } else { format!(" + {at}") };
        return Some(format!("\"{}\"{behind}", escaped(whole)));
    }
    let own = bytes[at..].iter().take(BEGINNING).take_while(|byte| **byte != 0).copied();
    let own: Vec<u8> = own.collect();
    let (shown, size, sum) = (escaped(&own), bytes.len(), sum(bytes));
    Some(format!("\"{shown}\"… (byte {at} of {size}, checksum {sum:016x})"))
}

fn escaped(bytes: &[u8]) -> String {
    let mut out = String::new();
    for byte in bytes {
        match byte {
            b'\\' | b'"' => {
                let _ = write!(out, "\\{}", *byte as char);
            }
            b'\n' => out.push_str("\\n"),
            32..127 => out.push(*byte as char),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out
}

/// FNV-1a, which is a few lines in C too.
pub(crate) fn sum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// The same in C: shows the string that a pointer leads into.
pub(crate) const IN_C: &str = r#"
static void hydrogen_show_bytes(const char *bytes, unsigned long size)
{
    for (unsigned long at = 0; at < size; at++) {
        unsigned char byte = (unsigned char)bytes[at];
        if (byte == '\\' || byte == '"')
            printf("\\%c", byte);
        else if (byte == '\n')
            printf("\\n");
        else if (byte >= 32 && byte < 127)
            printf("%c", byte);
        else
            printf("\\x%02x", byte);
    }
}

static void hydrogen_show_text(const char *name, const void *object, unsigned long at, unsigned long behind, unsigned long size)
{
    const char *value;
    memcpy(&value, (const char *)object + at, sizeof value);
    if (!value) {
        printf("%s = NULL\n", name);
        return;
    }
    const char *first = value - behind;
    printf("%s = \"", name);
    if (size <= 200 && memchr(first, 0, size) == first + size - 1) {
        hydrogen_show_bytes(first, size - 1);
        printf("\"");
        if (behind)
            printf(" + %lu", behind);
        printf("\n");
        return;
    }
    unsigned long long sum = 0xcbf29ce484222325ull;
    for (unsigned long byte = 0; byte < size; byte++)
        sum = (sum ^ (unsigned char)first[byte]) * 0x100000001b3ull;
    unsigned long shown = 0;
    while (shown < 60 && behind + shown < size && value[shown])
        shown++;
    hydrogen_show_bytes(value, shown);
    printf("\"\xe2\x80\xa6 (byte %lu of %lu, checksum %016llx)\n", behind, size, sum);
}
"#;
